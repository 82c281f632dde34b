"""Scores and probabilities, as one column of finite numbers each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import FloatArray
from clearbar.data.counting._host import read_here
from clearbar.data.labels import (
    guarded,
    library,
    refuse_empty,
    refuse_several,
    refuse_unequal,
)

_BLOCK = 2**17

_EXACT = 2**53
"""Whole numbers up to this are floats."""


def read_scores(value: Any, name: str, length: int) -> FloatArray:
    """Return one model's scores as floats, narrow ones as they are, or say what is wrong with them."""
    _refuse_matrix(value, name, length)
    refuse_several(value, name, "name the models in a dict")
    column = read_here(value, name)
    refuse_unequal(name, column.length, "y_true", length)
    refuse_empty(name, length)
    scores = _read(value, column, name, "a score", "For predicted labels use evaluate(y_true, y_pred)")
    _refuse_unordered(scores, name)
    return scores


def read_numbers(value: Any, name: str, length: int | None = None) -> FloatArray:
    """Return targets, or one model's predictions, as finite floats, or say what is wrong with them."""
    alone = name == "y_true"
    refuse_several(value, name, "pass one number per sample" if alone else "name the models in a dict")
    column = read_here(value, name)
    refuse_empty(name, column.length)
    if length is not None:
        refuse_unequal(name, column.length, "y_true", length)
    numbers = _read(value, column, name, "a number", "Text is judged as labels, by evaluate(y_true, y_pred)")
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        first, many = int(np.argmax(wrong)), int(np.count_nonzero(wrong))
        what = "a number that is" if many == 1 else f"{many:,} numbers that are"
        raise ValueError(
            f"{name} has {what} nan or infinite (first at position {first}: {numbers[first]}). Drop those "
            "samples."
        )
    return numbers.astype(np.float64, copy=False)


def _read(value: Any, column: Any, name: str, what: str, instead: str) -> FloatArray:
    """Return the numbers of a column, block by block."""
    parts = []
    for start, stop in column.ranges(_BLOCK if library(value) == "polars" else column.length):
        values = getattr(column.take(start, stop), "values", None)
        if values is None:
            raise ValueError(
                f"{name} must hold numbers, {what} per sample; found text or categories. {instead}."
            )
        parts.append(_numbers(values, name, what))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def precision(y_score: Any) -> Any:
    """Return the type in which scores that can be read are stored."""
    return getattr(read_here(y_score[:1], "y_score").take(0, 1), "values", np.empty(0)).dtype


def _numbers(values: NDArray[Any], name: str, what: str = "a score") -> FloatArray:
    if values.dtype.kind == "O" and any(isinstance(value, str) for value in values.tolist()):
        values = values.astype(np.str_)
    if values.dtype.kind == "O":
        with guarded(values, name):
            values = np.array([float(value) for value in values])
    if values.dtype.kind not in "biuf":
        kind = "text" if values.dtype.kind in "US" else f"{values.dtype} values"
        raise ValueError(f"{name} must hold numbers, {what} per sample; found {kind}.")
    wide = values.dtype.kind in "iu" and values.itemsize == 8 and len(values)
    if wide and (int(values.max()) > _EXACT or int(values.min()) < -_EXACT):
        raise ValueError(
            f"{name} holds whole numbers beyond 2**53, which floating point cannot tell apart; "
            "pass their ranks."
        )
    narrow = values.dtype in (np.float16, np.float32)
    return values if narrow else values.astype(np.float64, copy=False)


def _refuse_unordered(scores: FloatArray, name: str) -> None:
    # One sum finds a nan or an infinity unless it overflows, and is then checked score by score.
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(scores.sum()):
            return
    wrong = ~np.isfinite(scores)
    if wrong.any():
        first, number = int(np.argmax(wrong)), int(np.count_nonzero(wrong))
        kind = "nan" if np.isnan(scores[first]) else "infinite"
        what = f"{number:,} scores that are nan or infinite" if number > 1 else f"a score that is {kind}"
        remedy = (
            "Drop those samples or score them: a missing score has no rank"
            if kind == "nan"
            else "Pass finite scores, e.g. probabilities"
        )
        raise ValueError(f"{name} has {what} (first at position {first}: {scores[first]}). {remedy}.")


def _refuse_matrix(value: Any, name: str, length: int) -> None:
    shape: tuple[int, ...] = tuple(getattr(value, "shape", ()))
    if isinstance(value, list | tuple) and len(value) and isinstance(value[0], list | tuple | np.ndarray):
        shape = np.shape(np.asarray(value, dtype=object))
    if library(value) is not None or len(shape) != 2:
        return
    refusal = f"{name} must be one-dimensional, a score per sample; found shape {shape}."
    if shape == (length, 2):
        raise ValueError(
            f"{refusal} Two columns look like predict_proba: pass {name}[:, 1], the score of the "
            "positive class."
        )
    if 1 in shape:
        raise ValueError(f"{refusal} Use {name}.ravel().")
    if shape[0] == length:
        raise ValueError(
            f"{refusal} For several models pass a mapping with an array each; for many classes pass the "
            "column of one class and y_true == that class."
        )
    raise ValueError(f"{refusal} For several models pass a mapping with an array each.")
