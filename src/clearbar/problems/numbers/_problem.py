"""Predicted numbers as a problem."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._protocol import Bar, Problem, Tail
from clearbar.problems.numbers._measure import NumberMeasure
from clearbar.problems.numbers._paired import paired_numbers
from clearbar.problems.numbers._pairs import Pairs
from clearbar.problems.numbers.bars import NumberBaseline, bars_of
from clearbar.problems.numbers.blind import p_values, permuted_scores
from clearbar.problems.numbers.resampled import distances
from clearbar.problems.paired import Paired
from clearbar.problems.reasons import NoValue


@dataclass(frozen=True, eq=False)
class Numbers(Problem):
    """Targets, each model's predictions, the rows of each group; a column that bars may see; clusters."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    truth: FloatArray
    own: tuple[FloatArray, ...]
    rows: tuple[Any, ...]
    column: IntArray | None = None
    clusters: IntArray | None = None
    seed: int = 0

    @cached_property
    def pairs(self) -> tuple[Pairs, ...]:
        """The samples of each group."""
        codes = self.column, self.clusters
        return tuple(
            Pairs.of(
                self.truth[rows],
                [f[rows] for f in self.own],
                *(None if code is None else code[rows] for code in codes),
            )
            for rows in self.rows
        )

    def bars(self, measures: Sequence[NumberMeasure]) -> tuple[NumberBaseline, ...]:
        """Return for each measure the bars of the groups."""
        mean = float(self.truth.mean())
        return tuple(bars_of(measure, self.pairs, mean) for measure in measures)

    def scores(self, measures: Sequence[NumberMeasure]) -> FloatArray:
        """Return each measure of each model in each group."""
        values = [[[float(m(p.y, f)) for m in measures] for f in p.own] for p in self.pairs]
        return np.array(values).reshape(len(self.pairs), len(self.own), len(measures)).swapaxes(0, 1)

    def one(self, model: int, group: int) -> Numbers:
        """Return the predictions of one model in one group."""
        return replace(
            self,
            models=self.models[model : model + 1],
            groups=self.groups[group : group + 1],
            own=self.own[model : model + 1],
            rows=self.rows[group : group + 1],
        )

    def at_the_bar(self, measures: Sequence[NumberMeasure], bars: Sequence[Bar], scores: FloatArray) -> Tail:
        """Return the two-sided test of score − bar."""
        values, notes = np.full(scores.shape, math.nan), np.full(scores.shape, "", dtype=object)
        for group, pairs in self._tracked("intervals"):
            here = [
                at for at in range(len(measures)) if not math.isnan(float(np.asarray(bars[at].value)[group]))
            ]
            for model, row in enumerate(distances([measures[at] for at in here], pairs, self.seed)):
                for at, distance in zip(here, row, strict=True):
                    if math.isnan(scores[model, group, at]):
                        continue
                    values[model, group, at] = distance.p_value
                    why = distance.unknown
                    notes[model, group, at] = f"p_value is not known: {why}" if why else _approximate(pairs)
        return Tail(values, values, notes)

    def intervals(self, measures: Sequence[NumberMeasure], level: float) -> list[tuple[float, float]]:
        """Return the scores that this test does not refute."""
        judged = distances(measures, self.pairs[0], self.seed)[0]
        return [own.interval(level, measure.bounds) for own, measure in zip(judged, measures, strict=True)]

    def interval(self, measure: NumberMeasure, level: float) -> tuple[float, float]:
        """Return the interval by one measure."""
        return self.intervals([measure], level)[0]

    def blind(self, measures: Sequence[NumberMeasure], scores: FloatArray) -> Tail:
        """Return how likely targets in random order score as well."""
        values, notes = np.full(scores.shape, math.nan), np.full(scores.shape, "", dtype=object)
        for group, pairs in self._tracked("permutations"):
            groups = pairs.together
            why = "" if groups is None else groups.too_few or groups.unmoved
            if why:
                notes[:, group] = f"p_value_blind is not known: {why}"
                continue
            values[:, group], drawn = p_values(measures, pairs, self.seed)
            moved = "whole groups" if groups is not None else "the targets"
            within = " within the groups of the column" if pairs.given else ""
            notes[:, group] = f"p_value_blind is from {drawn:,} permutations of {moved}{within}"
        return Tail(np.where(np.isnan(scores), math.nan, values), values, notes)

    def cannot_permute(self) -> BoolArray:
        """Return where sizes of groups hardly repeat."""
        stuck = [pairs.together is not None and bool(pairs.together.unmoved) for pairs in self.pairs]
        return np.broadcast_to(stuck, (len(self.models), len(stuck)))

    def paired(self, measure: NumberMeasure, a: int, b: int) -> Paired:
        """Return two models' predictions, sample by sample."""
        two = replace(self, own=(self.own[a], self.own[b]), rows=self.rows[:1])
        return paired_numbers(measure, two.pairs[0], self.seed)

    @property
    def truths(self) -> str:
        """Its samples have targets."""
        return "targets"

    def permuted(self, measure: NumberMeasure) -> FloatArray:
        """Return the scores of all models with targets in random order."""
        groups = self.pairs[0].together
        why = "" if groups is None else groups.too_few or groups.unmoved
        if why:
            raise ValueError(f"targets cannot be put in random order: {why}.")
        return permuted_scores(measure, self.pairs[0], self.seed)

    def why_undefined(self, measure: NumberMeasure, missing: BoolArray) -> Any:
        """Say what predictions without a value lack."""
        reasons = []
        for model, group in zip(*np.nonzero(missing), strict=True):
            pairs = self.pairs[group]
            why = "it is too large a number"
            if measure.spread and pairs.own[model].min() == pairs.own[model].max():
                why = "its predictions are all the same"
            if measure.spread and pairs.y.min() == pairs.y.max():
                why = "all targets are the same"
            reasons.append(NoValue(measure.label, where=f"here: {why}"))
        return reasons

    def _tracked(self, what: str) -> Any:
        groups = list(enumerate(self.pairs))
        work = [len(pairs.y) * len(self.own) for pairs in self.pairs]
        return tracked(groups, sum(work), lambda one: work[one[0]], what)


def _approximate(pairs: Pairs) -> str:
    what = "samples" if pairs.together is None else f"{len(pairs.together):,} groups"
    return f"p_value is from bootstrap resamples of {what}, which is approximate"
