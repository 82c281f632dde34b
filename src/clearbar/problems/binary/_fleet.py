"""The best draws of many populations at once, as array programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Condition, Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.null import cells_at, expectations, least_true, moments
from clearbar.null import hypergeometric as hg
from clearbar.problems.binary._fleet_scan import Side, nothing_found, scanned
from clearbar.problems.binary._optimum import Optimum
from clearbar.problems.binary._policy import Filling, fill_is_proved, fill_value
from clearbar.problems.binary._search import optima
from clearbar.problems.binary._steps import TIE

FEW = 16
"""Different populations up to which each is searched with exact comparisons."""

CACHED = 2**15
"""Nodes looked at together: few enough to stay in a processor's cache."""

TOGETHER = 2**14
"""Populations looked at together, for the same reason."""


def extremes(measure: Measure, population: Population, undefined: Filling) -> tuple[Optimum, Optimum]:
    """Return the largest and the smallest expected score of one population, or of an array of them."""
    if not population.shape:
        return optima(measure, int(population.total), int(population.positives), undefined)
    total, positives = np.asarray(population.total), np.asarray(population.positives)
    flat = total.reshape(-1), positives.reshape(-1)
    back: Any = slice(None)
    if measure.shape not in {"constant", "monotone"} or len(flat[0]) <= FEW:
        # What costs more than finding the populations that differ is done once for each.
        first, back = _distinct(*flat)
        flat = flat[0][first], flat[1][first]
    largest, smallest = (
        Optimum(
            side.value[back].reshape(total.shape),
            side.draws[back].reshape(total.shape),
            total,
            side.certified[back].reshape(total.shape),
        )
        for side in _sides(measure, *flat, undefined)
    )
    return largest, smallest


def _distinct(total: IntArray, positives: IntArray) -> tuple[IntArray, IntArray]:
    """Return where each distinct population first stands, and which of them every one is."""
    if int(total.max(initial=0)) < 2**31:  # both fit into one integer, which sorts much faster
        _, first, back = np.unique(total << 32 | positives, return_index=True, return_inverse=True)
    else:
        pairs = np.stack((total, positives))
        _, first, back = np.unique(pairs, axis=1, return_index=True, return_inverse=True)
    return first, back


def _sides(measure: Measure, m: IntArray, p: IntArray, undefined: Filling) -> tuple[Side, Side]:
    if len(m) <= FEW:
        return _one_by_one(measure, m, p, undefined)
    if measure.shape is None:
        return scanned(measure, m, p, undefined)
    domain = measure.admissible if undefined == "exclude" else measure.domain
    sides = nothing_found(m.shape), nothing_found(m.shape)
    parts = hg.pieces(len(m), TOGETHER)
    for part in tracked(parts, len(m), lambda part: part.stop - part.start, "populations"):
        fleet = _Fleet.of(measure, m[part], p[part], domain)
        for side, part_side in zip(sides, fleet.sides(undefined), strict=True):
            side.value[part], side.draws[part], side.certified[part] = part_side
    return sides


def _one_by_one(measure: Measure, m: IntArray, p: IntArray, undefined: Filling) -> tuple[Side, Side]:
    pairs = [optima(measure, int(a), int(b), undefined) for a, b in zip(m, p, strict=True)]
    sides = (
        Side(
            np.array([pair[i].value for pair in pairs], dtype=np.float64),
            np.array([pair[i].smallest for pair in pairs], dtype=np.int64),
            np.array([pair[i].certified for pair in pairs], dtype=bool),
        )
        for i in (0, 1)
    )
    return next(sides), next(sides)


