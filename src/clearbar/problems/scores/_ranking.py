"""Scores as far as a measure looks at them: the distinct ones, and how many positives share each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import listed
from clearbar.data.arrays import refuse_other_rows
from clearbar.data.scores import read_scores, read_truth, tie_groups

if TYPE_CHECKING:
    from clearbar.problems.scores._measure import ScoreMeasure


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
    seed: int = 0  # of what is drawn at random with these scores
    finest: float = 1.0  # the least p-value that these draws must tell from larger ones

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
        return replace(self, positives=np.asarray(positives, dtype=np.int64))

    def with_labels(self, scores: FloatArray, labels: BoolArray) -> Ranking:
        """Return an arrangement for each row of labels of the samples, given their scores as they came."""
        order, starts = np.argsort(-scores, kind="stable"), self.ends - self.sizes
        return self.with_positives(np.add.reduceat(labels[:, order], starts, axis=1, dtype=np.int64))


def read_ranking(
    y_true: Any, y_score: Any, *, pos_label: Any = None, measures: Iterable[ScoreMeasure] = ()
) -> Ranking:
    """Read labels and scores and group samples with equal scores."""
    truth = read_truth(y_true, pos_label)
    scores = read_scores(y_score, "y_score", len(truth))
    refuse_other_rows(y_true, y_score, "y_score")
    refuse_no_probabilities(scores, "y_score", measures)
    return Ranking.of(truth, scores)


def refuse_no_probabilities(scores: FloatArray, name: str, measures: Iterable[ScoreMeasure]) -> None:
    """Raise if a measure needs probabilities and these are none."""
    wanting = [measure.label for measure in measures if measure.probabilities]
    if not wanting or (scores.min() >= 0 and scores.max() <= 1):
        return
    at = int(np.argmax((scores < 0) | (scores > 1)))
    verb = "needs" if len(wanting) == 1 else "need"
    raise ValueError(
        f"{name} must hold probabilities from 0 to 1, which {listed(wanting)} {verb}; found {scores[at]:g} "
        f"at position {at}. Pass predict_proba(X)[:, 1], or judge by roc_auc and average_precision."
    )
