"""H0: all groups have the same true rates. The largest difference of scores between groups, and its pairs.

A largest difference is positive even where all groups are alike. So the groups of samples are permuted within
each class: class sizes stay, the true positives of the groups are a multivariate hypergeometric, and so are
the false ones. Of two groups all outcomes are added up; of more, (b + 1)/(B + 1) of B permutations is a valid
p-value, since the observed order is one of them. Permutations in which a group has no value are left out:
that is a condition which the observed order meets.

Two groups of a pair are independent: each class of each has its own binomial. Whether their true scores are
the same asks the test of two models (`equal_scores`), without samples that both have answered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference import Method
from clearbar.inference.equal_scores import EqualScores, screened_p_values
from clearbar.inference.multinomials import Cells
from clearbar.inference.units import CELLS, number_of_draws
from clearbar.null.hypergeometric import pmf, window

MOST_OUTCOMES = 2**20  # outcomes of two groups up to which all are added up
COST = 10  # steps that a permutation takes for each group, about, in the units of `number_of_draws`
FEWEST_LEFT = 99  # permutations with a value below which nothing is said
TIE = 1e-12  # gaps that are closer than this are the same but for rounding
LARGEST = 10**9  # samples of a class from which on NumPy draws no multivariate hypergeometric
MOST_INTERVALS = (
    3  # pairs up to which each interval is found from draws; of more, from Student's t distribution
)

Score = Callable[[FloatArray, FloatArray], FloatArray]
"""Scores of TP and FP, of shape (..., groups)."""


class Chance(NamedTuple):
    """A gap, what it is on average where all groups have the same rates, and how likely it is as large."""

    observed: float
    expected: float = math.nan
    p_value: float = math.nan
    method: Method = "unknown"
    note: Reason | str = ""


class PairsOfGroups(NamedTuple):
    """Two groups a row, the one with the larger score first: positions, difference, interval and raw p."""

    first: IntArray
    second: IntArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    p_values: FloatArray
    method: Method


def gap(scores: Sequence[FloatArray], *, ratio: bool) -> FloatArray:
    """Return the largest difference between groups, the last axis, or the least ratio, over all measures."""
    of_measures = []
    for values in scores:
        low, high = values.min(axis=-1), values.max(axis=-1)
        if ratio:
            with np.errstate(divide="ignore", invalid="ignore"):
                of_measures.append(np.where(low == high, 1.0, low / high))
        else:
            of_measures.append(high - low)
    worst = np.minimum if ratio else np.maximum
    return np.asarray(worst.reduce([np.asarray(values, dtype=np.float64) for values in of_measures]))


@dataclass(frozen=True, eq=False)
class GroupTables:
    """Class sizes, true and false positives of groups: columns of shape (4, groups)."""

    columns: IntArray
    seed: int = 0

    @property
    def positives(self) -> IntArray:
        return np.asarray(self.columns[0])

    @property
    def negatives(self) -> IntArray:
        return np.asarray(self.columns[1])

    @property
    def tp(self) -> IntArray:
        return np.asarray(self.columns[2])

    @property
    def fp(self) -> IntArray:
        return np.asarray(self.columns[3])

    def __getitem__(self, rows: IntArray) -> GroupTables:
        return GroupTables(self.columns[:, rows], self.seed)

    def __len__(self) -> int:
        return len(self.tp)

    def chances(self, gaps: Sequence[tuple[Sequence[Score], bool]]) -> list[Chance]:
        """Return what permutations tell of several gaps: of each its scores, and whether it is a ratio.

        All groups must have a value.
        """
        tp, fp = (column.astype(np.float64) for column in (self.tp, self.fp))
        observed = [float(gap([score(tp, fp) for score in scores], ratio=ratio)) for scores, ratio in gaps]
        if max(int(self.positives.sum()), int(self.negatives.sum())) >= LARGEST:
            return [Chance(value, note=Reason("gap_too_many")) for value in observed]
        outcomes = self._outcomes()
        parts = [outcomes] if outcomes is not None else self._permuted()
        sums, total = np.zeros((len(gaps), 3)), 0.0  # weight with a value, weighted gaps, weight as large
        for tp_drawn, fp_drawn, weights in parts:
            total += float(weights.sum())
            for row, (scores, ratio) in enumerate(gaps):
                values = gap([score(tp_drawn, fp_drawn) for score in scores], ratio=ratio)
                valued = ~np.isnan(values)
                tolerance = TIE * max(1.0, abs(observed[row]))
                far = values <= observed[row] + tolerance if ratio else values >= observed[row] - tolerance
                sums[row] += [
                    float(weights[valued].sum()),
                    float(weights[valued] @ values[valued]),
                    float(weights[valued & far].sum()),
                ]
        tell = self._exactly if outcomes is not None else self._from_draws
        return [tell(value, row, total) for value, row in zip(observed, sums.tolist(), strict=True)]

    @staticmethod
    def _exactly(observed: float, sums: list[float], total: float) -> Chance:
        valued, added, far = sums
        missing = 1 - valued / total
        note = Reason.of("gap_missing", share=missing) if missing > TIE else ""
        return Chance(observed, added / valued, min(far / valued, 1.0), "exact", note)

    @staticmethod
    def _from_draws(observed: float, sums: list[float], total: float) -> Chance:
        valued, added, far = sums
        if valued < FEWEST_LEFT:
            return Chance(observed, note=Reason.of("gap_unknown", share=1 - valued / total))
        note = Reason.of("gap_permuted", draws=int(total))
        if valued < total:
            note = Reason.of("gap_permuted_missing", draws=int(total), share=1 - valued / total)
        return Chance(observed, added / valued, (1 + far) / (1 + valued), "permutation", note)

    def _outcomes(self) -> tuple[FloatArray, FloatArray, FloatArray] | None:
        """Return TP and FP of all outcomes of two groups, (outcomes, groups), and how likely each is."""
        if len(self) != 2:
            return None
        sides = []
        for sizes, called in ((self.positives, self.tp), (self.negatives, self.fp)):
            facts = int(sizes.sum()), int(sizes[0]), int(called.sum())
            low, high = (int(end) for end in window(*facts))
            counts = np.arange(low, high + 1)
            pairs = np.stack((counts, facts[2] - counts), axis=-1).astype(np.float64)
            sides.append((pairs, pmf(counts, *facts)))
        (tp, p), (fp, q) = sides
        if len(p) * len(q) > MOST_OUTCOMES:
            return None
        return np.repeat(tp, len(q), axis=0), np.tile(fp, (len(p), 1)), np.outer(p, q).ravel()

    def _permuted(self) -> Iterator[tuple[FloatArray, FloatArray, FloatArray]]:
        """Yield TP and FP of permutations, (permutations, groups), each of weight 1."""
        generator, number = np.random.default_rng(self.seed), number_of_draws(COST * len(self))
        rows = max(1, CELLS // len(self))
        for start in range(0, number, rows):
            size = min(rows, number - start)
            drawn = [
                generator.multivariate_hypergeometric(sizes, int(called.sum()), size=size)
                for sizes, called in ((self.positives, self.tp), (self.negatives, self.fp))
            ]
            tp, fp = (counts.astype(np.float64) for counts in drawn)
            yield tp, fp, np.ones(size)


@dataclass(frozen=True, eq=False)
class GroupPairs:
    """Every two of some groups by one measure: are their true scores the same, and how far apart are they?

    All groups must have a value; `score_of` scores the TP and FP of some groups, by position.
    """

    tables: GroupTables
    score_of: Callable[[IntArray], Score]
    bounds: tuple[float, float]

    def __getitem__(self, rows: IntArray) -> GroupPairs:
        return GroupPairs(self.tables[rows], lambda selected: self.score_of(rows[selected]), self.bounds)

    @property
    def scores(self) -> FloatArray:
        """The scores of the groups; not finite where there is none."""
        tp, fp = (column.astype(np.float64) for column in (self.tables.tp, self.tables.fp))
        return self.score_of(np.arange(len(self.tables)))(tp, fp)

    @cached_property
    def _moments(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Scores of the groups, their variances, and the sums of the fourth powers of influences."""
        tables, everyone = self.tables, np.arange(len(self.tables))
        scored = self.score_of(everyone)
        sizes = np.stack((tables.positives, tables.negatives), axis=-1).astype(np.float64)
        first = np.array([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])

        def value_of(sums: FloatArray) -> FloatArray:  # the last is 0 for what there is no second model of
            return np.where(sums[..., 2] > 0, scored(sums[..., 0], sums[..., 1]), 0.0)

        of_class = np.array([0, 0, 1, 1])
        alone = Cells(of_class, sizes, first, np.zeros_like(first), np.ones(4), value_of)
        counts = self._cells(everyone)
        score, error = alone.difference(counts)
        carried = alone.carried_by(counts)
        fourth = np.divide(error**4, carried, out=np.zeros_like(error), where=carried > 0)
        return score, error**2, fourth

    def _cells(self, rows: IntArray) -> FloatArray:
        """Return TP, FN, FP and TN of groups, (groups, 4)."""
        tables = self.tables[rows]
        cells = tables.tp, tables.positives - tables.tp, tables.fp, tables.negatives - tables.fp
        return np.stack(cells, axis=-1).astype(np.float64)

    def equal_scores(self, first: int, second: int) -> EqualScores:
        """Return the test of two groups, whose cells are four binomials, raised by one of either kind."""
        pair = np.array([first, second])
        tables, (a, b) = self.tables[pair], (self.score_of(pair[:1]), self.score_of(pair[1:]))
        features = np.zeros((2, 8, 3))
        for side, columns in enumerate((slice(0, 4), slice(4, 8))):
            features[side, columns] = [[1, 0, side], [0, 0, side], [0, 1, side], [0, 0, side]]

        def value_of(sums: FloatArray) -> FloatArray:  # the last is 0 for the first group alone
            tp, fp = sums[..., 0, None], sums[..., 1, None]
            return np.where(sums[..., 2] > 0, b(tp, fp)[..., 0], a(tp, fp)[..., 0])

        sizes = np.stack((tables.positives, tables.negatives), axis=-1).ravel().astype(np.float64)
        counts = self._cells(pair).ravel().astype(np.int64)
        held = np.flatnonzero(np.repeat(sizes, 2) > 0)  # a class that a group lacks has no cells
        stratum = np.unique(np.repeat(np.arange(4), 2)[held], return_inverse=True)[1]
        cells = Cells(
            stratum, sizes[sizes > 0], features[0][held], features[1][held], np.ones(len(held)), value_of
        )
        return EqualScores(cells, counts[held], self.bounds, self.tables.seed)

    def told_apart(self, alpha: float, level: float) -> PairsOfGroups:
        """Return all pairs; p is drawn where a known one is too rough to decide at alpha, of all together."""
        score, variance, fourth = self._moments
        first, second = np.triu_indices(len(score), 1)
        swapped = score[first] < score[second]
        first, second = np.where(swapped, second, first), np.where(swapped, first, second)
        difference, both = score[first] - score[second], variance[first] + variance[second]
        moments = fourth[first] + fourth[second]
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(difference == 0, 0.0, difference / np.sqrt(both))
            carried = np.where(moments > 0, both**2 / moments, 0.0)

        def drawn(pair: int) -> float:
            return self.equal_scores(int(first[pair]), int(second[pair])).weighed_p_value()

        screened = screened_p_values(z, carried, alpha, drawn)
        if len(first) <= MOST_INTERVALS:
            pairs = zip(first.tolist(), second.tolist(), strict=True)
            low, high = np.array([self.equal_scores(a, b).interval(level) for a, b in pairs]).T
            return PairsOfGroups(first, second, difference, low, high, screened.values, "estimated")
        from scipy.special import stdtrit

        half = -stdtrit(np.maximum(carried - 1, 1.0), (1 - level) / 2) * np.sqrt(both)
        span = self.bounds[1] - self.bounds[0]
        low, high = np.maximum(difference - half, -span), np.minimum(difference + half, span)
        return PairsOfGroups(first, second, difference, low, high, screened.values, "t")
