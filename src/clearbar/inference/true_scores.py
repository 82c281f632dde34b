"""A measure as a function f(a, b) of two true rates: its values, the rates it reads, and its direction.

Of P positives a model finds a share a on average, and of N negatives it takes a share b for positive. Its true
score is the formula at the expected cells TP = P a, FP = N b, which need not be whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray

# Class sizes and rates at which `is_ordered` looks: tiny, extreme and unequal ones are where formulas differ.
_SIZES = ((1, 1), (2, 5), (5, 2), (12, 12), (30, 4), (4, 30), (1000, 3), (3, 1000), (1e6, 1e3), (1e3, 1e6))
_SMALL_RATES = np.append(0.0, np.logspace(-7, -1.5, 12))
_RATES = np.unique(np.concatenate((_SMALL_RATES, np.linspace(0.05, 0.95, 19), 1 - _SMALL_RATES)))


def true_score(measure: Measure, P: FloatArray, N: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The measure at true rates a and b, as its negative where less is better; x/0 is infinite."""
    cells = P * a, N * b, P * (1.0 - a), N * (1.0 - b)
    with np.errstate(all="ignore"):
        if measure.in_catalogue:
            values = np.asarray(measure.function(*cells, **measure.float_parameters()), dtype=np.float64)
        else:
            values = measure.values(*cells)
    return -values if measure.greater_is_better is False else values


@lru_cache(maxsize=512)
def is_ordered(measure: Measure) -> bool:
    """Tell whether the measure rises in TP and falls in FP, as it declares: values on a grid are compared.

    Without a declaration it is not. x/0 counts as infinite. An outcome without any value may be a corner, or the worst of all: not one that
    is at least as good in both counts as one with a value.
    """
    # the catalogue's odds declare no direction in FP: their x/0 lie where a search would need a value
    declared = measure.better_with_tp and (measure.worse_with_fp or measure.in_catalogue)
    if measure.greater_is_better is None or not declared:
        return False
    a, b = np.meshgrid(_RATES, _RATES, indexing="ij")
    every = (true_score(measure, np.full_like(a, P), np.full_like(a, N), a, b) for P, N in _SIZES)
    return all(_rises(values) and _rises(values[:, ::-1].T) for values in every)


def _rises(values: FloatArray) -> bool:
    """Whether each value along the first axis is at least the one before, corners without a value aside."""
    low = np.where(np.isnan(values), -np.inf, values)
    corner = np.zeros(values.shape, dtype=bool)
    corner[[0, 0, -1, -1], [0, -1, 0, -1]] = np.isnan(values[[0, 0, -1, -1], [0, -1, 0, -1]])
    with np.errstate(invalid="ignore"):
        room = np.where(np.isfinite(low[1:]), 1e-9 * np.maximum(np.abs(low[1:]), 1e-3), 0.0)
        rises = (low[1:] >= low[:-1] - room) | (low[1:] == low[:-1])
    return bool((rises | corner[1:] | corner[:-1]).all())


@lru_cache(maxsize=512)
def depends_on(measure: Measure) -> Literal["first", "second", "both"]:
    """Which rates the measure reads: where it reads one alone, its test is that of one binomial."""
    P, N, rates = np.array(7.0), np.array(12.0), np.linspace(0.1, 0.9, 9)
    values = true_score(measure, P, N, *np.meshgrid(rates, rates, indexing="ij"))
    if np.isfinite(values).all():
        if (values == values[:, :1]).all():
            return "first"
        if (values == values[:1]).all():
            return "second"
    return "both"


def true_scores(
    measures: Sequence[Measure],
    number: IntArray,
    mirrored: BoolArray,
    sizes: tuple[FloatArray, FloatArray],
    rates: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """True scores of each row's measure, sizes of shape (rows,) and rates of shape (rows, points).

    Where `mirrored` the rates are those of TN and FN: the first class is the negative one.
    """
    a, b = rates
    P, N = np.where(mirrored, sizes[::-1], sizes)
    a, b = np.where(mirrored[:, None], (1.0 - b, 1.0 - a), (a, b))
    out = np.empty(a.shape)
    for each in np.unique(number):
        rows = np.flatnonzero(number == each)
        out[rows] = true_score(measures[each], P[rows, None], N[rows, None], a[rows], b[rows])
    return out
