"""Where a model's true score lies: its class sizes fixed, each row of the confusion matrix is multinomial.

The share that is right is a mean of as many coins as samples, of different chances in different classes. By
Hoeffding (Annals of Math. Stat. 27, 1956) a binomial with the mean chance has the heavier tail from one
above its mean on, so that its tail there bounds what any classes' accuracies can do. All else is resampled.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.problems.binary.rates.binomial import log_pmf, smooth_tails
from clearbar.problems.binary.rates.roots import bracketed_root
from clearbar.problems.bootstrap import SHARES, Bootstrap, acceleration, portions
from clearbar.problems.multiclass._tables import Tables
from clearbar.problems.multiclass.measures import ClassMeasure

BOOTSTRAPPED = "p_value is from bootstrap resamples of each class, which is approximate"
CERTIFIED = "p_value holds for any accuracies of the classes (Hoeffding 1956)"

SEED = 20_240_311

MOST_TERMS = 1_000_000
"""Terms of a binomial tail that are added up; beyond that many it is smooth."""


def at_least(count: int, size: int, rate: float) -> float:
    """Return P(Bin(size, rate) >= count)."""
    if count <= 0:
        return 1.0
    if rate <= 0 or count > size:
        return 0.0
    if rate >= 1:
        return 1.0
    if size * rate > count:
        return 1.0 - at_most(count - 1, size, rate)
    last = min(size, count + int(40 * math.sqrt(size)) + 100)
    if last - count > MOST_TERMS:
        return float(smooth_tails(np.array([count - 1.0]), np.array([float(size)]), np.array([rate]))[1][0])
    terms = np.arange(count, last + 1, dtype=np.float64)
    return min(1.0, float(np.exp(log_pmf(terms, np.full(1, float(size)), np.full(1, rate))).sum()))


def at_most(count: int, size: int, rate: float) -> float:
    """Return P(Bin(size, rate) <= count)."""
    return at_least(size - count, size, 1.0 - rate)


def certified_p_value(right: int, total: int, rate: float) -> float:
    """Return the two-sided p of a share that is right, the true one being `rate` on average over samples."""
    above = at_least(right, total, rate) if right >= total * rate + 1 else 1.0
    below = at_most(right, total, rate) if right <= total * rate - 1 else 1.0
    return min(1.0, 2 * min(above, below))


def certified_interval(right: int, total: int, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's limits, wider where one sample is right, or all but one."""
    tail = (1 - level) / 2
    return _least_rate(right, total, tail), 1 - _least_rate(total - right, total, tail)


def _least_rate(right: int, total: int, tail: float) -> float:
    if right == 0:
        return 0.0
    if right == 1:  # at a mean of less than one above 0 a mixture can have the heavier tail
        return tail / total

    def over(rate: FloatArray) -> FloatArray:
        return np.array([at_least(right, total, float(r)) - tail for r in rate])

    return float(bracketed_root(over, np.zeros(1), np.array([right / total]))[0])


def _drawn(matrix: ConfusionMatrix) -> Iterator[Tables]:
    """Draw cell after cell of all rows at once, each binomial in what is left of its row."""
    generator = np.random.default_rng(SEED)
    classes = len(matrix.labels)
    sizes = matrix.true_counts
    starts = np.searchsorted(matrix.rows, np.arange(classes))
    widths = np.diff([*starts, len(matrix.rows)])
    for rows in portions(matrix.total, samples=max(len(matrix.rows), classes)):
        left = np.broadcast_to(sizes, (rows, classes)).copy()
        rest = sizes.astype(np.float64)
        predicted, hits = np.zeros((rows, classes)), np.zeros((rows, classes))
        apart, squared = np.zeros(rows), np.zeros(rows)
        for at in range(int(widths.max())):
            here = np.flatnonzero(widths > at)
            cell = starts[here] + at
            columns, values = matrix.columns[cell], matrix.values[cell]
            number = generator.binomial(left[:, here], np.minimum(values / rest[here], 1.0))
            left[:, here] -= number
            rest[here] -= values
            for_columns = (slice(None), columns)
            np.add.at(predicted, for_columns, number)  # type: ignore[arg-type]
            own = columns == here
            hits[:, here[own]] = number[:, own]
            step = np.abs(here - columns).astype(np.float64)
            apart += number @ step
            squared += number @ step**2
        yield Tables(np.broadcast_to(sizes.astype(np.float64), hits.shape), predicted, hits, apart, squared)


def bootstraps(
    measures: Sequence[ClassMeasure], matrix: ConfusionMatrix, empty: float
) -> tuple[Bootstrap, ...]:
    """Resample one matrix for several measures."""
    if not measures:
        return ()
    observed = Tables.of(matrix)
    parts = [[measure(part, empty) for measure in measures] for part in _drawn(matrix)]
    values = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return tuple(
        Bootstrap(
            float(measure(observed, empty)),
            own,
            acceleration(_without_one(measure, matrix, observed, empty)),
            matrix.total,
            partial(supposed, measure, observed, empty),
        )
        for measure, own in zip(measures, values, strict=True)
    )


def _without_one(
    measure: ClassMeasure, matrix: ConfusionMatrix, observed: Tables, empty: float
) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield for each class the scores without one sample of each of its cells, and how many it holds."""
    scores = np.empty(len(matrix.values))
    portion = max(1, 2_000_000 // len(matrix.labels))
    for first in range(0, len(scores), portion):
        part = slice(first, first + portion)
        rows, columns = matrix.rows[part], matrix.columns[part]
        at = np.arange(len(rows))
        sizes, predicted, hits = (np.tile(side, (len(rows), 1)) for side in observed[:3])
        sizes[at, rows] -= 1
        predicted[at, columns] -= 1
        hits[at, rows] -= rows == columns
        step = np.abs(rows - columns)
        left = Tables(sizes, predicted, hits, observed.apart - step, observed.squared - step**2)
        scores[part] = measure(left, empty)
    for row in np.unique(matrix.rows):
        own = matrix.rows == row
        yield scores[own], matrix.values[own]


def supposed(measure: ClassMeasure, observed: Tables, empty: float) -> tuple[FloatArray, FloatArray]:
    """Return the scores if shares of all samples were called the next class, and if these were right."""
    share = SHARES[:, None]
    sizes = np.broadcast_to(observed.sizes, (len(SHARES), len(observed.sizes)))
    wrong = Tables(
        sizes,
        (1 - share) * observed.predicted + share * np.roll(observed.sizes, 1),
        (1 - share) * observed.hits,
        (1 - SHARES) * observed.apart + SHARES * observed.total,
        (1 - SHARES) * observed.squared + SHARES * observed.total,
    )
    right = Tables(
        sizes,
        (1 - share) * observed.predicted + share * observed.sizes,
        observed.hits + share * (observed.sizes - observed.hits),
        (1 - SHARES) * observed.apart,
        (1 - SHARES) * observed.squared,
    )
    both = measure(wrong, empty), measure(right, empty)
    return both if measure.greater_is_better else (both[1], both[0])
