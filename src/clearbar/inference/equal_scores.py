"""Have two models the same true score? The studentised difference, and its law at the likeliest equal scores.

The law is that of tables drawn at the shares that are likeliest if the true scores differ by what is
supposed: an estimated p-value (Lloyd, Statistics and Probability Letters 78, 2008). Exchanging both models'
answers asks whether they are alike in everything, and refutes that where only their scores are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from statistics import NormalDist
from typing import Literal, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.exchange import Exchangeable, mcnemar
from clearbar.inference.multinomials import RAISED, Cells, constrained
from clearbar.inference.multiplicity import holm

DRAWS = 9_999
"""Tables that are drawn, so that no p-value is below 1/10,000."""

FEWEST_DRAWS = 1_999
WORK = 100_000
"""Tables times cells beyond which fewer tables are drawn to find the ends of an interval."""

WEIGHED = 6_000
"""Tables that are drawn of one of many pairs, a third of them from each proposal."""

LEAST_SHARE = 0.02
"""Part of its share at equal scores that a cell keeps where tables are drawn as far off on the other side."""

ALL_DRAWS = 12_000_000
"""Tables that are drawn at most for all pairs."""

TOGETHER = 2**13
AT_ONCE = 2**20
"""Tables, and their cells, that are worked on together: more would leave a processor's cache."""

TIE = 1e-9
"""Studentised differences closer than this are the same but for rounding."""

WITHOUT_VALUE = 0.1
"""The share of tables without a score up to which they count as ordinary ones."""

LIKELY = 20.0
"""How many times a level may be off where Student's or a normal p-value stands for an estimated one."""

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
    def carried_by(self) -> float:
        """How many samples carry the difference."""
        return float(self.cells.carried_by(self.counts[None].astype(np.float64))[0])

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

    def weighed_p_value(self) -> float:
        """Return p of equal scores from tables drawn near the observed one too, weighed by likelihood.

        So it is as accurate far below one over the number of draws. A third is drawn at equal scores, so that
        no weight is above 3; a third at the observed shares; a third as far off on the other side. The
        observed table counts as one more, which keeps the level (Harrison, Biometrika 99, 2012).
        """
        if self.unknown or self.z() == 0:
            return math.nan if self.unknown else 1.0
        counts = self.counts[None].astype(np.float64)
        (equal,), found = constrained(self.cells, counts, 0.0)
        if not found[0]:
            return math.nan
        (near,), _ = self.cells.shares(counts, RAISED)
        across = np.maximum(2 * equal - near, LEAST_SHARE * equal)
        across /= self.cells.sums(across)[self.cells.stratum]
        proposals = np.stack([equal, near, across])
        reached, gone = float(_weights(counts, proposals)[0]), 0.0
        generator = np.random.default_rng([self.seed, 1])
        for shares in proposals:
            for tables in self._tables(shares, WEIGHED // len(proposals), generator):
                sizes, weights = self._sizes_of(tables, 0.0), _weights(tables, proposals)
                reached += float(weights[sizes >= abs(self.z()) - TIE].sum())
                gone += float(weights[np.isnan(sizes)].sum())
        return math.nan if gone > WITHOUT_VALUE * WEIGHED else min(1.0, reached / (1 + WEIGHED))

    @cached_property
    def _law(self) -> Law:
        return self.law(0.0, DRAWS)

    def law(self, difference: float, draws: int = 0) -> Law:
        """Draw tables at the likeliest shares of this difference, from the same seed for every one."""
        shares, found = constrained(self.cells, self.counts[None].astype(np.float64), difference)
        if not found[0]:
            return Law(np.zeros(0), NOT_FOUND)
        draws = draws or int(np.clip(WORK // len(self.counts), FEWEST_DRAWS, DRAWS))
        tables = self._tables(shares[0], draws, np.random.default_rng(self.seed))
        sizes = np.concatenate([self._sizes_of(part, difference) for part in tables])
        gone = float(np.isnan(sizes).mean())
        if gone > WITHOUT_VALUE:
            return Law(np.zeros(0), SPARSE.format(share=gone))
        return Law(np.sort(np.nan_to_num(sizes, nan=0.0, posinf=np.inf)))

    def _tables(self, shares: FloatArray, draws: int, generator: np.random.Generator) -> Iterator[FloatArray]:
        """Yield so many drawn tables, in portions."""
        rows = max(1, min(TOGETHER, AT_ONCE // len(self.counts)))
        for start in range(0, draws, rows):
            yield self.cells.drawn(shares, min(rows, draws - start), generator).astype(np.float64)

    def _sizes_of(self, tables: FloatArray, difference: float) -> FloatArray:
        """Return studentised differences of tables; nan where a score has no value."""
        seen, error = self.cells.difference(tables)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(seen == difference, 0.0, np.abs(seen - difference) / error)

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


def _weights(tables: FloatArray, proposals: FloatArray) -> FloatArray:
    """Return how much likelier tables are at the first of some shares than at a draw from any of them."""
    with np.errstate(over="ignore"):
        return np.asarray(len(proposals) / np.exp(tables @ np.log(proposals / proposals[0]).T).sum(axis=1))


@dataclass(frozen=True, eq=False)
class PairedCells(EqualScores):
    """Two models' answers on single samples, resampled within each class."""

    exchange: Callable[[], Exchangeable] = field(kw_only=True)
    alone: tuple[int, int] = field(kw_only=True)  # on how many samples only a is right, and only b
    test: str = "equal_scores"

    @property
    def same(self) -> bool:
        differ = (self.cells.first != self.cells.second).any(axis=1)
        return not self.counts[differ].any()

    @property
    def method(self) -> Literal["estimated", "unknown"]:
        return "unknown" if math.isnan(self.p_value) else "estimated"

    @property
    def mcnemar(self) -> float:
        return mcnemar(*self.alone)

    def exchangeable(self) -> Exchangeable:
        return self.exchange()


class Screened(NamedTuple):
    """Raw p-values of many pairs; nan where nothing is known, and of so many that were `left` undrawn."""

    p_values: FloatArray
    left: int


def screened_p_values(
    z: FloatArray, carried: FloatArray, alpha: float, drawn: Callable[[int], float]
) -> Screened:
    """Return raw p-values of many pairs, drawn by ``drawn(pair)`` where a known law is too rough to decide.

    Corrected for the number of pairs, p-values far below the level by Student's law, with as many degrees of
    freedom as samples carry the difference, or far above by the normal one, stay what Student's law gives.
    """
    from scipy.special import stdtr

    known = ~np.isnan(z)
    sizes = np.abs(np.where(known, z, 0.0)).tolist()
    low = np.array([math.erfc(size / math.sqrt(2)) for size in sizes])
    high = 2 * stdtr(np.maximum(carried - 1, 1.0), -np.array(sizes))
    nearest = holm(np.where(known, low, 1.0))
    doubtful = known & (holm(np.where(known, high, 1.0)) >= alpha / LIKELY)
    doubtful &= nearest < min(LIKELY * alpha, 1.0)
    rows = np.flatnonzero(doubtful)
    rows = rows[np.argsort(np.abs(np.log(np.maximum(nearest[rows], 1e-300) / alpha)), kind="stable")]
    p_values = np.where(known, high, np.nan)
    p_values[rows] = np.nan
    most = ALL_DRAWS // WEIGHED
    for pair in rows[:most].tolist():
        p_values[pair] = drawn(pair)
    return Screened(p_values, max(0, len(rows) - most))
