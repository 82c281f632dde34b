"""The p-values of ROC AUC: the Mann-Whitney null."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.problems._protocol import Tail
from clearbar.problems.binary import universal_p_value
from clearbar.problems.scores._arrangements import few
from clearbar.problems.scores._bounds import pairs_bound
from clearbar.problems.scores._chance import Chance, by_arrangements
from clearbar.problems.scores._mann_whitney import (
    MOST_TIED_STEPS,
    is_small,
    majorant,
    tied_law,
    tied_steps,
    untied_law,
)
from clearbar.problems.scores._sums import sum_tail

if TYPE_CHECKING:
    from clearbar.problems.scores._measure import ScoreMeasure
    from clearbar.problems.scores._ranking import Ranking

MOST_SAMPLES = 100_000
"""Samples up to which rankings with two distinct scores are all tried."""


def _any(total: int, positives: int, score: float) -> Tail:
    pairs = positives * (total - positives)
    if score <= 0.5 + 1e-12:
        return Tail.exactly(1.0)  # a constant score has 1/2 every time
    wanted = score * pairs
    upper = pairs_bound(total, positives, wanted * (1 - 1e-14) - pairs / 2)
    if is_small(total, positives):
        law = untied_law(total, positives)
        upper = min(upper, majorant(np.arange(pairs + 1.0), law, wanted * (1 - 1e-14)))
        untied = float(law[math.ceil(wanted - 1e-9 * max(1.0, wanted)) :].sum())
    else:
        untied = 0.0
    lower = untied
    if total <= MOST_SAMPLES:  # two groups of ties are labels, and their ROC AUC is the balanced accuracy
        two_groups = universal_p_value(get_measure("balanced_accuracy", "binary"), total, positives, score)
        lower = max(untied, float(two_groups.lower))
    return Tail(max(upper, lower), lower)


def _own(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
    total, positives = ranking.total, ranking.hits
    pairs = positives * (total - positives)
    untied = len(ranking.sizes) == total
    if untied and is_small(total, positives):
        law, wanted = untied_law(total, positives), round(score * pairs)
        return Tail.exactly(float(law[wanted:].sum()))
    if few(ranking.sizes, ranking.hits):
        return by_arrangements(measure, ranking, score)
    if not untied and tied_steps(ranking.sizes, positives) <= MOST_TIED_STEPS:
        law, wanted = tied_law(ranking.sizes, positives), round(2 * score * pairs)
        return Tail.exactly(float(law[wanted:].sum()))
    observed = score * pairs + positives * (positives + 1) / 2
    return sum_tail(ranking.midranks, ranking.sizes, positives, observed, _span(ranking))


def _span(ranking: Ranking) -> float:
    """Return the distance between sums of midranks: a half, unless groups have sizes in common."""
    doubled = np.rint(2 * ranking.midranks).astype(np.int64)
    return float(np.gcd.reduce(np.diff(doubled))) / 2 if len(doubled) > 1 else 1.0


PAIRS = Chance(_any, _own)
