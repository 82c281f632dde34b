"""The law of a score where a draw reaches too many tables to look at each."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from clearbar import hypergeometric as hg
from clearbar._typing import BoolArray, FloatArray, IntArray
from clearbar.measures import Measure
from clearbar.null._reach import least_true
from clearbar.null._tables import values_at


class WideLaw:
    """Probabilities of intervals of scores, by turning them into intervals of TP.

    A measure that never turns back in TP is inverted by bisection, at any size. Any other is looked
    at over the window that holds all but 2e-18 of the mass.
    """

    def __init__(self, measure: Measure, total: int, positives: int, draws: int) -> None:
        self._measure = measure
        self._margins = (total, positives, draws)
        low, high = hg.support(*self._margins)
        self._low, self._high = int(low), int(high)
        self._first, self._last = self._where_defined()
        self._direction = self._direction_in_tp()
        ends = self._values(np.array([self._low, self._high]))
        before = float(hg.tail_le(self._first - 1, *self._margins))
        after = float(hg.tail_ge(self._last + 1, *self._margins))
        self.undefined = before + after
        self.infinite_low = before * bool(np.isneginf(ends[0])) + after * bool(np.isneginf(ends[1]))
        self.infinite_high = before * bool(np.isposinf(ends[0])) + after * bool(np.isposinf(ends[1]))

    def between(self, low: FloatArray, high: FloatArray, *, open_low: bool, log: bool) -> FloatArray:
        """Return the (log) probability of a score in [low, high], or (low, high]."""
        if not self._direction:
            return self._in_window(low, high, open_low=open_low, log=log)

        def above(tp: IntArray, rows: IntArray) -> BoolArray:
            values = self._values(tp)
            return values > low[rows] if open_low else values >= low[rows]

        def beyond(tp: IntArray, rows: IntArray) -> BoolArray:
            return self._values(tp) > high[rows]

        if self._direction > 0:
            first, end = self._least(above, low.shape), self._least(beyond, low.shape)
        else:
            first = self._least(lambda tp, rows: ~beyond(tp, rows), low.shape)
            end = self._least(lambda tp, rows: ~above(tp, rows), low.shape)
        found = self._log_interval(first, end - 1)
        return found if log else np.exp(found)

    def quantile(self, q: FloatArray) -> FloatArray:
        """Return the smallest value with at least this much of the defined mass at or below it."""
        if not self._direction:
            values, weights = self._window()
            sums = np.cumsum(weights)
            index = np.searchsorted(sums * (1 + 4e-16), q * sums[-1], side="left")
            found: FloatArray = values[np.minimum(index, len(values) - 1)]
            return found
        share = q * (1 - self.undefined)
        if self._direction > 0:
            tp = hg.quantile(share + float(hg.tail_le(self._first - 1, *self._margins)), *self._margins)
        else:
            share = share + float(hg.tail_ge(self._last + 1, *self._margins))
            tp = hg.quantile(share, *self._margins, upper=True)
            tp = tp + (hg.tail_ge(tp + 1, *self._margins) >= share)
        return self._values(np.clip(tp, self._first, self._last))

    def extremes(self) -> tuple[float, float]:
        """Return the smallest and the largest value."""
        ends = self._values(np.array([self._first, self._last]))
        if not self._direction:
            ends = np.concatenate((ends, self._window()[0]))
        return float(ends.min()), float(ends.max())

    def _direction_in_tp(self) -> int:
        measure = self._measure
        if not (measure.affine or measure.better_with_tp):
            return 0
        near, far = self._values(np.array([self._first, max(self._last, self._first)]))
        return 1 if far >= near else -1

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
        mode = points[:1]
        none = np.array([-1])
        first = least_true(defined, np.array([self._low]), mode, none)
        past = least_true(lambda tp, rows: ~defined(tp, rows), mode, np.array([self._high]), none)
        return int(first[0]), int(past[0]) - 1

    def _values(self, tp: IntArray) -> FloatArray:
        return values_at(self._measure, tp, *(np.full(tp.shape, a) for a in self._margins))

    def _least(self, test: Callable[[IntArray, IntArray], BoolArray], shape: tuple[int, ...]) -> IntArray:
        low, high = np.full(shape, self._first), np.full(shape, self._last)
        return least_true(test, low, high, np.full(shape, -1))

    def _log_interval(self, first: IntArray, last: IntArray) -> FloatArray:
        """Return log P(first <= TP <= last), from whichever tail keeps the digits."""
        if np.any((first > self._low) & (last < self._high) & (last >= first) & (last - first < 64)):
            return np.array([self._narrow(int(a), int(b)) for a, b in zip(first, last, strict=True)])
        upper = first > hg.tp_mean(*self._margins)
        near = np.where(upper, hg.log_tail_ge(first, *self._margins), hg.log_tail_le(last, *self._margins))
        far = np.where(
            upper, hg.log_tail_ge(last + 1, *self._margins), hg.log_tail_le(first - 1, *self._margins)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            found = near + np.log1p(-np.exp(np.minimum(far - near, 0.0)))
            found = np.where(np.isneginf(far), near, found)
        found = np.where(first <= self._low, hg.log_tail_le(last, *self._margins), found)
        found = np.where(last >= self._high, hg.log_tail_ge(first, *self._margins), found)
        return np.where(last < first, -np.inf, found)

    def _narrow(self, first: int, last: int) -> float:
        if last < first:
            return -math.inf
        if last - first >= 64 or first <= self._low or last >= self._high:
            return float(self._log_interval(np.array([first]), np.array([last]))[0])
        return float(np.logaddexp.reduce(hg.log_pmf(np.arange(first, last + 1), *self._margins)))

    def _window(self) -> tuple[FloatArray, FloatArray]:
        margins = (np.array([margin]) for margin in self._margins)
        ((_, nodes),) = hg.node_chunks(*margins, strided=False)
        values = self._values(nodes.x)
        order = np.argsort(values)
        order = order[np.isfinite(values[order])]
        return values[order], nodes.weight[order]

    def _in_window(self, low: FloatArray, high: FloatArray, *, open_low: bool, log: bool) -> FloatArray:
        values, weights = self._window()
        sums = np.concatenate(([0.0], np.cumsum(weights)))
        back = np.concatenate((np.cumsum(weights[::-1])[::-1], [0.0]))
        first = np.searchsorted(values, low, side="right" if open_low else "left")
        last = np.searchsorted(values, high, side="right")
        found = np.where(last >= len(values), back[first], sums[last] - sums[first])
        found = np.where(last > first, found, 0.0)
        with np.errstate(divide="ignore"):
            return np.log(found) if log else found
