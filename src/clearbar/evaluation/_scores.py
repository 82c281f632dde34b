"""Scores and probabilities: rankings, bars, verdicts, scorecard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.data.columns import refuse_other_rows
from clearbar.data.predictions import predictions_as_mapping
from clearbar.data.scores import read_scores, read_truth
from clearbar.evaluation._call import remembered
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._options import chosen_measures, is_all
from clearbar.evaluation._parts import Parts
from clearbar.evaluation._splits import Split, folds_of
from clearbar.problems.scores import (
    FoldedScores,
    GroupedScores,
    RankedScores,
    Ranking,
    ScoreBaseline,
    ScoreMeasure,
    checked_prevalence,
    chosen_score_way,
    gains_of,
    graded,
    graded_ranking,
    refuse_no_probabilities,
)
from clearbar.scorecard import Scorecard

RANKINGS = ("roc_auc", "average_precision")
"""What scores are judged by if nothing else is asked for."""

PROBABILITIES = ("log_loss", "brier_score")
"""Likewise if all of them are probabilities."""

NOT_OF_FOLDS = "The constant at the training prevalence is compared without folds only."


@remembered
def evaluate_scores(
    y_true: Any,
    y_score: Any,
    measures: str | ScoreMeasure | Iterable[str | ScoreMeasure] | None = None,
    *,
    pos_label: Any = None,
    by: Any = None,
    folds: Any = None,
    clusters: Any = None,
    aggregate: str = "mean",
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    random_state: Any = 0,
    y_train: Any = None,
    train_prevalence: float | None = None,
) -> Scorecard:
    """Judge scores or probabilities against the best that ignore every feature.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        True labels; for NDCG alone also gains, 0 or more.
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
    folds : array_like of shape (M,), or iterable of (train, test) pairs, optional
        The fold in which each sample was tested, or what ``cv.split`` of scikit-learn yields; queries, for
        a mean reciprocal rank.
    clusters : array_like of shape (M,), optional
        Which samples belong together, as for `evaluate`; not with folds or gains.
    aggregate : {"mean", "merged"}
        Whether folds are averaged, over those in which the measure has a value, or their scores merged into
        one ranking, which is fair only if models are calibrated alike. Each has a bar of its own.
    intervals : bool
        False leaves out the p-values, of the model's own scores, dealt out at random.
    confidence_level, tries, random_state
        As for `evaluate`.
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
    >>> card[0].outcome, round(card[0].score, 3), round(card[0].p_value_blind, 3)
    ('clears', 0.917, 0.057)
    """
    how = How.checked(confidence_level, intervals, random_state)
    gains = None if measures is None else gains_of(y_true, chosen_measures(measures, "scores"))
    if gains is not None:
        if by is not None or folds is not None:
            raise ValueError("graded labels take neither by nor folds; judge the groups one by one.")
        if clusters is not None:
            raise ValueError("clusters are for labels of two classes; graded labels take none.")
        return _of_gains(gains, y_true, y_score, chosen_measures(measures, "scores"), how)
    prevalence = checked_prevalence(train_prevalence, y_train, pos_label)
    truth = read_truth(y_true, pos_label)
    scores = _read_models(y_score, y_true, len(truth))
    chosen = chosen_score_measures(measures, scores)
    if folds is None:
        parts = Parts.of(y_true, by, clusters, len(truth))
        problem = ranked(truth, scores, prevalence, parts.groups, parts.rows, parts.together)
        return judged_scores(problem, chosen, parts.notes, how)
    for name, given in {"by": by, "clusters": clusters}.items():
        if given is not None:
            raise ValueError(f"{name} and folds cannot be combined; leave out one of them.")
    return judged_folds(truth, scores, chosen, folds_of(folds, y_true), aggregate, prevalence, how)


def ranked(
    truth: BoolArray,
    scores: Mapping[str, FloatArray],
    prevalence: float | None,
    groups: tuple[Any, ...],
    rows: tuple[Any, ...],
    together: IntArray | None,
) -> RankedScores:
    """Rank scores on the rows of each slice; `together` tells which samples belong together."""
    own = tuple(scores.values())
    rankings = tuple(tuple(Ranking.of(truth[part], score[part]) for part in rows) for score in own)
    facts = tuple(scores), groups, rankings, prevalence
    if together is None:
        return RankedScores(*facts, truth=truth, own=own)
    return GroupedScores(*facts, truth=truth, own=own, rows=rows, clusters=together)


def judged_folds(
    truth: BoolArray,
    scores: Mapping[str, FloatArray],
    measures: tuple[ScoreMeasure, ...],
    split: Split,
    aggregate: Any,
    prevalence: float | None,
    how: How,
) -> Scorecard:
    """Judge scores over folds."""
    way = chosen_score_way(aggregate, measures)
    problem = FoldedScores(tuple(scores), truth, tuple(scores.values()), split.rows, way)
    notes = [] if prevalence is None else [NOT_OF_FOLDS]
    return judged_over_folds(problem, measures, split, notes, how)


def judged_over_folds(
    problem: FoldedScores,
    measures: tuple[ScoreMeasure, ...],
    split: Split,
    notes: Sequence[str],
    how: How,
) -> Scorecard:
    """Judge scores over folds; `notes` are said after how folds are combined, and where there is no value."""
    about = problem.way.notes(measures, split.names, *problem.sizes)
    card = judged_scores(problem, measures, (*about, *split.notes, *notes), how)
    return replace(card, notes=(*card.notes, *problem.validation.caveats(intervals=how.intervals)))


def judged_scores(
    problem: RankedScores | FoldedScores, measures: tuple[ScoreMeasure, ...], notes: Sequence[str], how: How
) -> Scorecard:
    """Judge scores; `notes` are to be said first below the tables."""
    card = judged(problem, measures, how)
    return replace(card, notes=(*notes, *_about_bars(card.baselines)))


def _about_bars(bars: Sequence[Any]) -> list[str]:
    """Say what a reader must know of the bars: whose labels they take, how well they are known."""
    notes = []
    constants = [bar.measure.label for bar in bars if bar.measure.probabilities]
    if constants:
        labels, several = listed(constants), len(constants) > 1
        notes.append(
            f"The bar{'s' * several} of {labels} take{'s' * (not several)} the best constant on these test "
            "labels; one from training labels does no better."
        )
    notes += [_on_training(bar) for bar in bars if getattr(bar, "train_value", None) is not None]
    chosen = [bar.measure.label for bar in bars if bar.measure.error is not None]
    if chosen:
        notes.append(
            f"{listed(chosen)}: the threshold is chosen on these test labels, and the bar lets random "
            "scores choose too."
        )
    notes += [
        f"The bar of {bar.measure.label} is known to ±{float(np.max(bar.error)):.1g}."
        for bar in bars
        if np.max(bar.error) > 0
    ]
    return notes


def _on_training(bar: ScoreBaseline) -> str:
    here, best = (float(np.asarray(value).ravel()[0]) for value in (bar.train_value, bar.value))
    return (
        f"The best constant on the training labels, {bar.train_prevalence:.3g}, has a {bar.measure.label} of "
        f"{here:.3g} here; the bar is {best:.3g}."
    )


def _read_models(y_score: Any, y_true: Any, length: int) -> dict[str, FloatArray]:
    """Read the scores of every model, as many as samples and in their order."""
    models = predictions_as_mapping(y_score, "y_score")
    only = len(models) == 1 and not isinstance(y_score, Mapping)
    columns = {}
    for model, value in models.items():
        name = "y_score" if only else f"y_score[{model!r}]"
        columns[model] = read_scores(value, name, length)
        refuse_other_rows(y_true, value, name)
    return columns


def chosen_score_measures(measures: Any, scores: Mapping[str, FloatArray]) -> tuple[ScoreMeasure, ...]:
    """Return the measures that were asked for, and see that the scores suit them."""
    likely = all(score.min() >= 0 and score.max() <= 1 for score in scores.values())
    if measures is None:
        measures = (*RANKINGS, *(PROBABILITIES if likely else ()))
    chosen = chosen_measures(measures, "scores")
    if is_all(measures):
        return tuple(measure for measure in chosen if likely or not measure.probabilities)
    for name, score in scores.items():
        refuse_no_probabilities(score, "y_score" if len(scores) == 1 else f"y_score[{name!r}]", chosen)
    return chosen


def _of_gains(
    gains: FloatArray,
    y_true: Any,
    y_score: Any,
    measures: tuple[ScoreMeasure, ...],
    how: How,
) -> Scorecard:
    """Judge scores by NDCG of graded labels."""
    scores = _read_models(y_score, y_true, len(gains))
    made = [graded(measure, gains) for measure in measures]
    population = Population(*(np.array([size]) for size in (made[0][1].total, made[0][1].positives)))
    rankings = tuple((graded_ranking(gains, score),) for score in scores.values())
    problem = RankedScores(tuple(scores), (None,), rankings, population=population)
    note = "Labels are gains; a sample with a gain above 0 counts as positive in the first line."
    return judged_scores(problem, tuple(measure for measure, _ in made), (note,), how)
