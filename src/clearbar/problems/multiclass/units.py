"""Samples of classes and what some models call them: what is resampled, permuted and exchanged.

Samples alike are counted: the units are the cells of true class and answers, of all models and runs
together. Each class is resampled apart, one sample less of it than there are and scaled up, so that the
variance is that of the class (Rao and Wu, J. Amer. Statist. Assoc. 83, 1988). A class whose samples are all
right, or all wrong, never varies so: what it may lose or gain unseen is added. Of clusters whole ones are
resampled, and each class is scaled to its size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference.bootstrap import Bootstrap, Resampled, Test, unseen
from clearbar.inference.exchange import right_alone
from clearbar.inference.permutation import agreement
from clearbar.inference.units import ENOUGH, SHARES, Groups, Units
from clearbar.problems.multiclass.measures import ClassMeasure
from clearbar.problems.multiclass.names import places
from clearbar.problems.multiclass.tables import Tables, counted, relative_gradient, terms

FEWEST_SAMPLES = 5  # samples of a class below which resamples say too little of it

# What share of a class may be otherwise, unseen, is looked at where it shows with all but this chance.
UNLIKELY = 0.025

MOST_SUMS = 200  # sums of a table up to which slopes are found anew in each resample


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
        rows = np.concatenate([np.asarray(truth)[None], *map(np.asarray, called)]).astype(np.int64)
        kind = np.zeros(len(truth), dtype=np.int64)
        for row in rows:  # samples alike get one code; dense at each step, so that no product overflows
            _, first, kind = np.unique(kind * classes + row, return_index=True, return_inverse=True)
        counts = np.bincount(kind, times).astype(np.int64)
        # No name of a class and no row decides what is drawn where.
        place = places(rows[0, first], rows[1:, first], counts, classes)
        if clusters is None:
            rows, self.multiplicity, self.times = rows[:, first], counts, counts
            self._strata: IntArray | None = place[rows[0]]
        else:
            self.clusters, self._strata = Groups.of(clusters, place[rows]), None
            self.times = np.ones(rows.shape[1], dtype=np.int64)
        self._keys = place[rows]
        self.truth, self.called = rows[0], rows[1:].reshape(self.models, self.runs, -1)
        self.samples = int(self.times.sum())
        self.sizes = np.bincount(self.truth, self.times, minlength=classes).astype(np.float64)
        self._terms = [[terms(self.truth, run, classes) for run in runs] for runs in self.called]
        self._by_truth = np.argsort(self.truth, kind="stable")

    @property
    def strata(self) -> IntArray | None:
        return self._strata

    @property
    def held(self) -> FloatArray:
        return super().held if self.clusters is not None else self._keys[::-1].astype(np.float64)

    @property
    def words(self) -> str:
        return f"{super().words} and runs" if self.runs > 1 else super().words

    def not_resampled(self, measure: ClassMeasure) -> Reason | None:
        if self.clusters is not None or self.joint:
            return super().not_resampled(measure)
        few = int(np.count_nonzero((self.sizes > 0) & (self.sizes < FEWEST_SAMPLES)))
        return Reason.of("few_of_class", classes=few, least=FEWEST_SAMPLES) if few else None

    def resample_cost(self, measures: Sequence[ClassMeasure]) -> int:
        return max(len(self.truth), self.classes) * self.runs

    # -- scores -----------------------------------------------------------------------------------------
    def score(self, measures: Sequence[ClassMeasure], weights: FloatArray) -> FloatArray:
        weights, _ = self._scaled(self.per_sample(weights))
        return self._scores(
            measures,
            lambda model, run: Tables.of_sums(_sums(weights, self._terms[model][run]), self.sizes),
            len(weights),
        )

    def _scores(
        self, measures: Sequence[ClassMeasure], tables: Callable[[int, int], Tables], rows: int
    ) -> FloatArray:
        values = np.empty((len(measures), self.models, self.runs, rows))
        for model, run in np.ndindex(self.models, self.runs):
            of_run = tables(model, run)
            values[:, model, run] = [measure(of_run, self.empty) for measure in measures]
        return values if self.runs > 1 else values[:, :, 0]

    def _scaled(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return weights that give each class its size, and by what they grew; nan where a class is gone."""
        drawn = self._by_class(weights)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(drawn > 0, self.sizes / drawn, np.nan)[:, self.truth]
        return weights * scale, scale

    def _by_class(self, values: FloatArray) -> FloatArray:
        """Add up values of shape (rows, samples) by true class."""
        ascending = self.truth[self._by_truth]
        first = np.flatnonzero(np.diff(ascending, prepend=-1))
        sums = np.zeros((len(values), self.classes))
        sums[:, ascending[first]] = np.add.reduceat(values[:, self._by_truth], first, axis=1)
        return sums

    def observed(self, model: int) -> list[Tables]:
        """Return the table of each run."""
        return [Tables.of_sums(self.times.astype(np.float64) @ run, self.sizes) for run in self._terms[model]]

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
        labels, sizes = self.labels[orders], self.sizes.astype(np.int64)

        def tables(model: int, run: int) -> Tables:
            called = np.repeat(self.called[model, run], self.times)
            order = np.argsort(called, kind="stable")
            predicted = np.bincount(called, minlength=self.classes)
            return counted(labels[:, order], called[order], sizes, predicted, ordered=ordered)

        return self._scores(measures, tables, len(orders))

    def order_cost(self, measures: Sequence[ClassMeasure]) -> int:
        return self.samples * self.models * self.runs

    def bounds(self, measures: Sequence[ClassMeasure]) -> FloatArray | None:
        if self.clusters is not None or self.runs > 1:
            return None
        tables = [self.observed(model)[0] for model in range(self.models)]
        return np.array([[bound_of(measure, table) for table in tables] for measure in measures])

    def agreement(self, measure: ClassMeasure, model: int) -> FloatArray:
        return agreement(self.truth, self.called[model], self.classes)

    # -- two models -------------------------------------------------------------------------------------
    def pair_cost(self, measure: ClassMeasure) -> float:
        return 40.0 * self.runs

    def slopes(self, measure: ClassMeasure, weights: FloatArray) -> FloatArray:
        """Return slopes at the tables of each row; of many classes those of the sample for all."""
        if 2 * self.classes + 2 > MOST_SUMS:
            weights = self.multiplicity[None].astype(np.float64)
        weights, scale = self._scaled(self.per_sample(weights))
        slopes = []
        for runs in self._terms:
            added = sum(self._rises(measure, _sums(weights, run)) @ run.T for run in runs) / self.runs
            # A sample that is drawn more often leaves less of its class to the others.
            with np.errstate(divide="ignore", invalid="ignore"):
                means = (self._by_class(weights * added) / self.sizes)[:, self.truth]
            slopes.append(self.added_up((added - means) * scale))
        return np.array(slopes)

    def _rises(self, measure: ClassMeasure, sums: FloatArray) -> FloatArray:
        return relative_gradient(lambda moved: measure(Tables.of_sums(moved, self.sizes), self.empty), sums)

    def mixed(self, measure: ClassMeasure, first: FloatArray, second: FloatArray) -> FloatArray:
        a, b = self.per_sample(first), self.per_sample(second)
        _, scale = self._scaled(a + b)
        tables = [
            Tables.of_sums(_sums(a * scale, run_a) + _sums(b * scale, run_b), self.sizes)
            for run_a, run_b in zip(*self._terms, strict=True)
        ]
        return np.asarray(np.mean([measure(table, self.empty) for table in tables], axis=0))

    def differ(self) -> BoolArray:
        unlike = (self.called[0] != self.called[1]).any(axis=0)
        return np.asarray(self.added_up(unlike.astype(np.float64)) > 0)

    def only_one_right(self) -> tuple[int, int] | None:
        if self.clusters is not None or self.runs > 1:
            return None
        first, second = self.called[:, 0] == self.truth
        return right_alone(first, second, self.times)

    def counts_right(self, measure: ClassMeasure) -> bool:
        return measure.counts_right


