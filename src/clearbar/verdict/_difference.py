"""How likely the scores of two models, or of two groups, are told apart.

Tables are drawn at hypothetical rates. Those are counted of which the difference over its standard error is
beyond the critical size of the test of equal scores at the expected table; the test itself finds that
anew for every table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure, scoring
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.inference.equal_scores import DRAWS, TOGETHER, EqualScores
from clearbar.inference.gaps import GroupPairs, GroupTables, Score
from clearbar.inference.multinomials import Cells
from clearbar.problems.binary.pairs import cells_of
from clearbar.verdict._power import SATURATED, Boundary, Power, of_clusters, simulated_power

Rates = tuple[float, float]  # the shares of positive and of negative samples that are predicted positive

SEEDS = 2  # of the critical size, and of the tables


class HypotheticalRates(NamedTuple):
    """Two models on the same samples, or on groups of their own, and hypothetical rates of theirs.

    `both` has the share of each class that both models predict positive; None of groups.
    """

    first: Rates
    second: Rates
    both: Rates | None


@dataclass(frozen=True)
class DifferenceTrial:
    """Class sizes, one pair for two models, two for two groups; a measure, rates, and the level."""

    measure: Measure
    sizes: tuple[tuple[int, int], ...]
    rates: HypotheticalRates
    alpha: float
    undefined: Undefined = "exclude"
    degrees: float = math.inf

    is_exact = False

    @cached_property
    def cells(self) -> Cells:
        """The cells of the test of equal scores."""
        if len(self.sizes) == 1:
            return cells_of(self.measure, self.sizes[0], self.undefined)
        sizes = np.array(self.sizes)

        def score_of(rows: IntArray) -> Score:
            P, N = sizes[rows].T
            return scoring(self.measure, P, N, self.undefined)

        tables = GroupTables(np.concatenate((sizes.T, np.zeros_like(sizes))))
        return GroupPairs(tables, score_of, self.measure.bounds).equal_scores(0, 1).cells

    @property
    def shares(self) -> FloatArray:
        """How likely each cell is within its class."""
        rates = self.rates
        if rates.both is None:
            of_groups = np.array([*rates.first, *rates.second])
            held = np.array(self.sizes).ravel() > 0
            return np.asarray(np.stack((of_groups, 1 - of_groups), axis=-1)[held].ravel())
        classes = zip(rates.first, rates.second, rates.both, strict=True)
        cells = [(both, a - both, b - both, 1 - a - b + both) for a, b, both in classes]
        return np.asarray(np.maximum(np.array(cells), 0.0).ravel())

    @property
    def expected(self) -> FloatArray:
        """The table that is expected."""
        return np.asarray(self.shares * self.cells.units)

    @property
    def difference(self) -> float:
        """The difference of the true scores."""
        first, second = self.cells.scores(self.expected[None])
        return float(first[0] - second[0])

    @property
    def z(self) -> float:
        """By how many standard errors the true scores differ, about."""
        difference, error = self.cells.difference(self.expected[None])
        return float(np.divide(difference, error)[0])

    def power(self, seed: int) -> Power:
        """Return how likely the difference is shown, in its own direction."""
        expected: Any = self.expected  # counts that need not be whole
        critical = (
            EqualScores(self.cells, expected, self.measure.bounds, seed).drawn(0.0).critical(self.alpha)
        )
        generator, sign, shown = np.random.default_rng([seed, SEEDS]), np.sign(self.difference), 0
        for start in range(0, DRAWS, TOGETHER):
            tables = self.cells.drawn(self.shares, min(TOGETHER, DRAWS - start), generator)
            difference, error = self.cells.difference(tables.astype(np.float64))
            with np.errstate(divide="ignore", invalid="ignore"):
                shown += int(np.count_nonzero(sign * difference / error >= critical))
        if self.degrees < math.inf and shown > SATURATED * DRAWS:
            from scipy.special import ndtri

            # As if the critical size were the normal one.
            z = abs(self.z) - critical - float(ndtri(self.alpha / 2))
            return Power(of_clusters(SATURATED, self.degrees, self.alpha, z))
        return simulated_power(shown, DRAWS, self.degrees, self.alpha)

    def reaches(self, wanted: float, seed: int, near: Boundary | None) -> tuple[bool, Boundary | None]:
        """Whether the power is as large as wanted; nothing is known of test sets of about this size."""
        return self.power(seed) >= wanted - 1e-12, near
