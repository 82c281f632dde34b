"""Folds of labels of two classes."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Calls, Counts, counts_of
from clearbar.core.errors import listed
from clearbar.core.reasons import SHORTLY, NoValue, Reason, no_better_end
from clearbar.inference import Tail
from clearbar.inference.bootstrap import Test, tolerance
from clearbar.inference.permutation import products
from clearbar.inference.units import number_of_draws
from clearbar.problems.bars import NOTHING_TO_DO
from clearbar.problems.binary import Labels
from clearbar.problems.folds.bars import Folds, filled, named, ratios
from clearbar.problems.folds.problem import MOST_FAILURES, Folded, UnseenInFolds
from clearbar.problems.folds.sums import LEFT_OUT, drawn_outcomes, every_outcome
from clearbar.problems.folds.ways import POOLED


@dataclass(frozen=True, eq=False)
class FoldLabels(Folded):
    """Counts of shape (models, folds); with clusters the tests as well, fold after fold."""

    counts: Counts
    undefined: Undefined
    calls: Calls | None = None  # which models call the same samples positive, where that is known
    truth: Any = field(default=None, kw_only=True)
    predicted: Any = field(default=None, kw_only=True)

    by_model: ClassVar[tuple[str, ...]] = ("models", "counts")

    @property
    def fold_counts(self) -> Counts:
        return self.counts

    @property
    def truth_of_tests(self) -> BoolArray:
        return np.asarray(self.truth)

    @property
    def total(self) -> IntArray:
        total: IntArray = np.asarray(self.counts.total, dtype=np.int64)[0]
        return total

    @property
    def pooled(self) -> Labels:
        pooled = self.counts.sum(axis=-1)
        counts = counts_of(np.asarray(cell)[:, None] for cell in pooled.cells).called(pooled.labels)
        facts: Any = self.models, self.groups, counts, self.undefined
        samples: Any = {"calls": self.calls}
        if self.clusters is not None:
            predicted = self.predicted[:, None]
            samples = {"truth": self.truth, "predicted": predicted, "clusters": self.clusters}
        return Labels(*facts, **samples, seed=self.seed, finest=self.finest)

    def on_folds(self, measure: Measure) -> Folds:
        positives = np.asarray(self.counts.positives, dtype=np.int64)[0]
        weights = self.way.weights_of(self.total)
        folds: Any = (measure, self.total, positives, self.undefined, self.folds, self.way.words, weights)
        return Folds(*folds, labels=self.counts.labels)

    def bars(self, measures: Sequence[Measure]) -> tuple[Any, ...]:
        if self.way.pools:
            return super().bars(measures)
        return tuple(
            self.on_folds(measure).no_bar(no_better_end(measure.label))
            if measure.greater_is_better is None
            else super(FoldLabels, self).bars([measure])[0]
            for measure in measures
        )

    def in_each_fold(self, measures: Sequence[Measure]) -> FloatArray:
        return np.stack([np.asarray(measure(self.counts), dtype=np.float64) for measure in measures], axis=-1)

    def scores(self, measures: Sequence[Measure]) -> FloatArray:
        return np.stack([self.combined(measure, self.counts) for measure in measures], axis=-1)[:, None]

    def combined(self, measure: Measure, counts: Counts) -> FloatArray:
        """Return the combined scores of counts of shape (..., folds)."""
        if self.way.pools:
            pooled = counts.sum(axis=-1)
            return filled(
                measure, np.asarray(measure(pooled), dtype=np.float64), pooled.total, self.undefined
            )
        parts = self.way.parts(measure, counts, self.undefined)
        return self.way.joined(measure, self.way.mean(parts, self.total))

    def in_folds(self, measure: Measure, model: int) -> FloatArray:
        if self.way.pools:  # the pooled score has about the error of their mean
            return super().in_folds(measure, model)
        return self.way.in_folds(measure, self.way.parts(measure, self.counts[model], self.undefined))

    def without_spread(self, measure: Measure, model: int, score: float) -> Test | None:
        """Return failures that may be unseen where nothing failed; else pooled counts that score the same."""
        if self.way.pools:
            return None
        counts = self.counts[model]
        both = np.stack([np.asarray(counts.positives), np.asarray(counts.negatives)], axis=-1)
        sizes, times = np.unique(both.astype(np.int64), axis=0, return_counts=True)
        parts = self._with_failures(measure, sizes)
        if self.clusters is None and not (np.any(counts.fp) or np.any(counts.fn)):
            better = bool(measure.greater_is_better)
            worst = 0.0 if len(parts) > 1 else measure.bounds[0 if better else 1]
            if math.isfinite(worst):
                joined = functools.partial(self.way.joined, measure)
                facts = score, sizes, times.astype(np.float64), parts, worst, joined, better
                return UnseenInFolds(*facts, self.validation.seen_once)
        if self.validation.overlaps or parts.shape[:2] != (1, 1):
            return None
        # Where folds are of one size and every failure costs the same, as with accuracy, a mean over folds is
        # the score of their pooled counts, whichever samples fail.
        costs = np.diff(parts[0, 0], axis=0), np.diff(parts[0, 0], axis=1)
        if not all(bool(np.ptp(cost) <= 1e-12) for cost in costs if cost.size):
            return None
        pooled: Any = replace(self, way=POOLED).one(model, 0)
        return _AsPooled(pooled, measure, score)

    def _with_failures(self, measure: Measure, sizes: IntArray) -> FloatArray:
        """Return what folds add with so many positives and negatives that fail: (parts, folds, i, j)."""
        failures = np.arange(min(MOST_FAILURES, int(sizes.max())) + 1)
        shape = len(sizes), len(failures), len(failures)
        p, n = (sizes[:, column, None, None] for column in (0, 1))
        fn, fp = np.minimum(failures[:, None], p), np.minimum(failures, n)
        tables = counts_of(np.broadcast_to(cell, shape).ravel() for cell in (p - fn, fp, fn, n - fp))
        return self.way.parts(measure, tables, self.undefined).reshape(-1, *shape)

    def exact_chances(
        self, measures: Sequence[Measure], scores: FloatArray, model: int, group: int
    ) -> list[Tail | None]:
        """Return how likely labels in random order within folds score as well."""
        if self.clusters is not None:
            return [None] * len(measures)
        positives = np.asarray(self.counts.positives)[0]
        if ((positives == 0) | (positives == self.total)).all():
            return [Tail(math.nan, math.nan, Reason("one_class_each"))] * len(measures)
        return list(self.chances(measures, scores, model))

    def chances(self, measures: Sequence[Measure], scores: FloatArray, model: int) -> list[Tail]:
        """Return how likely draws with as many predicted positives in each fold score as well."""
        # Pooled counts have an exact test, whatever their size; of what is averaged all outcomes are looked
        # at where they are few, else some are drawn.
        counts = self.counts[model]
        cells = counts.total, counts.positives, counts.predicted_positives
        total, positives, draws = (np.asarray(cell, dtype=np.int64) for cell in cells)
        number, blocks = 0, every_outcome(total, positives, draws, pooled=self.way.pools)
        if self.way.pools:
            total, positives, draws = (sizes.sum(keepdims=True) for sizes in (total, positives, draws))
        if blocks is None:
            if int(total.max()) >= MOST_DRAWN:
                return [Tail(math.nan, math.nan)] * len(measures)
            number = number_of_draws(len(total), finest=self.finest)
            blocks = drawn_outcomes(total, positives, draws, number, seed=self.seed)
        reached = np.zeros(len(measures))
        for tp, chance in blocks:
            tables = counts_of((tp, draws - tp, positives - tp, total - positives - draws + tp))
            for place, measure in enumerate(measures):
                if not math.isnan(scores[place]):
                    values = self.combined(measure, tables)
                    if self.way.pools:  # an infinite one, such as of odds, is better than any other
                        raw = measure.values(*tables.cells)[:, 0]
                        values = np.where(np.isinf(raw) & np.isnan(values), raw, values)
                    above = values - scores[place]
                    above = -above if measure.greater_is_better is False else above
                    reached[place] += float(chance @ (above >= -tolerance(scores[place])))
        note = Reason.of("permutations", draws=number, what="the labels within folds")
        return [
            Tail(math.nan, math.nan)
            if math.isnan(score) or measure.greater_is_better is None
            else Tail.permuted((share + 1) / (number + 1), number, note)
            if number
            else Tail.exactly(share or LEFT_OUT * len(self.total))
            for measure, score, share in zip(measures, scores.tolist(), reached.tolist(), strict=True)
        ]

    def relabelled(self, measures: Sequence[Measure], labels: BoolArray, model: int) -> FloatArray:
        predicted, starts = self.predicted[model], np.cumsum(self.total) - self.total
        positives, tp = (
            np.add.reduceat(flags, starts, axis=1, dtype=np.int64) for flags in (labels, labels & predicted)
        )
        fp, fn = np.add.reduceat(predicted, starts, dtype=np.int64) - tp, positives - tp
        counts = counts_of((tp, fp, fn, self.total - tp - fp - fn))
        return np.stack([self.combined(measure, counts) for measure in measures])

    def agreement(self, model: int) -> FloatArray:
        return products(self.truth, self.predicted[model])

    def one(self, model: int, group: int) -> FoldLabels:
        of_model: Any = super().one(model, group)
        predicted = None if self.predicted is None else self.predicted[model : model + 1]
        return replace(of_model, calls=None, predicted=predicted)  # type: ignore[no-any-return]

    def why_undefined(self, measure: Measure, missing: BoolArray) -> Any:
        """Name the folds in which there is no value, and what is missing there."""
        models = np.flatnonzero(missing[:, 0]).tolist()
        return [self._why_undefined(measure, model) for model in models]

    def _why_undefined(self, measure: Measure, model: int) -> NoValue:
        counts = self.counts[model]
        if self.way.pools:
            return NoValue(measure.label, measure.domain.violated(counts.sum().cells), classes=counts.labels)
        if self.way.pairs:
            policy = self.way.policy(measure, self.undefined)
            fill = math.nan if policy == "exclude" else 0.0
            gone = np.isnan(ratios(counts.tp, counts.predicted_positives, counts.positives, fill))
            texts = np.array(["k > 0", "P > 0"])
            lacking = [tuple(texts[column].tolist()) for column in gone.T]
        else:
            lacking = violated(measure, counts)
        where = folds_in_words(self.folds, lacking, all_of_them="any fold")
        pooled = replace(self, way=POOLED).combined(measure, counts)
        hint = (
            "" if self.way.leaves_out or np.isnan(pooled) else "; pooled counts have one (aggregate='pooled')"
        )
        return NoValue(measure.label, where=f"in {where}{hint}", in_folds=True)


@dataclass(frozen=True)
class _AsPooled:
    """The test of one model's mean over folds, which is always the score of its pooled counts as well."""

    folds: FoldLabels
    measure: Measure
    score: float

    def tail(self, bar: float) -> Tail:
        bars = [self.folds.on_folds(self.measure).bar(bar, bar, bar, NOTHING_TO_DO)]
        tail = self.folds.at_the_bar([self.measure], bars, np.full((1, 1, 1), self.score))
        return Tail(*(values.item() for values in tail.over((1, 1, 1))))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        return self.folds.intervals([self.measure], level)[0]