def _sums(weights: FloatArray, added: Any) -> FloatArray:
    """Return the sums of what cells add: nan where cells of a class add to them that is gone (nan)."""
    gone = np.isnan(weights)
    sums = np.asarray(np.where(gone, 0.0, weights) @ added)
    if gone.any():
        sums[np.asarray(gone.astype(np.float64) @ (added != 0)) > 0] = math.nan
    return sums


def bound_of(measure: ClassMeasure, tables: Tables) -> float:
    """Return the proved bound of a measure that adds up weighted hits at fixed margins; 1 for any other."""
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
    """Return exp(-t^2 / (4 mu + 2 t)), t above the mean mu of a sum over a random permutation."""
    # Each term of the sum is from 0 to 1: Chatterjee, Stochastic Processes and their Applications 117, 2007.
    above = value - mean
    return math.exp(-(above**2) / (4 * mean + 2 * above)) if above > 0 else 1.0


# -- what was not seen -------------------------------------------------------------------------------------


def _order(measure: ClassMeasure, tables: Tables) -> IntArray:
    """Return the classes in the order that a measure takes, or in one by what they hold, not by name."""
    # Classes of the same margins and hits can trade places.
    if measure.ordered:
        return np.arange(len(tables.sizes))
    return np.lexsort((tables.hits, tables.predicted, tables.sizes))


