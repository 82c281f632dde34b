"""Counts of folds as a problem: one score per model, its bar, and p-values of that same score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.calls import Calls
from clearbar.core.counts import Counts
from clearbar.problems._faultless import Faultless
from clearbar.problems._protocol import Bar, Problem, Tail
from clearbar.problems._resampled_t import Mean, mean_of_folds, t_interval, tail_at_the_bar
from clearbar.problems.binary import Labels
from clearbar.problems.combine._faultless import adds_up, faultless_counts
from clearbar.problems.combine._folds import Folds
from clearbar.problems.combine._undefined import folds_in_words
from clearbar.problems.combine.ways import POOLED, Way
from clearbar.problems.paired import Paired, paired_folds
from clearbar.problems.reasons import NoValue
from clearbar.problems.validation import UNKNOWN, Validation

ONE_CLASS_EACH = "p_value_blind is not known: no fold holds both classes, so that labels cannot trade places"
AS_ONE_TEST_SET = "p_value takes the pooled counts for one test set, which is approximate"


@dataclass(frozen=True)
class FoldLabels(Problem):
    """Counts of shape (models, folds), judged by one score that combines the folds."""

    models: tuple[str, ...]
    counts: Counts
    folds: tuple[Any, ...]
    way: Way
    undefined: Undefined
    groups: tuple[Any, ...] = (None,)
    validation: Validation = UNKNOWN
    calls: Calls | None = None  # which models call the same samples positive, where that is known
    seed: int = field(default=0, kw_only=True)

    def bars(self, measures: Sequence[Measure]) -> tuple[Bar, ...]:
        """Return the bar of the same combination, over the one group of all samples."""
        return tuple(self._bar(self._of(measure)) for measure in measures)

    def _bar(self, folds: Folds) -> Bar:
        if folds.measure.greater_is_better is None and not self.way.pools:
            reason = f"{folds.measure.label} has no better end, so nothing can clear it"
            return folds.no_bar(self.way.words, reason)
        return self.way.bar(folds)

    def _of(self, measure: Measure) -> Folds:
        """Return a measure on these folds, whose class sizes all models share."""
        total, positives = (_numbers(part)[0] for part in (self.counts.total, self.counts.positives))
        return Folds(measure, total, positives, self.undefined, self.folds)

    def scores(self, measures: Sequence[Measure]) -> FloatArray:
        """Return the combined scores."""
        scores = [self.way.score(measure, self.counts, self.undefined) for measure in measures]
        return np.stack(scores, axis=-1)[:, None]

    def at_the_bar(self, measures: Sequence[Measure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test of pooled counts as one test set, or of a mean over folds."""
        if self._as_one_test_set:
            tail = self._pooled.at_the_bar(measures, bars, scores)
            return tail._replace(note=np.where(np.isnan(tail.upper), tail.note, AS_ONE_TEST_SET))
        p_values = np.full(scores.shape, np.nan)
        notes = np.full(scores.shape, self.way.untested, dtype=object)
        for model, _, at in np.argwhere(~np.isnan(scores)).tolist():
            values = self.way.in_folds(measures[at], self.counts[model], self.undefined)
            if values is not None:
                bar = np.asarray(bars[at].value).item()
                mean = self._mean(values, float(scores[model, 0, at]))
                alike = self.one(model, 0).without_spread(measures[at], mean)
                if isinstance(alike, FoldLabels):
                    one = alike.at_the_bar([measures[at]], [bars[at]], scores[model : model + 1, :, [at]])
                    tail = Tail(*(np.asarray(part).item() for part in one))
                else:
                    tail = tail_at_the_bar(mean, bar) if alike is None else alike.tail(bar)
                p_values[model, 0, at], notes[model, 0, at] = tail.upper, tail.note
        return Tail(p_values, p_values, notes)

    def within_interval(
        self, measures: Sequence[Measure], bars: Sequence[Bar], p_sure: FloatArray, level: float
    ) -> FloatArray:
        """Return those of pooled counts as one test set."""
        own: Any = self._pooled if self._as_one_test_set else super()
        larger: FloatArray = own.within_interval(measures, bars, p_sure, level)
        return larger

    def one(self, model: int, group: int) -> FoldLabels:  # noqa: ARG002 - one group
        """Return the folds of one model."""
        part = slice(model, model + 1)
        return replace(self, models=self.models[part], counts=self.counts[part], calls=None)

    def interval(self, measure: Measure, level: float) -> tuple[float, float]:
        """Return the interval that belongs to that test."""
        if self._as_one_test_set:
            return self._pooled.interval(measure, level)
        values = self.way.in_folds(measure, self.counts[0], self.undefined)
        if values is None:
            return np.nan, np.nan
        mean = self._mean(values, float(self.way.score(measure, self.counts, self.undefined)[0]))
        alike = self.without_spread(measure, mean)
        if isinstance(alike, FoldLabels):
            return alike.interval(measure, level)
        return (
            t_interval(mean, level, measure.bounds)
            if alike is None
            else alike.interval(level, measure.bounds)
        )

    def without_spread(self, measure: Measure, mean: Mean | None) -> Faultless | FoldLabels | None:
        """Return what tells how surely one model's mean is known; None where folds do not score the same.

        Where nothing failed, failures that were not seen; else the pooled counts, if these always score it.
        """
        if mean is None or mean.error > 0:
            return None
        faultless = self._faultless(measure, mean.value)
        if faultless is not None or self.validation.overlaps:
            return faultless
        same = adds_up(self.way, measure, self.counts[0], self.undefined)
        return replace(self, way=POOLED) if same else None

    def _faultless(self, measure: Measure, score: float) -> Faultless | None:
        counts, seen_once = self.counts[0], self.validation.seen_once
        return faultless_counts(self.way, measure, counts, self.undefined, score, seen_once)

    def paired(self, measure: Measure, a: int, b: int) -> Paired:
        """Return two models' pooled labels, sample by sample; or their scores on each fold."""
        if self._as_one_test_set:
            return self._pooled.paired(measure, a, b)
        scores = self.way.score(measure, self.counts, self.undefined)
        values = [self.way.in_folds(measure, self.counts[model], self.undefined) for model in (a, b)]
        own = float(scores[a]), float(scores[b])
        return paired_folds(own, values, self.validation.ratio, measure.bounds, self.way.untested)

    @property
    def _as_one_test_set(self) -> bool:
        """Whether pooled counts are those of so many samples, none of them tested twice."""
        return self.way.pools and not self.validation.overlaps

    @property
    def _pooled(self) -> Labels:
        pooled = self.counts.sum(axis=-1)
        tp, fp, fn, tn = (np.asarray(cell)[:, None] for cell in pooled.cells)
        counts = Counts(tp=tp, fp=fp, fn=fn, tn=tn)
        return Labels(self.models, (None,), counts, self.undefined, self.calls, seed=self.seed)

    def _mean(self, values: FloatArray, score: float) -> Mean | None:
        """Return the combined score with the error of the mean over folds."""
        mean = mean_of_folds(values, self.validation.ratio)
        return None if mean is None else mean._replace(value=score)

    def blind(self, measures: Sequence[Measure], scores: FloatArray) -> Tail:
        """Return how likely draws with as many predicted positives in each fold score as well."""
        known = self.validation.blind(scores.shape)
        if known is not None:
            return known
        of_class, total = _numbers(self.counts.positives)[0], _numbers(self.counts.total)[0]
        if ((of_class == 0) | (of_class == total)).all():
            return Tail.unknown(scores.shape, ONE_CLASS_EACH)
        draws = _numbers(self.counts.predicted_positives)
        upper, lower = np.full(scores.shape, np.nan), np.full(scores.shape, np.nan)
        work = len(self.models) * int(np.asarray(self.counts.total)[0].sum())
        steps = tracked(list(enumerate(measures)), work * len(measures), lambda _: work, "samples")
        for at, measure in steps:
            if measure.greater_is_better is None:
                continue
            folds = self._of(measure)
            for model in np.flatnonzero(~np.isnan(scores[:, 0, at])):
                tail = self.way.chance(folds, draws[model], float(scores[model, 0, at]))
                upper[model, 0, at], lower[model, 0, at] = tail.upper, tail.lower
        return Tail(upper, lower, np.broadcast_to("", upper.shape))

    def why_undefined(self, measure: Measure, missing: BoolArray) -> Any:
        """Name the folds in which there is no value, and what is missing there."""
        return [
            self._why_undefined(measure, self.counts[int(model)]) for model in np.flatnonzero(missing[:, 0])
        ]

    def _why_undefined(self, measure: Measure, counts: Counts) -> NoValue:
        if self.way.pools:
            return NoValue(measure.label, measure.domain.violated(counts.sum().cells))
        lacking = self.way.lacking(measure, counts, self.undefined)
        where = folds_in_words(self.folds, lacking, all_of_them="any fold")
        hint = "; pooled counts have one (aggregate='pooled')"
        lost = self.way.leaves_out or np.isnan(POOLED.score(measure, counts, self.undefined))
        return NoValue(measure.label, where=f"in {where}{'' if lost else hint}", in_folds=True)


def _numbers(margin: Any) -> IntArray:
    return np.asarray(margin, dtype=np.int64)
