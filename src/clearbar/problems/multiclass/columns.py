"""A score or probability of each class for each sample, as a problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import NoValue, Reason
from clearbar.inference.bootstrap import Test
from clearbar.inference.bounded import BoundedMeans
from clearbar.inference.units import FEWEST, SHARES, Groups, Units
from clearbar.problems.losses import Losses
from clearbar.problems.multiclass.probability import EPSILON, ProbabilityMeasure
from clearbar.problems.multiclass.samples import ClassSamples
from clearbar.problems.multiclass.units import bound_of_sum

# Share of the smallest class from which on random parts of the samples hold it: 20 of 5,000.
LEAST_SHARE = 0.004


@dataclass(frozen=True, eq=False)
class ClassColumns(ClassSamples):
    """The true class of each sample, and each model's matrix of a column per class."""

    def scores(self, measures: Sequence[ProbabilityMeasure]) -> FloatArray:
        return np.array(
            [
                [scores_of(measures, self.truth[rows], columns[rows]) for rows in self.rows]
                for columns in self.answers
            ]
        )

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> ColumnUnits:
        truth, columns, clusters = self.of_group(group, models)
        drawn: dict[str, Any] = {"seed": self.seed, "finest": self.finest, "joint": joint}
        return ColumnUnits(truth, columns, clusters, **drawn)

    def exact_tests(
        self, measures: Sequence[ProbabilityMeasure], model: int, group: int
    ) -> list[Test | None]:
        """Return the tests of mean losses."""
        truth, (columns,), clusters = self.of_group(group, [model])
        return [
            None if measure.pairs else losses_of(measure, columns, truth).test(truth, clusters)
            for measure in measures
        ]

    def why_undefined(self, measure: ProbabilityMeasure, missing: BoolArray) -> Any:
        groups = np.argwhere(missing)[:, 1].tolist()
        reasons = (measure.optimum(self.sizes.counts[group], 0.0).reason for group in groups)
        return [NoValue(measure.label, (str(reason),) if reason else ()) for reason in reasons]


def losses_of(measure: ProbabilityMeasure, columns: FloatArray, truth: IntArray) -> Losses:
    """Return what one model loses."""
    return Losses.of(measure.function(columns, None), columns, truth, measure.most(columns.shape[1]))


def scores_of(measures: Sequence[ProbabilityMeasure], truth: IntArray, columns: FloatArray) -> list[float]:
    """Return the scores of one model; nan where there is no value."""
    counts = np.bincount(truth, minlength=columns.shape[1])
    valued = [measure for measure in measures if measure.pairs and not math.isnan(measure.perfect(counts))]
    sizes = counts.astype(np.float64)
    right = pairs_right(truth, columns, sizes) if valued else np.zeros(0)

    def score(measure: ProbabilityMeasure) -> float:
        if measure.pairs:
            return float((added_by_pairs(measure, sizes) * right).sum()) if measure in valued else math.nan
        return float(measure.function(columns, truth).mean())

    return [score(measure) for measure in measures]


def added_by_pairs(measure: ProbabilityMeasure, sizes: FloatArray) -> FloatArray:
    """Return what a pair of two classes that is ranked right adds to a score: (columns, classes)."""
    return np.asarray(measure.function(sizes) / (sizes[:, None] * sizes))


