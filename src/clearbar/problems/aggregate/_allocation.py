"""The best blind predictions that may differ from fold to fold, for the pooled table."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from clearbar._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.baseline import fill_value
from clearbar.measures import Measure
from clearbar.null import values_at
from clearbar.problems.aggregate._convolution import law_of_sum

MOST_DRAWS = 2**22
"""Pooled samples up to which every number of predicted positives is tried; above, the corners alone."""

EVERY_ALLOCATION = 2**13
"""Ways to choose a number in each fold up to which all are tried, for a measure that is not affine."""

GRID = 65
"""Numbers of predicted positives tried otherwise, before the best of them is refined."""


@dataclass(frozen=True)
class Allocation:
    """An extreme expected score over all numbers of predicted positives per fold.

    Attributes
    ----------
    value : float
        nan where no draw is admissible.
    draws : ndarray of int, shape (folds,)
        Predicted positives per fold that attain it.
    certified : bool
        Whether no other can be better.
    """

    value: float
    draws: IntArray
    certified: bool


def best_allocation(
    measure: Measure, total: IntArray, positives: IntArray, undefined: Undefined, *, largest: bool
) -> Allocation:
    """Return the largest or smallest expected score of the pooled table, folds known apart.

    With K predicted positives in all, the pooled score is one function of the pooled TP. Where it is
    affine, only the mean of TP counts, which is largest when the folds with the highest share of
    positives are filled first, smallest when those with the lowest are: trying both for every K is exact.
    A measure that is not affine may prefer more spread, or less, to a higher mean (with folds of 1 of 2
    and 2 of 5 positive and K = 2, the threat score expects 0.258 from one draw in each and 0.250 from
    two in the first), so that all allocations of small designs are tried, and some of larger ones.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    total, positives : ndarray of int, shape (folds,)
        The margins M and P of each fold.
    undefined : "exclude", "worst" or float
        What to do about outcomes without a value.
    largest : bool
        Which end.

    Returns
    -------
    Allocation
    """
    m = int(total.sum())
    fill = float(fill_value(measure, m, undefined, largest=measure.greater_is_better is not False))
    if measure.affine:
        return _affine(measure, total, positives, fill, largest=largest)
    if math.prod(int(part) + 1 for part in total) <= EVERY_ALLOCATION:
        every = np.array(list(itertools.product(*(range(int(part) + 1) for part in total))))
        return _best_of(measure, total, positives, every, fill, largest=largest, certified=True)
    k = np.unique(np.rint(np.linspace(0, m, GRID)).astype(np.int64))
    found = _best_of(measure, total, positives, _some(total, positives, k), fill, largest=largest)
    step = max(m // (GRID - 1), 1)
    while step > 1:
        step = max(step // 4, 1)
        near = int(found.draws.sum()) + step * np.arange(-4, 5)
        near = near[(near >= 0) & (near <= m)]
        better = _best_of(measure, total, positives, _some(total, positives, near), fill, largest=largest)
        found = max(found, better, key=lambda one: _rank(one.value, largest=largest))
    return found


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
        values = measure.values(tp, k - tp, p - tp, m - p - (k - tp))
        values = np.where(np.isfinite(values), values, fill)
        if math.isnan(fill):  # a policy fills in for what has no value, and admits every draw
            values = np.where(_usable(measure, m, p, k), values, np.nan)
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
    found = np.zeros(len(total), dtype=np.int64)
    before = np.cumsum(total[order]) - total[order]
    found[order] = np.clip(draws - before, 0, total[order])
    return found


def _usable(measure: Measure, total: int, positives: int, k: IntArray) -> BoolArray:
    """Return the numbers of predicted positives for which what the measure requires holds."""
    needed = measure.domain if measure.requires is None else measure.requires & measure.domain
    found = np.zeros(k.shape, dtype=bool)
    for first, last in needed.spans(total, positives):
        found |= (k >= first) & (k <= last)
    return found


def _some(total: IntArray, positives: IntArray, draws: IntArray) -> IntArray:
    """Return allocations of these numbers: filled in both orders, and in proportion to the folds."""
    orders = _orders(total, positives)
    filled = [_filled_in_order(total, order, int(k)) for order in orders for k in draws]
    share = np.cumsum(total) / total.sum()
    even = np.diff(np.rint(draws[:, None] * share).astype(np.int64), axis=1, prepend=0)
    even = np.clip(even, 0, total)
    return np.unique(np.concatenate((np.array(filled), even)), axis=0)


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
    pooled = int(total.sum()), int(positives.sum())
    usable = _usable(measure, *pooled, allocations.sum(axis=1))
    values = np.array(
        [
            _expected(measure, total, positives, draws, fill) if fine or not math.isnan(fill) else math.nan
            for draws, fine in zip(allocations, usable, strict=True)
        ]
    )
    if np.isnan(values).all():
        return Allocation(math.nan, allocations[0], certified)
    at = int(np.nanargmax(values) if largest else np.nanargmin(values))
    return Allocation(float(values[at]), allocations[at], certified)


def _expected(measure: Measure, total: IntArray, positives: IntArray, draws: IntArray, fill: float) -> float:
    """Return the expected pooled score of one allocation; nan where an outcome has no value."""
    probability, first = law_of_sum(total, positives, draws)
    tp = np.arange(first, first + len(probability))
    margins = (np.full(tp.shape, int(part.sum())) for part in (total, positives, draws))
    values: FloatArray = values_at(measure, tp, *margins)
    values = np.where(np.isfinite(values), values, fill)
    return float((probability * values).sum() / probability.sum())
