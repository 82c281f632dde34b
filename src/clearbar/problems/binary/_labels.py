"""Binary labels and predictions as a problem: every answer is a function of the counts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.calls import Calls, PairCalls
from clearbar.core.counts import Counts, Population
from clearbar.inference.level_sets import TracedTest
from clearbar.inference.rate_intervals import intervals, may_be_inside, p_of_worse_bars
from clearbar.inference.true_scores import is_ordered
from clearbar.inference.two_rates import methods, p_values
from clearbar.null import hypergeometric as hg
from clearbar.null import reach_probability
from clearbar.problems._protocol import Bar, PairPValues, Problem, Tail
from clearbar.problems.binary._bar_of import baseline
from clearbar.problems.binary._baseline import Baseline
from clearbar.problems.binary._paired import NOT_KNOWN, discord, pair_p_values, paired_labels
from clearbar.problems.binary._policy import fill_value, scoring
from clearbar.problems.binary._swaps import Discord
from clearbar.problems.bootstrap import portions
from clearbar.problems.paired import Paired
from clearbar.problems.reasons import NoValue

TOGETHER = 2**14
"""Tables judged together on all measures: few enough to stay in a processor's cache."""

TRACED = (
    "p_value is from level lines that were traced on a grid, which is approximate and misses a peak between "
    "its points"
)
FILLED = "p_value is not known where the formula has no value and the policy's stands for it"


