"""Scores as far as a measure looks at them: the distinct ones, and how many positives share each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.data.counting import tie_groups


@dataclass(frozen=True, eq=False)
class Ranking:
    """Samples grouped by their score, the highest score first.

    Any order-invariant measure of scores and two classes is a function of this. Leading axes of ``positives``
    are different arrangements of the labels over the same scores; those of ``sizes`` are resamples of as many
    samples of each class, in which a score may be missing.
    """

    scores: FloatArray  # the distinct scores, descending
    sizes: IntArray  # samples that have each
    positives: IntArray  # positive samples among them
    epsilon: float = float(np.finfo(np.float64).eps)

    @classmethod
    def of(cls, truth: BoolArray, scores: FloatArray) -> Ranking:
        """Sort samples by score."""
        return cls(*tie_groups(truth, scores), float(np.finfo(scores.dtype).eps))

    @cached_property
    def total(self) -> int:
        """Number of samples, M: the same for every resample."""
        return int(self.sizes.reshape(-1, self.sizes.shape[-1])[0].sum())

    @cached_property
    def hits(self) -> int:
        """Number of positive samples, P: the same for every arrangement."""
        return int(self.positives.reshape(-1, self.positives.shape[-1])[0].sum())

    @cached_property
    def ends(self) -> IntArray:
        """Samples with at least each score."""
        return np.cumsum(self.sizes, axis=-1)

    @cached_property
    def found(self) -> IntArray:
        """Positive samples with at least each score."""
        return np.cumsum(self.positives, axis=-1)

    @property
    def negatives(self) -> IntArray:
        """Negative samples with each score."""
        return self.sizes - self.positives

    @cached_property
    def probabilities(self) -> FloatArray:
        """The scores, kept their type's epsilon from 0 and 1, as in scikit-learn."""
        return np.clip(self.scores, self.epsilon, 1 - self.epsilon)

    @cached_property
    def midranks(self) -> FloatArray:
        """Mean rank of the samples with each score, 1 for the lowest."""
        return self.total - self.ends + (self.sizes + 1) / 2

    def with_positives(self, positives: Any) -> Ranking:
        """Return the same scores with other labels."""
        return Ranking(self.scores, self.sizes, np.asarray(positives, dtype=np.int64), self.epsilon)
