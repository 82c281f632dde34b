"""How often groups with the same true score are told apart, where that is worst; coverage; the largest gap.

python -m benchmarks.gaps [--points 40] [--tables 1000]

Rates and class sizes of two groups are chosen at random, and the worst settings are drawn again. Of intervals
it is counted how often the true difference is not refuted, which is how they are found.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

import clearbar as cb
from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.gaps import GroupPairs, GroupTables, Score
from clearbar.inference.multinomials import Cells

MEASURES = ("recall", "accuracy", "predicted_positive_rate", "f1", "precision", "mcc", "balanced_accuracy")
SIZES = ((10, 10), (10, 40), (20, 20), (50, 150), (100, 100), (30, 300))
LEVEL = 0.05

LARGEST: tuple[tuple[str, int, tuple[int, int], tuple[float, float]], ...] = (
    ("f1", 8, (10, 40), (0.7, 0.2)),
    ("precision", 5, (5, 20), (0.5, 0.1)),
    ("mcc", 20, (30, 30), (0.9, 0.1)),
    ("equalized_odds_difference", 4, (15, 45), (0.7, 0.1)),
)
"""Groups of the same class sizes and rates."""


class Setting(NamedTuple):
    """Two groups: class sizes, and the shares of positives and negatives that are predicted positive."""

    measure: str
    sizes: tuple[tuple[int, int], tuple[int, int]]
    rates: tuple[tuple[float, float], tuple[float, float]]

    def __str__(self) -> str:
        sides = zip(self.sizes, self.rates, strict=True)
        return f"{self.measure:22} " + " and ".join(
            f"{P} + {N} ({a:.2f}, {b:.3f})" for (P, N), (a, b) in sides
        )

    def scores(self) -> list[float]:
        """The true scores."""
        values = cb.get_measure(self.measure).values
        pairs = [(P * a, N * b, P, N) for (P, N), (a, b) in zip(self.sizes, self.rates, strict=True)]
        return [float(values(tp, fp, P - tp, N - fp)) for tp, fp, P, N in pairs]

    def drawn(self, number: int, generator: np.random.Generator) -> IntArray:
        """Draw TP, FN, FP, TN of both groups, a row each."""
        columns = []
        for sizes, rates in zip(self.sizes, self.rates, strict=True):
            for size, rate in zip(sizes, rates, strict=True):
                called = generator.binomial(size, rate, number)
                columns += [called, size - called]
        return np.stack(columns, axis=-1)

    def cells(self) -> Cells:
        """The cells of the test."""
        return (
            groups_of(self.measure, np.array(self.sizes), np.zeros((2, 2), dtype=int))
            .equal_scores(0, 1)
            .cells
        )


def groups_of(name: str, sizes: IntArray, called: IntArray) -> GroupPairs:
    """Return groups of class sizes, (groups, 2), of which so many are predicted positive."""
    measure = cb.get_measure(name)

    def score_of(rows: IntArray) -> Score:
        P, N = sizes[rows].T
        return lambda tp, fp: measure.values(tp, fp, P - tp, N - fp)

    return GroupPairs(GroupTables(np.concatenate((sizes, called), axis=1).T), score_of, measure.bounds)


def refuted(setting: Setting, tables: int, draws: int, generator: np.random.Generator) -> tuple[float, float]:
    """Return how often the true difference is refuted by the test, and by Student's law."""
    cells, truth = setting.cells(), float(np.subtract(*setting.scores()))
    counts, back = np.unique(setting.drawn(tables, generator), axis=0, return_inverse=True)
    seen, error = cells.difference(counts.astype(np.float64))
    with np.errstate(all="ignore"):
        z = np.where(seen == truth, 0.0, np.abs(seen - truth) / error)
    student = -stdtrit(np.maximum(cells.carried_by(counts) - 1, 1.0), LEVEL / 2)
    shares, found = cells.constrained(counts.astype(np.float64), truth)
    p_values = np.ones(len(counts))
    for row in np.flatnonzero(found & (z > 1.0)):  # smaller ones are never significant
        sizes = _sizes(cells, shares[row], truth, draws, generator)
        if np.isnan(sizes).mean() <= 0.1:
            p_values[row] = (1 + (sizes >= z[row] - 1e-9).sum()) / (1 + draws)
    return float((p_values <= LEVEL)[back.ravel()].mean()), float((z >= student)[back.ravel()].mean())


