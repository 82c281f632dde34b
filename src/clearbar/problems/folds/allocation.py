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

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.null import cells_at
from clearbar.null import hypergeometric as hg
from clearbar.problems.binary import fill_value
from clearbar.problems.folds.sums import distribution_of_sum, distributions_of_sums

MOST_DRAWS = 2**22
"""Pooled samples up to which every number of predicted positives is tried; above, the corners alone."""

EVERY_ALLOCATION = 2**13
"""Ways to choose a number in each fold up to which all are tried, for a measure that is not affine."""

MOST_NUMBERS = 2**20
"""Numbers held at once while these are tried."""

FEW_POSITIVES = 2**10
"""Positive samples up to which whole distributions of TP are summed; beyond, windows around their means."""

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


@dataclass(frozen=True)
class Design:
    """A measure on the pooled table of folds of these sizes, and what an outcome without a value counts."""

    measure: Measure
    total: IntArray
    positives: IntArray
    fill: float
    largest: bool

    @property
    def margins(self) -> tuple[int, int]:
        """Samples and positive samples of all folds."""
        return int(self.total.sum()), int(self.positives.sum())

    @property
    def orders(self) -> tuple[IntArray, IntArray]:
        """The folds by falling and by rising share of positives."""
        share = self.positives / self.total
        return np.argsort(-share, kind="stable"), np.argsort(share, kind="stable")

    def values(self, tp: FloatArray | IntArray, draws: IntArray) -> tuple[FloatArray, BoolArray]:
        """Return the scores of pooled tables, and where the measure may be used."""
        cells = cells_at(tp, *self.margins, draws)
        raw = self.measure.values(*cells)
        holds = self.measure.admissible.holds(cells) & np.isfinite(raw)
        return np.where(np.isfinite(raw), raw, self.fill), np.asarray(holds)

    def best(self, found: list[Allocation]) -> Allocation:
        """Return the best of some; the first one of equals, and any other than one without a value."""
        sign = 1.0 if self.largest else -1.0
        return max(found, key=lambda one: -math.inf if math.isnan(one.value) else sign * one.value)


def best_allocation(
    measure: Measure, total: IntArray, positives: IntArray, undefined: Undefined, *, largest: bool
) -> Allocation:
    """Return the largest or smallest expected score of the pooled table, folds told apart."""
    fill = float(fill_value(measure, int(total.sum()), undefined))
    design = Design(measure, total, positives, fill, largest)
    if measure.affine and measure.admissible.on_margins:
        return _affine(design)
    every = _every_allocation(total, positives)
    return _searched(design) if every is None else _best_of(design, every, certified=True)


def _affine(design: Design) -> Allocation:
    total, (m, _) = design.total, design.margins
    every = m <= MOST_DRAWS
    found = [Allocation(math.nan, np.zeros(len(total), dtype=np.int64), certified=True)]
    for order in design.orders:
        corners = np.append(0, np.cumsum(total[order]))
        draws = np.arange(m + 1) if every else corners
        tp = np.interp(draws, corners, np.append(0, np.cumsum(design.positives[order])))
        values, holds = design.values(tp, draws)
        if math.isnan(design.fill):  # a policy fills in for what has no value, and admits every draw
            values = np.where(holds, values, np.nan)
        if not np.isnan(values).all():
            place = int(np.nanargmax(values) if design.largest else np.nanargmin(values))
            filled = _filled_in_order(total, order, draws[place : place + 1])[0]
            found.append(Allocation(float(values[place]), filled, certified=every))
    return design.best(found)


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
    rows = (itertools.chain.from_iterable(parts) for parts in itertools.product(*choices))
    flat = np.fromiter(itertools.chain.from_iterable(rows), np.int64, number * len(total))
    every = np.empty((number, len(total)), dtype=np.int64)
    every[:, np.argsort(fold.reshape(-1), kind="stable")] = flat.reshape(number, len(total))
    return every


