"""Scores and labels of two classes, or gains, as a problem."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.core.reasons import NoValue
from clearbar.inference import Tail
from clearbar.inference.bootstrap import NotTested, Test
from clearbar.inference.differences import paired
from clearbar.inference.exchange import Paired, PairPValues
from clearbar.inference.units import Units
from clearbar.problems._protocol import Problem, one_by_one
from clearbar.problems.scores._bars import ScoreBaseline, bars_of
from clearbar.problems.scores._blind import NOTHING, exact_chance
from clearbar.problems.scores._delong import delong, paired_delong
from clearbar.problems.scores._graded import GradedUnits, graded_ranking
from clearbar.problems.scores._measure import Ranking, ScoreMeasure
from clearbar.problems.scores._units import ScoreUnits, losses_of

NO_SAMPLES = "{} takes labels of two classes or more; scores of graded labels are not compared."


@dataclass(frozen=True, eq=False)
class RankedScores(Problem):
    """Each model's scores, the rows of each group, the share of positives in training; clusters.

    `truth` holds whether each sample is positive, or its gain.
    """

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    truth: BoolArray | FloatArray
    model_scores: tuple[FloatArray, ...]
    rows: tuple[Any, ...] = (slice(None),)
    train_prevalence: float | None = None
    clusters: IntArray | None = None
    labels: tuple[str, str] = field(default=Population.labels, kw_only=True)  # of the classes
    seed: int = field(default=0, kw_only=True)
    finest: float = field(default=1.0, kw_only=True)
    kept_tests: dict[Any, Test] = field(default_factory=dict, kw_only=True, repr=False)

    by_model = ("models", "model_scores")
    by_group = ("groups", "rows")
    models_together: ClassVar[bool] = False  # each has distinct scores of its own

    @property
    def graded(self) -> bool:
        """Whether labels are gains."""
        return self.truth.dtype != np.bool_

    @cached_property
    def rankings(self) -> tuple[tuple[Ranking, ...], ...]:
        """The ranking of each model in each group."""
        rank: Any = graded_ranking if self.graded else Ranking.of
        return tuple(
            tuple(rank(self.truth[rows], scores[rows]) for rows in self.rows) for scores in self.model_scores
        )

    @cached_property
    def population(self) -> Population:
        """The class sizes of each group; with gains, a sample with a gain above 0 counts as positive."""
        labels = [self.truth[rows] > 0 for rows in self.rows]
        sizes = [(len(group), int(np.count_nonzero(group))) for group in labels]
        return Population(*np.array(sizes).T).called(self.labels)

    def bars(self, measures: Sequence[ScoreMeasure]) -> tuple[ScoreBaseline, ...]:
        return tuple(bars_of(measure, self.population, self.train_prevalence) for measure in measures)

    def scores(self, measures: Sequence[ScoreMeasure]) -> FloatArray:
        return np.array(
            [[[float(m.value(ranking)) for m in measures] for ranking in model] for model in self.rankings]
        )

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> Units:
        rows, model_indices = self.rows[group], range(len(self.models)) if models is None else models
        scores = [self.model_scores[model][rows] for model in model_indices]
        drawn: dict[str, Any] = {"seed": self.seed, "finest": self.finest}
        if self.graded:
            return GradedUnits(self.truth[rows], scores, **drawn)
        clusters = None if self.clusters is None else self.clusters[rows]
        return ScoreUnits(self.truth[rows], scores, clusters, joint=joint, **drawn)

    def exact_tests(self, measures: Sequence[ScoreMeasure], model: int, group: int) -> list[Test | None]:
        """Return DeLong's test of an AUC of independent samples, and the tests of mean losses."""
        ranking, rows = self.rankings[model][group], self.rows[group]
        truth = self.truth[rows].astype(np.int64)

        def test(measure: ScoreMeasure) -> Test | None:
            lacking = measure.needs(ranking.total, ranking.hits)
            if lacking:
                return NotTested(lacking)
            if (measure.share_of or measure).losses is not None:
                lost, scale = losses_of(measure, ranking, truth, self.model_scores[model][rows])
                return lost.test(truth, None if self.clusters is None else self.clusters[rows], scale)
            exact = measure.mean_over == "pairs" and self.clusters is None
            return delong(self.truth[rows], self.model_scores[model][rows]) if exact else None

        return list(map(test, measures))

    def exact_chances(
        self, measures: Sequence[ScoreMeasure], scores: FloatArray, model: int, group: int
    ) -> Sequence[Tail | None]:
        """Return how likely the model's own scores do as well where labels are dealt out in few ways."""
        if self.clusters is not None or self.graded:
            return [None] * len(measures)
        ranking = self.rankings[model][group]
        return [
            NOTHING if math.isnan(score) else exact_chance(measure, ranking, score)
            for measure, score in zip(measures, scores.tolist(), strict=True)
        ]

    def paired(self, measure: ScoreMeasure, a: int, b: int) -> Paired:
        if self.graded:
            raise ValueError(NO_SAMPLES.format("compare"))
        units: Any = self.units(0, [a, b], joint=True)
        units.probabilities = measure.probabilities
        return (paired_delong(units, measure) if self._has_delong(measure) else None) or paired(
            units, measure
        )

    def _has_delong(self, measure: ScoreMeasure) -> bool:
        """Whether a measure is a mean over pairs of independent samples, two or more of either class."""
        positives = int(self.truth.sum())
        alone = self.clusters is None and not self.graded
        return measure.mean_over == "pairs" and alone and 2 <= positives <= len(self.truth) - 2

    def pair_p_values(self, measure: ScoreMeasure, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        """Return the p-values of many pairs: one by one where there is DeLong's test, else together."""
        if self._has_delong(measure):
            return one_by_one(self, measure, a, b)
        return super().pair_p_values(measure, a, b, alpha=alpha)

    def permuted(self, measure: ScoreMeasure) -> FloatArray:
        if self.graded:
            raise ValueError(NO_SAMPLES.format("best_of"))
        return super().permuted(measure)

    def why_undefined(self, measure: ScoreMeasure, missing: BoolArray) -> Any:
        """Name what the class sizes lack, or say that these scores have no value."""
        rankings = [self.rankings[model][group] for model, group in np.argwhere(missing).tolist()]
        lacking = [measure.needs(ranking.total, ranking.hits) for ranking in rankings]
        return [
            NoValue(measure.label, (what,), classes=self.labels)
            if what
            else NoValue(measure.label, where="for these scores")
            for what in lacking
        ]
