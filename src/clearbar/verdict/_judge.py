"""Judging many models, slices and runs on many measures, as arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from clearbar import hypergeometric as hg
from clearbar._progress import tracked
from clearbar._typing import BoolArray, FloatArray, Undefined
from clearbar.baseline import Bar, Baseline, Judged, fill_value
from clearbar.counts import Counts
from clearbar.measures import Measure
from clearbar.null import reach_probability
from clearbar.verdict._exactly import settled
from clearbar.verdict._skill import CLEARS, UNDEFINED, Standing, standing
from clearbar.verdict._universal import universal_p_value

PValues = Literal["both", "matched", "none"]
Columns = dict[str, Any]

OUTCOMES = np.array(["fails", "clears", "ties", "unbeatable", "undefined"], dtype=object)
"""In the order of their numbers in `Standing`."""

FLOATS = (
    "score",
    "bar",
    "best_possible",
    "worst_draw",
    "skill",
    "p_value",
    "p_value_matched",
    "score_sd",
    "share_clearing",
)
"""The numeric columns of a scorecard, in the order of a verdict's fields."""


TOGETHER = 2**14
"""Tables judged together on all measures: few enough to stay in a processor's cache."""


def judge_counts(counts: Counts, bars: Sequence[Baseline], p_values: PValues) -> Columns:
    """Judge counts on some measures.

    Parameters
    ----------
    counts : Counts
        Of shape (models, groups) or (models, groups, runs).
    bars : sequence of Baseline
        For each measure the bars on the populations of the groups, of shape (groups,).
    p_values : {"both", "matched", "none"}
        Which p-values to compute; the others are nan.

    Returns
    -------
    dict
        The numeric columns, `outcome` and `reason`, each of shape (models, groups, measures). None can
        be written to.
    """
    columns = _room((*counts.shape[:2], len(bars)), runs=counts.shape[2:], p_values=p_values)
    codes = np.empty(columns["score"].shape, dtype=np.int8)
    wide = max(len(bars) * counts.shape[0] * math.prod(counts.shape[2:]), 1)
    parts = hg.pieces(counts.shape[1], max(TOGETHER // (wide // len(bars)), 1))
    work = counts.shape[1] * wide
    for part in tracked(parts, work, lambda part: (part.stop - part.start) * wide, "verdicts"):
        some = counts[:, part]
        tails = _tails(some, bars, p_values)
        for at, bar in enumerate(bars):
            judged = _judged(some, bar[part], p_values, tails)
            codes[:, part, at] = judged.pop("outcome")
            for name, column in judged.items():
                if columns[name].flags.writeable:
                    columns[name][:, part, at] = column
    columns["outcome"] = OUTCOMES[codes]
    for column in columns.values():
        column.flags.writeable = False
    return columns


def _room(shape: tuple[int, ...], *, runs: tuple[int, ...], p_values: PValues) -> Columns:
    """Return columns to write to; what is nan for all takes no room and cannot be written to."""
    nowhere = {"p_value"} if p_values != "both" else set()
    nowhere |= {"p_value_matched"} if p_values == "none" else set()
    nowhere |= set() if runs else {"score_sd", "share_clearing"}
    columns: Columns = {
        name: np.broadcast_to(np.nan, shape) if name in nowhere else np.empty(shape) for name in FLOATS
    }
    columns["reason"] = np.full(shape, "", dtype=object)
    return columns


def _tails(counts: Counts, bars: Sequence[Baseline], p_values: PValues) -> FloatArray | None:
    """Return how likely as many TP are with as many predicted positives, which many measures ask for."""
    if p_values == "none" or sum(bar.measure.better_with_tp for bar in bars) < 2:
        return None
    return hg.tail_ge(*(np.asarray(a) for a in (counts.tp, *_margins(counts))))


def _margins(counts: Counts) -> tuple[Any, Any, Any]:
    return counts.total, counts.positives, counts.predicted_positives


def _judged(counts: Counts, bars: Baseline, p_values: PValues, tails: FloatArray | None) -> Columns:
    """Judge counts on one measure; outcomes are numbers."""
    measure, undefined = bars.measure, bars.undefined
    runs = len(counts.shape) == 3
    per_run = _scores(measure, counts, undefined, bars)
    score = per_run.mean(axis=-1) if runs else per_run
    columns = _stood(score, bars)
    if not runs and undefined == "exclude" and measure.greater_is_better is not None:
        both = settled(counts, score, bars, Standing(columns["skill"], columns["outcome"]))
        columns["skill"], columns["outcome"] = both
    upper, lower, matched = _p_values(measure, counts, per_run, bars, p_values, tails)
    columns["p_value"], columns["p_value_matched"] = upper, matched
    if runs:
        several = per_run.shape[-1] > 1
        columns["score_sd"] = per_run.std(axis=-1, ddof=1) if several else np.full(score.shape, np.nan)
        scale = (columns[name][..., None] for name in ("bar", "best_possible", "worst_draw"))
        total = np.asarray(bars.population.total)[:, None]
        each = standing(measure, per_run, *scale, total=total).outcome
        columns["share_clearing"] = (each == CLEARS).mean(axis=-1)
    columns["reason"] = _reasons(measure, counts, bars, columns, upper, lower, p_values)
    return columns


def stand(score: FloatArray, bars: Bar) -> Columns:
    """Hold scores against their bars: how far above, and what that amounts to.

    Parameters
    ----------
    score : ndarray of float64, shape (models, groups)
        Scores of the bars' measure; nan where there is none.
    bars : Bar
        The bars of the groups.

    Returns
    -------
    dict
        "score", "bar", "best_possible", "worst_draw", "skill" and "outcome", each of the scores'
        shape.
    """
    columns = _stood(score, bars)
    columns["outcome"] = OUTCOMES[columns["outcome"]]
    return columns


def outcomes(measure: Judged, score: Any, bar: Any, best_possible: Any, worst_draw: Any) -> Any:
    """Return the outcome of each score.

    Parameters
    ----------
    measure : Measure
        Gives the orientation.
    score, bar, best_possible, worst_draw : array_like
        Numbers as in a verdict.

    Returns
    -------
    ndarray of str
        "undefined" before "unbeatable" before "ties" before "clears" or "fails".
    """
    return OUTCOMES[standing(measure, score, bar, best_possible, worst_draw).outcome]


def _stood(score: FloatArray, bars: Bar) -> Columns:
    scale = tuple(
        np.broadcast_to(np.asarray(value, dtype=np.float64), score.shape)
        for value in (bars.value, bars.best_possible, bars.worst_value)
    )
    facts = {"total": bars.population.total, "rounding": bars.rounding}
    skill, outcome = standing(bars.measure, score, *scale, **facts)
    names = ("bar", "best_possible", "worst_draw")
    return {"score": score, **dict(zip(names, scale, strict=True)), "skill": skill, "outcome": outcome}


def _scores(measure: Measure, counts: Counts, undefined: Undefined, bars: Baseline) -> FloatArray:
    score = np.asarray(measure(counts), dtype=np.float64)
    if undefined == "exclude":
        return score
    largest = measure.greater_is_better is not False
    fill = fill_value(measure, np.asarray(bars.population.total), undefined, largest=largest)
    fill = np.asarray(fill, dtype=np.float64)
    fill = fill[..., None] if fill.ndim and len(counts.shape) == 3 else fill
    return np.where(np.isnan(score), fill, score)


def _p_values(
    measure: Measure,
    counts: Counts,
    scores: FloatArray,
    bars: Baseline,
    p_values: PValues,
    tails: FloatArray | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the universal p-value, its lower bracket, and the matched one; runs are combined."""
    runs = len(counts.shape) == 3
    missing = np.full(scores.shape, np.nan)
    upper = lower = matched = missing
    oriented = measure.greater_is_better is not None
    m, p, k = (np.asarray(a) for a in _margins(counts))
    fill: Any = np.nan
    if bars.undefined != "exclude":
        fill = fill_value(measure, m, bars.undefined, largest=measure.greater_is_better is not False)
    if oriented and p_values != "none":
        matched = reach_probability(measure, m, p, k, scores, fill=fill, hint=counts.tp, at_hint=tails)
    if oriented and p_values == "both":
        upper, lower = universal_p_value(measure, m, p, scores, fill=fill)
        upper = np.where((upper >= 1.0) & (lower < 1.0), np.nan, upper)  # a bound of 1 says nothing
    if not runs:
        return upper, lower, matched
    return _combined(upper), _combined(lower), _combined(matched)


def _combined(p_values: FloatArray) -> FloatArray:
    """Twice the mean is a p-value however the runs depend on each other (Vovk and Wang 2020)."""
    if p_values.shape[-1] == 1:
        return p_values.mean(axis=-1)  # type: ignore[no-any-return]
    together: FloatArray = np.minimum(2 * p_values.mean(axis=-1), 1.0)
    return together


def _reasons(
    measure: Measure,
    counts: Counts,
    bars: Baseline,
    columns: Columns,
    upper: FloatArray,
    lower: FloatArray,
    p_values: PValues,
) -> Any:
    """Say why a number is missing or only bounded; most cells have nothing to say."""
    reasons = np.full(columns["score"].shape, "", dtype=object)
    undefined = columns["outcome"] == UNDEFINED
    if undefined.any():
        reasons[undefined] = _why_undefined(measure, counts, bars, columns["score"], undefined)
    judged = ~undefined
    unknown = judged & np.isnan(upper) & ~np.isnan(lower)
    bounded = unknown | (judged & (upper > lower * (1 + 1e-9)))
    for where in zip(*np.nonzero(bounded), strict=True):
        found = f"the largest found is {lower[where]:.3g}"
        reasons[where] = (
            f"p_value is not known, too many draws would have to be looked at; {found}"
            if unknown[where]
            else f"p_value is an upper bound; {found}"
        )
    lost = judged & np.isnan(columns["skill"])
    perfect = np.isnan(columns["best_possible"])
    _add(reasons, lost & perfect, f"no skill: {measure.label} has no value for perfect predictions")
    _add(reasons, lost & ~perfect, f"no skill: {measure.label} has no finite worst value to scale by")
    if p_values != "none":
        lost = judged & np.isnan(columns["p_value_matched"])
        _add(reasons, lost, "no p_value_matched: the draw reaches too many outcomes to look at")
    searched = judged & ~np.broadcast_to(np.asarray(bars.certified), undefined.shape)
    _add(reasons, searched, "the bar was searched on a grid, not certified")
    return reasons


def _add(reasons: Any, where: BoolArray, text: str) -> None:
    """Add a reason to those that a cell has."""
    if where.any():
        reasons[where] = [f"{before}; {text}" if before else text for before in reasons[where]]


def _why_undefined(
    measure: Measure, counts: Counts, bars: Baseline, score: FloatArray, undefined: BoolArray
) -> Any:
    """Name the conditions that each undefined cell breaks; few different texts serve all of them."""
    if measure.greater_is_better is None:
        return f"{measure.label} has no better end, so nothing can clear it"
    rows = np.nonzero(undefined)
    cells = tuple(np.asarray(cell)[rows] for cell in counts.cells)
    cells = tuple(cell.reshape(len(rows[0]), -1) for cell in cells)  # the runs, or one column
    found = np.broadcast_to(np.asarray(bars.reason, dtype=object), score.shape)[rows].copy()
    conditions = measure.domain.conjuncts
    codes = np.zeros(len(rows[0]), dtype=np.int64)
    for bit, condition in enumerate(conditions):
        codes |= (~condition.holds(cells)).any(axis=1).astype(np.int64) << bit  # type: ignore[arg-type]
    missing = np.isnan(score[rows])
    for code in np.unique(codes[missing]):
        broken = [part.text for bit, part in enumerate(conditions) if code >> bit & 1]
        why = f"it needs {' and '.join(broken)}" if broken else "its function returns nan"
        text = f"{measure.label} has no value here: {why}"
        found[missing & (codes == code)] = text
    return found