def _searched(design: Design) -> Allocation:
    """Try some allocations, then those near the best of them, then whole folds more or less."""
    total, (m, _) = design.total, design.margins
    draws = np.unique(np.rint(np.linspace(0, m, GRID)).astype(np.int64))
    best = _best_of(design, np.concatenate((_some(design, draws), _whole(design))))
    step = max(m // (GRID - 1), 1)
    while step > 1:
        step = max(step // 4, 1)
        near = int(best.draws.sum()) + step * np.arange(-4, 5)
        best = design.best([best, _best_of(design, _some(design, near[(near >= 0) & (near <= m)]))])
    each = np.eye(len(total), dtype=bool)
    for _ in range(len(total) if len(total) <= FEW_FOLDS else 0):
        toggled = np.concatenate((np.where(each, 0, best.draws), np.where(each, total, best.draws)))
        before, best = best, design.best([best, _best_of(design, toggled)])
        if best is before:
            break
    return best


def _filled_in_order(total: IntArray, order: IntArray, draws: IntArray) -> IntArray:
    """Return a row for each number of predicted positives: folds are filled one after the other."""
    before = np.cumsum(total[order]) - total[order]
    rows = np.zeros((len(draws), len(total)), dtype=np.int64)
    rows[:, order] = np.clip(draws[:, None] - before, 0, total[order])
    return rows


def _some(design: Design, draws: IntArray) -> IntArray:
    """Return allocations of these numbers: filled in both orders, and in proportion to the folds."""
    total = design.total
    share = np.cumsum(total) / total.sum()
    even = np.diff(np.rint(draws[:, None] * share).astype(np.int64), axis=1, prepend=0)
    filled = [_filled_in_order(total, order, draws) for order in design.orders]
    return np.unique(np.concatenate([*filled, np.clip(even, 0, total)]), axis=0)


def _whole(design: Design) -> IntArray:
    """Return allocations that predict whole folds positive, in both orders: first one, then more."""
    folds = len(design.total)
    number = np.unique(np.rint(np.linspace(1, folds, min(folds, FEW_FOLDS))).astype(np.int64))
    ranks = (np.argsort(order) for order in design.orders)
    return np.concatenate([np.where(rank < number[:, None], design.total, 0) for rank in ranks])


def _best_of(design: Design, allocations: IntArray, *, certified: bool = False) -> Allocation:
    """Return the best of some allocations; of those level with it, one that scores the same every time."""
    if design.margins[1] <= FEW_POSITIVES:
        rows = max(MOST_NUMBERS // (design.margins[1] + 1), 1)
        parts = np.split(allocations, np.arange(rows, len(allocations), rows))
        values = np.concatenate([_expected(design, part) for part in parts])
    else:
        values = np.array([_expected_of_many(design, draws) for draws in allocations])
    if math.isnan(design.fill):
        ends = np.stack([end.sum(axis=1) for end in hg.support(design.total, design.positives, allocations)])
        _, holds = design.values(ends, allocations.sum(axis=1))
        values[~holds.all(axis=0)] = math.nan
    if np.isnan(values).all():
        return Allocation(math.nan, allocations[0], certified)
    best = float(np.nanmax(values) if design.largest else np.nanmin(values))
    level = np.flatnonzero(np.abs(values - best) <= SAME * abs(best))
    whole = ((allocations[level] == 0) | (allocations[level] == design.total)).all(axis=1)
    return Allocation(best, allocations[level[int(np.argmax(whole))]], certified)


def _expected(design: Design, allocations: IntArray) -> FloatArray:
    """Return the expected pooled score of each allocation; nan where an outcome has no value."""
    sums = distributions_of_sums(design.total, design.positives, allocations)
    low, high = (end.sum(axis=1)[:, None] for end in hg.support(design.total, design.positives, allocations))
    tp = np.clip(np.arange(sums.shape[1]), low, high)  # beyond the ends the probability is 0
    expected: FloatArray = (sums * design.values(tp, allocations.sum(axis=1)[:, None])[0]).sum(axis=1)
    return expected


def _expected_of_many(design: Design, draws: IntArray) -> float:
    """Return the same for one allocation of many samples."""
    probability, first = distribution_of_sum(design.total, design.positives, draws)
    tp = np.arange(first, first + len(probability))
    values, _ = design.values(tp, np.full(tp.shape, int(draws.sum())))
    return float((probability * values).sum() / probability.sum())
