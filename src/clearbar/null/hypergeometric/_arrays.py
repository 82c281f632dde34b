"""Integer arguments in, float arrays out: checking, broadcasting and cutting into chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

IntArray: TypeAlias = npt.NDArray[np.int64]
FloatArray: TypeAlias = npt.NDArray[np.float64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
IntLike: TypeAlias = int | np.integer | npt.NDArray[np.integer] | list[int]

Kernel: TypeAlias = Callable[[IntArray, IntArray, IntArray, IntArray], npt.NDArray[np.generic]]

# Up to here an integer is exact in float64 and floor(a*b/total) is off by at most one after rounding.
MAX_TOTAL = 2**52

# Long enough that calls cost less than arithmetic; and the four cells of so many points take less than
# 128 KiB, since a larger block goes back to the system after each use: a page fault per 4 KiB.
CHUNK = 4_000


def integers(name: str, value: IntLike) -> IntArray:
    """`value` as an int64 array; a TypeError where it does not hold integers."""
    array = np.asarray(value)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{name} must hold integers, not {array.dtype}.")
    return array.astype(np.int64, copy=False)


def margins(total: IntLike, positives: IntLike, draws: IntLike) -> tuple[IntArray, IntArray, IntArray]:
    """The three margins as int64 arrays, checked against each other, not yet broadcast."""
    m = integers("total", total)
    p = integers("positives", positives)
    k = integers("draws", draws)
    if m.size == p.size == k.size == 1:  # reductions of arrays take longer
        total = m.item()
        if total <= MAX_TOTAL and 0 <= p.item() <= total and 0 <= k.item() <= total:
            return m, p, k
    if np.any(m > MAX_TOTAL):
        raise ValueError(f"total must be at most 2**52 = {MAX_TOTAL}, got {m.max()}.")
    for name, value in (("positives", p), ("draws", k)):
        if np.any(value < 0) or np.any(value > m):
            raise ValueError(f"{name} must lie between 0 and total; some do not.")
    return m, p, k


def flat_margins(
    total: IntLike, positives: IntLike, draws: IntLike
) -> tuple[IntArray, IntArray, IntArray, tuple[int, ...]]:
    """Margins broadcast against each other and laid out in one dimension, with the shape they came from."""
    m, p, k = np.broadcast_arrays(*margins(total, positives, draws))
    return m.reshape(-1), p.reshape(-1), k.reshape(-1), m.shape


def pointwise(
    kernel: Kernel, x: IntLike, total: IntLike, positives: IntLike, draws: IntLike, *, chunk: int = CHUNK
) -> FloatArray:
    """Apply `kernel` to chunks of one dimension and put the results back into the broadcast shape.

    Margins that are one population for all points stay of length 1, so that a kernel pays for them once.
    """
    m, p, k = margins(total, positives, draws)
    points = integers("x", x)
    shape = np.broadcast_shapes(points.shape, m.shape, p.shape, k.shape)
    points = np.broadcast_to(points, shape).reshape(-1)
    out = np.empty(points.size)
    one_population = m.size == p.size == k.size == 1
    columns = [a.reshape(1) if one_population else np.broadcast_to(a, shape).reshape(-1) for a in (m, p, k)]
    for start in range(0, points.size, chunk):
        cut = slice(start, start + chunk)
        a, b, c = columns if one_population else [column[cut] for column in columns]
        out[cut] = kernel(points[cut], a, b, c)
    return out.reshape(shape)
