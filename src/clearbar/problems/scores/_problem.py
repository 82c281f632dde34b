"""Scores and labels of two classes as a problem, whole or across folds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.problems._faultless import Faultless
from clearbar.problems._protocol import Bar, Problem, Tail
from clearbar.problems._resampled_t import Mean, mean_of_folds
from clearbar.problems.groups import in_random_order
from clearbar.problems.paired import Paired, paired_folds
from clearbar.problems.reasons import NoValue
from clearbar.problems.scores import _interval as resampled
from clearbar.problems.scores._bar import ScoreBaseline
from clearbar.problems.scores._baseline import bars_of
from clearbar.problems.scores._chance import of_own
from clearbar.problems.scores._faultless import faultless_rankings
from clearbar.problems.scores._fold_bars import FoldScoreBaseline
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._paired import paired_scores, permuted_scores
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores.fold_ways import ScoreWay
from clearbar.problems.validation import UNKNOWN, Validation

NO_SAMPLES = "compare takes labels of two classes or more; scores of graded labels are not compared."


@dataclass(frozen=True, eq=False)
class RankedScores(Problem):
    """Each model's ranking of each group, and the share of positives in training where it is known."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    rankings: tuple[tuple[Ranking, ...], ...]
    train_prevalence: float | None = None
    population: Population | None = None  # where rankings hold gains
    truth: BoolArray | None = field(default=None, kw_only=True)  # the samples, where they are known
    own: tuple[FloatArray, ...] = field(default=(), kw_only=True)

    def paired(self, measure: ScoreMeasure, a: int, b: int) -> Paired:
        """Return two models' scores, sample by sample."""
        if self.truth is None:
            raise ValueError(NO_SAMPLES)
        return paired_scores(measure, self.truth, (self.own[a], self.own[b]), self.seed)

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
        rankings = tuple(tuple(replace(one, seed=seed) for one in model) for model in self.rankings)
        return replace(self, rankings=rankings)

    @property
    def seed(self) -> int:
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
        part = slice(model, model + 1), slice(group, group + 1)
        ranking = self.rankings[model][group]
        return replace(
            self,
            models=self.models[part[0]],
            groups=self.groups[part[1]],
            rankings=((ranking,),),
            truth=None,
            own=(),
        )

    def at_the_bar(self, measures: Sequence[ScoreMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test that belongs to the interval."""

        def tail(model: int, group: int, measure: int) -> Tail:
            bar = float(np.asarray(bars[measure].value)[group])
            ranking, score = self.rankings[model][group], float(scores[model, group, measure])
            p_value, note = resampled.p_value(measures[measure], ranking, score, bar, seed=ranking.seed)
            return Tail(p_value, p_value, note)

        return _tails(scores, tail, sum(ranking.total for ranking in self.rankings[0]))

    def interval(self, measure: ScoreMeasure, level: float) -> tuple[float, float]:
        """Return DeLong's interval of an AUC, and of other measures that of a bootstrap."""
        ranking = self.rankings[0][0]
        low, high, _ = resampled.interval(measure, ranking, level, seed=ranking.seed)
        return low, high

    def blind(self, measures: Sequence[ScoreMeasure], scores: FloatArray) -> Tail:
        """Return how likely the model's own scores, dealt out at random, do as well."""

        def tail(model: int, group: int, measure: int) -> Tail:
            ranking, score = self.rankings[model][group], float(scores[model, group, measure])
            return of_own(measures[measure], ranking, score)

        return _tails(scores, tail, sum(ranking.total for ranking in self.rankings[0]))

    def why_undefined(self, measure: ScoreMeasure, missing: BoolArray) -> Any:
        """Name what the class sizes lack, or say that these scores have no value."""
        rankings = (self.rankings[model][group] for model, group in zip(*np.nonzero(missing), strict=True))
        return [_why_undefined(measure, ranking.total, ranking.hits) for ranking in rankings]


@dataclass(frozen=True, eq=False)
class FoldedScores(Problem):
    """Each model's scores, the folds' samples, and how folds are combined."""

    models: tuple[str, ...]
    truth: BoolArray
    own: tuple[FloatArray, ...]
    folds: tuple[IntArray, ...]
    way: ScoreWay
    groups: tuple[Any, ...] = (None,)
    validation: Validation = UNKNOWN
    seed: int = field(default=0, kw_only=True)

    @property
    def sizes(self) -> tuple[IntArray, IntArray]:
        """Samples and positive samples of each fold."""
        positives = [int(np.count_nonzero(self.truth[fold])) for fold in self.folds]
        return np.array([len(fold) for fold in self.folds]), np.array(positives)

    def bars(self, measures: Sequence[ScoreMeasure]) -> tuple[FoldScoreBaseline, ...]:
        """Return the bar of the same combination, over the one group of all samples."""
        return tuple(self.way.bar(measure, *self.sizes) for measure in measures)

    def scores(self, measures: Sequence[ScoreMeasure]) -> FloatArray:
        """Return the combined scores; nan where no fold has one."""
        scores = np.full((len(self.own), 1, len(measures)), np.nan)
        for model, own in enumerate(self.own):
            for at, measure in enumerate(measures):
                values = self.way.in_parts(measure, self.truth, own, self.folds)
                if not np.isnan(values).all():
                    scores[model, 0, at] = np.nanmean(values)
        return scores

    def one(self, model: int, group: int) -> FoldedScores:  # noqa: ARG002 - one group
        """Return the scores of one model."""
        part = slice(model, model + 1)
        return replace(self, models=self.models[part], own=self.own[part])

    def paired(self, measure: ScoreMeasure, a: int, b: int) -> Paired:
        """Return two models' scores on each fold."""
        own = self.scores([measure])[[a, b], 0, 0].tolist()
        values = [self.way.in_folds(measure, self.truth, self.own[model], self.folds) for model in (a, b)]
        return paired_folds(own, values, self.validation.ratio, measure.bounds, self.way.untested)

    def at_the_bar(self, measures: Sequence[ScoreMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the corrected resampled t-test of a mean over folds."""

        def tail(model: int, _group: int, measure: int) -> Tail:
            values = self.way.in_folds(measures[measure], self.truth, self.own[model], self.folds)
            if values is None:
                return Tail(math.nan, math.nan, self.way.untested)
            bar, mean = bars[measure], mean_of_folds(values, self.validation.ratio)
            alike = self._faultless(measures[measure], model, mean, float(bar.best_possible))
            return (alike or mean).tail(float(bar.value))

        return _tails(scores, tail, len(self.truth))

    def interval(self, measure: ScoreMeasure, level: float) -> tuple[float, float]:
        """Return the interval that belongs to that test."""
        values = self.way.in_folds(measure, self.truth, self.own[0], self.folds)
        if values is None:
            return math.nan, math.nan
        mean = mean_of_folds(values, self.validation.ratio)
        alike = self._faultless(measure, 0, mean, float(self.way.bar(measure, *self.sizes).best_possible))
        return (alike or mean).interval(level, measure.bounds)

    def _faultless(self, measure: ScoreMeasure, model: int, mean: Mean, perfect: float) -> Faultless | None:
        """Return what is known of folds that score the same because nothing failed; None of others."""
        if mean.error != 0:
            return None
        own, truth = self.own[model], self.truth
        spread = any(len(np.unique(own[truth == label])) > 1 for label in (True, False))
        if abs(mean.value - perfect) > 1e-12 * max(1.0, abs(perfect)) and (
            spread or not measure.probabilities
        ):
            return None
        rankings = [Ranking.of(truth[fold], own[fold]) for fold in self.folds]
        return faultless_rankings(measure, rankings, mean.value, self.validation.seen_once)

    def blind(self, measures: Sequence[ScoreMeasure], scores: FloatArray) -> Tail:
        """Return how likely the model's own scores do as well, labels dealt out within each fold."""
        known = self.validation.blind(scores.shape)
        if known is not None:
            return known

        def tail(model: int, group: int, measure: int) -> Tail:
            score = float(scores[model, group, measure])
            own = self.own[model]
            return self.way.chance(measures[measure], self.truth, own, self.folds, score, self.seed)

        return _tails(scores, tail, len(self.truth))

    def why_undefined(self, measure: ScoreMeasure, missing: BoolArray) -> Any:
        """Say that no fold has a value."""
        return [NoValue(measure.label, where="in any fold")] * int(np.count_nonzero(missing))


def _tails(scores: FloatArray, tail: Any, samples: int) -> Tail:
    """Ask for the tail of each score that has a value."""
    upper, lower = np.full(scores.shape, math.nan), np.full(scores.shape, math.nan)
    note = np.full(scores.shape, "", dtype=object)
    cells = [tuple(int(i) for i in at) for at in np.argwhere(~np.isnan(scores))]
    for at in tracked(cells, samples * len(cells), lambda _: samples, "samples"):
        upper[at], lower[at], note[at] = tail(*at)
    return Tail(upper, lower, note)


def _why_undefined(measure: ScoreMeasure, total: int, positives: int) -> NoValue:
    lacking = measure.needs(total, positives)
    return NoValue(measure.label, (lacking,)) if lacking else NoValue(measure.label, where="for these scores")
