"""A bare score against its bar: question A, with what is not known, the table, taken at its worst."""

from __future__ import annotations

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.inference.level_curves import is_ordered, level_curves, signed_root
from clearbar.inference.two_rates import methods, p_values
from clearbar.null import least_true
from clearbar.problems._protocol import Tail
from clearbar.problems.binary._universal import most_fp

SMALL = 10_000
"""P times N up to which every such table is tested: there a p-value costs little."""

TESTED = 32
"""Of larger ones, the tables that are tested: most with the smallest |T|, some from end to end."""

MOST_TP = 2**10
"""TP for which the weakest table is looked up; of more, as many from end to end."""

UNKNOWN = "p_value needs the confusion matrix: the measure is not known to be ordered in TP and FP"


def bare_p_value(
    measure: Measure, total: int, positives: int, score: float, bar: float, tested: int = TESTED
) -> Tail:
    """Return the largest two-sided p of any table with this score or one further from the bar."""
    if np.isnan(bar) or not is_ordered(measure):
        return Tail(np.nan, np.nan, UNKNOWN)
    sign = 1.0 if measure.greater_is_better else -1.0
    tp, fp = _weakest(measure, total, positives, score, better=sign * score >= sign * bar)
    if not tp.size:
        return Tail(np.nan, np.nan, "no table of these class sizes has a score like this")
    every = positives < MOST_TP
    if (tested < TESTED or positives * (total - positives) > SMALL) and tp.size > tested:
        chosen = _nearest(measure, total, positives, tp, fp, sign * bar, tested)
        tp, fp, every = tp[chosen], fp[chosen], False
    counts = Counts(tp=tp, fp=fp, fn=positives - tp, tn=total - positives - fp)
    largest = float(np.nanmax(p_values([measure], counts, [np.full(tp.shape, bar)])))
    exact = every and bool((methods(counts) == "exact").all())
    return Tail(largest, largest, method="exact" if exact else "estimated")


def _weakest(
    measure: Measure, total: int, positives: int, score: float, *, better: bool
) -> tuple[IntArray, IntArray]:
    """Return for each TP the table nearest to the bar whose score is this one or further from it."""
    negatives = total - positives
    tp = np.unique(np.linspace(0, positives, min(positives + 1, MOST_TP)).astype(np.int64))

    def past(fp: IntArray, rows: IntArray) -> BoolArray:
        values = measure.values(tp[rows], fp, positives - tp[rows], negatives - fp)
        return (values <= score) if measure.greater_is_better else (values >= score)

    if better:
        fp = most_fp(measure, total, positives, score, tp)
    else:
        fp = least_true(past, np.zeros_like(tp), np.full_like(tp, negatives), np.full_like(tp, -1))
    inside = (fp >= 0) & (fp <= negatives)
    return tp[inside], fp[inside]


def _nearest(
    measure: Measure, total: int, positives: int, tp: IntArray, fp: IntArray, bar: float, tested: int
) -> IntArray:
    """Return positions of the tables with the smallest |T|, and of some from end to end."""
    p, n = np.full(tp.shape, float(positives)), np.full(tp.shape, float(total - positives))
    curves = level_curves([measure], np.zeros(tp.shape, dtype=np.int64), p, n, np.full(tp.shape, bar))
    t: FloatArray = np.abs(
        signed_root(curves, p, n, tp[:, None].astype(float), fp[:, None].astype(float))[:, 0]
    )
    spread = np.linspace(0, len(tp) - 1, tested // 4).astype(np.int64)
    return np.unique(np.concatenate((np.argsort(t, kind="stable")[: tested - tested // 4], spread)))
