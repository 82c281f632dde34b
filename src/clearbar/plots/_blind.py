"""What classifiers that ignore their input get: bands, reach, and the ends of a measure's axis."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.null import Draw, NullDistribution
from clearbar.null.hypergeometric import quantile, support
from clearbar.problems.binary import Baseline, fill_value
from clearbar.verdict import chance_limit

BAND = (0.05, 0.95)
"""Quantiles between which ninety of a hundred draws lie."""

FEW = 60
"""Samples up to which each possible share is marked by a dot."""

EVERY = 200
"""Samples up to which a band has a point for every k."""

POINTS = 101
"""Points of a band beyond that."""

JUDGED = 300
"""Samples up to which the reach is found for measures of scores, by asking for their p-values."""

HALVINGS = 14
"""How often the way is halved then: to the width of a line in a figure."""

SEARCHED = 2_000
"""Samples up to which what chance can reach is found exactly, from all k."""


def grid(total: int, points: int = POINTS) -> IntArray:
    """Return numbers of predicted positives from none to all."""
    if total <= EVERY:
        return np.arange(total + 1)
    return np.unique(np.rint(np.linspace(0, total, points)).astype(np.int64))


def fill_of(bar: Baseline) -> float:
    """Return what an outcome without a value counts as under the bar's policy; nan where it is left out."""
    return float(fill_value(bar.measure, int(bar.population.total), bar.undefined))


def quantiles(null: NullDistribution, levels: tuple[float, ...], fill: float) -> FloatArray:
    """Return quantiles of a score, its outcomes without a value counted as `fill`, or left out."""
    undefined = null.undefined_mass
    if not undefined or math.isnan(fill):
        return np.asarray(null.ppf(np.array(levels)), dtype=np.float64)
    if undefined >= 1.0:
        return np.full(len(levels), fill)
    q = np.array(levels)
    below = np.asarray(null.ppf(np.minimum(q / (1.0 - undefined), 1.0)))
    below = np.where(q <= 1.0 - undefined, below, np.inf)
    beyond = np.asarray(null.ppf(np.clip((q - undefined) / (1.0 - undefined), 0.0, 1.0)))
    return np.where(below <= fill, below, np.where((q > undefined) & (beyond >= fill), beyond, fill))


