"""What cannot be labels at all, in one sentence each: the argument, the finding, the remedy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any, NoReturn

import numpy as np

from clearbar.core.errors import listed, shown
from clearbar.data.labels._label import in_words

_REMEDY = {
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
    if first is None:
        where = ""
    else:
        where = f" (at position {first})" if number == 1 else f" (first at position {first})"
    raise ValueError(f"{name} has {values}{where}. {_REMEDY.get(name, _REMEDY_OF_PREDICTIONS)}")


def refuse_type(value: Any, name: str) -> None:
    """Raise if a value is of a kind that holds no labels in order."""
    one = (str, bytes, bool, int, float, complex, np.generic)
    if value is None or isinstance(value, one):
        raise ValueError(
            f"{name} must hold one value per sample; found the single value {shown(value)}. "
            "Pass an array, a list, or a column of a data frame."
        )
    if isinstance(value, Mapping):
        raise ValueError(
            f"{name} must hold one value per sample; found a mapping with the keys "
            f"{listed(map(shown, value), most=6)}. Pass one of its values, "
            f"e.g. {name}[{shown(next(iter(value), 'label'))}]."
        )
    sentence = f"{name} must hold one value per sample, in order; found a"
    if isinstance(value, AbstractSet):
        raise ValueError(f"{sentence} set, which has no order. Pass a list in the samples' order.")
    if isinstance(value, Iterator):
        raise ValueError(f"{sentence}n iterator, which can be read only once. Pass list({name}).")


def refuse_shape(shape: tuple[int, ...], name: str) -> None:
    """Raise if an array is not one-dimensional."""
    if len(shape) == 1:
        return
    sentence = f"{name} must be one-dimensional, one value per sample; found shape {shape}. "
    if not shape:
        raise ValueError(f"{sentence}Pass an array with a label for each sample.")
    if sum(length != 1 for length in shape) <= 1:
        raise ValueError(f"{sentence}Use {name}.ravel().")
    if name == "y_true":
        raise ValueError(f"{sentence}Judge one label at a time: pass one column of it, e.g. y_true[:, 0].")
    remedy = f"Pass one column of it, e.g. {name}[:, 0]"
    if name.startswith("y_pred"):
        remedy += "; for several runs of one model use evaluate, with shape (runs, samples)"
    raise ValueError(f"{sentence}{remedy}.")


def refuse_several(value: Any, name: str, remedy: str) -> None:
    """Raise if a list or tuple holds arrays: whether they are models or runs it does not say."""
    if not isinstance(value, (list, tuple)) or not value or not all(map(_is_row, value)):
        return
    if len(value) == 1:
        raise ValueError(f"{name} is a {type(value).__name__} of one array; pass the array itself.")
    if max(map(len, value)) > 1:  # else it is a column, which is told to be one-dimensional
        raise ValueError(f"{name} is a {type(value).__name__} of {in_words(len(value))} arrays; {remedy}.")


def _is_row(value: Any) -> bool:
    return (
        isinstance(value, list | tuple)
        or len(getattr(value, "shape", ())) == 1
        or hasattr(value, "null_count")  # pyarrow's have no shape
    )


def refuse_table(value: Any, name: str) -> NoReturn:
    """Raise, since a table was passed where one column is needed."""
    kind = type(value)
    sentence = f"{name} must be one column; found a {kind.__module__.partition('.')[0]} {kind.__name__}"
    if hasattr(value, "collect_schema") and not hasattr(value, "height"):
        raise ValueError(f"{sentence}. Pass one of its columns after collect(), or use evaluate_frame.")
    columns: list[Any] = list(getattr(value, "column_names", getattr(value, "columns", ())))
    if not columns:
        raise ValueError(f"{sentence}. Pass an array, a list, or a column of a data frame.")
    noun = "column" if len(columns) == 1 else "columns"
    raise ValueError(
        f"{sentence} with the {noun} {listed(map(shown, columns), most=6)}. "
        f"Pass one of them, e.g. {name}[{shown(columns[0])}]."
    )


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