def _sizes(
    cells: Cells, shares: FloatArray, truth: float, draws: int, generator: np.random.Generator
) -> FloatArray:
    seen, error = cells.difference(cells.drawn(shares, draws, generator).astype(np.float64))
    with np.errstate(all="ignore"):
        return np.where(seen == truth, 0.0, np.abs(seen - truth) / error)


def settings(name: str, points: int, generator: np.random.Generator, *, equal: bool) -> list[Setting]:
    """Choose settings at random; equal ones have the same true score in both groups."""
    chosen: list[Setting] = []
    while len(chosen) < points:
        first, second = (SIZES[generator.integers(len(SIZES))] for _ in range(2))
        rates = [(generator.uniform(0.2, 0.98), generator.choice([0.02, 0.1, 0.3, 0.6])) for _ in range(2)]
        setting = Setting(name, (first, second), (rates[0], rates[1]))
        moved = _moved(setting) if equal else setting
        chosen += [] if moved is None else [moved]
    return chosen


def _moved(setting: Setting) -> Setting | None:
    """Move the second group's rate on positives until both scores are the same."""
    low, high = 1e-6, 1 - 1e-6

    def with_rate(rate: float) -> Setting:
        return setting._replace(rates=(setting.rates[0], (rate, setting.rates[1][1])))

    def ahead(rate: float) -> bool:
        scores = with_rate(rate).scores()
        return scores[1] >= scores[0]

    if ahead(low) or not ahead(high):
        return None
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if ahead(middle) else (middle, high)
    return with_rate(high)


def scan(points: int, tables: int, *, equal: bool) -> None:
    """Look for the worst settings, and draw them again."""
    generator, everything = np.random.default_rng(1 + equal), []
    for name in MEASURES:
        chosen = settings(name, points, generator, equal=equal)
        found = [(refuted(setting, tables // 4, 499, generator), setting) for setting in chosen]
        rates = np.array([shares for shares, _ in found])
        everything += rates.tolist()
        print(f"{name}: {points} settings, mean {rates[:, 0].mean():.3f}, Student {rates[:, 1].mean():.3f}")
        for column, how in enumerate(("test", "Student")):
            setting = found[int(np.argmax(rates[:, column]))][1]
            test, Student = refuted(setting, 2 * tables, 1_999, generator)
            print(f"  worst {how}: {setting}: {test:.3f} Student {Student:.3f}", flush=True)
    mean, high = np.mean(everything, axis=0), np.quantile(everything, 0.95, axis=0)
    print(f"all: mean {mean[0]:.3f}, Student {mean[1]:.3f}; 95 % are below {high[0]:.3f}, {high[1]:.3f}")


def largest(tables: int) -> None:
    """Print how often the largest gap is more than chance, and any pair differs, where no rates do."""
    generator = np.random.default_rng(3)
    for name, groups, size, rates in LARGEST:
        sizes = np.tile(size, (groups, 1))
        far = pairs = 0
        for _ in range(tables):
            called = generator.binomial(sizes, rates)
            (P, N), (tp, fp) = sizes.T, called.T
            counts = cb.Counts(tp=tp, fp=fp, fn=P - tp, tn=N - fp)
            card = cb.evaluate_counts(counts, "accuracy", groups=list(range(groups)), intervals=False)
            found = card.gaps(name)
            far += found.p_value <= LEVEL
            pairs += bool((found.p_corrected <= LEVEL).any())
        shares = f"gap {far / tables:.3f}, pairs {pairs / tables:.3f}"
        print(f"{name}, {groups} groups of {size}, rates {rates}: {shares}", flush=True)


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description="Size and coverage of differences between groups.")
    parser.add_argument("--part", nargs="*", default=["size", "coverage", "largest"])
    parser.add_argument("--points", type=int, default=40)
    parser.add_argument("--tables", type=int, default=1_000)
    options = parser.parse_args()
    for part in ("size", "coverage"):
        if part in options.part:
            print(f"{part}: how often the true difference is refuted")
            scan(options.points, options.tables, equal=part == "size")
    if "largest" in options.part:
        print("equal rates: how often a gap, or a pair, is more than chance")
        largest(options.tables)


if __name__ == "__main__":
    main()