def failing(measure: ClassMeasure, observed: Tables, empty: float) -> tuple[FloatArray, FloatArray]:
    """Return the worst and best scores if shares of all samples were called another class, or right."""
    # The other class is the next one or the farthest, whichever makes the score worse.
    table = observed.with_classes(_order(measure, observed))
    place = np.arange(len(table.sizes))
    farthest = np.where(place > place[-1] - place, 0, place[-1])

    def score(to: IntArray) -> FloatArray:
        others = Tables.of_sums(table.sizes @ terms(place, to, len(place)), table.sizes)
        mixed = (
            np.multiply.outer(1 - SHARES, a) + np.multiply.outer(SHARES, b)
            for a, b in zip(table, others, strict=True)
        )
        return measure(Tables(*mixed), empty)

    worse = np.fmin if measure.greater_is_better else np.fmax
    wrong, right = worse(score(np.roll(place, -1)), score(farthest)), score(place)
    return (wrong, right) if measure.greater_is_better else (right, wrong)


def never_varying(
    measure: ClassMeasure, observed: Tables, empty: float, sizes: FloatArray | None = None
) -> FloatArray:
    """Return the change of the score per share of a class, all right, that were wrong; or the reverse."""
    # The share is the largest that can be unseen at a level of 0.95 among the samples of a class that were
    # looked at (`sizes`). What is wrong is called the first, the last or the next class, whichever changes
    # most. nan for the classes whose resamples vary.
    order = _order(measure, observed)
    table, looked_at = observed.with_classes(order), (observed.sizes if sizes is None else sizes)[order]
    classes, score = len(order), float(measure(table, empty))
    changes = np.full(classes, math.nan)
    fixed = (table.sizes > 0) & ((table.hits == 0) | (table.hits == table.sizes))
    for row in np.flatnonzero(fixed).tolist():
        share = float(unseen(UNLIKELY, looked_at[row]))
        others = {0, classes - 1, (row + 1) % classes} - {row} if table.hits[row] > 0 else {row}
        moved = [_moved(table, row, to, share * table.sizes[row]) for to in sorted(others)]
        values = np.array([float(measure(tables, empty)) - score for tables in moved])
        valued = values[~np.isnan(values)].tolist()
        changes[order[row]] = max(valued, key=abs, default=0.0) / share
    return changes


def _moved(observed: Tables, row: int, to: int, number: float) -> Tables:
    """Return the table if so many of a class, all right or all wrong so far, were called otherwise."""
    unit = np.eye(len(observed.sizes))
    steps = -1.0 if to == row else float(abs(to - row))
    # Of those that were wrong it is not known here what they were called: as others are.
    away = observed.predicted / observed.predicted.sum() if to == row else unit[row]
    return Tables(
        observed.sizes,
        observed.predicted + number * (unit[to] - away),
        observed.hits + number * (unit[row] if to == row else -unit[row]),
        np.maximum(observed.apart + number * steps, 0.0),
        np.maximum(observed.squared + number * steps * abs(steps), 0.0),
    )


def with_unseen(drawn: Bootstrap, changes: FloatArray, sizes: FloatArray) -> Bootstrap:
    """Add what the score changes if classes that never vary were otherwise; nan for those that vary."""
    fixed = ~np.isnan(changes)
    change = changes[fixed]
    return drawn.with_unseen(np.maximum(-change, 0.0), np.maximum(change, 0.0), sizes[fixed])