def band(bar: Baseline, k: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return between which scores ninety of a hundred draws lie, for each number of positives."""
    fill = fill_of(bar)
    limits = [
        quantiles(NullDistribution(bar.measure, Draw(bar.population, int(predicted))), BAND, fill)
        for predicted in k
    ]
    low, high = np.array(limits).T
    return low, high


def reach(bar: Any, alpha: float) -> float:
    """Return how far chance can reach: beyond it no blind classifier gets with a probability of alpha.

    Up to 2,000 samples the least such score; beyond, the best quantile among draws of about fifty
    sizes. Infinite where every score can be reached, nan where it is not known.
    """
    if np.isnan(float(bar.value)):
        return math.nan
    if not (isinstance(bar, Baseline) and isinstance(bar.measure, Measure)):
        return _judged_reach(bar, alpha)
    better = 1.0 if bar.measure.greater_is_better else -1.0
    if int(bar.population.total) <= SEARCHED:
        limit = chance_limit(bar, alpha)
        return better * math.inf if math.isnan(limit) else limit
    k = _telling(int(bar.population.total), bar)
    scores, known = _reached(bar, k, alpha)
    level = 1.0 - alpha if better > 0 else alpha
    fill = fill_of(bar)
    others = [
        quantiles(NullDistribution(bar.measure, Draw(bar.population, predicted)), (level,), fill)[0]
        for predicted in k[~known].tolist()
    ]
    return float(better * np.nanmax(better * np.append(scores[known], others)))


def _reached(bar: Baseline, k: IntArray, alpha: float) -> tuple[FloatArray, BoolArray]:
    """Return what scores chance can reach at each k, and which are known from the true positives alone.

    Those are of a measure that rises with them and has a value whatever the outcome.
    """
    measure, total, positives = bar.measure, int(bar.population.total), int(bar.population.positives)

    def at(tp: IntArray) -> FloatArray:
        scores = measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp)
        return np.asarray(scores, dtype=np.float64)

    low, high = support(total, positives, k)
    ordered = bool(measure.better_with_tp and measure.worse_with_fp)
    with np.errstate(all="ignore"):
        known: BoolArray = ordered & np.isfinite(at(low)) & np.isfinite(at(high))
        return at(quantile(alpha, total, positives, k, upper=True)), known


def _judged_reach(bar: Any, alpha: float) -> float:
    """Halve the way between the bar and the best possible score by the p-values of scores on it."""
    if not hasattr(bar, "judge") or int(bar.population.total) > JUDGED:
        return math.nan
    reached, sure = float(bar.value), float(bar.best_possible)
    chance = bar.judge(sure).p_value_blind if math.isfinite(sure) else math.nan
    if math.isnan(chance):
        return math.nan
    if chance >= alpha:
        return math.inf if sure >= reached else -math.inf
    for _ in range(HALVINGS):
        middle = (reached + sure) / 2
        chance = bar.judge(middle).p_value_blind
        if math.isnan(chance):
            return math.nan
        reached, sure = (middle, sure) if chance >= alpha else (reached, middle)
    return sure


def _telling(total: int, bar: Baseline) -> IntArray:
    """Return about fifty k: evenly spread, closer together at both ends, and those of the bar."""
    steps = np.unique(np.rint(np.geomspace(1, total, 16)).astype(np.int64))
    optimal = [end for part in bar.predicted_positives for end in (part.start, part.stop - 1)]
    return np.unique(
        np.concatenate(
            (
                np.arange(1, 4),
                total - np.arange(1, 4),
                grid(total, 21),
                steps,
                total - steps,
                np.array(optimal, np.int64),
            )
        )
    )


def nearest_draw(bar: Baseline, k: int) -> Draw | None:
    """Return the draw that attains the bar and is closest to k; None where there is no bar."""
    parts = () if bar.best is None else bar.best.predicted_positives
    ends = [min(max(k, part.start), part.stop - 1) for part in parts]
    return Draw(bar.population, min(ends, key=lambda end: abs(end - k))) if ends else None


def ends_of_axis(bar: Any, scores: FloatArray) -> tuple[float, float, bool, bool]:
    """Return the worst and the best end of a measure's axis, and whether either is open.

    The bound of the measure, or where it has none the value at the table with everything wrong; and the score
    of perfect predictions, or the measure's bound. What is open ends a little beyond the last thing that is
    shown.
    """
    measure = bar.measure
    low, high = measure.bounds
    rising = measure.greater_is_better is not False
    bound, other = (low, high) if rising else (high, low)
    worst = bound if math.isfinite(bound) else _all_wrong(bar)
    best = float(bar.best_possible) if rising or measure.greater_is_better is False else math.nan
    best = best if math.isfinite(best) and measure.greater_is_better is not None else other
    shown = np.array([*scores, float(bar.value)])
    shown = shown[np.isfinite(shown)]
    sign = 1.0 if rising else -1.0
    worst, worst_open = _closed(worst, -sign, shown, float(bar.worst_value))
    best, best_open = _closed(best, sign, shown)
    return worst, best, worst_open, best_open


def _closed(end: float, sign: float, shown: FloatArray, known: float = math.nan) -> tuple[float, bool]:
    """Return an end that holds all that is shown, and whether more is known to lie, or may lie, beyond."""
    if math.isfinite(end) and not (sign * np.append(shown, known) > sign * end * (1 + 1e-9)).any():
        return end, False
    if not shown.size:
        return sign, True
    last = float(sign * (sign * shown).max())
    spread = float(np.ptp(shown)) or abs(last) or 1.0
    return last + sign * 0.1 * spread, True


def _all_wrong(bar: Any) -> float:
    if not isinstance(bar.measure, Measure) or not isinstance(bar.population, Population):
        return math.nan
    p, n = bar.population.positives, bar.population.negatives
    return float(bar.measure(tp=p * 0, fp=n, fn=p, tn=n * 0))
