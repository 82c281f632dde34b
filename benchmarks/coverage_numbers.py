"""How often intervals of numbers hold the true score: ``python benchmarks/coverage_numbers.py``.

Targets are m + x + e, x normal, e normal, exponential or of Student's t with five degrees of freedom. One
model predicts m + 0.8 x, another m + 2 x, whose true score is exactly the bar, since −x has the law of x. A
95 % interval should hold the truth in 95 %, and the second model be refuted at its bar in 5 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.problems import bootstrap
from clearbar.problems.numbers._pairs import Pairs
from clearbar.problems.numbers.resampled import distances

SIZES = (20, 50, 200)
LEVEL = 0.95
MANY = 1_000_000
"""Draws that stand for the true law."""

Law = Callable[[np.random.Generator, int], np.ndarray]

LAWS: dict[str, Law] = {
    "normal": lambda rng, size: rng.normal(size=size),
    "exponential": lambda rng, size: rng.exponential(size=size) - 1,
    "Student's t, 5": lambda rng, size: rng.standard_t(5, size=size),
}
MEASURES = ("mae", "rmse", "r2")
SLOPES = (0.8, 2.0)


def drawn(law: Law, rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the feature and the targets of some samples."""
    x = rng.normal(size=size)
    return x, x + law(rng, size)


def truth(name: str, y: np.ndarray, x: np.ndarray, slope: float) -> tuple[float, float]:
    """Return the best constant of a measure, and by how much a model misses or beats its bar."""
    middle = float(np.median(y)) if name == "mae" else float(np.mean(y))
    if slope == 2:  # by symmetry, whatever the draws say
        return middle, 0.0
    errors = y - middle - slope * x
    if name == "mae":
        return middle, float(np.abs(errors).mean() - np.abs(y - middle).mean())
    squares = float((errors**2).mean()), float(y.var())
    return middle, squares[0] ** 0.5 - squares[1] ** 0.5 if name == "rmse" else 1 - squares[0] / squares[1]


def covered(law: Law, size: int, samples: int) -> dict[str, tuple[float, float]]:
    """Return by measure how often the interval of score − bar holds the truth, and p refutes it."""
    x, y = drawn(law, np.random.default_rng(1), MANY)
    known = {name: [truth(name, y, x, slope) for slope in SLOPES] for name in MEASURES}
    rng = np.random.default_rng(size)
    measures = [get_measure(name) for name in MEASURES]
    held, refuted = dict.fromkeys(MEASURES, 0), dict.fromkeys(MEASURES, 0)
    for seed in range(samples):
        x, y = drawn(law, rng, size)
        models = [known[name][0][0] + slope * x for name in MEASURES for slope in SLOPES]
        problems = distances(measures, Pairs.of(y, models), seed)
        for at, name in enumerate(MEASURES):
            informed, at_the_bar = (problems[2 * at + which][at] for which in (0, 1))
            low, high = (end - informed.drawn.bar for end in informed.interval(LEVEL, (-np.inf, np.inf)))
            held[name] += low <= known[name][0][1] <= high
            refuted[name] += at_the_bar.tail(at_the_bar.drawn.bar).upper <= 1 - LEVEL
    return {name: (held[name] / samples, refuted[name] / samples) for name in MEASURES}


def main() -> None:
    """Print the table of the page on numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000, help="simulated test sets of each kind")
    samples = parser.parse_args().samples
    bootstrap.RESAMPLES = 1_999  # which is enough here, and quicker
    print(f"{samples:,} test sets: coverage of 95 % intervals; in brackets, at the bar, how often p ≤ 0.05\n")
    print("| errors | measure | " + " | ".join(f"n = {size}" for size in SIZES) + " |")
    print("|---" * (len(SIZES) + 2) + "|")
    for law_name, law in LAWS.items():
        by_size = [covered(law, size, samples) for size in SIZES]
        for name in MEASURES:
            cells = [f"{shares[name][0]:.1%} ({shares[name][1]:.1%})" for shares in by_size]
            print(f"| {law_name} | {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
