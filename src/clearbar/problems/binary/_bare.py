"""What is known of a bare score, whose table is not: both questions, each answered at its worst.

Question B: no classifier that ignores its input reaches a score with a probability above the largest that any
draw has (theorem T4: apply the optimality of the draws to the measure "score reached"). For a measure that
more TP never hurts and more FP never helps, the tail at a fixed TP only grows with k, so only the largest
k at which that TP still reaches the score can be the maximum. Question A: p is the largest of any table with
this score. Where no table has it to the last digit, those with a score further from the bar count instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.inference import Tail
from clearbar.null import exceedance_probability, least_true, reaches
from clearbar.null import hypergeometric as hg
from clearbar.null.tails import attains, is_threshold, rounding_of

MOST_CANDIDATES = 2**17  # blocks of TP, or draws, that are looked at
MOST_OUTCOMES = 2**24  # tables up to which all draws are looked at, for a measure without structure
BLOCKS = 2**10  # blocks of TP to begin with, and at least so many that are split together
GAP = 1e-12  # relative distance at which an upper bound has met the best value found

SMALL = 10_000  # P times N up to which every such table is tested: there a p-value costs little
TESTED = 32  # of larger ones, the tables that are tested: most with the smallest |T|, some from end to end
MOST_TP = 2**17  # TP for which the weakest table is looked up; of more, some from end to end
SOME_TP = 2**10

UNKNOWN = "p_value needs the confusion matrix: the measure is not known to be ordered in TP and FP"


def universal_p_value(
    measure: Measure,
    total: int,
    positives: int,
    score: float,
    *,
    fill: float = np.nan,
    alpha: float = np.nan,
) -> Tail:
    """Return the largest probability with which any draw attains a score."""
    # With a level alpha no more is known than on which side of it that lies.
    if np.isnan(score):
        return Tail(np.nan, np.nan)
    # A fill disturbs no order where all outcomes of a draw have a value, or none: k = 0 and k = M.
    undisturbed = bool(np.isnan(fill)) or (measure.in_catalogue and measure.domain.on_margins)
    if not (measure.better_with_tp and measure.worse_with_fp and undisturbed):
        return _by_draws(measure, total, positives, score, fill)

    def bounds(a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
        """Bound the tails at each TP of blocks: they rise in k and fall in TP."""
        fp = most_fp(measure, total, positives, score, b)
        k = np.where(fp >= 0, b + fp, 0)
        upper, attained = (np.where(fp >= 0, hg.tail_ge(tp, total, positives, k), 0.0) for tp in (a, b))
        return upper, attained

    # At the first and last draws a formula may have no value but the policy's.
    edges = np.array([0, min(1, total), max(total - 1, 0), total])
    best = float(exceedance_probability(measure, total, positives, edges, score, fill=fill).max())
    # Branch and bound: blocks with the highest bounds are split first, those that cannot beat the best value
    # found are dropped. No shape is assumed, so the upper end holds wherever it stops.
    a = np.unique(np.linspace(0, positives, BLOCKS).astype(np.int64))
    b = np.append(a[1:] - 1, positives)
    upper, attained = bounds(a, b)
    looked_at = len(a)
    while True:
        best = max(best, float(attained.max(initial=0.0)))
        kept = upper > best * (1 + GAP)
        a, b, upper = a[kept], b[kept], upper[kept]
        wide = np.flatnonzero(b > a)
        highest = max(best, float(upper.max(initial=0.0)))
        if not wide.size or looked_at >= MOST_CANDIDATES or best >= alpha or highest < alpha:
            return Tail.between(best, highest)
        wide = wide[np.argsort(-upper[wide], kind="stable")[: max(BLOCKS, len(wide) // 4)]]
        middle = a[wide] + (b[wide] - a[wide]) // 2
        left, right = np.concatenate((a[wide], middle + 1)), np.concatenate((middle, b[wide]))
        higher, attained = bounds(left, right)
        looked_at += len(left)
        a, b = np.append(np.delete(a, wide), left), np.append(np.delete(b, wide), right)
        upper = np.append(np.delete(upper, wide), higher)


def most_fp(measure: Measure, total: int, positives: int, score: float, tp: IntArray) -> IntArray:
    """Return the largest FP with which each TP reaches a score, -1 where none does."""
    negatives = np.full_like(tp, total - positives)

    def fails(fp: IntArray, rows: IntArray) -> BoolArray:
        cells = tp[rows], fp, positives - tp[rows], negatives[rows] - fp
        goal, totals = np.full(fp.shape, score), np.full(fp.shape, total)
        return ~reaches(measure, cells, measure.values(*cells), goal, totals)

    # Without a single prediction many formulas have no value.
    missing = ~np.isfinite(measure.values(0, 0, positives, total - positives))
    low = np.minimum(((tp == 0) & missing).astype(np.int64), negatives)
    beyond = least_true(fails, low, negatives)
    return np.where(beyond > low, beyond - 1, -1)


def _by_draws(measure: Measure, total: int, positives: int, score: float, fill: float) -> Tail:
    """Try every draw, or where that is too much some from end to end, with 1 as the certified bound."""
    k = np.arange(min(total, MOST_CANDIDATES) + 1)
    low, high = hg.support(total, positives, k)
    every = total <= MOST_CANDIDATES and (is_threshold(measure) or (high - low + 1).sum() <= MOST_OUTCOMES)
    if not every:
        k = np.unique(np.linspace(0, total, 257).astype(np.int64))
    tails = exceedance_probability(measure, total, positives, k, score, fill=fill)
    best = float(np.nan_to_num(tails).max(initial=0.0))
    return Tail.between(best, best if every else 1.0)


def bare_p_value(
    measure: Measure,
    total: int,
    positives: int,
    near: float,
    bar: float,
    *,
    far: float | None = None,
    tested: int = TESTED,
) -> Tail:
    """Return the largest two-sided p of any table with a score from `near` the bar to `far`, or that alone.

    If no table has one, all that are further from the bar than `near` count.
    """
    from clearbar.inference.level_curves import is_ordered
    from clearbar.inference.two_rates import methods, p_values

    if np.isnan(bar) or not is_ordered(measure):
        return Tail(np.nan, np.nan, UNKNOWN)
    sign = 1.0 if measure.greater_is_better else -1.0
    better = sign * near >= sign * bar
    tp, fp = _weakest(measure, total, positives, near, better=better)
    if not tp.size:
        return Tail(np.nan, np.nan, "no table of these class sizes has a score like this")
    values = measure.values(tp, fp, positives - tp, total - positives - fp)
    end = near if far is None else far
    within = attains(values, end, greater_is_better=measure.greater_is_better is not better, total=total)
    tp, fp = (tp[within], fp[within]) if within.any() else (tp, fp)
    every = positives < MOST_TP
    if (tested < TESTED or positives * (total - positives) > SMALL) and tp.size > tested:
        nearest = _nearest(measure, total, positives, tp, fp, sign * bar, tested)
        tp, fp, every = tp[nearest], fp[nearest], False
    counts = Counts(tp=tp, fp=fp, fn=positives - tp, tn=total - positives - fp)
    largest = float(np.nanmax(p_values([measure], counts, [np.full(tp.shape, bar)])))
    exact = every and bool((methods(counts) == "exact").all())
    return Tail(largest, largest, method="exact" if exact else "estimated")


def _weakest(
    measure: Measure, total: int, positives: int, score: float, *, better: bool
) -> tuple[IntArray, IntArray]:
    """Return for each TP the table nearest to the bar whose score is this one or further from it."""
    negatives = total - positives
    tp = np.arange(positives + 1) if positives < MOST_TP else _some_tp(positives)

    def past(fp: IntArray, rows: IntArray) -> BoolArray:
        cells = tp[rows], fp, positives - tp[rows], negatives - fp
        rounding = 0.0 if measure.in_catalogue else rounding_of(measure, cells, total)
        no_better: Any = {"greater_is_better": not measure.greater_is_better, "rounding": rounding}
        return attains(measure.values(*cells), score, total=total, **no_better)

    if better:
        fp = most_fp(measure, total, positives, score, tp)
    else:
        fp = least_true(past, np.zeros_like(tp), np.full_like(tp, negatives))
    inside = (fp >= 0) & (fp <= negatives)
    return tp[inside], fp[inside]


def _some_tp(positives: int) -> IntArray:
    """Return TP from end to end, most of them near the ends: few predictions, or misses, tell least."""
    from_end = np.geomspace(1, positives, SOME_TP) - 1
    even = np.linspace(0, positives, SOME_TP)
    return np.unique(np.concatenate((even, from_end, positives - from_end)).astype(np.int64))


def _nearest(
    measure: Measure, total: int, positives: int, tp: IntArray, fp: IntArray, bar: float, tested: int
) -> IntArray:
    """Return positions of the tables with the smallest |T|, and of some from end to end."""
    from clearbar.inference.level_curves import level_curves, signed_root

    p, n = np.full(tp.shape, float(positives)), np.full(tp.shape, float(total - positives))
    curves = level_curves([measure], np.zeros(tp.shape, dtype=np.int64), p, n, np.full(tp.shape, bar))
    t: FloatArray = np.abs(
        signed_root(curves, p, n, tp[:, None].astype(float), fp[:, None].astype(float))[:, 0]
    )
    spread = np.linspace(0, len(tp) - 1, tested // 4).astype(np.int64)
    return np.unique(np.concatenate((np.argsort(t, kind="stable")[: tested - tested // 4], spread)))
