"""Samples of classes and what some models call them: what is resampled, permuted and exchanged.

Samples alike are counted: the units are the cells of true class and answers, of all models and runs
together. Each class is resampled apart, one sample less of it than there are and scaled up, so that the
variance is that of the class (Rao and Wu, J. Amer. Statist. Assoc. 83, 1988). A class whose samples are all
right, or all wrong, never varies so: what it may lose or gain unseen is added. Of clusters whole ones are
resampled, and each class is scaled to its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import Bootstrap, Resampled, Test, WithUnseen, unseen
from clearbar.inference.exchange import right_alone
from clearbar.inference.permutation import agreement
from clearbar.inference.units import RESAMPLES, SHARES, Groups, Units, gradient, portions
from clearbar.problems.multiclass._canonical import unnamed
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Tables, sums_of

FEWEST_SAMPLES = 5
"""Samples of a class below which resamples say too little of it."""

UNLIKELY = 0.025
"""What share of a class may be otherwise, unseen, is looked at where it shows with all but this chance."""

ENOUGH = 50
"""Permutations at least as good after which no more are drawn (Besag and Clifford 1991)."""

MOST_SUMS = 200
"""Sums of a table up to which slopes are found anew in each resample."""


class ClassUnits(Units):
    """Samples, or whole clusters, with what each model calls them in each run: (runs, samples)."""

    enough = ENOUGH

    def __init__(
        self,
        truth: IntArray,
        called: Sequence[IntArray],
        classes: int,
        empty: float,
        *,
        clusters: IntArray | None = None,
        times: IntArray | None = None,
        seed: int = 0,
        finest: float = 1.0,
        joint: bool = False,
    ) -> None:
        self.classes, self.empty, self.seed, self.finest = classes, empty, seed, finest
        self.models, self.runs, self.joint = len(called), len(called[0]), joint
        self.one_less = clusters is None and not joint
        answers = [np.asarray(runs, dtype=np.int64) for runs in called]
        rows = np.concatenate([np.asarray(truth, dtype=np.int64)[None], *answers])
        place, renamed = unnamed(rows[0], list(answers), classes, times)
        # No name of a class and no row decides what is drawn where.
        keys = np.concatenate([place[None], *renamed])
        if clusters is None:
            _, first, kind = np.unique(keys, axis=1, return_index=True, return_inverse=True)
            counts = np.bincount(kind.reshape(-1), times, len(first)).astype(np.int64)
            rows, keys = rows[:, first], keys[:, first]
            self.multiplicity, self._strata = counts, keys[0]
        else:
            self.clusters, self._strata = Groups.of(clusters, keys), None
            self.multiplicity = np.ones(len(self.clusters), dtype=np.int64)
        self.times = np.ones(rows.shape[1], dtype=np.int64) if clusters is not None else self.multiplicity
        self.truth, self.called = rows[0], rows[1:].reshape(self.models, self.runs, -1)
        self.samples = int(self.times.sum())
        self.sizes = np.bincount(self.truth, self.times, minlength=classes).astype(np.float64)
        self._keys = keys

    @property
    def strata(self) -> IntArray | None:
        strata: IntArray | None = self._strata
        return strata

    @property
    def held(self) -> FloatArray:
        if self.clusters is not None:
            return np.zeros((0, len(self.multiplicity)))
        return self._keys[::-1].astype(np.float64)

    @property
    def words(self) -> str:
        return f"{super().words} and runs" if self.runs > 1 else super().words

    def not_resampled(self, measure: ClassMeasure) -> Reason | None:
        if self.clusters is not None or self.joint:
            return super().not_resampled(measure)
        few = int(np.count_nonzero((self.sizes > 0) & (self.sizes < FEWEST_SAMPLES)))
        return Reason.of("few_of_class", classes=few, least=FEWEST_SAMPLES) if few else None

    def resample_cost(self, measures: Sequence[ClassMeasure]) -> int:  # noqa: ARG002
        return max(len(self.truth), self.classes) * self.runs

    # -- scores -----------------------------------------------------------------------------------------
    def score(self, measures: Sequence[ClassMeasure], weights: FloatArray) -> FloatArray:
        whole, _ = self._scaled(self._per_kind(weights))
        values = np.empty((len(measures), self.models, self.runs, len(weights)))
        ordered = any(measure.ordered for measure in measures)
        for model, run in np.ndindex(self.models, self.runs):
            tables = self._tables(model, run, whole, ordered=ordered)
            values[:, model, run] = [measure(tables, self.empty) for measure in measures]
        return values if self.runs > 1 else values[:, :, 0]

    def _per_kind(self, weights: FloatArray) -> FloatArray:
        return weights if self.clusters is None else self.per_sample(weights)

    def _scaled(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return weights that give each class its size, and by what they grew; nan where a class is gone."""
        drawn = sums_of(weights[:, self._by_truth], self.truth[self._by_truth], self.classes)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(drawn > 0, self.sizes / drawn, np.nan)[:, self.truth]
        return weights * scale, scale

    @cached_property
    def _by_truth(self) -> IntArray:
        return np.argsort(self.truth, kind="stable")

    @cached_property
    def _by_call(self) -> list[list[IntArray]]:
        return [[np.argsort(run, kind="stable") for run in runs] for runs in self.called]

    def _tables(self, model: int, run: int, whole: FloatArray, *, ordered: bool = True) -> Tables:
        """Return the tables of one run, of samples that count so much."""
        called, by_call, by_truth = self.called[model, run], self._by_call[model][run], self._by_truth
        right = by_truth[called[by_truth] == self.truth[by_truth]]
        apart = squared = np.full(len(whole), np.nan)
        if ordered:
            step = np.abs(self.truth - called).astype(np.float64)
            apart, squared = whole @ step, whole @ step**2
        predicted = sums_of(whole[:, by_call], called[by_call], self.classes)
        hits = sums_of(whole[:, right], self.truth[right], self.classes)
        return Tables(np.broadcast_to(self.sizes, hits.shape), predicted, hits, apart, squared)

    def observed(self, model: int) -> list[Tables]:
        """Return the table of each run."""
        whole = self.times[None].astype(np.float64)
        tables = (self._tables(model, run, whole) for run in range(self.runs))
        return [Tables(*(part[0] for part in table)) for table in tables]

    # -- hypothetical failures --------------------------------------------------------------------------
    def failing(self, measure: ClassMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        ends = np.array([failing(measure, table, self.empty) for table in self.observed(model)]).mean(axis=0)
        return ends[0], ends[1]

    def refined(self, test: Resampled, measure: ClassMeasure, model: int) -> Test:
        """Add what classes may lose or gain that never vary in any run; clusters are not known to be so."""
        if self.clusters is not None or test.score.unknown:
            return test
        changes = [never_varying(measure, table, self.empty) for table in self.observed(model)]
        return replace(test, score=with_unseen(test.score, np.mean(changes, axis=0), self.sizes))

    # -- labels in random order -------------------------------------------------------------------------
    @cached_property
    def labels(self) -> IntArray:
        return np.repeat(self.truth, self.times)

    def shuffled(self, measures: Sequence[ClassMeasure], orders: IntArray) -> FloatArray:
        ordered = any(measure.ordered for measure in measures)
        values = np.empty((len(measures), self.models, self.runs, len(orders)))
        labels, sizes = self.labels[orders], self.sizes.astype(np.int64)
        for model, run in np.ndindex(self.models, self.runs):
            called = np.repeat(self.called[model, run], self.times)
            by_call = np.argsort(called, kind="stable")
            predicted = np.bincount(called, minlength=self.classes)
            tables = counted(labels[:, by_call], called[by_call], sizes, predicted, ordered=ordered)
            values[:, model, run] = [measure(tables, self.empty) for measure in measures]
        return values if self.runs > 1 else values[:, :, 0]

    def order_cost(self, measures: Sequence[ClassMeasure]) -> int:  # noqa: ARG002
        return self.samples * self.models * self.runs

    def bounds(self, measures: Sequence[ClassMeasure]) -> FloatArray | None:
        """Return Chatterjee's bound of sums of hits over random permutations."""
        if self.clusters is not None or self.runs > 1:
            return None
        return np.array(
            [
                [bound_of(measure, self.observed(model)[0]) for model in range(self.models)]
                for measure in measures
            ]
        )

    def agreement(self, model: int) -> FloatArray:
        return agreement(self.truth, self.called[model], self.classes)

    # -- two models -------------------------------------------------------------------------------------
    def pair_cost(self, measure: ClassMeasure) -> float:  # noqa: ARG002
        return 40.0 * self.runs

    def slopes(self, measure: ClassMeasure, weights: FloatArray) -> FloatArray:
        """Return slopes at the tables of each row; of many classes those of the sample for all."""
        if 2 * self.classes + 2 > MOST_SUMS:
            weights = self.multiplicity[None].astype(np.float64)
        whole, scale = self._scaled(self._per_kind(weights))
        return np.array([self._slopes_of(measure, model, whole, scale) for model in range(self.models)])

    def _slopes_of(
        self, measure: ClassMeasure, model: int, whole: FloatArray, scale: FloatArray
    ) -> FloatArray:
        added = np.zeros(whole.shape)
        for run in range(self.runs):
            tables = self._tables(model, run, whole)
            added += self._added(measure, tables, self.called[model, run]) / self.runs
        # A sample that is drawn more often leaves less of its class to the others.
        by_class = (whole * added)[:, self._by_truth]
        with np.errstate(divide="ignore", invalid="ignore"):
            means = sums_of(by_class, self.truth[self._by_truth], self.classes) / self.sizes
        return self.added_up((added - means[:, self.truth]) * scale)

    def _added(self, measure: ClassMeasure, tables: Tables, called: IntArray) -> FloatArray:
        """Return by how much the score of these tables rises with each sample."""
        sizes = np.broadcast_to(self.sizes, tables.predicted.shape)

        def function(sums: FloatArray) -> FloatArray:
            predicted, hits = sums[:, : self.classes], sums[:, self.classes : -2]
            return measure(Tables(sizes, predicted, hits, sums[:, -2], sums[:, -1]), self.empty)

        rises = gradient(
            function, np.column_stack([tables.predicted, tables.hits, tables.apart, tables.squared])
        )
        apart = np.abs(self.truth - called).astype(np.float64)
        added = rises[:, called] + np.where(apart == 0, rises[:, self.classes + self.truth], 0.0)
        return np.asarray(added + rises[:, -2:-1] * apart + rises[:, -1:] * apart**2)

    def mixed(self, measure: ClassMeasure, first: FloatArray, second: FloatArray) -> FloatArray:
        one, two = self._per_kind(first), self._per_kind(second)
        _, scale = self._scaled(one + two)
        sides = one * scale, two * scale
        values = []
        for run in range(self.runs):
            tables = [self._tables(model, run, side) for model, side in enumerate(sides)]
            both = Tables(*(a + b for a, b in zip(*tables, strict=True)))
            values.append(measure(both._replace(sizes=tables[0].sizes), self.empty))
        return np.asarray(np.mean(values, axis=0))

    def differ(self) -> BoolArray:
        unlike = (self.called[0] != self.called[1]).any(axis=0)
        return np.asarray(self.added_up(unlike.astype(np.float64)) > 0)

    def only_one_right(self) -> tuple[int, int] | None:
        if self.clusters is not None or self.runs > 1:
            return None
        first, second = (model[0] == self.truth for model in self.called)
        return right_alone(first, second, self.times)

    def counts_right(self, measure: ClassMeasure) -> bool:
        return measure.counts_right


def counted(
    orders: IntArray, called: IntArray, sizes: IntArray, predicted: IntArray, *, ordered: bool = True
) -> Tables:
    """Count tables of true labels, of shape (tables, samples), against predictions sorted by class.

    How far off they are is counted where classes are `ordered`; else it is nan.
    Sizes and predicted counts have shape (classes,); or (folds, classes), and samples are sorted by fold.
    """
    rows, numbers = len(orders), predicted.ravel()
    starts = np.cumsum(numbers) - numbers
    called_at_all = np.flatnonzero(numbers)
    hits = np.zeros((rows, len(numbers)))
    hits[:, called_at_all] = np.add.reduceat(orders == called, starts[called_at_all], axis=1, dtype=np.int64)
    in_folds = np.atleast_1d(predicted.sum(axis=-1))
    first = np.cumsum(in_folds) - in_folds
    apart = squared = np.full((rows, len(first)), np.nan)
    if ordered:
        step = np.abs(orders - called)
        apart, squared = (
            np.add.reduceat(far, first, axis=1, dtype=np.float64) for far in (step, step * step)
        )
    shape = (rows, *predicted.shape)
    return Tables(
        np.broadcast_to(sizes.astype(np.float64), shape),
        np.broadcast_to(predicted.astype(np.float64), shape),
        hits.reshape(shape),
        apart.reshape(shape[:-1]),
        squared.reshape(shape[:-1]),
    )


def bound_of(measure: ClassMeasure, tables: Tables) -> float:
    """Return exp(-t^2 / (4 mu + 2 t)) for a weighted sum of hits, t above its mean mu; 1 for any other.

    Chatterjee, Stochastic Processes and their Applications 117, 2007: of a sum over a random permutation
    whose terms lie within [0, 1].
    """
    if measure.weights is None:
        return 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.broadcast_to(measure.weights(tables), tables.sizes.shape)
    weights = np.where(tables.sizes * tables.predicted > 0, weights, 0.0)
    largest = float(weights.max())
    if not 0 < largest < math.inf:
        return 1.0
    shares = weights / largest
    mean = float((shares * tables.sizes * tables.predicted).sum() / tables.total)
    return bound_of_sum(float(shares @ tables.hits), mean)


def bound_of_sum(value: float, mean: float) -> float:
    """Return the bound of a sum of this mean."""
    above = value - mean
    return math.exp(-(above**2) / (4 * mean + 2 * above)) if above > 0 else 1.0


def with_unseen(test: Any, changes: FloatArray, sizes: FloatArray) -> WithUnseen:
    """Add what the score changes if classes that never vary were otherwise; nan for those that vary."""
    fixed = ~np.isnan(changes)
    change = changes[fixed]
    return WithUnseen(test, np.maximum(-change, 0.0), np.maximum(change, 0.0), sizes[fixed])


def never_varying(
    measure: ClassMeasure, observed: Tables, empty: float, sizes: FloatArray | None = None
) -> FloatArray:
    """Return the change of the score per share of a class that is all right, were it wrong; or the reverse.

    The share is the largest that can be unseen at a level of 0.95 among the samples of a class that were
    looked at (`sizes`). What is wrong is called the first, the last or the next class, whichever changes
    most. nan for the classes whose resamples vary.
    """
    counts, hits = observed.sizes, observed.hits
    classes, score = len(counts), float(measure(observed, empty))
    changes = np.full(classes, math.nan)
    for row in np.flatnonzero((counts > 0) & ((hits == 0) | (hits == counts))).tolist():
        share = float(unseen(UNLIKELY, counts[row] if sizes is None else sizes[row]))
        others = sorted({0, classes - 1, (row + 1) % classes} - {row}) if hits[row] > 0 else [row]
        values = [_moved(measure, observed, row, to, share, empty) - score for to in others]
        known = [value for value in values if not math.isnan(value)]
        changes[row] = max(known, key=abs, default=0.0) / share
    return changes


def _moved(measure: ClassMeasure, observed: Tables, row: int, to: int, share: float, empty: float) -> float:
    """Return the score if a share of a class, all right or all wrong so far, were called one class."""
    size = share * observed.sizes[row]
    predicted, hits = observed.predicted.copy(), observed.hits.copy()
    apart, squared = float(observed.apart), float(observed.squared)
    if to == row:  # of those that were wrong it is not known here what they were called: as others are
        predicted -= size * predicted / predicted.sum()
    else:
        predicted[row] -= size
    predicted[to] += size
    hits[row] += size if to == row else -size
    steps = abs(to - row)
    apart += size * steps if to != row else -min(apart, size)
    squared += size * steps**2 if to != row else -min(squared, size)
    return float(measure(Tables(observed.sizes, predicted, hits, np.array(apart), np.array(squared)), empty))


def failing(measure: ClassMeasure, observed: Tables, empty: float) -> tuple[FloatArray, FloatArray]:
    """Return the scores if shares of all samples were called another class, and if these were right.

    The other class is the next one or the farthest, whichever makes the score worse.
    """
    place, sizes = np.arange(len(observed.sizes)), observed.sizes
    farthest = np.where(place > place[-1] - place, 0, place[-1])
    wrong = []
    for to in (np.roll(place, -1), farthest):
        step = np.abs(place - to).astype(np.float64)
        called = np.bincount(to, sizes, len(sizes)).astype(np.float64)
        elsewhere = Tables(sizes, called, np.zeros_like(sizes), sizes @ step, sizes @ step**2)
        wrong.append(_in_shares(observed, elsewhere))
    right = _in_shares(observed, Tables(sizes, sizes, sizes, np.zeros(()), np.zeros(())))
    worse = np.fmin if measure.greater_is_better else np.fmax
    others = worse(*(measure(table, empty) for table in wrong))
    return (others, measure(right, empty)) if measure.greater_is_better else (measure(right, empty), others)


def _in_shares(observed: Tables, others: Tables) -> Tables:
    """Return the tables if shares of all samples, one table for each share, were called as in other ones."""
    parts = [
        np.multiply.outer(1 - SHARES, one) + np.multiply.outer(SHARES, other)
        for one, other in zip(observed[1:], others[1:], strict=True)
    ]
    return Tables(np.broadcast_to(observed.sizes, (len(SHARES), len(observed.sizes))), *parts)


def share_as_good(
    measures: Sequence[ClassMeasure],
    tables: Tables,
    scores: FloatArray,
    value: Callable[[ClassMeasure, Tables], FloatArray],
    seed: int = 0,
) -> tuple[FloatArray, int]:
    """Return (b + 1)/(B + 1) of labels in random order within folds for each measure, and B."""
    signs = np.array([1.0 if measure.greater_is_better else -1.0 for measure in measures])
    goals = signs * scores - 1e-12 * np.maximum(1.0, np.abs(scores))
    reached, drawn = np.zeros(len(measures), dtype=np.int64), 0
    for part in _permuted_in_folds(tables, seed):
        values = np.stack([value(measure, part) for measure in measures], axis=-1) * signs
        reached += np.count_nonzero(~(values < goals), axis=0)  # one without a value counts as reaching it
        drawn += len(values)
        if (reached >= ENOUGH).all():
            break
    return np.asarray((reached + 1) / (drawn + 1)), drawn


def _permuted_in_folds(tables: Tables, seed: int) -> Iterator[Tables]:
    """Yield tables of labels in random order, in each fold apart, in portions."""
    sizes, predicted = (np.asarray(side, dtype=np.int64) for side in (tables.sizes, tables.predicted))
    folds, classes = sizes.shape
    total, names = int(sizes.sum()), np.tile(np.arange(classes), folds)
    truth, called = (np.repeat(names, side.ravel()) for side in (sizes, predicted))
    fold = np.repeat(np.arange(folds), sizes.sum(axis=-1))
    generator = np.random.default_rng(seed)
    for rows in portions(total, samples=total + sizes.size):
        orders = truth[np.argsort(fold + generator.random((rows, total)), axis=1)]
        yield counted(orders, called, sizes, predicted)


def faultless(
    measure: ClassMeasure, folds: Sequence[Tables], empty: float, score: float, seen_once: float
) -> WithUnseen | None:
    """Return what folds tell that are all right: failures unseen, at equal rates in all; None of others."""
    if any(float(fold.right) < float(fold.total) for fold in folds):
        return None
    sizes = np.sum([fold.sizes for fold in folds], axis=0)
    changes = np.nan_to_num([never_varying(measure, fold, empty, sizes * seen_once) for fold in folds])
    change = np.where(sizes > 0, changes.mean(axis=0), math.nan)
    alike = Bootstrap(score, np.full(RESAMPLES, score), 0.0, int(sizes.sum()), (np.zeros(1), np.zeros(1)))
    return with_unseen(alike, change, sizes * seen_once)
