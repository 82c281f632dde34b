"""Average precision of many random rankings at once, from the last rank up.

Of the samples up to a rank, the next one is positive with the precision there. So all rankings go up rank by
rank together, and far down, where a block of samples moves the precision by little, block by block.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.bootstrap import number_of_draws
from clearbar.problems.scores._arrangements import SEED

RANK_BY_RANK = 400
"""Ranks at the top that are gone through one by one."""

SHARE = 1 / 16
"""How much of the samples up to a rank a block may take. The spread within a block adds less than 0.04 % to
the variance of average precision, and is left out."""

FEWEST = 2_499
"""However many samples there are, no fewer random rankings are tried."""


class Block(NamedTuple):
    """Samples that are dealt with together: up to the last, and how many.

    With S positives up to its end and b within it, the expected sum of precisions over those within it is
    b / size (S first - (b - 1) second).
    """

    end: int
    size: int
    first: float
    second: float


def random_precisions(
    sizes: IntArray, positives: int, seed: int = 0, finest: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return the average precision of random arrangements, and that with the best ties."""
    # They are the same in every run. With the best ties a positive sample counts with the best precision at
    # its rank or below; within a block that is the middle between the best before and after, the latter with
    # the maximum of a Brownian bridge.
    total = int(sizes.sum())
    number = number_of_draws(total, fewest=FEWEST, finest=finest)
    generator = np.random.default_rng(SEED + seed)
    left = np.full(number, float(positives))
    values, credit, best = np.zeros((3, number))  # the best precision so far, from below
    for end, size, first, second in _blocks(sizes):
        precision = left / end
        np.maximum(best, precision, out=best)
        if size == 1:
            hit = generator.random(number, dtype=np.float32) < precision
            values += hit * precision
            credit += hit * best
            left -= hit
            continue
        if end <= RANK_BY_RANK:
            hits = np.zeros(number)
            for rank in range(end, end - size, -1):
                hits += generator.random(number, dtype=np.float32) < (left - hits) / rank
        else:
            within = left.astype(np.int64)
            hits = generator.hypergeometric(within, end - within, size).astype(np.float64)
        if end > size and second:
            share, above = hits / size, (left - hits) / (end - size)
            spread = -0.5 * size * share * (1 - share) * np.log1p(-generator.random(number))
            bridge = np.sqrt(((precision - above) / 2) ** 2 + spread / (end * (end - size)))
            below = best
            best = np.maximum(below, (precision + above) / 2 + bridge)
            credit -= hits * (best - below) / 2
        values += hits / size * (left * first - (hits - 1) * second)
        credit += hits * best
        left -= hits
    return values / positives, credit / positives


@functools.lru_cache(maxsize=8)
def untied_precisions(
    total: int, positives: int, seed: int = 0, finest: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return the same for rankings without ties."""
    return random_precisions(np.ones(total, dtype=np.int64), positives, seed, finest)


def _blocks(sizes: IntArray) -> Iterator[Block]:
    """Yield groups of tied samples from the last up, those far down several at once."""
    ends = np.cumsum(sizes)
    group = len(sizes)
    while group:
        end = int(ends[group - 1])
        least = max(end - int(end * SHARE), RANK_BY_RANK)
        begin = min(int(np.searchsorted(ends, least)) + 1, group - 1) if end > RANK_BY_RANK else group - 1
        upto, within = ends[begin:group], sizes[begin:group]
        size = int(within.sum())
        precision = within / upto
        second = float((precision * (end - upto)).sum()) / max(size - 1, 1)
        yield Block(end, size, float(precision.sum()), second)
        group = begin
