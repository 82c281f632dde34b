"""What a measure is made of and what its function returns: each mistake is one sentence."""

from __future__ import annotations

import functools
import math
import typing
from collections.abc import Callable, Mapping
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, NoReturn

import numpy as np

from clearbar.catalogue._domain import Condition
from clearbar.core._numbers import number_or_nan, numbers
from clearbar.core._typing import FloatArray
from clearbar.core.counts import CELLS
from clearbar.core.errors import brief, listed, shown, visible


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


_WORDS: dict[Any, tuple[str, ...]] = {
    bool: ("True", "False"),
    str: ("a text",),
    float: ("a number",),
    Condition: ("a Condition",),
    NoneType: ("None",),
    tuple[str, ...]: ("a tuple of texts",),
    Mapping[str, float]: ("a mapping of names to numbers",),
}
_MEANING = {
    "function": "callable on arrays, as function(tp, fp, fn, tn) is",
    "greater_is_better": "True for a score, False for a loss or None where neither end is better",
}


LARGEST = 1e100
"""Largest size of a value or of a parameter: what is made of its square is a number, too."""


def check_facts(entry: Any) -> None:
    """Check that the facts of a measure are of the types that its class declares."""
    _check_name(entry.name)
    for part in fields(entry):
        hint, value = _hints(entry.__class__)[part.name], getattr(entry, part.name)
        if part.name != "bounds" and not _fits(value, hint):
            _refuse(entry, part.name, _MEANING.get(part.name) or listed(_words(hint), last="or"))


def _fits(value: Any, hint: Any) -> bool:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (UnionType, typing.Union):
        return any(_fits(value, part) for part in parts)
    if origin is typing.Literal:
        return any(type(value) is type(choice) and value == choice for choice in parts)
    if origin is tuple:
        return isinstance(value, (tuple, list)) and all(_fits(item, parts[0]) for item in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(item, parts[1]) for item in value.values())
    if hint is float:
        return bool(number_or_nan(value) == value)  # what float() reads as itself
    return hint is Any or (callable(value) if origin is Callable else isinstance(value, hint))


def _words(hint: Any) -> list[str]:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (UnionType, typing.Union):
        return [word for part in parts for word in _words(part)]
    if origin is typing.Literal:
        return [repr(choice) for choice in parts]
    if origin is Callable:
        return ["a function"]
    return list(_WORDS.get(hint, (f"a {getattr(hint, '__name__', hint)}",)))


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"name must be a non-empty text; found {shown(name)}.")
    if not name.isprintable():
        raise ValueError(f"name must be one line of printable characters; found {shown(name)}.")


def checked_bounds(entry: Any) -> tuple[float, float]:
    """Return the bounds of a measure as two floats."""
    if entry.bounds is None:
        return -math.inf, math.inf
    try:
        low, high = map(number_or_nan, entry.bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        _refuse(entry, "bounds", "(low, high) with low < high")
    return low, high


def _refuse(entry: Any, fact: str, words: str) -> NoReturn:
    wrong = f"{shown(getattr(entry, fact))} for the measure {shown(entry.name)}"
    raise ValueError(f"{fact} must be {words}; found {wrong}.")


def returned_values(measure: Any, cells: list[FloatArray]) -> FloatArray:
    """Call a measure's function, and check that it returned one number per table."""
    try:
        with np.errstate(all="ignore"):
            returned = measure.function(*cells, **measure.float_parameters())
            returned = (
                _unmasked(returned, cells[0].shape) if isinstance(returned, np.ma.MaskedArray) else returned
            )
            values = np.asarray(_real(np.asarray(returned)), dtype=np.float64)
    except Exception as error:
        if measure.in_catalogue:
            raise
        raise ValueError(
            f"the function of the measure {shown(measure.name)} failed on arrays of tp, fp, fn, "
            f"tn: {type(error).__name__}: {brief(visible(error), most=200)}. It must be vectorised: take "
            "float64 arrays, return one array of their shape."
        ) from error
    if values.shape != cells[0].shape:
        raise ValueError(
            f"the function of the measure {shown(measure.name)} must return one value per table: "
            f"given arrays of shape {cells[0].shape}, it returned shape {values.shape}."
        )
    if not measure.in_catalogue:
        _refuse_vast(measure, cells, values)
    return values


def _refuse_vast(measure: Any, cells: list[FloatArray], values: FloatArray) -> None:
    """Refuse finite values of tables whose squares, or those of sums of them, may not be numbers.

    At rates next to 0 or 1, where cells are no whole numbers, x / FP may be as large as it likes.
    """
    vast = np.isfinite(values) & (np.abs(values) > LARGEST)
    if vast.any():
        for cell in cells:
            vast &= cell == np.rint(cell)
    if vast.any():
        raise ValueError(
            f"the function of the measure {shown(measure.name)} must return values from -{LARGEST:g} to "
            f"{LARGEST:g}, or infinity where it has none; found {values[vast][0]:g}. Take a larger unit, "
            "or the logarithm."
        )


def _unmasked(returned: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return nan, which is no value, for what is masked: NumPy would return what lies below the mask."""
    if returned is np.ma.masked:
        return np.full(shape, np.nan)
    return np.asarray(np.ma.filled(returned.astype(np.float64), np.nan))


def _real(returned: Any) -> Any:
    if returned.dtype.kind == "c":
        raise TypeError("complex numbers are not scores")
    return returned


def checked_cells(cells: tuple[Any, ...]) -> tuple[FloatArray, ...]:
    """Return the cells of tables, which may be fractional, or say what is wrong with them."""
    arrays = []
    for name, cell in zip(CELLS, cells, strict=True):
        array = numbers(name, cell)
        wrong = ~(array >= 0) | np.isinf(array)
        if wrong.any():
            raise ValueError(f"{name} must be finite and not negative; found {array[wrong].ravel()[0]:g}.")
        arrays.append(array)
    try:
        return tuple(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"tp, fp, fn and tn must have shapes that fit; found {shapes}.") from None


def refuse_false_affine(measure: Any) -> None:
    """Look at a few tables of one draw before a closed form is trusted."""
    tp = np.arange(1.0, 6.0)
    values = returned_values(measure, [tp, 7.0 - tp, 6.0 - tp, tp + 4.0])
    bend = np.abs(np.diff(values, 2))
    if np.isfinite(values).all() and (bend > 1e-9 * np.abs(values).max()).any():
        raise ValueError(
            f"affine=True is not so for {shown(measure.name)}: at M=17, P=6, k=7 its values at TP=1..5 are "
            f"{', '.join(f'{value:g}' for value in values)}. Leave affine out and it is summed instead."
        )