MOST_DRAWN = 1_000_000_000  # samples of a fold from which on NumPy draws no hypergeometric numbers

# Conditions that hold wherever one of these does: they need not be told as well.
IMPLIED = {"P + k > 0": {"P > 0", "k > 0"}, "N + (M - k) > 0": {"N > 0", "k < M"}}


def violated(measure: Measure, counts: Counts) -> list[tuple[str, ...]]:
    """Return for each fold the conditions of a measure that fail there; none where it has a value."""
    fails = {condition.text: ~condition.holds(counts.cells) for condition in measure.admissible.conjuncts}
    for text, parts in IMPLIED.items():
        if text in fails and fails.keys() & parts:
            fails.pop(text)
    missing = np.isnan(np.asarray(measure(counts)))
    texts = [tuple(text for text, where in fails.items() if where[fold]) for fold in range(counts.shape[0])]
    return [
        failing or (("another table",) if lost else ())
        for failing, lost in zip(texts, missing.tolist(), strict=True)
    ]


def folds_in_words(
    names: Sequence[Any], lacking: Sequence[tuple[str, ...]], all_of_them: str = "every fold"
) -> str:
    """Name the folds in which conditions fail, those together in which the same do."""
    # Such as ``fold 2 (nothing predicted positive)``; empty where none fails.
    words = [
        f"{named(names, [in_fold == texts for in_fold in lacking], all_of_them)} "
        f"({', '.join(SHORTLY.get(text, f'needs {text}') for text in texts)})"
        for texts in dict.fromkeys(lacking)
        if texts
    ]
    return listed(words)
