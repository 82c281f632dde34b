"""Scores of samples that belong together: whole groups are resampled, and their labels permuted."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._protocol import Bar, Tail
from clearbar.problems.bootstrap import SHARES, Bootstrap, acceleration, at_least_as_good
from clearbar.problems.groups import Groups, in_random_order
from clearbar.problems.paired import Paired, unpaired
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._paired import paired_scores
from clearbar.problems.scores._problem import RankedScores
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._resampled import values_of, with_ends


@dataclass(frozen=True, eq=False)
class Ranked:
    """Samples as they came, how a ranking orders them, and where each score starts in that order."""

    ranking: Ranking
    truth: BoolArray
    order: IntArray
    starts: IntArray
    groups: Groups

    @classmethod
    def of(cls, ranking: Ranking, truth: BoolArray, scores: FloatArray, clusters: IntArray) -> Ranked:
        """Sort samples as their ranking does."""
        places = np.searchsorted(-ranking.scores, -np.asarray(scores, dtype=np.float64))
        order = np.argsort(places, kind="stable")
        sizes = np.bincount(places, minlength=len(ranking.scores))
        groups = Groups.of(clusters, truth, places)
        return cls(ranking, truth, order, np.cumsum(sizes) - sizes, groups)

    def drawn(self, weights: IntArray) -> tuple[IntArray, IntArray, BoolArray]:
        """Return samples and positives with each score where groups have weights, and where a class is gone.

        Class sizes stay as they are: shares of a class are rounded, and sums half a sample off at most.
        """
        per_sample, truth = weights[:, self.groups.codes[self.order]], self.truth[self.order]
        kinds = (per_sample * truth, per_sample * ~truth)
        sizes = self.ranking.hits, self.ranking.total - self.ranking.hits
        sums = [np.cumsum(np.add.reduceat(kind, self.starts, axis=1), axis=1) for kind in kinds]
        gone = np.zeros(len(weights), dtype=bool)
        for one, size in zip(sums, sizes, strict=True):
            gone |= (one[:, -1] == 0) & (size > 0)
        positives, negatives = (
            np.diff(np.rint(one * (size / np.maximum(one[:, -1:], 1))).astype(np.int64), prepend=0)
            for one, size in zip(sums, sizes, strict=True)
        )
        return positives + negatives, positives, gone

    def values(self, measures: Sequence[ScoreMeasure], parts: Iterator[IntArray]) -> list[FloatArray]:
        """Evaluate measures on resamples of groups."""
        drawn: list[list[FloatArray]] = [[] for _ in measures]
        for weights in parts:
            sizes, positives, gone = self.drawn(weights)
            for measure, values in zip(measures, drawn, strict=True):
                value = np.full(len(gone), np.nan)
                if not gone.all():
                    value[~gone] = values_of(measure, self.ranking, sizes[~gone], positives[~gone])
                values.append(value)
        return [np.concatenate(values) for values in drawn]

    def permuted(self, measures: Sequence[ScoreMeasure]) -> list[FloatArray]:
        """Evaluate measures where the labels of whole groups trade places."""
        drawn: list[list[FloatArray]] = [[] for _ in measures]
        for labels in self.groups.permuted(self.truth, np.random.default_rng(self.ranking.seed)):
            positives = np.add.reduceat(labels[:, self.order], self.starts, axis=1, dtype=np.int64)
            arrangements = self.ranking.with_positives(positives)
            for measure, values in zip(measures, drawn, strict=True):
                values.append(measure.value(arrangements))
        return [np.concatenate(values) for values in drawn]


@dataclass(frozen=True, eq=False)
class GroupedScores(RankedScores):
    """Rankings, and beside them the samples: labels, scores of each model, rows of each slice, clusters."""

    truth: BoolArray = field(kw_only=True)
    own: tuple[FloatArray, ...] = field(kw_only=True)
    rows: tuple[Any, ...] = field(kw_only=True)
    clusters: IntArray = field(kw_only=True)

    def one(self, model: int, group: int) -> GroupedScores:
        """Return the samples of one model in one group."""
        ranking = self.rankings[model][group]
        return replace(
            self,
            models=self.models[model : model + 1],
            groups=self.groups[group : group + 1],
            rankings=((ranking,),),
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
    sizes = np.array([ranking.hits, ranking.total - ranking.hits])
    moved = np.ceil(SHARES[:, None] * sizes).astype(np.int64)
    failing, lucky = (with_ends(measure, ranking, moved, positives_last=last) for last in (True, False))
    return (failing, lucky) if measure.greater_is_better else (lucky, failing)
