"""Bias-corrected and accelerated bootstrap of the counts (Efron 1987), for measures without an order.

TP and FP are drawn anew from binomials with the observed rates, which is what drawing the samples of each
class anew would do. Of a rate of 0 or 1 that draws nothing new, so that failures are supposed that were not
seen. The answers are approximate.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.problems.binary._policy import scoring
from clearbar.problems.bootstrap import TwoSided, accelerated, acceleration, unseen

RESAMPLES = 9_999
SEED = 20_240_229


def resampled(
    measure: Measure, counts: Counts, *, resamples: int = RESAMPLES, seed: int = 0
) -> TwoSided | None:
    """Resample one table; None where that tells nothing."""
    tp, fp, fn, tn = (float(cell) for cell in counts.cells)
    P, N = tp + fn, fp + tn
    source = np.random.default_rng(SEED + seed)
    x = source.binomial(int(P), tp / P if P else 0.0, resamples).astype(np.float64)
    y = source.binomial(int(N), fp / N if N else 0.0, resamples).astype(np.float64)
    scored = scoring(measure, P, N, "exclude")
    score = float(scored(np.array([tp]), np.array([fp]))[0])
    drawn, supposed = scored(x, y), scored(_varied(x, tp, P, source), _varied(y, fp, N, source))
    known = ~np.isnan(drawn + supposed)
    alike = known.all() and np.ptp(np.concatenate((drawn, supposed))) == 0
    if np.isnan(score) or 2 * np.count_nonzero(known) <= known.size or alike:
        return None
    skewed = acceleration(_left_out(measure, counts))
    return accelerated(score, drawn, skewed, others=supposed)


def _varied(drawn: FloatArray, count: float, size: float, source: np.random.Generator) -> FloatArray:
    """Counts drawn anew; those of a rate of 0 or 1 with failures, or successes, that were not seen."""
    if 0 < count < size or size == 0:
        return drawn
    moved = size * unseen(source.random(drawn.size), int(size))
    return np.asarray(moved if count == 0 else size - moved)


def _left_out(measure: Measure, counts: Counts) -> Iterator[tuple[FloatArray, IntArray]]:
    """Yield the scores without a sample of each cell: of its class, all of a cell are alike."""
    table = np.array([int(cell) for cell in counts.cells])
    left = np.maximum(table[:, None] - np.eye(4), 0.0)
    with np.errstate(all="ignore"):
        scores = measure.values(*left)
    scores /= np.max(np.abs(scores), initial=1.0, where=np.isfinite(scores))  # cubes of it are numbers
    for cells in ([0, 2], [1, 3]):
        kept = [cell for cell in cells if table[cell] > 0 and np.isfinite(scores[cell])]
        yield scores[kept], table[kept]
