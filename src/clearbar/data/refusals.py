"""What cannot be labels at all, in one sentence each: the argument, the finding, the remedy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from typing import Any, NoReturn

import numpy as np

from clearbar.core.errors import listed, number_in_words, shown

_REMEDIES_OF_MISSING = {
    "y_true": "Drop those rows or label them: a sample without a label has no place in the counts.",
    "by": "Drop those rows or give them a slice of their own, such as 'unknown'.",
    "clusters": "Drop those rows or give each a group of its own.",
    "given": "Drop those rows or give them a value of their own, such as 'unknown'.",
    "sample_weight": "Drop those rows or weigh them.",
}
_REMEDY_OF_PREDICTIONS = "Drop those rows or predict them: a missing prediction has no place in the counts."


def refuse_missing(name: str, number: int, first: int | None) -> None:
    """Raise if a column has missing values."""
    if not number:
        return
    values = "1 missing value" if number == 1 else f"{number:,} missing values"
    where = "" if first is None else f" ({'' if number == 1 else 'first '}at position {first})"
    raise ValueError(f"{name} has {values}{where}. {_REMEDIES_OF_MISSING.get(name, _REMEDY_OF_PREDICTIONS)}")


def refuse_type(value: Any, name: str) -> None:
    """Raise if a value is of a type that holds no labels in order."""
    sentence = f"{name} must hold one value per sample"
    if value is None or isinstance(value, (str, bytes, bool, int, float, complex, np.generic)):
        raise ValueError(
            f"{sentence}; found the single value {shown(value)}. "
            "Pass an array, a list, or a column of a data frame."
        )
    if isinstance(value, Mapping):
        raise ValueError(
            f"{sentence}; found a mapping with the keys {listed(map(shown, value), most=6)}. Pass one of its "
            f"values, e.g. {name}[{shown(next(iter(value), 'label'))}]."
        )
    if isinstance(value, AbstractSet):
        raise ValueError(
            f"{sentence}, in order; found a set, which has no order. Pass a list in the samples' order."
        )
    if isinstance(value, Iterator):
        raise ValueError(
            f"{sentence}, in order; found an iterator, which can be read only once. Pass list({name})."
        )


def refuse_shape(shape: tuple[int, ...], name: str) -> None:
    """Raise if an array is not one-dimensional."""
    if len(shape) == 1:
        return
    remedy = f"Pass one column of it, e.g. {name}[:, 0]"
    if not shape:
        remedy = "Pass an array with a label for each sample"
    elif sum(length != 1 for length in shape) <= 1:
        remedy = f"Use {name}.ravel()"
    elif name == "y_true":
        remedy = "Judge one label at a time: pass one column of it, e.g. y_true[:, 0]"
    elif name.startswith("y_pred"):
        remedy += "; for several runs of one model use evaluate, with shape (runs, samples)"
    raise ValueError(f"{name} must be one-dimensional, one value per sample; found shape {shape}. {remedy}.")


def refuse_several(value: Any, name: str, remedy: str) -> None:
    """Raise if a list or tuple holds arrays: whether they are models or runs it does not say."""
    if not isinstance(value, (list, tuple)) or not value or not all(map(_is_row, value)):
        return
    if len(value) == 1:
        raise ValueError(f"{name} is a {type(value).__name__} of one array; pass the array itself.")
    if max(map(len, value)) > 1:  # else it is a column, which is told to be one-dimensional
        raise ValueError(
            f"{name} is a {type(value).__name__} of {number_in_words(len(value))} arrays; {remedy}."
        )


def _is_row(value: Any) -> bool:
    array = len(getattr(value, "shape", ())) == 1 or hasattr(value, "null_count")  # pyarrow's have no shape
    return array or isinstance(value, list | tuple)


def refuse_table(value: Any, name: str) -> NoReturn:
    """Raise, since a table was passed where one column is needed."""
    kind = type(value)
    sentence = f"{name} must be one column; found a {kind.__module__.partition('.')[0]} {kind.__name__}"
    if is_lazy(value):
        raise ValueError(f"{sentence}. Pass one of its columns after collect(), or use evaluate_frame.")
    columns: list[Any] = list(getattr(value, "column_names", getattr(value, "columns", ())))
    if not columns:
        raise ValueError(f"{sentence}. Pass an array, a list, or a column of a data frame.")
    noun = "column" if len(columns) == 1 else "columns"
    raise ValueError(
        f"{sentence} with the {noun} {listed(map(shown, columns), most=6)}. "
        f"Pass one of them, e.g. {name}[{shown(columns[0])}]."
    )


def is_lazy(frame: Any) -> bool:
    """Tell whether a data frame has not been computed."""
    return hasattr(frame, "collect_schema") and not hasattr(frame, "height")


def refuse_unequal(name: str, length: int, other: str, other_length: int) -> None:
    """Raise if two columns differ in length."""
    if length != other_length:
        raise ValueError(
            f"{other} and {name} must have the same length; found {other_length:,} and {length:,} samples."
        )


def refuse_empty(name: str, length: int) -> None:
    """Raise if there are no samples."""
    if length == 0:
        raise ValueError(f"{name} holds no samples; at least one is needed to have a bar.")


@contextmanager
def guarded(value: Any, name: str) -> Iterator[None]:
    """Turn whatever a foreign object raises while it is read into one sentence."""
    try:
        yield
    except Exception as error:
        if isinstance(error, MemoryError) or str(error).startswith(f"{name} "):
            raise
        kind = type(value)
        ours = kind.__module__.startswith("clearbar.")  # a column: reading a value of it failed
        culprit = "one of its values" if ours else f"{kind.__module__}.{kind.__qualname__}"
        raise ValueError(
            f"{name} could not be read: {culprit} raised {type(error).__name__}. "
            "Pass a NumPy array, a list, or a column of a data frame."
        ) from error
