"""Coverage of the intervals of counts, enumerated: the chance to hold the true score, where it is least.

python -m benchmarks.coverage_counts [--sizes 8,10 12,18] [--measures f1 mcc] [--grid 21]
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy.stats import binom

import clearbar as cb
from clearbar.inference.two_rates import intervals

SIZES = ("8,10", "12,18", "8,42", "40,60")
"""Positives and negatives."""

MEASURES = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc")


def coverage(name: str, positives: int, negatives: int, grid: int) -> tuple[float, float, float]:
    """Return the least coverage over a grid of rates, and where; an undefined score counts as covered."""
    measure = cb.get_measure(name)
    tp, fp = (side.ravel() for side in np.indices((positives + 1, negatives + 1)))
    counts = cb.Counts(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)
    low, high = (ends[0] for ends in intervals([measure], counts))
    a, b = (side.ravel() for side in np.meshgrid(*[np.linspace(0, 1, grid)] * 2, indexing="ij"))
    true = measure.values(positives * a, negatives * b, positives * (1 - a), negatives * (1 - b))[:, None]
    missed = (true < low - 1e-9) | (true > high + 1e-9)
    chance = binom.pmf(tp, positives, a[:, None]) * binom.pmf(fp, negatives, b[:, None])
    held = 1 - (chance * missed).sum(axis=1)
    worst = int(np.argmin(held))
    return float(held[worst]), float(a[worst]), float(b[worst])


def main() -> None:
    """Print a line per class sizes and measure."""
    parser = argparse.ArgumentParser(description="Least coverage of the intervals of counts, enumerated.")
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    parser.add_argument("--measures", nargs="*", default=MEASURES)
    parser.add_argument("--grid", type=int, default=21)
    options = parser.parse_args()
    for sizes in options.sizes:
        positives, negatives = map(int, sizes.split(","))
        for name in options.measures:
            held, a, b = coverage(name, positives, negatives, options.grid)
            where = f"rates {a:.2f} and {b:.2f}"
            print(f"P = {positives}, N = {negatives}, {name}: at least {held:.4f} ({where})", flush=True)


if __name__ == "__main__":
    main()
