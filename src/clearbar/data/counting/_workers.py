"""Long columns are counted by several threads: one alone does not read memory as fast as it can be read."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from clearbar.data.labels import ArrayBlock, HostColumn

Result = TypeVar("Result")

SAMPLES = 2**22
"""Samples for each thread at least: starting one takes as long as counting some 10,000."""

MOST = 4
"""Threads at most: memory is not read faster by more."""


def spans(columns: tuple[HostColumn, ...], step: int) -> list[tuple[int, int]]:
    """Return start and end of each thread's samples; one share where threads would wait for each other."""
    length = columns[0].length
    number = min(length // SAMPLES, _processors(), MOST)
    if number < 2 or not all(map(_runs_freely, columns)):
        return [(0, length)]
    share = -(-length // (number * step)) * step
    return [(start, min(start + share, length)) for start in range(0, length, share)]


def together(work: Callable[[tuple[int, int]], Result], shares: list[tuple[int, int]]) -> list[Result]:
    """Return the result of each share, each made in a thread of its own; the first error is raised."""
    if len(shares) == 1:
        return [work(shares[0])]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(shares)) as pool:
        return list(pool.map(work, shares))


def _processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "process_cpu_count"):
        return os.process_cpu_count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _runs_freely(column: HostColumn) -> bool:
    """Tell whether NumPy compares these labels without holding the interpreter's lock."""
    block = column.take(0, 1)
    return isinstance(block, ArrayBlock) and block.values.dtype.kind in "biuf"
