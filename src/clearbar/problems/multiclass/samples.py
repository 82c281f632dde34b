"""Answers of models for each sample of many classes, kept sample by sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.inference.bootstrap import Test
from clearbar.problems._protocol import Problem
from clearbar.problems.multiclass.bars import ClassBaseline, Sizes, class_bar


@dataclass(frozen=True, eq=False)
class ClassSamples(Problem):
    """The true class of each sample, and for each model an array of a row per sample."""

    models: tuple[str, ...]
    groups: tuple[Any, ...]
    labels: tuple[Any, ...]
    truth: IntArray
    answers: tuple[Any, ...]
    rows: tuple[Any, ...] = (slice(None),)
    clusters: IntArray | None = None
    seed: int = field(default=0, kw_only=True)
    finest: float = field(default=1.0, kw_only=True)
    kept_tests: dict[Any, Test] = field(default_factory=dict, kw_only=True, repr=False)

    by_model = ("models", "answers")
    by_group = ("groups", "rows")
    models_together: ClassVar[bool] = False

    @cached_property
    def sizes(self) -> Sizes:
        """The class sizes of each group."""
        counts = [np.bincount(self.truth[rows], minlength=len(self.labels)) for rows in self.rows]
        return Sizes(self.labels, np.stack(counts))

    def bars(self, measures: Sequence[Any]) -> tuple[ClassBaseline, ...]:
        return tuple(class_bar(measure, self.sizes, 0.0) for measure in measures)

    def of_group(self, group: int, models: Sequence[int] | None) -> tuple[IntArray, list[Any], Any]:
        """Return the classes of the samples of a group, the answers of some models, and their clusters."""
        rows, model_indices = self.rows[group], range(len(self.models)) if models is None else models
        clusters = None if self.clusters is None else self.clusters[rows]
        return self.truth[rows], [self.answers[model][rows] for model in model_indices], clusters
