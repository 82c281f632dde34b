"""How likely is a score at least this good, under many draws at once?"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.distributions import hypergeometric as hg
from clearbar.distributions.null._attain import attains, reaches
from clearbar.distributions.null._search import least_true, likely_tp
from clearbar.distributions.null._tables import cells_at, values_at

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
    route = _by_threshold if measure.better_with_tp else _without_order
    parts = hg.pieces(chances.size, TOGETHER)
    for part in tracked(parts, chances.size, lambda part: part.stop - part.start, "p-values"):
        m, p, k, s, c, h, t = (array[part] for array in flat)
        known = np.flatnonzero(~np.isnan(s))
        if known.size < s.size:
            m, p, k, s, c, h, t = (array[known] for array in (m, p, k, s, c, h, t))
        chances[part][known] = route(measure, m, p, k, s, c, h, t)
    return chances.reshape(shape)


def _without_order(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    k: IntArray,
    s: FloatArray,
    fill: FloatArray,
    *_: Any,
) -> FloatArray:
    """Look at all outcomes, or at both ends where the measure is convex and there are many."""
    low, high = hg.support(m, p, k)
    chances = np.full(m.shape, np.nan)
    both_ends = (high - low >= FEW_TABLES) & bool(measure.convex_in_tp)
    wide = ~both_ends & (high - low >= MOST_POINTS)
    if wide.any():
        reach = (DEVIATIONS * np.sqrt(hg.tp_variance(m, p, k))).astype(np.int64) + 64
        mode = hg.mode(m, p, k)
        low = np.where(wide, np.maximum(low, mode - reach), low)
        high = np.where(wide, np.minimum(high, mode + reach), high)
    rows = np.flatnonzero(both_ends)
    if rows.size:
        chances[rows] = _by_both_ends(measure, m[rows], p[rows], k[rows], s[rows], fill[rows])
    rows = np.flatnonzero(~both_ends & (high - low <= WIDEST_SUM))
    if rows.size:
        margins, ends = (m[rows], p[rows], k[rows]), (low[rows], high[rows])
        chances[rows] = _by_enumeration(measure, *margins, s[rows], fill[rows], *ends)
    return chances


def _by_threshold(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    k: IntArray,
    s: FloatArray,
    fill: FloatArray,
    hint: IntArray,
    at_hint: FloatArray,
) -> FloatArray:
    """Find the least TP that attains the score: the outcomes that do are an upper tail."""
    low, high = hg.support(m, p, k)
    best = measure.greater_is_better

    def passes(tp: IntArray, rows: Any) -> BoolArray:
        cells = cells_at(tp, m[rows], p[rows], k[rows])
        raw = measure.values(*cells)
        own = np.isnan(fill[rows]) | np.isfinite(raw)  # the policy gives the others its own value
        reached: BoolArray = own & reaches(measure, cells, raw, s[rows], m[rows])
        return reached

    last = _last_with_value(measure, m, p, k, high, fill)
    unknown = np.flatnonzero((hint < low) & (high - low > FEW_TABLES))
    if unknown.size:
        hint = hint.copy()
        hint[unknown] = likely_tp(measure, m[unknown], p[unknown], k[unknown], s[unknown])
    threshold = least_true(passes, low, last, hint)
    chances = np.where((threshold <= last) & (threshold == hint), at_hint, np.nan)
    rows = np.flatnonzero(np.isnan(chances) & (threshold <= last))
    chances[rows] = hg.tail_ge(threshold[rows], m[rows], p[rows], k[rows])
    chances[threshold > last] = 0.0
    cut = np.flatnonzero((last < high) & (threshold <= last))
    chances[cut] -= hg.tail_ge(last[cut] + 1, m[cut], p[cut], k[cut])
    counts = ~np.isnan(fill) & attains(fill, s, greater_is_better=best)
    if counts.any():
        rows = np.flatnonzero(counts)
        chances[rows] += _undefined_below(measure, m[rows], p[rows], k[rows], threshold[rows])
        chances[rows] += np.where(
            last[rows] < high[rows], hg.tail_ge(last[rows] + 1, m[rows], p[rows], k[rows]), 0.0
        )
    return np.minimum(chances, 1.0)


def _last_with_value(
    measure: Measure, m: IntArray, p: IntArray, k: IntArray, high: IntArray, fill: FloatArray
) -> IntArray:
    """Return the largest TP whose outcome can attain a score, ``high`` where all or none can.

    An infinite outcome can, unless the policy gives every outcome without a value another one.
    """
    last = high.copy()
    if measure.in_catalogue and measure.domain.on_margins:  # all outcomes of a draw have a value, or none
        return last
    low, _ = hg.support(m, p, k)

    def without(tp: IntArray, rows: Any) -> BoolArray:
        raw = values_at(measure, tp, m[rows], p[rows], k[rows])
        return np.where(np.isnan(fill[rows]), np.isnan(raw), ~np.isfinite(raw))

    rows = np.flatnonzero(without(high, np.arange(len(m))) & (high > low))
    # Nearly always it is the last outcome alone; otherwise all beyond a defined mode.
    anchor = np.where(without(high[rows] - 1, rows), hg.mode(m[rows], p[rows], k[rows]), high[rows] - 1)
    known = ~without(anchor, rows)
    rows, anchor = rows[known], anchor[known]
    if rows.size:
        none = np.full_like(rows, -1)
        first = least_true(lambda tp, at: without(tp, rows[at]), anchor, high[rows], none)
        last[rows] = first - 1
    return last


def _by_both_ends(
    measure: Measure, m: IntArray, p: IntArray, k: IntArray, s: FloatArray, fill: FloatArray
) -> FloatArray:
    """Find both ends of the outcomes that attain the score: what does not is an interval of TP."""
    low, high = hg.support(m, p, k)
    best = measure.greater_is_better

    def value(tp: IntArray, rows: Any) -> FloatArray:
        return values_at(measure, tp, m[rows], p[rows], k[rows])

    def turns(tp: IntArray, rows: Any) -> BoolArray:
        return np.asarray(value(tp + 1, rows) >= value(tp, rows))

    nowhere = np.full_like(low, -1)
    bottom = least_true(turns, low, high - 1, nowhere)

    def above(tp: IntArray, rows: Any) -> BoolArray:
        return reaches(measure, cells_at(tp, m[rows], p[rows], k[rows]), value(tp, rows), s[rows], m[rows])

    def below(steps: IntArray, rows: Any) -> BoolArray:
        return above(bottom[rows] - steps, rows)

    right = least_true(above, bottom, high, nowhere)
    left = bottom - least_true(below, np.zeros_like(low), bottom - low, nowhere)
    chances = np.where(right == left, 1.0, hg.tail_ge(right, m, p, k) + hg.tail_le(left, m, p, k))
    missing = np.isnan(value(bottom, np.arange(len(m))))
    filled = missing & attains(fill, s, greater_is_better=best)
    return np.minimum(np.where(filled, 1.0, chances), 1.0)


def _undefined_below(
    measure: Measure, m: IntArray, p: IntArray, k: IntArray, threshold: IntArray
) -> FloatArray:
    """Mass without a value below the threshold: for measures that rise in TP it sits at the low end."""
    low, _ = hg.support(m, p, k)

    def has_value(tp: IntArray, rows: Any) -> BoolArray:
        return np.isfinite(values_at(measure, tp, m[rows], p[rows], k[rows]))

    first = least_true(has_value, low, threshold - 1, np.full_like(low, -1))
    return np.where(first > low, hg.tail_le(first - 1, m, p, k), 0.0)


def _by_enumeration(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    k: IntArray,
    s: FloatArray,
    fill: FloatArray,
    low: IntArray,
    high: IntArray,
) -> FloatArray:
    """Add up the outcomes that attain the score, whatever the measure looks like in TP."""
    chances = np.zeros(m.shape)
    ends = np.cumsum(high - low + 1)
    for part in hg.pieces(int(ends[-1]), CHUNK):
        at = np.arange(part.start, part.stop)
        draw = np.searchsorted(ends, at, side="right")
        tp = high[draw] - (ends[draw] - 1 - at)
        margins, value = (m[draw], p[draw], k[draw]), fill[draw]
        raw = values_at(measure, tp, *margins)
        raw = np.where(np.isnan(raw) | (np.isinf(raw) & ~np.isnan(value)), value, raw)
        counts = reaches(measure, cells_at(tp, *margins), raw, s[draw], margins[0])
        mass = np.zeros(tp.shape)
        mass[counts] = hg.pmf(tp[counts], *(margin[counts] for margin in margins))
        start = np.flatnonzero(np.diff(draw, prepend=-1))
        chances[draw[start]] += np.add.reduceat(mass, start)
    return np.minimum(chances, 1.0)
