"""How likely is a score at least as good as this one, under many blind predictions at once?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null.arrays import cuts, laid_out, least_true, pieces
from clearbar.null.expectation import cells_at
from clearbar.null.hypergeometric import counted, log_tail_ge, pmf, support, tail_ge, window

ULPS = 4
"""A number this close to an atom is that atom: both were rounded on the way here."""

FINE = 2.0**49
"""Samples times ulps that one sample outweighs: it moves a score by about 2**52 ulp over their number."""

STEP = 2.0**-26
"""Relative shift of a cell that shows how a function carries on what its cells lack."""

CARRIED = 2.0**-49
"""Roundings, relative to each cell, that a function of a few operations is taken to amount to."""

SUSPECT = 1e-9
"""Share of the largest value: what is closer to a score than this may be it."""

WIDEST_SUM = 2**24
"""Outcomes of one prediction up to which they are added up."""

TOGETHER = 2**14
"""Predictions looked at together: few enough to stay in a processor's cache."""

CHUNK = 2**18
"""Outcomes held in memory at once."""


def slack(score: Any, total: Any = 1) -> FloatArray:
    """Return how far from a score a value may lie and still be it."""
    magnitude = np.abs(np.asarray(score, dtype=np.float64))
    ulps: Any = ULPS
    if np.max(total, initial=1) > FINE / ULPS:
        ulps = np.minimum(ULPS, FINE / np.maximum(total, 1))
    with np.errstate(invalid="ignore", over="ignore"):
        # an ulp of the atom, which may be the larger number and lie beyond a power of two
        return np.where(np.isfinite(magnitude), ulps * np.spacing(magnitude * (1 + 2**-50)), 0.0)


def attains(
    values: Any, score: Any, *, greater_is_better: bool | None, total: Any = 1, rounding: Any = None
) -> BoolArray:
    """Return where raw values are at least as good as a score."""
    margin = slack(score, total) if rounding is None else np.maximum(slack(score, total), rounding)
    with np.errstate(invalid="ignore"):
        if greater_is_better is False:
            return np.asarray(values <= score + margin)
        return np.asarray(values >= score - margin)


def reaches(
    measure: Measure, cells: tuple[Any, Any, Any, Any], raw: FloatArray, score: Any, total: Any
) -> BoolArray:
    """Return where tables are at least as good as a score."""
    facts: dict[str, Any] = {"greater_is_better": measure.greater_is_better, "total": total}
    reached = attains(raw, score, **facts)
    if measure.in_catalogue:  # its formulas lose less than the slack
        return reached
    finite = np.where(np.isfinite(raw), raw, 0.0)
    scale = np.abs(finite).max(initial=0.0)
    rows = np.nonzero(~reached & (np.abs(finite - score) <= SUSPECT * scale))
    if rows[0].size:
        *doubtful, facts["total"], score = (
            np.broadcast_to(part, raw.shape)[rows] for part in (*cells, total, score)
        )
        rounding = rounding_of(measure, doubtful, facts["total"])
        reached[rows] = attains(raw[rows], score, **facts, rounding=rounding)
    return reached


def rounding_of(measure: Measure, cells: Sequence[Any], total: Any) -> FloatArray:
    """Return how much of the values of a user's function may be rounding; 0 where it has none.

    Differences cancel, and what is left has the absolute error of what went in. Shifting each cell a little
    tells how much of it arrives; of two shifts the smaller effect counts, so that a kink on one side is no
    rounding.
    """
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


