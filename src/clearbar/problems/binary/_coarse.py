"""A search for extreme expectations where there are too many draws to try each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray

SEARCH_NODES = 2**27
"""Evaluations of the measure that a search may take, about."""

DRAWS = 1_000
"""Draws that a search looks at where that is affordable."""

FEWEST = 12
"""Draws that are looked at whatever one costs."""

ENDS, COSINE, GEOMETRIC, PEAKS, FAN = 64, 513, 257, 8, 33
"""Draws tried next to either end and around what is found; points of the two grids; places that are
refined, and by how many draws a time."""

Span = tuple[int, int]


class Scores(NamedTuple):
    """Expected scores, nan where a draw is not admissible, and the scale of what was averaged.

    A mean near zero of values of size one carries their rounding; ties are taken on that scale.
    """

    mean: FloatArray
    scale: FloatArray


class Budget(NamedTuple):
    """The number of samples, and the evaluations that one wide draw takes."""

    total: int
    nodes: int

    @property
    def draws(self) -> int:
        """How many draws may be looked at."""
        return max(SEARCH_NODES // max(self.nodes, 1), FEWEST)

    def share(self, number: int, least: int) -> int:
        """Return a number of points in proportion to what is affordable."""
        return max(min(number, number * self.draws // DRAWS), least)


def coarse_to_fine(
    scored: Callable[[IntArray], Scores], budget: Budget, positives: int, spans: list[Span]
) -> tuple[IntArray, Scores]:
    """Look on a grid that is dense at the ends, then refine around the best points of it.

    Finds every optimum of a function without needle-like peaks; it cannot prove that there are none.
    """
    draws = _grid(budget, positives)
    draws = draws[_inside(draws, spans)]
    if not draws.size:
        draws = np.array([spans[0][0]])
    scores = scored(draws)
    for sign in (1, -1):
        draws, scores = _refine(scored, budget, spans, draws, scores, sign)
    return draws, scores


def _grid(budget: Budget, positives: int) -> IntArray:
    total = budget.total
    ends = np.arange(min(budget.share(ENDS, 2), total) + 1)
    cosine = np.rint((1 - np.cos(np.linspace(0, np.pi, budget.share(COSINE, 5)))) / 2 * total)
    geometric = np.rint(np.geomspace(1, max(total, 1), budget.share(GEOMETRIC, 3)))
    special = np.array([positives, total - positives, total // 2, total // 3, 2 * total // 3])
    near = (special[:, None] + np.arange(-2, 3) * (budget.draws >= DRAWS)).ravel()
    points = np.concatenate((ends, total - ends, cosine, geometric, total - geometric, near))
    points = points.astype(np.int64)
    return np.unique(points[(points >= 0) & (points <= total)])


def _inside(draws: IntArray, spans: list[Span]) -> BoolArray:
    inside = np.zeros(draws.shape, dtype=bool)
    for first, last in spans:
        inside |= (draws >= first) & (draws <= last)
    return inside


def _refine(
    scored: Callable[[IntArray], Scores],
    budget: Budget,
    spans: list[Span],
    draws: IntArray,
    scores: Scores,
    sign: int,
) -> tuple[IntArray, Scores]:
    """Fan out between the neighbours of the best points until all integers are tried, or enough."""
    left = budget.draws
    while left > 0:
        signed = np.where(np.isnan(scores.mean), -np.inf, sign * scores.mean)
        padded = np.concatenate(([-np.inf], signed, [-np.inf]))
        highest = (signed >= padded[:-2]) & (signed >= padded[2:])
        peaks: IntArray = np.flatnonzero(highest & np.isfinite(signed))
        peaks = peaks[np.argsort(-signed[peaks], kind="stable")[: budget.share(PEAKS, 1)]]
        fans = [_fan(draws, int(i), budget) for i in peaks]
        new = np.setdiff1d(np.concatenate(fans), draws) if fans else np.zeros(0, dtype=np.int64)
        new = new[_inside(new, spans)]
        if not new.size:
            break
        left -= new.size
        new_scores = scored(new)
        order = np.argsort(np.concatenate((draws, new)), kind="stable")
        draws = np.concatenate((draws, new))[order]
        scores = Scores(*(np.concatenate(pair)[order] for pair in zip(scores, new_scores, strict=True)))
    return draws, scores


def _fan(draws: IntArray, peak: int, budget: Budget) -> IntArray:
    """Return the draws between both neighbours of a peak: all of them, or a few."""
    low, high = int(draws[max(peak - 1, 0)]), int(draws[min(peak + 1, len(draws) - 1)])
    if high - low <= budget.share(ENDS, 4):
        return np.arange(low, high + 1)
    return np.linspace(low, high, budget.share(FAN, 5)).astype(np.int64)
