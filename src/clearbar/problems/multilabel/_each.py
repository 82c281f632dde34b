"""Each label on its own, as labels of two classes whose groups are the labels."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.problems.binary import Labels, SampledLabels


@dataclass(frozen=True)
class EachLabel(Labels):
    """Each label on its own: the groups are the labels, all of the same samples."""

    @property
    def group_words(self) -> tuple[str, str]:
        """Its groups are labels."""
        return "label", "labels"

    @property
    def overlapping(self) -> str:
        """The labels share their samples."""
        return "each label on its own"


@dataclass(frozen=True, eq=False)
class SampledEachLabel(SampledLabels, EachLabel):
    """The same of samples that belong together: true sets of labels, and those that each model calls."""

    columns: IntArray = field(kw_only=True)  # the label of each group

    def one(self, model: int, group: int) -> Self:
        """Return the samples of one model and one label."""
        return replace(super().one(model, group), columns=self.columns[group : group + 1])

    def positive(self, models: slice, group: int) -> tuple[BoolArray, BoolArray]:
        """Return which samples have one label, and which of them models call so."""
        samples = np.arange(len(self.truth))
        label = np.full_like(samples, self.columns[group])
        called = [model.has(samples, label)[None] for model in self.predicted[models]]
        return self.truth.has(samples, label), np.stack(called)
