"""How often intervals of probabilities hold the true score: ``python benchmarks/coverage_probabilities.py``.

Of class k, features are normal around a corner of a simplex, and a model gives each class its posterior
probability: it is calibrated. An overconfident model gives powers of these; one whose true log loss is the
bar gives the power at which it is. One more is sure of every answer: right in the first class and in half of
the samples of others, else it answers the first. Class sizes are fixed, and the truth is that of many draws.
Where a 95 % interval misses it most often on one side is measured again on fresh draws; 2.5 % are allowed.
How often the bar is cleared, p at most 0.05, stands beside it: 2.5 % at most where the truth is the bar.

    python benchmarks/coverage_probabilities.py
    python benchmarks/coverage_probabilities.py --measures log_loss brier_score --samples 500 --seed 3
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.inference import units
from clearbar.problems.multiclass.columns import ClassColumns, scores_of

SIZES = (20, 50, 200)
LEVEL = 0.95
DRAWS = 200_000
"""Samples of each class that the truth is found on, of up to six classes."""

SINGLES = "20 of a class, 1 each of 60"
SHARES = {
    "2 equal": (1 / 2, 1 / 2),
    "3 equal": (1 / 3, 1 / 3, 1 / 3),
    "6 equal": (1 / 6,) * 6,
    "90, 5, 5 %": (0.9, 0.05, 0.05),
    SINGLES: (20 / 80, *(1 / 80,) * 60),
    "95, 5 %": (0.95, 0.05),
    "2 equal, 1 absent": (1 / 2, 1 / 2, 0.0),
    "1, 2 absent": (1.0, 0.0, 0.0),
    "5 each of 30": (1 / 30,) * 30,
    "1 each of 200": (1 / 200,) * 200,
}
"""What the classes have of all samples."""

SIZES_OF = {SINGLES: (80,), "5 each of 30": (150,), "1 each of 200": (200,)}
"""Where the shares allow no other number of samples."""


class Law(NamedTuple):
    """How far apart classes are, and to which power posterior probabilities are taken; nan: `at_the_bar`.

    Infinitely far: a model that is sure of an answer, and the probability that it gives each other class.
    """

    distance: float
    power: float


LAWS = {
    "calibrated": Law(1.5, 1.0),
    "overconfident": Law(1.5, 3.0),
    "near-perfect": Law(4.0, 1.0),
    "weak": Law(0.5, 1.0),
    "mildly overconfident": Law(1.0, 2.0),
    "log loss at the bar": Law(2.5, math.nan),
}

LAWS["sure, half right"] = Law(math.inf, 1e-4)
LAWS["0 or 1, half right"] = Law(math.inf, 0.0)
ABSENT = 0.02
"""The prior probability that models of features give a class that does not occur."""

MEASURES = tuple(
    get_measure(name, "probabilities")
    for name in ("log_loss", "brier_score", "rps", "roc_auc_ovr", "roc_auc_ovo")
)


def class_sizes(shares: tuple[float, ...], size: int) -> np.ndarray:
    """Return whole class sizes, at least one of each that has a share, that add up."""
    sizes = np.maximum(np.floor(np.array(shares) * size).astype(int), np.array(shares) > 0)
    sizes[0] += size - sizes.sum()
    return sizes


def drawn(rng: np.random.Generator, sizes: np.ndarray, prior: np.ndarray, law: Law) -> tuple:
    """Return classes and the probabilities that a model gives them."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    if math.isinf(law.distance):
        answers, rest = np.where(rng.random(len(truth)) < 0.5, truth, 0), law.power
        return truth, np.where(answers[:, None] == np.arange(len(sizes)), 1 - rest * (len(sizes) - 1), rest)
    features = rng.normal(size=(len(truth), len(sizes)))
    features[np.arange(len(truth)), truth] += law.distance
    logits = law.power * (law.distance * features + np.log(np.where(prior > 0, prior, ABSENT)))
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return truth, weights / weights.sum(axis=1, keepdims=True)


def at_the_bar(prior: np.ndarray, distance: float) -> Law:
    """Return the law whose true log loss is that of the shares of the classes."""
    bar, low, high = float(-(prior @ np.log(np.where(prior > 0, prior, 1.0)))), 1.0, 100.0
    for _ in range(20):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if truths(prior, Law(distance, middle))[0] < bar else (low, middle)
    return Law(distance, (low * high) ** 0.5)


