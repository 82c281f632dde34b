"""Coin flips: every sample is called positive with the same probability, whatever it looks like.

A coin first decides how many samples are positive, binomially, and all subsets of that size are then
equally likely: it is a mixture of draws, and what it expects is a sum over them.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._numbers import number_or_nan
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.errors import shown
from clearbar.null import hypergeometric as hg
from clearbar.null import moments, values_at

MOST_DRAWS = 2**14
"""Draws that a mixture is summed over, at the most."""

MOST_NODES = 2**23
"""Evaluations of a measure that a mixture may take, as long as it keeps..."""

FEWEST_DRAWS = 2**8
"""...this many draws."""


class CoinScore(NamedTuple):
    """What a coin scores."""

    mean: float  # expected score, given that it has a value; nan if it never has
    settled: bool  # whether the number of predicted positives alone decides if the score has a value


def probability(name: str, value: Any) -> float:
    """Return a probability, or say that it is none."""
    number = number_or_nan(value)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be a probability from 0 to 1; found {shown(value)}.")
    return number


def coin_score(
    measure: Measure, total: int, positives: int, chance: float, *, fill: float = math.nan
) -> CoinScore:
    """Return what a measure expects of a coin; `fill` is the value of outcomes without one."""
    draws, weight = hg.coin_weights(total, chance, _most_draws(measure, total, positives, chance))
    mean, _, undefined = moments(measure, total, positives, draws, fill=fill, spread=False)
    settled = not math.isnan(fill) or _settled(measure, total, positives, draws, undefined)
    kept = ~np.isnan(mean)
    if not kept.any():
        return CoinScore(math.nan, settled)
    mean, mass = mean[kept], weight[kept]
    if math.isnan(fill):
        mass = mass * (1 - undefined[kept])
    level = np.ptp(mean) == 0
    return CoinScore(float(mean[0]) if level else float(np.dot(mass / mass.sum(), mean)), settled)


def _most_draws(measure: Measure, total: int, positives: int, chance: float) -> int:
    if measure.affine:
        return MOST_DRAWS
    usual = round(total * chance)
    nodes_per_draw = int(hg.node_counts([total], [positives], [usual], strided=measure.smooth)[0])
    return min(max(MOST_NODES // nodes_per_draw, FEWEST_DRAWS), MOST_DRAWS)


def _settled(measure: Measure, total: int, positives: int, draws: IntArray, undefined: FloatArray) -> bool:
    never = undefined == 1
    settled = never | (undefined == 0)
    margins = np.full_like(draws, total), np.full_like(draws, positives), draws
    for tp in hg.support(*margins):  # which a window of the mass may leave out
        settled &= np.isfinite(values_at(measure, tp, *margins)) != never
    return bool(settled.all())
