"""The best draw where nothing is known of the shape: every k up to a size, then coarse to fine."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from clearbar import hypergeometric as hg
from clearbar._typing import BoolArray, FloatArray, IntArray
from clearbar.baseline._optimum import runs
from clearbar.baseline._steps import TIE, compare
from clearbar.measures import Measure, NotExact
from clearbar.null import exact_mean, moments, values_at
from clearbar.null._tables import cells_at

SCAN_DRAWS = 2**20
"""Draws up to which every one is tried, as long as they need no more than..."""

SCAN_NODES = 2**27
"""...this many evaluations of the measure."""

EXACT_TOTAL = 24
"""Samples up to which a scan compares exact rationals."""

Span = tuple[int, int]
Side = tuple[float, tuple[range, ...], bool]


class Extremes(NamedTuple):
    """The largest and smallest expectation found; None where no draw is admissible."""

    max: Side | None
    min: Side | None


def scan(measure: Measure, total: int, positives: int, spans: list[Span], fill: float) -> Extremes:
    """Return the extreme expectations over the draws of some spans.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    total, positives : int
        The population.
    spans : list of (int, int)
        First and last k of each span to try.
    fill : float
        Value of outcomes without one; with nan, draws that can lead to such an outcome are left out.

    Returns
    -------
    Extremes
        Certified where every k was tried.
    """
    number = sum(last - first + 1 for first, last in spans)
    if not number:
        return Extremes(None, None)
    if number <= SCAN_DRAWS:
        draws = np.concatenate([np.arange(first, last + 1) for first, last in spans])
        margins = np.full(draws.shape, total), np.full(draws.shape, positives), draws
        if int(hg.node_counts(*margins, strided=measure.smooth).sum()) <= SCAN_NODES:
            scores = scores_at(measure, total, positives, draws, fill)
            return _extremes(measure, total, positives, draws, scores, fill)
    return _coarse_to_fine(measure, total, positives, spans, fill)


def scores_at(
    measure: Measure, total: int, positives: int, draws: IntArray, fill: float
) -> FloatArray:
    """Return the expected score of each draw of one population; see `scores_at_margins`.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    total, positives : int
        The population.
    draws : ndarray of int
        Numbers of predicted positives.
    fill : float
        Value of outcomes without one; nan excludes the draw.

    Returns
    -------
    ndarray of float64
    """
    m, p = np.full(draws.shape, total), np.full(draws.shape, positives)
    return scores_at_margins(measure, m, p, draws, fill)


def scores_at_margins(
    measure: Measure, m: IntArray, p: IntArray, k: IntArray, fill: Any
) -> FloatArray:
    """Return the expected score of each draw, nan where the draw is not admissible.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    m, p, k : ndarray of int
        The margins of each draw.
    fill : float or ndarray
        Value of outcomes without one; with nan a draw that can lead to one is not admissible.

    Returns
    -------
    ndarray of float64
    """
    found = moments(measure, m, p, k, fill=fill)
    admissible = (found.undefined == 0) & _ends_defined(measure, m, p, k)
    if measure.requires is not None:
        low, _ = hg.support(m, p, k)
        admissible &= measure.requires.holds(cells_at(low, m, p, k))
    return np.where(admissible | ~np.isnan(fill), found.mean, np.nan)


def _ends_defined(measure: Measure, m: IntArray, p: IntArray, k: IntArray) -> BoolArray:
    """Look at both ends of the support, which a window of the mass may leave out."""
    ends = (np.isfinite(values_at(measure, tp, m, p, k)) for tp in hg.support(m, p, k))
    return np.logical_and(*ends)


def _extremes(
    measure: Measure,
    total: int,
    positives: int,
    draws: IntArray,
    scores: FloatArray,
    fill: float,
    *,
    certified: bool = True,
) -> Extremes:
    if np.isnan(scores).all():
        return Extremes(None, None)
    if total <= EXACT_TOTAL and math.isnan(fill):
        exact = _exact_extremes(measure, total, positives, draws[~np.isnan(scores)])
        if exact is not None:
            return exact
    sides = []
    for best in (np.nanmax(scores), np.nanmin(scores)):
        tied = np.abs(scores - best) <= TIE * abs(best)
        ranges = runs(draws[tied])
        value = _refined(measure, total, positives, ranges[0].start, float(best), fill)
        sides.append((value, ranges, certified))
    return Extremes(*sides)


def _refined(
    measure: Measure, total: int, positives: int, k: int, value: float, fill: float
) -> float:
    """Round the optimal expectation once, where it can be had exactly."""
    if math.isnan(fill):
        try:
            exact = exact_mean(measure, total, positives, k)
        except NotExact:
            return value
        return value if exact is None else float(exact)
    return value


def _exact_extremes(
    measure: Measure, total: int, positives: int, draws: IntArray
) -> Extremes | None:
    try:
        exact = [exact_mean(measure, total, positives, int(k)) for k in draws]
    except NotExact:
        return None
    if any(value is None for value in exact):
        return None
    sides = []
    for best in (max(exact), min(exact)):  # type: ignore[type-var]
        tied = np.array([compare(value, best) == 0 for value in exact])  # type: ignore[arg-type]
        sides.append((float(best), runs(draws[tied]), True))  # type: ignore[arg-type]
    return Extremes(*sides)


FINE = 64
"""Draws next to either end, and around the best ones found, that are all tried."""

COSINE_NODES = 513
REFINED = 8
FAN = 33


def _coarse_to_fine(
    measure: Measure, total: int, positives: int, spans: list[Span], fill: float
) -> Extremes:
    """Look on a grid that is dense at the ends, then refine around the best points of it.

    Finds every optimum of a function without needle-like peaks; it cannot prove that there are none.
    """
    draws = _grid(total, positives)
    draws = draws[_inside(draws, spans)]
    if not draws.size:
        draws = np.array([spans[0][0]])
    scores = scores_at(measure, total, positives, draws, fill)
    for sign in (1, -1):
        draws, scores = _refine(measure, total, positives, spans, fill, draws, scores, sign)
    return _extremes(measure, total, positives, draws, scores, fill, certified=False)


def _grid(total: int, positives: int) -> IntArray:
    ends = np.arange(min(FINE, total) + 1)
    cosine = np.rint((1 - np.cos(np.linspace(0, np.pi, COSINE_NODES))) / 2 * total)
    geometric = np.rint(np.geomspace(1, max(total, 1), 257))
    special = np.array([positives, total - positives, total // 2, total // 3, 2 * total // 3])
    near = (special[:, None] + np.arange(-2, 3)).ravel()
    points = np.concatenate((ends, total - ends, cosine, geometric, total - geometric, near))
    points = points.astype(np.int64)
    return np.unique(points[(points >= 0) & (points <= total)])


def _inside(draws: IntArray, spans: list[Span]) -> BoolArray:
    inside = np.zeros(draws.shape, dtype=bool)
    for first, last in spans:
        inside |= (draws >= first) & (draws <= last)
    return inside


def _refine(
    measure: Measure,
    total: int,
    positives: int,
    spans: list[Span],
    fill: float,
    draws: IntArray,
    scores: FloatArray,
    sign: int,
) -> tuple[IntArray, FloatArray]:
    """Fan out between the neighbours of the best grid points until all integers are tried."""
    while True:
        signed = np.where(np.isnan(scores), -np.inf, sign * scores)
        padded = np.concatenate(([-np.inf], signed, [-np.inf]))
        peaks = np.flatnonzero((signed >= padded[:-2]) & (signed >= padded[2:]) & np.isfinite(signed))
        peaks = peaks[np.argsort(-signed[peaks], kind="stable")[:REFINED]]
        fans = []
        for i in peaks:
            low, high = draws[max(i - 1, 0)], draws[min(i + 1, len(draws) - 1)]
            whole = high - low <= FINE
            fans.append(np.arange(low, high + 1) if whole else np.linspace(low, high, FAN).astype(np.int64))
        new = np.setdiff1d(np.concatenate(fans), draws) if fans else np.zeros(0, dtype=np.int64)
        new = new[_inside(new, spans)]
        if not new.size:
            return draws, scores
        found = scores_at(measure, total, positives, new, fill)
        order = np.argsort(np.concatenate((draws, new)), kind="stable")
        draws = np.concatenate((draws, new))[order]
        scores = np.concatenate((scores, found))[order]
