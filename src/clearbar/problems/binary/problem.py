"""Labels and predictions of two classes as a problem: counts, and the samples where these are not enough."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar import inference
from clearbar.catalogue import Measure, fill_value, scoring
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Calls, Counts, PairCalls, Population
from clearbar.core.reasons import NoValue, Reason
from clearbar.inference import Tail
from clearbar.inference.level_curves import is_ordered
from clearbar.inference.two_rates import intervals, may_be_inside, methods, p_of_worse_bars, p_values
from clearbar.null import exceedance_probability, pieces
from clearbar.problems._protocol import Problem
from clearbar.problems.binary._baseline import Baseline, baseline

if TYPE_CHECKING:
    from clearbar.inference.bootstrap import Test
    from clearbar.inference.exchange import Paired, PairPValues
    from clearbar.inference.gaps import GroupPairs
    from clearbar.problems.binary.pairs import Pairs
    from clearbar.problems.binary.units import LabelUnits

TOGETHER = 2**14  # tables judged together on all measures: few enough to stay in a processor's cache


def counts_alone(method: str) -> ValueError:
    return ValueError(
        f"{method} needs to know on which samples the models differ, which counts do not hold; make the "
        "scorecard with evaluate(y_true, {name: y_pred, ...}), or evaluate_frame(frame, y_true, "
        "[y_pred, ...]) without slices or weights."
    )


def in_order(truth: BoolArray, called: BoolArray) -> BoolArray:
    """Return the runs of models by TP and predicted positives: in any order of runs a seed draws the same."""
    from clearbar.inference.units import order_of_runs

    counts = np.concatenate([(called & truth).sum(axis=2), called.sum(axis=2)])
    return called[:, order_of_runs(counts, truth, called)]


@dataclass(frozen=True, eq=False)
class Labels(Problem):
    """Counts of shape (models, groups), or with runs as a last axis, and what undefined outcomes count.

    Single runs of independent samples have exact tests, of which counts tell all. Runs share their samples,
    and clusters belong together: then the samples are held, predictions of shape (models, runs, samples).
    """

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    counts: Counts
    undefined: Undefined = "exclude"
    calls: Calls | PairCalls | None = None  # which models call the same samples positive, where that is known
    seed: int = dataclasses.field(default=0, kw_only=True)
    truth: Any = dataclasses.field(default=None, kw_only=True)
    predicted: Any = dataclasses.field(default=None, kw_only=True)
    rows: tuple[Any, ...] = dataclasses.field(default=(slice(None),), kw_only=True)  # samples of each group
    clusters: IntArray | None = dataclasses.field(default=None, kw_only=True)
    finest: float = dataclasses.field(default=1.0, kw_only=True)
    kept_tests: dict[Any, Test] = dataclasses.field(default_factory=dict, kw_only=True, repr=False)

    models_together = False  # no p-value of a model depends on which others are judged

    @property
    def has_runs(self) -> bool:
        return len(self.counts.shape) == 3

    @property
    def single(self) -> bool:
        """Whether samples are independent and each model has one run, so that tests are exact."""
        return self.clusters is None and (not self.has_runs or self.counts.shape[2] == 1)

    @property
    def _tables(self) -> Counts:
        """The counts of the first run."""
        return self.counts[:, :, 0] if self.has_runs else self.counts

    @cached_property
    def population(self) -> Population:
        """The class sizes of each group; all models have the same."""
        return self._tables[0].population

    def bars(self, measures: Sequence[Measure]) -> tuple[Baseline, ...]:
        return tuple(baseline(self.population, measure, undefined=self.undefined) for measure in measures)

    def scores(self, measures: Sequence[Measure]) -> FloatArray:
        """Return the scores, with the policy's value where a formula has none."""
        return np.stack([self._score(measure) for measure in measures], axis=2)

    def _score(self, measure: Measure) -> FloatArray:
        score = np.asarray(measure(self.counts), dtype=np.float64)
        return score if self.undefined == "exclude" else np.where(np.isnan(score), self._fill(measure), score)

    def _fill(self, measure: Measure) -> Any:
        """Return what an outcome without a value counts as."""
        return fill_value(measure, np.asarray(self.counts.total), self.undefined)

    # -- parts ------------------------------------------------------------------------------------------
    def pieces(self, measures: int) -> Iterator[tuple[slice, Labels]]:
        """Yield the groups in parts that stay in a processor's cache; all together where samples are held."""
        if self.truth is not None:
            yield slice(None), self
            return
        per_group = math.prod(self.counts.shape) // self.counts.shape[1]
        parts = pieces(self.counts.shape[1], max(TOGETHER // max(per_group, 1), 1))
        work = per_group * measures
        steps = tracked(
            parts, self.counts.shape[1] * work, lambda groups: (groups.stop - groups.start) * work, "verdicts"
        )
        for groups in steps:
            yield groups, dataclasses.replace(self, groups=self.groups[groups], counts=self.counts[:, groups])

    def one(self, model: int, group: int) -> Labels:
        models, groups = slice(model, model + 1), slice(group, group + 1)
        return dataclasses.replace(
            self,
            models=self.models[models],
            groups=self.groups[groups],
            counts=self.counts[models, groups],
            calls=None,
            predicted=None if self.predicted is None else self.predicted[models],
            rows=self.rows[groups],
        )

    def samples(self, models: Sequence[int], group: int) -> tuple[BoolArray, BoolArray, IntArray | None]:
        """Return which samples of a group are positive, which runs of models call so, and their clusters."""
        rows = self.rows[group]
        truth, called = self.truth[rows], np.stack([self.predicted[model][:, rows] for model in models])
        return truth, in_order(truth, called), None if self.clusters is None else self.clusters[rows]

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> LabelUnits:
        from clearbar.problems.binary.units import LabelUnits

        model_indices = list(range(len(self.models)) if models is None else models)
        facts: dict[str, Any] = {"seed": self.seed, "finest": self.finest}
        if self.truth is not None:
            truth, called, clusters = self.samples(model_indices, group)
            if clusters is None:
                return LabelUnits.counted(truth, called, self.undefined, **facts)
            return LabelUnits(truth, called, self.undefined, clusters=clusters, **facts)
        if not isinstance(self.calls, Calls):
            raise counts_alone("compare")
        patterns = self.calls.bits().T[model_indices].astype(bool)
        truth = np.repeat([True, False], patterns.shape[1])
        times = np.concatenate((self.calls.positives, self.calls.negatives)).astype(np.int64)
        called = np.tile(patterns, 2)[:, None]
        return LabelUnits(truth, called, self.undefined, times=times, **facts)

    # -- H0: the true score is the bar ------------------------------------------------------------------
    def at_the_bar(self, measures: Sequence[Measure], bars: Sequence[Any], scores: FloatArray) -> Tail:
        """Return the exact two-sided test; of measures without an order that of traced lines."""
        if not self.single:
            return super().at_the_bar(measures, bars, scores)
        counts, tails = self._tables, np.full(scores.shape, np.nan)
        notes, method = np.full(scores.shape, "", dtype=object), np.full(scores.shape, "unknown", object)
        values = [np.broadcast_to(np.asarray(bar.value), counts.shape) for bar in bars]
        ordered = [place for place, measure in enumerate(measures) if is_ordered(measure)]
        if ordered:
            method[:, :, ordered] = methods(counts)[..., None]
            exact = p_values([measures[i] for i in ordered], counts, [values[i] for i in ordered])
            tails[:, :, ordered] = np.moveaxis(exact, 0, 2)
        for place, measure in enumerate(measures):
            defined = ~np.isnan(scores[:, :, place] + values[place])
            if place not in ordered and measure.greater_is_better is not None:
                for model, group in np.argwhere(defined).tolist():
                    test = inference.level_sets.TracedTest(measure, counts[model, group])
                    tails[model, group, place] = test.p_value(float(values[place][model, group]))
                method[defined, place], notes[defined, place] = "estimated", Reason("traced")
            if self.undefined != "exclude":
                filled = np.isnan(np.asarray(measure(counts))) & defined
                tails[filled, place], notes[filled, place] = np.nan, Reason("filled")
        return Tail(tails, tails, notes, method)

    def within_interval(
        self, measures: Sequence[Measure], bars: Sequence[Any], p_sure: FloatArray, level: float
    ) -> FloatArray:
        """Return p of the worse bar that is refuted least, where it is not refuted and the bar is."""
        p_values = np.full(p_sure.shape, np.nan)
        if self.has_runs or not self.single:
            return p_values
        doubtful = may_be_inside(self.counts, p_sure, level)
        for place, measure in enumerate(measures):
            rows = np.nonzero(doubtful[:, :, place])
            if rows[0].size and is_ordered(measure):
                bar = np.broadcast_to(np.asarray(bars[place].value), p_sure.shape[:2])[rows]
                p_values[:, :, place][rows] = p_of_worse_bars(measure, self.counts[rows], bar, level)
        return p_values

    def intervals(self, measures: Sequence[Measure], level: float) -> list[tuple[float, float]]:
        """Return the true scores that the test does not refute: of all ordered measures from one look."""
        if not self.single:
            return super().intervals(measures, level)
        table = self._tables[0, 0]
        ordered = [measure for measure in measures if is_ordered(measure)]
        ends = iter(np.array(intervals(ordered, table, level)).T.tolist() if ordered else [])
        return [
            tuple(next(ends)) if measure in ordered
            else inference.level_sets.TracedTest(measure, table).interval(level, measure.bounds)
            for measure in measures
        ]  # fmt: skip

    # -- H0: labels are in random order -----------------------------------------------------------------
    def blind(self, measures: Sequence[Measure], scores: FloatArray) -> Tail:
        """Return P(at least this score) given how many samples are predicted positive, exactly."""
        if not self.single:
            return super().blind(measures, scores)
        counts, single = self._tables, scores[..., 0] if self.has_runs else scores
        m, p, k = (np.asarray(a) for a in (counts.total, counts.positives, counts.predicted_positives))
        tails = np.full(single.shape, np.nan)
        for place, measure in enumerate(measures):
            if measure.greater_is_better is not None:
                fill = fill_value(measure, m, self.undefined)
                score = single[:, :, place]
                tails[:, :, place] = exceedance_probability(
                    measure, m, p, k, score, fill=fill, hint=counts.tp
                )
        return Tail(tails, tails, method="exact")

    # -- several models ---------------------------------------------------------------------------------
    def _pairs(self, measure: Measure, a: Any, b: Any) -> Pairs:
        from clearbar.problems.binary.pairs import Discord, Pairs

        if self.calls is None:
            raise counts_alone("compare")
        calls = self.calls if isinstance(self.calls, PairCalls) else self.calls.pairs
        first = self.population[0]
        sizes = int(first.positives), int(first.negatives)
        return Pairs(measure, Discord.of(self.counts, calls, a, b), sizes, self.undefined, self.seed)

    def paired(self, measure: Measure, a: int, b: int) -> Paired:
        return (
            super().paired(measure, a, b) if self.truth is not None else self._pairs(measure, a, b).paired()
        )

    def pair_p_values(self, measure: Measure, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        if self.truth is not None:
            return super().pair_p_values(measure, a, b, alpha=alpha)
        return self._pairs(measure, a, b).p_values(alpha)

    def between_groups(self, measure: Measure, model: int) -> GroupPairs:
        """Return the slices of one model: the whole is no group."""
        from clearbar.inference.gaps import GroupPairs, GroupTables, Score

        if not self.single or self.overlapping:
            return super().between_groups(measure, model)
        groups = np.flatnonzero([group is not None for group in self.groups])
        counts = self._tables[model, groups]
        columns = (counts.positives, counts.negatives, counts.tp, counts.fp)

        def score_of(rows: IntArray) -> Score:
            P, N = (np.asarray(size)[rows] for size in (counts.positives, counts.negatives))
            return scoring(measure, P, N, self.undefined)

        tables = np.array([np.asarray(column) for column in columns], dtype=np.int64)
        return GroupPairs(GroupTables(tables, self.seed), score_of, measure.bounds)

    def permuted(self, measure: Measure) -> FloatArray:
        if self.truth is None and not isinstance(self.calls, Calls):
            raise counts_alone("best_of")
        return super().permuted(measure)

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
            broken = tuple(term.text for bit, term in enumerate(conditions) if code >> bit & 1)
            broken = broken or ("its function returns nan",)
            reasons[codes == code] = NoValue(measure.label, broken, classes=self.counts.labels)
        return reasons
