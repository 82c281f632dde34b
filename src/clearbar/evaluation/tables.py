"""Predictions in tables and files: counted where they are, or read where samples are needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import IntArray, Undefined
from clearbar.core._value import checked_policy, whole_number
from clearbar.core.counts import counts_of
from clearbar.core.errors import ArgumentError, ManyClassesError, listed, shown
from clearbar.data.arrays import factorise
from clearbar.data.labels import parse_label
from clearbar.data.query import TableQuery
from clearbar.data.scores import of_one_class, read_scores
from clearbar.data.table_counts import count_classes, count_frame
from clearbar.data.tables import FrameSamples, sampled_frame, sampled_values
from clearbar.evaluation.answers import table_of_answers
from clearbar.evaluation.classes import class_problem, evaluate_multiclass, refuse_two_classes
from clearbar.evaluation.folds import (
    checked_class_options,
    evaluate_fold_counts,
    fold_class_question,
    folds_of,
)
from clearbar.evaluation.labels import labels_and_scores, two_classes
from clearbar.evaluation.options import (
    Inference,
    Question,
    Slices,
    all_judge,
    ask_of,
    chosen_class_measures,
    chosen_measures,
    class_order_note,
    door,
    kind_named,
    missing_rows_note,
    names_of,
)
from clearbar.evaluation.scores import evaluate_regression, scored
from clearbar.evaluation.tasks import table_of_scores
from clearbar.formatting import plural
from clearbar.problems.binary import Labels
from clearbar.problems.folds import FoldClasses, chosen_way
from clearbar.problems.multiclass import ClassLabels


@door
def evaluate_frame(
    frame: Any,
    y_true: str | None = None,
    y_pred: str | Iterable[str] | None = None,
    *,
    model: str | None = None,
    by: str | Iterable[str] | None = None,
    fold: str | None = None,
    weight: str | None = None,
    clusters: str | None = None,
    given: str | None = None,
    item: str | None = None,
    options: str | None = None,
    chance: float | str | Mapping[str, float | str] | None = None,
    threshold: float | None = None,
    y_score: str | Iterable[str] | None = None,
    labels: Iterable[Any] | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    pos_label: Any = None,
    nulls: Literal["raise", "drop"] = "raise",
    kind: str | None = None,
    undefined: Undefined = "exclude",
    min_support: int = 0,
    by_file: bool = False,
    aggregate: str = "pooled",
    fold_aware: bool = False,
    **inference: Unpack[Inference],
) -> Question:
    """Judge predictions in a table, where it is: only counts leave its engine.

    Parameters
    ----------
    frame : data frame, path, or list of paths
        A table of pandas, polars, pyarrow, DuckDB, Dask, Spark or another library that narwhals knows,
        lazy or not; or CSV, Parquet or JSON-lines files, by their paths or a pattern such as
        ``"run-*.parquet"``. Several files are one table.
    y_true : str, optional
        Column of true labels. Without it `y_score` names columns of scores from 0 to 1 of the items of tasks,
        judged as by `evaluate_tasks`: `by` names tasks, and `model`, `item`, `clusters` and `chance` go too.
    y_pred : str or list of str
        Columns of predicted labels, one per model; or the one column of a long table.
    model : str, optional
        The column of a long table that says which model each row is about.
    by : str or list of str, optional
        Columns of slices: one verdict for the whole, then one for each combination of their values.
    fold : str, optional
        Column of folds: predictions are judged as by `evaluate_folds`.
    weight : str, optional
        Column that says how often each row occurs: whole numbers, as in a table that was counted
        before.
    clusters : str, optional
        Column that says which rows belong together, such as patients, as for `evaluate`; then the columns
        named here are read into memory. Not with `model`, `fold` or `weight`.
    given : str, optional
        Column that the bars may see, as for `evaluate`, of labels of two classes or numbers; then the columns
        named here are read into memory. Not with `model`, `fold` or `clusters`.
    item : str, optional
        Column that says which item of a task a row answers; without it the rows of all models are in the same
        order.
    options : str, optional
        Column of the number of options of multiple-choice items, missing for open questions: `by` names
        tasks, each with classes and a bar of its own, and the whole is the mean over them. So it is in any
        long table with `model`, `by` and ``kind="multiclass"``, by accuracy if nothing else is asked for. All
        columns that are named are read into memory; `clusters` goes with `model` here.
    chance : float, str or dict, optional
        What chance gets of an item that is scored, as for `evaluate_tasks`.
    threshold : float, optional
        Predictions are probabilities, and positive from here on; it is rounded to their type, so that
        on every engine the float32 number nearest to 0.7 reaches 0.7, as in NumPy.
    y_score : str or list of str, optional
        Columns of scores or probabilities, one per model, in place of `y_pred`: judged as by
        `evaluate_scores`. The columns that are named are read into memory. Not with `model` or `weight`. Of
        more than two classes and by measures of their probabilities, such as ``"log_loss"``: a column per
        class, of one model. Beside `y_pred`, a column for each of its columns or classes, in their order:
        one card has measures of both, as in ``measures=["f1", "roc_auc"]``.
    labels : sequence, optional
        The classes of these columns, in their order; by default those that occur, sorted.
    measures : str, Measure, or list of them, optional
        The measures; six common measures by default, ``"all"`` for the catalogue. Of scores, as for
        `evaluate_scores`.
    kind : {None, "binary", "multiclass", "regression"}
        Whether there are two classes, any number of them, or numbers; by default many classes where a measure
        is of these, or more than two labels occur, and numbers where a measure is of numbers. Numbers are
        read into memory.
    min_support : int
        Samples that a slice must have to be judged.
    by_file : bool
        Whether each file is a slice.
    aggregate : str
        The way in which folds are combined, as for `evaluate_folds`; refused without `fold`. Folds of scores
        are averaged; ``"merged"`` merges them into one ranking.

    Returns
    -------
    Scorecard
        With `folds` and `fold_counts` where there are folds.

    Raises
    ------
    ValueError
        If the table cannot be read, a column is missing, or labels cannot be counted.
    ImportError
        If files are to be read and polars is not installed.
    RuntimeError
        If polars is needed in a process that was forked after it ran.

    Examples
    --------
    >>> import clearbar as cb
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": [1, 1, 0, 0, 0], "tree": [1, 1, 0, 0, 1], "day": [1, 1, 1, 2, 2]})
    >>> card = cb.evaluate_frame(frame, "y", "tree", by="day", measures=["f1", "mcc"])
    >>> card.groups
    (None, 1, 2)
    """
    wanted = Wanted(measures, kind, undefined, min_support, aggregate, fold_aware)
    _refuse_kind(kind)
    if y_true is None and y_pred is None and y_score is not None:
        of_labels: dict[str, Any] = {"kind": kind, "options": options, "pos_label": pos_label}
        of_labels |= {"labels": labels, **wanted._replace(labels=None)._asdict()}
        _refuse_given("scores of items take no {}; leave it out.", of_labels)
        columns = {"model": model, "by": by, "item": item, "clusters": clusters, "nulls": nulls}
        others = {"fold": fold, "weight": weight, "threshold": threshold, "given": given, "by_file": by_file}
        ask = TableQuery.checked(None, y_score, of_scores=True, of_tasks=True, **columns, **others)
        return table_of_scores(frame, ask, chance)
    if chance is not None:
        raise ValueError("chance is for scores of items: name their columns with y_score, and no y_true.")
    if y_score is not None:
        of_labels = {"kind": kind, "threshold": threshold, "item": item, "options": options}
        of_labels |= {"fold_aware": fold_aware} | ({"undefined": undefined} if y_pred is None else {})
        wanted = wanted._replace(labels=labels)
        _refuse_given("y_score and {} cannot be combined; leave out one of them.", of_labels)
    elif y_pred is None:
        raise ValueError(
            "y_pred must name the columns of predictions, one per model; y_score those of scores."
        )
    elif labels is not None:
        raise ValueError("labels names the classes of columns of y_score; leave it out for predicted labels.")
    long = kind == "multiclass" and model is not None and by is not None and fold is None and weight is None
    of_tasks = item is not None or options is not None or long
    ask = TableQuery.checked(
        y_true,
        y_score if y_pred is None else y_pred,
        y_score=() if y_pred is None or y_score is None else y_score,
        model=model, by=by, fold=fold, weight=weight, threshold=threshold, pos_label=pos_label, nulls=nulls,
        by_file=by_file, clusters=clusters, given=given, item=item, options=options, of_tasks=of_tasks,
        of_scores=y_pred is None,
    )  # fmt: skip
    if not of_tasks:
        return table_question(frame, ask, wanted)
    if kind in {"binary", "regression"}:
        raise ValueError(
            f"kind={kind!r} takes no item or options: answers to tasks are of any number of classes."
        )
    of_samples = {"fold": fold, "weight": weight, "threshold": threshold, "pos_label": pos_label}
    of_samples |= wanted._replace(measures=None, kind=None)._asdict()
    _refuse_given("answers to tasks take no {}; leave it out.", of_samples)
    return table_of_answers(frame, ask, measures)


class Wanted(NamedTuple):
    """What is asked of a table beside its columns; `evaluate_frame` says what each means."""

    measures: Any = None
    kind: str | None = None
    undefined: Any = "exclude"
    min_support: int = 0
    aggregate: str = "pooled"
    fold_aware: bool = False
    labels: Any = None

    def of_folds(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("aggregate", "fold_aware", "undefined")}


def _refuse_given(sentence: str, options: Mapping[str, Any]) -> None:
    """Raise if one of these options is not as it is where it is not given."""
    for name, value in options.items():
        if value is not None and value != Wanted._field_defaults.get(name):
            raise ValueError(sentence.format(name))


def _refuse_kind(kind: Any) -> None:
    if kind is None or (isinstance(kind, str) and kind in {"binary", "multiclass", "regression"}):
        return
    others = {
        "scores": ": name the columns with y_score",
        "multilabel": ": pass frames of the columns to evaluate_multilabel(frame[y_true], frame[y_pred])",
    }
    instead = others.get(kind, "") if isinstance(kind, str) else ""
    raise ValueError(
        f"kind must be None, 'binary', 'multiclass' or 'regression'; found {shown(kind)}{instead}."
    )


def table_question(frame: Any, ask: TableQuery, wanted: Wanted) -> Question:
    """Judge the rows of a table: labels of two classes or of many, scores, or numbers."""
    # What is wrong with these is said before a large table is read.
    wanted = wanted._replace(
        undefined=checked_policy(wanted.undefined),
        min_support=whole_number("min_support", wanted.min_support),
    )
    if not ask.of_scores:
        chosen_way(wanted.aggregate, wanted.fold_aware)
    if ask.fold is None and (wanted.fold_aware or wanted.aggregate != "pooled"):
        combined = "fold_aware=True" if wanted.fold_aware else f"aggregate={wanted.aggregate!r}"
        raise ValueError(f"{combined} is about folds, and no column of folds is named; name it with fold.")
    kind = "both" if ask.y_score else wanted.kind or kind_named(wanted.measures)
    if kind == "both":
        question, left_out = _labels_and_scores(frame, ask, wanted)
    elif ask.of_scores:
        question, left_out = _scores(frame, ask, wanted)
    elif kind == "regression":
        question, left_out = _numbers(frame, ask, wanted)
    elif kind == "multiclass":
        question, left_out = _many_classes(frame, ask, wanted)
    else:
        question, left_out = _of_labels(frame, ask, wanted)
    return question._replace(notes=(*question.notes, *missing_rows_note(left_out)))


def _of_labels(frame: Any, ask: TableQuery, wanted: Wanted) -> tuple[Question, int]:
    """Count labels, of two classes if nothing else is asked for and there are no more."""
    try:
        return _two_classes(frame, ask, wanted)
    except ManyClassesError:
        if wanted.kind is not None:
            raise
    except ArgumentError as error:
        if error.mends != "threshold":
            raise
        right = "name their columns with y_score, or if they are probabilities, add threshold=0.5."
        raise type(error)(error.argument, error.found, right, error.mends) from None
    return _many_classes(frame, ask, wanted)


def _scores(frame: Any, ask: TableQuery, wanted: Wanted) -> tuple[Question, int]:
    """Read columns of scores; folds are averaged if nothing else is asked for."""
    if wanted.labels is not None or kind_named(wanted.measures) == "probabilities":
        return _probabilities(frame, ask, wanted)
    try:
        with of_one_class():
            table = sampled_frame(frame, ask)
    except ManyClassesError:
        if not all_judge(wanted.measures, "probabilities"):
            raise
        return _probabilities(frame, ask, wanted)
    samples = len(table.truth)
    scores = {name: read_scores(column, "y_score", samples) for name, column in table.predicted.items()}
    if ask.fold is not None:
        way = "mean" if wanted.aggregate == "pooled" else wanted.aggregate
        split = folds_of(table.folds, table.truth)
        facts: Any = {"split": split, "aggregate": way}
    else:
        facts = _parted(table, wanted)
    return scored(table.truth, scores, wanted.measures, labels=table.labels, **facts), table.left_out


def _parted(table: FrameSamples, wanted: Wanted) -> dict[str, Any]:
    """Return the slices of samples that were read, and what belongs together."""
    by = slices_of(table.slices, len(table.truth), wanted.min_support)
    return {"by": by, "clusters": table.clusters}


def _probabilities(frame: Any, ask: TableQuery, wanted: Wanted) -> tuple[Question, int]:
    """Read a column of probabilities per class, of one model."""
    ask.refuse("probabilities of classes take no {}", "fold", "pos_label")
    table = sampled_values(frame, ask)
    matrix = np.column_stack(
        [read_scores(table.predicted[name], name, len(table.truth)) for name in ask.y_pred]
    )
    occurring = factorise(table.truth, len(table.truth))[0]
    labels = _spelt(wanted.labels, ask, occurring)
    if len(occurring) > matrix.shape[1]:
        named = listed(map(shown, sorted(occurring)), most=6)
        order = f" must name a column for each of {len(occurring):,} classes ({named}), in the order of "
        raise ArgumentError("y_score", f"{order}{ask.option('labels')}; found {matrix.shape[1]:,}.")
    measures = None if wanted.measures is None else names_of(wanted.measures)
    read = ask_of(evaluate_multiclass)
    return read(table.truth, matrix, measures, labels=labels, **_parted(table, wanted)), table.left_out


def _spelt(labels: Any, ask: TableQuery, occurring: Sequence[Any]) -> Any:
    """Return labels that were typed as those that occur."""
    if labels is None or not ask.spelt:
        return labels
    of_text = isinstance(occurring[0], str)
    return [text if of_text else parse_label(text, occurring, "labels") for text in labels]


def _labels_and_scores(frame: Any, ask: TableQuery, wanted: Wanted) -> tuple[Question, int]:
    """Read labels and scores of the same models; of many classes a column per class, of one model."""
    table = sampled_values(frame, ask)
    scores = [table.predicted[name] for name in ask.y_score]
    occurring, pos_label = factorise(table.truth, len(table.truth))[0], ask.pos_label
    if len(ask.y_pred) == 1 < len(scores) and (len(occurring) > 2 or wanted.labels is not None):
        named = zip(ask.y_score, scores, strict=True)
        scores = [np.column_stack([read_scores(column, name, len(table.truth)) for name, column in named])]
    if len(scores) != len(ask.y_pred):
        raise ArgumentError(
            "y_score",
            f" must name a column for each of {ask.option('y_pred')}, or of one model and more than two "
            f"classes a column per class; found {len(ask.y_score)} beside {len(ask.y_pred)}.",
        )
    called = {name: table.predicted[name] for name in ask.y_pred}
    if ask.spelt and pos_label is not None:
        every = {label for column in called.values() for label in factorise(column, len(column))[0]}
        pos_label = parse_label(pos_label, sorted({*occurring, *every}, key=str))
    facts: Any = {"labels": _spelt(wanted.labels, ask, occurring), "given": None, "pos_label": pos_label}
    facts |= _parted(table, wanted) | {"undefined": wanted.undefined}
    beside = dict(zip(ask.y_pred, scores, strict=True))
    return labels_and_scores(table.truth, called, beside, wanted.measures, **facts), table.left_out


def _numbers(frame: Any, ask: TableQuery, wanted: Wanted) -> tuple[Question, int]:
    ask.refuse("measures of numbers take no {}", "model", "fold", "threshold", "pos_label")
    if wanted.undefined != "exclude":
        raise ValueError("undefined is for labels; leave it out for measures of numbers.")
    table = sampled_values(frame, ask)
    read, facts = ask_of(evaluate_regression), _parted(table, wanted)
    return read(table.truth, table.predicted, wanted.measures, given=table.given, **facts), table.left_out


def _two_classes(frame: Any, ask: TableQuery, wanted: Wanted) -> tuple[Question, int]:
    """Count a table; raises `ManyClassesError` where there are more classes."""
    entries, undefined = chosen_measures(wanted.measures), wanted.undefined
    if ask.clusters is not None or ask.given is not None:
        samples = sampled_frame(frame, ask)
        facts: Any = {"pos_label": True, "given": samples.given, **_parted(samples, wanted)}
        question = two_classes(samples.truth, samples.predicted, entries, **facts, undefined=undefined)
        counts = question.problem.counts.called(samples.labels)
        return question._replace(problem=replace(question.problem, counts=counts)), samples.left_out
    table = count_frame(frame, ask)
    if ask.fold is not None:
        models = {name: table.counts[model] for model, name in enumerate(table.models)}
        folds = [key[-1] for key in table.keys]
        read = ask_of(evaluate_fold_counts)
        return read(models, entries, folds=folds, **wanted.of_folds()), table.left_out
    counts, kept = table.counts, Slices((), None)
    if ask.slices:
        cells = [np.asarray(cell) for cell in counts.cells]
        cells = [np.concatenate([cell.sum(axis=1, keepdims=True), cell], axis=1) for cell in cells]
        counts = counts_of(cells).called(counts.labels)
        sizes = np.asarray(counts.total)[0, 1:]
        large, kept = large_slices(slice_names(table.keys), sizes, wanted.min_support)
        if kept.notes:
            counts = counts[:, np.append(0, 1 + large)]
    problem = Labels(table.models, (None, *kept.names), counts, undefined, table.calls)
    return Question(problem, entries, kept.notes), table.left_out


def _many_classes(frame: Any, ask: TableQuery, wanted: Wanted) -> tuple[Question, int]:
    refuse_two_classes(ask.pos_label, wanted.undefined)
    ask.refuse("labels of more than two classes take no {}", "given")
    if ask.threshold is not None:
        raise ValueError(
            f"threshold={ask.threshold:g} makes two classes of scores, and the labels are of more: name "
            "columns of predicted labels."
        )
    if ask.fold is not None:
        of_classes, way = checked_class_options(wanted.measures, **wanted.of_folds())
        table = count_classes(frame, ask)
        folds = tuple(key[-1] for key in table.keys)
        if len(folds) < 2:
            raise ValueError("fold holds one fold; cross-validation has two or more. Leave out fold.")
        in_folds = FoldClasses(table.models, folds, way, tuple(of_model[1:] for of_model in table.matrices))
        return fold_class_question(in_folds, of_classes), table.left_out
    entries = chosen_class_measures(wanted.measures)
    if ask.clusters is not None:
        samples = sampled_values(frame, ask)
        parted = _parted(samples, wanted)
        problem, notes = class_problem(samples.truth, samples.predicted, None, **parted, zero_division=0.0)
        left_out = samples.left_out
    else:
        table = count_classes(frame, ask)
        names = slice_names(table.keys) if ask.slices else []
        sizes = [matrix.total for matrix in table.matrices[0][1:]] if names else []
        large, kept = large_slices(names, sizes, wanted.min_support)
        rows = [0, *(1 + large).tolist()]
        matrices = tuple(tuple(of_model[row] for row in rows) for of_model in table.matrices)
        problem = ClassLabels(table.models, (None, *kept.names), matrices, **table.together)
        notes, left_out = kept.notes, table.left_out
    return Question(problem, entries, (*notes, *class_order_note(entries, problem.sizes.labels))), left_out


class SliceName(tuple[Any, ...]):
    """The values of several columns that make a slice; equal to the plain tuple of them."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the values, parted by commas."""
        return ", ".join(map(str, self))


