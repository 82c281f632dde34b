"""The law of a score where a draw reaches too many tables to look at each."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.null._search import least_true, likely_tp
from clearbar.null._tables import values_at

NARROW = 2**10
"""Intervals of TP up to this long are added up point by point."""


class Branch(NamedTuple):
    """A stretch of TP on which the measure never turns back, and the way it goes."""

    first: int
    last: int
    rises: bool


class WideLaw:
    """Probabilities of intervals of scores, by turning them into intervals of TP.

    A measure that never turns back in TP, or turns once because it is convex, is inverted by
    bisection, at any size. Any other is looked at over the window that holds all but 2e-18 of the
    mass.
    """

    def __init__(self, measure: Measure, total: int, positives: int, draws: int) -> None:
        self._measure = measure
        self._margins = (total, positives, draws)
        low, high = hg.support(*self._margins)
        self._low, self._high = int(low), int(high)
        self._first, self._last = self._low, self._high
        ordered = measure.affine or measure.better_with_tp or measure.convex_in_tp
        if ordered:
            self._first, self._last = self._where_defined()
            self._branches = self._find_branches()
            lost = self._lost_at_ends()
        else:
            self._branches = ()
            _, weight, raw = self._window
            lost = [float(weight[at].sum()) for at in (~np.isfinite(raw), raw == -np.inf, raw == np.inf)]
        self.undefined, self.infinite_low, self.infinite_high = lost

    def _lost_at_ends(self) -> list[float]:
        """Return the mass without a value, and of it that at either infinity: it sits at the ends."""
        before = after = 0.0
        if self._first > self._low:
            before = float(hg.tail_le(min(self._first - 1, self._high), *self._margins))
        if self._first <= self._last < self._high:
            after = float(hg.tail_ge(self._last + 1, *self._margins))
        ends = self._values(np.array([self._low, self._high]))
        low, high = (
            before * bool(ends[0] == infinity) + after * bool(ends[1] == infinity)
            for infinity in (-np.inf, np.inf)
        )
        return [before + after, low, high]

    def between(self, low: FloatArray, high: FloatArray, *, open_low: bool, log: bool) -> FloatArray:
        """Return the (log) probability of a score in [low, high], or (low, high]."""
        if not self._branches:
            return self._in_window(low, high, open_low=open_low, log=log)
        parts = [self._on_branch(branch, low, high, open_low=open_low) for branch in self._branches]
        total: FloatArray = np.logaddexp.reduce(parts)
        return total if log else np.exp(total)

    def _on_branch(self, branch: Branch, low: FloatArray, high: FloatArray, *, open_low: bool) -> FloatArray:
        def above(tp: IntArray, rows: IntArray) -> BoolArray:
            values = self._values(tp)
            return values > low[rows] if open_low else values >= low[rows]

        def beyond(tp: IntArray, rows: IntArray) -> BoolArray:
            return self._values(tp) > high[rows]

        if branch.rises:
            first = self._least(branch, above, low, ~np.isneginf(low), branch.first)
            end = self._least(branch, beyond, high, ~np.isposinf(high), branch.last + 1)
        else:
            limited = ~np.isposinf(high)
            first = self._least(branch, lambda tp, rows: ~beyond(tp, rows), high, limited, branch.first)
            limited = ~np.isneginf(low)
            end = self._least(branch, lambda tp, rows: ~above(tp, rows), low, limited, branch.last + 1)
        return self._log_interval(first, end - 1)

    def quantile(self, q: FloatArray) -> FloatArray:
        """Return the smallest value with at least this much of the defined mass at or below it."""
        if len(self._branches) != 1:
            values, weights = self._sorted_window()
            sums = np.cumsum(weights)
            index = np.searchsorted(sums * (1 + 4e-16), q * sums[-1], side="left")
            value: FloatArray = values[np.minimum(index, len(values) - 1)]
            return value
        share = q * (1 - self.undefined)
        if self._branches[0].rises:
            tp = hg.quantile(share + float(hg.tail_le(self._first - 1, *self._margins)), *self._margins)
        else:
            share = share + float(hg.tail_ge(self._last + 1, *self._margins))
            tp = hg.quantile(share, *self._margins, upper=True)
            tp = tp + (hg.tail_ge(tp + 1, *self._margins) >= share)
        return self._values(np.clip(tp, self._first, self._last))

    def extremes(self) -> tuple[float, float]:
        """Return the smallest and the largest value."""
        turns = {tp for branch in self._branches for tp in (branch.first, branch.last)}
        values = self._values(np.array(sorted(turns | {self._first, self._last})))
        if not self._branches:
            values = np.concatenate((values, self._sorted_window()[0]))
        values = values[np.isfinite(values)]
        return (float(values.min()), float(values.max())) if values.size else (math.nan, math.nan)

    def _find_branches(self) -> tuple[Branch, ...]:
        measure, first, last = self._measure, self._first, self._last
        if first > last:
            return (Branch(first, last, rises=True),)
        if measure.affine or measure.better_with_tp:
            near, far = self._values(np.array([first, last]))
            return (Branch(first, last, bool(far >= near)),)

        def turns(tp: IntArray, rows: IntArray) -> BoolArray:  # noqa: ARG001
            return np.asarray(self._values(tp + 1) >= self._values(tp))

        one = np.array([-1])
        bottom = int(least_true(turns, np.array([first]), np.array([last - 1]), one)[0])
        branches = (Branch(first, bottom - 1, rises=False), Branch(bottom, last, rises=True))
        return tuple(branch for branch in branches if branch.first <= branch.last)

    def _where_defined(self) -> tuple[int, int]:
        """Outcomes without a value sit at the ends of the support: find the first and last with one."""

        def defined(tp: IntArray, rows: IntArray) -> BoolArray:  # noqa: ARG001
            return np.isfinite(self._values(tp))

        mode = int(hg.mode(*self._margins))
        middle = (self._low + self._high) // 2
        points = np.clip(np.array([mode, mode + 1, mode - 1, middle]), self._low, self._high)
        points = points[defined(points, points)]
        if not points.size:
            return self._high + 1, self._high
        if self._measure.in_catalogue and self._measure.domain.on_margins:
            return self._low, self._high  # all outcomes of a draw have a value, or none
        mode = points[:1]
        none = np.array([-1])
        first = least_true(defined, np.array([self._low]), mode, none)
        past = least_true(lambda tp, rows: ~defined(tp, rows), mode, np.array([self._high]), none)
        return int(first[0]), int(past[0]) - 1

    def _values(self, tp: IntArray) -> FloatArray:
        return values_at(self._measure, tp, *(np.full(tp.shape, a) for a in self._margins))

    def _least(
        self,
        branch: Branch,
        test: Callable[[IntArray, IntArray], BoolArray],
        scores: FloatArray,
        rows_wanted: BoolArray,
        otherwise: int,
    ) -> IntArray:
        """Return the least TP of a branch that passes; rows that are not asked have their answer."""
        least = np.full(rows_wanted.shape, otherwise)
        rows = np.flatnonzero(rows_wanted)
        if rows.size:
            low, high = np.full(rows.shape, branch.first), np.full(rows.shape, branch.last)
            hint = np.full(rows.shape, -1)
            if len(self._branches) == 1:
                m, p, k = (np.full(rows.shape, margin) for margin in self._margins)
                hint = likely_tp(self._measure, m, p, k, scores[rows])
            least[rows] = least_true(lambda tp, at: test(tp, rows[at]), low, high, hint)
        return least

    def _log_interval(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return log P(first <= TP <= last), from whichever tail keeps the digits."""
        logs = np.full(first.shape, -np.inf)
        filled = last >= first
        from_low = filled & (first <= self._low)
        to_high = filled & ~from_low & (last >= self._high)
        single = filled & ~from_low & ~to_high & (first == last)
        logs[from_low] = hg.log_tail_le(last[from_low], *self._margins)
        logs[to_high] = hg.log_tail_ge(first[to_high], *self._margins)
        logs[single] = hg.log_pmf(first[single], *self._margins)
        for row in np.flatnonzero(filled & ~(from_low | to_high | single)):
            logs[row] = self._inner(int(first[row]), int(last[row]))
        return logs

    def _inner(self, first: int, last: int) -> float:
        """Return the same for an interval that meets neither end: short ones are summed."""
        margins = self._margins
        if last - first < NARROW:
            return float(np.logaddexp.reduce(hg.log_pmf(np.arange(first, last + 1), *margins)))
        near, below, above = 0.0, hg.log_tail_le(first - 1, *margins), hg.log_tail_ge(last + 1, *margins)
        if first > hg.tp_mean(*margins):
            near, far = float(hg.log_tail_ge(first, *margins)), float(above)
        elif last < hg.tp_mean(*margins):
            near, far = float(hg.log_tail_le(last, *margins)), float(below)
        else:  # the mean lies inside: both tails are what is missing
            far = float(np.logaddexp(below, above))
        return near + math.log1p(-math.exp(far - near)) if far < near else -math.inf

    @functools.cached_property
    def _window(self) -> tuple[IntArray, FloatArray, FloatArray]:
        """Where the finite values of the window stand in ascending order; its weights and raw values."""
        margins = (np.array([margin]) for margin in self._margins)
        ((_, nodes),) = hg.node_chunks(*margins, strided=False)
        raw = self._values(nodes.x)
        order = np.argsort(raw, kind="stable")
        return order[np.isfinite(raw[order])], nodes.weight, raw

    def _sorted_window(self) -> tuple[FloatArray, FloatArray]:
        order, weight, raw = self._window
        return raw[order], weight[order]

    def _in_window(self, low: FloatArray, high: FloatArray, *, open_low: bool, log: bool) -> FloatArray:
        values, weights = self._sorted_window()
        sums = np.concatenate(([0.0], np.cumsum(weights)))
        back = np.concatenate((np.cumsum(weights[::-1])[::-1], [0.0]))
        first = np.searchsorted(values, low, side="right" if open_low else "left")
        last = np.searchsorted(values, high, side="right")
        total = np.where(last >= len(values), back[first], sums[last] - sums[first])
        total = np.where(last > first, total, 0.0)
        with np.errstate(divide="ignore"):
            return np.log(total) if log else total
