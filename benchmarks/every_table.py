"""The exact test of the true score against brute force, on every table of classes of up to 12 samples.

python -m benchmarks.every_table [--sizes 8,10 12,12] [--measures f1 mcc] [--bars 1]

The slow side is ``tests/problems/rates/slow.py``: dense grids, every outcome, no shortcut. For each
measure whose outcomes are ordered, and each pair of class sizes, the bar is the blind one or, as often, the
score of random rates.
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np
from tests.problems.rates.slow import bar_of, differences

import clearbar as cb
from clearbar.inference.level_curves import is_ordered

SIZES = [f"{P},{N}" for P, N in itertools.product(range(1, 13), repeat=2)]
"""Positives and negatives."""

MEASURES = [measure.name for measure in cb.measures() if is_ordered(measure)]


def largest(name: str, sizes: list[str], bars: int) -> tuple[int, float, float, tuple[int, int, float]]:
    """Return how many p-values were compared, the most that ours are below and above, and where that was."""
    measure, source = cb.get_measure(name), np.random.default_rng(12)
    count, least, most, where = 0, 0.0, 0.0, (0, 0, 0.0)
    for size in sizes * bars:
        P, N = map(int, size.split(","))
        bar = bar_of(measure, P, N, source)
        if np.isnan(bar):
            continue
        x, y = (side.ravel() for side in np.indices((P + 1, N + 1)))
        apart = differences(measure, P, N, bar, x, y)
        apart = apart[~np.isnan(apart)]
        count += apart.size
        if np.abs(apart).max(initial=0.0) > max(most, -least):
            where = P, N, bar
        least, most = apart.min(initial=least), apart.max(initial=most)
    return count, float(least), float(most), where


def main() -> None:
    """Print a line per measure, and the largest difference of all."""
    parser = argparse.ArgumentParser(description="The exact test against brute force, on every table.")
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    parser.add_argument("--measures", nargs="*", default=MEASURES)
    parser.add_argument("--bars", type=int, default=1, help="bars of each measure and size")
    options = parser.parse_args()
    total, worst = 0, 0.0
    for name in options.measures:
        count, least, most, (P, N, bar) = largest(name, options.sizes, options.bars)
        total, worst = total + count, max(worst, most, -least)
        print(
            f"{name}: {count:,} p, {least:.1e} to {most:+.1e} (P = {P}, N = {N}, bar {bar:.4g})", flush=True
        )
    print(f"all: {total:,} p, at most {worst:.1e} apart")


if __name__ == "__main__":
    main()
