"""The first few classes that scores name for each sample: right if the true one is among them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._protocol import Bar, Problem, Tail
from clearbar.problems.exchanged import mcnemar
from clearbar.problems.groups import Groups, in_random_order
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._paired import paired_classes
from clearbar.problems.multiclass._samples import Sampled
from clearbar.problems.multiclass.bars import ClassBaseline, Sizes, class_bar
from clearbar.problems.multiclass.blind import BOUNDED, ENOUGH, PERMUTED, SEED, bound_of_sum
from clearbar.problems.multiclass.interval import CERTIFIED, certified_interval, certified_p_value
from clearbar.problems.paired import Paired, Unpaired, paired_units


@dataclass(frozen=True, eq=False)
class TopClasses(Problem):
    """The true class of each sample, and the first classes that each model names for it, best first."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    labels: tuple[Any, ...]
    truth: IntArray
    named: tuple[IntArray, ...]  # of each model, of shape (samples, as many classes as are asked for)
    rows: tuple[Any, ...]
    clusters: IntArray | None = None
    seed: int = field(default=0, kw_only=True)

    @cached_property
    def sizes(self) -> Sizes:
        """The class sizes of each group."""
        classes = len(self.labels)
        counts = [np.bincount(self.truth[rows], minlength=classes) for rows in self.rows]
        return Sizes(self.labels, np.stack(counts))

    def bars(self, measures: Sequence[ClassMeasure]) -> tuple[ClassBaseline, ...]:
        """Return for each measure the bars of the groups."""
        return tuple(class_bar(measure, self.sizes, 0.0) for measure in measures)

    def scores(self, measures: Sequence[ClassMeasure]) -> FloatArray:
        """Return the shares of samples whose class is among the first few."""
        return np.array(
            [
                [
                    [self._right(model, group, one) / self._total(group) for one in measures]
                    for group in self._each
                ]
                for model in range(len(self.models))
            ]
        )

    @property
    def _each(self) -> range:
        return range(len(self.groups))

    def _total(self, group: int) -> int:
        return int(self.sizes.total[group])

    def _right(self, model: int, group: int, measure: ClassMeasure) -> int:
        rows = self.rows[group]
        first = self.named[model][rows, : measure.named_classes]
        return int((first == self.truth[rows, None]).sum())

    def _hits(self, model: int, measure: ClassMeasure, truth: IntArray) -> BoolArray:
        """Return which samples are right, for each row of true labels."""
        first = self.named[model][:, : measure.named_classes]
        return np.asarray((truth[..., None] == first).any(axis=-1))

    def _called(self, model: int, measure: ClassMeasure) -> IntArray:
        """Return labels that are right where one of the first classes is; else the first of these."""
        return np.where(self._hits(model, measure, self.truth), self.truth, self.named[model][:, 0])

    def _sampled(self, model: int, group: int, measure: ClassMeasure) -> Sampled:
        rows, clusters = self.rows[group], None if self.clusters is None else self.clusters[self.rows[group]]
        called = self._called(model, measure)[None, rows]
        return Sampled.of(self.truth[rows], called, clusters, len(self.labels))

    def paired(self, measure: ClassMeasure, a: int, b: int) -> Paired:
        """Return two models, on each sample right or wrong, or group by group."""
        if self.clusters is None:
            one, two = (self._hits(model, measure, self.truth) for model in (a, b))
            alone = int((one & ~two).sum()), int((two & ~one).sum())
            pair = paired_units(one, two, self.seed)
            return replace(pair, alone=alone, law=partial(mcnemar, *alone))
        groups = Groups.of(self.clusters)
        if groups.too_few:
            scores = self.scores([measure])[[a, b], 0, 0].tolist()
            return Unpaired((scores[0], scores[1]), f"nothing is known of the difference: {groups.too_few}")
        answers = self._called(a, measure), self._called(b, measure)
        return paired_classes(measure, self.truth, answers, len(self.labels), 0.0, self.seed, groups.codes)

    def permuted(self, measure: ClassMeasure) -> FloatArray:
        """Return the scores of all models with labels in random order, or those of whole groups."""
        cost = sum(one.size for one in self.named)
        if self.clusters is None:
            orders = in_random_order(self.truth, self.seed, samples=cost)
        else:
            generator = np.random.default_rng(self.seed)
            orders = Groups.of(self.clusters).orders(self.truth, generator, samples=cost)
        models = range(len(self.models))
        return np.concatenate(
            [
                np.stack([self._hits(model, measure, labels).mean(axis=1) for model in models], axis=1)
                for labels in orders
            ]
        )

    def one(self, model: int, group: int) -> TopClasses:
        """Return one model in one group."""
        return replace(
            self,
            models=self.models[model : model + 1],
            groups=self.groups[group : group + 1],
            named=self.named[model : model + 1],
            rows=self.rows[group : group + 1],
        )

    def at_the_bar(self, measures: Sequence[ClassMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the certified two-sided test of the share that is right; with groups that of a bootstrap."""
        if self.clusters is not None:
            return self._by_groups(measures, bars, scores)
        values = np.full(scores.shape, math.nan)
        for model, group, at in np.ndindex(scores.shape):
            bar = float(np.asarray(bars[at].value)[group])
            right = self._right(model, group, measures[at])
            values[model, group, at] = certified_p_value(right, self._total(group), bar)
        return Tail(values, values, np.full(scores.shape, CERTIFIED, dtype=object))

    def _by_groups(self, measures: Sequence[ClassMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        values, notes = np.full(scores.shape, math.nan), np.full(scores.shape, "", dtype=object)
        for model, group, at in np.ndindex(scores.shape):
            own, bar = self._sampled(model, group, measures[at]), float(np.asarray(bars[at].value)[group])
            here = model, group, at
            notes[here] = f"p_value is from resamples of {own.words}, which is approximate"
            if own.undrawn:
                notes[here] = f"p_value is not known: {own.undrawn}"
            else:
                values[here] = own.bootstraps([measures[at]], 0.0, self.seed)[0].p_value(bar)
        return Tail(values, values, notes)

    def interval(self, measure: ClassMeasure, level: float) -> tuple[float, float]:
        """Return the shares that this test does not refute, of one model in one group."""
        if self.clusters is not None:
            own = self._sampled(0, 0, measure)
            if own.undrawn:
                return math.nan, math.nan
            return own.bootstraps([measure], 0.0, self.seed)[0].interval(level, measure.bounds)
        return certified_interval(self._right(0, 0, measure), self._total(0), level)

    def blind(self, measures: Sequence[ClassMeasure], scores: FloatArray) -> Tail:
        """Return how likely labels in random order are named as often, or a bound where that is less."""
        tails, lowers = np.full(scores.shape, math.nan), np.full(scores.shape, math.nan)
        notes = np.full(scores.shape, "", dtype=object)
        for model, group in np.ndindex(scores.shape[:2]):
            truth, named = self.truth[self.rows[group]], self.named[model][self.rows[group]]
            goals = np.array([self._right(model, group, measure) for measure in measures])
            groups = self._groups(model, group)
            stuck = groups is not None and (groups.too_few or groups.unmoved or groups.alike(truth))
            if stuck:
                notes[model, group] = f"p_value_blind is not known: {stuck}"
                continue
            seed = SEED + self.seed
            orders = in_random_order(truth, seed, samples=named.size)
            if groups is not None:
                orders = groups.permuted(truth, np.random.default_rng(seed), samples=named.size)
            shares = _as_often(orders, named, [measure.named_classes for measure in measures], goals)
            if groups is not None:
                tails[model, group] = lowers[model, group] = shares
                notes[model, group] = "p_value_blind is from permutations of whole groups"
                continue
            for at, measure in enumerate(measures):
                times = np.bincount(named[:, : measure.named_classes].ravel(), minlength=len(self.labels))
                mean = float(self.sizes.counts[group] @ times) / len(truth)
                bound, here = bound_of_sum(float(goals[at]), mean), (model, group, at)
                less = bound < shares[at]
                tails[here], lowers[here] = (bound, 0.0) if less else (shares[at], shares[at])
                notes[here] = BOUNDED if less else PERMUTED
        return Tail(tails, lowers, notes)

    def _groups(self, model: int, group: int) -> Groups | None:
        """Return what belongs together in a group; None where all samples are independent."""
        if self.clusters is None:
            return None
        rows = self.rows[group]
        return Groups.of(self.clusters[rows], self.truth[rows], self.named[model][rows].T)

    def cannot_permute(self) -> BoolArray:
        """Return where sizes of groups hardly repeat."""
        if self.clusters is None:
            return super().cannot_permute()
        stuck = [bool(Groups.of(self.clusters[rows]).unmoved) for rows in self.rows]
        return np.broadcast_to(stuck, (len(self.models), len(self.groups)))

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Say nothing: every sample is right or wrong."""
        return [f"{measure.label} has no value here"] * int(missing.sum())


def _as_often(
    orders: Iterable[IntArray], named: IntArray, first: Sequence[int], goals: IntArray
) -> FloatArray:
    """Return (b + 1)/(B + 1) of labels in random order that are among the first classes as often."""
    reached, drawn = np.zeros(len(goals), dtype=np.int64), 0
    for part in orders:
        hits = np.cumsum((part[:, :, None] == named).sum(axis=1), axis=1)
        reached += (hits[:, np.array(first) - 1] >= goals).sum(axis=0)
        drawn += len(part)
        if (reached >= ENOUGH).all():
            break
    return np.asarray((reached + 1) / (drawn + 1))
