"""How likely two models differ as much if each sample's answers may be swapped: exact, for ordered measures.

Among the positive samples that only one of the two calls positive, model a is right on X ~ Bin(n, 1/2); among
such negative ones on Y ~ Bin(m, 1/2). The difference of the scores rises in both, so that for each X a
least Y reaches it, and two cumulated laws of coins tell the rest. For accuracy this is McNemar's exact test.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.binomial import log_pmf
from clearbar.null import least_true
from clearbar.problems.exchanged import REACH, TIE

Scored = Callable[[FloatArray, FloatArray], FloatArray]
"""Scores of TP and FP at the class sizes, losses as their negatives; nan where there is none."""

NEGLIGIBLE = 36.0
"""Nats below the likeliest X from which on none is added up: all of them are below 1e-15 of the whole."""

WIDTH = 10.0
"""Standard deviations beyond which the rest of a law of coins is below 1e-16 of it."""

COARSE = 64
"""Places between which the least Y is first interpolated."""

ROUGH = 8
"""Of these, every so many are looked for without a hint."""

_ROWS = slice(None), None
"""Of numbers per pair a column, beside rows of swaps."""

CELLS = 2**16
"""Rows that are worked on together, so that they stay in a processor's cache."""


class Discord(NamedTuple):
    """Pairs of models, one per row: samples that both call positive, only a does, and only b does."""

    both_tp: IntArray
    only_a_tp: IntArray
    only_b_tp: IntArray
    both_fp: IntArray
    only_a_fp: IntArray
    only_b_fp: IntArray


def swap_p_values(scored: Scored, pairs: Discord) -> FloatArray:
    """Return two-sided p-values; nan where a score has no value."""
    pairs = Discord(*(np.atleast_1d(np.asarray(column, dtype=np.int64)) for column in tuple(pairs)))
    law = _Law.of(scored, pairs)
    p_values = np.where(np.isnan(law.seen), np.nan, 1.0)
    rows = np.flatnonzero(law.seen > law.slack)
    rows = rows[np.argsort(law.positive[rows], kind="stable")]  # windows of about the same width together
    start = 0
    while start < rows.size:
        wide = WIDTH * math.sqrt(law.positive[rows[start:]].max() + 1) + COARSE
        cut = rows[start : start + max(1, int(CELLS / wide))]
        p_values[cut] = np.minimum(law.at(cut).tail(), 1.0)
        start += cut.size
    return p_values


