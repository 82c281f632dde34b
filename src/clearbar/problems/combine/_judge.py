"""Folds judged: one score per model, its bar, and p-values of that same score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, Undefined
from clearbar.core.counts import Counts, counts_of
from clearbar.core.errors import listed
from clearbar.problems._protocol import Bar, Problem, Tail
from clearbar.problems._resampled_t import Mean, mean_of_folds, t_interval, tail_at_the_bar
from clearbar.problems.binary import Labels, baseline
from clearbar.problems.combine._bar import FoldBar
from clearbar.problems.combine._bars import one_bar
from clearbar.problems.combine._p_values import Folds
from clearbar.problems.combine._ways import (
    Aggregate,
    averaged,
    averages,
    by_pair,
    combine,
    margins_of,
    named,
    policy_in_folds,
    precision_and_recall,
    skips,
)
from clearbar.problems.validation import UNKNOWN, Validation

AS_ONE_TEST_SET = "p_value takes the pooled counts for one test set, which is approximate"
OF_PAIRS = "p_value is not known where precision and recall are averaged"

IMPLIED = {"P + k > 0": {"P > 0", "k > 0"}, "N + (M - k) > 0": {"N > 0", "k < M"}}
"""Conditions that hold wherever one of these does: they need not be told as well."""


@dataclass(frozen=True)
class Way:
    """How folds are combined, what undefined outcomes count, and whether a pooled bar knows the folds."""

    aggregate: Aggregate
    undefined: Undefined
    fold_aware: bool


@dataclass(frozen=True)
class FoldLabels(Problem):
    """Counts of shape (models, folds), judged by one score that combines the folds."""

    models: tuple[str, ...]
    counts: Counts
    folds: tuple[Any, ...]
    way: Way
    groups: tuple[Any, ...] = (None,)
    validation: Validation = UNKNOWN

    def bars(self, measures: Sequence[Measure]) -> tuple[Bar, ...]:
        """Return the bar of the same combination, over the one group of all samples."""
        return tuple(self._bar(measure) for measure in measures)

    def _bar(self, measure: Measure) -> Bar:
        way = self.way
        pooled = self.counts[0].sum(axis=-1)
        population = counts_of(np.array([cell]) for cell in pooled.cells).population
        if way.aggregate == "pooled" and not way.fold_aware:
            return baseline(population, measure, undefined=way.undefined)
        m, p, _ = margins_of(self.counts)
        bar = one_bar(
            measure,
            m[0],
            p[0],
            way.aggregate,
            way.undefined,
            fold_aware=way.fold_aware,
            names=self.folds,
        )
        return FoldBar(measure, population, way.aggregate, (bar,))

    def scores(self, measures: Sequence[Measure]) -> FloatArray:
        """Return the combined scores."""
        way = self.way
        scores = [combine(one, self.counts, way.aggregate, way.undefined).score for one in measures]
        return np.stack(scores, axis=-1)[:, None]

    def at_the_bar(self, measures: Sequence[Measure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test of pooled counts as one test set, or of a mean over folds."""
        if self._as_one_test_set:
            tail = self._pooled.at_the_bar(measures, bars, scores)
            return tail._replace(note=np.where(np.isnan(tail.upper), tail.note, AS_ONE_TEST_SET))
        p_values, notes = np.full(scores.shape, np.nan), np.full(scores.shape, OF_PAIRS, dtype=object)
        if not by_pair(self.way.aggregate):
            for model, _, at in np.argwhere(~np.isnan(scores)):
                bar = float(np.asarray(bars[at].value)[0])
                tail = tail_at_the_bar(self._mean(measures[at], int(model)), bar)
                p_values[model, 0, at], notes[model, 0, at] = tail.upper, tail.note
        return Tail(p_values, p_values, notes)

    def one(self, model: int, group: int) -> FoldLabels:  # noqa: ARG002 - one group
        """Return the folds of one model."""
        part = slice(model, model + 1)
        return replace(self, models=self.models[part], counts=self.counts[part])

    def interval(self, measure: Measure, level: float) -> tuple[float, float]:
        """Return the interval that belongs to that test."""
        if self._as_one_test_set:
            return self._pooled.interval(measure, level)
        return t_interval(self._mean(measure, 0), level, measure.bounds)

    @property
    def _as_one_test_set(self) -> bool:
        """Whether pooled counts are those of so many samples, none of them tested twice."""
        return self.way.aggregate == "pooled" and not self.validation.overlaps

    @property
    def _pooled(self) -> Labels:
        pooled = self.counts.sum(axis=-1)
        tp, fp, fn, tn = (np.asarray(cell)[:, None] for cell in pooled.cells)
        return Labels(self.models, (None,), Counts(tp=tp, fp=fp, fn=fn, tn=tn), self.way.undefined)

    def _mean(self, measure: Measure, model: int) -> Mean | None:
        """Return the mean of a model's scores over folds, as the way of combining takes it.

        Of pooled counts it is their score, with the error of the mean.
        """
        way, counts, ratio = self.way, self.counts[model], self.validation.ratio
        if by_pair(way.aggregate):
            return None
        if averages(way.aggregate):
            return mean_of_folds(averaged(measure, counts, way.aggregate, way.undefined), ratio)
        mean = mean_of_folds(np.asarray(measure(counts), dtype=np.float64), ratio)
        score = float(combine(measure, self.counts[model : model + 1], "pooled", way.undefined).score[0])
        return None if mean is None else mean._replace(value=score)

    def blind(self, measures: Sequence[Measure], scores: FloatArray) -> Tail:
        """Return how likely draws with as many predicted positives in each fold score as well."""
        known = self.validation.blind(scores.shape)
        if known is not None:
            return known
        m, p, k = margins_of(self.counts)
        upper, lower = np.full(scores.shape, np.nan), np.full(scores.shape, np.nan)
        work = len(self.models) * int(m[0].sum())
        steps = tracked(list(enumerate(measures)), work * len(measures), lambda _: work, "samples")
        for at, measure in steps:
            if measure.greater_is_better is None:
                continue
            law = Folds(measure, m[0], p[0], self.way.aggregate, self.way.undefined)
            for model in np.flatnonzero(~np.isnan(scores[:, 0, at])):
                tail = law.matched(k[model], float(scores[model, 0, at]))
                upper[model, 0, at], lower[model, 0, at] = tail.upper, tail.lower
        return Tail(upper, lower, np.broadcast_to("", upper.shape))

    def why_undefined(self, measure: Measure, missing: BoolArray) -> Any:
        """Name the folds in which there is no value, and what is missing there."""
        return [
            _why_undefined(measure, self.counts, self.way, self.folds, int(model))
            for model in np.flatnonzero(missing[:, 0])
        ]


