"""By how much is the bar cleared? The papers' rescaled score."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clearbar.core._numbers import numbers
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.null import FINE, ULPS, slack
from clearbar.null import hypergeometric as hg
from clearbar.problems._protocol import Bar, Judged, Problem

SAME = 1e-12
"""Share of the way from the bar to the best possible score that is rounding, unless a sample is less."""

SAMPLE = 1 / 8
"""Share of a sample that is rounding."""

FAILS, CLEARS, TIES, UNBEATABLE, UNDEFINED = range(5)
"""Outcomes: each is overruled by those that stand after it, the first two by the score alone."""

TOGETHER = 2**14
"""Scores looked at together: few enough to stay in a processor's cache."""

NEAR = 16
"""Distance from the bar, in ulp, from which floating point does not tell the sides apart."""

NOTHING = Fraction(1, 10**40)
"""Share of a score below which sixty digits of roots are equal."""


class Standing(NamedTuple):
    """How scores stand to their bars: the skill, and the outcome as a number."""

    skill: FloatArray
    outcome: NDArray[np.int8]


def standing(
    measure: Judged,
    score: Any,
    bar: Any,
    best_possible: Any,
    worst_draw: Any,
    *,
    total: Any = 1,
    rounding: Any = 0.0,
) -> Standing:
    """Return the skill and the outcome of scores.

    van de Bijl et al., The Dutch Draw, J. Appl. Prob. 2024, section 5.1; losses are mirrored by sign.

    0 at the bar, 1 at the best possible score, -1 at or beyond the worst draw where that differs from the
    bar, otherwise scaled by the measure's own bound. nan where a number it needs is missing or infinite.
    Undefined before unbeatable before ties before clears or fails.
    """
    numbers = score, bar, best_possible, worst_draw, total, rounding
    given = (np.asarray(x, dtype=np.float64) for x in numbers)
    arrays = np.broadcast_arrays(*given)
    held = Standing(np.empty(arrays[0].shape), np.empty(arrays[0].shape, dtype=np.int8))
    flat = [array.reshape(-1) for array in arrays]
    skills, outcomes = (part.reshape(-1) for part in held)
    with np.errstate(invalid="ignore", divide="ignore"):
        for part in hg.pieces(skills.size, TOGETHER):
            skills[part], outcomes[part] = _standing(measure, *(array[part] for array in flat))
    return held


def _standing(
    measure: Judged,
    s: FloatArray,
    d: FloatArray,
    b: FloatArray,
    w: FloatArray,
    total: FloatArray,
    rounding: FloatArray,
) -> tuple[FloatArray, NDArray[np.int8]]:
    bound = measure.bounds[0]
    if measure.greater_is_better is False:
        s, d, b, w, bound = -s, -d, -b, -w, -measure.bounds[1]
    reach = np.abs(b - w)
    reach[~np.isfinite(reach)] = 0.0
    share = np.minimum(SAME, SAMPLE / np.maximum(total, 1))
    above, room, gap = s > d, b - d, s - d
    way = np.where(np.isfinite(room), np.abs(room), 0.0)
    same = np.abs(gap) <= np.maximum(share * way, slack(s, total))
    same |= ~above & (-gap <= rounding)
    falls = d - w
    scale = np.where(
        (falls > 0) & ~_level(d, w, reach, share), falls, d - bound if np.isfinite(bound) else np.nan
    )
    skill = np.where(above, gap / np.where(room > 0, room, np.nan), gap / np.where(scale > 0, scale, np.nan))
    np.maximum(skill, -1.0, out=skill)
    skill[same] = 0.0
    missing = np.isnan(s) | np.isnan(d)
    skill[missing | ~np.isfinite(b) | ~np.isfinite(s)] = np.nan
    outcome = above.astype(np.int8)
    outcome[same] = TIES
    outcome[_level(d, b, reach, share)] = UNBEATABLE
    outcome[missing if measure.greater_is_better is not None else slice(None)] = UNDEFINED
    return skill, outcome


def _level(one: FloatArray, other: FloatArray, reach: FloatArray, share: FloatArray) -> BoolArray:
    """Return where two numbers of a bar are the same up to rounding; never where one is missing."""
    scale = np.maximum(np.abs(one), np.abs(other))
    np.maximum(scale, reach, out=scale)
    scale *= share
    return np.asarray(np.abs(one - other) <= scale)


def settled(problem: Problem, bars: Bar, score: FloatArray, standing: Standing) -> Standing:
    """Return how scores stand, where they are near the bar of very many samples exactly."""
    value = np.broadcast_to(np.asarray(bars.value, dtype=np.float64), score.shape)
    many = np.broadcast_to(np.asarray(bars.population.total) >= FINE / ULPS, score.shape)
    if not many.any():
        return standing
    near = many & (np.abs(score - value) <= NEAR * np.spacing(np.maximum(np.abs(score), np.abs(value))))
    for model, group in zip(*np.nonzero(near), strict=True):
        exact = problem.exact(bars.measure, bars[group], int(model), int(group))
        if exact is not None:
            row = model, group
            sign = 1 if bars.measure.greater_is_better else -1
            standing.skill[row], standing.outcome[row] = _exactly(*exact, sign, float(standing.skill[row]))
    return standing


def _exactly(own: Fraction, mean: Fraction, best: Fraction, sign: int, skill: float) -> tuple[float, int]:
    """Return the skill and the outcome of one score."""
    gap, room = sign * (own - mean), sign * (best - mean)
    nothing = NOTHING * max(abs(own), abs(best))
    if abs(gap) <= nothing:
        return 0.0, UNBEATABLE if abs(room) <= nothing else TIES
    if gap > 0:
        return float(gap / room), CLEARS
    return min(skill, 0.0), UNBEATABLE if abs(room) <= nothing else FAILS


def skill(score: Any, baseline: Bar) -> Any:
    """Return how far a score lies above its bar, as a share of what was possible.

    Parameters
    ----------
    score : float or array_like
        Scores of the baseline's measure on the baseline's population.
    baseline : Baseline, or the bar of another problem
        The bar.

    Returns
    -------
    float or ndarray
        0 at the bar, 1 at the best possible score, -1 at the worst draw; nan where there is no bar
        or no best possible score.

    Raises
    ------
    ValueError
        If `baseline` is no bar, or `score` holds something other than numbers.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.skill(0.8, cb.baseline(cb.Population(100, 30), "f1")), 3)
    0.629
    """
    if not all(hasattr(baseline, name) for name in ("measure", "value", "best_possible", "worst_value")):
        raise ValueError(f"baseline must be what cb.baseline(...) returns; found {type(baseline).__name__}.")
    scale = baseline.value, baseline.best_possible, baseline.worst_value
    total, rounding = baseline.population.total, baseline.rounding
    held = standing(baseline.measure, numbers("score", score), *scale, total=total, rounding=rounding).skill
    return float(held) if held.ndim == 0 else held
