"""Have two models the same true score? The studentised difference z, at the likeliest equal scores.

p is the share of tables, drawn at the shares that are likeliest if the true scores differ by a hypothetical
difference, whose |z| is at least that of the observed table: an estimated p-value (Lloyd, Aust. N.
Z. J. Stat. 50, 2008). Exchanging both models' answers asks whether they are alike in everything, and
refutes that where only their scores are the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.exchange import Exchangeable, PairPValues, in_doubt, mcnemar
from clearbar.inference.multinomials import RAISED, Cells

DRAWS = 9_999  # tables that are drawn, so that no p-value is below 1/10,000
FEWEST_DRAWS, WORK = 1_999, 100_000  # for ends: at least; draws times cells beyond which fewer
WEIGHED = 6_000  # tables that are drawn of one of many pairs, a third of them from each proposal
ALL_DRAWS = 12_000_000  # tables that are drawn at most for all pairs
LEAST_SHARE = 0.02  # part of its share at equal scores that a cell keeps in the proposal beyond these
TOGETHER, AT_ONCE = 2**13, 2**20  # tables, and their cells, that are drawn at once: what stays in cache
TIE = 1e-9  # studentised differences closer than this are the same but for rounding
WITHOUT_VALUE = 0.1  # the share of tables without a score up to which they count as ordinary ones
CLOSE = 0.01  # standard errors up to which an end of an interval is found; its draws leave 0.02 to 0.04
FAR = 10.0  # standard errors beyond which it does not matter how far a difference is refuted


class DrawnSizes(NamedTuple):
    """Ascending |z|, and z, of drawn tables; or why there are none."""

    sizes: FloatArray
    signed: FloatArray
    unknown: Reason | None = None

    def p_value(self, z: float) -> float:
        """Return how likely a size is at least as large, the observed one among them."""
        if self.unknown:
            return math.nan
        reached = len(self.sizes) - int(np.searchsorted(self.sizes, abs(z) - TIE))
        return (1 + reached) / (1 + len(self.sizes))

    def beyond(self, z: float) -> float:
        """Return how likely z is as far off on its own side; at least half of the p-value of both sides."""
        if self.unknown or z == 0:
            return self.p_value(z) / 2
        below = int(np.searchsorted(self.signed, z + TIE, side="right"))
        above = len(self.signed) - int(np.searchsorted(self.signed, z - TIE))
        reached = below if z < 0 else above
        return max(self.p_value(z) / 2, (1 + reached) / (1 + len(self.signed)))

    def critical(self, alpha: float) -> float:
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
    exchangeable: Callable[[], Exchangeable] = field(default=lambda: (math.nan, "unknown", ""), kw_only=True)
    alone: tuple[int, int] = field(default=(0, 0), kw_only=True)  # samples on which only a, only b is right

    test = "equal_scores"

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

    @cached_property
    def _table(self) -> FloatArray:
        return self.counts[None].astype(np.float64)

    @cached_property
    def scores(self) -> tuple[float, float]:
        first, second = self.cells.scores(self._table)
        return float(first[0]), float(second[0])

    @cached_property
    def _observed(self) -> tuple[float, float]:
        """The difference and its standard error."""
        difference, error = self.cells.difference(self._table)
        return float(difference[0]), float(error[0])

    @property
    def unknown(self) -> Reason | None:
        difference, error = self._observed
        if math.isnan(difference):
            return Reason("no_score")
        return None if error > 0 else Reason("no_slope")

    def z(self, difference: float = 0.0) -> float:
        """Return by how many standard errors the difference is off a hypothetical one."""
        observed, error = self._observed
        return (observed - difference) / error if error > 0 else math.nan

    @property
    def carried_by(self) -> float:
        """How many samples carry the difference."""
        return float(self.cells.carried_by(self._table)[0])

    @property
    def p_value(self) -> float:
        return self.surprise(0.0)

    @property
    def note(self) -> Any:
        why = self.unknown or (self._equal.unknown if self.z() != 0 else None)
        if why or self.z() == 0:
            return why or ""
        none = self.p_value == 1 / (1 + DRAWS)
        return Reason.of("equal_scores_none" if none else "equal_scores", draws=DRAWS)

    def surprise(self, difference: float) -> float:
        """Return the two-sided p-value of H0: the true difference is this."""
        if self.unknown:
            return math.nan
        if self.z(difference) == 0:
            return 1.0
        if abs(difference) > self.bounds[1] - self.bounds[0]:
            return 1 / (1 + DRAWS)
        return self.drawn(difference).p_value(self.z(difference))

    def beyond(self, difference: float) -> float:
        """Return the one-sided p-value of H0: the true difference is this, or farther off."""
        if self.unknown or abs(difference) > self.bounds[1] - self.bounds[0]:
            return self.surprise(difference) / 2
        return self.drawn(difference).beyond(self.z(difference))

    def weighed_p_value(self) -> float:
        """Return p of equal scores from tables drawn near the observed one too, weighed by likelihood."""
        # So it is as accurate far below one over the number of draws. A third is drawn at equal scores, so
        # that no weight is above 3; a third at the observed shares; a third as far off on the other side. The
        # observed table counts as one more, which keeps the level (Harrison, Biometrika 99, 2012).
        if self.unknown or self.z() == 0:
            return math.nan if self.unknown else 1.0
        (equal,), settled = self.cells.constrained(self._table, 0.0)
        if not settled[0]:
            return math.nan
        (near,), _ = self.cells.shares(self._table, RAISED)
        across = np.maximum(2 * equal - near, LEAST_SHARE * equal)
        across /= self.cells.sums(across)[self.cells.stratum]
        proposals = np.stack([equal, near, across])
        reached, without_value = float(_weights(self._table, proposals)[0]), 0.0
        generator = np.random.default_rng([self.seed, 1])
        for shares in proposals:
            for tables in self._tables(shares, WEIGHED // len(proposals), generator):
                sizes, weights = np.abs(self._z_of(tables, 0.0)), _weights(tables, proposals)
                reached += float(weights[sizes >= abs(self.z()) - TIE].sum())
                without_value += float(weights[np.isnan(sizes)].sum())
        return math.nan if without_value > WITHOUT_VALUE * WEIGHED else min(1.0, reached / (1 + WEIGHED))

    @cached_property
    def _equal(self) -> DrawnSizes:
        return self._drawn(0.0, DRAWS)

    def drawn(self, difference: float) -> DrawnSizes:
        """Draw tables at the likeliest shares of this difference, from the same seed for every one."""
        if difference == 0:
            return self._equal
        return self._drawn(difference, int(np.clip(WORK // len(self.counts), FEWEST_DRAWS, DRAWS)))

    def _drawn(self, difference: float, draws: int) -> DrawnSizes:
        shares, settled = self.cells.constrained(self._table, difference)
        if not settled[0]:
            return DrawnSizes(np.zeros(0), np.zeros(0), Reason("equal_scores_not_found"))
        tables = self._tables(shares[0], draws, np.random.default_rng(self.seed))
        z = np.concatenate([self._z_of(portion, difference) for portion in tables])
        without_value = float(np.isnan(z).mean())
        if without_value > WITHOUT_VALUE:
            unknown = Reason.of("equal_scores_sparse", share=without_value)
            return DrawnSizes(np.zeros(0), np.zeros(0), unknown)
        z = np.nan_to_num(z, nan=0.0, posinf=np.inf, neginf=-np.inf)
        return DrawnSizes(np.sort(np.abs(z)), np.sort(z))

    def _tables(self, shares: FloatArray, draws: int, generator: np.random.Generator) -> Iterator[FloatArray]:
        rows = max(1, min(TOGETHER, AT_ONCE // len(self.counts)))
        for start in range(0, draws, rows):
            yield self.cells.drawn(shares, min(rows, draws - start), generator).astype(np.float64)

    def _z_of(self, tables: FloatArray, difference: float) -> FloatArray:
        """Return z of tables; nan where a score has no value."""
        differences, errors = self.cells.difference(tables)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(differences == difference, 0.0, (differences - difference) / errors)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that are not refuted: p of each is above 1 - level."""
        if self.unknown or self._equal.unknown:
            return math.nan, math.nan
        return self._end(-1.0, 1 - level), self._end(1.0, 1 - level)

    def _end(self, sign: float, alpha: float) -> float:
        """Find one end of the interval."""
        # The critical |z| changes slowly from one difference to the next, so that a few secants find it. The
        # first difference that is tried is 0, where it lies on this side: then the interval holds 0 where p
        # of equal scores is above alpha, and only there.
        from scipy.optimize import brentq
        from scipy.special import ndtri

        observed, error = self._observed
        quantile, limit = -float(ndtri(alpha / 2)), sign * (self.bounds[1] - self.bounds[0])

        @cache
        def excess(difference: float) -> float:
            """Return by how many standard errors a difference is refuted; below 0 where it is not."""
            drawn, size = self.drawn(difference), abs(self.z(difference))
            critical = quantile if drawn.unknown else drawn.critical(alpha)
            beyond = min(size - TIE - critical, FAR)
            if size <= critical + TIE and (size < CLOSE or abs(size - critical) <= TIE):
                return -CLOSE  # tables as far off as the observed one are likely, however near that is
            return beyond if abs(beyond) >= CLOSE or difference == 0 else 0.0  # near enough to be the end

        inner = observed
        steps = [0.0] if sign * observed < 0 else []
        steps += [observed + sign * 1.1 * quantile * error * 1.5**power for power in range(12)]
        for outer in steps:
            if sign * (outer - inner) <= 0:
                continue
            if sign * (outer - limit) >= 0:
                return limit if sign * (limit - inner) > 0 else inner
            beyond = excess(outer)
            if beyond == 0:
                return outer
            if beyond > 0:
                return float(brentq(excess, inner, outer, xtol=CLOSE * error))
            inner = outer
        return inner


