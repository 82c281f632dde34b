"""By how much is the bar cleared? The papers' rescaled score."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar._typing import BoolArray, FloatArray
from clearbar.baseline import Baseline, Judged

TIE = 1e-12
"""Share of a measure's own scale below which a score and its bar are the same."""


def ties(score: Any, bar: Any, best_possible: Any, worst_draw: Any) -> BoolArray:
    """Return where a score is its bar, up to rounding.

    Parameters
    ----------
    score, bar, best_possible, worst_draw : array_like
        Numbers of one measure; nan leaves a scale out.

    Returns
    -------
    ndarray of bool
    """
    with np.errstate(invalid="ignore"):
        reach = np.abs(np.subtract(best_possible, worst_draw))
        reach = np.where(np.isfinite(reach), reach, 0.0)
        scale = np.fmax(np.fmax(np.abs(score), np.abs(bar)), reach)  # fmax passes over a nan
        return np.asarray(np.abs(np.subtract(score, bar)) <= TIE * scale)


def rescaled(measure: Judged, score: Any, bar: Any, best_possible: Any, worst_draw: Any) -> FloatArray:
    """Return the skill of scores: 0 at the bar, 1 at the best possible score.

    Parameters
    ----------
    measure : Measure
        Gives orientation and bounds.
    score, bar, best_possible, worst_draw : array_like
        The score, the bar, the score of perfect predictions and the worst expected score of a draw.

    Returns
    -------
    ndarray of float64
        -1 at or beyond the worst draw where that differs from the bar, otherwise scaled by the
        measure's own bound. nan where a number it needs is missing or infinite.

    References
    ----------
    van de Bijl et al., The Dutch Draw, J. Appl. Prob. 2024, section 5.1; losses are mirrored by
    sign.
    """
    sign = -1.0 if measure.greater_is_better is False else 1.0
    bound = measure.bounds[0] if sign > 0 else -measure.bounds[1]
    same = ties(score, bar, best_possible, worst_draw)
    s, d, b, w = (sign * np.asarray(x, dtype=np.float64) for x in (score, bar, best_possible, worst_draw))
    with np.errstate(invalid="ignore", divide="ignore"):
        above = np.where(b > d, (s - d) / (b - d), np.nan)
        apart = ~ties(d, w, b, w) & (d > w)
        scale = np.where(apart, d - w, d - bound if np.isfinite(bound) else np.nan)
        below = np.where(scale > 0, np.maximum((s - d) / scale, -1.0), np.nan)
        found = np.where(same, 0.0, np.where(s > d, above, below))
    return np.where(np.isnan(s) | np.isnan(d) | ~np.isfinite(b), np.nan, found)


def skill(score: Any, baseline: Baseline) -> Any:
    """Return how far a score lies above its bar, as a share of what was possible.

    Parameters
    ----------
    score : float or array_like
        Scores of the baseline's measure on the baseline's population.
    baseline : Baseline
        The bar.

    Returns
    -------
    float or ndarray
        0 at the bar, 1 at the best possible score, -1 at the worst draw; nan where there is no bar
        or no best possible score.

    Raises
    ------
    ValueError
        If `baseline` is not a `Baseline`.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.skill(0.8, cb.baseline(cb.Population(100, 30), "f1")), 3)
    0.629
    """
    if not isinstance(baseline, Baseline):
        msg = f"baseline must be what cb.baseline(...) returns; found {type(baseline).__name__}."
        raise ValueError(msg)
    try:
        score = np.asarray(score, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"score must be a number or an array of them; found {score!r:.60}.") from None
    found = rescaled(baseline.measure, score, baseline.value, baseline.best_possible, baseline.worst_value)
    return float(found) if found.ndim == 0 else found
