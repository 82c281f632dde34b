"""Each label on its own, as labels of two classes whose groups are the labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearbar.core._typing import BoolArray
from clearbar.problems.binary import Labels, SampledEach


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
class SampledEachLabel(SampledEach, EachLabel):
    """The same of samples that belong together: true sets of labels, and those that each model calls."""

    def positive(self, models: slice, group: int) -> tuple[BoolArray, BoolArray]:
        """Return which samples have one label, and which of them models call so."""
        samples = np.arange(len(self.truth))
        label = np.full_like(samples, self.codes[group])
        called = [model.has(samples, label)[None] for model in self.predicted[models]]
        return self.truth.has(samples, label), np.stack(called)
