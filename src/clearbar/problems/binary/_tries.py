"""What the best of several tries of a draw expects: each predicts as many positive, at random anew."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from decimal import localcontext
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import DIGITS, Measure, NotExact, to_decimal
from clearbar.core._numbers import whole_number
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import shown
from clearbar.null import Exact, cells_at
from clearbar.null import hypergeometric as hg
from clearbar.problems.binary._optimum import Optimum, runs
from clearbar.problems.binary._policy import Filling, exact_fill, fill_value
from clearbar.problems.binary._steps import compare

EVERY_DRAW = 2_000
"""Samples up to which every number of predicted positives is tried."""

GRID = 257
"""Of more samples, the numbers that are tried first; then as many around the best of them, and so on."""

CELLS = 2**20
"""Outcomes that are looked at together."""

NEAR = 1e-12
"""How near shortfalls are, relative to their logarithm, that rounding could have parted."""

SAME = 4e-15
"""How near, relative to the best, two scores are that are the same but for rounding."""

EXACT_BITS = 2**24
"""Bits of whole numbers up to which expectations that are this near are compared exactly."""

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
    best = best_of_tries(measure, total, positives, draws, tries, fill)
    if np.isnan(best.mean).all():
        return nothing
    at_end = best.at_end(upper=(sign > 0) == (measure.greater_is_better is not False))
    near = draws[at_end]
    chosen = _exact_ends(measure, total, positives, near, tries, filling, sign)
    value = float(best.mean[at_end][np.nanargmax(sign * best.mean[at_end])])
    return Optimum(value, runs(near if chosen is None else chosen), total, every)


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
    return best_of_tries(measure, total, positives, draws, tries, fill).mean


class BestOfTries(NamedTuple):
    """What the best of tries expects, for each k, and what it lacks, on average, of the best score there is.

    Expectations that agree to all digits may still differ: of 17 tries of 8 of 9 samples all miss a single
    positive with probability 6e-17. So the shortfall is kept, a sum without cancellation, as a logarithm.
    """

    mean: FloatArray
    top: FloatArray  # the best score of each k, of a loss its negative
    log_missing: FloatArray  # what is missing of it

    def at_end(self, *, upper: bool) -> BoolArray:
        """Return which k lack least, or most: all that rounding could have parted from the best."""
        highest = np.nanmax(self.top)
        below = highest - self.top
        below = np.where(below <= SAME * max(abs(highest), 1.0), 0.0, below)
        with np.errstate(divide="ignore"):
            lacking = np.logaddexp(np.log(below), self.log_missing)
        end = np.nanmin(lacking) if upper else np.nanmax(lacking)
        if np.isinf(end):  # nothing at all
            return np.asarray(lacking == end)
        return np.asarray(np.abs(lacking - end) <= NEAR * max(abs(end), 1.0))


def best_of_tries(
    measure: Measure, total: int, positives: int, draws: IntArray, tries: int, fill: float = np.nan
) -> BestOfTries:
    """Return the law's answers for each k; nan where an outcome has no value."""
    found = BestOfTries(*np.empty((3, len(draws))))
    m, p = (np.full(draws.shape, size, dtype=np.int64) for size in (total, positives))
    low, high = hg.support(m, p, draws)
    sign = -1.0 if measure.greater_is_better is False else 1.0
    for rows in tracked(list(_blocks(high - low + 1)), len(draws), len, "draws"):
        tp = low[rows, None] + np.arange(int((high - low)[rows].max()) + 1)
        inside = tp <= high[rows, None]
        tp = np.minimum(tp, high[rows, None])
        k = draws[rows, None]
        with np.errstate(all="ignore"):
            values = measure.values(tp, k - tp, positives - tp, total - positives - k + tp)
        values = sign * np.where(np.isfinite(values), values, fill)
        law_m, law_p, law_k = np.broadcast_arrays(m[rows, None], p[rows, None], k, tp)[:3]
        weight = np.where(inside, hg.pmf(tp, law_m, law_p, law_k), 0.0)
        for column, part in zip(found, _best_of(values, weight, tries), strict=True):
            column[rows] = part
    return found._replace(mean=sign * found.mean + 0.0)  # no zero is negative


