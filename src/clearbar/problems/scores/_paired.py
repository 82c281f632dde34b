"""Two models' scores of the same samples: DeLong's test for AUCs, else each class is drawn anew.

Scores of two models need no common scale. Where answers are exchanged, what only looks at their order is
tried on midranks (Venkatraman and Begg, Biometrika 83, 1996).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.bootstrap_t import AsSeen, Score, Units
from clearbar.problems.exchanged import Exchanged
from clearbar.problems.groups import Groups
from clearbar.problems.paired import Exchangeable, Paired, PairedUnits
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._resampled import (
    at_class_sizes,
    left_out_of,
    values_of,
    values_of_whole,
    with_shares,
)

Scores = tuple[FloatArray, FloatArray]
Pair = tuple[float, float]


@dataclass(frozen=True, eq=False)
class PairedDeLong:
    """Two ROC AUCs on the same samples (DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988)."""

    scores: tuple[float, float]
    error: float
    exchanged: Exchanged
    test: str = "delong"
    method: str = "delong"
    alone: None = None
    same: bool = False
    mcnemar: float = math.nan
    note: str = "p_value is DeLong's test, which is approximate"

    @property
    def p_value(self) -> float:
        """How surprising the difference is if both AUCs are the same."""
        return self.surprise(0.0)

    def surprise(self, difference: float) -> float:
        """Return how surprising the difference is if the true one is this, two-sided."""
        off = abs(self.scores[0] - self.scores[1] - difference)
        return math.erfc(off / self.error / math.sqrt(2)) if off > 0 else 1.0

    def interval(self, level: float) -> tuple[float, float]:
        """Return the differences that the test does not refute."""
        half = -NormalDist().inv_cdf((1 - level) / 2) * self.error
        difference = self.scores[0] - self.scores[1]
        return max(difference - half, -1.0), min(difference + half, 1.0)

    def exchangeable(self) -> Exchangeable:
        """Return how surprising the difference is if the ranks of both may be exchanged."""
        return self.exchanged.exchangeable()


@dataclass(frozen=True, eq=False)
class Samples:
    """Labels and scores of samples, and the unit that each is part of: itself, or a whole group.

    Samples are drawn anew within their class, groups all together, each class at its own size.
    """

    truth: BoolArray
    clusters: IntArray | None

    @cached_property
    def units(self) -> IntArray:
        """The unit of each sample."""
        return np.arange(len(self.truth)) if self.clusters is None else self.clusters

    @cached_property
    def strata(self) -> IntArray:
        """What is drawn together."""
        if self.clusters is None:
            return self.truth.astype(np.int64)
        return np.zeros(int(self.clusters.max()) + 1, dtype=np.int64)

    def score(self, measure: ScoreMeasure, scores: FloatArray) -> Score:
        """Return one model's score as it follows from the weights of units."""
        ranking = Ranking.of(self.truth, scores)
        order, starts = np.argsort(-scores, kind="stable"), ranking.ends - ranking.sizes
        units, truth = self.units[order], self.truth[order]

        def by_score(drawn: IntArray) -> IntArray:
            return drawn if len(starts) == len(order) else np.asarray(np.add.reduceat(drawn, starts, axis=1))

        def value(weights: FloatArray) -> FloatArray:
            drawn = weights.astype(np.int64)[:, units]
            positives, sizes = by_score(drawn * truth), by_score(drawn)
            if self.clusters is None:  # then both classes have their sizes
                return values_of(measure, ranking, sizes, positives)
            return values_of_whole(measure, ranking, *at_class_sizes(ranking, positives, sizes - positives))

        slopes = self._slopes(measure, ranking, scores, value)
        held = np.bincount(self.units, scores.astype(np.float64)).astype(np.float64)
        return AsSeen(value, slopes, held)

    def _slopes(self, measure: ScoreMeasure, ranking: Ranking, scores: FloatArray, value: Any) -> FloatArray:
        """Return what the score loses without each unit."""
        if self.clusters is not None:
            parts = Groups(self.clusters).all_but_one(samples=len(self.truth))
            left = np.concatenate([value(part.astype(np.float64)) for part in parts])
            return np.asarray(float(measure.value(ranking)) - left)
        places = np.searchsorted(-ranking.scores, -np.asarray(scores, dtype=np.float64))
        slopes = np.zeros(len(scores))
        for of_class, (without, held) in left_out_of(measure, ranking):
            chosen = self.truth == of_class
            size = int(chosen.sum())
            lost = float(measure.value(ranking)) - without
            slopes[chosen] = lost[np.searchsorted(held, places[chosen])] * (size - 1) / size
        return slopes


def units_of(
    measure: ScoreMeasure, truth: BoolArray, own: Sequence[FloatArray], clusters: IntArray | None = None
) -> Units:
    """Return samples, or whole groups of them, with the scores of models."""
    samples = Samples(truth, clusters)
    return Units.single([samples.score(measure, scores) for scores in own], samples.strata)


