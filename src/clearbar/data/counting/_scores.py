"""Scores and probabilities, as one column of finite numbers each."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import FloatArray, IntArray
from clearbar.data.counting._host import read_here
from clearbar.data.labels import (
    BLOCK,
    guarded,
    library,
    refuse_empty,
    refuse_several,
    refuse_unequal,
)

_TEXT = (str, bytes, bytearray)
"""What float() reads though it is no number."""

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
    wrong = _not_finite(scores)
    if wrong.size:
        first, several = scores[wrong[0]], wrong.size > 1
        missing = np.isnan(first)
        kind = "nan" if missing else "infinite"
        what = f"{wrong.size:,} scores that are nan or infinite" if several else f"a score that is {kind}"
        remedy = "Pass finite scores, e.g. probabilities"
        if missing:
            remedy = "Drop those samples or score them: a missing score has no rank"
        raise ValueError(f"{name} has {what} (first at position {wrong[0]}: {first}). {remedy}.")
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
    wrong = _not_finite(numbers)
    if wrong.size:
        what = "a number that is" if wrong.size == 1 else f"{wrong.size:,} numbers that are"
        where = f"first at position {wrong[0]}: {numbers[wrong[0]]}"
        raise ValueError(f"{name} has {what} nan or infinite ({where}). Drop those samples.")
    return numbers.astype(np.float64, copy=False)


def _read(value: Any, column: Any, name: str, what: str, instead: str) -> FloatArray:
    """Return the numbers of a column, block by block."""
    parts = []
    for start, stop in column.ranges(BLOCK if library(value) == "polars" else column.length):
        values = getattr(column.take(start, stop), "values", None)
        if values is None:
            raise ValueError(
                f"{name} must hold numbers, {what} per sample; found text or categories. {instead}."
            )
        parts.append(_numbers(values, name, what))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _numbers(values: NDArray[Any], name: str, what: str = "a score") -> FloatArray:
    text = values.dtype.kind in "US"
    if values.dtype.kind == "O":
        text = any(isinstance(value, _TEXT) for value in values.tolist())
    if values.dtype.kind == "O" and not text:
        with guarded(values, name):
            values = np.array([float(value) for value in values])
    if values.dtype.kind == "V" and not values.dtype.name.startswith(("void", "record")):
        with guarded(values, name):  # bfloat16 and its kin, which are exact in 32 bits
            values = values.astype(np.float32)
    if values.dtype.kind not in "biuf":
        kind = "text" if text else f"{values.dtype} values"
        raise ValueError(f"{name} must hold numbers, {what} per sample; found {kind}.")
    wide = values.dtype.kind in "iu" and values.itemsize == 8 and len(values)
    if wide and (int(values.max()) > _EXACT or int(values.min()) < -_EXACT):
        raise ValueError(
            f"{name} holds whole numbers beyond 2**53, which floating point cannot tell apart; "
            "pass their ranks."
        )
    narrow = values.dtype in (np.float16, np.float32)
    return values if narrow else values.astype(np.float64, copy=False)


def _not_finite(values: FloatArray) -> IntArray:
    """Return the positions of nan and infinities."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(values.sum()):  # one sum finds any of them, unless it overflows itself
            return np.empty(0, dtype=np.int64)
    return np.flatnonzero(~np.isfinite(values))


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
