"""Binary labels or counts: bars, verdicts, scorecard."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, door, get_measure
from clearbar.core._typing import Undefined
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import Counts
from clearbar.core.errors import ManyClassesError, UndefinedMeasureWarning, listed, shown
from clearbar.data.counting import count, count_many, is_label_sets, predictions_as_mapping
from clearbar.evaluation._call import remembered
from clearbar.evaluation._clusters import read_clusters
from clearbar.evaluation._column import of_numbers, seeing_column
from clearbar.evaluation._judged import How, judged_labels, stacked
from clearbar.evaluation._multiclass import evaluate_multiclass, refuse_two_classes
from clearbar.evaluation._multilabel import evaluate_multilabel
from clearbar.evaluation._options import chosen_class_measures, chosen_measures, kind_named
from clearbar.evaluation._regression import score_of_numbers
from clearbar.evaluation._tries import tried
from clearbar.problems.binary import Labels, SampledLabels, checked_policy
from clearbar.problems.multiclass import ClassLabels, ClassMeasure
from clearbar.problems.scores import ScoreMeasure, read_ranking
from clearbar.scorecard import Scorecard


@remembered
@tried
def evaluate(
    y_true: Any,
    y_pred: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    pos_label: Any = None,
    by: Any = None,
    clusters: Any = None,
    given: Any = None,
    undefined: Undefined = "exclude",
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `tried`
    random_state: Any = 0,
) -> Scorecard:
    """Judge predictions against the best that ignores every feature.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        True labels; of more than two classes, `evaluate_multiclass` judges them, and sets of labels (2-D, of
        0 and 1) `evaluate_multilabel`.
    y_pred : array_like of shape (M,) or (runs, M), mapping, or data frame
        Predicted labels. A mapping or data frame holds a column per model; a 2-D array is one model
        run several times, judged by its mean score: runs share their samples, so the labels are permuted for
        all of them together, and samples and runs are resampled.
    measures : str, Measure, or list of them, optional
        What to judge by; six common measures by default, ``"all"`` for the catalogue. With measures
        of scores, such as ``"roc_auc"``, `y_pred` holds scores, and `evaluate_scores` judges them.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    by : array_like of shape (M,), optional
        Slice labels: one verdict for the whole, then one per slice.
    clusters : array_like of shape (M,), optional
        Which samples belong together, such as the patient of each: at least five groups. Then p-values and
        intervals take whole groups, not samples, for independent.
    given : array_like of shape (M,), optional
        A column that the bar may see; see `baseline`. Labels are then permuted within its values.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `baseline`.
    confidence_level : float
        That of `low` and `high`; a score is sure at one minus it.
    intervals : bool
        False leaves out the p-values, for millions of rows in a hurry.
    tries : int
        Each model is the best of so many that were fixed before any score was seen: what is sure is corrected
        for them (Bonferroni). Tries that were chosen by their scores on these labels have no such bound.
    random_state : int, Generator, RandomState or None
        Seed of what is drawn at random, resamples and permutations: the same seed, the same card. None takes
        another each time.

    Returns
    -------
    Scorecard

    Raises
    ------
    ValueError
        If labels cannot be counted, a measure is unknown, or an option is not one of those above.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate([1, 1, 1, 0, 0, 0, 0, 0], [1, 1, 0, 1, 0, 0, 0, 0], ["f1", "mcc"])
    >>> card.clears("f1", alpha=None), card.clears("f1")  # of eight samples none is sure
    (True, False)
    """
    rest = {
        "by": by,
        "clusters": clusters,
        "confidence_level": confidence_level,
        "intervals": intervals,
        "random_state": random_state,
    }
    if given is not None:
        return seeing_column(y_true, y_pred, measures, given, pos_label, undefined, rest)
    if is_label_sets(y_true) or (kind := kind_named(measures)) == "multilabel":
        return _of_label_sets(y_true, y_pred, measures, pos_label, undefined, rest)
    if kind == "multiclass":
        return _of_many_classes(y_true, y_pred, measures, pos_label, undefined, rest)
    if kind != "binary":
        other = of_numbers if kind == "regression" else _of_scores
        return other(y_true, y_pred, measures, pos_label, undefined, rest)
    chosen, policy, how = (
        chosen_measures(measures),
        checked_policy(undefined),
        How.checked(confidence_level, intervals, random_state),
    )
    predictions = predictions_as_mapping(y_pred)
    try:
        table = count_many(y_true, predictions, pos_label=pos_label, by=by, keep=clusters is not None)
    except ManyClassesError:
        return _of_many_classes(y_true, y_pred, measures, pos_label, undefined, rest)
    problem = Labels(table.models, table.groups, table.counts, policy, table.calls)
    notes: tuple[str, ...] = ()
    if table.samples is not None:
        codes, notes = read_clusters(clusters, y_true, len(table.samples.truth))
        problem = SampledLabels(
            table.models, table.groups, table.counts, policy, **table.samples._asdict(), clusters=codes
        )
    return judged_labels(problem, chosen, how, notes)


def _of_scores(
    y_true: Any, y_score: Any, measures: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge scores, or what another kind of measure judges."""
    if checked_policy(undefined) != "exclude":
        raise ValueError(f"undefined={undefined!r} is for measures of labels; {measures} takes none.")
    answer: Any = door("evaluate", kind_named(measures))
    card: Scorecard = answer(y_true, y_score, measures, pos_label=pos_label, **rest)
    return card


