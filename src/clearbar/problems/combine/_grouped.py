"""Folds whose samples belong together: whole groups are resampled, and their labels permuted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import counts_of
from clearbar.inference.permutation import agreement, products, rank_agreement
from clearbar.problems._protocol import Bar, PairPValues, Problem, Tail
from clearbar.problems._tested import tails_of_permuted
from clearbar.problems.binary import Labels
from clearbar.problems.combine._classes import FoldClasses
from clearbar.problems.combine._problem import FoldLabels
from clearbar.problems.groups import Groups
from clearbar.problems.multiclass import ClassLabels
from clearbar.problems.multiclass.tables import counted
from clearbar.problems.paired import Paired, Unpaired
from clearbar.problems.scores import FoldedScores, Ranking
from clearbar.problems.validation import Validation

TORN = "{} is not known where groups lie on both sides of a split"


@dataclass(frozen=True, eq=False)
class Together:
    """The group of each test, fold after fold, and whether a split has one on both sides."""

    codes: IntArray
    torn: bool

    @cached_property
    def groups(self) -> Groups:
        """The groups."""
        return Groups.of(self.codes)

    @property
    def unknown(self) -> str:
        """Why the folds tell nothing: a model may have seen the groups that it is tested on."""
        few = self.groups.too_few
        return TORN.format("p_value") if self.torn else f"p_value is not known: {few}" if few else ""

    def blind(
        self,
        truth: Any,
        measures: Sequence[Any],
        scores: FloatArray,
        scores_of: Callable[[Any, Sequence[Any]], FloatArray],
        seed: int,
    ) -> Tail:
        """Return how well the labels of whole groups do where they trade places, whatever their folds.

        ``scores_of`` gives scores of shape (permutations, models, measures) for permuted labels.
        """
        groups = self.groups
        if self.torn:
            return Tail.unknown(scores.shape, TORN.format("p_value_blind"))
        why = groups.stuck(truth)
        if why:
            return Tail.unknown(scores.shape, f"p_value_blind is not known: {why}")
        permuted = groups.rearranged(truth, np.random.default_rng(seed))
        every = groups.counts_out(truth)
        values = np.concatenate([scores_of(labels, measures) for labels in permuted])
        note = f"p_value_blind is from {len(values):,} permutations of the labels of {len(groups):,} groups"
        cells = (
            ((model, 0, at), tail)
            for model in range(len(scores))
            for at, tail in enumerate(
                tails_of_permuted(measures, values[:, model].T, scores[model, 0], note, every=every)
            )
        )
        return Tail.gathered(scores.shape, cells)


class InGroups(Problem):
    """What folds of any kind do where samples belong together: a base that stands before the kind's own."""

    truth: Any
    together: Together
    validation: Validation
    seed: int

    pooled_note = ""

    def _scores_of(self, labels: Any, measures: Sequence[Any]) -> FloatArray:
        """Return scores of shape (permutations, models, measures) of permuted labels."""
        raise NotImplementedError

    def _agreement(self, model: int) -> FloatArray:
        """Return what each test adds to the agreement of labels and a model's answers."""
        raise NotImplementedError

    def paired(self, measure: Any, a: int, b: int) -> Paired:
        """Return two models' answers, group by group; or their scores on folds of whole groups."""
        if not self.together.unknown:
            return super().paired(measure, a, b)
        scores = self.scores([measure])[[a, b], 0, 0].tolist()
        return Unpaired((scores[0], scores[1]), self.together.unknown)

    def pair_p_values(self, measure: Any, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        """Return the p-values of many pairs."""
        if self.together.unknown:
            return PairPValues(np.full(len(a), np.nan))
        return super().pair_p_values(measure, a, b, alpha=alpha)

    def at_the_bar(self, measures: Sequence[Any], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the bootstrap of whole groups of pooled folds, or the test of folds that hold them."""
        if self.together.unknown:
            return Tail.unknown(scores.shape, self.together.unknown)
        return super().at_the_bar(measures, bars, scores)

    def intervals(self, measures: Sequence[Any], level: float) -> list[tuple[float, float]]:
        """Return the intervals that belong to that test."""
        if self.together.unknown:
            return [(np.nan, np.nan)] * len(measures)
        return super().intervals(measures, level)

    def _faultless(self, *_: Any) -> None:  # samples of a group fail together
        return None

    def blind(self, measures: Sequence[Any], scores: FloatArray) -> Tail:
        """Return how well the labels of whole groups do where they trade places."""
        known = self.validation.blind(scores.shape)
        if known is None and self.together.groups.sizes_differ and not self.together.torn:
            tails = [self.together.groups.test(self._agreement(model)) for model in range(len(self.models))]
            return Tail.gathered(
                scores.shape, (((model, 0, slice(None)), tail) for model, tail in enumerate(tails))
            )
        return known or self.together.blind(self.truth, measures, scores, self._scores_of, self.seed)


@dataclass(frozen=True, eq=False)
class GroupedFoldLabels(InGroups, FoldLabels):
    """Beside the counts the tests, fold after fold: labels, predictions of each model, and their groups."""

    truth: BoolArray = field(kw_only=True)
    predicted: BoolArray = field(kw_only=True)
    together: Together = field(kw_only=True)

    by_model = ("models", "counts", "predicted")

    @property
    def pooled(self) -> Labels:
        """The counts added up, and their samples."""
        pooled = super().pooled
        return Labels(
            pooled.models,
            pooled.groups,
            pooled.counts,
            pooled.undefined,
            truth=self.truth,
            predicted=self.predicted[:, None],
            clusters=self.together.codes,
            seed=self.seed,
        )

    def _agreement(self, model: int) -> FloatArray:
        return products(self.truth, self.predicted[model])

    def _scores_of(self, labels: BoolArray, measures: Sequence[Any]) -> FloatArray:
        sizes = np.asarray(self.counts.total)[0]
        starts = np.cumsum(sizes) - sizes
        positives = np.add.reduceat(labels, starts, axis=1, dtype=np.int64)
        scores = np.empty((len(labels), len(self.models), len(measures)))
        for model, predicted in enumerate(self.predicted):
            tp = np.add.reduceat(labels & predicted, starts, axis=1, dtype=np.int64)
            fp, fn = np.add.reduceat(predicted, starts, dtype=np.int64) - tp, positives - tp
            counts = counts_of((tp, fp, fn, sizes - tp - fp - fn))
            for at, measure in enumerate(measures):
                scores[:, model, at] = self.way.score(measure, counts, self.undefined)
        return scores


@dataclass(frozen=True, eq=False)
class GroupedFoldClasses(InGroups, FoldClasses):
    """Beside the matrices the tests, fold after fold: labels, predictions of each model, and their groups."""

    truth: IntArray = field(kw_only=True)
    predicted: tuple[IntArray, ...] = field(kw_only=True)
    together: Together = field(kw_only=True)

    @property
    def pooled(self) -> ClassLabels:
        """The matrices added up, and their samples."""
        sums = super().pooled
        return ClassLabels(
            sums.models,
            sums.groups,
            sums.matrices,
            self.zero_division,
            truth=self.truth,
            predicted=self.predicted,
            rows=(slice(None),),
            clusters=self.together.codes,
            seed=self.seed,
        )

    def _agreement(self, model: int) -> FloatArray:
        return agreement(self.truth, self.predicted[model][None], self.sizes.counts.shape[-1])

    def _scores_of(self, labels: IntArray, measures: Sequence[Any]) -> FloatArray:
        """Return scores of shape (permutations, models, measures) of permuted labels."""
        rows, (folds, classes) = len(labels), self.sizes.counts.shape
        fold = np.repeat(np.arange(folds), self.sizes.total)
        places = (np.arange(rows)[:, None] * folds + fold) * classes + labels
        sizes = np.bincount(places.ravel(), minlength=rows * folds * classes).reshape(rows, folds, classes)
        scores = np.empty((rows, len(self.predicted), len(measures)))
        for model, called in enumerate(self.predicted):
            order = np.lexsort((called, fold))
            numbers = np.bincount(fold * classes + called, minlength=folds * classes)
            tables = counted(labels[:, order], called[order], sizes, numbers.reshape(folds, classes))
            for at, measure in enumerate(measures):
                scores[:, model, at] = self.way.scores(measure, tables, self.zero_division)
        return scores


@dataclass(frozen=True, eq=False)
class GroupedFoldedScores(InGroups, FoldedScores):
    """Scores across folds, and the groups of their samples."""

    together: Together = field(kw_only=True)

    def _agreement(self, model: int) -> FloatArray:
        added = np.zeros(len(self.truth))
        for fold in self.folds:  # scores of different folds need not be comparable
            added[fold] = rank_agreement(self.truth[fold], self.own[model][fold])
        return added

    def _scores_of(self, labels: BoolArray, measures: Sequence[Any]) -> FloatArray:
        parts = self.way.parts(self.folds)
        scores = np.empty((len(labels), len(self.models), len(measures)))
        for model, own in enumerate(self.own):
            values = np.stack([_of_fold(labels, self.truth, own, part, measures) for part in parts])
            defined = ~np.isnan(values)
            total = np.where(defined, values, 0.0).sum(axis=0)
            scores[:, model] = np.divide(
                total, defined.sum(axis=0), out=np.full(total.shape, np.nan), where=defined.any(axis=0)
            )
        return scores


def _of_fold(
    labels: BoolArray, truth: BoolArray, own: FloatArray, rows: IntArray, measures: Sequence[Any]
) -> FloatArray:
    """Evaluate the scores of one fold on other labels: shape (permutations, measures)."""
    ranking = Ranking.of(truth[rows], own[rows])
    order = rows[np.argsort(-own[rows], kind="stable")]
    starts = np.cumsum(ranking.sizes) - ranking.sizes
    dealt = np.add.reduceat(labels[:, order], starts, axis=1, dtype=np.int64)
    hits = dealt.sum(axis=1)
    values = np.empty((len(labels), len(measures)))
    for number in np.unique(hits):  # a ranking takes one number of positives for all its arrangements
        same = hits == number
        arrangements = ranking.with_positives(dealt[same])
        values[same] = np.stack([measure.value(arrangements) for measure in measures], axis=-1)
    return values
