"""How likely is a score at least this good, under many draws at once?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.null._attain import attains, reaches
from clearbar.null._search import least_true, likely_tp
from clearbar.null._tables import Cells, cells_at

MOST_POINTS = 2**20
"""Reachable tables of one draw up to which all are looked at."""

DEVIATIONS = 40
"""Standard deviations from the mode within which the tables of other draws are looked at."""

WIDEST_SUM = 2**24
"""Tables up to which they are added up."""

FEW_TABLES = 2**8
"""Tables that are faster looked at than searched."""

TOGETHER = 2**14
"""Draws looked at together: few enough to stay in a processor's cache."""

CHUNK = 2**18
"""Tables held in memory at once."""


class Draws(NamedTuple):
    """Draws, the score that each is to reach, what its outcomes without a value count as, and its support."""

    total: IntArray
    positives: IntArray
    predicted: IntArray
    score: FloatArray
    fill: FloatArray
    low: IntArray
    high: IntArray

    @property
    def margins(self) -> tuple[IntArray, IntArray, IntArray]:
        """Samples, positive ones, and those that are predicted positive."""
        return self.total, self.positives, self.predicted

    def take(self, rows: Any) -> Draws:
        """Some of the draws."""
        return Draws(*(column[rows] for column in self))

    def cells(self, tp: IntArray, rows: Any = ...) -> Cells:
        """The tables with these true positives."""
        return cells_at(tp, *(margin[rows] for margin in self.margins))

    def tail_ge(self, tp: IntArray) -> FloatArray:
        """The probability of at least so many true positives."""
        return hg.tail_ge(tp, *self.margins)


def reach_probability(
    measure: Measure,
    total: Any,
    positives: Any,
    draws: Any,
    score: Any,
    *,
    fill: Any = np.nan,
    hint: Any = None,
    at_hint: Any = None,
) -> FloatArray:
    """Return P(score at least as good) under each draw.

    Outcomes that are infinite on the better side count; outcomes without a value do not, unless `fill` gives
    them one that does. nan where a measure without structure meets a draw too wide to be added up.
    """
    unknown = np.nan if at_hint is None else at_hint
    given = (total, positives, draws, score, fill, -1 if hint is None else hint, unknown)
    arrays = np.broadcast_arrays(*(np.asarray(a) for a in given))
    shape = arrays[0].shape
    flat = [np.ascontiguousarray(a).reshape(-1) for a in arrays]
    chances = np.full(flat[0].shape, np.nan)
    parts = hg.pieces(chances.size, TOGETHER)
    for part in tracked(parts, chances.size, lambda part: part.stop - part.start, "p-values"):
        known = ~np.isnan(flat[3][part])
        rows: Any = slice(None) if known.all() else np.flatnonzero(known)
        m, p, k, s, c, h, t = (array[part][rows] for array in flat)
        draws = Draws(m, p, k, s, c, *hg.support(m, p, k))
        chances[part][rows] = (
            _by_threshold(measure, draws, h, t) if measure.better_with_tp else _without_order(measure, draws)
        )
    return chances.reshape(shape)


def _without_order(measure: Measure, draws: Draws) -> FloatArray:
    """Look at all outcomes, or at both ends where the measure is convex and there are many."""
    width = draws.high - draws.low
    chances = np.full(width.shape, np.nan)
    both_ends = (width >= FEW_TABLES) & bool(measure.convex_in_tp)
    wide = ~both_ends & (width >= MOST_POINTS)
    if wide.any():
        reach = (DEVIATIONS * np.sqrt(hg.tp_variance(*draws.margins))).astype(np.int64) + 64
        mode = hg.mode(*draws.margins)
        low, high = np.maximum(draws.low, mode - reach), np.minimum(draws.high, mode + reach)
        draws = draws._replace(low=np.where(wide, low, draws.low), high=np.where(wide, high, draws.high))
    for route, rows in (
        (_by_both_ends, np.flatnonzero(both_ends)),
        (_by_enumeration, np.flatnonzero(~both_ends & (draws.high - draws.low <= WIDEST_SUM))),
    ):
        if rows.size:
            chances[rows] = route(measure, draws.take(rows))
    return chances


def _by_threshold(measure: Measure, draws: Draws, hint: IntArray, at_hint: FloatArray) -> FloatArray:
    """Find the least TP that attains the score: the outcomes that do are an upper tail."""
    low, high, fill = draws.low, draws.high, draws.fill

    def passes(tp: IntArray, rows: Any) -> BoolArray:
        cells = draws.cells(tp, rows)
        raw = measure.values(*cells)
        own = np.isnan(fill[rows]) | np.isfinite(raw)  # the policy gives the others its own value
        reached: BoolArray = own & reaches(measure, cells, raw, draws.score[rows], draws.total[rows])
        return reached

    last = _last_with_value(measure, draws)
    unknown = np.flatnonzero((hint < low) & (high - low > FEW_TABLES))
    if unknown.size:
        hint = hint.copy()
        part = draws.take(unknown)
        hint[unknown] = likely_tp(measure, *part.margins, part.score)
    threshold = least_true(passes, low, last, hint)
    chances = np.where((threshold <= last) & (threshold == hint), at_hint, np.nan)
    rows = np.flatnonzero(np.isnan(chances) & (threshold <= last))
    chances[rows] = draws.take(rows).tail_ge(threshold[rows])
    chances[threshold > last] = 0.0
    cut = np.flatnonzero((last < high) & (threshold <= last))
    chances[cut] -= draws.take(cut).tail_ge(last[cut] + 1)
    counts = ~np.isnan(fill) & attains(fill, draws.score, greater_is_better=measure.greater_is_better)
    if counts.any():
        rows = np.flatnonzero(counts)
        filled = draws.take(rows)
        chances[rows] += _undefined_below(measure, filled, threshold[rows])
        chances[rows] += np.where(last[rows] < filled.high, filled.tail_ge(last[rows] + 1), 0.0)
    return np.minimum(chances, 1.0)


