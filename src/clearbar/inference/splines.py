"""Level curves that are no conics: cubic splines of v(s), many at once, one per row.

A curve may bend sharply, nearly like a corner, at an s that is not known beforehand. Nodes are dense at both
ends, and are then added around the sharpest bend: evenly spaced ones would round it off.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray

NODES = 769  # of each curve to begin with
_REFINEMENTS, _INSERTED = 7, 24  # how often nodes are added around the sharpest bend, and how many


class Splines(NamedTuple):
    """Cubic Hermite splines of v, one per row: nodes, their values and slopes."""

    s: FloatArray
    v: FloatArray
    slopes: FloatArray

    @classmethod
    def through(cls, s: FloatArray, v: FloatArray) -> Splines:
        """Take slopes of the parabola through each node and its neighbours; at a bend the closer one's."""
        steps, secants = np.diff(s), np.diff(v) / np.diff(s)
        inner = (secants[:, :-1] * steps[:, 1:] + secants[:, 1:] * steps[:, :-1]) / (s[:, 2:] - s[:, :-2])
        first, last = 2.0 * secants[:, :1] - inner[:, :1], 2.0 * secants[:, -1:] - inner[:, -1:]
        # |dv/ds| <= 1 on every level curve, since neither rate falls along it.
        return cls(s, v, np.clip(np.concatenate((first, inner, last), axis=1), -1.0, 1.0))

    def at(self, number: IntArray, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """V and dv/ds of the splines of these numbers at s of shape (numbers, points)."""
        row, nodes = number[:, None], self.s.shape[1]
        # One search in all nodes: those of each spline lie behind those of the one before.
        ends = (self.s + 2.0 * np.arange(len(self.s))[:, None]).reshape(-1)
        left = np.clip(np.searchsorted(ends, s + 2.0 * row, side="right") - 1 - nodes * row, 0, nodes - 2)
        step = self.s[row, left + 1] - self.s[row, left]
        t, secant = (s - self.s[row, left]) / step, (self.v[row, left + 1] - self.v[row, left]) / step
        # What the slopes at both ends are beyond the secant.
        a, b = self.slopes[row, left] - secant, self.slopes[row, left + 1] - secant
        v = self.v[row, left] + step * t * (secant + (1.0 - t) * (a * (1.0 - t) - b * t))
        return v, secant + a * (1.0 - t) * (1.0 - 3.0 * t) + b * t * (3.0 * t - 2.0)


def interpolated(offset: Callable[[FloatArray], FloatArray], n: int) -> tuple[Splines, FloatArray]:
    """Interpolate n curves v(s), `offset` of s of shape (n, points); and find their sharpest bends."""
    row = np.arange(n)[:, None]
    s = np.tile(np.sin(np.linspace(0.0, np.pi / 2, NODES)) ** 2, (n, 1))
    v = offset(s)

    def sharpest() -> IntArray:
        return np.asarray(np.argmax(np.abs(np.diff(np.diff(v) / np.diff(s))), axis=1)[:, None])

    for _ in range(_REFINEMENTS):
        bend = sharpest()
        low, high = s[row, bend], s[row, bend + 2]
        inserted = low + (high - low) * (np.arange(1, _INSERTED + 1) - 0.5) / _INSERTED
        s, v = np.append(s, inserted, axis=1), np.append(v, offset(inserted), axis=1)
        order = np.argsort(s, axis=1)
        s, v = s[row, order], v[row, order]
    return Splines.through(s, v), s[row, sharpest() + 1][:, 0]
