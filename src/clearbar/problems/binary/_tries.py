"""What the best of several tries of a draw expects: each predicts as many positive, at random anew."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._numbers import whole_number
from clearbar.core._progress import tracked
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.errors import shown
from clearbar.distributions import hypergeometric as hg
from clearbar.problems.binary._optimum import Optimum, runs
from clearbar.problems.binary._policy import Filling, fill_value

EVERY_DRAW = 2_000
"""Samples up to which every number of predicted positives is tried."""

GRID = 257
"""Of more samples, the numbers that are tried first; then as many around the best of them, and so on."""

CELLS = 2**20
"""Outcomes that are looked at together."""

TIE = 4e-15

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
    """Return the largest and the smallest expectation of the best of so many tries, all of the same size."""
    spans = measure.admissible.spans(total, positives) if filling == "exclude" else [(0, total)]
    ends = [_extreme(measure, total, positives, spans, filling, tries, sign) for sign in (1.0, -1.0)]
    return ends[0], ends[1]


def _extreme(
    measure: Measure,
    total: int,
    positives: int,
    spans: list[tuple[int, int]],
    filling: Filling,
    tries: int,
    sign: float,
) -> Optimum:
    """Return one end: every number of predicted positives is tried, or those around the best."""
    nothing = Optimum(np.nan, (), total)
    if not spans:
        return nothing
    fill = float(fill_value(measure, total, filling, largest=sign > 0))
    every = total <= EVERY_DRAW
    if every:
        draws = np.concatenate([np.arange(first, last + 1) for first, last in spans])
    else:
        draws = _around_the_best(measure, total, positives, spans, fill, tries, sign)
    values = expected_best(measure, total, positives, draws, tries, fill)
    if np.isnan(values).all():
        return nothing
    best = float(np.nanmax(sign * values)) * sign
    at_best = draws[np.abs(values - best) <= TIE * max(abs(best), 1.0)]
    return Optimum(best, runs(at_best), total, every)


def _around_the_best(
    measure: Measure,
    total: int,
    positives: int,
    spans: list[tuple[int, int]],
    fill: float,
    tries: int,
    sign: float,
) -> IntArray:
    """Return numbers to try: a grid, then closer and closer around the best."""
    first, last = spans[0][0], spans[-1][1]
    share = np.unique(np.geomspace(1, last - first + 1, GRID).astype(np.int64)) - 1
    draws = np.unique(np.concatenate((first + share, np.linspace(first, last, GRID).astype(np.int64))))
    while True:
        values = sign * expected_best(measure, total, positives, draws, tries, fill)
        at = int(np.nanargmax(values))
        low, high = int(draws[max(at - 1, 0)]), int(draws[min(at + 1, len(draws) - 1)])
        closer = np.unique(np.linspace(low, high, GRID).astype(np.int64))
        if high - low < GRID:
            return np.unique(np.concatenate((draws, np.arange(low, high + 1))))
        draws = np.unique(np.concatenate((draws, closer)))


def expected_best(
    measure: Measure, total: int, positives: int, draws: IntArray, tries: int, fill: float = np.nan
) -> FloatArray:
    """Return for each k what the best of so many tries expects; nan where an outcome has no value."""
    expected = np.empty(len(draws))
    m, p = (np.full(draws.shape, size, dtype=np.int64) for size in (total, positives))
    low, high = hg.support(m, p, draws)
    for rows in tracked(list(_blocks(high - low + 1)), len(draws), len, "draws"):
        tp = low[rows, None] + np.arange(int((high - low)[rows].max()) + 1)
        inside = tp <= high[rows, None]
        tp = np.minimum(tp, high[rows, None])
        k = draws[rows, None]
        with np.errstate(all="ignore"):
            values = measure.values(tp, k - tp, positives - tp, total - positives - k + tp)
        values = np.where(np.isfinite(values), values, fill)
        law_m, law_p, law_k = np.broadcast_arrays(m[rows, None], p[rows, None], k, tp)[:3]
        weight = np.where(inside, hg.pmf(tp, law_m, law_p, law_k), 0.0)
        expected[rows] = _best_of(values, weight, tries, least=measure.greater_is_better is False)
    return expected


def _best_of(values: FloatArray, weight: FloatArray, tries: int, *, least: bool) -> FloatArray:
    """Return the expectation of the best of so many independent draws from the law in each row."""
    order = np.argsort(values if least else -values, axis=1, kind="stable")
    values, weight = (np.take_along_axis(side, order, axis=1) for side in (values, weight))
    reached = np.minimum(np.cumsum(weight, axis=1), 1.0)  # a try does at least this well
    with np.errstate(divide="ignore"):
        at_least_one = -np.expm1(tries * np.log1p(-reached))  # one of the tries does
    at_least_one[:, -1] = 1.0
    share = np.diff(at_least_one, axis=1, prepend=0.0)
    best: FloatArray = np.where(share > 0, share * values, 0.0).sum(axis=1)
    return np.where((np.isnan(values) & (weight > 0)).any(axis=1), np.nan, best)


def _blocks(widths: IntArray) -> Iterator[IntArray]:
    start = 0
    while start < len(widths):
        size = max(1, CELLS // max(int(widths[start:].max()), 1))
        yield np.arange(start, min(start + size, len(widths)))
        start += size