@dataclass(frozen=True)
class _Fleet:
    """M and P of populations, and the first and last admissible draw of each; `empty` where there is none."""

    measure: Measure
    m: IntArray
    p: IntArray
    first: IntArray
    last: IntArray
    empty: BoolArray

    @classmethod
    def of(cls, measure: Measure, m: IntArray, p: IntArray, domain: Condition) -> _Fleet:
        """Look at the ends: conditions on margins can only exclude k = 0 and k = M."""

        def holds(k: IntArray, rows: Any) -> BoolArray:
            mm, pp = m[rows], p[rows]
            low = np.maximum(k - (mm - pp), 0)
            return domain.holds(cells_at(low, mm, pp, k))

        nothing, n = np.int64(0), m - p
        at_zero, at_all = domain.holds((nothing, nothing, p, n)), domain.holds((p, n, nothing, nothing))
        first, last = (~at_zero).astype(np.int64), m - ~at_all
        empty = first > last
        for end, held in ((first, at_zero), (last, at_all)):
            rows = np.flatnonzero(~held)
            if rows.size:
                empty[rows] |= ~holds(np.maximum(end[rows], 0), rows)
        return cls(measure, m, p, first, np.maximum(last, first), empty)

    def sides(self, undefined: Filling) -> Iterator[tuple[FloatArray, IntArray, BoolArray | bool]]:
        """Generate values and draws of the largest and of the smallest expectation, and their warrant."""
        for direction, extreme in zip((1, -1), self._extremes(), strict=True):
            value, draws = np.where(self.empty, np.nan, extreme[0]), np.where(self.empty, -1, extreme[1])
            certified: BoolArray | bool = True
            if undefined != "exclude":
                fill = fill_value(self.measure, self.m, undefined, largest=direction > 0)
                value, draws, filled = self._with_fill(value, draws, fill, direction)
                certified = ~filled | fill_is_proved(self.measure, self.m, undefined, largest=direction > 0)
            yield value, draws, certified

    def _expected(self, k: IntArray) -> FloatArray:
        return expectations(self.measure, self.m, self.p, k)

    def _extremes(self) -> Iterator[tuple[FloatArray, IntArray]]:
        """Generate values and draws of the largest and of the smallest expectation from first to last."""
        measure, first, last = self.measure, self.first, self.last
        if measure.shape == "constant":
            same = _constant(measure, self.m, self.p) if measure.in_catalogue else self._expected(first)
            yield from ((same, first), (same, first))
            return
        at_first, at_last = self._expected(first), self._expected(last)
        level = _level(at_first, at_last)
        flat = np.zeros(0, dtype=np.int64)
        if measure.shape == "monotone":  # where it may stay level before the last draw
            before = self._expected(np.maximum(last - 1, first))
            flat = np.flatnonzero(_level(before, at_last) & (last > first) & ~level)
        turning = {"peak": 1, "valley": -1}.get(str(measure.shape))
        for direction in (1, -1):
            if turning == direction:
                draws = self._top(direction)
                yield self._expected(draws), draws
                continue
            at_start = level | (at_first > at_last if direction > 0 else at_first < at_last)
            draws, value = np.where(at_start, first, last), np.where(at_start, at_first, at_last)
            rows = flat[~at_start[flat]]
            if rows.size:
                draws[rows] = self._back_to_level(rows, draws[rows], value[rows])
            yield value, draws

    def _back_to_level(self, rows: IntArray, draws: IntArray, value: FloatArray) -> IntArray:
        """Go back from the last draw of some populations to the first one that is level with it."""
        m, p = self.m[rows], self.p[rows]
        second = np.minimum(self.first[rows] + 1, draws)
        whole = _level(expectations(self.measure, m, p, second), value)
        draws = np.where(whole, second, draws)
        inside = np.flatnonzero(~whole)  # a plateau inside, or neighbours that rounding makes equal
        for i in tracked(inside, len(inside), lambda _: 1, "populations"):
            sides = optima(self.measure, int(m[i]), int(p[i]), "exclude")
            match = min(sides, key=lambda side: abs(float(side.value) - float(value[i])))
            draws[i] = match.smallest
        return draws

    def _top(self, direction: int) -> IntArray:
        """Return the first draw after which the expectation no longer rises, all populations together."""

        def falls(k: IntArray, rows: Any) -> BoolArray:
            return ~(direction * _step(self.measure, self.m[rows], self.p[rows], k) > 0)

        guess = np.full_like(self.m, -1)
        if self.measure.near is not None:
            guess = np.clip(self.measure.near(self.m, self.p), self.first, self.last - 1)
        top = least_true(falls, self.first, self.last - 1, guess)
        if self.measure.gain is None:
            self._settle(top, direction)
        return top

    def _settle(self, top: IntArray, direction: int) -> None:
        """Search exactly where the steps around the top are too small for floating point."""
        here = self._expected(top)
        around = (np.clip(top + step, self.first, self.last) for step in (-1, 1))
        steps = [np.where(k == top, np.inf, np.abs(self._expected(k) - here)) for k in around]
        unsure = np.minimum(*steps) <= 64 * np.spacing(np.abs(here) + 1.0)
        rows = np.flatnonzero(unsure & (self.first < self.last))
        for i in tracked(rows, len(rows), lambda _: 1, "populations"):
            largest, smallest = optima(self.measure, int(self.m[i]), int(self.p[i]), "exclude")
            top[i] = (largest if direction > 0 else smallest).smallest

    def _with_fill(
        self, value: FloatArray, draws: IntArray, fill: Any, direction: int
    ) -> tuple[FloatArray, IntArray, BoolArray]:
        """Let the draws outside the domain compete with the value that the policy gives them."""
        sd = np.sqrt(moments(self.measure, self.m, self.p, np.maximum(draws, 0)).variance)
        fill = np.broadcast_to(np.asarray(fill, dtype=np.float64), self.m.shape)
        outside = np.where(self.empty | (self.first > 0), 0, np.where(self.last < self.m, self.m, -1))
        offered = (outside >= 0) & ~np.isnan(fill)
        scale = np.maximum(np.maximum(np.abs(fill), np.abs(value)), np.nan_to_num(sd))
        tie = np.abs(fill - value) <= TIE * scale
        wins = offered & (np.isnan(value) | (~tie & (direction * fill > direction * value)))
        draws = np.where(wins, outside, np.where(offered & tie, np.minimum(draws, outside), draws))
        return np.where(wins, fill, value), draws, wins | (offered & tie)


def _level(one: FloatArray, other: FloatArray) -> BoolArray:
    """Return where rounding could have parted two expectations; never where one is missing."""
    return np.abs(one - other) <= TIE * np.maximum(np.abs(one), np.abs(other))


def _constant(measure: Measure, m: IntArray, p: IntArray) -> FloatArray:
    """Return the expectation that the measure declares, which is exact."""
    assert measure.constant is not None  # noqa: S101 - for the type checker
    return np.broadcast_to(np.asarray(measure.constant(m, p), dtype=np.float64), m.shape)


def _step(measure: Measure, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    if measure.gain is None:
        now, later = expectations(measure, m, p, k), expectations(measure, m, p, k + 1)
        step = later - now
        return np.where(np.abs(step) <= 4 * np.spacing(np.abs(now)), 0.0, step)
    per_step = np.empty(m.shape)
    chunks = hg.node_chunks(m, p, k, strided=measure.smooth, max_nodes=CACHED)
    for part, nodes in chunks:
        margins = (margin[part][nodes.draw] for margin in (m, p, k))
        cells = (np.asarray(cell, dtype=np.float64) for cell in cells_at(nodes.x, *margins))
        with np.errstate(invalid="ignore", divide="ignore"):  # no prediction is left to add at k = M
            gains = measure.gain(*cells, **measure.float_parameters())
        per_step[part] = np.add.reduceat(nodes.weight * gains, nodes.start[:-1])
    return per_step
