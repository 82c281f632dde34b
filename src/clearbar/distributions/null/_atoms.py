"""The law of a score as a table: each value it can take, and how likely it is."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.distributions import hypergeometric as hg
from clearbar.distributions.null._attain import rounding_of, slack
from clearbar.distributions.null._tables import cells_at

EXACT_TOTAL = 128
"""Samples up to which probabilities are ratios of whole numbers, rounded once."""


@dataclass(frozen=True)
class Atoms:
    """Distinct values in ascending order with their probabilities, and sums from both ends.

    ``below[i]`` is the mass of the first i atoms and ``above[i]`` that of all from the i-th on, so
    that neither tail is one minus the other. The logarithms are kept beside them, since they go on
    where the probabilities underflow. An atom is any number from ``lows`` to ``highs``: what rounding
    makes of its value.
    """

    values: FloatArray
    lows: FloatArray
    highs: FloatArray
    probabilities: FloatArray
    log_probabilities: FloatArray
    below: FloatArray
    above: FloatArray
    log_below: FloatArray
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
    order = np.argsort(raw[finite], kind="stable")
    values = raw[finite][order]
    lost = 0.0 if measure.in_catalogue else rounding_of(measure, cells, total)[finite][order]
    starts = _first_of_each(values, np.maximum(slack(values, total), lost))
    ends = np.append(starts[1:], len(values))[: len(starts)] - 1
    merged = values[starts], (values - lost)[starts], (values + lost)[ends]
    if total <= EXACT_TOTAL:
        return _exact(merged, starts, raw, finite, order, total, positives, draws)
    return _floating(merged, starts, raw, finite, order, hg.log_pmf(tp, total, positives, draws))


def _first_of_each(values: FloatArray, margins: FloatArray) -> IntArray:
    """Return where a new value starts; values that rounding may have parted are one value."""
    if not values.size:
        return np.zeros(0, dtype=np.int64)
    new = np.diff(values) > np.maximum(margins[1:], margins[:-1])
    return np.flatnonzero(np.concatenate(([True], new)))


def _exact(
    atoms: tuple[FloatArray, FloatArray, FloatArray],
    starts: IntArray,
    raw: FloatArray,
    finite: BoolArray,
    order: IntArray,
    total: int,
    positives: int,
    draws: int,
) -> Atoms:
    low = max(0, draws + positives - total)
    weights = [
        math.comb(positives, tp) * math.comb(total - positives, draws - tp)
        for tp in range(low, low + raw.size)
    ]
    whole = math.comb(total, draws)
    ordered = [weight for weight, keep in zip(weights, finite, strict=True) if keep]
    ordered = [ordered[i] for i in order]
    ends = [*starts[1:].tolist(), len(ordered)] if starts.size else []
    merged = [sum(ordered[a:b]) for a, b in zip(starts.tolist(), ends, strict=True)]
    below = list(itertools.accumulate(merged, initial=0))
    above = [below[-1] - part for part in below]

    def shares(parts: list[int]) -> FloatArray:
        return np.array([part / whole for part in parts])

    def logs(parts: list[int]) -> FloatArray:
        return np.array([_log_ratio(part, whole) for part in parts])

    def mass(where: BoolArray) -> float:
        return sum(weight for weight, keep in zip(weights, where, strict=True) if keep) / whole

    return Atoms(
        *atoms,
        shares(merged),
        logs(merged),
        shares(below),
        shares(above),
        logs(below),
        logs(above),
        mass(~finite),
        mass(np.isneginf(raw)),
        mass(np.isposinf(raw)),
    )


def _log_ratio(part: int, whole: int) -> float:
    if not part:
        return -math.inf
    rest = whole - part
    return math.log1p(-rest / whole) if rest < part else math.log(part) - math.log(whole)


def _floating(
    atoms: tuple[FloatArray, FloatArray, FloatArray],
    starts: IntArray,
    raw: FloatArray,
    finite: BoolArray,
    order: IntArray,
    log_pmf: FloatArray,
) -> Atoms:
    empty = np.zeros(0)
    ordered = log_pmf[finite][order]
    log_merged = np.logaddexp.reduceat(ordered, starts) if starts.size else empty
    merged = np.add.reduceat(np.exp(ordered), starts) if starts.size else empty
    gone = np.exp(log_pmf[~finite])
    undefined = float(gone.sum())
    below, above = _sums(merged), _sums(merged[::-1])[::-1]
    log_below = np.concatenate(([-np.inf], np.logaddexp.accumulate(log_merged)))
    log_above = np.concatenate((np.logaddexp.accumulate(log_merged[::-1])[::-1], [-np.inf]))
    whole = 1.0 - undefined
    # Whichever sum is the larger one is the complement of the smaller, which has its digits.
    below, above = (
        np.where(below > whole / 2, whole - above, below),
        np.where(above > whole / 2, whole - below, above),
    )
    log_below = np.where(below > whole / 2, np.log(np.maximum(below, 1e-300)), log_below)
    log_above = np.where(above > whole / 2, np.log(np.maximum(above, 1e-300)), log_above)
    return Atoms(
        *atoms,
        merged,
        log_merged,
        below,
        above,
        log_below,
        log_above,
        undefined,
        float(gone[np.isneginf(raw[~finite])].sum()),
        float(gone[np.isposinf(raw[~finite])].sum()),
    )


def _sums(parts: FloatArray) -> FloatArray:
    return np.concatenate(([0.0], np.cumsum(parts)))
