"""Judging many models, slices and runs on many measures, as arrays."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from clearbar._typing import BoolArray, FloatArray, Undefined
from clearbar.baseline import Bar, Baseline, Judged, fill_value
from clearbar.counts import Counts
from clearbar.measures import Measure
from clearbar.null import reach_probability
from clearbar.verdict._skill import rescaled, ties
from clearbar.verdict._universal import universal_p_value

PValues = Literal["both", "matched", "none"]
Columns = dict[str, Any]

OUTCOMES = np.array(["fails", "clears", "ties", "unbeatable", "undefined"])
"""Each is overruled by those that stand after it, the first two by the score alone."""

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


def judge_counts(counts: Counts, bars: Baseline, p_values: PValues) -> Columns:
    """Judge counts on one measure.

    Parameters
    ----------
    counts : Counts
        Of shape (models, groups) or (models, groups, runs).
    bars : Baseline
        The measure's bars on the populations of the groups, of shape (groups,).
    p_values : {"both", "matched", "none"}
        Which p-values to compute; the others are nan.

    Returns
    -------
    dict
        The numeric columns, `outcome` and `reason`, each of shape (models, groups).
    """
    measure, undefined = bars.measure, bars.undefined
    runs = len(counts.shape) == 3
    per_run = _scores(measure, counts, undefined, bars)
    score = per_run.mean(axis=-1) if runs else per_run
    columns = stand(score, bars)
    upper, lower, matched = _p_values(measure, counts, per_run, bars, p_values)
    columns["p_value"], columns["p_value_matched"] = upper, matched
    columns["score_sd"] = (
        per_run.std(axis=-1, ddof=1) if runs and per_run.shape[-1] > 1 else np.full(score.shape, np.nan)
    )
    columns["share_clearing"] = np.full(score.shape, np.nan)
    if runs:
        scale = (columns[name][..., None] for name in ("bar", "best_possible", "worst_draw"))
        each = outcomes(measure, per_run, *scale)
        columns["share_clearing"] = (each == "clears").mean(axis=-1)
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
    scale = tuple(
        np.broadcast_to(np.asarray(value, dtype=np.float64), score.shape).copy()
        for value in (bars.value, bars.best_possible, bars.worst_value)
    )
    return {
        "score": score,
        **dict(zip(("bar", "best_possible", "worst_draw"), scale, strict=True)),
        "skill": rescaled(bars.measure, score, *scale),
        "outcome": outcomes(bars.measure, score, *scale),
    }


def _scores(measure: Measure, counts: Counts, undefined: Undefined, bars: Baseline) -> FloatArray:
    score = np.asarray(measure(counts), dtype=np.float64)
    if undefined == "exclude":
        return score
    largest = measure.greater_is_better is not False
    fill = fill_value(measure, np.asarray(bars.population.total), undefined, largest=largest)
    fill = np.asarray(fill, dtype=np.float64)
    fill = fill[..., None] if fill.ndim and len(counts.shape) == 3 else fill
    return np.where(np.isnan(score), fill, score)


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
    score, bar, best, worst = np.broadcast_arrays(score, bar, best_possible, worst_draw)
    sign = -1.0 if measure.greater_is_better is False else 1.0
    with np.errstate(invalid="ignore"):
        code = np.asarray(sign * score > sign * bar, dtype=np.intp)
    code = np.where(ties(score, bar, best, worst), 2, code)
    code = np.where(ties(bar, best, best, worst) & ~np.isnan(best), 3, code)
    undefined = np.isnan(score) | np.isnan(bar) | (measure.greater_is_better is None)
    return np.asarray(OUTCOMES[np.where(undefined, 4, code)])


def _p_values(
    measure: Measure, counts: Counts, scores: FloatArray, bars: Baseline, p_values: PValues
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the universal p-value, its lower bracket, and the matched one; runs are combined."""
    runs = len(counts.shape) == 3
    missing = np.full(scores.shape, np.nan)
    upper = lower = matched = missing
    oriented = measure.greater_is_better is not None
    m, p, k = (np.asarray(a) for a in (counts.total, counts.positives, counts.predicted_positives))
    fill: Any = np.nan
    if bars.undefined != "exclude":
        fill = fill_value(measure, m, bars.undefined, largest=measure.greater_is_better is not False)
    if oriented and p_values != "none":
        matched = reach_probability(measure, m, p, k, scores, fill=fill, hint=np.asarray(counts.tp))
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
    undefined = columns["outcome"] == "undefined"
    if undefined.any():
        reasons[undefined] = _why_undefined(measure, counts, bars, columns["score"], undefined)
    judged = ~undefined
    unknown = judged & np.isnan(upper) & ~np.isnan(lower)
    for where in zip(*np.nonzero(unknown | (judged & (upper > lower * (1 + 1e-9)))), strict=True):
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