def paired_scores(
    measure: ScoreMeasure, truth: BoolArray, own: Scores, seed: int, clusters: IntArray | None = None
) -> Paired:
    """Return two models' scores: sample by sample, or in whole groups of samples."""
    rows = Rows.of(measure, truth, own, clusters)
    number = len(truth) if clusters is None else int(clusters.max()) + 1
    ones = np.ones(number, dtype=np.int64)
    differ = np.bincount(rows.units, rows.places[0] != rows.places[1], number) > 0
    whole = 0 if clusters is None else len(truth)
    exchanged = Exchanged(ones, 0 * ones, differ, rows.scores_of, samples=whole, seed=seed)
    if has_delong(measure, truth, clusters):
        scores, error = _delong(truth, own)
        if error > 0:
            return PairedDeLong(scores, error, exchanged)
    units = units_of(measure, truth, own, clusters)
    return PairedUnits(units, exchanged, rows.worse, measure.bounds, seed)


def has_delong(measure: ScoreMeasure, truth: BoolArray, clusters: IntArray | None) -> bool:
    """Whether a measure is a mean over pairs of independent samples, two or more of either class."""
    return measure.mean_over == "pairs" and clusters is None and 2 <= int(truth.sum()) <= len(truth) - 2


def _delong(truth: BoolArray, own: Scores) -> tuple[Pair, float]:
    """Return both AUCs and the standard error of their difference; 0 where no placement varies."""
    placements = [_placements(truth, scores) for scores in own]
    aucs = [float(of_positives.mean()) for of_positives, _ in placements]
    variance = sum(
        float((mine - theirs).var(ddof=1)) / len(mine) for mine, theirs in zip(*placements, strict=True)
    )
    return (aucs[0], aucs[1]), math.sqrt(variance) if variance > 1e-28 else 0.0


def _placements(truth: BoolArray, scores: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the share of negatives below each positive, and of positives above each negative."""
    positives, negatives = np.sort(scores[truth]), np.sort(scores[~truth])
    below = _below(negatives, scores[truth]) / len(negatives)
    return below, 1.0 - _below(positives, scores[~truth]) / len(positives)


def _below(values: FloatArray, scores: FloatArray) -> FloatArray:
    return np.asarray((np.searchsorted(values, scores) + np.searchsorted(values, scores, side="right")) / 2)


@dataclass(frozen=True, eq=False)
class Rows:
    """Samples with both models' rankings on one scale, as places on it; `units` says whose each sample is."""

    measure: ScoreMeasure
    truth: BoolArray
    rankings: tuple[Ranking, Ranking]
    places: tuple[IntArray, IntArray]
    units: IntArray

    @classmethod
    def of(cls, measure: ScoreMeasure, truth: BoolArray, own: Scores, clusters: IntArray | None) -> Rows:
        """Put both models on one scale."""
        epsilon = float(max(np.finfo(scores.dtype).eps for scores in own))
        scores = own if measure.probabilities else tuple(map(_midranks, own))
        values, places = np.unique(-np.concatenate(scores), return_inverse=True)
        a, b = np.split(places.reshape(-1), 2)

        def ranking(place: IntArray) -> Ranking:
            sizes, positives = (np.bincount(part, minlength=len(values)) for part in (place, place[truth]))
            return Ranking(-values, sizes, positives, epsilon)

        units = np.arange(len(truth)) if clusters is None else clusters
        return cls(measure, truth, (ranking(a), ranking(b)), (a, b), units)

    def scores_of(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Score models made of so many of either's answers; nan where a class is gone."""
        ranking, shape = self.rankings[0], (len(first), len(self.rankings[0].scores))
        shift = shape[1] * np.arange(shape[0])[:, None]

        def counts(of_class: BoolArray) -> FloatArray:
            units = self.units[of_class]
            sums = sum(
                np.bincount((places[of_class] + shift).ravel(), weights[:, units].ravel(), math.prod(shape))
                for places, weights in zip(self.places, (first, second), strict=True)
            )
            return np.reshape(sums, shape)

        resamples = at_class_sizes(ranking, counts(self.truth), counts(~self.truth))
        return values_of_whole(self.measure, ranking, *resamples)

    def worse(self) -> Scores:
        """Return both models' scores with shares of both classes moved to the wrong end of the ranking."""
        a, b = (with_shares(self.measure, ranking, positives_last=True) for ranking in self.rankings)
        return a, b


def _midranks(scores: FloatArray) -> FloatArray:
    """Return mean ranks, from 0 to the number of samples."""
    ordered = np.sort(scores)
    return _below(ordered, scores)


def permuted_scores(
    measure: ScoreMeasure,
    own: Sequence[FloatArray],
    rankings: Sequence[Ranking],
    orders: Iterable[BoolArray],
) -> FloatArray:
    """Return the scores of all models, of shape (permutations, models), for labels in each order."""
    parts = []
    for labels in orders:
        arranged = [
            ranking.with_labels(scores, labels) for ranking, scores in zip(rankings, own, strict=True)
        ]
        columns = [
            values_of(measure, dealt, np.broadcast_to(dealt.sizes, dealt.positives.shape), dealt.positives)
            for dealt in arranged
        ]
        parts.append(np.stack(columns, axis=1))
    return np.concatenate(parts)