def _last_with_value(measure: Measure, draws: Draws) -> IntArray:
    """Return the largest TP whose outcome can attain a score, ``high`` where all or none can.

    An infinite outcome can, unless the policy gives every outcome without a value another one.
    """
    high, last = draws.high, draws.high.copy()
    if measure.in_catalogue and measure.domain.on_margins:  # all outcomes of a draw have a value, or none
        return last

    def without(tp: IntArray, rows: Any) -> BoolArray:
        raw = measure.values(*draws.cells(tp, rows))
        return np.where(np.isnan(draws.fill[rows]), np.isnan(raw), ~np.isfinite(raw))

    rows = np.flatnonzero(without(high, ...) & (high > draws.low))
    # Nearly always it is the last outcome alone; otherwise all beyond a defined mode.
    mode = hg.mode(*draws.take(rows).margins)
    anchor = np.where(without(high[rows] - 1, rows), mode, high[rows] - 1)
    known = ~without(anchor, rows)
    rows, anchor = rows[known], anchor[known]
    if rows.size:
        none = np.full_like(rows, -1)
        first = least_true(lambda tp, at: without(tp, rows[at]), anchor, high[rows], none)
        last[rows] = first - 1
    return last


def _by_both_ends(measure: Measure, draws: Draws) -> FloatArray:
    """Find both ends of the outcomes that attain the score: what does not is an interval of TP."""
    low, high = draws.low, draws.high

    def value(tp: IntArray, rows: Any = ...) -> FloatArray:
        return measure.values(*draws.cells(tp, rows))

    def turns(tp: IntArray, rows: Any) -> BoolArray:
        return np.asarray(value(tp + 1, rows) >= value(tp, rows))

    nowhere = np.full_like(low, -1)
    bottom = least_true(turns, low, high - 1, nowhere)

    def above(tp: IntArray, rows: Any) -> BoolArray:
        score, total = draws.score[rows], draws.total[rows]
        return reaches(measure, draws.cells(tp, rows), value(tp, rows), score, total)

    def below(steps: IntArray, rows: Any) -> BoolArray:
        return above(bottom[rows] - steps, rows)

    right = least_true(above, bottom, high, nowhere)
    left = bottom - least_true(below, np.zeros_like(low), bottom - low, nowhere)
    chances = np.where(right == left, 1.0, draws.tail_ge(right) + hg.tail_le(left, *draws.margins))
    missing = np.isnan(value(bottom))
    filled = missing & attains(draws.fill, draws.score, greater_is_better=measure.greater_is_better)
    return np.minimum(np.where(filled, 1.0, chances), 1.0)


def _undefined_below(measure: Measure, draws: Draws, threshold: IntArray) -> FloatArray:
    """Mass without a value below the threshold: for measures that rise in TP it sits at the low end."""

    def has_value(tp: IntArray, rows: Any) -> BoolArray:
        return np.isfinite(measure.values(*draws.cells(tp, rows)))

    first = least_true(has_value, draws.low, threshold - 1, np.full_like(draws.low, -1))
    return np.where(first > draws.low, hg.tail_le(first - 1, *draws.margins), 0.0)


def _by_enumeration(measure: Measure, draws: Draws) -> FloatArray:
    """Add up the outcomes that attain the score, whatever the measure looks like in TP."""
    chances = np.zeros(draws.low.shape)
    ends = np.cumsum(draws.high - draws.low + 1)
    for part in hg.pieces(int(ends[-1]), CHUNK):
        at = np.arange(part.start, part.stop)
        row = np.searchsorted(ends, at, side="right")
        tp = draws.high[row] - (ends[row] - 1 - at)
        margins, fill = [margin[row] for margin in draws.margins], draws.fill[row]
        cells = cells_at(tp, *margins)
        raw = measure.values(*cells)
        raw = np.where(np.isnan(raw) | (np.isinf(raw) & ~np.isnan(fill)), fill, raw)
        counts = reaches(measure, cells, raw, draws.score[row], margins[0])
        mass = np.zeros(tp.shape)
        mass[counts] = hg.pmf(tp[counts], *(margin[counts] for margin in margins))
        start = np.flatnonzero(np.diff(row, prepend=-1))
        chances[row[start]] += np.add.reduceat(mass, start)
    return np.minimum(chances, 1.0)
