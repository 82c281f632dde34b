"""Predicted numbers as a problem."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.bootstrap_t import Units
from clearbar.problems._protocol import Bar, Tail
from clearbar.problems._tested import Test, TestedProblem
from clearbar.problems.numbers._measure import NumberMeasure
from clearbar.problems.numbers._paired import paired_numbers, units_of
from clearbar.problems.numbers._pairs import Pairs
from clearbar.problems.numbers.bars import NumberBaseline, bars_of
from clearbar.problems.numbers.blind import p_values, permuted_scores
from clearbar.problems.numbers.resampled import tests_of
from clearbar.problems.paired import Paired, PairedInUnits
from clearbar.problems.reasons import NoValue

MOST_KEPT = 64
"""Models times measures whose resamples are kept."""


@dataclass(frozen=True, eq=False)
class Numbers(PairedInUnits, TestedProblem):
    """Targets, each model's predictions, the rows of each group; a column that bars may see; clusters."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    truth: FloatArray
    predicted: tuple[FloatArray, ...]
    rows: tuple[Any, ...]
    column: IntArray | None = None
    clusters: IntArray | None = None
    seed: int = 0
    finest: float = 1.0
    known: dict[tuple[str, NumberMeasure], Test] = field(default_factory=dict, repr=False)
    """Tests of few models on all samples: p-values and intervals need the same resamples."""

    by_model = ("models", "predicted")
    by_group = ("groups", "rows")
    truths = "targets"

    @cached_property
    def pairs(self) -> tuple[Pairs, ...]:
        """The samples of each group."""
        codes = self.column, self.clusters
        return tuple(
            Pairs.of(
                self.truth[rows],
                [f[rows] for f in self.predicted],
                *(None if code is None else code[rows] for code in codes),
            )
            for rows in self.rows
        )

    def seeded(self, seed: int) -> Numbers:
        """Return the same with another seed."""
        return replace(self, seed=seed, known={})

    def resolving(self, p_value: float) -> Numbers:
        """Return the same that draws enough to tell so small a p-value."""
        return replace(self, finest=p_value, known={})

    def bars(self, measures: Sequence[NumberMeasure]) -> tuple[NumberBaseline, ...]:
        """Return for each measure the bars of the groups."""
        mean = float(self.truth.mean())
        return tuple(bars_of(measure, self.pairs, mean) for measure in measures)

    def scores(self, measures: Sequence[NumberMeasure]) -> FloatArray:
        """Return each measure of each model in each group."""
        values = [[[float(m(p.y, f)) for m in measures] for f in p.predicted] for p in self.pairs]
        return np.array(values).reshape(len(self.pairs), len(self.predicted), len(measures)).swapaxes(0, 1)

    def at_the_bar(self, measures: Sequence[NumberMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test of score − bar: all models of a group share their resamples."""
        of_groups = [np.asarray(bar.value) for bar in bars]
        keep = len(self.groups) == 1 and len(self.models) * len(measures) <= MOST_KEPT

        def cells() -> Iterator[tuple[tuple[int, int, int], Tail]]:
            for group in self._tracked("intervals"):
                values = [float(value[group]) for value in of_groups]
                judged = [at for at, value in enumerate(values) if not math.isnan(value)]
                tests = tests_of([measures[at] for at in judged], self.pairs[group], self.seed, self.finest)
                for (model, own), (place, at) in product(enumerate(tests), enumerate(judged)):
                    if not math.isnan(scores[model, group, at]):
                        if keep:
                            self.known[self.models[model], measures[at]] = own[place]
                        yield (model, group, at), own[place].tail(values[at])

        return Tail.gathered(scores.shape, cells())

    def tests(self, measures: Sequence[NumberMeasure], model: int, group: int) -> list[Test]:
        """Return both bootstraps of the score by each measure."""
        name = self.models[model]
        lacking = [measure for measure in measures if (name, measure) not in self.known]
        found = tests_of(lacking, self.pairs[group], self.seed, self.finest)[model] if lacking else []
        tests = dict(zip(lacking, found, strict=True))
        return [tests[one] if one in tests else self.known[name, one] for one in measures]

    def blind(self, measures: Sequence[NumberMeasure], scores: FloatArray) -> Tail:
        """Return how likely targets in random order score as well."""
        values, notes = np.full(scores.shape, math.nan), np.full(scores.shape, "", dtype=object)
        method, draws = np.full(scores.shape, "permutation", dtype=object), np.zeros(scores.shape, np.int64)
        for group in self._tracked("permutations"):
            pairs = self.pairs[group]
            if pairs.together is not None and pairs.together.sizes_differ:
                for model, tail in enumerate(pairs.tests_of(pairs.together)):
                    values[model, group], notes[model, group], method[model, group] = (
                        tail.upper,
                        tail.note,
                        "t",
                    )
                continue
            if pairs.stuck:
                notes[:, group] = f"p_value_blind is not known: {pairs.stuck}"
                continue
            values[:, group], drawn = p_values(measures, pairs, self.seed, self.finest)
            if pairs.every_order:
                method[:, group] = "exact"
                continue
            draws[:, group] = drawn
            moved = "the targets" if pairs.together is None else "whole groups"
            within = " within the groups of the column" if pairs.given else ""
            notes[:, group] = f"p_value_blind is from {drawn:,} permutations of {moved}{within}"
        return Tail(np.where(np.isnan(scores), math.nan, values), values, notes, method, draws)

    def _of_models(self, models: Sequence[int]) -> Pairs:
        """Return all samples with the predictions of some models."""
        predicted = tuple(self.predicted[model] for model in models)
        return replace(self, predicted=predicted, rows=self.rows[:1]).pairs[0]

    def paired(self, measure: NumberMeasure, a: int, b: int) -> Paired:
        """Return two models' predictions, sample by sample."""
        return paired_numbers(measure, self._of_models((a, b)), self.seed)

    def units_of(self, measure: NumberMeasure, models: Sequence[int]) -> Units | str:
        """Return the samples, or whole clusters, with the scores of some models."""
        return units_of(measure, self._of_models(models))

    def permuted(self, measure: NumberMeasure) -> FloatArray:
        """Return the scores of all models with targets in random order."""
        why = self.pairs[0].stuck
        if why:
            raise ValueError(f"targets cannot be put in random order: {why}.")
        return permuted_scores(measure, self.pairs[0], self.seed)

    def why_undefined(self, measure: NumberMeasure, missing: BoolArray) -> Any:
        """Say what predictions without a value lack."""
        reasons = []
        for model, group in np.argwhere(missing).tolist():
            pairs = self.pairs[group]
            why = "it is too large a number"
            if measure.spread and pairs.predicted[model].min() == pairs.predicted[model].max():
                why = "its predictions are all the same"
            if measure.spread and pairs.y.min() == pairs.y.max():
                why = "all targets are the same"
            reasons.append(NoValue(measure.label, where=f"here: {why}"))
        return reasons

    def _tracked(self, what: str) -> Iterator[int]:
        return tracked(range(len(self.groups)), len(self.groups), lambda _: 1, what)
