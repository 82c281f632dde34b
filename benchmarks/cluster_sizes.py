"""How often is a model that knows nothing called a sure clear, where groups of samples have unequal sizes?

Every group has its own rate of positives and its own rate of positive predictions, both beta distributed,
that have nothing to do with each other. The rates where the t-test of group contributions errs most often
are looked for first; there the test, and the whole verdict by MCC, are tried on fresh draws. Then power: a
share of the predictions are the labels themselves.

    python -m benchmarks.cluster_sizes
    python -m benchmarks.cluster_sizes --kinds   # the t-test alone: numbers, scores, three classes
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

import clearbar as cb
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.permutation import agreement, group_test, products, rank_agreement
from clearbar.inference.units import Groups

SHAPES = ("Pareto", "one of a sixth", "one of half")
NUMBERS = (12, 30, 60)
SPREADS = (0.3, 2.0, 20.0)
"""Concentrations of the rates of groups: nearly all one class, anything, nearly alike."""
PREVALENCES = (0.2, 0.5)


class Case(NamedTuple):
    """Test sets of one kind."""

    shape: str
    groups: int
    prevalence: float
    labels: float
    predictions: float


class Sample(NamedTuple):
    """One test set."""

    groups: IntArray
    truth: BoolArray
    predicted: BoolArray

    @property
    def p_value(self) -> float:
        """The p of the t-test alone."""
        own = Groups.of(self.groups)
        return float(own.test(products(self.truth, self.predicted)).upper)

    @property
    def sure(self) -> bool:
        """Whether the whole verdict is a sure clear."""
        return bool(cb.evaluate(self.truth, self.predicted, "mcc", clusters=self.groups)[0].sure)


def sizes_of(shape: str, number: int, generator: np.random.Generator) -> IntArray:
    """Draw the sizes of groups."""
    if shape == "Pareto":
        return np.minimum(np.ceil(2 * (1 + generator.pareto(1.0, number))), 200).astype(np.int64)
    sizes = np.arange(number - 1) + 4
    share = 1 / 6 if shape == "one of a sixth" else 1 / 2
    return np.append(sizes, round(sizes.sum() * share / (1 - share)))


def samples(case: Case, trials: int, generator: np.random.Generator, known: float = 0.0) -> Iterator[Sample]:
    """Draw test sets whose sizes hardly repeat and that hold both classes."""
    number, found = case.groups, 0
    while found < trials:
        groups = np.repeat(np.arange(number), sizes_of(case.shape, number, generator))
        if not Groups.of(groups).sizes_differ:
            continue
        positive, negative = case.labels * case.prevalence, case.labels * (1 - case.prevalence)
        of_labels = generator.beta(positive, negative, number)
        of_predictions = generator.beta(case.predictions / 2, case.predictions / 2, number)
        truth, predicted, told = generator.random((3, len(groups)))
        labels = truth < of_labels[groups]
        if labels.all() or not labels.any():
            continue
        found += 1
        yield Sample(groups, labels, np.where(told < known, labels, predicted < of_predictions[groups]))


def worst_case(shape: str, number: int, trials: int) -> Case:
    """Return the rates at which blind predictions are significant most often."""
    cases = [Case(shape, number, *rest) for rest in itertools.product(PREVALENCES, SPREADS, SPREADS)]

    def share(case: Case) -> float:
        generator = np.random.default_rng(1)
        return float(np.mean([sample.p_value <= 0.05 for sample in samples(case, trials, generator)]))

    return max(cases, key=share)


KINDS = ("numbers, normal", "numbers, lognormal", "scores", "three classes")
EFFECTS = (0.1, 0.5, 2.0)
"""How much groups differ, relative to what differs within them."""


def blind_p(kind: str, sizes: IntArray, effect: float, generator: np.random.Generator) -> float:
    """Return the p of the t-test of blind predictions of another kind."""
    number, groups = len(sizes), np.repeat(np.arange(len(sizes)), sizes)

    def numbers() -> FloatArray:
        return effect * generator.normal(size=number)[groups] + generator.normal(size=len(groups))

    def classes() -> IntArray:
        chances = np.cumsum(generator.dirichlet(np.ones(3) / effect, number), axis=1)[groups]
        return np.asarray((generator.random((len(groups), 1)) > chances[:, :2]).sum(axis=1))

    if kind == "three classes":
        added = agreement(classes(), classes()[None], 3)
    elif kind == "scores":
        rates = generator.beta(1 / effect, 1 / effect, number)[groups]
        added = rank_agreement(generator.random(len(groups)) < rates, numbers())
    else:
        turned = np.exp if kind == "numbers, lognormal" else np.asarray
        added = products(turned(numbers()), turned(numbers()))
    sums = np.bincount(groups, weights=added, minlength=number).astype(np.float64)
    return group_test(sums, sizes).p_value


def _share(kind: str, case: tuple[str, int], effect: float, seed: int, trials: int) -> float:
    """Return how often blind predictions are significant."""
    generator = np.random.default_rng(seed)
    drawn = (sizes_of(*case, generator) for _ in range(trials))
    return float(np.mean([blind_p(kind, sizes, effect, generator) <= 0.05 for sizes in drawn]))


def other_kinds(trials: int) -> None:
    """Print how often the t-test errs at the effect where it does most, found apart."""
    for kind, shape, number in itertools.product(KINDS, SHAPES, NUMBERS):
        case = shape, number
        shares = {effect: _share(kind, case, effect, 1, trials // 8) for effect in EFFECTS}
        found = _share(kind, case, max(shares, key=shares.__getitem__), 2, trials)
        sys.stdout.write(f"{kind:18}  {shape:14}  {number:2}  {found:.3f}\n")
        sys.stdout.flush()


def main() -> None:
    """Print each line as it is known."""
    parser = argparse.ArgumentParser(description="Blind predictions of groups of unequal sizes.")
    parser.add_argument("--trials", type=int, default=3_000)
    parser.add_argument("--kinds", action="store_true")
    options = parser.parse_args()
    if options.kinds:
        other_kinds(options.trials)
        return
    trials = options.trials
    out = sys.stdout
    out.write("groups  sizes           worst rates     p <= 0.05  sure clears   power (p_blind)\n")
    for shape, number in itertools.product(SHAPES, NUMBERS):
        worst = worst_case(shape, number, max(trials // 10, 1))
        generator = np.random.default_rng(2)
        significant = sure = 0
        for sample in samples(worst, trials, generator):
            if sample.p_value <= 0.05:  # else it is not sure
                significant += 1
                sure += sample.sure
        plain = Case(shape, number, 0.5, 2.0, 2.0)
        known = [sample.p_value <= 0.05 for sample in samples(plain, trials // 4, generator, known=0.4)]
        rates = f"{worst.prevalence:g}, {worst.labels:g}, {worst.predictions:g}"
        out.write(f"{number:6}  {shape:14}  {rates:14}  {significant / trials:9.3f}  {sure / trials:11.3f}")
        out.write(f"  {np.mean(known):16.2f}\n")
        out.flush()


if __name__ == "__main__":
    main()
