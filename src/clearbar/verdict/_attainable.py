"""The scores that tables of a population have, and the least of them that is no luck."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.null import attains, least_true

MOST_LISTED = 2**22
"""Tables of a population up to which all their scores are listed."""

MOST_POSITIVES = 2**20
"""Positives up to which the next attainable score is found for each TP."""


def least_clearing(measure: Measure, population: Population, sure: Callable[[float], bool]) -> float:
    """Return the worst attainable score that is sure; nan if none is."""
    total, positives = int(population.total), int(population.positives)
    if (positives + 1) * (total - positives + 1) <= MOST_LISTED:
        scores = _all_scores(measure, total, positives).tolist()
        first = bisect.bisect_left(scores, x=True, key=sure)
        return scores[first] if first < len(scores) else math.nan
    if measure.better_with_tp and measure.worse_with_fp and positives <= MOST_POSITIVES:
        return _between(measure, total, positives, sure)
    raise ValueError(
        f"a population of {total:,} samples has too many attainable scores to search for {measure.name}; "
        "ask p_value(score, population, measure) for the score in question."
    )


def next_score(measure: Measure, population: Population, score: float) -> float:
    """Return the next better attainable score; nan where there is none."""
    total, positives = int(population.total), int(population.positives)
    ends = _range_of_scores(measure, total, positives)
    if ends is None or score == ends[1]:
        return math.nan
    everywhere = _no_prediction(positives, total - positives), np.full(positives + 1, total - positives)
    return _next_attainable(measure, total, positives, score, everywhere, strictly=True)[0]


def _all_scores(measure: Measure, total: int, positives: int) -> FloatArray:
    """Return the distinct finite scores of all tables, worst first."""
    tp, fp = np.meshgrid(np.arange(positives + 1), np.arange(total - positives + 1))
    values = measure.values(tp, fp, positives - tp, total - positives - fp)
    distinct: FloatArray = np.unique(values[np.isfinite(values)])
    return distinct if measure.greater_is_better else distinct[::-1]


def _between(measure: Measure, total: int, positives: int, sure: Callable[[float], bool]) -> float:
    """Bisect between the worst and the best attainable score; only attainable ones are asked about.

    Half of the way is taken in the score first and, where that no longer parts two attainable
    scores, the next one up from the unsure end is asked about.
    """
    ends = _range_of_scores(measure, total, positives)
    if ends is None:
        return math.nan
    unsure, certain = ends
    if not sure(certain):
        return math.nan
    if sure(unsure):
        return unsure
    low, high = _no_prediction(positives, total - positives), np.full(positives + 1, total - positives)
    while True:
        middle, beyond = _next_attainable(
            measure, total, positives, unsure + (certain - unsure) / 2, (low, high)
        )
        if middle == certain or abs(middle - unsure) <= 1e-15 * abs(unsure):
            middle, beyond = _next_attainable(measure, total, positives, unsure, (low, high), strictly=True)
            if middle == certain:
                return certain
        if sure(middle):
            certain, low = middle, np.maximum(low, beyond - 1)
        else:
            unsure, high = middle, np.minimum(high, beyond)


def _no_prediction(positives: int, negatives: int) -> IntArray:
    """Return for each TP the least FP looked at: without a single prediction many formulas have no value."""
    least: IntArray = np.minimum((np.arange(positives + 1) == 0).astype(np.int64), negatives)
    return least


def _range_of_scores(measure: Measure, total: int, positives: int) -> tuple[float, float] | None:
    """Return the worst and the best finite score: more TP never hurts, more FP never helps."""
    tp = np.arange(positives + 1)
    n = total - positives
    tables = [measure.values(tp, fp, positives - tp, n - fp) for fp in (0, min(1, n), max(n - 1, 0), n)]
    values = np.concatenate(tables)
    values = values[np.isfinite(values)]
    if not values.size:
        return None
    low, high = float(values.min()), float(values.max())
    return (low, high) if measure.greater_is_better else (high, low)


def _next_attainable(
    measure: Measure,
    total: int,
    positives: int,
    score: float,
    between: tuple[IntArray, IntArray],
    *,
    strictly: bool = False,
) -> tuple[float, IntArray]:
    """Return the attainable score next to this one on the better side, itself included.

    With it, from how many FP on each TP fails to reach it, which is known to lie between two bounds.
    """
    tp = np.arange(positives + 1)
    n = total - positives
    best = measure.greater_is_better

    def reaches(values: Any) -> BoolArray:
        better = attains(values, score, greater_is_better=best, total=total)
        if strictly:
            better &= ~attains(score, values, greater_is_better=best, total=total)
        return better

    def fails(fp: Any, rows: Any) -> BoolArray:
        return ~reaches(measure.values(tp[rows], fp, positives - tp[rows], n - fp))

    low, high = between
    beyond = least_true(fails, low, high, np.full_like(tp, -1))
    valued = beyond > _no_prediction(positives, n)
    values = measure.values(tp[valued], beyond[valued] - 1, positives - tp[valued], n - beyond[valued] + 1)
    alone = measure.values(*np.array([[0], [0], [positives], [n]]))  # that table is looked at on its own
    values = np.concatenate((values[np.isfinite(values)], alone[reaches(alone) & np.isfinite(alone)]))
    return float(values.min() if best else values.max()), beyond
