"""Scores of samples that belong together: whole groups are resampled, and their labels permuted."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._protocol import Bar, Tail
from clearbar.problems.bootstrap import Bootstrap, acceleration, at_least_as_good
from clearbar.problems.groups import Groups, in_random_order
from clearbar.problems.paired import Paired, unpaired
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

    def values(self, measures: Sequence[ScoreMeasure], parts: Iterable[IntArray]) -> list[FloatArray]:
        """Evaluate measures on resamples of groups; nan where a class is gone."""
        order, starts = np.argsort(-self.scores, kind="stable"), self.ranking.ends - self.ranking.sizes
        codes, truth = self.groups.codes[order], self.truth[order]

        def drawn(weights: IntArray) -> list[FloatArray]:
            per_sample = weights[:, codes]
            counts = (np.add.reduceat(per_sample * of_class, starts, axis=1) for of_class in (truth, ~truth))
            resamples = at_class_sizes(self.ranking, *counts)
            return [values_of_whole(measure, self.ranking, *resamples) for measure in measures]

        return _joined(map(drawn, parts))

    def permuted(self, measures: Sequence[ScoreMeasure]) -> list[FloatArray]:
        """Evaluate measures where the labels of whole groups trade places."""
        orders = self.groups.permuted(self.truth, np.random.default_rng(self.ranking.seed))
        arranged = (self.ranking.with_labels(self.scores, labels) for labels in orders)
        return _joined([measure.value(ranking) for measure in measures] for ranking in arranged)


def _joined(parts: Iterable[list[FloatArray]]) -> list[FloatArray]:
    """Put the values of each measure together, of all portions."""
    return [np.concatenate(values) for values in zip(*parts, strict=True)]


@dataclass(frozen=True, eq=False)
class GroupedScores(RankedScores):
    """Rankings, and beside them the samples: labels, scores of each model, rows of each slice, clusters."""

    truth: BoolArray = field(kw_only=True)
    own: tuple[FloatArray, ...] = field(kw_only=True)
    rows: tuple[Any, ...] = field(kw_only=True)
    clusters: IntArray = field(kw_only=True)

    def one(self, model: int, group: int) -> GroupedScores:
        """Return the samples of one model in one group."""
        return replace(
            self,
            models=self.models[model : model + 1],
            groups=self.groups[group : group + 1],
            rankings=((self.rankings[model][group],),),
            own=self.own[model : model + 1],
            rows=self.rows[group : group + 1],
        )

    def paired(self, measure: ScoreMeasure, a: int, b: int) -> Paired:
        """Return two models' scores, group by group."""
        groups = Groups.of(self.clusters)
        if groups.too_few:
            return unpaired(self, measure, (a, b), groups.too_few)
        return paired_scores(measure, self.truth, (self.own[a], self.own[b]), self.seed, groups.codes)

    def _orders(self) -> Iterator[BoolArray]:
        """Yield labels of which whole groups have traded places."""
        return in_random_order(self.truth, self.seed, self.clusters)

    def _ranked(self, model: int, group: int) -> Ranked:
        rows = self.rows[group]
        ranking = self.rankings[model][group]
        return Ranked.of(ranking, self.truth[rows], self.own[model][rows], self.clusters[rows])

    def at_the_bar(self, measures: Sequence[ScoreMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test of a bootstrap of whole groups."""
        tails, notes = np.full(scores.shape, np.nan), np.full(scores.shape, "", dtype=object)
        for model, group in np.ndindex(scores.shape[:2]):
            ranked = self._ranked(model, group)
            judged = np.flatnonzero(~np.isnan(scores[model, group])).tolist()
            if ranked.groups.too_few:
                notes[model, group, judged] = f"p_value is not known: {ranked.groups.too_few}"
                continue
            drawn = _bootstraps([measures[at] for at in judged], ranked)
            for at, bootstrap in zip(judged, drawn, strict=True):
                tails[model, group, at] = bootstrap.p_value(float(np.asarray(bars[at].value)[group]))
                notes[model, group, at] = (
                    f"p_value is not known: {bootstrap.unknown}"
                    if bootstrap.unknown
                    else f"p_value is from {len(bootstrap.values):,} bootstrap resamples of "
                    f"{len(ranked.groups):,} groups, which is approximate"
                )
        return Tail(tails, tails, notes)

    def interval(self, measure: ScoreMeasure, level: float) -> tuple[float, float]:
        """Return the scores that the bootstrap does not refute."""
        ranked = self._ranked(0, 0)
        if ranked.groups.too_few:
            return np.nan, np.nan
        return _bootstraps([measure], ranked)[0].interval(level, measure.bounds)

    def cannot_permute(self) -> BoolArray:
        """Return where sizes of groups hardly repeat."""
        groups = [bool(Groups.of(self.clusters[rows]).unmoved) for rows in self.rows]
        return np.broadcast_to(groups, (len(self.models), len(groups)))

    def blind(self, measures: Sequence[ScoreMeasure], scores: FloatArray) -> Tail:
        """Return how well the labels of whole groups do where they trade places."""
        tails, notes = np.full(scores.shape, np.nan), np.full(scores.shape, "", dtype=object)
        for model, group in np.ndindex(scores.shape[:2]):
            ranked = self._ranked(model, group)
            judged = np.flatnonzero(~np.isnan(scores[model, group])).tolist()
            why = ranked.groups.stuck(ranked.truth)
            if why:
                notes[model, group, judged] = f"p_value_blind is not known: {why}"
                continue
            permuted = ranked.permuted([measures[at] for at in judged])
            for at, values in zip(judged, permuted, strict=True):
                better, score = measures[at].greater_is_better, scores[model, group, at]
                tails[model, group, at] = at_least_as_good(values, score, greater_is_better=better)
                notes[model, group, at] = (
                    f"p_value_blind is from {len(values):,} permutations of the labels of "
                    f"{len(ranked.groups):,} groups"
                )
        return Tail(tails, tails, notes)


def _bootstraps(measures: Sequence[ScoreMeasure], ranked: Ranked) -> list[Bootstrap]:
    """Resample once for all measures."""
    groups = ranked.groups
    generator = np.random.default_rng(ranked.ranking.seed)
    drawn = ranked.values(measures, groups.weights(generator, samples=len(ranked.truth)))
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
