"""Two models' scores of the same samples: DeLong's test for AUCs, else swaps of ranks or probabilities.

Scores of two models need no common scale: what only looks at their order is tried on midranks, which are
swapped sample by sample (Venkatraman and Begg, Biometrika 83, 1996).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems.paired import Paired, Swaps
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._resampled import (
    at_class_sizes,
    values_of,
    values_of_whole,
    with_shares,
)

Scores = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class PairedDeLong:
    """Two ROC AUCs on the same samples (DeLong, DeLong and Clarke-Pearson, Biometrics 44, 1988)."""

    scores: tuple[float, float]
    error: float
    test: str = "delong"
    alone: None = None
    same: bool = False
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


def paired_scores(
    measure: ScoreMeasure, truth: BoolArray, own: Scores, seed: int, clusters: IntArray | None = None
) -> Paired:
    """Return two models' scores: sample by sample, or in whole groups of samples."""
    if measure.mean_over == "pairs" and clusters is None and truth.any() and not truth.all():
        delong = _delong(truth, own)
        if delong is not None:
            return delong
    samples = Rows.of(measure, truth, own, clusters)
    number = len(truth) if clusters is None else int(clusters.max()) + 1
    ones = np.ones(number, dtype=np.int64)
    unlike = samples.places[0] != samples.places[1]
    differ = np.bincount(samples.units, unlike, number) > 0
    strata = truth.astype(np.int64) if clusters is None else 0 * ones
    whole = 0 if clusters is None else len(truth)
    return Swaps(ones, 0 * ones, differ, samples.scores_of, strata, samples.worse, samples=whole, seed=seed)


def _delong(truth: BoolArray, own: Scores) -> PairedDeLong | None:
    """Return the test; None where no placement varies."""
    placements = [_placements(truth, scores) for scores in own]
    aucs = [float(of_positives.mean()) for of_positives, _ in placements]
    variance = 0.0
    for mine, theirs in zip(*placements, strict=True):
        if len(mine) < 2:
            return None
        variance += float((mine - theirs).var(ddof=1)) / len(mine)
    return PairedDeLong((aucs[0], aucs[1]), math.sqrt(variance)) if variance > 1e-28 else None


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
