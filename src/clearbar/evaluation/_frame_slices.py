"""Slices of a table: what they are called, which are large enough, and what is noted of those left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.data.groups import factorise
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


def numbered(columns: Sequence[Any], length: int) -> tuple[tuple[Any, ...], IntArray | None]:
    """Return the whole and the combinations of values that occur, in order, and the number of each sample's.

    None for the numbers where there are no columns.
    """
    codes = np.zeros(length, dtype=np.int64)
    keys: list[tuple[Any, ...]] = [()]
    for column in columns:
        values, own = factorise(column, length)
        known, codes = np.unique(codes * len(values) + own, return_inverse=True)
        keys = [(*keys[at // len(values)], values[at % len(values)]) for at in known.tolist()]
    return ((None, *slice_names(keys)), codes.reshape(-1)) if columns else ((None,), None)


class Kept(NamedTuple):
    """The groups that are judged: the whole, which is first, and large slices."""

    at: IntArray  # where they are
    groups: tuple[Any, ...]
    notes: tuple[str, ...]  # how many slices were left out

    @classmethod
    def of(cls, groups: Sequence[Any], sizes: Any, fewest: int) -> Kept:
        """Leave out slices of fewer samples."""
        large = np.flatnonzero(np.append(True, np.asarray(sizes)[1:] >= fewest))
        small = len(groups) - len(large)
        if not small:
            return cls(large, tuple(groups), ())
        note = f"{plural(small, 'slice')} with fewer than {fewest:,} samples left out."
        return cls(large, tuple(groups[at] for at in large.tolist()), (note,))


def noted(left_out: int) -> tuple[str, ...]:
    """Say how many rows were left out."""
    return (f"{plural(left_out, 'row')} with a missing value left out.",) if left_out else ()
