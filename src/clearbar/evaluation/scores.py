"""Scores, probabilities, and predicted numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.core.reasons import Footnote
from clearbar.data.counting import by_argument, read_models
from clearbar.data.labels import class_names
from clearbar.data.scores import named_truth, read_numbers, read_scores
from clearbar.evaluation.options import (
    Inference,
    Partition,
    Question,
    chosen_measures,
    door,
    is_all,
)
from clearbar.formatting import percent
from clearbar.problems.numbers import NumberMeasure, Numbers, read_column, read_targets, refuse_unfit
from clearbar.problems.scores import (
    RankedScores,
    ScoreMeasure,
    checked_prevalence,
    gains_of,
    graded,
    refuse_no_probabilities,
)
from clearbar.scorecard import Scorecard

if TYPE_CHECKING:
    from clearbar.evaluation.folds import Split
    from clearbar.problems.folds import FoldScores

RANKINGS = ("roc_auc", "average_precision")  # what scores are judged by if nothing else is asked for
PROBABILITIES = ("log_loss", "brier_score")  # likewise if all of them are probabilities


@door
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
    y_train: Any = None,
    train_prevalence: float | None = None,
    **inference: Unpack[Inference],
) -> Question:
    """Judge scores or probabilities against the best that ignore every feature.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        True labels; for NDCG alone also gains, 0 or more.
    y_score : array_like of shape (M,), mapping, or data frame
        Scores, higher for samples that are rather positive. A mapping or data frame holds a column per
        model.
    measures : str, ScoreMeasure, or list of them, optional
        The measures, as for `baseline_scores`. By default ROC AUC and average precision, and log
        loss and Brier score where all scores are probabilities; ``"all"`` for every measure.
    folds : array_like of shape (M,), or iterable of (train, test) pairs, optional
        The fold in which each sample was tested, or what ``cv.split`` of scikit-learn yields; queries, for
        a mean reciprocal rank. Not with `by` or `clusters`.
    aggregate : {"mean", "merged"}
        Whether folds are averaged, over those in which the measure has a value, or their scores merged into
        one ranking, which is fair only if models are calibrated alike. Each has a bar of its own.
    y_train : array_like or Population, optional
        Labels that the models were trained on, or
    train_prevalence : float, optional
        the share of positives among them: what the best constant on training labels has is noted, beside
        the bar, which takes the best constant on the test labels.

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
    named = None if measures is None else chosen_measures(measures, "scores")
    gains = None if named is None else gains_of(y_true, named)
    if named is not None and gains is not None:
        if by is not None or folds is not None:
            raise ValueError("graded labels take neither by nor folds; judge the groups one by one.")
        if clusters is not None:
            raise ValueError("clusters are for labels of two classes; graded labels take none.")
        return _of_gains(gains, y_true, y_score, named)
    prevalence = checked_prevalence(train_prevalence, y_train, pos_label)
    labels, truth = named_truth(y_true, pos_label)
    facts: dict[str, Any] = {"prevalence": prevalence, "labels": class_names(labels)}
    scores = _scores_of_models(y_score, y_true, len(truth))
    for name, option in {"by": by, "clusters": clusters}.items():
        if folds is not None and option is not None:
            raise ValueError(f"{name} and folds cannot be combined; leave out one of them.")
    if folds is None:
        return scored(truth, scores, measures, y_true=y_true, by=by, clusters=clusters, **facts)
    from clearbar.evaluation.folds import folds_of

    split = folds_of(folds, y_true)
    return scored(truth, scores, measures, split=split, aggregate=aggregate, **facts)


def scored(
    truth: BoolArray,
    scores: Mapping[str, FloatArray],
    measures: Any,
    *,
    y_true: Any = None,
    by: Any = None,
    clusters: Any = None,
    prevalence: float | None = None,
    split: Split | None = None,
    aggregate: str = "mean",
    labels: tuple[str, str] = Population.labels,
) -> Question:
    """Rank scores on the samples of each slice, or combine folds."""
    entries = _chosen(measures, scores)
    columns = tuple(scores.values())
    if split is not None:
        from clearbar.problems.folds import FoldScores, score_way

        facts = tuple(scores), split.names, score_way(aggregate, entries), truth, columns, split.rows
        folded = FoldScores(*facts, labels=labels)
        note = "The constant at the training prevalence is compared without folds only."
        return over_folds(folded, entries, split, () if prevalence is None else (note,))
    partition = Partition.of(truth if y_true is None else y_true, by, clusters, len(truth))
    samples = tuple(scores), partition.groups, truth, columns, partition.rows
    problem = RankedScores(*samples, prevalence, partition.clusters, labels=labels)
    return Question(problem, entries, partition.notes, notes_on_bars)


def over_folds(
    problem: FoldScores, measures: tuple[ScoreMeasure, ...], split: Split, notes: Sequence[str] = ()
) -> Question:
    """Judge scores over folds; `notes` are said after how folds are combined, and where there is no value."""
    from clearbar.scorecard._folds import notes_on_scores

    about = notes_on_scores(problem, measures)
    return Question(problem, measures, (*about, *split.notes, *notes), notes_on_bars)


