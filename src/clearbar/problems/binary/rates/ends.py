"""Ends of intervals to look for, each along a path of bars.

A path is straight, from the observed rates to the worst corner (for the lower end of an interval) or to the
best one. Its bars are the true scores on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems.binary.rates.fit import true_score
from clearbar.problems.binary.rates.side import Boxes, Side, questions

_PLACES, _NEARER, LAST = 44, 20.0, 14.0
"""Places that are looked at along a path, as logits of the part before them: from M * _NEARER parts on."""


@dataclass(frozen=True)
class Ends:
    """One end of an interval per row: of which measure, table, and side; losses negative."""

    measures: tuple[Measure, ...]
    number: IntArray
    boxes: Boxes
    upper: BoolArray
    score: FloatArray

    @classmethod
    def of(cls, measures: Sequence[Measure], boxes: Boxes) -> Ends:
        """Both ends of all tables for every measure."""
        numbers = np.arange(len(measures)), np.arange(boxes.P.size), (False, True)
        number, place, upper = (part.reshape(-1) for part in np.meshgrid(*numbers, indexing="ij"))
        ends = cls(tuple(measures), number, boxes[place], upper, np.empty(0))
        return replace(ends, score=ends.bars(np.zeros(number.size)))

    def __getitem__(self, rows: Any) -> Ends:
        """Select ends by their numbers."""
        return Ends(self.measures, self.number[rows], self.boxes[rows], self.upper[rows], self.score[rows])

    def bars(self, along: FloatArray) -> FloatArray:
        """Bars at a part of the way from the observed rates to the worst or best corner."""
        x, y, P, N = self.boxes.x, self.boxes.y, self.boxes.P, self.boxes.N
        a, b = x / np.maximum(P, 1.0), y / np.maximum(N, 1.0)
        to_a, to_b = self.upper.astype(np.float64), 1.0 - self.upper
        a, b = a + along * (to_a - a), b + along * (to_b - b)
        out = np.empty(along.shape)
        for number in np.unique(self.number):
            rows = np.flatnonzero(self.number == number)
            out[rows] = true_score(self.measures[number], P[rows], N[rows], a[rows], b[rows])
        return out

    def sides(self, along: FloatArray) -> Side:
        """The questions whether the true score lies on the score's side of the bars."""
        side = questions(self.measures, self.number, self.boxes, self.bars(along), self.score)
        return side.above(below=self.upper)


@dataclass(frozen=True)
class Distances:
    """How far |T| of the observed table is along each path, at places whose scale is dense at both ends."""

    places: FloatArray
    rise: FloatArray

    @classmethod
    def of(cls, ends: Ends) -> Distances:
        """Look at many places of each path; |T| is taken to rise along it."""
        first = -np.log(_NEARER * np.maximum(ends.boxes.P + ends.boxes.N, 1.0))
        places = np.linspace(first, LAST, _PLACES, axis=1)
        rows = np.repeat(np.arange(first.size), _PLACES)
        t = np.abs(ends[rows].sides(part_before(places.reshape(-1))).t)
        t = np.clip(t, 1e-300, 1e6).reshape(places.shape)
        return cls(places, np.maximum.accumulate(np.log(t), axis=1))

    def __getitem__(self, rows: Any) -> Distances:
        """Select paths by their numbers."""
        return Distances(self.places[rows], self.rise[rows])

    def place(self, t: FloatArray) -> FloatArray:
        """Place on each path where |T| is about t; t of shape (paths, ...)."""
        paths = zip(np.log(np.maximum(t, 1e-300)), self.rise, self.places, strict=True)
        return np.array([np.interp(*path) for path in paths]).reshape(t.shape)


def part_before(place: FloatArray) -> FloatArray:
    """Part of a path before a place."""
    return 1.0 / (1.0 + np.exp(-place))
