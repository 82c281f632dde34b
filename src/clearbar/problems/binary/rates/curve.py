"""The curve f(a, b) = c: the pairs of true rates at which a measure's true score is exactly the bar.

A measure that rises in TP and falls in FP has a level line that never falls: it runs from a lower left to
an upper right end on the sides of the unit square. Between the ends, with both directions scaled to them,
it is (s + v, s - v) for 0 <= s <= 1. Lines have v = 0, and nearly every other measure has a conic:
A v^2 + (B + C s) v + D s (1 - s) = 0. What is neither is sampled.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.binary.rates.sampled import Samples

INNER = np.array((0.25, 0.5, 0.75))
"""s of the points that tell a conic whose ends are known."""
_PAIR = 1e-7


class Points(NamedTuple):
    """Points of curves, and their derivatives along s."""

    a: FloatArray
    b: FloatArray
    da: FloatArray
    db: FloatArray


@dataclass(frozen=True)
class Curves:
    """One curve per row; `side` is 0 where there is one, else the sign of f - c everywhere."""

    side: FloatArray
    a0: FloatArray
    b0: FloatArray
    wa: FloatArray
    wb: FloatArray
    A: FloatArray
    B: FloatArray
    C: FloatArray
    D: FloatArray
    samples: Samples | None = None

    @staticmethod
    def joined(parts: list[Curves]) -> Curves:
        """One after the other."""
        columns = (np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Curves)[:-1])
        sampled = any(part.samples is not None for part in parts)
        samples = Samples.joined([(part.samples, part.side.size) for part in parts]) if sampled else None
        return replace(Curves(*columns), samples=samples)  # type: ignore[arg-type]

    def __getitem__(self, rows: Any) -> Curves:
        """Select curves by their numbers."""
        samples = None if self.samples is None else self.samples[rows]
        columns = (getattr(self, f.name)[rows] for f in fields(self)[:-1])
        return replace(Curves(*columns), samples=samples)

    @property
    def lines(self) -> BoolArray:
        """Which of them are lines."""
        straight = np.asarray(self.D == 0)
        return straight if self.samples is None else straight & (self.samples.index < 0)

    @property
    def curved(self) -> bool:
        """Whether one of them is no line."""
        return not bool(self.lines.all())

    @cached_property
    def _kinks(self) -> tuple[FloatArray, FloatArray]:
        """S of a kink, nan where there is none: a conic that is a pair of lines; and the lines' parting."""
        # The square root in `offset` is that of a quadratic in s; a double root between the ends is a kink.
        A, B, C, D = self.A, self.B, self.C, self.D
        first, second = 2 * B * C - 4 * A * D, C * C + 4 * A * D
        with np.errstate(
            divide="ignore", invalid="ignore", over="ignore"
        ):  # a line has no kink: at is beyond
            at = np.nan_to_num(-first / (2 * second), nan=-1.0)
            least = B * B + at * (first + at * second)
        pair = (D != 0) & (at > 0) & (at < 1) & (least < _PAIR * (B * B + np.abs(first) + np.abs(second)))
        return np.where(pair, at, np.nan), np.sqrt(np.maximum(second, 0.0))

    @property
    def kinks(self) -> FloatArray:
        """S of the kink of a pair of lines, or of a sampled curve's sharpest bend; nan for other curves."""
        pair = self._kinks[0]
        return pair if self.samples is None else np.where(self.samples.index >= 0, self.samples.bend(), pair)

    @property
    def bent(self) -> BoolArray:
        """Where a curve may have a kink: it is sampled, or a pair of lines."""
        pair = np.isfinite(self._kinks[0])
        return pair if self.samples is None else pair | (self.samples.index >= 0)

    def offset(self, s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """V and dv/ds at s of shape (rows, points)."""
        if not self.curved:
            return np.zeros_like(s), np.zeros_like(s)
        A, B, C, D = (x[:, None] for x in (self.A, self.B, self.C, self.D))
        linear, constant = B + C * s, D * s * (1.0 - s)
        root = np.sqrt(np.maximum(linear * linear - 4.0 * A * constant, 0.0))
        kink, parting = (column[:, None] for column in self._kinks)
        root = np.where(np.isnan(kink), root, parting * np.abs(s - kink))
        with np.errstate(divide="ignore", invalid="ignore"):
            v = -2.0 * constant / (linear + np.copysign(root, linear))
            slope = -(C * v + D * (1.0 - 2.0 * s)) / np.copysign(root, linear)
        v = np.where(np.isfinite(v), v, 0.0)
        slope = np.clip(np.where(np.isfinite(slope), slope, 0.0), -1.0, 1.0)
        return (v, slope) if self.samples is None else self.samples.offset(s, v, slope)

    def points(self, s: FloatArray) -> Points:
        """Points at s of shape (rows, points); derivatives along lines have one column."""
        wa, wb = self.wa[:, None], self.wb[:, None]
        if self.curved:
            v, slope = self.offset(s)
            along_a, along_b, da, db = s + v, s - v, wa * (1.0 + slope), wb * (1.0 - slope)
        else:
            along_a, along_b, da, db = s, s, wa, wb
        a, b = self.a0[:, None] + wa * along_a, self.b0[:, None] + wb * along_b
        return Points(np.clip(a, 0.0, 1.0), np.clip(b, 0.0, 1.0), da, db)

    def keys(self) -> FloatArray:
        """Numbers that are the same where curves are, to the last bit, one row per curve."""
        columns = [getattr(self, f.name) for f in fields(self)[:-1]]
        index = np.full(self.side.size, -1) if self.samples is None else self.samples.index
        return np.column_stack((*columns, index))

    def swapped(self, rows: BoolArray) -> Curves:
        """Exchange the two rates."""
        pairs = {
            "side": -self.side,
            "a0": self.b0,
            "b0": self.a0,
            "wa": self.wb,
            "wb": self.wa,
            "B": -self.B,
            "C": -self.C,
        }
        changed = {name: np.where(rows, new, getattr(self, name)) for name, new in pairs.items()}
        samples = None if self.samples is None else self.samples.swapped(rows)
        return replace(self, **changed, samples=samples)

    def flipped(self, rows: BoolArray) -> Curves:
        """Replace both rates by their complements."""
        pairs = {
            "side": -self.side,
            "a0": _complement(self.a0, self.wa),
            "b0": _complement(self.b0, self.wb),
            "B": -(self.B + self.C),
        }
        changed = {name: np.where(rows, new, getattr(self, name)) for name, new in pairs.items()}
        samples = None if self.samples is None else self.samples.flipped(rows)
        return replace(self, **changed, samples=samples)

    def arc(
        self, low_a: FloatArray, high_a: FloatArray, low_b: FloatArray, high_b: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """First and last s inside a box; the first is larger where there is none."""
        one = np.ones_like(self.a0)
        a, b = (self.a0, self.wa, one), (self.b0, self.wb, -one)
        start, width, sign = (np.stack(x, axis=1) for x in zip(a, b, a, b, strict=True))
        value = np.stack((low_a, low_b, high_a, high_b), axis=1)
        beyond = np.where(np.arange(4) < 2, value > start, value >= start)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(width > 0, (value - start) / width, np.where(beyond, np.inf, -np.inf))
        if self.curved:
            inner = np.clip(share, 0.0, 1.0)
            every = np.zeros_like(inner)
            crossings = bracketed_root(lambda s: s + sign * self.offset(s)[0] - inner, every, every + 1.0)
            share = np.where((share < 0) | (share > 1) | self.lines[:, None], share, crossings)
        first, last = share[:, :2].max(axis=1), share[:, 2:].min(axis=1)
        none = (self.side != 0) | (first > 1.0) | (last < 0.0)
        return np.where(none, 1.0, np.maximum(first, 0.0)), np.where(none, 0.0, np.minimum(last, 1.0))


def _complement(start: FloatArray, width: FloatArray) -> FloatArray:
    return 1.0 - (start + width)
