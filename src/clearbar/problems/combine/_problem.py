"""Counts of folds as a problem: one score per model, its bar, and p-values of that same score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.calls import Calls
from clearbar.core.counts import Counts
from clearbar.problems._faultless import Faultless
from clearbar.problems._folded import Folded
from clearbar.problems._protocol import Bar, Tail
from clearbar.problems._resampled_t import Mean
from clearbar.problems._tested import Test
from clearbar.problems.binary import Labels
from clearbar.problems.combine._faultless import adds_up, faultless_counts
from clearbar.problems.combine._folds import Folds
from clearbar.problems.combine._undefined import folds_in_words
from clearbar.problems.combine.ways import POOLED, Way
from clearbar.problems.reasons import NoValue
from clearbar.problems.validation import UNKNOWN, Validation

ONE_CLASS_EACH = "p_value_blind is not known: no fold holds both classes, so that labels cannot trade places"


@dataclass(frozen=True)
class FoldLabels(Folded):
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

    by_model: ClassVar[tuple[str, ...]] = ("models", "counts")

    @property
    def fold_counts(self) -> Counts:
        """What happened in each fold."""
        return self.counts

    def in_each_fold(self, measures: Sequence[Measure]) -> FloatArray:
        """Return the scores of the folds, of shape (models, folds, measures)."""
        return np.stack([np.asarray(measure(self.counts), dtype=np.float64) for measure in measures], axis=-1)

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

    def one(self, model: int, group: int) -> FoldLabels:
        """Return the folds of one model."""
        own: FoldLabels = super().one(model, group)  # type: ignore[assignment]
        return replace(own, calls=None)

    def in_folds(self, measure: Measure) -> FloatArray | None:
        """Return the scores of one model in the folds, where their spread tells of the combined one."""
        return self.way.in_folds(measure, self.counts[0], self.undefined)

    def without_spread(self, measure: Measure, mean: Mean) -> Test | None:
        """Return failures that may be unseen where nothing failed; else pooled counts that score the same."""
        faultless = self._faultless(measure, mean.value)
        if faultless is not None or self.validation.overlaps:
            return faultless
        same = adds_up(self.way, measure, self.counts[0], self.undefined)
        return AsPooled(replace(self, way=POOLED), measure, mean.value) if same else None

    def intervals(self, measures: Sequence[Measure], level: float) -> list[tuple[float, float]]:
        """Return those of pooled counts one by one, whose ends are then found more exactly than together."""
        if self.as_one_test_set:
            return self.pooled.intervals(measures, level)
        return super().intervals(measures, level)

    def _faultless(self, measure: Measure, score: float) -> Faultless | None:
        counts, seen_once = self.counts[0], self.validation.seen_once
        return faultless_counts(self.way, measure, counts, self.undefined, score, seen_once)

    @property
    def pooled(self) -> Labels:
        """The counts of all folds added up."""
        pooled = self.counts.sum(axis=-1)
        tp, fp, fn, tn = (np.asarray(cell)[:, None] for cell in pooled.cells)
        counts = Counts(tp=tp, fp=fp, fn=fn, tn=tn)
        return Labels(self.models, (None,), counts, self.undefined, self.calls, seed=self.seed)

    def chance(self, measures: Sequence[Measure], scores: FloatArray) -> Tail:
        """Return how likely draws with as many predicted positives in each fold score as well."""
        of_class, total = _numbers(self.counts.positives)[0], _numbers(self.counts.total)[0]
        if ((of_class == 0) | (of_class == total)).all():
            return Tail.unknown(scores.shape, ONE_CLASS_EACH)
        draws = _numbers(self.counts.predicted_positives)
        work = len(self.models) * int(total.sum())
        steps = tracked(list(enumerate(measures)), work * len(measures), lambda _: work, "samples")
        cells = (
            ((model, 0, at), self.way.chance(self._of(measure), draws[model], float(scores[model, 0, at])))
            for at, measure in steps
            if measure.greater_is_better is not None
            for model in np.flatnonzero(~np.isnan(scores[:, 0, at])).tolist()
        )
        return Tail.gathered(scores.shape, cells)

    def why_undefined(self, measure: Measure, missing: BoolArray) -> Any:
        """Name the folds in which there is no value, and what is missing there."""
        models = np.flatnonzero(missing[:, 0]).tolist()
        return [self._why_undefined(measure, self.counts[model]) for model in models]

    def _why_undefined(self, measure: Measure, counts: Counts) -> NoValue:
        if self.way.pools:
            return NoValue(measure.label, measure.domain.violated(counts.sum().cells))
        lacking = self.way.lacking(measure, counts, self.undefined)
        where = folds_in_words(self.folds, lacking, all_of_them="any fold")
        hint = "; pooled counts have one (aggregate='pooled')"
        lost = self.way.leaves_out or np.isnan(POOLED.score(measure, counts, self.undefined))
        return NoValue(measure.label, where=f"in {where}{'' if lost else hint}", in_folds=True)


class _Bar(NamedTuple):
    """A bar as tests read it."""

    value: FloatArray


@dataclass(frozen=True)
class AsPooled:
    """The test of one model's mean over folds, which is always the score of its pooled counts as well."""

    folds: FoldLabels
    measure: Measure
    score: float

    def tail(self, bar: float) -> Tail:
        """Return the test of these counts."""
        bars: Any = [_Bar(np.full(1, bar))]
        tail = self.folds.at_the_bar([self.measure], bars, np.full((1, 1, 1), self.score))
        return Tail(*(part.item() for part in tail.over((1, 1, 1))))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:  # noqa: ARG002
        """Return their interval."""
        return self.folds.intervals([self.measure], level)[0]


def _numbers(margin: Any) -> IntArray:
    return np.asarray(margin, dtype=np.int64)
