"""The best of several tries of a blind prediction: each predicts as many positive, at random anew."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._numbers import whole_number
from clearbar.core._progress import tracked
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.errors import shown
from clearbar.null import cells_at, cuts
from clearbar.null.hypergeometric import pmf, window
from clearbar.problems.binary._optimum import Optimum
from clearbar.problems.binary._policy import Filling, fill_value
from clearbar.problems.binary._search import Tried, best_of, grid, refined

EVERY_DRAW = 2_000
"""Samples up to which every number of predicted positives is tried."""

CELLS = 2**20
"""Outcomes that are looked at together."""

MOST_TRIES = 10**12
"""Tries beyond which nobody asks: no p-value is that small."""


def checked_tries(tries: Any) -> int:
    """Return a number of tries, or say what one is."""
    if whole_number("tries", tries, 1) > MOST_TRIES:
        raise ValueError(f"tries must be at most {MOST_TRIES:,}; found {shown(tries)}.")
    return int(tries)


def extremes_of_tries(
    measure: Measure, total: int, positives: int, filling: Filling, tries: int
) -> tuple[Optimum, Optimum]:
    """Return the largest and the smallest expectation of the best of so many tries, all of the same k."""
    spans = measure.admissible.spans(total, positives) if filling == "exclude" else [(0, total)]
    ends = []
    for sign in (1, -1):
        fill = float(fill_value(measure, total, filling, largest=sign > 0))

        def look(k: IntArray, fill: float = fill) -> Tried:
            mean = np.full(k.shape, np.nan)
            inside = np.any([(k >= first) & (k <= last) for first, last in spans], axis=0)
            if np.any(inside):
                mean[inside] = expected_best(measure, total, positives, k[inside], tries, fill)
            return k, mean, np.maximum(np.abs(mean), 1.0)

        every = total <= EVERY_DRAW
        tried = look(np.arange(total + 1)) if every else refined(look, look(grid(total, positives)), sign)
        ends.append(best_of(*tried, total, sign, certified=every))
    return ends[0], ends[1]


def expected_best(
    measure: Measure, total: int, positives: int, draws: IntArray, tries: int, fill: float = np.nan
) -> FloatArray:
    """Return for each k what the best of so many tries expects; nan where an outcome has no value.

    With F the probability that one try does at least this well, one of n does with 1 - (1 - F)^n.
    """
    mean = np.empty(len(draws))
    low, high = window(total, positives, draws)
    widths = high - low + 1
    sign = -1.0 if measure.greater_is_better is False else 1.0
    for rows in tracked(cuts(widths, CELLS), len(draws), lambda rows: rows.stop - rows.start, "draws"):
        tp = low[rows, None] + np.arange(int(widths[rows].max()))
        inside = tp <= high[rows, None]
        tp = np.minimum(tp, high[rows, None])
        values = measure.values(*cells_at(tp, total, positives, draws[rows, None]))
        values = sign * np.where(np.isfinite(values), values, fill)
        weight = np.where(inside, pmf(tp, total, positives, draws[rows, None]), 0.0)
        order = np.argsort(-values, axis=1, kind="stable")
        values, weight = (np.take_along_axis(part, order, axis=1) for part in (values, weight))
        at_least = np.minimum(np.cumsum(weight, axis=1), 1.0)
        with np.errstate(divide="ignore"):
            one_does = -np.expm1(tries * np.log1p(-at_least))
        one_does[:, -1] = 1.0
        share = np.diff(one_does, axis=1, prepend=0.0)
        lost = (np.isnan(values) & (weight > 0)).any(axis=1)
        best = np.where(share > 0, share * values, 0.0).sum(axis=1)
        mean[rows] = np.where(lost, np.nan, sign * best + 0.0)  # no zero is negative
    return mean
