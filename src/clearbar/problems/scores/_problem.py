"""Scores and labels of two classes as a problem."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.inference.bootstrap_t import Units
from clearbar.problems._protocol import PairPValues, Tail, one_by_one
from clearbar.problems._tested import Test, TestedProblem
from clearbar.problems.groups import in_random_order
from clearbar.problems.paired import Paired, PairedInUnits
from clearbar.problems.reasons import NoValue
from clearbar.problems.scores._bars import ScoreBaseline, bars_of
from clearbar.problems.scores._chance import NOTHING, of_own
from clearbar.problems.scores._interval import test_of
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._paired import has_delong, paired_scores, permuted_scores, units_of
from clearbar.problems.scores._ranking import Ranking

NO_SAMPLES = "compare takes labels of two classes or more; scores of graded labels are not compared."


@dataclass(frozen=True, eq=False)
class RankedScores(PairedInUnits, TestedProblem):
    """Each model's ranking of each group, and the share of positives in training where it is known."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    rankings: tuple[tuple[Ranking, ...], ...]
    train_prevalence: float | None = None
    population: Population | None = None  # where rankings hold gains
    truth: BoolArray | None = field(default=None, kw_only=True)  # the samples, where they are known
    own: tuple[FloatArray, ...] = field(default=(), kw_only=True)
    by_model = ("models", "own")

    def paired(self, measure: ScoreMeasure, a: int, b: int) -> Paired:
        """Return two models' scores, sample by sample."""
        if self.truth is None:
            raise ValueError(NO_SAMPLES)
        return paired_scores(measure, self.truth, (self.own[a], self.own[b]), self.seed)

    def units_of(self, measure: ScoreMeasure, models: Sequence[int]) -> Units | str:
        """Return the samples with the scores of some models."""
        if self.truth is None:
            raise ValueError(NO_SAMPLES)
        return units_of(measure, self.truth, [self.own[model] for model in models], self._together)

    @property
    def _together(self) -> IntArray | None:
        """The group of each sample, where whole groups are independent."""
        return None

    def pair_p_values(self, measure: ScoreMeasure, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        """Return the p-values of many pairs: one by one where there is DeLong's test, else together."""
        if self.truth is not None and has_delong(measure, self.truth, self._together):
            return one_by_one(self, measure, a, b)
        return super().pair_p_values(measure, a, b, alpha=alpha)

    def permuted(self, measure: ScoreMeasure) -> FloatArray:
        """Return the scores of all models with labels in random order."""
        if self.truth is None:
            raise ValueError(NO_SAMPLES.replace("compare", "best_of"))
        rankings = [model[0] for model in self.rankings]
        return permuted_scores(measure, self.own, rankings, self._orders())

    def _orders(self) -> Iterator[BoolArray]:
        """Yield labels in random order, of shape (permutations, samples)."""
        return in_random_order(self.truth, self.seed)

    def seeded(self, seed: int) -> RankedScores:
        """Return the same with another seed."""
        return self._drawn_with(seed=seed)

    def resolving(self, p_value: float) -> RankedScores:
        """Return the same that draws enough to tell so small a p-value."""
        return self._drawn_with(finest=p_value)

    def _drawn_with(self, **how: Any) -> RankedScores:
        rankings = tuple(tuple(replace(ranking, **how) for ranking in own) for own in self.rankings)
        return replace(self, rankings=rankings)

    @property
    def seed(self) -> int:  # type: ignore[override] # a field of other problems
        """The seed, which all rankings have."""
        return self.rankings[0][0].seed

    def bars(self, measures: Sequence[ScoreMeasure]) -> tuple[ScoreBaseline, ...]:
        """Return for each measure the bars of the groups."""
        population = self.population
        if population is None:
            sizes = [(ranking.total, ranking.hits) for ranking in self.rankings[0]]
            population = Population(*np.array(sizes).T)
        return tuple(bars_of(measure, population, self.train_prevalence) for measure in measures)

    def scores(self, measures: Sequence[ScoreMeasure]) -> FloatArray:
        """Return each measure of each ranking."""
        return np.array(
            [
                [[float(measure.value(ranking)) for measure in measures] for ranking in model]
                for model in self.rankings
            ]
        )

    def one(self, model: int, group: int) -> RankedScores:
        """Return the ranking of one model in one group."""
        part: RankedScores = super().one(model, group)  # type: ignore[assignment]
        return replace(part, rankings=((self.rankings[model][group],),))

    def tests(self, measures: Sequence[ScoreMeasure], model: int, group: int) -> list[Test]:
        """Return DeLong's test of an AUC, and of other measures that of a bootstrap."""
        return [test_of(measure, self.rankings[model][group]) for measure in measures]

    def chances(
        self, measures: Sequence[ScoreMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail]:
        """Return how likely the model's own scores, dealt out at random, do as well."""
        ranking = self.rankings[model][group]
        return [
            NOTHING if math.isnan(score) else of_own(measure, ranking, score)
            for measure, score in zip(measures, scores.tolist(), strict=True)
        ]

    def why_undefined(self, measure: ScoreMeasure, missing: BoolArray) -> Any:
        """Name what the class sizes lack, or say that these scores have no value."""
        rankings = [self.rankings[model][group] for model, group in np.argwhere(missing).tolist()]
        lacking = [measure.needs(ranking.total, ranking.hits) for ranking in rankings]
        return [
            NoValue(measure.label, (what,)) if what else NoValue(measure.label, where="for these scores")
            for what in lacking
        ]
