"""Measures that are functions of precision and recall alone."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, Undefined
from clearbar.core.counts import Counts
from clearbar.problems.combine._sums import SAME

TINY = 1e-150
"""Stands for a precision or recall of 0 beside one that is not."""

WEIGHTS = (1.0, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1)
"""Shares of precision, beside recall, in the sums of the two that a score needs."""

STEPS = 2**12
"""Values of recall at which the least precision is found."""


@functools.lru_cache(maxsize=1024)
def combines(measure: Measure) -> bool:
    """Return whether a measure is a function of precision and recall: of the ratios of TP, FP and FN.

    Found out on some tables: TN must not matter, nor the scale of the other three.
    """
    sizes = np.array([0, 1, 2, 3, 7, 20], dtype=np.float64)
    tp, fp, fn = (grid.ravel() for grid in np.meshgrid(sizes, sizes, sizes, indexing="ij"))
    keep = (tp > 0) | ((fp > 0) & (fn > 0))
    tp, fp, fn = tp[keep], fp[keep], fn[keep]
    own = measure.values(tp, fp, fn, np.full(tp.shape, 5.0))
    for scale, tn in ((1.0, 0.0), (1.0, 11.0), (2.0, 5.0), (3.0, 40.0)):
        other = measure.values(scale * tp, scale * fp, scale * fn, np.full(tp.shape, tn))
        if not np.allclose(own, other, rtol=1e-12, atol=1e-14, equal_nan=True):
            return False
    nothing = own[tp == 0]
    return bool(np.isfinite(own).all() and (nothing == nothing[0]).all())


def from_pair(measure: Measure, precision: Any, recall: Any) -> FloatArray:
    """Return a measure at a precision and a recall, which no table need have together."""
    x, y = np.broadcast_arrays(np.asarray(precision, dtype=np.float64), np.asarray(recall, dtype=np.float64))
    none = (x == 0) & (y == 0)
    # tp : fp : fn = 1 : 1/x - 1 : 1/y - 1, times xy. Where both are 0 nothing was found; where one is, by
    # a policy for empty folds, the other must not be lost.
    u, v = np.maximum(x, TINY), np.maximum(y, TINY)
    cells = u * v, v * (1 - u), u * (1 - v)
    tp, fp, fn = (np.where(none, empty, cell) for empty, cell in zip((0.0, 1.0, 1.0), cells, strict=True))
    values = measure.values(tp, fp, fn, np.ones(x.shape))
    values = np.where(np.abs(values) <= TINY**0.5, 0.0, values)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, values)


def lines(measure: Measure, score: float) -> list[tuple[float, float]]:
    """Return (w, c): a score reached means that w * precision + (1 - w) * recall >= c.

    The least precision that reaches the score falls as recall rises. Between two neighbouring values of
    recall, no pair that reaches it lies below the least precision at the larger and the smaller recall.
    """
    sign = -1.0 if measure.greater_is_better is False else 1.0
    target = sign * score - SAME * max(abs(score), 1.0)
    recall = np.linspace(0.0, 1.0, STEPS + 1)
    low, high = np.zeros(STEPS), np.ones(STEPS)
    never = sign * from_pair(measure, high, recall[1:]) < target
    for _ in range(60):
        middle = (low + high) / 2
        reached = sign * from_pair(measure, middle, recall[1:]) >= target
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    least = np.where(never, np.inf, low)
    return [(w, float((w * least + (1 - w) * recall[:-1]).min())) for w in WEIGHTS]


def precision_and_recall(measure: Measure, counts: Counts, policy: Undefined) -> FloatArray:
    """Return precision and recall of every fold, with the policy's value where there is none."""
    tp = np.asarray(counts.tp, dtype=np.float64)
    sizes = np.stack([counts.predicted_positives, counts.positives]).astype(np.float64)
    fill = pair_fill(measure, policy)
    ratios: FloatArray = np.divide(tp, sizes, out=np.full(sizes.shape, fill), where=sizes > 0)
    return ratios


def pair_fill(measure: Measure, policy: Undefined) -> float:
    """Return what a precision or recall without a value counts as; nan where it counts as nothing."""
    if policy == "exclude":
        return math.nan
    if policy == "worst":
        return 0.0
    return 1.0 - float(policy) if measure.greater_is_better is False else float(policy)