def pairs_right(truth: IntArray, columns: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return how many pairs of its class and another a column ranks right, ties half: (columns, classes)."""
    # They are counted in whole halves, so that the order of rows decides nothing.
    right = np.zeros((len(sizes), len(sizes)))
    for label, column in enumerate(columns.T):
        order = np.argsort(column)
        values, classes = column[order], truth[order]
        upto = np.cumsum(classes == label)
        ends = np.append(np.flatnonzero(values[1:] != values[:-1]), len(order) - 1)
        if len(ends) == len(order):
            not_above = 2 * upto
        else:
            of_ties = upto[ends]
            not_above = np.repeat(of_ties + np.append(0, of_ties[:-1]), np.diff(ends, prepend=-1))
        right[label] = sizes[label] * sizes - np.bincount(classes, not_above, len(sizes)) / 2
    np.fill_diagonal(right, 0.0)
    return right


def scores_of_orders(
    measures: Sequence[ProbabilityMeasure], matrix: FloatArray, labels: IntArray
) -> FloatArray:
    """Return the scores of one model where rows of labels are true, (orders, samples): (measures, orders)."""
    values, classes = np.full((len(measures), len(labels)), np.nan), matrix.shape[1]
    sizes = np.stack([np.bincount(row, minlength=classes) for row in labels])
    of_pairs = [place for place, measure in enumerate(measures) if measure.pairs]
    for size in np.unique(sizes, axis=0) if of_pairs else ():
        rows = np.flatnonzero((sizes == size).all(axis=1))
        if not math.isnan(measures[of_pairs[0]].perfect(size)):
            of_size = RankedPairs(labels[rows[0]], matrix).means(
                [measures[place] for place in of_pairs], np.ones((len(rows), 1)), labels[rows]
            )
            values[np.array(of_pairs)[:, None], rows] = of_size
    for place, measure in enumerate(measures):
        if not measure.pairs:
            values[place] = measure.function(matrix, None)[np.arange(len(matrix)), labels].mean(axis=1)
    return values


class RankedPairs:
    """The columns of one model sorted, to count pairs of two classes that are ranked right, ties half."""

    def __init__(self, truth: IntArray, columns: FloatArray) -> None:
        self.truth, self.classes = truth, columns.shape[1]
        self.sizes = np.bincount(truth, minlength=self.classes).astype(np.float64)
        self.orders = [np.argsort(column) for column in columns.T]
        self.ends = []  # where samples of equal scores end, in each column
        for column, order in zip(columns.T, self.orders, strict=True):
            values = column[order]
            self.ends.append(np.append(np.flatnonzero(values[1:] != values[:-1]), len(order) - 1))

    def means(
        self, measures: Sequence[ProbabilityMeasure], weights: FloatArray, truth: IntArray | None = None
    ) -> FloatArray:
        """Return the scores of rows of weights, or of true classes: (measures, rows)."""
        # The weights of each class add up to its size.
        added, total = (
            [added_by_pairs(measure, self.sizes) for measure in measures],
            np.zeros((len(measures), len(weights))),
        )
        for label, (order, ends) in enumerate(zip(self.orders, self.ends, strict=True)):
            classes = self.truth[order] if truth is None else truth[:, order]
            drawn = weights if weights.shape[1] == 1 else weights[:, order]
            right = self.above(drawn * (classes == label), ends) * drawn
            for place, of_pair in enumerate(added):
                each = of_pair[label][classes]
                total[place] += right @ each if truth is None else (right * each).sum(axis=1)
        return total

    def above(self, hits: FloatArray, ends: IntArray) -> FloatArray:
        """Return for each sample in order how many hits stand above it, ties half: (rows, samples)."""
        running = np.cumsum(hits, axis=1)
        if len(ends) == hits.shape[1]:
            return running[:, -1:] - running + hits / 2
        upto = running[:, ends]
        of_ties = np.diff(upto, axis=1, prepend=0.0)
        return np.repeat(upto[:, -1:] - upto + of_ties / 2, np.diff(ends, prepend=-1), axis=1)

    def influences(self, measure: ProbabilityMeasure) -> FloatArray:
        """Return what each sample adds with its weight, off the mean of its class."""
        added, influence = added_by_pairs(measure, self.sizes), np.zeros(len(self.truth))
        for label, (order, ends) in enumerate(zip(self.orders, self.ends, strict=True)):
            classes = self.truth[order]
            others, of_class = added[label][classes], classes == label
            influence[order] += others * self.above(of_class[None].astype(np.float64), ends)[0]
            total = float(others.sum())
            influence[order[of_class]] += total - self.above(others[None], ends)[0][of_class]
        means = np.bincount(self.truth, influence, self.classes) / np.maximum(self.sizes, 1)
        return np.asarray(influence - means[self.truth])


class ColumnUnits(Units):
    """Samples, or whole clusters of them, with the matrices of some models.

    Each class is resampled at its own size, so that the bar stays where it is; losses of classes of fewer
    samples than tell how they vary are resampled together. Samples are sorted by what they hold, so that rows
    decide nothing; of clusters they stay as they are, since labels of a cluster trade places one by one.
    """

    fewest = 1
    is_part = False

    def __init__(
        self,
        truth: IntArray,
        columns: Sequence[FloatArray],
        clusters: IntArray | None = None,
        *,
        seed: int = 0,
        finest: float = 1.0,
        joint: bool = False,
    ) -> None:
        self.models, self.samples, self.classes = len(columns), len(truth), columns[0].shape[1]
        self.seed, self.finest, self.joint = seed, finest, joint
        rank, held = _held(truth, columns, self.classes)
        order = np.arange(self.samples) if clusters is not None else _sorted(held)
        self.truth, self.order, self.unsorted = truth[order], order, (truth, columns)
        self.sizes = np.bincount(truth, minlength=self.classes).astype(np.float64)
        self._strata = _strata(self.sizes, rank)
        if clusters is not None:
            self.clusters = Groups.of(clusters, *held)

    @cached_property
    def columns(self) -> list[FloatArray]:
        """The matrices of the models; losses are found without them."""
        return [matrix[self.order] for matrix in self.unsorted[1]]

    # -- resamples --------------------------------------------------------------------------------------
    @property
    def strata(self) -> IntArray | None:
        return None if self.clusters is not None else self._strata[self.truth]

    @property
    def held(self) -> FloatArray:
        """Samples are sorted already."""
        return np.arange(len(self.multiplicity), dtype=np.float64)[None]

    def not_resampled(self, measure: ProbabilityMeasure) -> Reason | None:
        few = int(np.count_nonzero((self.sizes > 0) & (self.sizes < FEWEST)))
        if measure.pairs and few and self.clusters is None:
            return Reason.of("few_of_class", classes=few, least=FEWEST)
        return super().not_resampled(measure)

    def resample_cost(self, measures: Sequence[ProbabilityMeasure]) -> int:
        return self.samples * (4 * self.classes if any(measure.pairs for measure in measures) else 1)

    def score(self, measures: Sequence[ProbabilityMeasure], weights: FloatArray) -> FloatArray:
        of_samples = self.per_sample(weights)

        def pairs(model: int, measures: Sequence[ProbabilityMeasure]) -> FloatArray:
            return self._pairs[model].means(measures, self._at_sizes(of_samples, np.arange(self.classes)))

        def loss(model: int, measure: ProbabilityMeasure) -> FloatArray:
            at_sizes = self._at_sizes(of_samples, self._strata)
            return np.asarray(at_sizes @ self._losses(measure)[model] / self.samples)

        return self._values(measures, len(weights), pairs, loss)

    def _values(
        self,
        measures: Sequence[ProbabilityMeasure],
        rows: int,
        pairs: Callable[[int, Sequence[ProbabilityMeasure]], FloatArray],
        loss: Callable[[int, ProbabilityMeasure], FloatArray],
    ) -> FloatArray:
        """Return values of shape (measures, models, rows); those of pairs are found together."""
        values = np.empty((len(measures), self.models, rows))
        of_pairs = [place for place, measure in enumerate(measures) if measure.pairs]
        for model in range(self.models):
            if of_pairs:
                values[of_pairs, model] = pairs(model, [measures[place] for place in of_pairs])
            for place, measure in enumerate(measures):
                if not measure.pairs:
                    values[place, model] = loss(model, measure)
        return values

    def _at_sizes(self, weights: FloatArray, strata: IntArray) -> FloatArray:
        """Return weights of samples whose strata of classes have their sizes; nan where one has none left."""
        if self.clusters is None and not self.is_part:
            return weights  # they have been drawn so
        of_samples = strata[self.truth]
        counts = np.stack([np.bincount(of_samples, row, self.classes) for row in weights])
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.bincount(of_samples, minlength=self.classes) / counts
        return weights * np.where(np.isfinite(scale), scale, np.nan)[:, of_samples]

    @cached_property
    def _pairs(self) -> list[RankedPairs]:
        return [RankedPairs(self.truth, matrix) for matrix in self.columns]

    @cached_property
    def _kept(self) -> dict[ProbabilityMeasure, FloatArray]:
        return {}

    def _losses(self, measure: ProbabilityMeasure) -> FloatArray:
        """Return what each sample loses, (models, samples)."""
        if measure not in self._kept:
            truth, columns = self.unsorted
            self._kept[measure] = np.array([measure.function(p, truth)[self.order] for p in columns])
        return self._kept[measure]

    def failing(self, measure: ProbabilityMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        """Return the scores if shares of samples were as wrong as can be, or right."""
        if measure.pairs:
            score = float(self._pairs[model].means([measure], np.ones((1, self.samples)))[0, 0])
            return score * (1 - SHARES), score * (1 - SHARES) + SHARES
        score = float(self._losses(measure)[model].mean())
        worst = min(measure.bounds[1], float(self.classes - 1) if measure.ordered else -math.log(EPSILON))
        return score * (1 - SHARES), score * (1 - SHARES) + SHARES * worst

    def part(self, kinds: IntArray) -> ColumnUnits | None:
        if self.clusters is not None or self.sizes[self.sizes > 0].min() < LEAST_SHARE * self.samples:
            return None
        columns = [matrix[self.order[kinds]] for matrix in self.unsorted[1]]
        units = ColumnUnits(self.truth[kinds], columns, seed=self.seed)
        units.is_part = True
        return units

    # -- labels in random order -------------------------------------------------------------------------
    @property
    def labels(self) -> IntArray:
        return self.truth

    def order_cost(self, measures: Sequence[ProbabilityMeasure]) -> int:
        return self.resample_cost(measures)

    def in_order(self, order: IntArray) -> ColumnUnits:
        mixed = ColumnUnits.__new__(ColumnUnits)
        cached = {"_pairs", "_kept", "_tables", "columns"}
        vars(mixed).update({name: value for name, value in vars(self).items() if name not in cached})
        mixed.truth, mixed.order = self.truth[order], self.order[order]
        return mixed

    @cached_property
    def _tables(self) -> dict[ProbabilityMeasure, list[FloatArray]]:
        return {}

    def _table(self, measure: ProbabilityMeasure, model: int) -> FloatArray:
        if measure not in self._tables:
            self._tables[measure] = [measure.function(matrix, None) for matrix in self.columns]
        return self._tables[measure][model]

    def shuffled(self, measures: Sequence[ProbabilityMeasure], orders: IntArray) -> FloatArray:
        truth, samples = self.truth[orders], np.arange(self.samples) * self.classes

        def pairs(model: int, measures: Sequence[ProbabilityMeasure]) -> FloatArray:
            return self._pairs[model].means(measures, np.ones((len(orders), 1)), truth)

        def loss(model: int, measure: ProbabilityMeasure) -> FloatArray:
            return np.asarray(self._table(measure, model).reshape(-1).take(truth + samples).mean(axis=1))

        return self._values(measures, len(orders), pairs, loss)

    def bounds(self, measures: Sequence[ProbabilityMeasure]) -> FloatArray | None:
        """Return Chatterjee's bound of sums over a random permutation; 1 of means over pairs."""
        if all(measure.pairs for measure in measures):
            return None
        return np.array(
            [
                [1.0 if measure.pairs else self._bound(measure, model) for model in range(self.models)]
                for measure in measures
            ]
        )

    def _bound(self, measure: ProbabilityMeasure, model: int) -> float:
        lost = measure.function(self.unsorted[1][model], None)
        least, largest = lost.min(axis=1), lost.max(axis=1)
        mean = -float(lost.sum(axis=0) @ self.sizes) / self.samples
        most, most_in_all = float((largest - least).max()), float(largest.sum())
        if self.clusters is not None or most == 0:
            return 1.0
        value = most_in_all - float(self._losses(measure)[model].sum())
        return bound_of_sum(value / most, (most_in_all + mean) / most)

    def agreement(self, measure: Any, model: int) -> FloatArray:
        """Return what each sample adds to the covariances of classes and their columns."""
        matrix = self.columns[model]
        apart = matrix - matrix.mean(axis=0)
        return np.asarray(apart[np.arange(self.samples), self.truth] - apart @ self.sizes / self.samples)

    # -- two models -------------------------------------------------------------------------------------
    def linear(self, measure: ProbabilityMeasure) -> bool:
        return not measure.pairs and self.clusters is None and len(np.unique(self._strata)) == self.classes

    def pair_cost(self, measure: ProbabilityMeasure) -> float:
        return 1.0 if not measure.pairs else 4.0 * self.classes

    def slopes(self, measure: ProbabilityMeasure, weights: FloatArray) -> FloatArray:
        """Return the influence of each unit, the same in all rows."""
        if measure.pairs:
            slopes = np.array([pairs.influences(measure) for pairs in self._pairs])
        elif self.clusters is None:
            slopes = self._losses(measure) / self.samples
        else:
            losses = self._losses(measure)
            means = np.array([np.bincount(self.truth, of_model, self.classes) for of_model in losses])
            slopes = (losses - (means / np.maximum(self.sizes, 1))[:, self.truth]) / self.samples
        return np.asarray(self.added_up(slopes)[:, None])

    def mixed(self, measure: ProbabilityMeasure, first: FloatArray, second: FloatArray) -> FloatArray:
        weights = np.concatenate([self.per_sample(first), self.per_sample(second)], axis=1)
        if not measure.pairs:
            return np.asarray(weights @ self._losses(measure).reshape(-1) / self.samples)
        if "_both" not in vars(self):
            self._both = RankedPairs(np.tile(self.truth, 2), np.concatenate(self.columns))
            self._both.sizes = self.sizes  # of each sample one of its two answers counts
        return np.asarray(self._both.means([measure], weights)[0])

    @cached_property
    def _lost(self) -> dict[tuple[ProbabilityMeasure, int], Losses]:
        return {}

    def bounded_difference(self, measure: ProbabilityMeasure, first: int, second: int) -> BoundedMeans | None:
        if measure.pairs:
            return None
        truth, columns = self.unsorted
        for model in (first, second):
            if (measure, model) not in self._lost:
                self._lost[measure, model] = losses_of(measure, columns[model], truth)
        apart = self._lost[measure, first] - self._lost[measure, second]
        return apart.test(truth, None if self.clusters is None else self.clusters.codes)

    def differ(self) -> BoolArray:
        unlike = (self.columns[0] != self.columns[1]).any(axis=1)
        return np.asarray(self.added_up(unlike.astype(np.float64)) > 0)

    def steps(self, measure: ProbabilityMeasure) -> FloatArray | None:
        if measure.pairs:
            return None
        first, second = self._losses(measure)
        return self.added_up(first - second)


def _held(truth: IntArray, columns: Sequence[FloatArray], classes: int) -> tuple[IntArray, FloatArray]:
    """Return the place of each class by what its samples hold, and keys of samples that know no names."""
    samples = np.arange(len(truth))
    of_true = np.array([matrix[samples, truth] for matrix in columns])
    sizes = np.bincount(truth, minlength=classes)
    facts = [np.bincount(truth, row, classes) for row in of_true] + [matrix.sum(axis=0) for matrix in columns]
    rank = np.argsort(np.lexsort([*facts, sizes]))
    steps = np.sqrt(rank + 2.0)  # different for each class, so that equal keys are equal rows
    keys = [key for matrix, row in zip(columns, of_true, strict=True) for key in (matrix @ steps, row)]
    return rank, np.array([*keys, rank[truth]], dtype=np.float64)


def _sorted(keys: FloatArray) -> IntArray:
    """Return the order by the last key, a small whole number, then by those before it, the last first."""
    order = np.argsort(keys[-2])
    order = order[np.argsort(keys[-1].astype(np.int32)[order], kind="stable")]
    last = keys[-2:, order]
    return np.lexsort(keys) if (last[:, 1:] == last[:, :-1]).all(axis=0).any() else order


def _strata(sizes: FloatArray, rank: IntArray) -> IntArray:
    """Return the stratum of each class: classes of few samples, and the next larger one, share theirs."""
    strata, order = rank.copy(), np.argsort(rank)  # the smallest class first
    present = order[sizes[order] > 0]
    few = int(np.count_nonzero(sizes[present] < FEWEST))
    while 0 < few < len(present) and sizes[present[:few]].sum() < FEWEST:
        few += 1
    strata[present[:few]] = strata[present[0]] if few else 0
    return strata
