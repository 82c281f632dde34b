"""A measure as a function of two true rates: its value, what it reads, and whether it is ordered in them."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray


def true_score(measure: Measure, P: FloatArray, N: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    """The measure at true rates a and b, as its negative where less is better; x/0 is infinite."""
    cells = np.broadcast_arrays(P * a, N * b, P * (1.0 - a), N * (1.0 - b))
    with np.errstate(all="ignore"):
        if measure.in_catalogue:
            values = np.asarray(measure.function(*cells, **measure.float_parameters()), dtype=np.float64)
            values = np.broadcast_to(values, cells[0].shape)
        else:
            values = measure.values(*cells)
    return -values if measure.greater_is_better is False else values


_SIZES = ((1, 1), (2, 5), (5, 2), (12, 12), (30, 4), (4, 30), (1000, 3), (3, 1000), (1e6, 1e3), (1e3, 1e6))
_RATES = np.unique(
    np.concatenate(
        ([0.0], np.logspace(-7, -1.5, 12), np.linspace(0.05, 0.95, 19), 1 - np.logspace(-7, -1.5, 12), [1.0])
    )
)
_ROUNDING = 1e-9


@lru_cache(maxsize=512)
def is_ordered(measure: Measure) -> bool:
    """Whether the measure rises in TP and falls in FP: one that does not declare it is not looked at.

    x/0 counts as infinite. An outcome without any value may be a corner, or the worst of all: not one that
    is at least as good in both counts as one with a value.
    """
    if measure.greater_is_better is None:
        return False
    # the catalogue's odds declare no direction in FP: their x/0 lie where a search would need a value
    if not (measure.better_with_tp and (measure.worse_with_fp or measure.in_catalogue)):
        return False
    a, b = np.meshgrid(_RATES, _RATES, indexing="ij")
    for P, N in _SIZES:
        values = true_score(measure, np.full_like(a, P), np.full_like(a, N), a, b)
        if not _rises(values):
            return False
    return True


def _rises(values: FloatArray) -> bool:
    """Whether values rise along the first axis and along the second one backwards; nan is the lowest."""
    return bool(_along(values).all() and _along(values[:, ::-1].T).all())


def _along(values: FloatArray) -> BoolArray:
    """Whether each value along the first axis is at least the one before, corners without a value aside."""
    low = np.where(np.isnan(values), -np.inf, values)
    corner = np.zeros(values.shape, dtype=bool)
    corner[[0, 0, -1, -1], [0, -1, 0, -1]] = np.isnan(values[[0, 0, -1, -1], [0, -1, 0, -1]])
    with np.errstate(invalid="ignore"):
        room = np.where(np.isfinite(low[1:]), _ROUNDING * np.maximum(np.abs(low[1:]), 1e-3), 0.0)
        rises = (low[1:] >= low[:-1] - room) | (low[1:] == low[:-1])
    return np.asarray(rises | corner[1:] | corner[:-1])


@lru_cache(maxsize=512)
def depends_on(measure: Measure) -> Literal["first", "second", "both"]:
    """Which rates a measure reads: a test of one rate is that of one binomial."""
    P, N, rates = np.array(7.0), np.array(12.0), np.linspace(0.1, 0.9, 9)
    values = true_score(measure, P, N, rates[:, None], rates)
    if np.isfinite(values).all():
        if (values == values[:, :1]).all():
            return "first"
        if (values == values[:1]).all():
            return "second"
    return "both"