def _of_many_classes(
    y_true: Any, y_pred: Any, measures: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge labels of more than two classes, or by a measure of these."""
    refuse_two_classes(pos_label, checked_policy(undefined))
    return evaluate_multiclass(y_true, y_pred, measures, **rest)


def _of_label_sets(
    y_true: Any, y_pred: Any, measures: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge sets of labels."""
    if pos_label is not None:
        raise ValueError(
            f"pos_label={shown(pos_label)} is for one label per sample; leave it out for sets of them."
        )
    if checked_policy(undefined) != "exclude":
        raise ValueError(
            "undefined is for two classes; evaluate_multilabel has zero_division for sets of labels."
        )
    return evaluate_multilabel(y_true, y_pred, measures, **rest)


@remembered
@tried
def evaluate_counts(
    counts: Counts | ConfusionMatrix | Mapping[str, Counts | ConfusionMatrix],
    measures: Any = None,
    *,
    groups: Iterable[Any] | None = None,
    undefined: Undefined = "exclude",
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `tried`
    random_state: Any = 0,
) -> Scorecard:
    """Judge confusion matrices; as `evaluate`, from what was counted elsewhere.

    Parameters
    ----------
    counts : Counts, ConfusionMatrix, or mapping of str to them
        One model's counts, or a mapping with the counts of each. Arrays hold one matrix per slice;
        all models then share the slices and their class sizes. A `ConfusionMatrix` is of any number of
        classes and judged as by `evaluate_multiclass`.
    measures, undefined, confidence_level, intervals, tries, random_state
        As for `evaluate`.
    groups : iterable, optional
        Names of the slices when `counts` are arrays; 0, 1, ... by default.

    Returns
    -------
    Scorecard

    Raises
    ------
    ValueError
        If models differ in their class sizes, counts have more than one axis, or the number of
        names is not that of the slices.

    Examples
    --------
    >>> import clearbar as cb
    >>> cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), "f1")[0].outcome
    'clears'
    """
    if _are_matrices(counts):
        if groups is not None:
            raise ValueError("groups names slices of arrays of Counts; a ConfusionMatrix is of one group.")
        refuse_two_classes(None, checked_policy(undefined))
        return evaluate_multiclass(
            counts,
            None,
            measures,
            confidence_level=confidence_level,
            intervals=intervals,
            random_state=random_state,
        )
    chosen = chosen_measures(measures)
    policy = checked_policy(undefined)
    how = How.checked(confidence_level, intervals, random_state)
    names, together = stacked(counts, "samples", 1)
    length = together.shape[1]
    first: Any = next(iter(counts.values())) if isinstance(counts, Mapping) else counts
    slices: tuple[Any, ...] = tuple(range(length)) if first.shape else (None,)
    if groups is not None:
        slices = tuple(groups)
        if len(slices) != length:
            raise ValueError(f"groups must name each of the {length:,} slices; found {len(slices):,} names.")
    problem = Labels(names, slices, together, policy)
    return judged_labels(problem, chosen, how)


def _are_matrices(counts: Any) -> bool:
    """Whether these are confusion matrices of any number of classes."""
    several = counts.values() if isinstance(counts, Mapping) else [counts]
    return any(isinstance(one, ConfusionMatrix) for one in several)


def score(y_true: Any, y_pred: Any, measure: str | Measure, *, pos_label: Any = None) -> float:
    """Return the score of predictions.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (M,)
        True and predicted labels, sets of them, or numbers; labels and scores for a measure of scores.
    measure : str, Measure, ScoreMeasure, ClassMeasure or LabelMeasure
        What to evaluate; of more than two labels the measure of many classes of that name.
    pos_label : object, optional
        The label of the positive class.

    Returns
    -------
    float
        nan, with an `UndefinedMeasureWarning` that names the condition, where there is no value.

    Raises
    ------
    ValueError
        If the labels cannot be counted or the measure is unknown.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.score([1, 1, 0, 0], [1, 0, 0, 0], "f1"), 4)
    0.6667
    """
    if is_label_sets(y_true):
        card = _of_label_sets(y_true, y_pred, measure, pos_label, "exclude", {"intervals": False})
        return float(card.columns["score"][0, 0, 0])
    chosen = get_measure(measure)
    if chosen.kind == "scores":
        return _score_of_scores(y_true, y_pred, chosen, pos_label)
    if chosen.kind == "regression":
        return score_of_numbers(y_true, y_pred, chosen)
    if chosen.kind == "multiclass":
        return _score_of_classes(y_true, y_pred, chosen, pos_label)
    try:
        counts = count(y_true, y_pred, pos_label=pos_label)
    except ManyClassesError:
        return _score_of_classes(y_true, y_pred, get_measure(measure, "multiclass"), pos_label)
    value = chosen(counts)
    if np.isnan(value):
        broken = listed(chosen.domain.violated(counts.cells)) or "other counts"
        msg = (
            f"{chosen.name} has no value here: it needs {broken}. The score is nan; "
            "evaluate(..., undefined=0.0) gives such outcomes a value."
        )
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=2)
    return float(value)


def _score_of_scores(y_true: Any, y_score: Any, measure: ScoreMeasure, pos_label: Any) -> float:
    ranking = read_ranking(y_true, y_score, pos_label=pos_label, measures=(measure,))
    value = float(measure.value(ranking))
    if np.isnan(value):
        why = measure.needs(ranking.total, ranking.hits) or "it has none for these scores"
        msg = f"{measure.label} has no value here: {why}. The score is nan."
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=3)
    return value


def _score_of_classes(y_true: Any, y_pred: Any, measure: ClassMeasure, pos_label: Any) -> float:
    refuse_two_classes(pos_label, "exclude")
    chosen_class_measures(measure)
    matrix = ConfusionMatrix.from_labels(y_true, y_pred)
    problem = ClassLabels(("model",), (None,), ((matrix,),))
    value = float(problem.scores([measure])[0, 0, 0])
    if np.isnan(value):
        why = problem.why_undefined(measure, np.ones((1, 1), dtype=bool))[0]
        warnings.warn(f"{why}. The score is nan.", UndefinedMeasureWarning, stacklevel=3)
    return value
