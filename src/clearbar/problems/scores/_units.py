"""Samples of two classes with the scores of some models: what is resampled, permuted and exchanged.

Each class is resampled at its own size, so that the bar stays where it is. For one model the units are
counted: so many samples of a class have each distinct score. Of very many scores neighbours are counted as
one, and what that changes in the score is added. For several models together, or whole clusters, the units
are single ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import NotTested, Test, tolerance
from clearbar.inference.permutation import rank_agreement
from clearbar.inference.units import CELLS, SHARES, Groups, Tail, Units
from clearbar.problems.scores._measure import Ranking, ScoreMeasure

ONE_CALL = 10_000
"""What a call costs, in distinct scores, of a measure that takes one resample at a time."""

MOST_COUNTED = 20_000
"""Samples beyond which a resample costs no more: blocks of scores are counted."""

FEW = 2_000
"""Distinct scores up to which each is resampled alone."""

SINGLE = 150
"""Samples of a class at both ends whose scores stay alone; further in, a block holds at most one in 150."""


class ScoreUnits(Units):
    """Samples, or whole clusters of them, with the scores of some models, each of shape (samples,)."""

    fewest = 1
    probabilities = False  # whether two models differ where their scores do, or where their ranks do

    def __init__(
        self,
        truth: BoolArray,
        scores: Sequence[FloatArray],
        clusters: IntArray | None = None,
        *,
        seed: int = 0,
        finest: float = 1.0,
        joint: bool = False,
    ) -> None:
        self.truth, self.scores, self.joint = truth, list(scores), joint
        self.models, self.samples, self.seed, self.finest = len(scores), len(truth), seed, finest
        self.rankings = [Ranking.of(truth, own) for own in scores]
        if clusters is not None:
            self.clusters = Groups.of(clusters, truth, *self._places)
        self.counted = clusters is None and not joint

    @cached_property
    def _places(self) -> list[IntArray]:
        """Which distinct score of its model each sample has, the highest first."""
        pairs = zip(self.rankings, self.scores, strict=True)
        return [np.searchsorted(-ranking.scores, -scores.astype(np.float64)) for ranking, scores in pairs]

    @cached_property
    def _orders(self) -> list[IntArray]:
        return [np.argsort(-scores, kind="stable") for scores in self.scores]

    # -- units ------------------------------------------------------------------------------------------
    @cached_property
    def _blocks(self) -> Ranking:
        return in_blocks(self.rankings[0])

    @cached_property
    def _held(self) -> tuple[IntArray, IntArray]:
        """The scores that the samples of either class have."""
        positive, negative = (np.flatnonzero(counts) for counts in of_classes(self._blocks))
        return positive, negative

    @cached_property
    def multiplicity(self) -> IntArray:
        if not self.counted:
            return np.ones(self.samples if self.clusters is None else len(self.clusters), dtype=np.int64)
        pairs = zip(of_classes(self._blocks), self._held, strict=True)
        return np.concatenate([counts[held] for counts, held in pairs])

    @property
    def strata(self) -> IntArray | None:
        if self.clusters is not None:
            return None
        return np.repeat([1, 0], list(map(len, self._held))) if self.counted else self.truth.astype(np.int64)

    @property
    def held(self) -> FloatArray:
        if self.counted or self.clusters is not None:
            return np.zeros((0, len(self.multiplicity)))
        return np.stack(self._places).astype(np.float64)

    @property
    def draw_cost(self) -> int:
        return self.resample_cost(())

    def resample_cost(self, measures: Sequence[ScoreMeasure]) -> int:
        slow = 0 if all(measure.in_catalogue for measure in measures) else ONE_CALL
        counted = max(len(self.multiplicity), min(self.samples, MOST_COUNTED))
        return (counted if self.counted else self.samples) + slow

    # -- resamples --------------------------------------------------------------------------------------
    def score(self, measures: Sequence[ScoreMeasure], weights: FloatArray) -> FloatArray:
        values = np.empty((len(measures), self.models, len(weights)))
        for model in range(self.models):
            ranking, sizes, positives = self._counts(model, weights)
            for number, measure in enumerate(measures):
                values[number, model] = values_of(measure, ranking, sizes, positives)
                if self.counted and self._blocks is not self.rankings[0]:
                    values[number, model] += float(
                        measure.value(self.rankings[0]) - measure.value(self._blocks)
                    )
        return values

    def _counts(self, model: int, weights: FloatArray) -> tuple[Ranking, IntArray, IntArray]:
        """Return how many samples, and positive ones, have each score: (rows, scores)."""
        times: Any = np.rint(weights).astype(np.int64)
        if self.counted:
            ranking, split = self._blocks, len(self._held[0])
            positives, negatives = np.zeros((2, len(times), len(ranking.scores)), dtype=np.int64)
            positives[:, self._held[0]], negatives[:, self._held[1]] = times[:, :split], times[:, split:]
            return ranking, positives + negatives, positives
        ranking, order = self.rankings[model], self._orders[model]
        sizes: Any = self.per_sample(times).take(order, axis=1)
        positives = sizes * self.truth[order]
        if len(ranking.sizes) < len(order):
            starts = ranking.ends - ranking.sizes
            positives, sizes = (np.add.reduceat(part, starts, axis=1) for part in (positives, sizes))
        if self.clusters is not None:
            sizes, positives = at_class_sizes(ranking, positives, sizes - positives)
        return ranking, sizes, positives

    def failing(self, measure: ScoreMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        ranking = in_blocks(self.rankings[model])
        moved = np.ceil(SHARES[:, None] * [ranking.hits, self.samples - ranking.hits]).astype(np.int64)
        off = float(measure.value(self.rankings[model]) - measure.value(ranking))
        wrong, right = (
            off + with_ends(measure, ranking, moved, positives_last=last) for last in (True, False)
        )
        return (wrong, right) if measure.greater_is_better else (right, wrong)

    def refined(self, test: Any, measure: ScoreMeasure, model: int) -> Test:
        ranking, refined = self.rankings[model], test
        if self.clusters is None and not test.score.unknown:
            # A class with a single sample does not tell how it varies.
            lone = 1 in (ranking.hits, self.samples - ranking.hits)
            missing = int(np.count_nonzero(np.isnan(test.score.values)))
            if missing and test.score.alike and not lone:
                why = Reason.of("undefined_resamples", missing=missing, draws=test.score.draws)
                return NotTested(Reason.of("p_value_unknown", why=why))
            if lone or test.score.alike:
                refined = UnseenFailures.of(measure, ranking, test.score.draws)
            else:
                refined = replace(test, score=replace(test.score, units=math.inf))
        return BetterSide(refined, float(measure.value(ranking)), measure) if measure.interval_of else refined

    # -- labels in random order -------------------------------------------------------------------------
    @property
    def labels(self) -> BoolArray:
        return self.truth

    def shuffled(self, measures: Sequence[ScoreMeasure], orders: IntArray) -> FloatArray:
        values = np.empty((len(measures), self.models, len(orders)))
        for model, (ranking, own) in enumerate(zip(self.rankings, self.scores, strict=True)):
            dealt = ranking.with_labels(own, self.truth[orders])
            sizes = np.broadcast_to(dealt.sizes, dealt.positives.shape)
            for number, measure in enumerate(measures):
                values[number, model] = values_of(measure, dealt, sizes, dealt.positives)
        return values

    def agreement(self, measure: Any, model: int) -> FloatArray:  # noqa: ARG002
        return rank_agreement(self.truth, self.scores[model])

    # -- two models -------------------------------------------------------------------------------------
    @cached_property
    def _slopes(self) -> dict[ScoreMeasure, FloatArray]:
        return {}

    def slopes(self, measure: ScoreMeasure, weights: FloatArray) -> FloatArray:  # noqa: ARG002
        """Return what the scores lose without each unit, the same in all rows."""
        if measure not in self._slopes:
            self._slopes[measure] = self._leaving_out(measure)
        return self._slopes[measure]

    def _leaving_out(self, measure: ScoreMeasure) -> FloatArray:
        if self.clusters is None:
            slopes = [self._slopes_of_samples(measure, model) for model in range(self.models)]
            return np.stack(slopes)[:, None]
        number, rows = len(self.clusters), max(1, CELLS // self.samples)
        observed = self.score([measure], np.ones((1, number)))[0]
        without = np.array_split(1.0 - np.eye(number), -(-number // rows))
        left = np.concatenate([self.score([measure], part)[0] for part in without], axis=1)
        return np.asarray(observed - left)[:, None]

    def _slopes_of_samples(self, measure: ScoreMeasure, model: int) -> FloatArray:
        """Leave out a sample of either class, of each score, or of each block of scores, in turn."""
        counted = ScoreUnits(self.truth, [self.scores[model]])
        whole, kinds = counted.multiplicity.astype(np.float64), np.arange(len(counted.multiplicity))
        observed = float(counted.score([measure], whole[None])[0, 0, 0])
        left = [
            counted.score([measure], whole - (kinds == some[:, None]))[0, 0]
            for some in np.array_split(kinds, len(kinds) ** 2 // CELLS + 1)
        ]
        lost = np.split(observed - np.concatenate(left), [len(counted._held[0])])
        places = np.searchsorted(counted._blocks.ends, self.rankings[model].ends[self._places[model]])
        slopes = np.zeros(self.samples)
        for of_class, held, losses in zip((self.truth, ~self.truth), counted._held, lost, strict=True):
            size = int(of_class.sum())
            if size > 1:
                slopes[of_class] = losses[np.searchsorted(held, places[of_class])] * (size - 1) / size
        return slopes

    @cached_property
    def _common_scale(self) -> dict[bool, tuple[FloatArray, list[IntArray]]]:
        """The distinct scores of both models, the highest first, and which one each sample has.

        What looks at the order of scores alone is tried on midranks: scores of two models need no common
        scale (Venkatraman and Begg, Biometrika 83, 1996).
        """
        pairs = zip(self.rankings, self._places, strict=True)
        found = {}
        for probabilities, columns in ((True, self.scores), (False, [r.midranks[p] for r, p in pairs])):
            values, places = np.unique(-np.concatenate(columns), return_inverse=True)
            found[probabilities] = -values, np.split(places.reshape(-1), self.models)
        return found

    def mixed(self, measure: ScoreMeasure, first: FloatArray, second: FloatArray) -> FloatArray:
        values, places = self._common_scale[measure.probabilities]
        shape = len(first), len(values)
        shift = shape[1] * np.arange(shape[0])[:, None]
        weights = [self.per_sample(side) for side in (first, second)]

        def counts(of_class: BoolArray) -> FloatArray:
            sums = sum(
                np.bincount((place[of_class] + shift).ravel(), side[:, of_class].ravel(), math.prod(shape))
                for place, side in zip(places, weights, strict=True)
            )
            return np.reshape(sums, shape)

        sizes, positives = (
            np.bincount(places[0][rows], minlength=shape[1]) for rows in (slice(None), self.truth)
        )
        ranking = Ranking(values, sizes, positives, max(own.epsilon for own in self.rankings))
        return values_of(measure, ranking, *at_class_sizes(ranking, counts(self.truth), counts(~self.truth)))

    def differ(self) -> BoolArray:
        places = self._common_scale[self.probabilities][1]
        return np.asarray(self.added_up((places[0] != places[1]).astype(np.float64)) > 0)


@dataclass(frozen=True, eq=False)
class UnseenFailures:
    """Scores whose resamples do not differ: no sample was at the wrong end, or at the right one.

    Were a share of 1 - exp(-x / n) of a class of n at an end, none of it would be among n samples with
    probability exp(-x): the score with that share of either class, rounded up to samples, goes with that
    p-value.
    """

    score: float
    lows: FloatArray  # ascending: bars that are reached from ever less unlikely failures on
    highs: FloatArray  # the same of the other side, as negatives
    p_values: FloatArray  # one-sided, by how many of these a bar reaches
    draws: int

    @classmethod
    def of(cls, measure: ScoreMeasure, ranking: Ranking, draws: int) -> UnseenFailures:
        last = math.log(draws + 1)
        sizes = np.array([int(counts.sum()) for counts in of_classes(ranking)])
        distinct = {-n * math.log1p(-k / n) for n in sizes.tolist() for k in range(min(n, math.ceil(last)))}
        steps = np.array(sorted(step for step in distinct if step < last))
        shares = -np.expm1(-steps[:, None] / np.maximum(sizes, 1))
        moved = np.minimum(sizes, np.floor(shares * sizes + 1e-9).astype(np.int64) + 1)
        lows, highs = (with_ends(measure, ranking, moved, positives_last=last) for last in (True, False))
        if not measure.greater_is_better:
            lows, highs = highs, lows
        lows, highs = (
            np.minimum.accumulate(np.where(np.isnan(values), -np.inf, values))[::-1]
            for values in (lows, -highs)
        )
        p_values = np.append(1 / (draws + 1), np.exp(-steps[::-1]))
        return cls(float(measure.value(ranking)), lows, highs, p_values, draws)

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true score is the bar."""
        p_value = 1.0
        if abs(bar - self.score) > tolerance(bar):
            values, end = (self.lows, bar) if bar < self.score else (self.highs, -bar)
            reached = np.searchsorted(values, end + tolerance(end), side="right")
            p_value = min(1.0, 2 * float(self.p_values[reached]))
        return Tail(p_value, p_value, Reason("unseen_failures_of_classes"), "estimated", self.draws)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted."""
        place = int(np.searchsorted(self.p_values, (1 - level) / 2, side="right")) - 1
        low, high = (float(side[place]) if place >= 0 else -math.inf for side in (self.lows, self.highs))
        return min(max(low, bounds[0]), self.score), max(min(-high, bounds[1]), self.score)


@dataclass(frozen=True, eq=False)
class BetterSide:
    """The test of a score whose expectation depends on the number of samples: worse bars alone are refuted.

    The bar is what as few samples expect, resamples tell of endless ones, which expect less. A blind score
    would seem to lie below its bar, which it attains; above it, the difference makes p larger.
    """

    both_sides: Test
    score: float
    measure: ScoreMeasure

    def tail(self, bar: float) -> Tail:
        """Return twice the one-sided p-value; 1 where the score is not better than the bar."""
        tail = self.both_sides.tail(bar)
        if math.isnan(tail.upper):
            return tail
        tail = tail._replace(
            note=Reason.of("better_side", interval_of=self.measure.interval_of, how=tail.note)
        )
        better = self.score > bar if self.measure.greater_is_better else self.score < bar
        return tail if better else tail._replace(upper=1.0, lower=1.0)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        return self.both_sides.interval(level, bounds)


def values_of(measure: ScoreMeasure, ranking: Ranking, sizes: IntArray, positives: IntArray) -> FloatArray:
    """Evaluate a measure on counts of samples by score, (rows, scores); nan where a class is gone.

    Class sizes may differ from row to row. A measure that is not of the catalogue takes one row at a time.
    """
    hits, totals = positives.sum(axis=1), sizes.sum(axis=1)
    values = np.full(len(sizes), np.nan)
    gone = (hits == 0) & (ranking.hits > 0) | (hits == totals) & (ranking.hits < ranking.total)
    for size in np.unique(np.stack([hits, totals], axis=1)[~gone], axis=0):
        rows = np.flatnonzero(~gone & (hits == size[0]) & (totals == size[1]))
        with np.errstate(all="ignore"):
            if measure.in_catalogue:
                values[rows] = measure.value(replace(ranking, sizes=sizes[rows], positives=positives[rows]))
            else:
                values[rows] = [_alone(measure, ranking, sizes[row], positives[row]) for row in rows]
    return values


def _alone(measure: ScoreMeasure, ranking: Ranking, sizes: IntArray, positives: IntArray) -> float:
    kept = sizes > 0
    one = replace(ranking, scores=ranking.scores[kept], sizes=sizes[kept], positives=positives[kept])
    return float(measure.value(one))


def at_class_sizes(
    ranking: Ranking, positives: FloatArray | IntArray, negatives: FloatArray | IntArray
) -> tuple[IntArray, IntArray]:
    """Scale classes drawn in whole clusters to their sizes, by score: all samples, and positive ones.

    Sums are half a sample off at most; a class of which nothing was drawn stays empty.
    """
    classes = []
    for counts, observed in zip((positives, negatives), of_classes(ranking), strict=True):
        sums = np.cumsum(counts, axis=1)
        scaled = np.rint(sums * (int(observed.sum()) / np.maximum(sums[:, -1:], 1)))
        classes.append(np.diff(scaled.astype(np.int64), prepend=0, axis=1))
    return classes[0] + classes[1], classes[0]


def of_classes(ranking: Ranking) -> tuple[IntArray, IntArray]:
    """Return how many positive and how many negative samples have each score."""
    return ranking.positives, ranking.negatives


def with_ends(
    measure: ScoreMeasure, ranking: Ranking, moved: IntArray, *, positives_last: bool
) -> FloatArray:
    """Evaluate a measure with some samples of either class moved to the ends of the ranking."""
    # An unseen probability may be as wrong as any; of other scores the order alone counts.
    top, bottom = (1.0, 0.0) if measure.probabilities else (ranking.scores[0] + 1, ranking.scores[-1] - 1)
    scores = np.concatenate([[top], ranking.scores, [bottom]])
    classes = []
    for counts, numbers, last in zip(
        of_classes(ranking), moved.T[:, :, None], (positives_last, not positives_last), strict=True
    ):
        inside, none = _thinned(counts, numbers), np.zeros_like(numbers)
        classes.append(np.hstack([none, inside, numbers] if last else [numbers, inside, none]))
    positives, negatives = classes
    return values_of(measure, replace(ranking, scores=scores), positives + negatives, positives)


def _thinned(counts: IntArray, numbers: IntArray) -> IntArray:
    """Take so many samples away, (rows, 1), evenly: those at ((2i + 1) size) // (2 number)."""
    size = max(int(counts.sum()), 1)
    gone = -((size - 2 * numbers * np.cumsum(counts)) // (2 * size))
    return np.asarray(counts - np.diff(gone, prepend=0, axis=1))


def in_blocks(ranking: Ranking) -> Ranking:
    """Merge neighbouring scores where there are so many that a bootstrap need not tell them apart.

    Passing the samples from the highest score down, a block ends where either class has come on by 0.7 % of
    what is passed of it, or of what is left. Near both ends, and where a class has hardly any sample on the
    wrong side, that is every single sample. Against resamples of single scores this moves best thresholds
    by up to 5 % of their standard deviation, either way, and other measures by less; quantiles of 999
    resamples vary by 8 %.
    """
    if len(ranking.scores) <= FEW:
        return ranking
    places = np.floor([_place(passed) for passed in (ranking.found, ranking.ends - ranking.found)])
    return ranking.merged(np.flatnonzero(np.append(True, (np.diff(places, axis=1) > 0).any(axis=0))))


def _place(passed: IntArray) -> FloatArray:
    """Number a class's samples so that blocks are a unit long."""
    total = float(passed[-1])

    def from_end(count: FloatArray) -> FloatArray:
        return np.where(count < SINGLE, count, SINGLE * (1 + np.log(np.maximum(count, SINGLE) / SINGLE)))

    near = np.minimum(passed, total - passed)
    place = from_end(near)
    return np.where(passed == near, place, 2 * from_end(np.array(total / 2)) - place)
