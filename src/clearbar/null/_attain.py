"""When does an outcome attain a score? Comparisons that forgive the last digits."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar._typing import BoolArray, FloatArray

ULPS = 4
"""A number this close to an atom is that atom: both were rounded on the way here."""


def slack(score: Any) -> FloatArray:
    """Return how far from a score a value may lie and still be it.

    Parameters
    ----------
    score : array_like
        Scores.

    Returns
    -------
    ndarray of float64
    """
    magnitude = np.abs(np.asarray(score, dtype=np.float64))
    with np.errstate(invalid="ignore", over="ignore"):
        # an ulp of the atom, which may be the larger number and lie beyond a power of two
        return np.where(np.isfinite(magnitude), ULPS * np.spacing(magnitude * (1 + 2**-50)), 0.0)


def attains(values: Any, score: Any, *, greater_is_better: bool | None) -> BoolArray:
    """Return where raw values are at least as good as a score.

    Parameters
    ----------
    values : array_like
        Raw values; nan attains nothing, an infinity on the better side attains everything.
    score : array_like
        Scores to attain.
    greater_is_better : bool or None
        Orientation; None is read as greater.

    Returns
    -------
    ndarray of bool
    """
    with np.errstate(invalid="ignore"):
        if greater_is_better is False:
            return np.asarray(values <= score + slack(score))
        return np.asarray(values >= score - slack(score))