def _best_of(values: FloatArray, weight: FloatArray, tries: int) -> BestOfTries:
    """Look at the best of so many independent draws from the law in each row; more is better."""
    order = np.argsort(-values, axis=1, kind="stable")
    values, weight = (np.take_along_axis(side, order, axis=1) for side in (values, weight))
    reached = np.minimum(np.cumsum(weight, axis=1), 1.0)  # a try does at least this well
    missed = np.cumsum(weight[:, ::-1], axis=1)[:, ::-1]  # or worse than the one before
    missed = np.concatenate((missed[:, 1:], np.zeros((len(missed), 1))), axis=1)
    with np.errstate(divide="ignore"):
        log_all_miss = tries * np.where(missed < 0.5, np.log(np.minimum(missed, 0.5)), np.log1p(-reached))
        at_least_one = -np.expm1(log_all_miss)  # one of the tries does
        at_least_one[:, -1] = 1.0
        share = np.diff(at_least_one, axis=1, prepend=0.0)
        gaps = values[:, :-1] - values[:, 1:]
        gaps = np.where(gaps > SAME * np.maximum(np.abs(values[:, :-1]), 1.0), gaps, 0.0)
        log_missing = np.logaddexp.reduce(np.log(gaps) + log_all_miss[:, :-1], axis=1, initial=-np.inf)
    mean = np.where(share > 0, share * values, 0.0).sum(axis=1)
    lost = (np.isnan(values) & (weight > 0)).any(axis=1)
    return BestOfTries(*(np.where(lost, np.nan, side) for side in (mean, values[:, 0], log_missing)))


def _exact_ends(
    measure: Measure,
    total: int,
    positives: int,
    draws: IntArray,
    tries: int,
    filling: Filling,
    sign: float,
) -> IntArray | None:
    """Return which of some k are at an end in exact numbers; None where that is too much, or not possible."""
    if len(draws) < 2 or total * min(positives, total - positives) * len(draws) * tries > EXACT_BITS:
        return None
    fill = exact_fill(measure, total, filling, largest=sign > 0)
    try:
        means = [_exact_best(measure, total, positives, int(k), tries, fill) for k in draws]
    except (NotExact, ZeroDivisionError):
        return None
    direction = 1 if sign > 0 else -1
    end = functools.reduce(lambda a, b: b if direction * compare(b, a) > 0 else a, means)
    return draws[[compare(mean, end) == 0 for mean in means]]


def _exact_best(
    measure: Measure, total: int, positives: int, k: int, tries: int, fill: Exact | None
) -> Exact:
    """Return what the best of tries expects, from how many orders have each score as their best."""
    ways: dict[Any, int] = {}
    for tp in range(max(0, k - (total - positives)), min(k, positives) + 1):
        try:
            value = measure.exactly(*map(Fraction, cells_at(tp, total, positives, k)))
        except ZeroDivisionError:
            if fill is None:
                raise
            value = fill
        ways[value] = ways.get(value, 0) + math.comb(positives, tp) * math.comb(total - positives, k - tp)
    below, mean = 0, Fraction(0)
    with localcontext(prec=DIGITS):
        for value in sorted(ways, reverse=measure.greater_is_better is False):
            share = Fraction((below + ways[value]) ** tries - below**tries, math.comb(total, k) ** tries)
            mean = mean + value * (share if isinstance(value, Fraction) else to_decimal(share))
            below += ways[value]
    return mean


def _blocks(widths: IntArray) -> Iterator[IntArray]:
    start = 0
    while start < len(widths):
        size = max(1, CELLS // max(int(widths[start:].max()), 1))
        yield np.arange(start, min(start + size, len(widths)))
        start += size
