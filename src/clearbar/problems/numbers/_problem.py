"""Predicted numbers as a problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.bootstrap import Test
from clearbar.problems._protocol import Problem
from clearbar.problems.numbers._measure import NumberMeasure
from clearbar.problems.numbers._units import NumberUnits
from clearbar.problems.numbers.bars import NumberBaseline, Targets, bars_of
from clearbar.problems.reasons import NoValue


@dataclass(frozen=True, eq=False)
class Numbers(Problem):
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
    known: dict[Any, Test] = field(default_factory=dict, repr=False)

    by_model = ("models", "predicted")
    by_group = ("groups", "rows")
    truths = "targets"

    @cached_property
    def targets(self) -> tuple[Targets, ...]:
        """The sorted targets of each group."""
        columns = [None if self.column is None else self.column[rows] for rows in self.rows]
        return tuple(
            Targets.in_any_order(self.truth[rows], column)
            for rows, column in zip(self.rows, columns, strict=True)
        )

    def bars(self, measures: Sequence[NumberMeasure]) -> tuple[NumberBaseline, ...]:
        mean = float(self.truth.mean())
        return tuple(bars_of(measure, self.targets, mean) for measure in measures)

    def scores(self, measures: Sequence[NumberMeasure]) -> FloatArray:
        return np.array(
            [
                [[float(m(self.truth[rows], f[rows])) for m in measures] for rows in self.rows]
                for f in self.predicted
            ]
        )

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> NumberUnits:
        rows = self.rows[group]
        chosen = range(len(self.models)) if models is None else models
        return NumberUnits(
            self.truth[rows],
            [self.predicted[model][rows] for model in chosen],
            None if self.column is None else self.column[rows],
            None if self.clusters is None else self.clusters[rows],
            seed=self.seed,
            finest=self.finest,
            joint=joint,
        )

    def why_undefined(self, measure: NumberMeasure, missing: BoolArray) -> Any:
        reasons = []
        for model, group in np.argwhere(missing).tolist():
            y, f = (values[self.rows[group]] for values in (self.truth, self.predicted[model]))
            why = "it is too large a number"
            if measure.spread and f.min() == f.max():
                why = "its predictions are all the same"
            if measure.spread and y.min() == y.max():
                why = "all targets are the same"
            reasons.append(NoValue(measure.label, where=f"here: {why}"))
        return reasons
