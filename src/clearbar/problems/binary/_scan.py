"""The best draw where nothing is known of the shape: every k is tried, up to a size."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure, NotExact
from clearbar.core._typing import BoolArray, IntArray
from clearbar.null import Exact, cells_at, exact_mean, moments, values_at
from clearbar.null import hypergeometric as hg
from clearbar.problems.binary._coarse import Budget, Scores, coarse_to_fine
from clearbar.problems.binary._optimum import Extreme, runs
from clearbar.problems.binary._steps import TIE, compare

SCAN_DRAWS = 2**18
"""Draws up to which every one is tried, as long as they need no more than..."""

SCAN_NODES = 2**27
"""...this many evaluations of the measure."""

THIN = 2**10
"""Outcomes of a draw that a search looks at where a measure has kinks and draws are wide: a kink then
costs about 1e-5 of the standard deviation."""

FULL_NODES = 2**22
"""Outcomes that are looked at in the end, at the draws that looked best: those of two draws at least, or of
larger ones every second, third ... outcome, which moves a kink by less than 1e-5 standard deviations."""

EXACT_SCAN = 24
"""Samples up to which a scan compares exact rationals."""

Span = tuple[int, int]


class Extremes(NamedTuple):
    """The largest and smallest expectation found; None where no draw is admissible."""

    max: Extreme | None
    min: Extreme | None


def scan(measure: Measure, total: int, positives: int, spans: list[Span], fill: Exact | None) -> Extremes:
    """Return the extreme expectations over the draws of some spans."""
    number, looks = sum(last - first + 1 for first, last in spans), _Looks(measure, total, positives, fill)
    if not number:
        return Extremes(None, None)
    if number <= SCAN_DRAWS:
        draws = np.concatenate([np.arange(first, last + 1) for first, last in spans])
        if int(looks.nodes(draws).sum()) <= SCAN_NODES:
            return looks.extremes(draws, looks.scores(draws))

    widest = int(looks.nodes(np.array([total // 2]))[0])
    most = THIN if widest > THIN else None

    def scored(draws: IntArray) -> Scores:
        return looks.scores(draws, spread=most is None, most=most)

    draws, scores = coarse_to_fine(scored, Budget(total, min(widest, THIN)), positives, spans)
    if most is not None:
        draws, scores = looks.in_full(draws, scores, max(FULL_NODES // (2 * widest), 1))
    return looks.extremes(draws, scores, certified=False)


@dataclass(frozen=True)
class _Looks:
    """Expected scores of draws from one population; without a fill only admissible draws have one."""

    measure: Measure
    total: int
    positives: int
    fill: Exact | None

    def _margins(self, draws: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        return np.full(draws.shape, self.total), np.full(draws.shape, self.positives), draws

    def nodes(self, draws: IntArray) -> IntArray:
        """Return how often the measure is evaluated for each draw."""
        return hg.node_counts(*self._margins(draws), strided=self.measure.smooth)

    def scores(self, draws: IntArray, *, spread: bool = True, most: int | None = None) -> Scores:
        """Return the expected scores of draws."""
        fill = np.nan if self.fill is None else float(self.fill)
        return scores_at_margins(self.measure, *self._margins(draws), fill, spread=spread, most=most)

    def exact(self, draw: int) -> Exact | None:
        """Return the expected score of a draw without rounding; None where there is no value."""
        return exact_mean(self.measure, self.total, self.positives, draw, fill=self.fill)

    def in_full(self, draws: IntArray, scores: Scores, number: int) -> tuple[IntArray, Scores]:
        """Sum in full so many draws that looked best on few of their outcomes, and as many worst."""
        kept = np.flatnonzero(~np.isnan(scores.mean))
        order = kept[np.argsort(scores.mean[kept], kind="stable")]
        chosen = np.unique(np.concatenate((order[:number], order[-number:])))
        full = self.scores(draws[chosen], spread=False, most=FULL_NODES // 2)
        mean, scale = scores.mean.copy(), scores.scale.copy()
        mean[chosen], scale[chosen] = full
        for best in (order[:1], order[-1:]):  # where no kink is met the first impression was right, ties too
            right = np.abs(mean[best] - scores.mean[best]) <= TIE * scale[best]
            level = np.abs(scores.mean[kept] - scores.mean[best]) <= TIE * scores.scale[best]
            chosen = np.union1d(chosen, kept[level & right])
        return draws[chosen], Scores(mean[chosen], scale[chosen])

    def extremes(self, draws: IntArray, scores: Scores, *, certified: bool = True) -> Extremes:
        """Return the best and the worst of these draws, and all that are level with them."""
        kept = ~np.isnan(scores.mean)
        if not kept.any():
            return Extremes(None, None)
        if self.total <= EXACT_SCAN:
            exact = self._exact_extremes(draws[kept])
            if exact is not None:
                return exact
        draws, means, scale = draws[kept], scores.mean[kept], scores.scale[kept]
        sides = []
        for best in (int(np.argmax(means)), int(np.argmin(means))):
            tied = np.abs(means - means[best]) <= TIE * np.maximum(scale, scale[best])
            ranges = runs(draws[tied]) if certified else _between_neighbours(draws, tied)
            value = self._rounded_once(ranges[0].start, float(means[best]))
            sides.append(Extreme(value, ranges, certified))
        return Extremes(*sides)

    def _rounded_once(self, draw: int, value: float) -> float:
        """Return the expected score of a draw rounded once, where it can be had exactly."""
        try:
            exact = self.exact(draw)
        except NotExact:
            return value
        return value if exact is None else float(exact)

    def _exact_extremes(self, draws: IntArray) -> Extremes | None:
        try:
            exact = [self.exact(draw) for draw in draws.tolist()]
        except NotExact:
            return None
        values = [value for value in exact if value is not None]
        if len(values) < len(exact):
            return None
        sides = []
        for sign in (1, -1):
            best = functools.reduce(lambda a, b: b if sign * compare(b, a) > 0 else a, values)
            tied = np.array([compare(value, best) == 0 for value in values])
            sides.append(Extreme(float(best), runs(draws[tied])))
        return Extremes(*sides)


def _between_neighbours(draws: IntArray, tied: BoolArray) -> tuple[range, ...]:
    """Take the expectation as level between neighbouring draws of a grid that are level."""
    spans = runs(np.flatnonzero(tied))
    return tuple(range(int(draws[part.start]), int(draws[part.stop - 1]) + 1) for part in spans)


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
