"""Slices of a table: what they are called, which are large enough, and what is noted of those left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.data.counting import factorise
from clearbar.formatting import plural


class Slice(tuple[Any, ...]):
    """The values of several columns that make a slice; equal to the plain tuple of them."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the values, parted by commas."""
        return ", ".join(map(str, self))


def slice_names(keys: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Return the slices' names: a value, or those of several columns."""
    return [key[0] for key in keys] if keys and len(keys[0]) == 1 else list(map(Slice, keys))


def numbered(columns: Sequence[Any], length: int) -> tuple[list[tuple[Any, ...]], IntArray | None]:
    """Number the combinations of values that occur, in order; None where there are no columns."""
    whole = np.zeros(length, dtype=np.int64)
    keys: list[tuple[Any, ...]] = [()]
    for column in columns:
        values, codes = factorise(column, length)
        known, whole = np.unique(whole * len(values) + codes, return_inverse=True)
        keys = [(*keys[at // len(values)], values[at % len(values)]) for at in known.tolist()]
    return (keys, whole.reshape(-1)) if columns else ([], None)


def large_enough(totals: IntArray, least: int) -> IntArray:
    """Return the positions of the groups that are judged: the whole, which is first, and large slices."""
    return np.flatnonzero(np.append(True, totals[1:] >= least))


def noted(left_out: int) -> tuple[str, ...]:
    """Say how many rows were left out."""
    return (f"{plural(left_out, 'row')} with a missing value left out.",) if left_out else ()


def noted_small(number: int, least: int) -> tuple[str, ...]:
    """Say how many slices were left out."""
    return (f"{plural(number, 'slice')} with fewer than {least:,} samples left out.",) if number else ()