def slice_names(keys: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return the slices' names: a value, or those of several columns."""
    return [key[0] for key in keys] if keys and len(keys[0]) == 1 else list(map(SliceName, keys))


def large_slices(names: Sequence[Any], sizes: Any, fewest: int) -> tuple[IntArray, Slices]:
    """Return which slices have enough samples, and their names with a note on the others."""
    large = np.flatnonzero(np.asarray(sizes) >= fewest)
    small = len(names) - len(large)
    note = f"{plural(small, 'slice')} with fewer than {fewest:,} samples left out."
    return large, Slices(tuple(names[row] for row in large.tolist()), None, (note,) if small else ())


def slices_of(columns: Sequence[Any], length: int, fewest: int) -> Slices | None:
    """Return the combinations of values that occur and which are large enough; None without columns."""
    if not columns:
        return None
    codes = np.zeros(length, dtype=np.int64)
    keys: list[tuple[Any, ...]] = [()]
    for column in columns:
        values, column_codes = factorise(column, length)
        combinations, codes = np.unique(codes * len(values) + column_codes, return_inverse=True)
        keys = [(*keys[code // len(values)], values[code % len(values)]) for code in combinations.tolist()]
    codes = codes.reshape(-1)
    large, kept = large_slices(slice_names(keys), np.bincount(codes), fewest)
    order = np.full(len(keys), len(large))  # those that are too small share the last code
    order[large] = np.arange(len(large))
    return kept._replace(codes=order[codes])
