"""How often does the interval of a mean of scores from 0 to 1 hold the true mean?

Scores of several shapes, alone, in clusters of unequal size, in two tasks, and less those of a second model,
which scores nearly the same on all items and as much on average.
An interval lies wholly above the true mean, or below it, with a probability of at most 2.5 %, if it is right.

    python -m benchmarks.partial_credit
    python -m benchmarks.partial_credit --seed 2 --sets 4000 --shapes "beta(0.2, 2)" "beta(0.3, 0.3)"
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator

import numpy as np
from numpy.random import Generator

from clearbar.inference.bounded import BoundedMean, BoundedMeans

TAIL = 0.025
Draw = Callable[[Generator, int], np.ndarray]


def _mixed(probabilities: list[float], values: list[float]) -> Draw:
    """Return a draw of values with these probabilities; nan stands for a uniform number."""

    def draw(generator: Generator, number: int) -> np.ndarray:
        drawn = generator.choice(values, number, p=probabilities)
        return np.where(np.isnan(drawn), generator.random(number), drawn)

    return draw


SHAPES: dict[str, tuple[Draw, float]] = {
    "90 % right, else uniform": (_mixed([0.9, 0.1], [1.0, np.nan]), 0.95),
    "70 % right, 20 % wrong": (_mixed([0.7, 0.2, 0.1], [1.0, 0.0, np.nan]), 0.75),
    "2 % wrong, else 0.9 or 1": (_mixed([0.02, 0.48, 0.5], [0.0, 0.9, 1.0]), 0.932),
    "0.7, but 5 % wrong": (_mixed([0.95, 0.05], [0.7, 0.0]), 0.665),
    "right, but 3 % half": (_mixed([0.97, 0.03], [1.0, 0.5]), 0.985),
    "quarters, binomial": (lambda g, n: g.binomial(4, 0.8, n) / 4, 0.8),
    "beta(2, 2)": (lambda g, n: g.beta(2, 2, n), 0.5),
    "beta(0.3, 0.3)": (lambda g, n: g.beta(0.3, 0.3, n), 0.5),
    "beta(8, 1)": (lambda g, n: g.beta(8, 1, n), 8 / 9),
    "beta(0.2, 2)": (lambda g, n: g.beta(0.2, 2, n), 1 / 11),
    "all 0.7": (lambda _, n: np.full(n, 0.7), 0.7),
}


def mean_of(scores: np.ndarray, sizes: np.ndarray | None = None) -> BoundedMean:
    """Return what is known of the mean of scores, or of sums of clusters of these sizes."""
    sizes = np.ones(len(scores)) if sizes is None else sizes
    rows, often = np.unique(np.column_stack([scores, sizes]), axis=0, return_counts=True)
    return BoundedMean(rows[:, 0], rows[:, 1], often.astype(float))


def clusters(draw: Draw, generator: Generator, number: int) -> BoundedMean:
    """Return the sums of clusters of 1 to 7 items; half of these items repeat the first of their cluster."""
    sizes = generator.integers(1, 8, number)
    codes = np.repeat(np.arange(number), sizes)
    alike = generator.random(len(codes)) < 0.5
    scores = np.where(alike, draw(generator, number)[codes], draw(generator, len(codes)))
    return mean_of(np.bincount(codes, weights=scores), sizes.astype(float))


def misses(name: str, number: int, sets: int, seed: int, design: str) -> tuple[float, float]:
    """Return how often the interval is wholly above the true mean, and wholly below it."""
    draw, true = SHAPES[name]
    generator = np.random.default_rng([seed, number, len(name), len(design)])
    above = below = 0
    for _ in range(sets):
        if design == "two tasks":
            means = [mean_of(draw(generator, number)), mean_of(1 - draw(generator, number))]
            low, high = BoundedMeans(0.0, [0.5, 0.5], means).interval(1 - 2 * TAIL, (0.0, 1.0))
            above, below = above + (low > 0.5 + 1e-9), below + (high < 0.5 - 1e-9)
            continue
        if design == "two models":
            even = true + np.minimum(true, 1 - true) * 0.02 * (generator.random(number) - 0.5)
            mean, expected = mean_of((1 + draw(generator, number) - even) / 2), 0.5
        else:
            grouped = design == "clusters"
            mean = clusters(draw, generator, number) if grouped else mean_of(draw(generator, number))
            expected = true
        above += mean.p_value(expected + 1e-9) < TAIL
        below += mean.others.p_value(1 - expected + 1e-9) < TAIL
    return above / sets, below / sets


def rows(shapes: list[str], numbers: list[int], sets: int, seed: int, design: str) -> Iterator[str]:
    worst = (0.0, "")
    for name in shapes:
        shares = [misses(name, number, sets, seed, design) for number in numbers]
        yield f"{name:26}" + "".join(f"  {above:7.2%} {below:7.2%}" for above, below in shares)
        worst = max(worst, (max(map(max, shares)), name))
    yield f"worst: {worst[0]:.2%} on one side ({worst[1]})\n"


def main() -> None:
    """Print a table for each design: above and below, for each number of units."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--number", type=int, nargs="+", default=[10, 30, 100])
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--design", nargs="+", default=["items", "clusters", "two tasks", "two models"])
    asked = parser.parse_args()
    for design in asked.design:
        heads = "".join(f"  {f'n = {number}':>15}" for number in asked.number)
        sys.stdout.write(f"{design:26}{heads}\n")
        for line in rows(asked.shapes, asked.number, asked.sets, asked.seed, design):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
