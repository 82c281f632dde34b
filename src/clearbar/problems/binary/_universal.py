"""The universal p-value: how likely is the luckiest feature-blind classifier to do this well?

No classifier that ignores its input reaches a score with a probability above the largest that any
draw has (theorem T4: apply the optimality of the draws to the measure "score reached"). For a
measure that more TP never hurts and more FP never helps, the tail at a fixed TP only grows with k,
so only the largest k at which that TP still reaches the score can be the maximum.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.distributions import hypergeometric as hg
from clearbar.distributions.null import least_true, reach_probability, reaches
from clearbar.problems._protocol import Tail

MOST_CANDIDATES = 2**17
"""Candidate draws of one population up to which all are tried."""

MOST_OUTCOMES = 2**24
"""Tables up to which all draws of one population are looked at, for a measure without structure."""

CHUNK = 2**18
"""Candidates held in memory at once."""

SPLIT = 2**10
"""Blocks that are split together."""

GAP = 1e-12
"""Relative distance at which an upper bound has met the best value found."""


def universal_p_value(
    measure: Measure, total: Any, positives: Any, score: Any, *, fill: Any = np.nan
) -> Tail:
    """Return the largest probability with which any draw attains a score."""
    arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.float64) for a in (total, positives, score, fill)))
    shape = arrays[0].shape
    rows = np.stack([a.reshape(-1) for a in arrays])
    distinct, back = np.unique(rows, axis=1, return_inverse=True)
    m, p = distinct[0].astype(np.int64), distinct[1].astype(np.int64)
    upper, lower = _distinct(measure, m, p, distinct[2], distinct[3])
    back = back.reshape(shape)
    return Tail(upper[back], lower[back])


def _distinct(
    measure: Measure, m: IntArray, p: IntArray, s: FloatArray, fill: FloatArray
) -> tuple[FloatArray, FloatArray]:
    upper, lower = np.full(m.shape, np.nan), np.full(m.shape, np.nan)
    known = ~np.isnan(s)
    structured = known & _is_ordered(measure, fill)
    small = structured & (p + 1 <= MOST_CANDIDATES)
    rows = np.flatnonzero(small)
    upper[rows] = lower[rows] = _by_candidates(measure, m[rows], p[rows], s[rows], fill[rows])
    for i in _one_by_one(structured & ~small):
        upper[i], lower[i] = _bracket(measure, int(m[i]), int(p[i]), float(s[i]), float(fill[i]))
    for i in _one_by_one(known & ~structured):
        upper[i], lower[i] = _by_draws(measure, int(m[i]), int(p[i]), float(s[i]), float(fill[i]))
    return upper, lower


def _one_by_one(chosen: BoolArray) -> Iterator[int]:
    """Generate populations of which each is a search of its own."""
    rows = np.flatnonzero(chosen).tolist()
    return tracked(rows, len(rows), lambda _: 1, "p-values")


def _is_ordered(measure: Measure, fill: FloatArray) -> BoolArray:
    """Return where candidates serve: the order in TP and FP is known, and no fill disturbs it."""
    ordered = measure.better_with_tp and measure.worse_with_fp
    return np.asarray(ordered & (np.isnan(fill) | _undefined_by_margins(measure)))


def _undefined_by_margins(measure: Measure) -> bool:
    """Tell whether all outcomes of a draw have a value, or none: then only k = 0 and k = M matter."""
    return measure.in_catalogue and measure.domain.on_margins


def _by_candidates(measure: Measure, m: IntArray, p: IntArray, s: FloatArray, fill: FloatArray) -> FloatArray:
    best = _at_the_edges(measure, m, p, s, fill)
    parts = hg.cuts(p + 1, CHUNK)
    for part in tracked(parts, len(p), lambda part: part.stop - part.start, "p-values"):
        row, tp, start = hg.laid_out(p[part] + 1)
        tails = _candidate_tails(measure, m[part][row], p[part][row], s[part][row], tp)
        best[part] = np.maximum(best[part], np.maximum.reduceat(tails, start))
    return best


def _at_the_edges(measure: Measure, m: IntArray, p: IntArray, s: FloatArray, fill: FloatArray) -> FloatArray:
    """Try the first and last draws themselves: there a formula may have no value but the policy's."""
    k = np.stack((np.zeros_like(m), np.minimum(1, m), np.maximum(m - 1, 0), m))
    best: FloatArray = reach_probability(measure, m, p, k, s, fill=fill).max(axis=0)
    return best


def _candidate_tails(measure: Measure, m: IntArray, p: IntArray, s: FloatArray, tp: IntArray) -> FloatArray:
    """Return P(TP >= tp) under the largest k at which that TP still reaches the score."""
    k = _largest_draw(measure, m, p, s, tp)
    tails = np.zeros(tp.shape)
    drawn = k >= 0
    tails[drawn] = hg.tail_ge(tp[drawn], m[drawn], p[drawn], k[drawn])
    return tails


