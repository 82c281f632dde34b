"""Folds of more than two classes whose samples belong together: whole groups are drawn anew, and permuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.combine._classes import FoldClasses
from clearbar.problems.combine._grouped import InGroups, Together
from clearbar.problems.multiclass import SampledClasses, Tables


@dataclass(frozen=True, eq=False)
class GroupedFoldClasses(InGroups, FoldClasses):
    """Beside the matrices the tests, fold after fold: labels, predictions of each model, and their groups."""

    truth: IntArray = field(kw_only=True)
    own: tuple[IntArray, ...] = field(kw_only=True)
    together: Together = field(kw_only=True)

    @property
    def pooled(self) -> SampledClasses:
        """The matrices added up, and their samples."""
        sums = super().pooled
        return SampledClasses(
            sums.models,
            sums.groups,
            sums.matrices,
            self.zero_division,
            truth=self.truth,
            own=self.own,
            rows=(slice(None),),
            clusters=self.together.codes,
            seed=self.seed,
        )

    def _scores_of(self, labels: IntArray, measures: Sequence[Any]) -> FloatArray:
        """Return scores of shape (permutations, models, measures) of permuted labels."""
        folds, classes = self.sizes.counts.shape
        fold = np.repeat(np.arange(folds), self.sizes.total)
        sizes = _sums(fold * classes + labels, folds * classes)
        scores = np.empty((len(labels), len(self.own), len(measures)))
        for model, called in enumerate(self.own):
            predicted = np.bincount(fold * classes + called, minlength=folds * classes)
            right, step = labels == called, np.abs(labels - called)
            hits = _sums(fold * classes + called, folds * classes, right)
            far, squared = (_sums(fold, folds, one) for one in (step, step * step))
            shape = (len(labels), folds, classes)
            margins = (sizes, np.broadcast_to(predicted.astype(np.float64), sizes.shape), hits)
            true, said, right_of = (np.reshape(side, shape) for side in margins)
            tables = Tables(true, said, right_of, far, squared)
            for at, measure in enumerate(measures):
                scores[:, model, at] = self.way.scores(measure, tables, self.zero_division)
        return scores


def _sums(places: IntArray, number: int, weights: Any = None) -> FloatArray:
    """Add up weights of samples by their places, row by row: shape (rows, number)."""
    rows = len(places) if weights is None else len(weights)
    at = (np.arange(rows)[:, None] * number + places).ravel()
    own = None if weights is None else weights.ravel()
    return np.bincount(at, own, minlength=rows * number).reshape(rows, number).astype(np.float64)
