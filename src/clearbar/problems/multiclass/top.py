"""The first few classes that scores name for each sample: right if the true one is among them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.bootstrap_t import Line, Units
from clearbar.problems._protocol import Tail
from clearbar.problems._tested import Test, TestedProblem, not_permuted
from clearbar.problems.exchanged import mcnemar
from clearbar.problems.groups import Groups, in_random_order
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._samples import Sampled
from clearbar.problems.multiclass._units import Answers, paired_answers, units_of
from clearbar.problems.multiclass.bars import ClassBaseline, Sizes, class_bar
from clearbar.problems.multiclass.blind import BOUNDED, ENOUGH, PERMUTED, SEED, bound_of_sum
from clearbar.problems.multiclass.interval import Certified
from clearbar.problems.paired import Paired, PairedInUnits, paired_means, right_alone, unpaired


@dataclass(frozen=True, eq=False)
class TopClasses(PairedInUnits, TestedProblem):
    """The true class of each sample, and the first classes that each model names for it, best first."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    labels: tuple[Any, ...]
    truth: IntArray
    named: tuple[IntArray, ...]  # of each model, of shape (samples, as many classes as are asked for)
    rows: tuple[Any, ...]
    clusters: IntArray | None = None
    seed: int = field(default=0, kw_only=True)

    by_model = ("models", "named")
    by_group = ("groups", "rows")

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
        shape = len(self.models), len(self.groups), len(measures)
        shares = [
            self._right(model, group, measures[at]) / self._total(group)
            for model, group, at in np.ndindex(shape)
        ]
        return np.reshape(shares, shape)

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
            alone = right_alone(one, two)
            pair = paired_means(one, two, measure.bounds, self.seed)
            return replace(pair, alone=alone, exchanged=replace(pair.exchanged, law=partial(mcnemar, *alone)))
        groups = Groups.of(self.clusters)
        if groups.too_few:
            return unpaired(self, measure, (a, b), groups.too_few)
        answers = Answers.of(self.truth, len(self.labels), groups.codes)
        models = self._called(a, measure), self._called(b, measure)
        return paired_answers(measure, answers, models, 0.0, self.seed)

    def units_of(self, measure: ClassMeasure, models: Sequence[int]) -> Units | str:
        """Return samples, right or wrong, or whole groups, with the scores of some models."""
        if self.clusters is None:
            hits = [self._hits(model, measure, self.truth) for model in models]
            scores = [Line(own / len(own)) for own in hits]
            return Units.single(scores, np.zeros(len(self.truth), dtype=np.int64))
        groups = Groups.of(self.clusters)
        answers = Answers.of(self.truth, len(self.labels), groups.codes)
        called = [self._called(model, measure) for model in models]
        return groups.too_few or units_of(measure, answers, called, 0.0)

    def permuted(self, measure: ClassMeasure) -> FloatArray:
        """Return the scores of all models with labels in random order, or those of whole groups."""
        cost = sum(named.size for named in self.named)
        models = range(len(self.models))
        return np.concatenate(
            [
                np.stack([self._hits(model, measure, labels).mean(axis=1) for model in models], axis=1)
                for labels in in_random_order(self.truth, self.seed, self.clusters, samples=cost)
            ]
        )

    def tests(self, measures: Sequence[ClassMeasure], model: int, group: int) -> list[Test]:
        """Return the certified tests of the share that is right; with groups those of a bootstrap."""
        if self.clusters is None:
            total = self._total(group)
            return [Certified(self._right(model, group, measure), total) for measure in measures]
        sampled = (self._sampled(model, group, measure) for measure in measures)
        drawn = zip(sampled, measures, strict=True)
        return [test for own, measure in drawn for test in own.tests([measure], 0.0, self.seed)]

    def chances(
        self, measures: Sequence[ClassMeasure], scores: FloatArray, model: int, group: int
    ) -> list[Tail]:
        """Return how likely labels in random order are named as often, or a bound where that is less."""
        truth, named = self.truth[self.rows[group]], self.named[model][self.rows[group]]
        goals = np.rint(scores * len(truth)).astype(np.int64)
        numbers = [measure.named_classes for measure in measures]
        seed = SEED + self.seed
        if self.clusters is not None:
            groups = Groups.of(self.clusters[self.rows[group]], truth, named.T)
            if groups.sizes_differ:
                return [
                    groups.test(_agreement(truth, named[:, :number], len(self.labels))) for number in numbers
                ]
            why = groups.stuck(truth)
            if why:
                return [not_permuted(why)] * len(measures)
            every = groups.counts_out(truth)
            orders = groups.rearranged(truth, np.random.default_rng(seed), samples=named.size)
            shares, drawn = _as_often(orders, named, numbers, goals, every=every)
            if every:
                return [Tail.exactly(share) for share in shares.tolist()]
            note = "p_value_blind is from permutations of whole groups"
            return [Tail.permuted(share, drawn, note) for share in shares.tolist()]
        every = Groups(np.arange(len(truth))).counts_out(truth)
        orders = in_random_order(truth, seed, samples=named.size)
        shares, drawn = _as_often(orders, named, numbers, goals, every=every)
        if every:
            return [Tail.exactly(share) for share in shares.tolist()]
        tails = []
        for number, goal, share in zip(numbers, goals.tolist(), shares.tolist(), strict=True):
            times = np.bincount(named[:, :number].ravel(), minlength=len(self.labels))
            bound = bound_of_sum(float(goal), float(self.sizes.counts[group] @ times) / len(truth))
            shown = Tail.permuted(share, drawn, PERMUTED)
            tails.append(Tail.between(0.0, bound, BOUNDED) if bound < share else shown)
        return tails

    def why_undefined(self, measure: ClassMeasure, missing: BoolArray) -> Any:
        """Say nothing: every sample is right or wrong."""
        return [f"{measure.label} has no value here"] * int(missing.sum())


def _agreement(truth: IntArray, named: IntArray, classes: int) -> FloatArray:
    """Return what each sample adds to how often its class is named, beyond what shares explain."""
    of_truth = np.bincount(truth, minlength=classes) / len(truth)
    of_named = np.bincount(named.ravel(), minlength=classes) / len(named)
    hit, expected = (named == truth[:, None]).any(axis=1), of_truth[named].sum(axis=1)
    return np.asarray(hit - of_named[truth] - expected + of_truth @ of_named)


def _as_often(
    orders: Iterable[IntArray], named: IntArray, first: Sequence[int], goals: IntArray, *, every: bool
) -> tuple[FloatArray, int]:
    """Return (b + 1)/(B + 1) of labels in random order that are among the first classes as often, and B."""
    reached, drawn = np.zeros(len(goals), dtype=np.int64), 0
    for part in orders:
        hits = np.cumsum((part[:, :, None] == named).sum(axis=1), axis=1)
        reached += (hits[:, np.array(first) - 1] >= goals).sum(axis=0)
        drawn += len(part)
        if not every and (reached >= ENOUGH).all():
            break
    return np.asarray((reached + 1) / (drawn + 1)), drawn