class Questions(NamedTuple):
    """Blind predictions, the score that each is to reach, and what its outcomes without a value count as."""

    total: IntArray
    positives: IntArray
    predicted: IntArray
    score: FloatArray
    fill: FloatArray

    @property
    def margins(self) -> tuple[IntArray, IntArray, IntArray]:
        """Samples, positive ones, and those that are predicted positive."""
        return self.total, self.positives, self.predicted

    def take(self, rows: Any) -> Questions:
        """Select predictions."""
        return Questions(*(column[rows] for column in self))


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
    log: bool = False,
) -> FloatArray:
    """Return P(score at least as good) for each prediction.

    Outcomes that are infinite on the better side count; outcomes without a value do not, unless `fill` gives
    them one that does. With a TP that is likely to be the least one that attains the score as `hint`, and
    P(TP >= hint) as `at_hint`, it takes less time. nan where a prediction has too many outcomes to be added
    up.
    """
    hints = -1 if hint is None else hint, np.nan if at_hint is None else at_hint
    given = (np.asarray(a) for a in (total, positives, draws, score, fill, *hints))
    arrays = np.broadcast_arrays(*given)
    shape = arrays[0].shape
    flat = [np.ascontiguousarray(a).reshape(-1) for a in arrays]
    chances = np.full(flat[0].shape, np.nan)
    blocks = pieces(chances.size, TOGETHER)
    for block in tracked(blocks, chances.size, lambda block: block.stop - block.start, "p-values"):
        defined = ~np.isnan(flat[3][block])
        rows: Any = slice(None) if defined.all() else np.flatnonzero(defined)
        *question, likely, tails = (array[block][rows] for array in flat)
        asked = Questions(*question)
        if log:
            chances[block][rows] = log_tail_ge(_threshold(measure, asked, likely), *asked.margins)
        elif is_threshold(measure):
            chances[block][rows] = _by_threshold(measure, asked, likely, tails)
        else:
            chances[block][rows] = counted(_by_enumeration(measure, asked), asked.total, asked.predicted)
    return chances.reshape(shape)


def is_threshold(measure: Measure) -> bool:
    """Return whether the outcomes that attain a score are those from some TP on.

    The catalogue's facts say so where more TP never hurts and all outcomes of a prediction have a value, or
    none.
    """
    return measure.better_with_tp and measure.in_catalogue and measure.domain.on_margins


def _threshold(measure: Measure, asked: Questions, hint: IntArray) -> IntArray:
    """Return the least TP that attains the score."""

    def passes(tp: IntArray, rows: Any) -> BoolArray:
        cells = cells_at(tp, *(margin[rows] for margin in asked.margins))
        return attains(
            measure.values(*cells),
            asked.score[rows],
            greater_is_better=measure.greater_is_better,
            total=asked.total[rows],
        )

    return least_true(passes, *support(*asked.margins), hint)


def _by_threshold(measure: Measure, asked: Questions, hint: IntArray, tail_at_hint: FloatArray) -> FloatArray:
    """Return P(TP >= the least TP that attains the score)."""
    threshold = _threshold(measure, asked, hint)
    chances = np.where(threshold == hint, tail_at_hint, np.nan)
    rows = np.flatnonzero(np.isnan(chances))
    chances[rows] = tail_ge(threshold[rows], *asked.take(rows).margins)
    policy = ~np.isnan(asked.fill)
    if policy.any():
        low, _ = support(*asked.margins)
        policy &= ~np.isfinite(measure.values(*cells_at(low, *asked.margins)))  # then no outcome has a value
        counted = attains(asked.fill, asked.score, greater_is_better=measure.greater_is_better)
        chances[policy] = counted[policy]
    return np.minimum(chances, 1.0)


def _by_enumeration(measure: Measure, asked: Questions) -> FloatArray:
    """Add up the outcomes that attain the score, among all but 2e-18 of the mass."""
    first, last = window(*asked.margins)
    chances = np.full(first.shape, np.nan)
    known = np.flatnonzero(last - first < WIDEST_SUM)
    chances[known] = 0.0
    sizes = (last - first + 1)[known]
    for block in cuts(sizes, CHUNK):
        rows = known[block]
        ragged = laid_out(sizes[block])
        for part in pieces(ragged.row.size, CHUNK):  # a single prediction may have more
            row = rows[ragged.row[part]]
            tp = first[row] + ragged.offset[part]
            margins, fill = [margin[row] for margin in asked.margins], asked.fill[row]
            cells = cells_at(tp, *margins)
            raw = measure.values(*cells)
            raw = np.where(np.isnan(raw) | (np.isinf(raw) & ~np.isnan(fill)), fill, raw)
            counted = reaches(measure, cells, raw, asked.score[row], margins[0])
            mass = np.zeros(tp.shape)
            mass[counted] = pmf(tp[counted], *(margin[counted] for margin in margins))
            start = np.flatnonzero(np.diff(row, prepend=-1))
            chances[row[start]] += np.add.reduceat(mass, start)
    return np.asarray(np.minimum(chances, 1.0))
