"""Labels and scores of the same models on the same samples: each measure is asked of what it judges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.inference import Tail
from clearbar.inference.exchange import Paired, PairPValues
from clearbar.problems._protocol import Problem
from clearbar.problems.binary import Labels
from clearbar.problems.multiclass import ClassColumns, ClassLabels
from clearbar.problems.scores import RankedScores

# Asks a problem something about its measures, which stand at these places among all.
Ask = Callable[[Any, list[Any], list[int]], Any]


@dataclass(frozen=True, eq=False)
class LabelsAndScores(Problem):
    """What models call each sample, and how they score it."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    called: Labels | ClassLabels
    ranked: RankedScores | ClassColumns

    @property
    def counts(self) -> Counts | None:
        return getattr(self.called, "counts", None)

    @property
    def undefined(self) -> Any:
        return getattr(self.called, "undefined", "exclude")

    def per_class(self, group: int) -> Any:
        return self.called.per_class(group)

    @property
    def grouped(self) -> bool:
        return self.ranked.grouped

    def _of(self, measure: Any) -> Any:
        return self.ranked if measure.kind in {"scores", "probabilities"} else self.called

    def _listed(self, measures: Sequence[Any], ask: Ask) -> list[Any]:
        """Return what each problem answers for its measures, in the order of all of them."""
        answers: list[Any] = [None] * len(measures)
        for problem in (self.called, self.ranked):
            places = [place for place, measure in enumerate(measures) if self._of(measure) is problem]
            if places:
                answered = ask(problem, [measures[place] for place in places], places)
                for place, answer in zip(places, answered, strict=True):
                    answers[place] = answer
        return answers

    def _columns(self, measures: Sequence[Any], ask: Ask) -> FloatArray:
        """Return the same of arrays whose last axis is that of the measures."""
        columns = self._listed(measures, lambda *asked: list(np.moveaxis(ask(*asked), -1, 0)))
        return np.stack(columns, axis=-1)

    def _tails(self, measures: Sequence[Any], shape: Any, ask: Ask) -> Tail:
        def cells(problem: Any, of_kind: list[Any], places: list[int]) -> list[Tail]:
            tail = ask(problem, of_kind, places).over((*shape[:2], len(places)))
            return [Tail(*(values[..., column] for values in tail)) for column in range(len(places))]

        several = self._listed(measures, cells)
        return Tail(*(np.stack(values, axis=-1) for values in zip(*several, strict=True)))

    def seeded(self, seed: int) -> Self:
        return replace(self, called=self.called.seeded(seed), ranked=self.ranked.seeded(seed))

    def resolving(self, p_value: float) -> Self:
        return replace(self, called=self.called.resolving(p_value), ranked=self.ranked.resolving(p_value))

    def one(self, model: int, group: int) -> LabelsAndScores:
        models, groups = self.models[model : model + 1], self.groups[group : group + 1]
        ranked: Any = self.ranked.one(model, group)
        return LabelsAndScores(models, groups, self.called.one(model, group), ranked)

    def bars(self, measures: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(self._listed(measures, lambda problem, of_kind, _: problem.bars(of_kind)))

    def scores(self, measures: Sequence[Any]) -> FloatArray:
        return self._columns(measures, lambda problem, of_kind, _: problem.scores(of_kind))

    def at_the_bar(self, measures: Sequence[Any], bars: Sequence[Any], scores: FloatArray) -> Tail:
        def ask(problem: Any, of_kind: list[Any], places: list[int]) -> Any:
            return problem.at_the_bar(of_kind, [bars[place] for place in places], scores[..., places])

        return self._tails(measures, scores.shape, ask)

    def blind(self, measures: Sequence[Any], scores: FloatArray) -> Tail:
        def ask(problem: Any, of_kind: list[Any], places: list[int]) -> Any:
            return problem.blind(of_kind, scores[..., places])

        return self._tails(measures, scores.shape, ask)

    def intervals(self, measures: Sequence[Any], level: float) -> list[tuple[float, float]]:
        return self._listed(measures, lambda problem, of_kind, _: problem.intervals(of_kind, level))

    def within_interval(
        self, measures: Sequence[Any], bars: Sequence[Any], p_sure: FloatArray, level: float
    ) -> FloatArray:
        def ask(problem: Any, of_kind: list[Any], places: list[int]) -> Any:
            return problem.within_interval(
                of_kind, [bars[place] for place in places], p_sure[..., places], level
            )

        return self._columns(measures, ask)

    def why_undefined(self, measure: Any, missing: BoolArray) -> Any:
        return self._of(measure).why_undefined(measure, missing)

    def paired(self, measure: Any, a: int, b: int) -> Paired:
        pair: Paired = self._of(measure).paired(measure, a, b)
        return pair

    def pair_p_values(self, measure: Any, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        p_values: PairPValues = self._of(measure).pair_p_values(measure, a, b, alpha=alpha)
        return p_values

    def permuted(self, measure: Any) -> FloatArray:
        return np.asarray(self._of(measure).permuted(measure))
