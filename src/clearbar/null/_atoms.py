"""The law of a score as a table: each value it can take, and how likely it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.null._attain import rounding_of, slack
from clearbar.null._tables import cells_at

EXACT_TOTAL = 128
"""Samples up to which probabilities are ratios of whole numbers, rounded once."""


@dataclass(frozen=True)
class Atoms:
    """Distinct values in ascending order with their probabilities, and sums from both ends.

    ``below[i]`` is the mass of the first i atoms and ``above[i]`` that of all from the i-th on: each is
    added up from its own end, and only what is nearly 1 is one minus the rest. The logarithms are kept
    beside them, since they go on where the probabilities underflow. An atom is any number from ``lows``
    to ``highs``: what rounding makes of its value.
    """

    values: FloatArray
    lows: FloatArray
    highs: FloatArray
    probabilities: FloatArray
    log_probabilities: FloatArray
    below: FloatArray
    log_below: FloatArray
    above: FloatArray
    log_above: FloatArray
    undefined: float
    infinite_low: float
    infinite_high: float

    def between(self, low: FloatArray, high: FloatArray, *, open_low: bool, log: bool) -> FloatArray:
        """Return the (log) probability of a value in [low, high], or (low, high]."""
        first = (
            np.searchsorted(self.lows, low, side="right") if open_low else np.searchsorted(self.highs, low)
        )
        last = np.searchsorted(self.lows, high, side="right")
        single, below, above = (
            (self.log_probabilities, self.log_below, self.log_above)
            if log
            else (self.probabilities, self.below, self.above)
        )
        sums = np.where(last >= len(self.values), above[first], below[last])
        if single.size:
            sums = np.where(last - first == 1, single[np.minimum(first, single.size - 1)], sums)
        return np.where(last <= first, -np.inf if log else 0.0, sums)

    def quantile(self, q: FloatArray) -> FloatArray:
        """Return the smallest value with at least this much of the defined mass at or below it."""
        # a cumulative sum may end an ulp short of its own total
        index = np.searchsorted(self.below[1:] * (1 + 4e-16), q * self.below[-1], side="left")
        values: FloatArray = self.values[np.minimum(index, len(self.values) - 1)]
        return values

    def extremes(self) -> tuple[float, float]:
        """Return the smallest and the largest value; nan where there is none."""
        ends = self.values[[0, -1]].tolist() if len(self.values) else (math.nan, math.nan)
        return ends[0], ends[1]


def atoms_of(measure: Measure, total: int, positives: int, draws: int) -> Atoms:
    """Return the law of a measure under one draw, equal values merged."""
    low, high = (int(end) for end in hg.support(total, positives, draws))
    tp = np.arange(low, high + 1)
    cells = cells_at(tp, total, positives, draws)
    raw = measure.values(*cells)
    finite = np.isfinite(raw)
    order = np.flatnonzero(finite)[np.argsort(raw[finite], kind="stable")]
    values = raw[order]
    lost = 0.0 if measure.in_catalogue else rounding_of(measure, cells, total)[order]
    starts = _first_of_each(values, np.maximum(slack(values, total), lost))
    ends = np.append(starts[1:], len(values))[: len(starts)] - 1
    weights, whole = _weights(tp, total, positives, draws)
    single = _sums_between(np.add, weights[order], starts)
    log_single = _sums_between(np.logaddexp, hg.log_pmf(tp, total, positives, draws)[order], starts)
    undefined = weights[~finite].sum()
    below, above = (np.append(0, np.cumsum(part)) for part in (single, single[::-1]))
    log_below, log_above = (
        np.append(-np.inf, np.logaddexp.accumulate(part)) for part in (log_single, log_single[::-1])
    )
    above, log_above = above[::-1], log_above[::-1]
    others = below[:-1] + above[1:]
    infinite = (weights[raw == end].sum() for end in (-np.inf, np.inf))
    return Atoms(
        values[starts],
        (values - lost)[starts],
        (values + lost)[ends],
        *_shares(single, log_single, undefined + others, whole),
        *_shares(below, log_below, undefined + above, whole),
        *_shares(above, log_above, undefined + below, whole),
        *(float(part / whole) for part in (undefined, *infinite)),
    )


def _first_of_each(values: FloatArray, margins: FloatArray) -> IntArray:
    """Return where a new value starts; values that rounding may have parted are one value."""
    if not values.size:
        return np.zeros(0, dtype=np.int64)
    new = np.diff(values) > np.maximum(margins[1:], margins[:-1])
    return np.flatnonzero(np.concatenate(([True], new)))


def _weights(tp: IntArray, total: int, positives: int, draws: int) -> tuple[Any, Any]:
    """Return what the probability of each TP is in proportion to, and the sum: whole numbers where few."""
    if total > EXACT_TOTAL:
        return hg.pmf(tp, total, positives, draws), 1.0
    ways = [math.comb(positives, x) * math.comb(total - positives, draws - x) for x in tp.tolist()]
    return np.array(ways, dtype=object), math.comb(total, draws)


def _sums_between(add: np.ufunc, parts: Any, starts: IntArray) -> Any:
    return add.reduceat(parts, starts) if starts.size else parts[:0]


def _shares(total: Any, log_total: FloatArray, missing: Any, whole: Any) -> tuple[FloatArray, FloatArray]:
    """Return sums of weights as probabilities and their logarithms: what is nearly 1 from what is missing."""
    probabilities = np.where(missing < whole / 64, whole - missing, total) / whole
    share = np.asarray(missing / whole, dtype=np.float64)
    logs = np.where(share < 0.5, np.log1p(-np.minimum(share, 0.5)) + 0.0, log_total)  # log of 1 is no -0.0
    return np.asarray(probabilities, dtype=np.float64), logs
