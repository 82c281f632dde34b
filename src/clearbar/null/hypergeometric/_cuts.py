"""Lists of unlike length laid end to end, a bounded piece at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from clearbar.null.hypergeometric._arrays import IntArray


class Laid(NamedTuple):
    """Lists laid end to end."""

    row: IntArray
    """For each item, the list it belongs to."""
    offset: IntArray
    """Its place in that list, counted from 0."""
    start: IntArray
    """Where each list begins."""


def cuts(sizes: IntArray, most: int) -> Iterator[slice]:
    """Cut a sequence of lists into consecutive pieces with a bounded number of items."""
    ends = np.cumsum(sizes)
    start = 0
    while start < sizes.size:
        before = ends[start] - sizes[start]
        stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield slice(start, stop)
        start = stop


def pieces(number: int, most: int) -> list[slice]:
    """Cut a number of items into consecutive pieces."""
    return [slice(start, min(start + most, number)) for start in range(0, number, most)]


def laid_out(sizes: IntArray) -> Laid:
    """Lay lists end to end."""
    start = np.cumsum(sizes) - sizes
    row = np.repeat(np.arange(sizes.size), sizes)
    return Laid(row, np.arange(row.size) - start[row], start)
