"""Which samples are positive: every way to deal out the labels over given scores, or some at random."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.bootstrap import number_of_draws

MOST = 50_000
"""Arrangements up to which all of them are looked at."""

FEWEST_SHUFFLES = 199
"""However many samples there are, no fewer random arrangements are tried."""

WORK = 20_000_000
"""Samples or groups looked at, over all arrangements."""

FEW_GROUPS = 64
"""Groups up to which the positives of each are drawn instead of every sample's label."""

CELLS = 4_000_000
"""Numbers held at once while that is done."""

SEED = 20_100_317
"""Random arrangements are the same in every run."""


def log_arrangements(total: Any, positives: Any) -> float:
    """Return the logarithm of the number of ways to choose the positive samples."""
    return math.lgamma(total + 1) - math.lgamma(positives + 1) - math.lgamma(total - positives + 1)


def number_of_arrangements(sizes: IntArray, positives: int) -> float:
    """Return how many arrangements differ in how many positives each group has.

    Infinity where there are certainly more than are ever looked at.
    """
    total = int(sizes.sum())
    fewer = min(positives, total - positives)
    if len(sizes) == total:
        return math.exp(min(log_arrangements(total, positives), 700.0))
    if fewer and len(sizes) > MOST:
        return math.inf
    half = int(sizes[::2].sum())  # of two groups made of all there are no more arrangements than of all
    if min(half, fewer) - max(fewer - (total - half), 0) >= MOST:
        return math.inf
    ways = np.zeros(fewer + 1)
    ways[0] = 1.0
    for size in sizes.tolist():
        sums = np.cumsum(ways)
        sums[size + 1 :] -= sums[: -size - 1].copy()
        ways = np.minimum(sums, 1e12)
    return float(ways[fewer])


def can_list(sizes: IntArray, positives: int, most: int = MOST) -> bool:
    """Whether all arrangements are looked at: they are not many, and neither are their groups."""
    number = number_of_arrangements(sizes, positives)
    return number <= most + 0.5 and number * len(sizes) <= WORK


def all_arrangements(sizes: IntArray, positives: int) -> tuple[IntArray, FloatArray]:
    """Return every arrangement of positive samples over groups, and its probability."""
    after = np.cumsum(sizes[::-1])[::-1] - sizes
    left, logs = np.array([positives], dtype=np.int64), np.zeros(1)
    steps = []
    for size, later in zip(sizes.tolist(), after.tolist(), strict=True):
        low, high = np.maximum(left - later, 0), np.minimum(left, size)
        times = high - low + 1
        row = np.repeat(np.arange(len(left)), times)
        here = np.arange(len(row)) - np.repeat(np.cumsum(times) - times, times) + low[row]
        ways = np.array([log_arrangements(size, b) for b in range(min(size, positives) + 1)])
        steps.append((row, here))
        left, logs = left[row] - here, logs[row] + ways[here]
    rows = np.empty((len(left), len(sizes)), dtype=np.int64)
    at = np.arange(len(left))
    for group in range(len(sizes) - 1, -1, -1):  # each arrangement from its end to its beginning
        row, here = steps[group]
        rows[:, group], at = here[at], row[at]
    return rows, np.exp(logs - log_arrangements(int(sizes.sum()), positives))


def portions(samples: int, finest: float = 1.0) -> Iterator[int]:
    """Yield how many random arrangements of so many samples are tried at once, until enough are."""
    number = number_of_draws(samples, fewest=FEWEST_SHUFFLES, finest=finest)
    portion = min(max(1, CELLS // samples), number)
    parts = [min(portion, number - first) for first in range(0, number, portion)]
    yield from tracked(parts, number, int, "random rankings")


def orders(values: Any, generator: np.random.Generator, finest: float = 1.0) -> Iterator[Any]:
    """Yield values in random order, of shape (arrangements, samples), in portions."""
    for rows in portions(len(values), finest):
        yield generator.permuted(np.tile(values, (rows, 1)), axis=1)


def shuffles(
    sizes: IntArray, positives: int, which: int = 0, seed: int = 0, finest: float = 1.0
) -> Iterator[IntArray]:
    """Return random arrangements, the same in every run, in portions."""
    total = int(sizes.sum())
    generator: Any = np.random.default_rng((SEED + seed, which))
    if len(sizes) <= FEW_GROUPS and total < 1_000_000_000:
        number = number_of_draws(len(sizes), finest=finest)
        yield generator.multivariate_hypergeometric(sizes, positives, size=number, method="marginals")
        return
    starts = np.cumsum(sizes) - sizes
    truth = (np.arange(total) < positives).astype(np.int8)
    for labels in orders(truth, generator, finest):
        part = labels.astype(np.int64)
        yield part if len(sizes) == total else np.add.reduceat(part, starts, axis=1)