def truths(prior: np.ndarray, law: Law, *, pairs: bool = False) -> np.ndarray:
    """Return the true scores at class sizes in these shares; losses alone are quicker."""
    rng, classes = np.random.default_rng(1), len(prior)
    draws = min(DRAWS, DRAWS * 36 // classes**2)
    truth, probabilities = drawn(rng, np.full(classes, draws), prior, law)
    losses = [measure for measure in MEASURES if not measure.pairs]
    by_class = [
        measure.function(probabilities, truth).reshape(classes, -1).mean(axis=1) for measure in losses
    ]
    values = [float(prior @ of_class) for of_class in by_class]
    if not pairs:
        return np.array(values)
    # One-vs-rest takes other classes as often as they are: samples of each are left out at random.
    kept = np.concatenate(
        [np.arange(round(share / prior.max() * draws)) + k * draws for k, share in enumerate(prior)]
    )
    of_pairs = scores_of([m for m in MEASURES if m.pairs], truth[kept], probabilities[kept])
    return np.array(values + of_pairs)


class Covered(NamedTuple):
    """Shares of test sets: intervals below the truth, above it, bars that are cleared; and how many sets."""

    below: np.ndarray
    above: np.ndarray
    clears: np.ndarray
    valued: np.ndarray


def covered(
    shares: tuple[float, ...], law: Law, size: int, samples: int, seed: int, measures: tuple = MEASURES
) -> Covered:
    """Draw test sets and see whether p refutes the truth, on which side of the score, and the bar."""
    sizes = class_sizes(shares, size)
    prior = sizes / sizes.sum()
    law = at_the_bar(prior, law.distance) if math.isnan(law.power) else law
    with_pairs = any(measure.pairs for measure in measures)
    of_all = MEASURES if with_pairs else [measure for measure in MEASURES if not measure.pairs]
    known = dict(zip(of_all, truths(prior, law, pairs=with_pairs).tolist(), strict=True))
    bars = [measure.optimum(sizes, 0.0).value for measure in measures]
    rng, labels = np.random.default_rng([seed, size, len(sizes)]), tuple(range(len(sizes)))
    counts = np.zeros((4, len(measures)))
    for draw in range(samples):
        truth, probabilities = drawn(rng, sizes, prior, law)
        problem = ClassColumns(("model",), (None,), labels, truth, (probabilities,), seed=draw)
        scores = problem.scores(measures)[0, 0]
        (tests,) = problem.tests_of(measures, [0], 0)
        for place, (test, measure, score) in enumerate(zip(tests, measures, scores, strict=True)):
            true = known[measure]
            refuted = test.tail(true).upper <= 1 - LEVEL
            better = score > bars[place] if measure.greater_is_better else score < bars[place]
            clears = better and test.tail(float(bars[place])).upper <= 1 - LEVEL
            valued = not math.isnan(test.tail(true).upper)
            counts[:, place] += (refuted and score < true, refuted and score > true, clears, valued)
    with np.errstate(invalid="ignore"):
        return Covered(*(counts[:3] / counts[3]), counts[3])


def main() -> None:
    """Print the table of the page, and where each measure misses most on one side, on fresh draws."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--samples", type=int, default=200, help="simulated test sets of each kind")
    parser.add_argument("--fresh", type=int, default=1_000, help="those of the worst case")
    parser.add_argument("--measures", nargs="+", default=[m.name for m in MEASURES])
    parser.add_argument("--classes", nargs="+", default=list(SHARES), choices=list(SHARES))
    parser.add_argument("--models", nargs="+", default=list(LAWS), choices=list(LAWS))
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    units.WORK = 1  # 999 resamples, which are enough here, and quicker
    measures = tuple(measure for measure in MEASURES if measure.name in given.measures)
    print("interval below, above the truth; bar cleared")
    print("| classes | probabilities | samples | " + " | ".join(m.label for m in measures) + " |")
    print("|---" * (len(measures) + 3) + "|")
    worst: dict[str, tuple] = {}
    for classes in given.classes:
        for name in given.models:
            shares, law = SHARES[classes], LAWS[name]
            for size in SIZES_OF.get(classes, given.sizes):
                found = covered(shares, law, size, given.samples, given.seed, measures)
                columns = list(zip(*found, strict=True))
                cells = [f"{below:.1%}, {above:.1%}; {clears:.0%}" for below, above, clears, _ in columns]
                print(f"| {classes} | {name} | {size} | " + " | ".join(cells) + " |", flush=True)
                for measure, (below, above, _, valued) in zip(measures, columns, strict=True):
                    missed = max(below, above) if valued > given.samples / 2 else -1.0
                    worst[measure.name] = max(worst.get(measure.name, (-1.0,)), (missed, classes, name, size))
    for measure in measures:
        missed, classes, name, size = worst[measure.name]
        fresh = covered(SHARES[classes], LAWS[name], size, given.fresh, given.seed + 1, (measure,))
        below, above = float(fresh.below[0]), float(fresh.above[0])
        where = f"{measure.label}: most {missed:.1%} ({classes}, {name}, n = {size})"
        print(f"{where}; fresh below {below:.1%}, above {above:.1%}", flush=True)


if __name__ == "__main__":
    main()
