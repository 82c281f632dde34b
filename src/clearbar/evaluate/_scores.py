"""Scores and probabilities: rankings, bars, verdicts, scorecard."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clearbar._typing import BoolArray, FloatArray
from clearbar.counting import factorise, predictions_as_mapping, read_scores, read_truth
from clearbar.counts import Population
from clearbar.errors import listed
from clearbar.evaluate._asked import checked_p_values
from clearbar.evaluate._call import remembered
from clearbar.problems.scores import (
    Ranking,
    ScoreBaseline,
    ScoreMeasure,
    bars_of,
    checked_prevalence,
    get_score_measure,
    p_value_reason,
    refuse_no_probabilities,
    score_measures,
)
from clearbar.scorecard import Scorecard
from clearbar.verdict import PValues, stand

RANKINGS = ("roc_auc", "average_precision")
"""What scores are judged by if nothing else is asked for."""

PROBABILITIES = ("log_loss", "brier_score")
"""Likewise if all of them are probabilities."""


@remembered
def evaluate_scores(
    y_true: Any,
    y_score: Any,
    measures: str | ScoreMeasure | Iterable[str | ScoreMeasure] | None = None,
    *,
    pos_label: Any = None,
    by: Any = None,
    p_values: PValues | None = None,
    y_train: Any = None,
    train_prevalence: float | None = None,
) -> Scorecard:
    """Judge scores or probabilities against the best that ignore every feature.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        True labels.
    y_score : array_like of shape (M,), mapping, or data frame
        Scores, higher for samples that are rather positive. A mapping or data frame holds a column per
        model.
    measures : str, ScoreMeasure, or list of them, optional
        What to judge by, as for `baseline_scores`. By default ROC AUC and average precision, and log
        loss and Brier score where all scores are probabilities; ``"all"`` for every measure.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    by : array_like of shape (M,), optional
        Slice labels: one verdict for the whole, then one per slice.
    p_values : {"both", "matched", "none"}, optional
        Which p-values to compute; by default both, where that is quick. The matched one is of the model's
        own scores, dealt out at random.
    y_train : array_like or Population, optional
        Labels that the models were trained on, or
    train_prevalence : float, optional
        the share of positives among them: what the best constant on training labels has is noted, beside
        the bar, which takes the best constant on the test labels.

    Returns
    -------
    Scorecard

    Raises
    ------
    ValueError
        If labels or scores cannot be read, scores are no probabilities where a measure needs them, or a
        measure is unknown.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_scores([0, 0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.2, 0.3, 0.35, 0.8, 0.9], "roc_auc")
    >>> card[0].outcome, round(card[0].score, 3), round(card[0].p_value_matched, 3)
    ('clears', 0.917, 0.057)
    """
    asked = checked_p_values(p_values)
    prevalence = checked_prevalence(train_prevalence, y_train, pos_label)
    truth, scores = read_models(y_true, y_score, pos_label)
    chosen = chosen_score_measures(measures, scores)
    groups, codes = ((), None) if by is None else factorise(by, len(truth))
    rankings = {name: _rankings(truth, score, codes, len(groups)) for name, score in scores.items()}
    sizes = [(one.total, one.hits) for one in next(iter(rankings.values()))]
    population = Population(*np.array(sizes).T)
    bars = tuple(bars_of(measure, population, prevalence) for measure in chosen)
    judged = [judge_rankings(list(rankings.values()), bar, asked) for bar in bars]
    columns = {name: np.stack([one[name] for one in judged], axis=-1) for name in judged[0]}
    labels, notes = (None, *groups), notes_on(bars, columns)
    return Scorecard(tuple(scores), labels, chosen, None, bars, columns, "exclude", notes=notes)


def read_models(y_true: Any, y_score: Any, pos_label: Any) -> tuple[BoolArray, dict[str, FloatArray]]:
    """Read labels and the scores of every model.

    Parameters
    ----------
    y_true, y_score, pos_label
        As for `evaluate_scores`.

    Returns
    -------
    truth : ndarray of bool
    scores : dict of str to ndarray of float64
    """
    truth = read_truth(y_true, pos_label)
    models = predictions_as_mapping(y_score, "y_score")
    only = len(models) == 1 and not isinstance(y_score, Mapping)
    scores = {
        name: read_scores(value, "y_score" if only else f"y_score[{name!r}]", len(truth))
        for name, value in models.items()
    }
    return truth, scores


def chosen_score_measures(measures: Any, scores: Mapping[str, FloatArray]) -> tuple[ScoreMeasure, ...]:
    """Return the measures that were asked for, and see that the scores suit them.

    Parameters
    ----------
    measures : str, ScoreMeasure, iterable of them, or None
        As for `evaluate_scores`.
    scores : mapping of str to ndarray
        Every model's scores.

    Returns
    -------
    tuple of ScoreMeasure
    """
    likely = all(score.min() >= 0 and score.max() <= 1 for score in scores.values())
    if measures is None:
        measures = (*RANKINGS, *(PROBABILITIES if likely else ()))
    if isinstance(measures, str) and measures.strip().casefold() == "all":
        return tuple(measure for measure in score_measures() if likely or not measure.probabilities)
    several = [measures] if isinstance(measures, (str, ScoreMeasure)) else measures
    if not isinstance(several, Iterable):
        raise ValueError(
            f"measures must be a name, a ScoreMeasure or a list of them; found {measures!r:.60}."
        )
    found = tuple(dict.fromkeys(get_score_measure(each) for each in several))
    if not found:
        raise ValueError("measures is empty; name at least one, or leave it out for the common ones.")
    for name, score in scores.items():
        refuse_no_probabilities(score, "y_score" if len(scores) == 1 else f"y_score[{name!r}]", found)
    return found


def _rankings(truth: BoolArray, scores: FloatArray, codes: Any, number: int) -> list[Ranking]:
    """Return the ranking of all samples, then that of each slice."""
    found = [Ranking.of(truth, scores)]
    if codes is not None:
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.searchsorted(codes[order], np.arange(1, number)))
        found += [Ranking.of(truth[part], scores[part]) for part in parts]
    return found


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
    if p_values == "matched":
        return math.nan, own.upper, own.note
    any_scores = measure.chance.of_any(ranking.total, ranking.hits, score)
    if math.isnan(any_scores.upper):
        missing = "p_value is not known over every pattern of ties"
        return math.nan, own.upper, "; ".join(part for part in (missing, own.note) if part)
    exactly = not own.note
    lower = np.fmax(any_scores.lower, own.lower) if exactly else any_scores.lower
    upper = max(any_scores.upper, own.upper) if exactly else any_scores.upper
    bound = p_value_reason(any_scores._replace(lower=float(lower), upper=upper))
    return upper, own.upper, "; ".join(part for part in (bound, own.note) if part)


def notes_on(bars: Iterable[ScoreBaseline], columns: Mapping[str, Any]) -> tuple[str, ...]:
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
    notes += [_on_training(bar) for bar in bars if bar.train_value is not None]
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
    if universal.any():
        notes.append(
            "p is the largest chance of any scores that ignore the features, or an upper bound of it"
            + ("." if not (matched & ~universal).any() else "; where that is not known, the chance of")
            + ("" if not (matched & ~universal).any() else " the model's own scores, dealt out at random.")
        )
    elif matched.any():
        notes.append("p is the chance of the model's own scores, dealt out at random.")
    return tuple(notes)


def _on_training(bar: ScoreBaseline) -> str:
    here, best = (float(np.asarray(value).ravel()[0]) for value in (bar.train_value, bar.value))
    return (
        f"The best constant on the training labels, {bar.train_prevalence:.3g}, has a {bar.measure.label} of "
        f"{here:.3g} here; the bar is {best:.3g}."
    )