@dataclass(frozen=True)
class Labels(Problem):
    """Counts of shape (models, groups), or with runs as a last axis, and what undefined outcomes count."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    counts: Counts
    undefined: Undefined = "exclude"
    calls: Calls | PairCalls | None = None  # which models call the same samples positive, where that is known
    seed: int = dataclasses.field(default=0, kw_only=True)

    @property
    def has_runs(self) -> bool:
        """Whether the counts have an axis of runs."""
        return len(self.counts.shape) == 3

    @cached_property
    def population(self) -> Population:
        """The class sizes of each group; all models have the same."""
        return (self.counts[0, :, 0] if self.has_runs else self.counts[0]).population

    def bars(self, measures: Sequence[Measure]) -> tuple[Baseline, ...]:
        """Return for each measure the bars of the groups."""
        return tuple(baseline(self.population, measure, undefined=self.undefined) for measure in measures)

    def pieces(self, measures: int) -> Iterator[tuple[slice, Labels]]:
        """Yield the groups in parts that stay in a processor's cache."""
        per_group = math.prod(self.counts.shape) // self.counts.shape[1]
        parts = hg.pieces(self.counts.shape[1], max(TOGETHER // max(per_group, 1), 1))
        work = per_group * measures
        steps = tracked(
            parts, self.counts.shape[1] * work, lambda part: (part.stop - part.start) * work, "verdicts"
        )
        for part in steps:
            yield part, dataclasses.replace(self, groups=self.groups[part], counts=self.counts[:, part])

    def scores(self, measures: Sequence[Measure]) -> FloatArray:
        """Return the scores, with the policy's value where a formula has none."""
        return np.stack([self._score(measure) for measure in measures], axis=2)

    def _score(self, measure: Measure) -> FloatArray:
        score = np.asarray(measure(self.counts), dtype=np.float64)
        return score if self.undefined == "exclude" else np.where(np.isnan(score), self._fill(measure), score)

    def _fill(self, measure: Measure) -> Any:
        """Return what an outcome without a value counts as, for every run."""
        if self.undefined == "exclude":
            return np.nan
        return fill_value(measure, np.asarray(self.counts.total), self.undefined)

    def one(self, model: int, group: int) -> Labels:
        """Return the counts of one model in one group."""
        models, groups = slice(model, model + 1), slice(group, group + 1)
        return dataclasses.replace(
            self,
            models=self.models[models],
            groups=self.groups[groups],
            counts=self.counts[models, groups],
            calls=None,
        )

    def _discord(self, a: Any, b: Any) -> Discord:
        if self.calls is None:
            raise ValueError(NOT_KNOWN)
        pairs = self.calls if isinstance(self.calls, PairCalls) else self.calls.pairs
        return discord(self.counts, pairs, a, b)

    @property
    def _sizes(self) -> tuple[int, int]:
        """Positive and negative samples of the whole."""
        return int(np.asarray(self.population.positives)[0]), int(np.asarray(self.population.negatives)[0])

    def paired(self, measure: Measure, a: int, b: int) -> Paired:
        """Return two models' labels, sample by sample."""
        return paired_labels(measure, self._discord(a, b), self._sizes, self.undefined, self.seed)

    def permuted(self, measure: Measure) -> FloatArray:
        """Return the scores of all models with labels in random order."""
        if not isinstance(self.calls, Calls):
            raise ValueError(NOT_KNOWN.replace("compare", "best_of"))
        calls = self.calls
        generator = np.random.default_rng(self.seed)
        called = (np.asarray(self.counts.tp) + np.asarray(self.counts.fp))[:, 0]
        scored = scoring(measure, *self._sizes, self.undefined)
        drawn = (calls.permuted(rows, generator) for rows in portions(len(calls.packed)))
        return np.concatenate([scored(tp, called - tp) for tp in drawn])

    def pair_p_values(self, measure: Measure, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        """Return p-values of many pairs together."""
        pairs = self._discord(a, b)
        return pair_p_values(measure, pairs, self._sizes, self.undefined, alpha, self.seed)

    def at_the_bar(self, measures: Sequence[Measure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the exact two-sided test; of measures without an order that of traced lines."""
        tails, notes = np.full(scores.shape, np.nan), np.full(scores.shape, "", dtype=object)
        values = [np.broadcast_to(np.asarray(bar.value), self.counts.shape) for bar in bars]
        ordered = [at for at, measure in enumerate(measures) if is_ordered(measure)]
        method = np.full(scores.shape, "unknown", dtype=object)
        if ordered:
            method[:, :, ordered] = methods(self.counts)[..., None]
            exact = p_values([measures[at] for at in ordered], self.counts, [values[at] for at in ordered])
            tails[:, :, ordered] = np.moveaxis(exact, 0, 2)
        for at, measure in enumerate(measures):
            known = ~np.isnan(scores[:, :, at] + values[at])
            if at not in ordered and measure.greater_is_better is not None:
                for model, group in np.argwhere(known).tolist():
                    test = TracedTest(measure, self.counts[model, group])
                    tails[model, group, at] = test.p_value(float(values[at][model, group]))
                method[known, at], notes[known, at] = "estimated", TRACED
            if self.undefined != "exclude":
                filled = np.isnan(np.asarray(measure(self.counts))) & known
                tails[filled, at], notes[filled, at] = np.nan, FILLED
        return Tail(tails, tails, notes, method)

    def within_interval(
        self, measures: Sequence[Measure], bars: Sequence[Bar], p_sure: FloatArray, level: float
    ) -> FloatArray:
        """Return p of the worse bar that is refuted least, where it is not refuted and the bar is."""
        p_values = np.full(p_sure.shape, np.nan)
        if self.has_runs:
            return p_values
        doubtful = may_be_inside(self.counts, p_sure, level)
        for at, measure in enumerate(measures):
            rows = np.nonzero(doubtful[:, :, at])
            if rows[0].size and is_ordered(measure):
                bar = np.broadcast_to(np.asarray(bars[at].value), p_sure.shape[:2])[rows]
                p_values[:, :, at][rows] = p_of_worse_bars(measure, self.counts[rows], bar, level)
        return p_values

    def interval(self, measure: Measure, level: float) -> tuple[float, float]:
        """Return the scores that the test does not refute."""
        if is_ordered(measure):
            return self.intervals([measure], level)[0]
        return TracedTest(measure, self.counts[0, 0]).interval(level, measure.bounds)

    def intervals(self, measures: Sequence[Measure], level: float) -> list[tuple[float, float]]:
        """Return those of all ordered measures from one look."""
        ordered = [measure for measure in measures if is_ordered(measure)]
        ends = np.array(intervals(ordered, self.counts[0, 0], level)).T.tolist() if ordered else []
        known = {measure: (low, high) for measure, (low, high) in zip(ordered, ends, strict=True)}
        return [known[m] if m in known else self.interval(m, level) for m in measures]

    def blind(self, measures: Sequence[Measure], scores: FloatArray) -> Tail:
        """Return P(at least this score) for the draw with as many predicted positives, exactly."""
        rising = [measure.better_with_tp for measure in measures]
        counts = self.counts
        m, p, k = (np.asarray(a) for a in (counts.total, counts.positives, counts.predicted_positives))
        # Many measures ask for the same tail: how likely as many TP are.
        at_tp = hg.tail_ge(np.asarray(counts.tp), m, p, k) if sum(rising) > 1 else None
        tails = np.full(scores.shape, np.nan)
        for at, measure in enumerate(measures):
            if measure.greater_is_better is not None:
                tails[:, :, at] = reach_probability(
                    measure,
                    m,
                    p,
                    k,
                    scores[:, :, at],
                    fill=self._fill(measure),
                    hint=counts.tp,
                    at_hint=at_tp,
                )
        return Tail(tails, tails, method="exact")

    def why_undefined(self, measure: Measure, missing: BoolArray) -> Any:
        """Name the conditions that each cell breaks; few different reasons serve all of them."""
        rows = np.nonzero(missing)
        cells = tuple(np.asarray(cell)[rows] for cell in self.counts.cells)
        cells = tuple(cell.reshape(len(rows[0]), -1) for cell in cells)  # the runs, or one column
        conditions = measure.domain.conjuncts
        codes = np.zeros(len(rows[0]), dtype=np.int64)
        for bit, condition in enumerate(conditions):
            codes |= (~condition.holds(cells)).any(axis=1).astype(np.int64) << bit  # type: ignore[arg-type]
        reasons = np.full(len(codes), "", dtype=object)
        for code in np.unique(codes):
            broken = tuple(part.text for bit, part in enumerate(conditions) if code >> bit & 1)
            reasons[codes == code] = NoValue(measure.label, broken or ("its function returns nan",))
        return reasons
