"""Neighbouring scores as one, where there are so many that a bootstrap need not tell them apart.

Passing the samples from the highest score down, a block ends where either class has come on by 0.5 % of
what is passed of it, or of what is left. Near both ends, and where a class has hardly any sample on the wrong
side, that is every single sample. Against resamples of single scores this moves best thresholds by up to 4 %
of their standard deviation, either way, and other measures by less; quantiles of 999 resamples vary by 8 %.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.scores._ranking import Ranking

FEW = 2_000
"""Distinct scores up to which each stays alone."""

SINGLE = 200
"""Samples of a class at both ends that stay alone; further in, a block holds at most one in so many."""


def in_blocks(ranking: Ranking) -> Ranking:
    """Merge neighbouring scores."""
    if len(ranking.scores) <= FEW:
        return ranking
    passed = ranking.found, ranking.ends - ranking.found
    places = np.stack([_place(count) for count in passed])
    after = np.floor(places)
    start = np.flatnonzero(np.append(True, (np.diff(after, axis=1) > 0).any(axis=0)))
    sizes, positives = (np.add.reduceat(part, start) for part in (ranking.sizes, ranking.positives))
    scores = np.add.reduceat(ranking.scores * ranking.sizes, start) / sizes
    return replace(ranking, scores=scores, sizes=sizes, positives=positives)


def _place(passed: IntArray) -> FloatArray:
    """Number a class's samples so that blocks are a unit long."""
    total = float(passed[-1])

    def from_end(count: FloatArray) -> FloatArray:
        return np.where(count < SINGLE, count, SINGLE * (1 + np.log(np.maximum(count, SINGLE) / SINGLE)))

    near = np.minimum(passed, total - passed)
    place = from_end(near)
    return np.where(passed == near, place, 2 * from_end(np.array(total / 2)) - place)