def _weights(tables: FloatArray, proposals: FloatArray) -> FloatArray:
    """Return how much likelier tables are at the first of some shares than at a draw from any of them."""
    with np.errstate(over="ignore"):
        return np.asarray(len(proposals) / np.exp(tables @ np.log(proposals / proposals[0]).T).sum(axis=1))


def screened_p_values(
    z: FloatArray, carried: FloatArray, alpha: float, drawn: Callable[[int], float]
) -> PairPValues:
    """Return raw p-values of many pairs, by ``drawn(pair)`` where a known one is too rough to decide."""
    # Corrected for the number of pairs, p-values far below the level by Student's t, with as many degrees of
    # freedom as samples carry the difference, or far above by the normal one, stay what Student's t gives.
    from scipy.special import ndtr, stdtr

    defined, size = ~np.isnan(z), np.abs(np.nan_to_num(z))
    normal, student = 2 * ndtr(-size), 2 * stdtr(np.maximum(carried - 1, 1.0), -size)
    p_values = np.where(defined, student, np.nan)
    rows = in_doubt(np.where(defined, normal, np.nan), p_values, alpha)
    p_values[rows] = np.nan
    most = ALL_DRAWS // WEIGHED
    for pair in rows[:most].tolist():
        p_values[pair] = drawn(pair)
    return PairPValues(p_values, left=max(0, len(rows) - most))
