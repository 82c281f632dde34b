"""Rankings of folds in which nothing failed."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems._faultless import MOST_FAILURES, Faultless
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._resampled import with_ends


def faultless_rankings(
    measure: ScoreMeasure, rankings: Iterable[Ranking], score: float, seen_once: float
) -> Faultless | None:
    """Return what folds tell that fail nowhere; failures are at the wrong end, and probabilities 0 for 1.

    Folds whose class sizes leave no value count nothing.
    """
    valued = [ranking for ranking in rankings if not math.isnan(measure.value(ranking))]
    sizes = np.array([[ranking.hits, ranking.total - ranking.hits] for ranking in valued])
    failures = np.arange(min(MOST_FAILURES, int(sizes.max())) + 1)
    values = np.stack([_failing(measure, ranking, failures) for ranking in valued])
    worst = measure.bounds[0 if measure.greater_is_better else 1]
    if not math.isfinite(worst):
        worst = float((np.nanmin if measure.greater_is_better else np.nanmax)(values))
    return Faultless(
        score,
        sizes,
        np.ones(len(sizes)),
        values[None],
        worst,
        lambda parts: parts[0],
        bool(measure.greater_is_better),
        seen_once,
    )


def _failing(measure: ScoreMeasure, ranking: Ranking, failures: IntArray) -> FloatArray:
    """Evaluate a fold with so many positives and so many negatives that failed."""
    p, n = np.meshgrid(
        np.minimum(failures, ranking.hits), np.minimum(failures, ranking.total - ranking.hits), indexing="ij"
    )
    moved = np.stack([p.ravel(), n.ravel()], axis=-1)
    return with_ends(measure, ranking, moved, positives_last=True).reshape(p.shape)
