"""Curves that are no conics: many points, and cubics in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray

_NODES = 769
_ROUNDS = 7
_INSERTED = 24


@dataclass(frozen=True)
class Samples:
    """Nodes s, offsets v and slopes dv/ds per row, where `index` is not -1."""

    index: IntArray
    s: FloatArray
    v: FloatArray
    slope: FloatArray

    @staticmethod
    def joined(parts: list[tuple[Samples | None, int]]) -> Samples:
        """One after the other, where None stands for so many rows without samples."""
        index, before = [], 0
        for samples, size in parts:
            if samples is None:
                index.append(np.full(size, -1, dtype=np.int64))
            else:
                index.append(np.where(samples.index >= 0, samples.index + before, -1))
                before += samples.s.shape[0]
        kept = [samples for samples, _ in parts if samples is not None]
        columns = (np.concatenate([getattr(x, name) for x in kept]) for name in ("s", "v", "slope"))
        return Samples(np.concatenate(index), *columns)

    def __getitem__(self, rows: Any) -> Samples | None:
        """Select rows; None where none of them is sampled."""
        index = self.index[rows]
        return Samples(index, self.s, self.v, self.slope) if (index >= 0).any() else None

    def offset(self, s: FloatArray, v: FloatArray, slope: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Put the sampled rows' v and dv/ds in place, by cubic Hermite interpolation."""
        v, slope = v.copy(), slope.copy()
        for row in np.flatnonzero(self.index >= 0):
            nodes, values, slopes = (x[self.index[row]] for x in (self.s, self.v, self.slope))
            j = np.clip(np.searchsorted(nodes, s[row], side="right") - 1, 0, nodes.size - 2)
            gap = nodes[j + 1] - nodes[j]
            t = (s[row] - nodes[j]) / gap
            rise = values[j + 1] - values[j]
            near, far = slopes[j] * gap, slopes[j + 1] * gap
            v[row] = values[j] + t * (near + t * (3 * rise - 2 * near - far + t * (near + far - 2 * rise)))
            change = near + t * (2 * (3 * rise - 2 * near - far) + 3 * t * (near + far - 2 * rise))
            slope[row] = np.clip(change / gap, -1.0, 1.0)
        return v, slope

    def bend(self) -> FloatArray:
        """S of the sharpest bend of each row."""
        chord = np.diff(self.v, axis=1) / np.maximum(np.diff(self.s, axis=1), 1e-12)
        sharpest = 1 + np.argmax(np.abs(np.diff(chord, axis=1)), axis=1)
        return np.asarray(self.s[self.index, sharpest[self.index]])

    def swapped(self, rows: BoolArray) -> Samples:
        """Change the sign of v."""
        return self._changed(rows, lambda s, v, slope: (s, -v, -slope))

    def flipped(self, rows: BoolArray) -> Samples:
        """Run backwards, with the sign of v changed."""
        return self._changed(rows, lambda s, v, slope: (1.0 - s[::-1], -v[::-1], slope[::-1]))

    def _changed(self, rows: BoolArray, change: Callable[..., tuple[FloatArray, ...]]) -> Samples:
        kept = [(i, self.s[i], self.v[i], self.slope[i]) for i in self.index]
        index = np.where(self.index >= 0, np.arange(self.index.size), -1)
        parts = [change(*x[1:]) if row else x[1:] for x, row in zip(kept, rows, strict=True)]
        return Samples(index, *(np.array(part) for part in zip(*parts, strict=True)))


def sample(offset: Callable[[FloatArray], FloatArray], rows: IntArray, size: int) -> Samples:
    """Sample v(s) of these of so many rows, densely at the ends and around the sharpest bend."""
    angle = np.linspace(0.0, np.pi / 2, _NODES)
    s = np.broadcast_to(np.sin(angle) ** 2, (rows.size, _NODES)).copy()
    v = offset(s)
    for _ in range(_ROUNDS):
        jump = np.abs(np.diff(np.diff(v, axis=1) / np.diff(s, axis=1), axis=1))
        at = np.argmax(jump, axis=1)[:, None]
        low, high = np.take_along_axis(s, at, 1), np.take_along_axis(s, at + 2, 1)
        more = low + (high - low) * (np.arange(1, _INSERTED + 1) - 0.5) / _INSERTED
        s = np.concatenate((s, more), axis=1)
        v = np.concatenate((v, offset(more)), axis=1)
        order = np.argsort(s, axis=1)
        s, v = np.take_along_axis(s, order, 1), np.take_along_axis(v, order, 1)
    index = np.full(size, -1, dtype=np.int64)
    index[rows] = np.arange(rows.size)
    return Samples(index, s, v, _slopes(s, v))


def _slopes(s: FloatArray, v: FloatArray) -> FloatArray:
    """Slopes of the parabola through each point and its neighbours; at a bend, that of the closer one."""
    gap = np.diff(s, axis=1)
    gap = np.where(gap > 0, gap, 1.0)
    chord = np.where(np.diff(s, axis=1) > 0, np.diff(v, axis=1) / gap, 0.0)
    before, after = gap[:, :-1], gap[:, 1:]
    inner = (chord[:, :-1] * after + chord[:, 1:] * before) / (before + after)
    first = 2 * chord[:, :1] - inner[:, :1]
    last = 2 * chord[:, -1:] - inner[:, -1:]
    return np.clip(np.concatenate((first, inner, last), axis=1), -1.0, 1.0)
