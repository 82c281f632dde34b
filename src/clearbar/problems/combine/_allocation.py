"""The best blind predictions that may differ from fold to fold, for the pooled table."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.null import cells_at
from clearbar.null import hypergeometric as hg
from clearbar.problems.binary import fill_value
from clearbar.problems.combine._convolution import law_of_sum, laws_of_sums
from clearbar.problems.combine._undefined import admitted_between

MOST_DRAWS = 2**22
"""Pooled samples up to which every number of predicted positives is tried; above, the corners alone."""

EVERY_ALLOCATION = 2**13
"""Ways to choose a number in each fold up to which all are tried, for a measure that is not affine."""

MOST_NUMBERS = 2**20
"""Numbers held at once while these are tried."""

FEW_POSITIVES = 2**10
"""Positive samples up to which whole laws of TP are summed; beyond, windows around their means."""

GRID = 65
"""Numbers of predicted positives tried otherwise, before the best of them is refined."""

FEW_FOLDS = 32
"""Folds up to which the best of these is improved fold by fold."""

SAME = 1e-13
"""Relative difference of two expected scores that rounding may make."""


@dataclass(frozen=True)
class Allocation:
    """The extreme expected score over predicted positives per fold; nan where none is admissible."""

    value: float
    draws: IntArray
    certified: bool


def best_allocation(
    measure: Measure, total: IntArray, positives: IntArray, undefined: Undefined, *, largest: bool
) -> Allocation:
    """Return the largest or smallest expected score of the pooled table, folds known apart.

    With K predicted positives in all, the pooled score is one function of the pooled TP. Where it is
    affine, and K decides whether it has a value, only the mean of TP counts, which is largest when the
    folds with the highest share of positives are filled first, smallest when those with the lowest
    are: trying both for every K is exact. Other measures may prefer more spread, or less, to a higher
    mean (with folds of 1 of 2 and 2 of 5 positive and K = 2, the threat score expects 0.258 from one
    draw in each and 0.250 from two in the first), or have a value after some allocations of K only, so
    that all allocations of small designs are tried, and some of larger ones.
    """
    m = int(total.sum())
    fill = float(fill_value(measure, m, undefined))
    if measure.affine and measure.admissible.on_margins:
        return _affine(measure, total, positives, fill, largest=largest)
    every = _every_allocation(total, positives)
    if every is not None:
        return _best_of(measure, total, positives, every, fill, largest=largest, certified=True)
    return _searched(measure, total, positives, fill, largest=largest)


def _searched(
    measure: Measure, total: IntArray, positives: IntArray, fill: float, *, largest: bool
) -> Allocation:
    m = int(total.sum())

    def better(best: Allocation, tried: IntArray) -> Allocation:
        proposed = _best_of(measure, total, positives, tried, fill, largest=largest)
        return max(best, proposed, key=lambda one: _rank(one.value, largest=largest))

    k = np.unique(np.rint(np.linspace(0, m, GRID)).astype(np.int64))
    best = Allocation(math.nan, np.zeros_like(total), certified=False)
    best = better(best, np.concatenate((_some(total, positives, k), _whole(total, positives))))
    step = max(m // (GRID - 1), 1)
    while step > 1:
        step = max(step // 4, 1)
        near = int(best.draws.sum()) + step * np.arange(-4, 5)
        best = better(best, _some(total, positives, near[(near >= 0) & (near <= m)]))
    for _ in range(len(total) if len(total) <= FEW_FOLDS else 0):
        before, best = best, better(best, _toggled(total, best.draws))
        if best is before:
            break
    return best


def _every_allocation(total: IntArray, positives: IntArray) -> IntArray | None:
    """Return all allocations, once where equal folds change places; None where there are too many."""
    kinds, fold, times = np.unique(
        np.stack((total, positives)), axis=1, return_inverse=True, return_counts=True
    )
    most = min(EVERY_ALLOCATION, MOST_NUMBERS // len(total))
    number = 1
    for size, count in zip(kinds[0].tolist(), times.tolist(), strict=True):
        number *= math.comb(size + count, count)
        if number > most:
            return None
    choices = [
        itertools.combinations_with_replacement(range(size + 1), count)
        for size, count in zip(kinds[0].tolist(), times.tolist(), strict=True)
    ]
    rows = (itertools.chain.from_iterable(parts) for parts in itertools.product(*choices))
    flat = np.fromiter(itertools.chain.from_iterable(rows), np.int64, number * len(total))
    every = np.empty((number, len(total)), dtype=np.int64)
    every[:, np.argsort(fold.reshape(-1), kind="stable")] = flat.reshape(number, len(total))
    return every


def _rank(value: float, *, largest: bool) -> float:
    if math.isnan(value):
        return -math.inf
    return value if largest else -value


def _affine(
    measure: Measure, total: IntArray, positives: IntArray, fill: float, *, largest: bool
) -> Allocation:
    m, p = int(total.sum()), int(positives.sum())
    every = m <= MOST_DRAWS
    best = Allocation(math.nan, np.zeros(len(total), dtype=np.int64), certified=True)
    for order in _orders(total, positives):
        corners = np.concatenate(([0], np.cumsum(total[order])))
        k = np.arange(m + 1) if every else corners
        tp = np.interp(k, corners, np.concatenate(([0], np.cumsum(positives[order]))))
        cells = cells_at(tp, m, p, k)
        values = measure.values(*cells)
        values = np.where(np.isfinite(values), values, fill)
        if math.isnan(fill):  # a policy fills in for what has no value, and admits every draw
            values = np.where(measure.admissible.holds(cells), values, np.nan)
        if np.isnan(values).all():
            continue
        at = int(np.nanargmax(values) if largest else np.nanargmin(values))
        if _rank(float(values[at]), largest=largest) > _rank(best.value, largest=largest):
            best = Allocation(float(values[at]), _filled_in_order(total, order, int(k[at])), certified=every)
    return best


def _orders(total: IntArray, positives: IntArray) -> tuple[IntArray, IntArray]:
    """Return the folds by falling and by rising share of positives."""
    rising = np.argsort(positives / total, kind="stable")
    falling = np.argsort(-(positives / total), kind="stable")
    return falling, rising


def _filled_in_order(total: IntArray, order: IntArray, draws: int) -> IntArray:
    allocation = np.zeros(len(total), dtype=np.int64)
    before = np.cumsum(total[order]) - total[order]
    allocation[order] = np.clip(draws - before, 0, total[order])
    return allocation


def _some(total: IntArray, positives: IntArray, draws: IntArray) -> IntArray:
    """Return allocations of these numbers: filled in both orders, and in proportion to the folds."""
    orders = _orders(total, positives)
    filled = [_filled_in_order(total, order, int(k)) for order in orders for k in draws]
    share = np.cumsum(total) / total.sum()
    even = np.diff(np.rint(draws[:, None] * share).astype(np.int64), axis=1, prepend=0)
    even = np.clip(even, 0, total)
    return np.unique(np.concatenate((np.array(filled), even)), axis=0)


def _whole(total: IntArray, positives: IntArray) -> IntArray:
    """Return allocations that predict whole folds positive, in both orders: first one, then more."""
    folds = len(total)
    number = np.unique(np.rint(np.linspace(1, folds, min(folds, FEW_FOLDS))).astype(np.int64))
    ranks = (np.argsort(order) for order in _orders(total, positives))
    return np.concatenate([np.where(rank < number[:, None], total, 0) for rank in ranks])


def _toggled(total: IntArray, draws: IntArray) -> IntArray:
    """Return an allocation with each fold in turn predicted negative, and positive."""
    one = np.eye(len(total), dtype=bool)
    return np.concatenate((np.where(one, 0, draws), np.where(one, total, draws)))


def _best_of(
    measure: Measure,
    total: IntArray,
    positives: IntArray,
    allocations: IntArray,
    fill: float,
    *,
    largest: bool,
    certified: bool = False,
) -> Allocation:
    """Return the best of some allocations; of those level with it, one that scores the same every time."""
    if int(positives.sum()) <= FEW_POSITIVES:
        rows = max(MOST_NUMBERS // (int(positives.sum()) + 1), 1)
        parts = np.split(allocations, np.arange(rows, len(allocations), rows))
        values = np.concatenate([_expected(measure, total, positives, part, fill) for part in parts])
    else:
        values = np.array([_expected_of(measure, total, positives, draws, fill) for draws in allocations])
    if math.isnan(fill):
        values[~_admitted(measure, total, positives, allocations)] = math.nan
    if np.isnan(values).all():
        return Allocation(math.nan, allocations[0], certified)
    best = float(np.nanmax(values) if largest else np.nanmin(values))
    level = np.flatnonzero(np.abs(values - best) <= SAME * abs(best))
    whole = ((allocations[level] == 0) | (allocations[level] == total)).all(axis=1)
    return Allocation(best, allocations[level[int(np.argmax(whole))]], certified)


def _admitted(measure: Measure, total: IntArray, positives: IntArray, allocations: IntArray) -> Any:
    """Return the allocations after which the pooled score may be used, whatever the outcome."""
    ends = (end.sum(axis=1) for end in hg.support(total, positives, allocations))
    margins = int(total.sum()), int(positives.sum()), allocations.sum(axis=1)
    return admitted_between(measure, *margins, *ends)


def _expected(
    measure: Measure, total: IntArray, positives: IntArray, allocations: IntArray, fill: float
) -> FloatArray:
    """Return the expected pooled score of each allocation; nan where an outcome has no value."""
    laws = laws_of_sums(total, positives, allocations)
    low, high = (end.sum(axis=1)[:, None] for end in hg.support(total, positives, allocations))
    tp = np.clip(np.arange(laws.shape[1]), low, high)  # beyond the ends the probability is 0
    pooled = int(total.sum()), int(positives.sum())
    values = measure.values(*cells_at(tp, *pooled, allocations.sum(axis=1)[:, None]))
    values = np.where(np.isfinite(values), values, fill)
    expected: FloatArray = (laws * values).sum(axis=1)
    return expected


def _expected_of(
    measure: Measure, total: IntArray, positives: IntArray, draws: IntArray, fill: float
) -> float:
    """Return the same for one allocation of many samples."""
    probability, first = law_of_sum(total, positives, draws)
    tp = np.arange(first, first + len(probability))
    pooled = (int(part.sum()) for part in (total, positives, draws))
    values: FloatArray = measure.values(*cells_at(tp, *pooled))
    values = np.where(np.isfinite(values), values, fill)
    return float((probability * values).sum() / probability.sum())
