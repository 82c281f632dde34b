"""The front door: which kind predictions are of; labels of two classes, and their counts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from clearbar.catalogue import KINDS, Measure, get_measure, judges
from clearbar.catalogue import door as door_of
from clearbar.core._typing import Undefined
from clearbar.core._value import checked_policy
from clearbar.core.counts import Counts
from clearbar.core.errors import (
    ArgumentError,
    ManyClassesError,
    UndefinedMeasureWarning,
    in_given_order,
    listed,
    shown,
)
from clearbar.data.counting import count, count_many, holds_matrices, predictions_as_mapping, stacked_counts
from clearbar.data.labels import MOST_CLASSES, is_label_sets, kind_of
from clearbar.evaluation.options import (
    Inference,
    Question,
    Slices,
    all_judge,
    ask_of,
    chosen_measures,
    door,
    kind_named,
    names_of,
    read_clusters,
)
from clearbar.formatting import plural
from clearbar.problems.binary import Labels, refuse_column
from clearbar.scorecard import Scorecard

if TYPE_CHECKING:
    from clearbar.core.classes import ConfusionMatrix

NOT_WITH_GIVEN = {
    "by": "given and by cannot be combined for labels; judge the samples of each slice in a call of its own.",
    "clusters": "given and clusters cannot be combined; leave out one of them. Where the column names the "
    "groups, given alone tells what is known beyond the group.",
}


@door
def evaluate(
    y_true: Any,
    y_pred: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    y_score: Any = None,
    labels: Iterable[Any] | None = None,
    pos_label: Any = None,
    by: Any = None,
    clusters: Any = None,
    given: Any = None,
    undefined: Undefined = "exclude",
    **inference: Unpack[Inference],
) -> Question:
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
        The measures; six common measures by default, ``"all"`` for the catalogue. With measures
        of scores, such as ``"roc_auc"``, `y_pred` holds scores, and `evaluate_scores` judges them; with
        ``"log_loss"`` and its kin of more than two classes, a column of probabilities per class.
    y_score : array_like of shape (M,), mapping, or data frame, optional
        Scores of the same models beside their labels, so that one card has measures of both, as in
        ``measures=["f1", "roc_auc"]``; of more than two classes a column of probabilities per class, as in
        ``["f1_macro", "log_loss"]``.
    labels : sequence, optional
        All classes, where there are more than two, in the order of the columns; see `evaluate_multiclass`. Of
        sets of labels their names.

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
    options: dict[str, Any] = {"pos_label": pos_label, "by": by, "clusters": clusters, "given": given}
    options |= {"undefined": undefined}
    inference.pop("tries", None)  # corrected for once, here
    if y_score is not None:
        return labels_and_scores(y_true, y_pred, y_score, measures, labels=labels, **options)
    kind = "multilabel" if is_label_sets(y_true) else kind_named(measures)
    if kind == "binary" and measures is None and holds_matrices(y_pred):
        kind = "probabilities"
    if given is not None:
        refuse_column(kind)
    of_other_kinds = {"labels": labels, **options, **inference}
    if kind != "binary":
        question: Question = of_kind_or_many(kind, y_true, y_pred, measures, of_other_kinds)
        return question
    try:
        question = two_classes(y_true, y_pred, measures, **options)
    except ManyClassesError:
        question = of_kind("multiclass", y_true, y_pred, measures, of_other_kinds)
    else:
        _refuse_classes(labels)
        return question
    return question._replace(notes=(*question.notes, *_many_numbers_note(question.problem)))


def _refuse_classes(labels: Any) -> None:
    if labels is not None:
        raise ValueError(
            f"labels names more than two classes, of which there are two here; found {shown(labels)}. "
            "pos_label names the positive one."
        )


def labels_and_scores(
    y_true: Any,
    y_pred: Any,
    y_score: Any,
    measures: Any,
    *,
    labels: Any,
    given: Any,
    pos_label: Any,
    undefined: Any,
    **options: Any,
) -> Question:
    """Ask measures of labels of what models call samples, and measures of scores of how they score them."""
    from clearbar.evaluation.scores import evaluate_scores

    if given is not None:
        raise ValueError("given is for labels alone; leave out y_score, or given.")
    kinds = set() if measures is None else {entry.kind for entry in chosen_measures(measures, None)}
    if not kinds & {"multiclass", "probabilities"}:
        of_labels, of_scores, entries = _of_both(measures, "binary", "scores", '["f1", "roc_auc"]')
        options["pos_label"] = pos_label
        try:
            called = two_classes(y_true, y_pred, of_labels, undefined=undefined, **options)
        except ManyClassesError:
            del options["pos_label"]
        else:
            _refuse_classes(labels)
            ranked = ask_of(evaluate_scores)(y_true, y_score, of_scores, **options)
            return _on_one_card(called, ranked, entries)
    from clearbar.evaluation.classes import class_columns, evaluate_multiclass, refuse_two_classes

    refuse_two_classes(pos_label, undefined)
    of_labels, of_scores, entries = _of_both(
        measures, "multiclass", "probabilities", '["f1_macro", "log_loss"] of more than two classes'
    )
    options["labels"] = labels
    called = ask_of(evaluate_multiclass)(y_true, y_pred, of_labels, **options)
    ranked = class_columns(y_true, y_score, tuple(of_scores), **options, called="y_score")
    return _on_one_card(called, ranked, entries)


def _of_both(
    measures: Any, of_labels: str, of_scores: str, example: str
) -> tuple[list[Any], list[Any], tuple[Any, ...]]:
    """Return the measures of labels, those of scores, and all in the order that is asked for."""
    several = measures if isinstance(measures, (list, tuple)) else [measures]
    kinds = (of_labels, of_scores)
    entries = []
    for named in several if measures is not None else ():
        of_kind = [named] if getattr(named, "kind", "") in kinds else []
        name = getattr(named, "name", named)
        entries += of_kind or [get_measure(name, kind) for kind in kinds if judges(name, kind)][:1]
    first, second = ([entry for entry in entries if entry.kind == kind] for kind in kinds)
    if len(entries) < len(several) or not first or not second:
        right = f"name measures of labels and of scores, as in measures={example}; found {shown(measures)}."
        raise ArgumentError("y_score", " is given beside predicted labels: ", right, "both kinds")
    return first, second, tuple(dict.fromkeys(entries))


def _on_one_card(called: Question, ranked: Question, entries: tuple[Any, ...]) -> Question:
    """Put two questions about the same models on one card."""
    from clearbar.problems.both import LabelsAndScores

    if called.problem.has_runs or called.problem.models != ranked.problem.models:
        finding = ", ".join(
            f"{listed(map(shown, question.problem.models))} in {name}"
            for name, question in {"y_pred": called, "y_score": ranked}.items()
        )
        raise ValueError(f"y_pred and y_score must hold one run of the same models each; found {finding}.")
    problem = LabelsAndScores(called.problem.models, called.problem.groups, called.problem, ranked.problem)
    notes = dict.fromkeys((*called.notes, *ranked.notes))
    return Question(problem, entries, tuple(notes), ranked.notes_on_card)


def of_kind_or_many(kind: str, y_true: Any, y_pred: Any, measures: Any, options: Mapping[str, Any]) -> Any:
    """Return the question of a kind; of scores of more than two classes, that of their probabilities."""
    of_many = kind == "scores" and all_judge(measures, "probabilities")
    if not of_many or options.get("labels") is None:
        try:
            return of_kind(kind, y_true, y_pred, measures, options)
        except ManyClassesError:
            if not of_many:
                raise
    return of_kind("probabilities", y_true, y_pred, names_of(measures), options)


def of_kind(kind: str, y_true: Any, y_pred: Any, measures: Any, options: Mapping[str, Any]) -> Any:
    """Return the question of a kind; the signature of its function says which options it takes."""
    function: Any = door_of("evaluate", kind)
    defaults = {name: option.default for name, option in signature(evaluate).parameters.items()}
    given = {
        name: value
        for name, value in options.items()
        if value is not defaults[name]  # arrays are compared with nothing
        and not (isinstance(value, (str, float, int)) and value == defaults[name])
    }
    taken = signature(function).parameters
    foreign = [name for name in given if name not in taken]
    if foreign:
        value = f"={shown(given[foreign[0]])}" if len(foreign) == 1 else ""
        are, them = ("are", "them") if len(foreign) > 1 else ("is", "it")
        instead = "undefined" in foreign and "zero_division" in taken
        hint = f"; {function.__name__} has zero_division" if instead else ""
        raise ValueError(
            f"{listed(foreign)}{value} {are} not for {KINDS[kind].judges}; leave {them} out{hint}."
        )
    return ask_of(function)(y_true, y_pred, measures, **given)


def _many_numbers_note(problem: Any) -> tuple[str, ...]:
    """Say that numbers were taken for classes, where they are so many that they may be counts."""
    labels = problem.sizes.labels
    if len(labels) <= MOST_CLASSES or kind_of(labels[0]) != "numbers":
        return ()
    numbers = f"The {len(labels):,} different numbers of y_true and y_pred are taken for classes"
    return (f"{numbers}; counts and other amounts are judged by evaluate_regression.",)


def two_classes(
    y_true: Any,
    y_pred: Any,
    measures: Any,
    *,
    pos_label: Any = None,
    by: Any = None,
    clusters: Any = None,
    given: Any = None,
    undefined: Any = "exclude",
) -> Question:
    """Count labels of two classes; read the samples where some belong together."""
    for name, option in {"by": by, "clusters": clusters}.items():
        if given is not None and option is not None:
            raise ValueError(NOT_WITH_GIVEN[name])
    entries, policy = chosen_measures(measures), checked_policy(undefined)
    models = predictions_as_mapping(y_pred)
    if given is not None:
        from clearbar.problems.folds import column_labels

        column = column_labels(y_true, models, given, pos_label, policy)
        values = plural(len(column.values.folds), "value")
        note = f"The bars see a column of {values}, and how many samples of each are positive."
        return Question(column, entries, (note,))
    slices = by if isinstance(by, Slices) else None
    keep = clusters is not None
    table = count_many(y_true, models, pos_label=pos_label, by=slices.codes if slices else by, keep=keep)
    groups, counts = table.groups, table.counts
    if slices:  # of those that are too small there are counts, but no name
        groups = (None, *slices.names)
        counts = counts[:, : len(groups)]
    if table.samples is None:
        return Question(Labels(table.models, groups, counts, policy, table.calls), entries)
    truth, predicted, rows = table.samples
    codes, notes = read_clusters(clusters, y_true, len(truth))
    samples: Any = {"truth": truth, "predicted": predicted, "rows": rows[: len(groups)], "clusters": codes}
    problem = Labels(table.models, groups, counts, policy, **samples)
    return Question(problem, entries, (*notes, *(slices.notes if slices else ())))


@door
def evaluate_counts(
    counts: Counts | ConfusionMatrix | Mapping[str, Counts | ConfusionMatrix],
    measures: Any = None,
    *,
    groups: Iterable[Any] | None = None,
    undefined: Undefined = "exclude",
    **inference: Unpack[Inference],
) -> Question:
    """Judge confusion matrices; as `evaluate`, from what was counted elsewhere.

    Parameters
    ----------
    counts : Counts, ConfusionMatrix, or mapping of str to them
        One model's counts, or a mapping with the counts of each. Arrays hold one matrix per slice;
        all models then share the slices and their class sizes. A `ConfusionMatrix` is of any number of
        classes and judged as by `evaluate_multiclass`.
    measures : str, Measure, or list of them, optional
        The measures, as for `evaluate`.
    groups : iterable, optional
        Names of the slices when `counts` are arrays; 0, 1, ... by default.

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
    from clearbar.core.classes import ConfusionMatrix

    policy = checked_policy(undefined)
    models: Any = dict(counts) if isinstance(counts, Mapping) else {"model": counts}
    if any(isinstance(matrix, ConfusionMatrix) for matrix in models.values()):
        if groups is not None:
            raise ValueError("groups names slices of arrays of Counts; a ConfusionMatrix is of one group.")
        from clearbar.evaluation.classes import evaluate_multiclass, refuse_two_classes

        refuse_two_classes(None, policy)
        return ask_of(evaluate_multiclass)(counts, None, measures)
    entries = chosen_measures(measures)
    names, stacked = stacked_counts(models, "samples", 1)
    length = stacked.shape[1]
    slices: tuple[Any, ...] = tuple(range(length)) if next(iter(models.values())).shape else (None,)
    if groups is not None:
        slices = in_given_order("groups", groups)
        if len(slices) != length:
            raise ValueError(f"groups must name each of the {length:,} slices; found {len(slices):,} names.")
    return Question(Labels(names, slices, stacked, policy), entries)


