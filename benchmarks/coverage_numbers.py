"""How often printed intervals of numbers hold the true score: ``python benchmarks/coverage_numbers.py``.

Targets are x + e, x normal, e normal or lognormal (of log-variance 1, less its mean), or normal and in 3 %
ten times as large. One model predicts
0.8 x, another 2 x, whose true score is exactly the bar, since −x has the law of x. A 95 % interval, `low` to
`high` of a scorecard, should hold the truth in 95 %, and the second model be refuted at its bar in 5 %.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.inference import units
from clearbar.inference.resamples import tests_of
from clearbar.problems.numbers.problem import NumberUnits

SIZES = (20, 30, 50, 100, 200, 500)
LEVEL = 0.95
MANY = 10_000_000
"""Draws that stand for the true law of absolute errors."""

Law = Callable[[np.random.Generator, int], np.ndarray]

LAWS: dict[str, tuple[Law, float]] = {
    "normal": (lambda rng, size: rng.normal(size=size), 1.0),
    "lognormal": (lambda rng, size: rng.lognormal(size=size) - math.exp(0.5), (math.e - 1) * math.e),
    "3 % large": (lambda rng, size: rng.normal(size=size) * np.where(rng.random(size) < 0.03, 10, 1), 3.97),
}
"""How errors are drawn, and their variance."""

MEASURES = ("mse", "rmse", "mae", "r2", "pearson")
SLOPE = 0.8


def truths(law: Law, variance: float) -> dict[str, float]:
    """Return the true scores of the model 0.8 x; all but the MAE follow from the variance."""
    rng = np.random.default_rng(1)
    mse = (1 - SLOPE) ** 2 + variance
    mae = float(np.abs((1 - SLOPE) * rng.normal(size=MANY) + law(rng, MANY)).mean())
    shared = {"r2": 1 - mse / (1 + variance), "pearson": 1 / math.sqrt(1 + variance)}
    return {"mse": mse, "rmse": math.sqrt(mse), "mae": mae} | shared


def covered(law: Law, known: dict[str, float], size: int, samples: int) -> dict[str, tuple[float, float]]:
    """Return by measure how often the interval holds the truth, and p refutes a model at its bar."""
    rng = np.random.default_rng(size)
    measures = [get_measure(name) for name in MEASURES]
    held, refuted = dict.fromkeys(MEASURES, 0), dict.fromkeys(MEASURES, 0)
    for seed in range(samples):
        x, errors = rng.normal(size=size), law(rng, size)
        informed, at_the_bar = tests_of(NumberUnits(x + errors, [SLOPE * x, 2 * x], seed=seed), measures)
        for at, measure in enumerate(measures):
            low, high = informed[at].interval(LEVEL, measure.bounds)
            held[measure.name] += low <= known[measure.name] <= high
            refuted[measure.name] += at_the_bar[at].tail(at_the_bar[at].origin).upper <= 1 - LEVEL
    return {name: (held[name] / samples, refuted[name] / samples) for name in MEASURES}


def main() -> None:
    """Print the table of the page on numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000, help="simulated test sets of each kind")
    samples = parser.parse_args().samples
    units.WORK = 1  # 999 resamples, which are enough here, and quicker
    print(f"{samples:,} test sets: coverage of 95 % intervals; in brackets, at the bar, how often p ≤ 0.05\n")
    print("| errors | measure | " + " | ".join(f"n = {size}" for size in SIZES) + " |")
    print("|---" * (len(SIZES) + 2) + "|")
    for law_name, (law, variance) in LAWS.items():
        known = truths(law, variance)
        by_size = [covered(law, known, size, samples) for size in SIZES]
        for name in MEASURES:
            # A correlation of the second model is not at its bar, 0.
            cells = [
                f"{shares[name][0]:.1%}" + (f" ({shares[name][1]:.1%})" if name != "pearson" else "")
                for shares in by_size
            ]
            print(f"| {law_name} | {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