def notes_on_bars(card: Scorecard) -> list[str]:
    """Say whose labels the bars take, how well they are known, and of folds what their p-values cover."""
    bars: Any = [bar for bar in card.baselines if bar.measure.kind == "scores"]
    notes: list[str] = []
    constants = [bar.measure.label for bar in bars if bar.measure.probabilities]
    if constants:
        labels, several = listed(constants), len(constants) > 1
        said = (
            f"The bar{'s' * several} of {labels} take{'s' * (not several)} the best constant on these test "
            "labels; one from training labels does no better."
        )
        notes.append(Footnote(said))
    for bar in bars:
        if getattr(bar, "train_value", None) is not None:
            here, best = (float(np.asarray(value).ravel()[0]) for value in (bar.train_value, bar.value))
            notes.append(
                f"The best constant on the training labels, {bar.train_prevalence:.3g}, has a "
                f"{bar.measure.label} of {here:.3g} here; the bar is {best:.3g}."
            )
    thresholded = [bar.measure.label for bar in bars if bar.measure.error is not None]
    if thresholded:
        notes.append(
            f"{listed(thresholded)}: the threshold is chosen on these test labels, and the bar lets random "
            "scores choose too."
        )
    notes += [
        f"The bar of {bar.measure.label} is known to ±{float(np.max(bar.error)):.1g}."
        for bar in bars
        if np.max(bar.error) > 0
    ]
    problem: Any = card.problem
    validation = getattr(problem, "validation", None)
    return notes + list(validation.caveats(intervals=card.has_p_values) if validation else ())


def _scores_of_models(y_score: Any, y_true: Any, length: int) -> dict[str, FloatArray]:
    """Read the scores of every model, as many as samples and in their order."""
    return read_models(y_score, y_true, lambda value, name: read_scores(value, name, length), "y_score")


def _chosen(measures: Any, scores: Mapping[str, FloatArray]) -> tuple[ScoreMeasure, ...]:
    """Return the measures that were asked for, and see that the scores suit them."""
    likely = all(score.min() >= 0 and score.max() <= 1 for score in scores.values())
    if measures is None:
        measures = (*RANKINGS, *(PROBABILITIES if likely else ()))
    entries = chosen_measures(measures, "scores")
    if is_all(measures):
        return tuple(measure for measure in entries if likely or not measure.probabilities)
    for name, score in scores.items():
        refuse_no_probabilities(score, "y_score" if len(scores) == 1 else f"y_score[{name!r}]", entries)
    return entries


def _of_gains(gains: FloatArray, y_true: Any, y_score: Any, measures: tuple[ScoreMeasure, ...]) -> Question:
    """Rank scores of graded labels, for NDCG."""
    scores = _scores_of_models(y_score, y_true, len(gains))
    made = [graded(measure, gains) for measure in measures]
    problem = RankedScores(tuple(scores), (None,), gains, tuple(scores.values()))
    note = "Labels are gains; a sample with a gain above 0 counts as positive in the first line."
    return Question(problem, tuple(measure for measure, _ in made), (note,), notes_on_bars)


TEST_TARGETS_NOTE = Footnote(
    "The bars take the best constants on these test targets; one from training targets does no better."
)


@door
def evaluate_regression(
    y_true: Any,
    y_pred: Any,
    measures: str | NumberMeasure | Iterable[str | NumberMeasure] | None = None,
    *,
    by: Any = None,
    clusters: Any = None,
    given: Any = None,
    **inference: Unpack[Inference],
) -> Question:
    """Judge predicted numbers against the best that ignore every feature.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        Targets; finite, at least two.
    y_pred : array_like of shape (M,), mapping, or data frame
        Predictions. A mapping or data frame holds a column per model.
    measures : str, NumberMeasure, or list of them, optional
        The measures, as for `baseline_regression`; MAE, RMSE and R² by default, ``"all"`` for all
        measures of numbers that take these.

    Raises
    ------
    ValueError
        If targets or predictions are no finite numbers, or not such as a measure takes, or an option is not
        one of those above.

    Notes
    -----
    `low` and `high` are a bootstrap of the score (bias-corrected and accelerated, Efron 1987), `p_value` one
    of score − bar from the same resamples, the bar looked for anew in each: a bar may lie within the interval
    of a score that clears it surely. `p_value_blind` permutes the targets. All are approximate, one set of
    draws for all measures and models.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [2.0, 3.5, 4.0, 5.5, 7.0, 8.5, 9.0, 10.5]
    >>> card = cb.evaluate_regression(y_true, [2.25, 3.0, 4.75, 5.0, 7.5, 8.0, 9.25, 9.75], "mae")
    >>> card[0].outcome, card[0].score, card[0].sure
    ('clears', 0.5, True)
    """
    targets = read_targets(y_true)
    predicted = read_models(y_pred, y_true, lambda value, name: read_numbers(value, name, len(targets)))
    entries: tuple[NumberMeasure, ...] = chosen_measures(measures, "regression")
    if is_all(measures):
        entries = tuple(
            measure
            for measure in entries
            if measure.targets.holds(targets).all()
            and all(measure.predictions.holds(values).all() for values in predicted.values())
        )
    else:
        refuse_unfit(entries, targets, "y_true")
        for name, values in by_argument(predicted, y_pred).items():
            refuse_unfit(entries, values, name)
    column = read_column(given, y_true, len(targets), entries)
    partition = Partition.of(y_true, by, clusters, len(targets))
    if partition.clusters is not None and column is not None:
        raise ValueError("given and clusters cannot be combined; leave out one of them.")
    facts = tuple(predicted), partition.groups, targets, tuple(predicted.values())
    problem = Numbers(*facts, partition.rows, column, partition.clusters)
    return Question(problem, entries, (*partition.notes, *_column_note(column), TEST_TARGETS_NOTE))


def _column_note(column: Any) -> tuple[str, ...]:
    """Say what it is worth to know a column of so many values by chance alone."""
    groups, samples = (0, 0) if column is None else (len(np.unique(column)), len(column))
    if groups < 2:
        return ()
    best = f"The bars see a column of {groups:,} values: the best prediction for each, on these test targets."
    share = percent((groups - 1) / (samples - 1))
    return (f"{best} The means of as many groups at random would take {share} of the variance.",)
