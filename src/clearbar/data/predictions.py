"""Predictions of one or many models, once or in several runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearbar.core.errors import listed
from clearbar.data.columns import library, native, read
from clearbar.data.labels import guarded, is_lazy, refuse_several

THE_MODEL = "model"
"""What a model is called that has no name."""


def predictions_as_mapping(y_pred: Any, argument: str = "y_pred") -> dict[str, Any]:
    """Return predictions as a mapping of model names to columns."""
    y_pred = native(y_pred)
    if isinstance(y_pred, Mapping):
        return _named(list(y_pred), list(y_pred.values()), argument)
    if library(y_pred) is not None:
        table = columns_of(y_pred, argument)
        if table is not None:
            return _named(*table, argument)
        name = getattr(y_pred, "name", None)
        return {name if isinstance(name, str) and name else THE_MODEL: y_pred}
    return {THE_MODEL: y_pred}


def by_argument(models: Mapping[str, Any], given: Any, argument: str = "y_pred") -> dict[str, Any]:
    """Return the predictions of models by the argument that a message names: ``y_pred['tree']``."""
    only = len(models) == 1 and not isinstance(given, Mapping)
    return {argument if only else f"{argument}[{model!r}]": value for model, value in models.items()}


def columns_of(frame: Any, argument: str) -> tuple[list[Any], list[Any]] | None:
    """Return the names and the columns of a data frame; None of a single column."""
    if is_lazy(frame):
        raise ValueError(
            f"{argument} is a lazy frame; pass {argument}.collect(), or use evaluate_frame on it."
        )
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    if names is None or getattr(frame, "ndim", 2) != 2:
        return None
    with guarded(frame, argument):
        if hasattr(frame, "iloc"):
            return list(names), [frame.iloc[:, index] for index in range(len(names))]
        column = frame.to_series if hasattr(frame, "to_series") else frame.column
        return list(names), list(map(column, range(len(names))))


def _named(names: list[Any], columns: list[Any], argument: str) -> dict[str, Any]:
    if not names:
        raise ValueError(f"{argument} holds no model; pass at least one column of predictions.")
    result = {str(name): column for name, column in zip(names, columns, strict=True)}
    if len(result) < len(names):
        twice = sorted({str(name) for name in names if list(map(str, names)).count(str(name)) > 1})
        raise ValueError(
            f"{argument} names more than one model {listed(map(repr, twice))}; give each its own name."
        )
    return result


def columns_of_runs(named: Mapping[str, Any], length: int) -> tuple[dict[str, Any], int]:
    """Return the columns of all runs by their arguments, and how many each model has, 0 without runs.

    `length` is the number of samples.
    """
    if "y_pred" in named:
        remedy = "name the models in a dict, or stack runs of one model with numpy.stack"
        refuse_several(named["y_pred"], "y_pred", remedy)
    runs = {name: _runs_of(value, name, length) for name, value in named.items()}
    if not any(runs.values()):
        return dict(named), 0
    columns = {name: rows or [named[name]] for name, rows in runs.items()}
    numbers = {len(rows) for rows in columns.values()}
    if len(numbers) > 1:
        models = {name.removeprefix("y_pred[").removesuffix("]"): rows for name, rows in columns.items()}
        lengths = ", ".join(f"{model}: {len(rows)}" for model, rows in models.items())
        raise ValueError(
            f"y_pred must hold the same number of runs for every model; found {lengths} runs. "
            "Evaluate models with different numbers of runs one by one."
        )
    by_run = {f"{name}[{i}]": run for name, rows in columns.items() for i, run in enumerate(rows)}
    return by_run, numbers.pop()


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
    """Whether an array holds numbers that are no labels, such as the probabilities of classes."""
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and bool((value % 1 > 0).any())


def read_model_runs(y_true: Any, named: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Return the columns of all runs of n true labels by their arguments, and how many each model has."""
    return columns_of_runs(named, read(y_true, "y_true").length)
