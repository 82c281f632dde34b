"""Exceedance probabilities: P(score at least as good as this one) under many blind predictions at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null.expectation import WIDEST, Cells, Margins, cells_at, node_blocks, values_at
from clearbar.null.hypergeometric import (
    counted,
    least_true,
    log_pmf,
    log_tail_ge,
    pieces,
    support,
    tail_ge,
    window,
)

ULPS = 4  # a number this close to an atom is that atom: both were rounded on the way here

# Samples times ulps that one sample outweighs: it moves a score by about 2**52 ulp over their number.
FINE = 2.0**49

STEP = 2.0**-26  # relative shift of a cell that shows how a function carries on what its cells lack

# Roundings, relative to each cell, that a function of a few operations is taken to amount to.
CARRIED = 2.0**-49

TOGETHER = 2**14  # predictions looked at together: few enough to stay in a processor's cache


def score_tolerance(score: Any, total: Any = 1) -> FloatArray:
    """Return how far from a score a value may lie and still be it."""
    magnitude = np.abs(np.asarray(score, dtype=np.float64))
    ulps: Any = ULPS
    if np.max(total, initial=1) > FINE / ULPS:
        ulps = np.minimum(ULPS, FINE / np.maximum(total, 1))
    with np.errstate(invalid="ignore", over="ignore"):
        # an ulp of the atom, which may be the larger number and lie beyond a power of two
        return np.where(np.isfinite(magnitude), ulps * np.spacing(magnitude * (1 + 2**-50)), 0.0)


def attains(
    values: Any, score: Any, *, greater_is_better: bool | None, total: Any = 1, rounding: Any = 0.0
) -> BoolArray:
    """Return where raw values are at least as good as a score."""
    margin = np.maximum(score_tolerance(score, total), rounding)
    with np.errstate(invalid="ignore"):
        if greater_is_better is False:
            return np.asarray(values <= score + margin)
        return np.asarray(values >= score - margin)


def reaches(measure: Measure, cells: Cells, raw: FloatArray, score: Any, total: Any) -> BoolArray:
    """Return where tables are at least as good as a score."""
    # the catalogue's formulas lose less than the score_tolerance
    rounding = 0.0 if measure.in_catalogue else rounding_of(measure, cells, total)
    return attains(raw, score, greater_is_better=measure.greater_is_better, total=total, rounding=rounding)


def rounding_of(measure: Measure, cells: Sequence[Any], total: Any) -> FloatArray:
    """Return how much of the values of a user's function may be rounding; 0 where it has none."""
    # Differences cancel, and what is left has the absolute error of what went in. Shifting each cell a little
    # tells how much of it arrives; of two shifts the smaller effect counts, so that a kink on one side is no
    # rounding.
    raw = measure.values(*cells)
    carried = np.zeros(raw.shape)
    for cell in range(4):
        effects = []
        for shift in (1 + STEP, 1 - STEP):
            shifted = [np.asarray(column, dtype=np.float64) for column in cells]
            shifted[cell] = shifted[cell] * shift
            with np.errstate(invalid="ignore"):
                effects.append(np.abs(measure.values(*shifted) - raw))
        effect = np.fmin(*effects)
        carried += np.where(np.isfinite(effect), effect, 0.0)
    # never as much as one sample
    return np.asarray(carried / STEP * np.minimum(CARRIED, 1 / (8.0 * np.maximum(total, 1))))


def exceedance_probability(
    measure: Measure,
    total: Any,
    positives: Any,
    draws: Any,
    score: Any,
    *,
    fill: Any = np.nan,
    hint: Any = -1,
    log: bool = False,
) -> FloatArray:
    """Return P(score at least as good) for each prediction."""
    # Outcomes that are infinite on the better side count; outcomes without a value do not, unless `fill`
    # gives them one that does. With a TP that is likely to be the least one that attains the score as `hint`
    # it takes less time. nan where a prediction has too many outcomes to be added up.
    given = np.broadcast_arrays(*map(np.asarray, (total, positives, draws, score, fill, hint)))
    m, p, k, scores, fills, hints = (np.ascontiguousarray(array).reshape(-1) for array in given)
    chances = np.full(m.shape, np.nan)
    blocks = pieces(m.size, TOGETHER)
    for block in tracked(blocks, m.size, lambda block: block.stop - block.start, "p-values"):
        rows = block.start + np.flatnonzero(~np.isnan(scores[block]))
        margins = m[rows], p[rows], k[rows]
        if not (log or is_threshold(measure)):
            chances[rows] = counted(_by_sum(measure, margins, scores[rows], fills[rows]), m[rows], k[rows])
            continue
        least = _threshold(measure, margins, scores[rows], hints[rows])
        if log:
            chances[rows] = log_tail_ge(least, *margins)
            continue
        chances[rows] = np.minimum(tail_ge(least, *margins), 1.0)
        filled = rows[~np.isnan(fills[rows])]
        if filled.size:  # where no outcome has a value all of them take that of the policy
            margins = m[filled], p[filled], k[filled]
            without = ~np.isfinite(values_at(measure, support(*margins)[0], *margins))
            attained = attains(fills[filled], scores[filled], greater_is_better=measure.greater_is_better)
            chances[filled[without]] = attained[without]
    return chances.reshape(given[0].shape)


def log_mass(
    measure: Measure, total: int, positives: int, draws: int, scores: FloatArray, margin: FloatArray
) -> FloatArray:
    """Return log P(score = x) of one draw by a measure with a threshold: only one TP can have that score."""
    margins = tuple(np.full(scores.shape, margin, dtype=np.int64) for margin in (total, positives, draws))
    last = support(*margins)[1]
    least = _threshold(measure, margins, scores, np.full(scores.shape, -1))
    tp = np.minimum(least, last)
    same = (least <= last) & (np.abs(values_at(measure, tp, *margins) - scores) <= margin)
    return np.where(same, log_pmf(tp, *margins), -np.inf)


def is_threshold(measure: Measure) -> bool:
    """Return whether the outcomes that attain a score are those from some TP on."""
    # The catalogue's facts say so where more TP never hurts and all outcomes of a prediction have a value, or
    # none.
    return measure.better_with_tp and measure.in_catalogue and measure.domain.on_margins


def _threshold(measure: Measure, margins: Margins, scores: FloatArray, hint: IntArray) -> IntArray:
    """Return the least TP that attains the score."""
    greater = measure.greater_is_better

    def passes(tp: IntArray, rows: Any) -> BoolArray:
        m, p, k = (margin[rows] for margin in margins)
        values = values_at(measure, tp, m, p, k)
        return attains(values, scores[rows], greater_is_better=greater, total=m)

    return least_true(passes, *support(*margins), hint)


def _by_sum(measure: Measure, margins: Margins, scores: FloatArray, fill: FloatArray) -> FloatArray:
    """Add up the outcomes that attain the score, among all but 2e-18 of the mass."""
    chances = np.full(scores.shape, np.nan)
    first, last = window(*margins)
    summable = np.flatnonzero(last - first < WIDEST)
    for block, tp, weight in node_blocks(tuple(margin[summable] for margin in margins), smooth=False):
        rows = summable[block]
        cells = cells_at(tp, *(margin[rows, None] for margin in margins))
        raw, filled = measure.values(*cells), fill[rows, None]
        raw = np.where(np.isnan(raw) | (np.isinf(raw) & ~np.isnan(filled)), filled, raw)
        attained = reaches(measure, cells, raw, scores[rows, None], margins[0][rows, None])
        chances[rows] = np.minimum((weight * attained).sum(axis=1), 1.0)
    return chances
