"""Size of the swap test and coverage of the interval of a difference, by simulation.

python -m benchmarks.coverage_compare [--tables 20000] [--intervals 400]
"""

from __future__ import annotations

import argparse

import numpy as np

import clearbar as cb
from clearbar.problems.binary._paired import paired_labels, scored_by
from clearbar.problems.binary._swaps import Discord, swap_p_values

POSITIVES, NEGATIVES = 80, 120

SETTINGS = {
    "alike: both (0.75, 0.80)": ((0.75, 0.20), (0.75, 0.20)),
    "same F1, other rates": ((0.80, 0.3), (0.6344, 0.1)),
    "apart: (0.85, 0.85) and (0.75, 0.80)": ((0.85, 0.15), (0.75, 0.20)),
}
"""Sensitivity and false positive rate of both models."""

AGREEING = 0.5
"""The share of samples on which a single coin decides for both models."""


def drawn(rates: tuple[tuple[float, float], ...], number: int, generator: np.random.Generator) -> Discord:
    """Draw tables of two models that mostly fail on the same samples."""
    columns = []
    for at, size in enumerate((POSITIVES, NEGATIVES)):
        a, b = rates[0][at], rates[1][at]
        both = AGREEING * min(a, b) + (1 - AGREEING) * a * b
        cells = [both, a - both, b - both, 1 - a - b + both]
        columns += list(generator.multinomial(size, cells, size=number).T[:3])
    return Discord(*columns)


def main() -> None:
    """Print a line per setting and measure."""
    parser = argparse.ArgumentParser(description="Size of the swap test, coverage of the interval.")
    parser.add_argument("--tables", type=int, default=20_000)
    parser.add_argument("--intervals", type=int, default=400)
    options = parser.parse_args()
    for name in ("f1", "accuracy", "mcc"):
        measure = cb.get_measure(name)
        scored = scored_by(measure, POSITIVES, NEGATIVES, "exclude")
        for setting, rates in SETTINGS.items():
            generator = np.random.default_rng(0)
            tp, fp = (np.array([rate[at] for rate in rates]) for at in range(2))
            true = float(-np.diff(scored(POSITIVES * tp, NEGATIVES * fp))[0])
            refuted = (swap_p_values(scored, drawn(rates, options.tables, generator)) <= 0.05).mean()
            inside = 0
            for row in np.transpose(drawn(rates, options.intervals, generator)):
                pair = paired_labels(measure, Discord(*row), (POSITIVES, NEGATIVES), "exclude")
                low, high = pair.interval(0.95)
                inside += low <= true <= high
            coverage = inside / options.intervals
            print(
                f"{name:9} {setting:38} true {true:+.3f}  p <= 0.05 in {refuted:.3f}  inside {coverage:.3f}"
            )


if __name__ == "__main__":
    main()
