"""The rows of a scorecard of scores, and the sentences below it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clearbar.errors import listed
from clearbar.problems.scores import (
    FoldScoreBaseline,
    Ranking,
    Reach,
    ScoreBaseline,
    ScoreMeasure,
    p_value_reason,
)
from clearbar.verdict import PValues, stand


def judge_rankings(
    rankings: list[list[Ranking]], bars: ScoreBaseline, p_values: PValues | None
) -> dict[str, Any]:
    """Judge one measure on every model and slice.

    Parameters
    ----------
    rankings : list of list of Ranking
        Per model the ranking of every slice.
    bars : ScoreBaseline
        The bars of the slices.
    p_values : {"both", "matched", "none"} or None
        Which to compute.

    Returns
    -------
    dict
        The scorecard's columns, each of shape (models, slices).
    """
    measure = bars.measure
    score = np.array([[float(measure.value(one)) for one in model] for model in rankings])
    columns = dict(stand(score, bars))
    shape = score.shape
    columns |= {name: np.full(shape, math.nan) for name in ("p_value", "p_value_matched", "score_sd")}
    columns["share_clearing"] = np.full(shape, math.nan)
    columns["reason"] = np.full(shape, "", dtype=object)
    for at in np.ndindex(shape):
        ranking = rankings[at[0]][at[1]]
        if columns["outcome"][at] == "undefined":
            columns["reason"][at] = (
                str(bars.reason[at[1]]) or f"{measure.label} has no value for these scores"
            )
            continue
        found = _p_values(measure, ranking, float(score[at]), p_values)
        columns["p_value"][at], columns["p_value_matched"][at], columns["reason"][at] = found
    return columns


def _p_values(
    measure: ScoreMeasure, ranking: Ranking, score: float, p_values: PValues | None
) -> tuple[float, float, str]:
    """Return the universal and the matched p-value, and what is to be said about them."""
    if p_values == "none":
        return math.nan, math.nan, ""
    if p_values is None and ranking.total > measure.chance.quick:
        most = f"{measure.chance.quick:,}"
        return math.nan, math.nan, f"p-values above {most} samples take long: p_values='both' computes them"
    own = measure.chance.of_own(measure, ranking, score)
    return said(measure.chance.of_any(ranking.total, ranking.hits, score), own, p_values)


def said(any_scores: Reach, own: Reach, p_values: PValues | None) -> tuple[float, float, str]:
    """Return both p-values and what is to be said about them.

    Parameters
    ----------
    any_scores, own : Reach
        Over every feature-blind scoring, and for the model's own scores.
    p_values : {"both", "matched"} or None
        Which were asked for.

    Returns
    -------
    p_value, p_value_matched : float
    reason : str
    """
    if p_values == "matched":
        return math.nan, own.upper, own.note
    if math.isnan(any_scores.upper):
        missing = p_value_reason(any_scores)
        return math.nan, own.upper, "; ".join(part for part in (missing, own.note) if part)
    exactly = not own.note
    lower = np.fmax(any_scores.lower, own.lower) if exactly else any_scores.lower
    upper = max(any_scores.upper, own.upper) if exactly or any_scores.note else any_scores.upper
    bound = p_value_reason(any_scores._replace(lower=float(lower), upper=upper))
    return upper, own.upper, "; ".join(part for part in (bound, own.note) if part)


def notes_on(
    bars: Iterable[ScoreBaseline | FoldScoreBaseline], columns: Mapping[str, Any]
) -> tuple[str, ...]:
    """Return what a reader must know to read the table: whose labels a bar takes, what p is.

    Parameters
    ----------
    bars : iterable of ScoreBaseline
        The measures' bars.
    columns : mapping
        The scorecard's columns.

    Returns
    -------
    tuple of str
    """
    bars = tuple(bars)
    notes = []
    constants = [bar for bar in bars if bar.measure.probabilities]
    if constants:
        labels = listed(bar.measure.label for bar in constants)
        several = len(constants) > 1
        notes.append(
            f"The bar{'s' * several} of {labels} take{'s' * (not several)} the best constant on these test "
            "labels; one from training labels does no better."
        )
    notes += [
        _on_training(bar) for bar in bars if isinstance(bar, ScoreBaseline) and bar.train_value is not None
    ]
    chosen = [bar.measure.label for bar in bars if bar.measure.error is not None]
    if chosen:
        notes.append(
            f"{listed(chosen)}: the threshold is chosen on these test labels, and the bar is what a guess "
            "expects that may choose too."
        )
    notes += [
        f"The bar of {bar.measure.label} is known to ±{float(np.max(bar.error)):.1g}."
        for bar in bars
        if np.max(bar.error) > 0
    ]
    universal, matched = (~np.isnan(columns[name]) for name in ("p_value", "p_value_matched"))
    own = [bar.measure.label for at, bar in enumerate(bars) if (matched & ~universal)[..., at].any()]
    if universal.any():
        rest = f" For {listed(own)} they are the model's own scores, dealt out at random." if own else ""
        luckiest = "p: how likely the luckiest scores that ignore the features do at least this well"
        notes.append(f"{luckiest}, or an upper bound.{rest}")
    elif own:
        notes.append("p: how likely the model's own scores, dealt out at random, do at least this well.")
    return tuple(notes)


def _on_training(bar: ScoreBaseline) -> str:
    here, best = (float(np.asarray(value).ravel()[0]) for value in (bar.train_value, bar.value))
    return (
        f"The best constant on the training labels, {bar.train_prevalence:.3g}, has a {bar.measure.label} of "
        f"{here:.3g} here; the bar is {best:.3g}."
    )
