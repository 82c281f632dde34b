"""What a way of combining folds must bring: a score, the bar of that same score, its law, and words."""

# ruff: noqa: ARG002 - a way may need what is not needed here

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts
from clearbar.problems._protocol import Bar, Tail
from clearbar.problems.combine._folds import Folds
from clearbar.problems.combine._undefined import violated

UNKNOWN = Tail(math.nan, math.nan)


@dataclass(frozen=True)
class Way:
    """A way of combining folds; a new one is a file with a subclass, and its object in `WAYS`.

    Counts have shape (models, folds); scores have that of the models, with nan where there is none.
    """

    name: str  # as the argument `aggregate` calls it
    words: str  # as a reader would say it: "mean over folds"
    pools: bool = False  # whether the counts of the folds are added up, and no fold needs a value
    leaves_out: bool = False  # whether folds without a value are left out
    fold_aware: bool = False  # whether blind predictions may know each fold's share of positives
    untested = "p_value is not known where folds are combined in this way"  # where `in_folds` is None

    def score(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return the combined scores."""
        raise NotImplementedError

    def bar(self, folds: Folds) -> Bar:
        """Return the best that blind predictions, made in each fold apart, expect of the same."""
        raise NotImplementedError

    def chance(self, folds: Folds, draws: IntArray, score: float) -> Tail:
        """Return how likely draws of so many samples in each fold score as well."""
        raise NotImplementedError

    def note(self, folds: int) -> str:
        """Say below a scorecard how the folds were combined, and what the bars know."""
        raise NotImplementedError

    def in_folds(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray | None:
        """Return the folds' scores whose spread tells how surely the combined score is known; None without.

        nan where a fold has none or is left out.
        """
        return None

    def in_parts(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray | None:
        """Return the parts of the folds' scores that are averaged, of shape (parts, folds); None without."""
        return None

    def joined(self, measure: Measure, parts: FloatArray) -> FloatArray:
        """Return the scores that means over folds of these parts make."""
        raise NotImplementedError

    def takes(self, measure: Measure) -> bool:
        """Return whether a measure can be combined so."""
        return True

    def refuse(self, measures: Sequence[Measure]) -> None:
        """Raise where a measure cannot be combined so."""

    def policy(self, measure: Measure, undefined: Undefined) -> Undefined:
        """Return what counts for an outcome without a value in a fold: 0 for F scores (Forman and Scholz)."""
        if self.leaves_out:
            return "exclude"
        return undefined if measure.in_empty_fold is None else measure.in_empty_fold

    def counted(self, folds: Folds, draws: IntArray) -> BoolArray:
        """Return which folds count after these draws."""
        return np.ones(len(folds.total), dtype=bool)

    def lacking(self, measure: Measure, counts: Counts, undefined: Undefined) -> list[str]:
        """Return for each fold of one model the conditions of a value that fail there."""
        return violated(measure, counts)

    @property
    def knowing_folds(self) -> Way:
        """The same, as it was asked for with `fold_aware`: most bars know the folds in any case."""
        return replace(self, fold_aware=True)


def mean_over(values: FloatArray, used: BoolArray) -> FloatArray:
    """Return means over the folds used; nan where there is none, or one has no value."""
    count = used.sum(axis=-1)
    total = np.where(used, values, 0.0).sum(axis=-1)
    means: FloatArray = np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)
    return means
