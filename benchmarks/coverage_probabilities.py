"""How often intervals of probabilities hold the true score: ``python benchmarks/coverage_probabilities.py``.

Of class k, features are normal around a corner of a simplex, and a model gives each class its posterior
probability: it is calibrated. An overconfident model gives powers of these; one whose true log loss is the
bar gives the power at which it is. Class sizes are fixed, and the truth is that of many draws. Where a 95 %
interval holds it least often is measured again on fresh draws.
"""

from __future__ import annotations

import argparse
import math
from typing import NamedTuple

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.inference import units
from clearbar.inference.resamples import tests_of
from clearbar.problems.multiclass.columns import ColumnUnits, scores_of

SIZES = (20, 50, 200)
LEVEL = 0.95
DRAWS = 200_000
"""Samples of each class that the truth is found on."""

SHARES = {
    "3 equal": (1 / 3, 1 / 3, 1 / 3),
    "6 equal": (1 / 6,) * 6,
    "90, 5, 5 %": (0.9, 0.05, 0.05),
}
"""What the classes have of all samples."""


class Law(NamedTuple):
    """How far apart classes are, and to which power posterior probabilities are taken; nan: `at_the_bar`."""

    distance: float
    power: float


LAWS = {
    "calibrated": Law(1.5, 1.0),
    "overconfident": Law(1.5, 3.0),
    "near-perfect": Law(4.0, 1.0),
    "log loss at the bar": Law(2.5, math.nan),
}

MEASURES = tuple(
    get_measure(name, "probabilities")
    for name in ("log_loss", "brier_score", "rps", "roc_auc_ovr", "roc_auc_ovo")
)


def class_sizes(shares: tuple[float, ...], size: int) -> np.ndarray:
    """Return whole class sizes, at least one of each, that add up."""
    sizes = np.maximum(np.floor(np.array(shares) * size).astype(int), 1)
    sizes[0] += size - sizes.sum()
    return sizes


def drawn(rng: np.random.Generator, sizes: np.ndarray, prior: np.ndarray, law: Law) -> tuple:
    """Return classes and the probabilities that a model gives them."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    features = rng.normal(size=(len(truth), len(sizes)))
    features[np.arange(len(truth)), truth] += law.distance
    logits = law.power * (law.distance * features + np.log(prior))
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    return truth, weights / weights.sum(axis=1, keepdims=True)


def at_the_bar(prior: np.ndarray, distance: float) -> Law:
    """Return the law whose true log loss is that of the shares of the classes."""
    bar, low, high = float(-(prior @ np.log(prior))), 1.0, 100.0
    for _ in range(20):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if truths(prior, Law(distance, middle))[0] < bar else (low, middle)
    return Law(distance, (low * high) ** 0.5)


def truths(prior: np.ndarray, law: Law, *, pairs: bool = False) -> np.ndarray:
    """Return the true scores at class sizes in these shares; losses alone are quicker."""
    rng, classes = np.random.default_rng(1), len(prior)
    truth, probabilities = drawn(rng, np.full(classes, DRAWS), prior, law)
    losses = [measure for measure in MEASURES if not measure.pairs]
    by_class = [
        measure.function(probabilities, truth).reshape(classes, -1).mean(axis=1) for measure in losses
    ]
    values = [float(prior @ of_class) for of_class in by_class]
    if not pairs:
        return np.array(values)
    # One-vs-rest takes other classes as often as they are: samples of each are left out at random.
    kept = np.concatenate(
        [np.arange(round(share / prior.max() * DRAWS)) + k * DRAWS for k, share in enumerate(prior)]
    )
    of_pairs = scores_of([m for m in MEASURES if m.pairs], truth[kept], probabilities[kept])
    return np.array(values + of_pairs)


class Covered(NamedTuple):
    """Test sets whose interval lies below the truth and above it, that refute it, and that have one."""

    below: np.ndarray
    above: np.ndarray
    refuted: np.ndarray
    valued: np.ndarray

    @property
    def inside(self) -> np.ndarray:
        """The share of intervals that hold the truth; nan where fewer than half of the sets have one."""
        with np.errstate(invalid="ignore"):
            return 1 - (self.below + self.above) / self.valued


def covered(
    shares: tuple[float, ...], law: Law, size: int, samples: int, seed: int, measures: tuple = MEASURES
) -> Covered:
    """Draw test sets and see where their intervals lie, and whether p refutes the truth."""
    sizes = class_sizes(shares, size)
    prior = sizes / sizes.sum()
    law = at_the_bar(prior, law.distance) if math.isnan(law.power) else law
    known = dict(zip(MEASURES, truths(prior, law, pairs=True).tolist(), strict=True))
    rng = np.random.default_rng([seed, size])
    counts = np.zeros((4, len(measures)), dtype=int)
    for draw in range(samples):
        truth, probabilities = drawn(rng, sizes, prior, law)
        (tests,) = tests_of(ColumnUnits(truth, [probabilities], seed=draw), measures)
        for place, (test, measure) in enumerate(zip(tests, measures, strict=True)):
            score = known[measure]
            low, high = test.interval(LEVEL, measure.bounds)
            if not np.isnan(low):
                refuted = test.tail(float(score)).upper <= 1 - LEVEL
                counts[:, place] += (high < score, low > score, refuted, 1)
    return Covered(*counts)


def main() -> None:
    """Print the table of the page, and where each measure is covered least, on fresh draws."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200, help="simulated test sets of each kind")
    parser.add_argument("--fresh", type=int, default=1_000, help="those of the worst case")
    given = parser.parse_args()
    units.WORK = 1  # 999 resamples, which are enough here, and quicker
    print("| classes | probabilities | samples | " + " | ".join(m.label for m in MEASURES) + " |")
    print("|---" * (len(MEASURES) + 3) + "|")
    cases, rows = [], []
    for classes, shares in SHARES.items():
        for law_name, law in LAWS.items():
            for size in SIZES:
                found = covered(shares, law, size, given.samples, 1)
                cases.append((classes, law_name, size))
                rows.append(np.where(found.valued > given.samples / 2, found.inside, np.nan))
                cells = [
                    "–" if np.isnan(inside) else f"{inside:.1%} ({refuted / valued:.1%})"
                    for inside, refuted, valued in zip(rows[-1], found.refuted, found.valued, strict=True)
                ]
                print(f"| {classes} | {law_name} | {size} | " + " | ".join(cells) + " |", flush=True)
    found_in = list(zip(cases, rows, strict=True))
    for place, measure in enumerate(MEASURES):
        for size in SIZES:
            column = np.array([row[place] if case[2] == size else np.nan for case, row in found_in])
            if np.isnan(column).all():
                continue
            classes, law_name, _ = cases[int(np.nanargmin(column))]
            fresh = covered(SHARES[classes], LAWS[law_name], size, given.fresh, 2, (measure,))
            valued = int(fresh.valued[0])
            below, above, refuted = (int(count[0]) / valued for count in fresh[:3])
            print(
                f"{measure.label}, n = {size}: least {np.nanmin(column):.1%} ({classes}, {law_name}); fresh "
                f"{fresh.inside[0]:.1%} (below {below:.1%}, above {above:.1%}, refuted {refuted:.1%}; "
                f"{valued:,} sets)",
                flush=True,
            )


if __name__ == "__main__":
    main()
