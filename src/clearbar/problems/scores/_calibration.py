"""Miscalibration and discrimination of probabilities (CORP)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.scores._measure import Ranking


def recalibrated(positives: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the shares of positives of scores in ascending order, pooled until they rise as well."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(positives / sizes, weights=sizes).x)


def _log_loss(p: FloatArray, positives: FloatArray, sizes: FloatArray) -> float:
    """Return the log loss of probabilities as they are: infinite where one of 0 or 1 was wrong."""
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = np.where(positives > 0, positives * np.log(p), 0.0)
        misses = np.where(sizes > positives, (sizes - positives) * np.log1p(-p), 0.0)
    return float(0 - (hits + misses).sum() / sizes.sum())


def _brier_score(p: FloatArray, positives: FloatArray, sizes: FloatArray) -> float:
    return float((positives * (1 - p) ** 2 + (sizes - positives) * p**2).sum() / sizes.sum())


LOSSES: dict[str, Callable[[FloatArray, FloatArray, FloatArray], float]] = {
    "log_loss": _log_loss,
    "brier_score": _brier_score,
}


class Parts(NamedTuple):
    """A loss as miscalibration - discrimination + uncertainty; the last is the bar."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def parts_of(name: str, ranking: Ranking) -> Parts:
    """Return the parts of a loss."""
    scores, sizes = ranking.scores[::-1], ranking.sizes[::-1].astype(np.float64)
    positives, loss = ranking.positives[::-1].astype(np.float64), LOSSES[name]
    score = loss(scores, positives, sizes)
    after = loss(recalibrated(positives, sizes), positives, sizes)
    share = np.full(len(sizes), positives.sum() / sizes.sum())
    bar = loss(share, positives, sizes)
    return Parts(score, score - after, bar - after, bar)