class _Law(NamedTuple):
    """What of each pair varies: X of `positive` coins and Y of `negative` ones; and the difference seen."""

    scored: Scored
    both_tp: IntArray
    both_fp: IntArray
    positive: IntArray
    negative: IntArray
    seen: FloatArray
    slack: FloatArray

    @classmethod
    def of(cls, scored: Scored, pairs: Discord) -> _Law:
        """Read off the tables."""
        n, m = pairs.only_a_tp + pairs.only_b_tp, pairs.only_a_fp + pairs.only_b_fp
        a = scored(*map(_floats, (pairs.both_tp + pairs.only_a_tp, pairs.both_fp + pairs.only_a_fp)))
        b = scored(*map(_floats, (pairs.both_tp + pairs.only_b_tp, pairs.both_fp + pairs.only_b_fp)))
        slack = TIE * np.maximum(np.abs(a), np.abs(b))
        return cls(scored, pairs.both_tp, pairs.both_fp, n, m, np.abs(a - b), slack)

    def at(self, rows: Any) -> _Law:
        """Select pairs."""
        return _Law(self.scored, *(np.asarray(column)[rows] for column in tuple(self)[1:]))

    def ahead(self, x: Any, y: Any, of: Any) -> FloatArray:
        """Return by how much a is ahead where it is right on so many of its pair's coins."""
        tp, fp, n, m = (column[of] for column in (self.both_tp, self.both_fp, self.positive, self.negative))
        return self.scored(_floats(tp + x), _floats(fp + m - y)) - self.scored(
            _floats(tp + n - x), _floats(fp + y)
        )

    def reaches(self, x: Any, y: Any, of: Any) -> BoolArray:
        """Whether that is as much as was seen; the one corner without a value among the largest Y does."""
        ahead = self.ahead(x, y, of)
        return np.asarray(
            np.where(np.isnan(ahead), 2 * y >= self.negative[of], ahead >= (self.seen - self.slack)[of])
        )

    def least(self, x: IntArray, low: IntArray, high: IntArray, hint: IntArray, of: IntArray) -> IntArray:
        """Return the least Y that reaches it for each X, between two bounds; one beyond where none does."""
        return least_true(lambda y, rows: self.reaches(x[rows], y, of[rows]), low, high, hint)

    def tail(self) -> FloatArray:
        """Return the probability of differences at least as large, in size."""
        pairs = np.arange(len(self.positive))
        n, m = self.positive, self.negative
        reach = np.minimum(n / 2, REACH * np.sqrt(n) / 2)
        share = np.linspace(-1.0, 1.0, COARSE + 1)
        grid = np.clip(np.rint(n[:, None] / 2 + share * reach[:, None]).astype(np.int64), 0, n[:, None])
        rough = self._on(grid[:, ::ROUGH], np.full((len(n), COARSE // ROUGH + 1), -1))
        place = np.arange(COARSE + 1) / ROUGH
        left = np.minimum(place.astype(np.int64), COARSE // ROUGH - 1)
        between = rough[:, left] + (place - left) * (rough[:, left + 1] - rough[:, left])
        coarse = self._on(grid, np.rint(between).astype(np.int64))
        # Around the likeliest X of the tail, X is added up one by one.
        off = np.maximum(coarse - m[:, None] / 2, 0.0)
        cost = (grid - n[:, None] / 2) ** 2 / np.maximum(n, 1)[:, None] + off**2 / np.maximum(m, 1)[:, None]
        cost[coarse > m[:, None]] = np.inf
        likeliest = cost.min(axis=1, keepdims=True)
        near = 2 * cost <= np.where(np.isfinite(likeliest), 2 * likeliest, 0.0) + NEGLIGIBLE
        last_near = COARSE - np.argmax(near[:, ::-1], axis=1)
        first = grid[pairs, np.maximum(np.argmax(near, axis=1) - 1, 0)]
        final = grid[pairs, np.minimum(last_near + 1, COARSE)]
        # No nearer to the likeliest than X alone allows.
        wide = np.sqrt(n * (np.where(np.isfinite(likeliest[:, 0]), likeliest[:, 0], 0.0) + NEGLIGIBLE / 2))
        first = np.maximum(first, np.floor(n / 2 - wide).astype(np.int64))
        final = np.maximum(np.minimum(final, np.ceil(n / 2 + wide).astype(np.int64)), first)
        x = first[:, None] + np.arange(int((final - first).max()) + 1)
        inside = x <= final[:, None]
        x = np.minimum(x, final[:, None])
        y = self._between(x, grid, coarse)
        weight = np.where(inside, _coins(n, x), 0.0)
        return self._with_corners(2 * (weight * _upper(m, y)).sum(axis=1), x, y, inside)

    def _on(self, grid: IntArray, hint: IntArray) -> IntArray:
        """Return the least Y of every X of a grid, one row per pair."""
        of = np.repeat(np.arange(len(grid)), grid.shape[1])
        flat = grid.reshape(-1)
        return self.least(flat, np.zeros_like(flat), self.negative[of], hint.reshape(-1), of).reshape(
            grid.shape
        )

    def _between(self, x: IntArray, grid: IntArray, coarse: IntArray) -> IntArray:
        """Return the least Y of every X: interpolated, and mended where that is not it."""
        m, exactly = self.negative[:, None], x.astype(np.float64)
        rows = zip(exactly, grid, coarse, strict=True)
        guess = np.rint(np.stack([np.interp(here, own, least) for here, own, least in rows]))
        # Nearly always it is; only where it is not, or nothing lies below it, it is searched for.
        right = self.reaches(exactly, guess, _ROWS) & ~self.reaches(exactly, guess - 1, _ROWS)
        least_y: IntArray = guess.astype(np.int64)
        pairs, places = np.nonzero(~right | (least_y < 1) | (least_y > m))
        here = pairs, places
        at = np.clip((grid[pairs] <= x[here][:, None]).sum(axis=1), 1, grid.shape[1] - 1)
        top, bottom = coarse[pairs, at - 1], coarse[pairs, at]
        low, high = np.maximum(np.minimum(bottom, top), 0), np.maximum(bottom, top) - 1
        least_y[here] = self.least(x[here], low, high, least_y[here], pairs)
        return least_y

    def _with_corners(self, total: FloatArray, x: IntArray, y: IntArray, inside: BoolArray) -> FloatArray:
        """Look at the two swaps that give one model all calls of its own: there may be no value."""
        n, m = self.positive, self.negative
        seen = np.flatnonzero(n + m < 1075)  # of more, a single swap is less likely than 1e-323
        if not seen.size:
            return total
        single = np.exp2(-(n + m)[seen].astype(np.float64))
        for corner_x, corner_y in ((np.zeros_like(n), m), (n, np.zeros_like(m))):
            counted = ((x == corner_x[:, None]) & (y <= corner_y[:, None]) & inside).any(axis=1)[seen]
            alone = self.ahead(corner_x[seen], corner_y[seen], seen)
            extreme = ~(np.abs(alone) < (self.seen - self.slack)[seen])
            total[seen] += single * (extreme - 2.0 * counted)
        return total


def _coins(number: IntArray, heads: IntArray) -> FloatArray:
    """Return the probability of so many heads of fair coins, of shape (pairs, numbers)."""
    middle = (number // 2)[:, None]
    away = np.maximum(heads, number[:, None] - heads) - middle
    up = middle + np.arange(int(away.max()))
    falling = np.maximum(number[:, None] - up, 0) / (up + 1)  # each probability over the one before, outwards
    n, at = number.astype(np.float64), middle[:, 0].astype(np.float64)
    peak = np.where(n > 0, np.exp(log_pmf(at, np.maximum(n, 1.0), np.full_like(n, 0.5))), 1.0)
    outwards = np.cumprod(np.concatenate((peak[:, None], falling), axis=1), axis=1)
    return np.take_along_axis(outwards, away, axis=1)


def _upper(number: IntArray, heads: IntArray) -> FloatArray:
    """Return the probability of at least so many heads, to full relative precision."""
    n = number.astype(np.float64)
    sd = np.sqrt(n) / 2
    low = np.maximum(heads.min(axis=1), np.floor(n / 2 - WIDTH * sd)).astype(np.int64)
    low = np.clip(low, 0, number)
    deep = np.minimum(np.maximum(heads.max(axis=1), n / 2), n / 2 + REACH * sd)
    high = np.minimum(number, np.ceil(deep + WIDTH * sd)).astype(np.int64)
    k = np.minimum(low[:, None] + np.arange(int((high - low).max()) + 1), high[:, None])
    weight = np.where(k == low[:, None] + np.arange(k.shape[1]), _coins(number, k), 0.0)
    above = np.cumsum(weight[:, ::-1], axis=1)[:, ::-1]
    place = np.clip(heads - low[:, None], 0, k.shape[1] - 1)
    tails = np.take_along_axis(above, place, axis=1)
    tails = np.where(heads > high[:, None], 0.0, tails)
    return np.where(heads < low[:, None], 1.0, np.minimum(tails, 1.0))


def _floats(column: Any) -> FloatArray:
    return np.asarray(column, dtype=np.float64)