def _why_undefined(measure: Measure, counts: Counts, way: Way, names: Sequence[Any], model: int) -> str:
    """Name the folds in which there is no value, and what is missing there."""
    one = counts[model]
    if way.aggregate == "pooled":
        broken = listed(measure.domain.violated(one.sum().cells)) or "other counts"
        return f"{measure.label} has no value here: it needs {broken}"
    where = undefined_folds(measure, one, names).replace("every fold", "any fold", 1)
    if skips(way.aggregate):
        return f"{measure.label} has no value in {where}"
    if by_pair(way.aggregate):
        policy = policy_in_folds(measure, way.aggregate, way.undefined)
        pair = np.isnan(precision_and_recall(measure, one, policy))
        where = _in_words(names, [_all_of("k > 0", "P > 0", gone) for gone in pair.T])
        where = where.replace("every fold", "any fold", 1)
    pooled = combine(measure, counts[model : model + 1], "pooled", way.undefined).score
    hint = "" if np.isnan(pooled[0]) else "; pooled counts have one (aggregate='pooled')"
    return f"{measure.label} has no value in {where}{hint}"


def _all_of(first: str, second: str, which: Any) -> str:
    return " and ".join(text for text, one in zip((first, second), which, strict=True) if one)


def violated(measure: Measure, counts: Counts) -> list[str]:
    """Return for each fold the conditions of a measure that fail there, as words; empty where none does."""
    fails = {part.text: ~part.holds(counts.cells) for part in measure.admissible.conjuncts}
    for text, parts in IMPLIED.items():
        if text in fails and fails.keys() & parts:
            fails.pop(text)
    texts = np.full(counts.shape, "", dtype=object)
    for text, where in fails.items():
        texts[where] = [f"{before} and {text}" if before else text for before in texts[where]]
    unknown = np.isnan(np.asarray(measure(counts))) & (texts == "")
    texts[unknown] = "another table"
    return [str(text) for text in texts]


LACKING = {
    "P > 0": "no positive samples",
    "N > 0": "no negative samples",
    "k > 0": "nothing predicted positive",
    "k < M": "nothing predicted negative",
    "P + k > 0": "no positive samples, nothing predicted positive",
    "N + (M - k) > 0": "no negative samples, nothing predicted negative",
    "another table": "needs another table",
}
"""What is the matter where a condition fails."""


def undefined_folds(measure: Measure, counts: Counts, names: Sequence[Any], *, valued: bool = True) -> str:
    """Say in which folds which conditions fail.

    Such as ``fold 2 (nothing predicted positive)``; empty where none fails.
    """
    texts = violated(measure, counts)
    if not valued:
        gone = np.isnan(np.asarray(measure(counts)))
        texts = [text if one else "" for text, one in zip(texts, gone, strict=True)]
    return _in_words(names, texts)


def _in_words(names: Sequence[Any], texts: Sequence[str]) -> str:
    """Tell folds by name, those together in which the same conditions fail."""
    array = np.array(texts, dtype=object)
    kinds = [text for text in dict.fromkeys(texts) if text]
    found = [f"{named(names, array == text)} ({_lacking(text)})" for text in kinds]
    return listed(found)


def _lacking(conditions: str) -> str:
    return ", ".join(LACKING.get(text, f"needs {text}") for text in conditions.split(" and "))
