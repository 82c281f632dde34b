"""Have two models the same true score? The studentised difference, and its law at the likeliest equal scores.

The law is that of tables drawn at the shares that are likeliest if the true scores differ by what is
supposed: an estimated p-value (Lloyd, Statistics and Probability Letters 78, 2008). Exchanging both models'
answers asks whether they are alike in everything, and refutes that where only their scores are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.cells import Cells
from clearbar.inference.constrained import constrained
from clearbar.inference.multiplicity import holm

DRAWS = 9_999
"""Tables that are drawn, so that no p-value is below 1/10,000."""

FEWEST_DRAWS = 1_999
WORK = 100_000
"""Tables times cells beyond which fewer tables are drawn to find the ends of an interval."""

MOST_DRAWS = 999_999
"""Tables that are drawn at most where many pairs are compared, each of which has to be more surprising."""

REACHED = 200
"""Tables with a difference as large after which no more are drawn for a pair: p is then known to some 7 %."""

ALL_DRAWS = 10_000_000
"""Tables that are drawn at most for all pairs; those farther from the level keep a normal p-value."""

TOGETHER = 2**13
AT_ONCE = 2**20
"""Tables, and their cells, that are worked on together: more would leave a processor's cache."""

TIE = 1e-9
"""Studentised differences closer than this are the same but for rounding."""

WITHOUT_VALUE = 0.1
"""The share of tables without a score up to which they count as ordinary ones."""

LIKELY = 20.0
"""How many times a level may be off where a normal p-value stands for an estimated one."""

CLOSE = 0.01
"""Standard errors up to which an end of an interval is found; its draws leave 0.02 to 0.04."""

SECANTS = 20

NO_SCORE = "a score has no value"
NO_SLOPE = "the difference of the scores does not follow from how often either model is right"
NOT_FOUND = "no likeliest rates were found at which both models have the same score"
DRAWN = "p_value is estimated from {draws:,} tables drawn at equal true scores"
NONE = ", of which none has a difference as large"
SPARSE = "in {share:.0%} of the tables drawn at equal true scores one model has no score"

_NORMAL = NormalDist()


class Law(NamedTuple):
    """Sizes of studentised differences of drawn tables, ascending; or why there are none."""

    sizes: FloatArray
    unknown: str = ""

    def p_value(self, z: float) -> float:
        """Return how likely a size is at least as large, the one that was seen among them."""
        if self.unknown:
            return math.nan
        reached = len(self.sizes) - int(np.searchsorted(self.sizes, abs(z) - TIE))
        return (1 + reached) / (1 + len(self.sizes))

    def least(self, alpha: float) -> float:
        """Return the size beyond which a p-value is at most alpha; infinite where none is."""
        reached = math.floor(alpha * (1 + len(self.sizes)) * (1 + 1e-12)) - 1
        if reached < 0:
            return math.inf
        return float(self.sizes[-1 - reached]) if reached < len(self.sizes) else 0.0


