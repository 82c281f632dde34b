"""Scores of samples that belong together: whole groups are resampled, and their labels permuted."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.bootstrap_t import Units
from clearbar.inference.permutation import rank_agreement
from clearbar.problems._protocol import Tail
from clearbar.problems._tested import NotTested, Resampled, Test, not_permuted, tails_of_permuted
from clearbar.problems.bootstrap import Bootstrap, acceleration
from clearbar.problems.groups import Groups, in_random_order
from clearbar.problems.paired import Paired, unpaired
from clearbar.problems.scores._interval import of_better_side
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._paired import paired_scores
from clearbar.problems.scores._problem import RankedScores
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._resampled import at_class_sizes, values_of_whole, with_shares


@dataclass(frozen=True, eq=False)
class Ranked:
    """Samples as they came, their ranking and their groups."""

    ranking: Ranking
    truth: BoolArray
    scores: FloatArray
    groups: Groups

    @classmethod
    def of(cls, ranking: Ranking, truth: BoolArray, scores: FloatArray, clusters: IntArray) -> Ranked:
        """Number groups by the labels and scores that they hold."""
        places = np.searchsorted(-ranking.scores, -np.asarray(scores, dtype=np.float64))
        return cls(ranking, truth, scores, Groups.of(clusters, truth, places))

    def values(self, measures: Sequence[ScoreMeasure], parts: Iterable[IntArray]) -> FloatArray:
        """Evaluate measures on resamples of groups, (measures, resamples); nan where a class is gone."""
        order, starts = np.argsort(-self.scores, kind="stable"), self.ranking.ends - self.ranking.sizes
        codes, truth = self.groups.codes[order], self.truth[order]

        def drawn(weights: IntArray) -> list[FloatArray]:
            per_sample = weights[:, codes]
            counts = (np.add.reduceat(per_sample * of_class, starts, axis=1) for of_class in (truth, ~truth))
            resamples = at_class_sizes(self.ranking, *counts)
            return [values_of_whole(measure, self.ranking, *resamples) for measure in measures]

        return np.concatenate([drawn(weights) for weights in parts], axis=1)

    @property
    def agreement(self) -> FloatArray:
        """What each sample adds to the covariance of labels and ranks."""
        return rank_agreement(self.truth, self.scores)

    def permuted(self, measures: Sequence[ScoreMeasure]) -> FloatArray:
        """Evaluate measures where the labels of whole groups trade places."""
        generator = np.random.default_rng(self.ranking.seed)
        orders = self.groups.rearranged(self.truth, generator, finest=self.ranking.finest)
        arranged = (self.ranking.with_labels(self.scores, labels) for labels in orders)
        return np.concatenate(
            [[measure.value(ranking) for measure in measures] for ranking in arranged], axis=1
        )


@dataclass(frozen=True, eq=False)
class GroupedScores(RankedScores):
    """Rankings, and beside them the samples: labels, scores of each model, rows of each slice, clusters."""

    truth: BoolArray = field(kw_only=True)
    own: tuple[FloatArray, ...] = field(kw_only=True)
    rows: tuple[Any, ...] = field(kw_only=True)
    clusters: IntArray = field(kw_only=True)

    by_group = ("groups", "rows")

    def paired(self, measure: ScoreMeasure, a: int, b: int) -> Paired:
        """Return two models' scores, group by group."""
        groups = Groups.of(self.clusters)
        if groups.too_few:
            return unpaired(self, measure, (a, b), groups.too_few)
        return paired_scores(measure, self.truth, (self.own[a], self.own[b]), self.seed, groups.codes)

    def units_of(self, measure: ScoreMeasure, models: Sequence[int]) -> Units | str:
        """Return whole groups of samples with the scores of some models."""
        return Groups.of(self.clusters).too_few or super().units_of(measure, models)

    @property
    def _together(self) -> IntArray:
        """The group of each sample."""
        return Groups.of(self.clusters).codes

    def _orders(self) -> Iterator[BoolArray]:
        """Yield labels of which whole groups have traded places."""
        return in_random_order(self.truth, self.seed, self.clusters)

    def _ranked(self, model: int, group: int) -> Ranked:
        rows = self.rows[group]
        ranking = self.rankings[model][group]
        return Ranked.of(ranking, self.truth[rows], self.own[model][rows], self.clusters[rows])

    def tests(self, measures: Sequence[ScoreMeasure], model: int, group: int) -> list[Test]:
        """Return the bootstraps of whole groups, which are drawn anew once for all measures."""
        ranked = self._ranked(model, group)
        groups = ranked.groups
        if groups.too_few:
            return [NotTested(f"p_value is not known: {groups.too_few}")] * len(measures)
        drawn = _bootstraps(measures, ranked)
        number = len(drawn[0].values)
        note = (
            f"p_value is from {number:,} bootstrap resamples of {len(groups):,} groups, which is approximate"
        )
        return [
            of_better_side(measure, own.score, Resampled(own, note))
            for measure, own in zip(measures, drawn, strict=True)
        ]

    def chances(
        self, measures: Sequence[ScoreMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail]:
        """Return how well the labels of whole groups do where they trade places."""
        ranked = self._ranked(model, group)
        if ranked.groups.sizes_differ:
            return [ranked.groups.test(ranked.agreement)] * len(measures)
        why = ranked.groups.stuck(ranked.truth)
        if why:
            return [not_permuted(why)] * len(measures)
        values = ranked.permuted(measures)
        note = (
            f"p_value_blind is from {values.shape[1]:,} permutations of the labels of "
            f"{len(ranked.groups):,} groups"
        )
        every = ranked.groups.counts_out(ranked.truth)
        return tails_of_permuted(measures, values, scores, note, every=every)


def _bootstraps(measures: Sequence[ScoreMeasure], ranked: Ranked) -> list[Bootstrap]:
    """Resample once for all measures."""
    groups = ranked.groups
    generator = np.random.default_rng(ranked.ranking.seed)
    weights = groups.weights(generator, samples=len(ranked.truth), finest=ranked.ranking.finest)
    drawn = ranked.values(measures, weights)
    kept = ranked.values(measures, groups.all_but_one(samples=len(ranked.truth)))
    ones = np.ones(len(groups), dtype=np.int64)
    return [
        Bootstrap(
            float(measure.value(ranked.ranking)),
            values,
            acceleration([(left, ones)]),
            len(groups),
            functools.partial(_supposed, measure, ranked.ranking),
        )
        for measure, values, left in zip(measures, drawn, kept, strict=True)
    ]


def _supposed(measure: ScoreMeasure, ranking: Ranking) -> tuple[FloatArray, FloatArray]:
    """Evaluate with shares of both classes moved to the wrong end of the ranking, and to the right one."""
    failing, lucky = (with_shares(measure, ranking, positives_last=last) for last in (True, False))
    return (failing, lucky) if measure.greater_is_better else (lucky, failing)
