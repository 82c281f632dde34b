"""Two models' labels of many classes: what each sample's two answers add to a confusion matrix."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.exchanged import mcnemar
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Tables
from clearbar.problems.multiclass.resampled import supposed
from clearbar.problems.paired import Swaps, right_alone


@dataclass(frozen=True, eq=False)
class Kinds:
    """What kinds of samples there are: the true class, and both answers; `units` says whose each is."""

    truth: IntArray
    first: IntArray
    second: IntArray
    sizes: FloatArray  # samples of each class
    units: IntArray  # the unit that a kind is part of

    def tables(self, first: FloatArray, second: FloatArray) -> Tables:
        """Return the matrices of models that give so many units either answer, each class at its own size."""
        one, two = first[:, self.units], second[:, self.units]
        drawn = self._sums(self.truth, one + two)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(drawn > 0, self.sizes / drawn, np.where(self.sizes > 0, np.nan, 0.0))
        one, two = one * scale[:, self.truth], two * scale[:, self.truth]
        apart = [np.abs(self.truth - side).astype(np.float64) for side in (self.first, self.second)]
        return Tables(
            np.broadcast_to(self.sizes, drawn.shape),
            self._sums(self.first, one) + self._sums(self.second, two),
            self._sums(self.truth, one * (apart[0] == 0) + two * (apart[1] == 0)),
            one @ apart[0] + two @ apart[1],
            one @ apart[0] ** 2 + two @ apart[1] ** 2,
        )

    def _sums(self, classes: IntArray, values: FloatArray) -> FloatArray:
        rows, number = len(values), len(self.sizes)
        flat = classes + number * np.arange(rows)[:, None]
        sums = np.bincount(flat.ravel(), values.ravel(), rows * number).astype(np.float64)
        return sums.reshape(rows, number)


def paired_classes(
    measure: ClassMeasure,
    truth: IntArray,
    answers: tuple[IntArray, IntArray],
    classes: int,
    empty: float,
    seed: int,
    units: IntArray | None = None,
    times: IntArray | None = None,
) -> Swaps:
    """Return two models' labels: sample by sample; or in units that hold samples, or all their runs.

    `times` is how often each sample occurs, once where it is None.
    """
    truth, a, b = (np.asarray(side, dtype=np.int64) for side in (truth, *answers))
    times = np.ones(len(truth), dtype=np.int64) if times is None else times
    sizes = np.bincount(truth, times, minlength=classes).astype(np.float64)
    alone = right_alone(a == truth, b == truth, times)
    if units is not None:
        number = int(units.max()) + 1
        both = zip(np.atleast_2d(a), np.atleast_2d(b), strict=True)
        runs = [Kinds(truth, one, other, sizes, units) for one, other in both]
        straight, crossed = np.ones(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
        differ = np.bincount(units, np.atleast_2d(a != b).any(axis=0), number) > 0
        alike = number == len(truth)  # units are samples, and each class is drawn anew
        strata = truth if alike else np.zeros(number, dtype=np.int64)
    else:
        low, high = np.minimum(a, b), np.maximum(a, b)
        _, at, kind = np.unique(
            (truth * classes + low) * classes + high, return_index=True, return_inverse=True
        )
        kind, reverse = kind.reshape(-1), times * (a > b)
        crossed, straight = (
            np.bincount(kind, side, minlength=len(at)).astype(np.int64) for side in (reverse, times - reverse)
        )
        runs = [Kinds(truth[at], low[at], high[at], sizes, np.arange(len(at)))]
        differ, strata = low[at] != high[at], truth[at]

    def scores_of(first: FloatArray, second: FloatArray) -> FloatArray:
        return np.asarray(sum(measure(kinds.tables(first, second), empty) for kinds in runs) / len(runs))

    def worse() -> tuple[FloatArray, FloatArray]:
        whole = [side[None].astype(np.float64) for side in (straight, crossed)]
        worst = 0 if measure.greater_is_better else 1
        ends = []
        for side in (whole, whole[::-1]):
            tables = (Tables(*(part[0] for part in kinds.tables(*side))) for kinds in runs)
            ends.append(np.mean([supposed(measure, table, empty)[worst] for table in tables], axis=0))
        return ends[0], ends[1]

    exact = measure.counts_right and units is None
    law: Callable[[], float] | None = partial(mcnemar, *alone) if exact else None
    return Swaps(
        straight,
        crossed,
        differ,
        scores_of,
        strata,
        worse,
        alone=alone if units is None else None,
        law=law,
        samples=0 if units is None else truth.size * len(runs),
        seed=seed,
    )
