"""The best blind predictions that may differ from fold to fold, for the pooled table.

With K predicted positives in all, the pooled score is one function of the pooled TP. Where it is affine, and
K decides whether it has a value, only the mean of TP counts, which is largest when the folds with the highest
share of positives are filled first, smallest when those with the lowest are: trying both for every K is
exact. Other measures may prefer more spread, or less, to a higher mean (with folds of 1 of 2 and 2 of 5
positive and K = 2, the threat score expects 0.258 from one draw in each and 0.250 from two in the first), or
have a value after some allocations of K only, so that all allocations of small designs are tried, and some of
larger ones.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from clearbar.catalogue import Measure, fill_value
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.null import cells_at
from clearbar.null import hypergeometric as hg
from clearbar.problems.folds.sums import distribution_of_sum, distributions_of_sums

# Pooled samples up to which every number of predicted positives is tried; above, whole folds alone.
MOST_DRAWS = 2**22

# Ways to choose a number in each fold up to which all are tried, for a measure that is not affine.
EVERY_ALLOCATION = 2**13

MOST_NUMBERS = 2**20  # numbers held at once while these are tried
FEW_POSITIVES = 2**10  # positive samples up to which the distributions of many allocations are found at once
GRID = 65  # numbers of predicted positives tried otherwise, before the best of them is refined
SAME = 1e-13  # relative difference of two expected scores that rounding may make


@dataclass(frozen=True)
class Allocation:
    """The extreme expected score over predicted positives per fold; nan where none is admissible."""

    value: float
    draws: IntArray
    certified: bool


@dataclass(frozen=True)
class Design:
    """A measure on the pooled table of folds of these sizes, and what an outcome without a value counts."""

    measure: Measure
    total: IntArray
    positives: IntArray
    fill: float
    largest: bool

    def values(self, tp: FloatArray | IntArray, draws: IntArray) -> tuple[FloatArray, BoolArray]:
        """Return the scores of pooled tables, and where the measure may be used."""
        cells = cells_at(tp, int(self.total.sum()), int(self.positives.sum()), draws)
        raw = self.measure.values(*cells)
        holds = self.measure.admissible.holds(cells) & np.isfinite(raw)
        return np.where(np.isfinite(raw), raw, self.fill), np.asarray(holds)

    def expected(self, allocations: IntArray) -> FloatArray:
        """Return the expected pooled score of each allocation; nan where an outcome has no value."""
        draws = allocations.sum(axis=1)
        low, high = (end.sum(axis=1) for end in hg.support(self.total, self.positives, allocations))
        if int(self.positives.sum()) <= FEW_POSITIVES:
            rows = max(MOST_NUMBERS // (int(self.positives.sum()) + 1), 1)
            parts = [allocations[first : first + rows] for first in range(0, len(allocations), rows)]
            chances = np.concatenate(
                [distributions_of_sums(self.total, self.positives, part) for part in parts]
            )
            tp = np.clip(
                np.arange(chances.shape[1]), low[:, None], high[:, None]
            )  # beyond them chances are 0
            expected = (chances * self.values(tp, draws[:, None])[0]).sum(axis=1)
        else:
            expected = np.array([self._expected_of(allocation) for allocation in allocations])
        if math.isnan(self.fill):
            holds = self.values(np.stack([low, high]), draws)[1].all(axis=0)
            expected[~holds] = math.nan
        return np.asarray(expected)

    def _expected_of(self, allocation: IntArray) -> float:
        chances, first = distribution_of_sum(self.total, self.positives, allocation)
        tp = np.arange(first, first + len(chances))
        values, _ = self.values(tp, np.full(tp.shape, int(allocation.sum())))
        return float((chances * values).sum() / chances.sum())

    def best(self, allocations: IntArray, *, certified: bool = False) -> Allocation:
        """Return the best of some; of those level with it, one that scores the same every time."""
        values = self.expected(allocations)
        if np.isnan(values).all():
            return Allocation(math.nan, allocations[0], certified)
        best = float(np.nanmax(values) if self.largest else np.nanmin(values))
        level = np.flatnonzero(np.abs(values - best) <= SAME * abs(best))
        certain = ((allocations[level] == 0) | (allocations[level] == self.total)).all(axis=1)
        return Allocation(best, allocations[level[int(np.argmax(certain))]], certified)


def best_allocation(
    measure: Measure, total: IntArray, positives: IntArray, undefined: Undefined, *, largest: bool
) -> Allocation:
    """Return the largest or smallest expected score of the pooled table, folds told apart."""
    fill = float(fill_value(measure, int(total.sum()), undefined))
    design = Design(measure, total, positives, fill, largest)
    share, m = positives / total, int(total.sum())
    orders = [np.argsort(-share, kind="stable"), np.argsort(share, kind="stable")]
    whole_folds = [np.append(0, np.cumsum(total[order])) for order in orders]
    if measure.affine and measure.admissible.on_margins:
        return _affine(design, orders, whole_folds)
    every = _every_allocation(total, positives)
    if every is not None:
        return design.best(every, certified=True)
    # Whole folds are among what is tried: their TP does not vary, so that they may have a value alone.
    grid = np.linspace(0, m, GRID)
    ends = [corners[np.rint(np.linspace(0, len(total), GRID)).astype(int)] for corners in whole_folds]
    tried = _filled(total, orders, np.unique(np.rint(np.concatenate([grid, *ends])).astype(np.int64)))
    best, step = design.best(tried), max(m // (GRID - 1), 1)
    while step > 1:
        step = max(step // 4, 1)
        near = np.clip(int(best.draws.sum()) + step * np.arange(-4, 5), 0, m)
        best = design.best(np.vstack([best.draws, _filled(total, orders, near)]))
    return best


def _affine(design: Design, orders: list[IntArray], whole_folds: list[IntArray]) -> Allocation:
    total, m = design.total, int(design.total.sum())
    every, best = m <= MOST_DRAWS, Allocation(math.nan, np.zeros_like(design.total), certified=True)
    for order, corners in zip(orders, whole_folds, strict=True):
        draws = np.arange(m + 1) if every else corners
        tp = np.interp(draws, corners, np.append(0, np.cumsum(design.positives[order])))
        values, holds = design.values(tp, draws)
        if math.isnan(design.fill):  # a policy fills in for what has no value, and admits every draw
            values = np.where(holds, values, np.nan)
        if np.isnan(values).all():
            continue
        place = int(np.nanargmax(values) if design.largest else np.nanargmin(values))
        ahead = values[place] - best.value if design.largest else best.value - values[place]
        if not ahead <= 0:
            (allocation,) = _in_order(total, order, draws[place : place + 1])
            best = Allocation(float(values[place]), allocation, certified=every)
    return best


def _every_allocation(total: IntArray, positives: IntArray) -> IntArray | None:
    """Return all allocations, once where equal folds change places; None where there are too many."""
    kinds, fold, times = np.unique(
        np.stack((total, positives)), axis=1, return_inverse=True, return_counts=True
    )
    pairs = list(zip(kinds[0].tolist(), times.tolist(), strict=True))
    number = math.prod(math.comb(size + count, count) for size, count in pairs)
    if number > min(EVERY_ALLOCATION, MOST_NUMBERS // len(total)):
        return None
    choices = [itertools.combinations_with_replacement(range(size + 1), count) for size, count in pairs]
    rows = [list(itertools.chain.from_iterable(parts)) for parts in itertools.product(*choices)]
    return np.array(rows)[:, np.argsort(np.argsort(fold.reshape(-1), kind="stable"))]


def _in_order(total: IntArray, order: IntArray, draws: IntArray) -> IntArray:
    """Return a row for each number of predicted positives: folds are filled one after the other."""
    before = np.cumsum(total[order]) - total[order]
    rows = np.zeros((len(draws), len(total)), dtype=np.int64)
    rows[:, order] = np.clip(draws[:, None] - before, 0, total[order])
    return rows


def _filled(total: IntArray, orders: list[IntArray], draws: IntArray) -> IntArray:
    """Return allocations of these numbers: filled in both orders, and in proportion to the folds."""
    share = np.cumsum(total) / total.sum()
    even = np.diff(np.rint(draws[:, None] * share).astype(np.int64), axis=1, prepend=0)
    in_order = [_in_order(total, order, draws) for order in orders]
    return np.unique(np.concatenate([*in_order, np.clip(even, 0, total)]), axis=0)