def _largest_draw(measure: Measure, m: IntArray, p: IntArray, s: FloatArray, tp: IntArray) -> IntArray:
    """Return the largest k whose score with this TP reaches s, -1 where none does."""
    n = m - p

    def fails(fp: IntArray, rows: Any) -> BoolArray:
        cells = tp[rows], fp, p[rows] - tp[rows], n[rows] - fp
        return ~reaches(measure, cells, measure.values(*cells), s[rows], m[rows])

    # Without a single prediction many formulas have no value; the edges are tried on their own.
    low = np.minimum((tp == 0).astype(np.int64), n)
    beyond = least_true(fails, low, n, np.full_like(n, -1))
    return np.where(beyond > low, tp + beyond - 1, -1)


def is_below(
    measure: Measure, total: int, positives: int, score: float, alpha: float, *, fill: float = np.nan
) -> bool:
    """Return whether the universal p-value of a score is below alpha, which needs no exact maximum."""
    if _is_ordered(measure, np.array([fill]))[0] and positives > SPLIT:
        return _bracket(measure, total, positives, score, fill, alpha)[0] < alpha
    return float(universal_p_value(measure, total, positives, score, fill=fill).upper) < alpha


def _bracket(
    measure: Measure, total: int, positives: int, score: float, fill: float, alpha: float = np.nan
) -> tuple[float, float]:
    """Tail the maximum by branch and bound over blocks of TP.

    Within a block [a, b] no tail exceeds P(TP >= a) under the largest k of b: tails rise in k and
    fall in TP. The blocks with the highest bounds are split first; those that cannot beat the best
    value found are dropped. No shape is assumed, so the upper end is certified wherever it stops;
    with a level alpha it stops as soon as both ends lie on one side of it.
    """
    margins = np.array([total]), np.array([positives])
    scores = np.array([score])
    best = float(_at_the_edges(measure, *margins, scores, np.array([fill]))[0])

    def bounds(a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
        m, p, s = (np.broadcast_to(x, b.shape) for x in (*margins, scores))
        k = _largest_draw(measure, m, p, s, b)
        reached = k >= 0
        k = np.maximum(k, 0)
        upper = np.where(reached, hg.tail_ge(a, total, positives, k), 0.0)
        return upper, np.where(reached, hg.tail_ge(b, total, positives, k), 0.0)

    a, b = _first_blocks(positives)
    upper, attained = bounds(a, b)
    spent = len(a)
    while True:
        best = max(best, float(attained.max(initial=0.0)))
        keep = upper > best * (1 + GAP)
        a, b, upper = a[keep], b[keep], upper[keep]
        wide = np.flatnonzero(b > a)
        highest = max(best, float(upper.max(initial=0.0)))
        if not wide.size or spent >= MOST_CANDIDATES or best >= alpha or highest < alpha:
            return highest, best
        wide = wide[np.argsort(-upper[wide], kind="stable")[: max(SPLIT, len(wide) // 4)]]
        middle = a[wide] + (b[wide] - a[wide]) // 2
        left, right = np.concatenate((a[wide], middle + 1)), np.concatenate((middle, b[wide]))
        higher, attained = bounds(left, right)
        spent += len(left)
        a = np.concatenate((np.delete(a, wide), left))
        b = np.concatenate((np.delete(b, wide), right))
        upper = np.concatenate((np.delete(upper, wide), higher))


def _first_blocks(positives: int) -> tuple[IntArray, IntArray]:
    """Cover 0..P by blocks that are narrow at both ends, where the law changes fastest."""
    geometric = np.geomspace(1, positives, 512)
    edges = np.concatenate((np.linspace(0, positives, 513), geometric, positives - geometric))
    first = np.unique(np.clip(edges, 0, positives).astype(np.int64))
    return first, np.append(first[1:] - 1, positives)


def _by_draws(measure: Measure, total: int, positives: int, score: float, fill: float) -> tuple[float, float]:
    """Try every draw, or where that is too much a grid of them, with 1 as the certified bound."""
    ordered = measure.better_with_tp or measure.convex_in_tp
    k = np.arange(min(total, MOST_CANDIDATES) + 1)
    low, high = hg.support(total, positives, k)
    every = total <= MOST_CANDIDATES and (ordered or int((high - low + 1).sum()) <= MOST_OUTCOMES)
    if not every:
        k = np.unique(np.linspace(0, total, 257).astype(np.int64))
        low, high = hg.support(total, positives, k)
        k = k if ordered else k[np.cumsum(high - low + 1) <= MOST_OUTCOMES]
    tails = reach_probability(measure, total, positives, k, score, fill=fill)
    best = float(np.nan_to_num(tails).max(initial=0.0))
    return (best if every else 1.0), best
