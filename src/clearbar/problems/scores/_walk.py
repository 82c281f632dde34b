"""A walk of independent steps between edges, and where it leaves.

A walk takes many steps at once by one convolution. Only what is so near an edge that it may cross meanwhile
goes by the edge's course over those steps (`_courses.py`).
"""

from __future__ import annotations

import math

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.problems.scores._courses import Courses

ROW = 64
"""Positions that one row of a product of matrices takes, and the most steps of a stride."""

TOGETHER = 512
"""Samples passed between two looks at how much room a walk needs."""

LAST = 1e-25
"""Share of paths between two edges that no longer counts: nearly all have crossed."""


class Walk:
    """How likely a walk is anywhere between the edges, block after block, and where walks left."""

    def __init__(
        self, low: IntArray, high: IntArray, passed: IntArray, share: float, *, two_sided: bool
    ) -> None:
        self.low, self.high, self.passed, self.two_sided = low, high, passed.tolist(), two_sided
        self.kernels = _Kernels(share)
        self.near: tuple[list[FloatArray], list[FloatArray]] = ([], [])  # over each edge, sample after sample
        self.far: list[tuple[int, IntArray, FloatArray]] = []  # after so many samples, at so many positives
        self.state = _between(self.kernels[self.passed[0]], 0, int(low[0]), int(high[0]))

    @property
    def is_over(self) -> bool:
        """Whether nobody is between the edges any more."""
        return not len(self.state) or (self.two_sided and float(self.state.sum()) < LAST)

    def jump(self, block: int) -> None:
        """Take all steps of a block at once: an edge is reached at its end or not at all."""
        begin, now = int(self.low[block]), self.passed[block + 1]
        next_begin, next_end = int(self.low[block + 1]), int(self.high[block + 1])
        moved = np.convolve(self.state, self.kernels[now - self.passed[block]])
        first, last = max(next_begin - begin, 0), max(next_end - begin, 0)
        self.state = _between(moved, begin, next_begin, next_end)
        positions = np.arange(begin, begin + len(moved))
        self.far.append((now, positions[last:], moved[last:]))
        if self.two_sided:
            self.far.append((now, positions[:first], moved[:first]))

    def stride(self, over: Courses, under: Courses | None = None) -> None:
        """Take all strides: near an edge by its courses, elsewhere by one convolution for each stride.

        A convolution is two products of matrices here, of rows of positions with what a row gives to itself
        and to the next one.
        """
        strides, steps = len(over.which), over.steps
        lowest = np.minimum(self.low, self.high - over.reach - steps)
        sides = [over] if under is None else [over, under.mirrored()]
        same, following = _bands(self.kernels[steps])
        begin, flat = int(self.low[0]), self.state
        for part in tracked(
            hg.pieces(strides, TOGETHER // steps),
            strides,
            lambda part: part.stop - part.start,
            "blocks of samples",
        ):
            if under is not None and flat.sum() < LAST:
                self.state = np.zeros(0)
                return
            start, room = int(lowest[part.start]), int(self.high[part.stop]) + steps - int(lowest[part.start])
            flat, begin = _between(flat, begin, start, start - -room // ROW * ROW), start
            zones = [
                courses.zones(edge[part.start : part.stop + 1] - start, part)
                for courses, edge in zip(sides, (self.high, self.low), strict=False)
            ]
            for zone in zip(*zones, strict=True):
                near = [flat[before].dot(moves) for before, _, moves in zone]
                for before, _, _ in zone:
                    flat[before] = 0.0
                rows = flat.reshape(-1, ROW)
                moved = rows.dot(same)
                moved[1:] += rows[:-1].dot(following)
                flat = moved.ravel()
                for (_, after, _), walks, left in zip(zone, near, self.near, strict=False):
                    flat[after] += walks[:-steps]
                    left.append(walks[-steps:])
        self.state = _between(flat, begin, int(self.low[strides]), int(self.high[strides]))


def _between(values: FloatArray, begin: int, first: int, end: int) -> FloatArray:
    """Return values from the first position to the end, of values that begin somewhere, and 0 elsewhere."""
    kept = np.zeros(max(end - first, 0))
    values = values[max(first - begin, 0) : max(end - begin, 0)]
    kept[max(begin - first, 0) :][: len(values)] = values
    return kept


def _bands(kernel: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what each position of a row gives to those of the same row, and to those of the next."""
    padded = np.zeros(3 * ROW)
    padded[ROW : ROW + len(kernel)] = kernel
    ahead = ROW + np.arange(ROW) - np.arange(ROW)[:, None]
    return padded[ahead], padded[ahead + ROW]


class _Kernels(dict[int, FloatArray]):
    """How many of so many steps are up, as far as that is likely: computed once for each number of steps."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self._share = share

    def __missing__(self, steps: int) -> FloatArray:
        mean = steps * self._share
        most = min(steps, int(mean + 12 * math.sqrt(mean * (1 - self._share)) + 40))
        self[steps] = np.exp(hg.log_heads(np.arange(most + 1), steps, self._share))
        return self[steps]
