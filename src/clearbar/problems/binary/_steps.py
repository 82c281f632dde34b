"""Expected scores of one population as a function of k, compared exactly where that is possible."""

from __future__ import annotations

import functools
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, NotExact, to_decimal
from clearbar.core._typing import FloatArray
from clearbar.null import cells_at, exact_mean, expectations, expected_cells
from clearbar.null import hypergeometric as hg

TIE = 4e-15
"""Relative difference below which two expectations in floating point count as equal."""

_DECIMAL_TIE = Decimal(10) ** -40

FEW_OUTCOMES = 8
"""Atoms up to which exact expectations are cheaper than a sum of gains."""

FAN = 64
"""Draws whose mean tables are looked at together."""

Number = Fraction | Decimal | float


def compare(left: Number, right: Number) -> int:
    """Return the sign of ``left - right``; numbers that rounding could have parted are equal."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return (left > right) - (left < right)
    if not isinstance(left, float) and not isinstance(right, float):
        a, b = (to_decimal(x) if isinstance(x, Fraction) else x for x in (left, right))
        tie = abs(a - b) <= _DECIMAL_TIE * max(abs(a), abs(b))
        return 0 if tie else (a > b) - (a < b)
    x, y = float(left), float(right)
    return 0 if abs(x - y) <= TIE * max(abs(x), abs(y)) else (x > y) - (x < y)


class ExpectedScore:
    """E[score] as a function of k, and the sign of its next step."""

    def __init__(self, measure: Measure, total: int, positives: int) -> None:
        self._measure = measure
        self._total, self._positives = total, positives
        self._known = functools.cache(self._expectation)

    def __call__(self, k: int) -> Number:
        """Return the expected score with k predicted positives."""
        return self._known(k)

    def _expectation(self, k: int) -> Number:
        try:
            exact = exact_mean(self._measure, self._total, self._positives, k)
        except NotExact:
            return float(expectations(self._measure, self._total, self._positives, k))
        return math.nan if exact is None else exact

    def near(self, first: int, last: int) -> tuple[int, int]:
        """Return a draw close to where the expectation turns, and how close it is thought to be."""
        if self._measure.near is not None:
            guess = int(self._measure.near(np.int64(self._total), np.int64(self._positives)))
            return min(max(guess, first), last - 1), 1
        if self._measure.gain is not None and last - first > FAN:
            return self._turn_of_mean_table(first, last), 1
        return (first + last) // 2, max((last - first) // 4, 1)

    def _turn_of_mean_table(self, first: int, last: int) -> int:
        """Return where one more prediction stops to pay at the mean table, which needs no sums.

        The expectation turns next to it where the law is narrow against the measure's own curve.
        """
        left, right, sign = first, last, -1 if self._measure.shape == "valley" else 1
        while right - left > 1:
            edges = np.linspace(left, right, FAN + 2).astype(np.int64)
            total, positives = np.full(FAN, self._total), np.full(FAN, self._positives)
            pays = self._gains(expected_cells(total, positives, edges[1:-1])) * sign > 0
            after = FAN if pays.all() else int(np.argmin(pays))
            left, right = int(edges[after]), int(edges[after + 1])
        return min(left, last - 1)

    def _gains(self, cells: Any) -> FloatArray:
        with np.errstate(invalid="ignore", divide="ignore"):
            gains: FloatArray = self._measure.gain(*cells, **self._measure.float_parameters())  # type: ignore[misc]
        return gains

    def step(self, k: int) -> float:
        """Return something with the sign of ``E(k + 1) - E(k)``, near proportional to it."""
        if self._measure.gain is not None and self._atoms(k) > FEW_OUTCOMES:
            return self._mean_gain(k)
        later, now = self(k + 1), self(k)
        sign = compare(later, now)
        return sign * abs(float(_difference(later, now))) if sign else 0.0

    def _atoms(self, k: int) -> int:
        return min(self._positives, self._total - self._positives, k, self._total - k) + 1

    def _mean_gain(self, k: int) -> float:
        """Average the gain of one more prediction: no two nearly equal expectations are subtracted."""
        margins = [np.array([a]) for a in (self._total, self._positives, k)]
        ((_, nodes),) = hg.node_chunks(*margins, strided=self._measure.smooth)
        cells = (np.asarray(cell, dtype=np.float64) for cell in cells_at(nodes.x, *margins))
        return float(np.sum(nodes.weight * self._gains(cells)))


def _difference(left: Number, right: Number) -> Number:
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        left, right = (to_decimal(x) if isinstance(x, Fraction) else x for x in (left, right))
    return left - right  # type: ignore[operator]


def first_descent(score: ExpectedScore, first: int, last: int, direction: int) -> int:
    """Return the least k in [first, last] after which the expectation no longer rises.

    The steps change sign once. Where the measure says about where, that place is bracketed first; then regula
    falsi on the values of the steps finds it, halving whenever that gains little.
    """
    if first >= last:
        return first

    def step(k: int) -> float:
        return direction * score.step(k)

    # Invariant: the step before `left + 1` rises, the one at `right` does not; both ends are open.
    left, right = first - 1, last
    at_left, at_right = math.inf, -math.inf
    k, width = score.near(first, last)
    while right - left > 1:
        value = step(k)
        if value > 0:
            left, at_left = k, value
        else:
            right, at_right = k, value
        span = right - left
        if left < first or right >= last:  # one side is still open: gallop towards it
            k = min(left + width, right - 1) if right >= last else max(right - width, left + 1)
            width *= 4
        else:
            share = at_left / (at_left - at_right) if 2 * span <= width else 0.5
            k = min(max(left + round(share * span), left + 1), right - 1)
            width = span
    return right
