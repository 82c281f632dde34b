"""How often intervals of scores hold the true score: ``python benchmarks/coverage_scores.py``.

Scores are normal in both classes, half or a tenth of the samples positive. A 95 % interval of ROC AUC by
DeLong, and of average precision, KS and best F1 by the bootstrap, should hold the truth of endless samples in
95 %; what falls short is printed.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from clearbar.inference import units
from clearbar.problems.scores import RankedScores, ScoreMeasure, get_score_measure

AUCS = (0.6, 0.8, 0.95, 0.99)
SIZES = (20, 50, 100, 500)
BOTH = (40, 100, 200, 400, 1_000)
"""Samples where half of them are positive: 20 + 20 … 500 + 500."""
LEVEL = 0.95


@dataclass(frozen=True)
class Covered:
    """Shares of samples whose interval lies below the truth, above it, and that are refuted at the truth."""

    below: float
    above: float
    refuted: float
    samples: int

    @property
    def inside(self) -> float:
        """The share of intervals that hold the truth."""
        return 1 - self.below - self.above


def distance(auc: float) -> float:
    """Return how far apart the means of two standard normal classes with an AUC are."""
    return 2**0.5 * NormalDist().inv_cdf(auc)


def true_average_precision(auc: float, share: float) -> float:
    """Return the mean precision at a positive sample's score, of endless samples."""
    x = np.linspace(-10, 16, 200_001)
    shift = distance(auc)
    density = np.exp(-((x - shift) ** 2) / 2)
    true, false = (_upper(x - mean) for mean in (shift, 0.0))
    precision = share * true / (share * true + (1 - share) * false)
    return float((density * precision).sum() / density.sum())


def true_ks(auc: float, share: float) -> float:  # noqa: ARG001 - of either class alone
    """Return the largest distance of the distributions, which lies half-way between the means."""
    return 2 * NormalDist().cdf(distance(auc) / 2) - 1


def true_max_f1(auc: float, share: float) -> float:
    """Return F1 at the best threshold, of endless samples."""
    x = np.linspace(-10, 16, 200_001)
    true, false = (_upper(x - mean) for mean in (distance(auc), 0.0))
    return float((2 * share * true / (share + share * true + (1 - share) * false)).max())


TRUE = {"average_precision": true_average_precision, "ks": true_ks, "max_f1": true_max_f1}


def _upper(x: np.ndarray) -> np.ndarray:
    """Return normal upper tails, summed from the far end."""
    density = np.exp(-(x**2) / 2)
    tail = np.cumsum(density[::-1])[::-1]
    return tail / tail[0]


def coverage(
    measure: ScoreMeasure, truth: float, auc: float, size: int, positives: int, samples: int
) -> Covered:
    """Draw samples of both classes and see where their intervals lie."""
    rng = np.random.default_rng([size, positives, round(1000 * auc)])
    labels = np.arange(size) < positives
    missed = np.zeros(3)
    for seed in range(samples):
        scores = rng.normal(size=size) + distance(auc) * labels
        problem = RankedScores(("model",), (None,), labels, (scores,), seed=seed)
        test = problem.tests_of([measure], [0], 0)[0][0]
        low, high = test.interval(LEVEL, measure.bounds)
        missed += (high < truth, low > truth, test.tail(truth).upper <= 1 - LEVEL)
    return Covered(*(missed / samples).tolist(), samples)


def table(
    name: str, sizes: tuple[int, ...], share: float, samples: int, aucs: tuple[float, ...] = AUCS
) -> None:
    """Print coverage by AUC and size, and where it falls short by more than two standard errors."""
    measure = get_score_measure(name)
    print(f"\n{measure.label}, {share:.0%} positive, {samples:,} samples: coverage (above, below the truth)")
    print("| AUC | true score | " + " | ".join(f"n = {size}" for size in sizes) + " |")
    print("|---" * (len(sizes) + 2) + "|")
    worst = (1.0, "")
    for auc in aucs:
        truth = TRUE[name](auc, share) if name in TRUE else auc
        cells = []
        for size in sizes:
            covered = coverage(measure, truth, auc, size, round(share * size), samples)
            error = (covered.inside * (1 - covered.inside) / samples) ** 0.5
            short = "**" if covered.inside + 2 * error < LEVEL else ""
            cells.append(f"{short}{covered.inside:.1%}{short} ({covered.above:.1%}, {covered.below:.1%})")
            worst = min(worst, (covered.inside, f"AUC {auc}, n = {size}"))
        print(f"| {auc} | {truth:.3f} | " + " | ".join(cells) + " |", flush=True)
    print(f"worst: {worst[0]:.1%} at {worst[1]}; the shortfall from {LEVEL:.0%} is {LEVEL - worst[0]:.1%}")


def main() -> None:
    """Print the tables of the page on scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2_000, help="simulated test sets of each kind")
    parser.add_argument("--resampled", type=int, default=200, help="the same where each is resampled")
    parser.add_argument("--alike", type=int, default=300, help="the same of all three kinds of bootstrap")
    given = parser.parse_args()
    if given.samples:
        for share in (0.5, 0.1):
            table("roc_auc", SIZES, share, given.samples)
    if given.resampled:
        for share in (0.5, 0.1):
            table("average_precision", SIZES[:3], share, given.resampled)
    if given.alike:
        units.WORK = 1  # 999 resamples, which are enough here
        for name in TRUE:
            table(name, BOTH, 0.5, given.alike, (0.7, 0.9))


if __name__ == "__main__":
    main()
