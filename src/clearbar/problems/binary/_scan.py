"""The best draw where nothing is known of the shape: every k is tried, up to a size."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure, NotExact
from clearbar.core._typing import BoolArray, IntArray
from clearbar.distributions import hypergeometric as hg
from clearbar.distributions.null import Exact, cells_at, exact_mean, moments, values_at
from clearbar.problems.binary._coarse import Budget, Scores, coarse_to_fine
from clearbar.problems.binary._optimum import Found, runs
from clearbar.problems.binary._steps import TIE, compare

SCAN_DRAWS = 2**18
"""Draws up to which every one is tried, as long as they need no more than..."""

SCAN_NODES = 2**27
"""...this many evaluations of the measure."""

THIN = 2**10
"""Outcomes of a draw that a search looks at where a measure has kinks and draws are wide: a kink then
costs about 1e-5 of the standard deviation."""

FULL_NODES = 2**22
"""Outcomes that are looked at in the end, at the draws that looked best: those of two draws at least."""

EXACT_SCAN = 24
"""Samples up to which a scan compares exact rationals."""

Span = tuple[int, int]


class Extremes(NamedTuple):
    """The largest and smallest expectation found; None where no draw is admissible."""

    max: Found | None
    min: Found | None


def scan(measure: Measure, total: int, positives: int, spans: list[Span], fill: Exact | None) -> Extremes:
    """Return the extreme expectations over the draws of some spans."""
    number = sum(last - first + 1 for first, last in spans)
    if not number:
        return Extremes(None, None)
    if number <= SCAN_DRAWS:
        draws = np.concatenate([np.arange(first, last + 1) for first, last in spans])
        margins = np.full(draws.shape, total), np.full(draws.shape, positives), draws
        if int(hg.node_counts(*margins, strided=measure.smooth).sum()) <= SCAN_NODES:
            scores = _scores(measure, total, positives, draws, fill)
            return _extremes(measure, total, positives, draws, scores, fill)

    margins = np.array([total]), np.array([positives]), np.array([total // 2])
    widest = int(hg.node_counts(*margins, strided=measure.smooth)[0])
    most = THIN if widest > THIN else None

    def scored(draws: IntArray) -> Scores:
        return _scores(measure, total, positives, draws, fill, spread=most is None, most=most)

    draws, scores = coarse_to_fine(scored, Budget(total, min(widest, THIN)), positives, spans)
    if most is not None:
        draws, scores = _in_full(measure, total, positives, draws, scores, fill, widest)
    return _extremes(measure, total, positives, draws, scores, fill, certified=False)


def _in_full(
    measure: Measure,
    total: int,
    positives: int,
    draws: IntArray,
    scores: Scores,
    fill: Exact | None,
    widest: int,
) -> tuple[IntArray, Scores]:
    """Sum the draws in full that looked best and worst on few of their outcomes."""
    number = max(FULL_NODES // (2 * widest), 1)
    kept = np.flatnonzero(~np.isnan(scores.mean))
    order = kept[np.argsort(scores.mean[kept], kind="stable")]
    chosen = np.unique(np.concatenate((order[:number], order[-number:])))
    full = _scores(measure, total, positives, draws[chosen], fill, spread=False)
    mean, scale = scores.mean.copy(), scores.scale.copy()
    mean[chosen], scale[chosen] = full
    for best in (order[:1], order[-1:]):  # where no kink is met the first impression was right, ties too
        right = np.abs(mean[best] - scores.mean[best]) <= TIE * scale[best]
        level = np.abs(scores.mean[kept] - scores.mean[best]) <= TIE * scores.scale[best]
        chosen = np.union1d(chosen, kept[level & right])
    return draws[chosen], Scores(mean[chosen], scale[chosen])


def _scores(
    measure: Measure,
    total: int,
    positives: int,
    draws: IntArray,
    fill: Exact | None,
    *,
    spread: bool = True,
    most: int | None = None,
) -> Scores:
    m, p = np.full(draws.shape, total), np.full(draws.shape, positives)
    value = np.nan if fill is None else float(fill)
    return scores_at_margins(measure, m, p, draws, value, spread=spread, most=most)


def scores_at_margins(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    k: IntArray,
    fill: Any,
    *,
    spread: bool = True,
    most: int | None = None,
) -> Scores:
    """Return the expected score of each draw, nan where the draw is not admissible."""
    expected = moments(measure, m, p, k, fill=fill, spread=spread, roughly=True, most_nodes=most)
    admissible = (expected.undefined == 0) & _ends_defined(measure, m, p, k)
    if measure.requires is not None:
        low, _ = hg.support(m, p, k)
        admissible &= measure.requires.holds(cells_at(low, m, p, k))
    kept = admissible | ~np.isnan(fill)
    scale = np.abs(expected.mean)
    if spread:
        scale = scale + np.sqrt(np.where(kept, expected.variance, 0.0))
    return Scores(np.where(kept, expected.mean, np.nan), scale)


def _ends_defined(measure: Measure, m: IntArray, p: IntArray, k: IntArray) -> BoolArray:
    """Look at both ends of the support, which a window of the mass may leave out."""
    ends = (np.isfinite(values_at(measure, tp, m, p, k)) for tp in hg.support(m, p, k))
    return np.logical_and(*ends)


def _extremes(
    measure: Measure,
    total: int,
    positives: int,
    draws: IntArray,
    scores: Scores,
    fill: Exact | None,
    *,
    certified: bool = True,
) -> Extremes:
    kept = ~np.isnan(scores.mean)
    if not kept.any():
        return Extremes(None, None)
    if total <= EXACT_SCAN:
        exact = _exact_extremes(measure, total, positives, draws[kept], fill)
        if exact is not None:
            return exact
    draws, means, scale = draws[kept], scores.mean[kept], scores.scale[kept]
    sides = []
    for best in (int(np.argmax(means)), int(np.argmin(means))):
        tied = np.abs(means - means[best]) <= TIE * np.maximum(scale, scale[best])
        ranges = runs(draws[tied]) if certified else _between_neighbours(draws, tied)
        value = _refined(measure, total, positives, ranges[0].start, float(means[best]), fill)
        sides.append(Found(value, ranges, certified))
    return Extremes(*sides)


def _between_neighbours(draws: IntArray, tied: BoolArray) -> tuple[range, ...]:
    """Take the expectation as level between neighbouring draws of a grid that are level."""
    spans = runs(np.flatnonzero(tied))
    return tuple(range(int(draws[part.start]), int(draws[part.stop - 1]) + 1) for part in spans)


def _refined(measure: Measure, total: int, positives: int, k: int, value: float, fill: Exact | None) -> float:
    """Round the optimal expectation once, where it can be had exactly."""
    try:
        exact = exact_mean(measure, total, positives, k, fill=fill)
    except NotExact:
        return value
    return value if exact is None else float(exact)


def _exact_extremes(
    measure: Measure, total: int, positives: int, draws: IntArray, fill: Exact | None
) -> Extremes | None:
    try:
        exact = [exact_mean(measure, total, positives, int(k), fill=fill) for k in draws]
    except NotExact:
        return None
    values = [value for value in exact if value is not None]
    if len(values) < len(exact):
        return None
    sides = []
    for sign in (1, -1):
        best = functools.reduce(lambda a, b: b if sign * compare(b, a) > 0 else a, values)
        tied = np.array([compare(value, best) == 0 for value in values])
        sides.append(Found(float(best), runs(draws[tied])))
    return Extremes(*sides)