def score(y_true: Any, y_pred: Any, measure: str | Measure, *, pos_label: Any = None) -> float:
    """Return the score of predictions.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (M,)
        True and predicted labels, sets of them, or numbers; labels and scores for a measure of scores.
    measure : str, Measure, ScoreMeasure, ClassMeasure or LabelMeasure
        The measure; of more than two labels the measure of many classes of that name.
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
    kind = "multilabel" if is_label_sets(y_true) else get_measure(measure).kind
    value, why = np.nan, ""
    if kind == "binary":
        try:
            counts = count(y_true, y_pred, pos_label=pos_label)
        except ManyClassesError:
            kind = "multiclass"
        else:
            value, why = score_of_counts(counts, get_measure(measure))
    if kind != "binary":
        value, why = _score_of_kind(kind, y_true, y_pred, get_measure(measure, kind), pos_label)
    if np.isnan(value):
        remedy = "; evaluate(..., undefined=0.0) gives such outcomes a value" if kind == "binary" else ""
        warnings.warn(f"{why}. The score is nan{remedy}.", UndefinedMeasureWarning, stacklevel=2)
    return value


def score_of_counts(counts: Counts, measure: Measure) -> tuple[float, str]:
    """Return a score, and where it is nan why."""
    value = float(measure(counts))
    broken = listed(measure.domain.violated(counts.cells)) or "other counts" if np.isnan(value) else ""
    return value, f"{measure.name} has no value here: it needs {broken}"


def _score_of_kind(kind: str, y_true: Any, y_pred: Any, measure: Any, pos_label: Any) -> tuple[float, str]:
    """Return the score, and why it is nan where it is; bars and p-values are not needed."""
    question = of_kind_or_many(kind, y_true, y_pred, measure, {"pos_label": pos_label})
    if isinstance(question, Scorecard):  # of a kind of one's own
        return float(question.columns["score"][0, 0, 0]), str(question.columns["reason"][0, 0, 0])
    value = float(np.asarray(question.problem.scores(question.measures)).reshape(-1)[0])
    lost = np.ones((1, 1), dtype=bool)
    if not np.isnan(value):
        return value, ""
    return value, str(question.problem.why_undefined(question.measures[0], lost)[0])
