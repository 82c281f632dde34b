"""From labels of two classes to counts, of one model or many, slice by slice and run by run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core._value import LARGEST_TOTAL, Value, number_or_nan, whole_numbers
from clearbar.core.counts import Calls, Counts, Population, already_counted, counts_of, refuse_matrix
from clearbar.core.errors import in_given_order, listed, shown
from clearbar.data.arrays import (
    BLOCK,
    blocks,
    columns_of,
    factorise,
    guarded,
    library,
    native,
    plain,
    read,
    refuse_empty,
    refuse_other_rows,
    refuse_several,
    refuse_unequal,
    rows_of,
)
from clearbar.data.labels import Labels, Tally, class_names, positive_samples, read_labels, resolve

THE_MODEL = "model"  # what a model is called that has no name
# Samples times models up to which it is counted which models call the same samples positive.
MOST_COMPARED = 250_000_000

MOST_SAMPLES = "must not exceed 2**52, up to which numbers of samples are exact in floating point."
WHOLE_SAMPLES = (
    "Importance weights have no hypergeometric null, because a feature-blind classifier draws whole samples."
)
"""What weights can be, for the messages of those who read them."""


class Samples(NamedTuple):
    """Which samples are positive, and which of them each run of each model calls so."""

    truth: BoolArray
    predicted: BoolArray  # of shape (models, runs, samples)
    rows: tuple[Any, ...]  # the samples of each slice, all of them first


@dataclass(frozen=True, eq=False)
class CountTable(Value):
    """Counts of many models, slices and runs, each looked at once."""

    models: tuple[str, ...]  # their names; the first axis of ``counts``
    groups: tuple[object, ...]
    counts: Counts  # of shape (models, groups), or (models, groups, runs) if models were run several times
    labels: Labels  # which label is positive
    calls: Calls | None = None  # which models call the same samples positive, where there are several
    samples: Samples | None = None  # what was counted, for several runs or where it is asked for

    @property
    def pos_label(self) -> Any:
        return self.labels.pos_label


def count(y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None) -> Counts:
    """Count true and false positives and negatives.

    Arrays on a device are copied to this process's memory once.

    Parameters
    ----------
    y_true, y_pred : array_like
        True and predicted labels: truth values, whole numbers, text or bytes, in an array of any
        library, a list, or a column (categorical or not) of a pandas, polars or pyarrow table.
    pos_label : object, optional
        The label that counts as positive. None means 1 for labels within {0, 1}, {-1, 1} and
        {False, True}; any others must name it.
    sample_weight : array_like of int, optional
        The frequency of each sample: whole numbers from 0 up.

    Returns
    -------
    Counts

    Raises
    ------
    ValueError
        If the labels are not those of two classes, values are missing, lengths differ, there are
        no samples, or the positive label is not known. The message says what to do.

    Examples
    --------
    >>> from clearbar import count
    >>> count([1, 1, 0, 0, 0], [1, 0, 0, 0, 1])
    Counts(tp=1, fp=1, fn=1, tn=2)
    >>> count(["spam", "ham", "ham"], ["spam", "spam", "ham"], pos_label="spam").fp
    1
    """
    truth, prediction = read(y_true, "y_true"), read(y_pred, "y_pred")
    refuse_unequal("y_pred", prediction.length, "y_true", truth.length)
    refuse_other_rows(y_true, y_pred, "y_pred")
    refuse_other_rows(y_true, sample_weight, "sample_weight")
    labels = read_labels(truth)
    names, positive = positive_samples(labels, pos_label)
    _, predicted = positive_samples(labels, pos_label, read_labels(prediction, "y_pred"))
    weights = None if sample_weight is None else frequencies(sample_weight, truth.length)
    counts = counts_of(_cells(positive, predicted, weights=weights)[:, 0].tolist())
    return counts.called(class_names(names))


def population_from_labels(y_true: Any, *, pos_label: Any = None) -> Population:
    """Count samples and positives.

    Parameters
    ----------
    y_true : array_like or Population
        True labels, of any kind that :func:`count` takes; a population is returned as it is.
    pos_label : object, optional
        The label that counts as positive, as in :func:`count`.

    Returns
    -------
    Population

    Raises
    ------
    ValueError
        As in :func:`count`.

    Examples
    --------
    >>> from clearbar import Population
    >>> Population.from_labels([1, 1, 0])
    Population(total=3, positives=2)
    """
    if isinstance(y_true, Population):
        return already_counted(y_true, pos_label)
    labels, positive = positive_samples(read_labels(y_true), pos_label)
    return Population(len(positive), int(np.count_nonzero(positive))).called(class_names(labels))


def count_many(
    y_true: Any, predictions: Mapping[str, Any], *, pos_label: Any = None, by: Any = None, keep: bool = False
) -> CountTable:
    """Count many models, slice by slice and run by run; the positive label is resolved once."""
    if not predictions:
        raise ValueError("y_pred holds no model; pass at least one column of predictions.")
    truth = read(y_true, "y_true")
    refuse_empty("y_true", truth.length)
    by_model = by_argument(predictions, None if list(predictions) == [THE_MODEL] else predictions)
    values, runs = columns_of_runs(by_model, truth.length)
    columns = [read(value, name) for name, value in values.items()]
    for column in columns:
        refuse_unequal(column.name, column.length, "y_true", truth.length)
    for name, value in {**by_model, "by": by}.items():
        refuse_other_rows(y_true, value, name)
    true_labels = read_labels(truth)
    labels, positive = positive_samples(true_labels, pos_label)
    groups, codes = ((), None) if by is None else factorise(by, truth.length)
    compared = not runs and 1 < len(columns) <= MOST_COMPARED // truth.length
    masks, counted = [], []
    for column in columns:
        _, mask = positive_samples(true_labels, pos_label, read_labels(column, column.name))
        counted.append(_cells(positive, mask, codes, max(1, len(groups))))
        if keep or runs or compared:
            masks.append(mask)
    shape = (len(predictions), max(1, runs))
    table = np.array(counted).reshape(*shape, 4, -1).transpose(2, 0, 3, 1)
    if by is not None:  # cells, models, groups, runs
        table = np.concatenate([table.sum(axis=2, keepdims=True), table], axis=2)
    samples = None
    if keep or runs:
        predicted = np.array(masks).reshape(*shape, truth.length)
        samples = Samples(positive, predicted, rows_of(codes, len(groups)))
    calls = Calls.of(positive, masks) if compared else None
    counts = counts_of(table if runs else table[..., 0]).called(class_names(labels))
    return CountTable(tuple(predictions), (None, *groups), counts, labels, calls, samples)


def _cells(
    truth: BoolArray,
    predicted: BoolArray,
    groups: IntArray | None = None,
    number: int = 1,
    weights: NDArray[Any] | None = None,
) -> IntArray:
    """Count tp, fp, fn and tn of each of some groups, block by block; samples may occur several times."""
    if groups is None and weights is None:
        P, k = int(np.count_nonzero(truth)), int(np.count_nonzero(predicted))
        tp = sum(int(np.count_nonzero(truth[rows] & predicted[rows])) for rows in blocks(len(truth)))
        return np.array([[tp], [k - tp], [P - tp], [len(truth) - P - k + tp]])
    table = np.zeros(4 * number, dtype=np.int64 if weights is None else np.float64)
    # Blocks as long as the table of counts keep the cost of adding up tables in bounds.
    for rows in blocks(len(truth), max(BLOCK, 4 * number)):
        cell = 2 * truth[rows].astype(np.int64)
        cell += predicted[rows]
        if groups is not None:
            cell += groups[rows] * 4
        table += np.bincount(cell, None if weights is None else weights[rows], minlength=4 * number)
    tn, fp, fn, tp_of_group = table.astype(np.int64).reshape(number, 4).T
    return np.stack([tp_of_group, fp, fn, tn])


def predictions_as_mapping(y_pred: Any, argument: str = "y_pred") -> dict[str, Any]:
    y_pred = native(y_pred)
    if isinstance(y_pred, Mapping):
        names, columns = list(y_pred), list(y_pred.values())
    elif library(y_pred) is not None and (table := columns_of(y_pred, argument)) is not None:
        names, columns = table
    else:
        name = None if library(y_pred) is None else getattr(y_pred, "name", None)
        return {name if isinstance(name, str) and name else THE_MODEL: y_pred}
    if not names:
        raise ValueError(f"{argument} holds no model; pass at least one column of predictions.")
    texts = list(map(str, names))
    twice = sorted({text for text in texts if texts.count(text) > 1})
    if twice:
        raise ValueError(
            f"{argument} names more than one model {listed(map(repr, twice))}; give each its own name."
        )
    return dict(zip(texts, columns, strict=True))


def by_argument(models: Mapping[str, Any], given: Any, argument: str = "y_pred") -> dict[str, Any]:
    """Return the predictions of models by the argument that a message names: ``y_pred['tree']``."""
    only = len(models) == 1 and not isinstance(given, Mapping)
    return {argument if only else f"{argument}[{model!r}]": value for model, value in models.items()}


def read_models(
    y_pred: Any, y_true: Any, reader: Callable[[Any, str], FloatArray], argument: str = "y_pred"
) -> dict[str, FloatArray]:
    """Return a column of numbers per model, each with the rows of the truth where both have an index."""
    models, columns = predictions_as_mapping(y_pred, argument), {}
    for model, (name, value) in zip(models, by_argument(models, y_pred, argument).items(), strict=True):
        columns[model] = reader(value, name)
        refuse_other_rows(y_true, value, name)
    return columns


def columns_of_runs(named: Mapping[str, Any], length: int) -> tuple[dict[str, Any], int]:
    """Return the columns of all runs by their arguments, and how many each model has, 0 without."""
    if "y_pred" in named:
        remedy = "name the models in a dict, or stack runs of one model with numpy.stack"
        refuse_several(named["y_pred"], "y_pred", remedy)
    runs = {name: _runs_of(value, name, length) for name, value in named.items()}
    if not any(runs.values()):
        return dict(named), 0
    columns = {name: rows or [named[name]] for name, rows in runs.items()}
    if len({len(rows) for rows in columns.values()}) > 1:
        numbers = ", ".join(f"{name}: {len(rows)}" for name, rows in columns.items())
        raise ValueError(
            f"y_pred must hold the same number of runs for every model; found {numbers}. "
            "Evaluate models with different numbers of runs one by one."
        )
    by_run = {f"{name}[{i}]": run for name, rows in columns.items() for i, run in enumerate(rows)}
    return by_run, len(by_run) // len(columns)


def _runs_of(value: Any, name: str, length: int) -> list[Any] | None:
    """Return the predictions of each run; None where there is a single one."""
    if isinstance(value, list | tuple) and len(value):
        first = value[0]
        if isinstance(first, list | tuple | np.ndarray) and np.ndim(first) == 1:
            with guarded(value, name):
                value = np.asarray(value)
    shape: tuple[int, ...] = tuple(getattr(value, "shape", ()))
    if library(value) is not None or len(shape) < 2:
        return None
    if len(shape) == 2 and shape[1] == length and 0 not in shape:
        return [value[i, :] for i in range(shape[0])]
    must = f"{name} must have shape (samples,) or (runs, samples)"
    if len(shape) > 2:
        raise ValueError(
            f"{must}; found shape {shape}, with {len(shape)} axes. Pass a mapping with an array per model."
        )
    remedy = "Pass one row of predictions per run"
    if shape == (length, 1):
        remedy = f"Use {name}.ravel()"
    elif shape[0] == length and has_fractions(value):
        remedy = f"Of scores of each class pass the largest: labels[{name}.argmax(axis=1)]"
    elif shape[0] == length:
        remedy = f"Use {name}.T for several runs"
    raise ValueError(f"{must}, and y_true has {length:,} samples; found shape {shape}. {remedy}.")


def has_fractions(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and bool((value % 1 > 0).any())


def holds_matrices(y_pred: Any) -> bool:
    """Whether every model has a matrix of fractions, such as a probability of each class."""
    matrices = list(y_pred.values()) if isinstance(y_pred, Mapping) else [y_pred]
    return bool(matrices) and all(has_fractions(matrix) and matrix.ndim == 2 for matrix in matrices)


def frequencies(sample_weight: Any, length: int) -> NDArray[Any]:
    """Return how often each sample occurs as an array of whole numbers, in the type in which they came."""
    column = read(sample_weight, "sample_weight")
    refuse_unequal("y_true", length, "sample_weight", column.length)
    given, must = column.values, "sample_weight must hold whole numbers"
    if column.categories is not None or given.dtype.kind not in "biufO":
        finding = "text or categories" if column.categories is not None else f"{given.dtype} values"
        raise ValueError(f"{must}, how often each sample occurs; found {finding}.")
    weights = np.array(list(map(number_or_nan, given))) if given.dtype.kind == "O" else given
    right = weights >= 0
    if weights.dtype.kind == "f":
        right &= np.isfinite(weights) & (weights == np.floor(weights))
    if not right.all():
        position = int(np.argmin(right))
        raise ValueError(
            f"{must} from 0 up, how often each sample occurs; found {given[position]!s:.40} at position "
            f"{position}. {WHOLE_SAMPLES}"
        )
    total = float(weights.sum(dtype=np.float64))  # exact where it matters: up to 2**52
    if total > LARGEST_TOTAL:
        raise ValueError(f"sample_weight adds up to {total:.3g} samples; it {MOST_SAMPLES}")
    if total == 0:
        raise ValueError(
            "sample_weight is 0 everywhere, so that there are no samples; at least one must occur."
        )
    return weights


def stacked_counts(models: Mapping[str, Any], what: str, fewest: int) -> tuple[tuple[str, ...], Counts]:
    """Return the names of models, and their counts as arrays of shape (models, slices or folds).

    Of `fewest` 2 each model must have an axis of two or more; of 1, a single matrix will do.
    """
    if not models:
        raise ValueError("counts holds no model; give Counts, or a mapping of model names to Counts.")
    first_name, first = next(iter(models.items()))
    for name, counts in models.items():
        refuse_matrix(counts, "counts" if list(models) == ["model"] else f"counts[{shown(name)}]")
        if not isinstance(counts, Counts):
            kind = type(counts).__name__
            raise ValueError(f"counts must be Counts or a mapping of names to Counts; {name!r} is {kind}.")
        shape = counts.shape
        if fewest > 1 and (len(shape) != 1 or shape[0] < fewest):
            raise ValueError(
                f"counts of {name!r} must hold a matrix for each of two or more folds; found shape {shape}. "
                "For one table use evaluate_counts."
            )
        if len(shape) > 1:
            raise ValueError(
                f"counts of {name!r} have shape {shape}; give one matrix, or one axis of slices."
            )
        if shape == (0,):
            raise ValueError(f"counts of {name!r} hold no slice; give at least one confusion matrix.")
        if not (
            np.array_equal(counts.total, first.total) and np.array_equal(counts.positives, first.positives)
        ):
            raise ValueError(
                f"all models must be judged on the same {what}; {name!r} and {first_name!r} differ in their "
                "class sizes. Judge them in separate calls."
            )
    cells = zip(*(counts.cells for counts in models.values()), strict=True)
    stacked = counts_of(np.stack([np.atleast_1d(cell) for cell in per_model]) for per_model in cells)
    return tuple(map(str, models)), stacked.called(first.labels)


def counts_from_matrix(matrix: Any, labels: Any = None, pos_label: Any = None) -> Counts:
    if library(matrix) == "pandas":
        cells, names = _cells_of_crosstab(matrix, labels)
    else:
        cells = whole_numbers("matrix", matrix)
        _refuse_shape(cells.shape)
        names = [0, 1] if labels is None else _two(labels)
        if labels is None and pos_label is not None and plain(pos_label) != 1:
            raise ValueError(
                f"pos_label={shown(pos_label)} needs labels, both in the order of the matrix's rows."
            )
    together = tuple(range(cells.ndim - 2))
    truth, prediction = (
        Tally(dict(zip(names, cells.sum(axis=(*together, axis)).tolist(), strict=True))) for axis in (-1, -2)
    )
    resolved = resolve(truth, prediction, pos_label=pos_label, names=("matrix", "matrix"))
    if names.index(resolved.pos_label) == 0:
        cells = cells[..., ::-1, ::-1]
    (tn, fp), (fn, tp) = np.moveaxis(cells, (-2, -1), (0, 1))
    return Counts(tp=tp, fp=fp, fn=fn, tn=tn)


def _cells_of_crosstab(frame: Any, labels: Any) -> tuple[IntArray, list[Any]]:
    rows, columns = ([plain(label) for label in axis.tolist()] for axis in (frame.index, frame.columns))
    names = list(dict.fromkeys([*rows, *columns]))
    if labels is not None and set(_two(labels)) != set(names):
        raise ValueError(
            f"labels must be those of the matrix, {listed(map(shown, names), most=6)}; found "
            f"{listed(map(shown, labels))}. Leave labels out, or pass matrix.to_numpy()."
        )
    if set(names) <= {0, 1}:
        names = [0, 1]
    if len(names) > 2 or len(rows) != len(set(rows)) or len(columns) != len(set(columns)):
        raise ValueError(
            "matrix must have the same two labels as rows and columns; found "
            f"{listed(map(shown, rows), most=6)} and {listed(map(shown, columns), most=6)}. Leave out "
            "margins, or pass matrix.to_numpy() with labels=[...] in the order of its rows."
        )
    cells = np.zeros((2, 2), dtype=np.int64)
    places = np.ix_(list(map(names.index, rows)), list(map(names.index, columns)))
    cells[places] = whole_numbers("matrix", frame.to_numpy())
    return cells, names


def _two(labels: Any) -> list[Any]:
    names = list(map(plain, in_given_order("labels", labels)))
    if len(names) != 2 or names[0] == names[1]:
        raise ValueError(
            f"labels must be two labels in the order of the matrix's rows; found {shown(labels)}."
        )
    return names


def _refuse_shape(shape: tuple[int, ...]) -> None:
    if shape[-2:] == (2, 2):
        return
    remedy = (
        "For one class against the rest, use confusion_matrix(y_true == label, y_pred == label) or "
        "multilabel_confusion_matrix."
    )
    if shape[-1:] == (4,):
        remedy = "Four cells have names: Counts(tp=..., fp=..., fn=..., tn=...)."
    elif shape[-2:] == (1, 1):
        remedy = "Name both labels, as in confusion_matrix(y_true, y_pred, labels=[0, 1])."
    raise ValueError(
        "matrix must be 2 × 2, rows true and columns predicted, or an array of such; found shape "
        f"{shape}. {remedy}"
    )
