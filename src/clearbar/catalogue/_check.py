"""What a measure is made of and what its function returns: each mistake is one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from clearbar.catalogue._domain import Condition
from clearbar.core._numbers import number_or_nan, numbers
from clearbar.core._typing import FloatArray
from clearbar.core.counts import CELLS
from clearbar.core.errors import brief, shown, visible


def _one_of(choices: tuple[Any, ...]) -> Callable[[Any], bool]:
    return lambda found: any(type(found) is type(choice) and found == choice for choice in choices)


def _is_number(value: Any) -> bool:
    """Say whether float() reads it as itself."""
    return bool(number_or_nan(value) == value)


def _is_condition(found: Any) -> bool:
    return isinstance(found, Condition)


def _texts(found: Any) -> bool:
    return isinstance(found, (tuple, list)) and all(isinstance(text, str) for text in found)


def _numbers(found: Any) -> bool:
    return isinstance(found, Mapping) and all(map(_is_number, found.values()))


def _or_none(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda found: found is None or fits(found)


_FLAG = _one_of((True, False)), "True or False"
_FUNCTION = _or_none(callable), "a function or None"
_KINDS: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("function", callable, "callable as function(tp, fp, fn, tn)"),
    (
        "greater_is_better",
        _one_of((True, False, None)),
        "True for a score, False for a loss or None where neither end is better",
    ),
    ("affine", _one_of((True, False, None)), "True, False or None for unknown"),
    (
        "shape",
        _one_of(("constant", "monotone", "peak", "valley", None)),
        "'constant', 'monotone', 'peak', 'valley' or None",
    ),
    *((fact, *_FLAG) for fact in ("smooth", "better_with_tp", "worse_with_fp")),
    *((fact, *_FLAG) for fact in ("convex_in_tp", "concave_in_precision")),
    *((fact, *_FUNCTION) for fact in ("constant", "difference", "gain", "near")),
    ("domain", _is_condition, "a Condition"),
    ("requires", _or_none(_is_condition), "a Condition or None"),
    ("aliases", _texts, "a tuple of texts"),
    ("parameters", _numbers, "a mapping of names to numbers"),
)
_TEXTS = ("label", "symbol", "formula", "question", "caution", "source", "family")


def checked_bounds(measure: Any) -> tuple[float, float]:
    """Check what a measure was made of, and return its bounds as two floats."""
    _check_name(measure.name)
    for fact, fits, words in _KINDS:
        if not fits(getattr(measure, fact)):
            _refuse(measure, fact, words)
    for fact in _TEXTS:
        if not isinstance(getattr(measure, fact), str):
            _refuse(measure, fact, "a text")
    return _bounds(measure)


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.strip():
        msg = f"name must be a non-empty text; found {shown(name)}."
        raise ValueError(msg)
    if not name.isprintable():
        msg = f"name must be one line of printable characters; found {shown(name)}."
        raise ValueError(msg)


def _bounds(measure: Any) -> tuple[float, float]:
    if measure.bounds is None:
        return -math.inf, math.inf
    try:
        low, high = measure.bounds
    except (TypeError, ValueError):
        low = high = math.nan
    if not (_is_number(low) and _is_number(high) and low < high):
        _refuse(measure, "bounds", "(low, high) with low < high")
    return float(low), float(high)


def _refuse(measure: Any, fact: str, words: str) -> NoReturn:
    found = f"{shown(getattr(measure, fact))} for the measure {shown(measure.name)}"
    raise ValueError(f"{fact} must be {words}; found {found}.")


def returned_values(measure: Any, cells: list[FloatArray]) -> FloatArray:
    """Call a measure's function, and check that it returned one number per table."""
    try:
        with np.errstate(all="ignore"):
            found = measure.function(*cells, **measure.float_parameters())
            found = _unmasked(found, cells[0].shape) if isinstance(found, np.ma.MaskedArray) else found
            values = np.asarray(_real(np.asarray(found)), dtype=np.float64)
    except Exception as error:
        if measure.in_catalogue:
            raise
        msg = (
            f"the function of the measure {shown(measure.name)} failed on arrays of tp, fp, fn, "
            f"tn: {type(error).__name__}: {brief(visible(error), most=200)}. It must be vectorised: take "
            "float64 arrays, return one array of their shape."
        )
        raise ValueError(msg) from error
    if values.shape != cells[0].shape:
        msg = (
            f"the function of the measure {shown(measure.name)} must return one value per table: "
            f"given arrays of shape {cells[0].shape}, it returned shape {values.shape}."
        )
        raise ValueError(msg)
    return values


def _unmasked(found: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return nan, which is no value, for what is masked: NumPy would return what lies below the mask."""
    if found is np.ma.masked:
        return np.full(shape, np.nan)
    return np.asarray(np.ma.filled(found.astype(np.float64), np.nan))


def _real(found: Any) -> Any:
    if found.dtype.kind == "c":
        raise TypeError("complex numbers are not scores")
    return found


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
