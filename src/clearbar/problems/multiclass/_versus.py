"""Each class of many against the rest, as labels of two classes whose groups are the classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.core.counts import counts_of
from clearbar.problems.binary import Labels, SampledEach


@dataclass(frozen=True)
class OneVersusRest(Labels):
    """Each class against the rest: the groups are the classes, all of the same samples."""

    group_words = "class", "classes"
    overlapping = "each class against the rest"


@dataclass(frozen=True, eq=False)
class SampledVersusRest(SampledEach, OneVersusRest):
    """The same of runs that share samples, or of samples that belong together, as codes of classes."""

    @classmethod
    def of(
        cls,
        models: tuple[str, ...],
        labels: Sequence[Any],
        truth: IntArray,
        predicted: IntArray,
        clusters: IntArray | None,
        seed: int,
    ) -> SampledVersusRest:
        """Count every class against the rest in every run; `predicted` has shape (models, runs, samples)."""
        runs = predicted.reshape(-1, len(truth))
        hits, called = (
            np.stack([np.bincount(codes, minlength=len(labels)) for codes in selected]).reshape(
                *predicted.shape[:2], -1
            )
            for selected in ([run[run == truth] for run in runs], runs)
        )
        positives = np.bincount(truth, minlength=len(labels))
        cells = hits, called - hits, positives - hits, len(truth) - positives - called + hits
        counts = counts_of(cell.swapaxes(1, 2) for cell in cells)
        if clusters is not None and predicted.shape[1] == 1:
            counts = counts[..., 0]
        return cls(
            models, tuple(labels), counts, truth=truth, predicted=predicted,
            rows=(slice(None),) * len(labels), clusters=clusters, seed=seed,
            codes=np.arange(len(labels)),
        )  # fmt: skip

    def positive(self, models: slice, group: int) -> tuple[BoolArray, BoolArray]:
        """Return which samples are of one class, and which of them runs of models call so."""
        label = self.codes[group]
        return self.truth == label, self.predicted[models] == label
