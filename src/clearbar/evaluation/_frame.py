"""Predictions in tables and files: counted where they are, judged here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from clearbar.catalogue import Measure
from clearbar.core._numbers import whole_number
from clearbar.core._typing import Undefined
from clearbar.core.errors import ManyClassesError, shown
from clearbar.data.tables import Ask
from clearbar.evaluation._answers import judged_tasks
from clearbar.evaluation._call import remembered
from clearbar.evaluation._frame_labels import judged_classes, judged_two_classes
from clearbar.evaluation._frame_samples import judged_numbers, judged_score_frame, refuse_for_scores
from clearbar.evaluation._judged import How
from clearbar.evaluation._options import kind_named
from clearbar.problems.binary import checked_policy
from clearbar.problems.combine import chosen_way
from clearbar.scorecard import Scorecard


@remembered
def evaluate_frame(
    frame: Any,
    y_true: str,
    y_pred: str | Iterable[str] | None = None,
    *,
    model: str | None = None,
    by: str | Iterable[str] | None = None,
    fold: str | None = None,
    weight: str | None = None,
    clusters: str | None = None,
    item: str | None = None,
    options: str | None = None,
    threshold: float | None = None,
    y_score: str | Iterable[str] | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    pos_label: Any = None,
    nulls: Literal["raise", "drop"] = "raise",
    kind: str | None = None,
    undefined: Undefined = "exclude",
    confidence_level: float = 0.95,
    intervals: bool = True,
    min_support: int = 0,
    by_file: bool = False,
    aggregate: str = "pooled",
    fold_aware: bool = False,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    random_state: Any = 0,
) -> Scorecard:
    """Judge predictions in a table, where it is: only counts leave its engine.

    Parameters
    ----------
    frame : data frame, path, or list of paths
        A table of pandas, polars, pyarrow, DuckDB, Dask, Spark or another library that narwhals knows,
        lazy or not; or CSV, Parquet or JSON-lines files, by their paths or a pattern such as
        ``"run-*.parquet"``. Several files are one table.
    y_true : str
        Column of true labels.
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
    item : str, optional
        Column that says which item of a task a row answers; without it the rows of all models are in the same
        order.
    options : str, optional
        Column of the number of options of multiple-choice items, missing for open questions: `by` names
        tasks, each with classes and a bar of its own, and the whole is the mean over them. So it is in any
        long table with `model`, `by` and ``kind="multiclass"``, by accuracy if nothing else is asked for. All
        columns that are named are read into memory; `clusters` goes with `model` here.
    threshold : float, optional
        Predictions are probabilities, and positive from here on; it is rounded to their type, so that
        on every engine the float32 number nearest to 0.7 reaches 0.7, as in NumPy.
    y_score : str or list of str, optional
        Columns of scores or probabilities, one per model, in place of `y_pred`: judged as by
        `evaluate_scores`. The columns that are named are read into memory. Not with `model` or `weight`.
    measures : str, Measure, or list of them, optional
        What to judge by; six common measures by default, ``"all"`` for the catalogue. Of scores, as for
        `evaluate_scores`.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or truth values.
    nulls : {"raise", "drop"}
        Whether a missing value (a null or nan) in any of these columns is an error, or its row is left
        out; how many were is said in the scorecard's notes.
    kind : {None, "binary", "multiclass", "regression"}
        Whether there are two classes, any number of them, or numbers; by default many classes where a measure
        is of these, or more than two labels occur, and numbers where a measure is of numbers. Numbers are
        read into memory.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `baseline`.
    confidence_level : float
        That of `low` and `high`; a score is sure at one minus it.
    intervals : bool
        False leaves out the p-values, for millions of rows in a hurry.
    min_support : int
        Samples that a slice must have to be judged.
    by_file : bool
        Whether each file is a slice.
    aggregate, fold_aware
        How folds are combined, as for `evaluate_folds`; refused without `fold`. Of scores, folds are
        averaged; ``"merged"`` merges them into one ranking.
    tries : int
        Each model is the best of so many that were fixed before any score was seen, as for `evaluate`.
    random_state : int, Generator, RandomState or None
        Seed of what is drawn at random, resamples and permutations: the same seed, the same card. None takes
        another each time.

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
    if y_score is not None:
        refuse_for_scores(
            y_pred=y_pred, kind=kind, threshold=threshold, undefined=undefined, fold_aware=fold_aware,
            item=item, options=options,
        )  # fmt: skip
    elif y_pred is None:
        raise ValueError(
            "y_pred must name the columns of predictions, one per model; y_score those of scores."
        )
    _refuse_kind(kind)
    long = kind == "multiclass" and model is not None and by is not None and fold is None and weight is None
    tasked = item is not None or options is not None or long
    ask = Ask.checked(
        y_true,
        y_pred if y_score is None else y_score,
        model=model, by=by, fold=fold, weight=weight, threshold=threshold, pos_label=pos_label, nulls=nulls,
        by_file=by_file, clusters=clusters, item=item, options=options, of_tasks=tasked,
        of_scores=y_score is not None,
    )  # fmt: skip
    return (judged_tasks if tasked else judged_frame)(
        frame,
        ask,
        measures,
        kind=kind, undefined=undefined, confidence_level=confidence_level, intervals=intervals,
        min_support=min_support, aggregate=aggregate, fold_aware=fold_aware, random_state=random_state,
    )  # fmt: skip


def judged_frame(
    frame: Any,
    ask: Ask,
    measures: Any = None,
    *,
    kind: str | None = None,
    undefined: Undefined = "exclude",
    confidence_level: float = 0.95,
    intervals: bool = True,
    min_support: int = 0,
    aggregate: str = "pooled",
    fold_aware: bool = False,
    random_state: Any = 0,
) -> Scorecard:
    """Count a table and judge the counts, of two classes or of many; or rank its scores."""
    # What is wrong with these is said before a large table is read.
    policy, how = checked_policy(undefined), How.checked(confidence_level, intervals, random_state)
    smallest = whole_number("min_support", min_support)
    if not ask.of_scores:
        chosen_way(aggregate, fold_aware)
    _refuse_without_folds(ask, aggregate, fold_aware=fold_aware)
    if ask.of_scores:
        return judged_score_frame(frame, ask, measures, how, min_support=smallest, aggregate=aggregate)
    wanted = kind or kind_named(measures)
    if wanted == "regression":
        return judged_numbers(frame, ask, measures, how, undefined=policy, min_support=smallest)
    options: dict[str, Any] = {"aggregate": aggregate, "fold_aware": fold_aware}
    options |= {"undefined": policy, "min_support": smallest}
    if wanted != "multiclass":
        try:
            return judged_two_classes(frame, ask, measures, how, **options)
        except ManyClassesError:
            if kind is not None:
                raise
    return judged_classes(frame, ask, measures, how, **options)


def _refuse_without_folds(ask: Ask, aggregate: str, *, fold_aware: bool) -> None:
    """Raise if it is said how folds are combined where there are none."""
    given = "fold_aware=True" if fold_aware else "" if aggregate == "pooled" else f"aggregate={aggregate!r}"
    if ask.fold is None and given:
        raise ValueError(f"{given} is about folds, and no column of folds is named; name it with fold.")


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