@dataclass(frozen=True, eq=False)
class EqualScores:
    """Two models' answers in cells, and what follows for the difference of their true scores."""

    cells: Cells
    counts: IntArray
    bounds: tuple[float, float]  # of a score
    seed: int = 0

    @cached_property
    def scores(self) -> tuple[float, float]:
        """The scores of both models."""
        one, other = self.cells.scores(self.counts[None].astype(np.float64))
        return float(one[0]), float(other[0])

    @cached_property
    def _seen(self) -> tuple[float, float]:
        """The difference and its standard error."""
        difference, error = self.cells.difference(self.counts[None].astype(np.float64))
        return float(difference[0]), float(error[0])

    @property
    def unknown(self) -> str:
        """Why nothing can be said; empty if something can."""
        difference, error = self._seen
        if math.isnan(difference):
            return NO_SCORE
        return "" if error > 0 else NO_SLOPE

    def z(self, difference: float = 0.0) -> float:
        """Return by how many standard errors the difference is off a supposed one."""
        seen, error = self._seen
        off = seen - difference
        return off / error if error > 0 else math.nan

    @property
    def p_value(self) -> float:
        """How surprising the difference is if the true scores are equal, two-sided."""
        return self.surprise(0.0)

    @property
    def note(self) -> str:
        """How it was found, or why it was not."""
        if self.unknown:
            return self.unknown
        if self.z() == 0:
            return ""
        if self._law.unknown:
            return self._law.unknown
        return DRAWN.format(draws=DRAWS) + (NONE if self.p_value == 1 / (1 + DRAWS) else "")

    def surprise(self, difference: float) -> float:
        """Return how surprising the difference is if the true one is this, two-sided."""
        if self.unknown:
            return math.nan
        if self.z(difference) == 0:
            return 1.0
        if abs(difference) > self.bounds[1] - self.bounds[0]:
            return 1 / (1 + DRAWS)
        return (self._law if difference == 0 else self.law(difference)).p_value(self.z(difference))

    def drawn_p_value(self, most: int) -> tuple[float, int]:
        """Return p of equal scores from up to so many tables, and from how many.

        Drawing stops once enough differences were as large (Besag and Clifford, Biometrika 78, 1991).
        """
        seen, drawn = self.p_value * (1 + DRAWS) - 1, DRAWS
        if math.isnan(seen) or self.z() == 0:
            return self.p_value, drawn
        shares, _ = constrained(self.cells, self.counts[None].astype(np.float64), 0.0)
        generator = np.random.default_rng([self.seed, 1])
        while drawn < most and seen < REACHED:
            number = min(3 * drawn, most - drawn)
            sizes = self._sizes(shares[0], 0.0, number, generator)
            seen += np.count_nonzero(sizes >= abs(self.z()) - TIE)
            drawn += number
        return (1 + seen) / (1 + drawn), drawn

    @cached_property
    def _law(self) -> Law:
        return self.law(0.0, DRAWS)

    def law(self, difference: float, draws: int = 0) -> Law:
        """Draw tables at the likeliest shares of this difference, from the same seed for every one."""
        shares, found = constrained(self.cells, self.counts[None].astype(np.float64), difference)
        if not found[0]:
            return Law(np.zeros(0), NOT_FOUND)
        draws = draws or int(np.clip(WORK // len(self.counts), FEWEST_DRAWS, DRAWS))
        sizes = self._sizes(shares[0], difference, draws, np.random.default_rng(self.seed))
        gone = float(np.isnan(sizes).mean())
        if gone > WITHOUT_VALUE:
            return Law(np.zeros(0), SPARSE.format(share=gone))
        return Law(np.sort(np.nan_to_num(sizes, nan=0.0, posinf=np.inf)))

    def _sizes(
        self, shares: FloatArray, difference: float, draws: int, generator: np.random.Generator
    ) -> FloatArray:
        """Return studentised differences of drawn tables; nan where a score has no value."""
        sizes = np.empty(draws)
        rows = max(1, min(TOGETHER, AT_ONCE // len(self.counts)))
        for start in range(0, draws, rows):
            part = sizes[start : start + rows]
            tables = self.cells.drawn(shares, len(part), generator).astype(np.float64)
            seen, error = self.cells.difference(tables)
            with np.errstate(divide="ignore", invalid="ignore"):
                part[:] = np.where(seen == difference, 0.0, np.abs(seen - difference) / error)
        return sizes

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that are not refuted: p of each is above 1 - level."""
        if self.unknown or self._law.unknown:
            return math.nan, math.nan
        low, high = (self._end(side, 1 - level) for side in (-1.0, 1.0))
        return low, high

    def _end(self, side: float, alpha: float) -> float:
        """Find one end of the interval.

        How far z may be off changes slowly from one difference to the next, so that a few secants find it.
        The first difference that is tried is 0, where it lies on this side: then the interval holds 0 where
        p of equal scores is above alpha, and only there.
        """
        seen, error = self._seen
        limit = side * (self.bounds[1] - self.bounds[0])

        def beyond(difference: float) -> float:
            """Return by how many standard errors a difference is refuted; below 0 where it is not."""
            law = self._law if difference == 0 else self.law(difference)
            least = _NORMAL.inv_cdf(1 - alpha / 2) if law.unknown else law.least(alpha)
            return min(abs(self.z(difference)) - TIE - least, FAR)

        inner, inside = seen, -_NORMAL.inv_cdf(1 - alpha / 2)
        outer, outside = seen, inside
        steps = [0.0] if side * (0.0 - seen) > 0 else []
        width = 1.1 * _NORMAL.inv_cdf(1 - alpha / 2) * error
        steps += [seen + side * width * 1.5**power for power in range(12)]
        for tried in steps:
            if side * (tried - inner) <= 0:
                continue
            if side * (tried - limit) >= 0:
                return limit if side * (limit - inner) > 0 else inner
            outer, outside = tried, beyond(tried)
            if outside > 0:
                break
            inner, inside = outer, outside
        return _crossing(beyond, (inner, inside), (outer, outside), CLOSE * error)


FAR = 10.0
"""Standard errors beyond which it does not matter how far a difference is refuted."""


def _crossing(
    beyond: Callable[[float], float], inner: tuple[float, float], outer: tuple[float, float], close: float
) -> float:
    """Return where a function that is below 0 at one place and above at another crosses it: Illinois."""
    (low, below), (high, above) = inner, outer
    if above <= 0:
        return high
    kept = 0
    for _ in range(SECANTS):
        if abs(high - low) <= close:
            break
        middle = high - above * (high - low) / (above - below)
        value = beyond(middle)
        if value > 0:
            below = below / 2 if kept > 0 else below
            high, above, kept = middle, value, 1
        else:
            above = above / 2 if kept < 0 else above
            low, below, kept = middle, value, -1
        if abs(value) < CLOSE:
            break
    return (low + high) / 2 if kept == 0 else high - above * (high - low) / (above - below)


def screened_p_values(
    z: FloatArray, alpha: float, drawn: Callable[[int, int], tuple[float, int]]
) -> tuple[FloatArray, float]:
    """Return raw p-values of many pairs, drawn where normal ones are too rough, and the least of these.

    Drawn are those whose normal p-value, corrected for the number of pairs, is within 20 times the level, the
    nearest first: by ``drawn(pair, tables)`` from so many tables that the least p-value cannot decide either.
    """
    known = ~np.isnan(z)
    p_values = np.array([math.erfc(abs(size) / math.sqrt(2)) for size in z.tolist()])
    corrected = holm(np.where(known, p_values, 1.0))
    doubtful = known & (corrected >= alpha / LIKELY) & (corrected < min(LIKELY * alpha, 1.0))
    rows = np.flatnonzero(doubtful)
    rows = rows[np.argsort(np.abs(np.log(corrected[rows] / alpha)), kind="stable")]
    tables = int(min(max(DRAWS, math.ceil(LIKELY * len(z) / alpha)), MOST_DRAWS))
    left = ALL_DRAWS
    for pair in rows.tolist():
        if left < tables:
            break
        p_values[pair], used = drawn(pair, tables)
        left -= used
    return p_values, 1 / (1 + tables) if rows.size else 0.0
