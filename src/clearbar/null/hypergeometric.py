"""The number of true positives of a blind prediction: TP ~ Hypergeometric(M, P, k).

Of M samples P are positive, and k are predicted positive at random:

    P(TP = x) = C(P, x) C(N, k - x) / C(M, k),    N = M - P.

Binomial coefficients from log-gamma functions lose all digits where M is large: at M = 1e9 they are numbers
of size 1e10 whose difference is wanted. Written as a deviance (Loader, Fast and accurate computation of
binomial probabilities, 2000) every term is small and nothing cancels:

    log P(TP = x) = log R + S - D, D = sum over the four cells of E phi(d / E),  phi(u) = (1 + u) log(1 + u) -
    u,  E = row total * column total / M, S = e(P) + e(N) + e(k) + e(M - k) - e(M) - sum of e(cell),  e the
    error of Stirling's formula, R = sqrt(P N k (M - k) / M / (2 pi TP FP FN TN)),  with 2 pi n read as 1 for
    an empty cell.

The distance to the mean, d = x - kP/M, is up to its sign the same in all four cells. It is computed with an
exact remainder, since k P / M as a float is off by 1e-4 at M = 1e12.

Nothing here knows of measures or labels. Totals go up to 2**52, where integers are still exact as floats.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from clearbar.core._typing import BoolArray, FloatArray, IntArray

IntLike: TypeAlias = int | np.integer | npt.NDArray[np.integer] | list[int]

DEPTH = 42.0  # what is less likely than exp(-DEPTH) = 6e-19 of the whole is left out
POINTS_AT_ONCE = 4_000  # points of a pmf computed together: the four cells of so many stay in cache
TAILS_AT_ONCE = 2**14  # tails computed together: they are sorted by length, which pays in larger blocks
EMPTY = 1.0 / (2.0 * np.pi)  # count that stands for an empty cell in R, where a filled one contributes 2 pi n
_SIGNS = np.array((1.0, -1.0, -1.0, 1.0))  # how TP, FN, FP and TN change with TP

# Near-minimax polynomial of (atanh(v) - v)/v**3 in v**2 for |v| <= 0.3, highest power first; absolute error
# 3e-16.
_ATANH = (
    *(0.07691497728815577, 0.05442044674332294, 0.06708182781642934, 0.07690059123767135),
    *(0.09090980099792981, 0.11111109857085517, 0.14285714296774152, 0.19999999999962534),
    0.33333333333333354,
)
_ATANH_RANGE = 0.3

# log n! - log(sqrt(2 pi n) (n/e)^n) for n = 0..15, with 2 pi n read as 1 at n = 0.
_STIRLING_FEW = np.array(
    [
        *(0.0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.020790672103765093),
        *(0.016644691189821193, 0.013876128823070748, 0.01189670994589177, 0.010411265261972096),
        *(0.009255462182712733, 0.00833056343336287, 0.007573675487951841, 0.00694284010720953),
        *(0.006408994188004207, 0.0059513701127588475, 0.005554733551962801),
    ]
)

# C(M, k) where it is so small that a probability known to 1e-13 tells which share of it is meant.
_SUBSETS = np.array([[float(max(math.comb(m, k), 1)) for k in range(41)] for m in range(41)])


def as_integers(*numbers: IntLike) -> tuple[IntArray, ...]:
    """Return int64 arrays, not yet broadcast."""
    return tuple(np.asarray(number, dtype=np.int64) for number in numbers)


def support(total: IntLike, positives: IntLike, draws: IntLike) -> tuple[IntArray, IntArray]:
    """Return the smallest and the largest number of true positives that can occur."""
    m, p, k = as_integers(total, positives, draws)
    return np.asarray(np.maximum(k - (m - p), 0)), np.asarray(np.minimum(np.minimum(p, k), m))


def mode(total: IntLike, positives: IntLike, draws: IntLike) -> IntArray:
    """Return the most probable number of true positives, floor((k + 1)(P + 1)/(M + 2)), without overflow."""
    # Of two equally probable ones it is the larger.
    m, p, k = as_integers(total, positives, draws)
    return np.asarray(_divided_product(k + 1, p + 1, m + 2)[0])


def tp_variance(total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Return the variance of the number of true positives, kPN(M - k)/(M^2 (M - 1)) (0 where M <= 1)."""
    m, p, k = as_integers(total, positives, draws)
    samples = np.maximum(m, 2).astype(np.float64)
    return np.asarray((k * (p / samples)) * (((m - p) / samples) * ((m - k) / (samples - 1.0))))


def window(total: IntLike, positives: IntLike, draws: IntLike) -> tuple[IntArray, IntArray]:
    """Return the range of true positives outside of which less than 2e-18 of the probability lies."""
    (low, high), centre = support(total, positives, draws), mode(total, positives, draws)
    width = np.ceil(half_width(tp_variance(total, positives, draws))).astype(np.int64) + 1
    return np.asarray(np.maximum(low, centre - width)), np.asarray(np.minimum(high, centre + width))


def half_width(variance: FloatArray) -> FloatArray:
    """Return how far a sum of independent 0s and 1s is from its mean, but for a probability of 2e-18."""
    # Bernstein's inequality; a hypergeometric number is such a sum (its generating function has real roots
    # only).
    return np.asarray(DEPTH / 3.0 + np.sqrt(DEPTH**2 / 9.0 + 2.0 * DEPTH * variance))


@np.errstate(over="ignore")
def _divided_product(a: IntArray, b: IntArray, m: IntArray) -> tuple[IntArray, IntArray]:
    """Return quotient and remainder of a*b by m, for 0 <= a, b <= m + 1 <= 2**52 + 2."""
    # The quotient in floats is off by one at most, so the remainder is a small multiple of m: int64
    # arithmetic, which wraps modulo 2**64, finds it exactly although a*b itself does not fit.
    quotient = (a.astype(np.float64) * b / m).astype(np.int64)
    remainder = a * b - quotient * m
    step = (remainder >= m).astype(np.int64) - (remainder < 0)
    return quotient + step, remainder - step * m


def _deviation(x: FloatArray, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    """Return x - kP/M, rounded in its fraction only."""
    samples = np.maximum(m, 1)
    quotient, remainder = _divided_product(k, p, samples)
    deviation: FloatArray = (x - quotient) - remainder / samples
    return deviation


def _atanh_excess(v: FloatArray) -> FloatArray:
    """Return atanh(v) - v for |v| <= 0.3 without cancellation."""
    w = v * v
    out: FloatArray = _ATANH[0] * w
    for coefficient in _ATANH[1:-1]:
        out += coefficient
        out *= w
    out += _ATANH[-1]
    out *= w
    out *= v
    return out


def _deviance(count: FloatArray, mean: FloatArray, moved: FloatArray) -> FloatArray:
    """Return count*log(count/mean) - moved, where moved = count - mean, without cancellation."""
    # With v = moved/(count + mean) the logarithm is 2 atanh(v).
    v = moved / np.maximum(count + mean, 1e-300)
    out = _atanh_excess(v)
    out *= 2.0 * count
    far = np.abs(v) > _ATANH_RANGE
    v *= moved
    out += v
    if far.any():
        x, e, d = (np.broadcast_to(array, v.shape)[far] for array in (count, mean, moved))
        out[far] = x * np.log(np.maximum(x, 1e-300) / e) - d
    return out


def stirling_error(n: FloatArray) -> FloatArray:
    """Return log n! less Stirling's formula; absolute error 1e-14 (DLMF 5.11.1)."""
    r = 1.0 / np.maximum(n, 1.0)
    w = r * r
    out: FloatArray = w * (-1.0 / 1680.0)
    for coefficient in (1.0 / 1260.0, -1.0 / 360.0, 1.0 / 12.0):
        out += coefficient
        out *= r if coefficient == 1.0 / 12.0 else w
    if n.size and n.min() < len(_STIRLING_FEW):
        few, out = np.asarray(n < len(_STIRLING_FEW)), np.asarray(out)
        out[few] = _STIRLING_FEW[n[few].astype(np.intp)]
    return out


def log_pmf_between(x: FloatArray, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
    """Return log P(TP = x) of x in the support, of shape (predictions,) or (points, predictions)."""
    # Margins are of shape (predictions,), or (1,) for one of them. Between the integers it is a smooth
    # continuation.
    samples, rows, columns = m.astype(np.float64), p.astype(np.float64), k.astype(np.float64)
    parts = np.stack((rows, samples - rows, columns, samples - columns))
    expected = parts[(0, 0, 1, 1), :] * parts[(2, 3, 2, 3), :] / np.maximum(samples, 1.0)
    by_margins = stirling_error(parts).sum(axis=0) - stirling_error(samples)
    filled = np.maximum(parts, EMPTY)
    factor = (filled[0] * filled[1] / np.maximum(samples, EMPTY)) * (filled[2] * filled[3] * EMPTY)
    cells = np.empty((4, *x.shape))
    cells[0], cells[1], cells[2], cells[3] = x, rows - x, columns - x, (m - p - k) + x
    wide = (slice(None), None) if x.ndim == 2 else (slice(None),)
    moved = _SIGNS.reshape((4,) + (1,) * x.ndim) * _deviation(x, m, p, k)
    exponent = by_margins - (stirling_error(cells) + _deviance(cells, expected[wide], moved)).sum(axis=0)
    log_pmf: FloatArray = exponent + 0.5 * np.log(factor / np.maximum(cells, EMPTY).prod(axis=0))
    return log_pmf


def log_pmf(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Return log P(TP = x), -inf outside of the support; relative error of the pmf 1e-13 at any total."""
    points, m, p, k = as_integers(x, total, positives, draws)
    shape = np.broadcast_shapes(points.shape, m.shape, p.shape, k.shape)
    points = np.broadcast_to(points, shape).reshape(-1)
    one_population = m.size == p.size == k.size == 1  # then what belongs to the margins is computed once
    columns = [a.reshape(1) if one_population else np.broadcast_to(a, shape).reshape(-1) for a in (m, p, k)]
    out = np.empty(points.size)
    for block in pieces(points.size, POINTS_AT_ONCE):
        a, b, c = columns if one_population else [column[block] for column in columns]
        low, high = np.maximum(b + c - a, 0), np.minimum(b, c)
        inside = np.clip(points[block], low, high)
        out[block] = log_pmf_between(inside.astype(np.float64), a, b, c)
        out[block][np.broadcast_to(low == high, inside.shape)] = 0.0
        out[block][inside != points[block]] = -np.inf
    return out.reshape(shape)


def counted(probability: Any, total: Any, draws: Any) -> FloatArray:
    """Round probabilities of few samples to the nearest share of the C(M, k) predictions."""
    # They are such shares, known to 1e-13: so the chance of 1 in 20 is 0.05 itself, not above a level of
    # 0.05.
    few = np.asarray(total) < len(_SUBSETS)
    if not few.any():
        return np.asarray(probability)
    subsets = _SUBSETS[np.where(few, total, 0), np.where(few, draws, 0)]
    return np.asarray(np.where(few, np.rint(probability * subsets) / subsets, probability))


def pmf(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Return P(TP = x); relative error 1e-13 at any total."""
    return counted(np.exp(log_pmf(x, total, positives, draws)), total, draws)


# A tail is a sum of falling terms away from the mean: P(TP >= x) above it, P(TP < x) below it, and the other
# one is the complement. Short sums are added up as products of ratios of neighbouring probabilities,
#
#     P(x + 1)/P(x) = FN FP / ((TP + 1)(TN + 1)).
#
# Long ones are slowly varying, and a Gauss rule for the counting measure on {0, ..., n - 1} takes 20 of their
# terms instead, at real arguments: so a tail costs as much at M = 1e12 as at 1e4.

# Terms up to which a sum is added up; a longer one has some 255 samples in each cell that it empties.
_SHORT = 256

_NODES = 20

# Gauss rules are kept for lengths 256 * 2**(i/4): a sum may run on beyond where it matters.
_RULES_PER_OCTAVE = 4

_BLOCK = 2**15
_ROWS = 128


def tail_ge(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Return P(TP >= x); relative error 1e-12 down to 1e-300, at any total."""
    return counted(np.exp(log_tail_ge(x, total, positives, draws)), total, draws)


def tail_le(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Return P(TP <= x); as exact as `tail_ge`."""
    after = np.asarray(x, dtype=np.int64) + 1
    return counted(np.exp(_log_tail(after, total, positives, draws, above=False)), total, draws)


def log_tail_ge(x: IntLike, total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Return log P(TP >= x), which goes on where the probability underflows."""
    return _log_tail(x, total, positives, draws, above=True)


def _log_tail(
    points: IntLike, total: IntLike, positives: IntLike, draws: IntLike, *, above: bool
) -> FloatArray:
    """Return log P(TP >= x) if `above`, else log P(TP < x)."""
    columns = np.broadcast_arrays(*as_integers(points, total, positives, draws))
    flat = [column.reshape(-1) for column in columns]
    out = np.empty(columns[0].size)
    for block in pieces(out.size, TAILS_AT_ONCE):
        out[block] = _log_tails(*(column[block] for column in flat), above=above)
    return out.reshape(columns[0].shape)


def _log_tails(x: IntArray, m: IntArray, p: IntArray, k: IntArray, *, above: bool) -> FloatArray:
    low, high = np.maximum(k - (m - p), 0), np.minimum(p, k)
    out = np.where((x <= low) == above, 0.0, -np.inf)
    rows = np.flatnonzero((x > low) & (x <= high))
    if not rows.size:
        return out
    x, m, p, k = x[rows], m[rows], p[rows], k[rows]
    upper = _deviation(x.astype(np.float64), m, p, k) > 0
    side = _log_side(x, m, p, k, upper)
    # Where the mean is within one step even the side away from it holds more than half: the other one falls,
    # too.
    large = np.flatnonzero(side > math.log(0.5))
    if large.size:
        upper[large] = ~upper[large]
        side[large] = _log_side(x[large], m[large], p[large], k[large], upper[large])
    with np.errstate(divide="ignore"):
        out[rows] = np.where(upper == above, side, np.log1p(-np.exp(np.minimum(side, 0.0))))
    return out


def _log_side(x: IntArray, m: IntArray, p: IntArray, k: IntArray, upper: BoolArray) -> FloatArray:
    """Return log P(TP >= x) where `upper`, else log P(TP < x), summed away from the mean."""
    first = x - ~upper
    tp, fn, fp, tn = first, p - first, k - first, (m - p - k) + first
    filling = np.where(upper, (tp, tn), (fn, fp)).astype(np.float64)
    emptying = np.where(upper, (fn, fp), (tp, tn)).astype(np.float64)
    # Ratios of neighbours only fall, so the terms do at least geometrically; and no sum is longer than from
    # the mode.
    with np.errstate(divide="ignore"):
        ratio = (emptying[0] / (filling[0] + 1.0)) * (emptying[1] / (filling[1] + 1.0))
        geometric = DEPTH / -np.minimum(np.log(ratio), -1e-300)
    terms = np.minimum(geometric, half_width(tp_variance(m, p, k))) + 2.0
    terms = np.minimum(np.ceil(terms), emptying.min(axis=0) + 1.0).astype(np.int64)
    order = np.argsort(-terms, kind="stable")
    terms = terms[order]
    number_long = int(np.searchsorted(-terms, -_SHORT))
    out = np.empty(x.size)
    short = order[number_long:]
    if short.size:
        start = log_pmf_between(first[short].astype(np.float64), m[short], p[short], k[short])
        cells = np.concatenate((filling, emptying))[:, short]
        out[short] = start + np.log(_short_sums(cells, terms[number_long:]))
    rank = np.ceil(np.log2(terms[:number_long] / _SHORT) * _RULES_PER_OCTAVE).astype(np.int64)
    for begin, end in pairwise(np.flatnonzero(np.diff(rank, prepend=-1, append=-1))):
        nodes, weights = gram_rule(round(_SHORT * 2.0 ** (int(rank[begin]) / _RULES_PER_OCTAVE)))
        for block in pieces(int(end - begin), _ROWS):
            indices = order[begin:end][block]
            away = np.where(upper[indices], nodes[:, None], -nodes[:, None])
            inside = nodes[:, None] <= emptying[:, indices].min(axis=0)
            points = first[indices].astype(np.float64) + np.where(inside, away, 0.0)
            logs = log_pmf_between(points, m[indices], p[indices], k[indices])
            top = logs[0]
            out[indices] = top + np.log(weights @ np.where(inside, np.exp(logs - top), 0.0))
    return out


def _short_sums(cells: FloatArray, terms: IntArray) -> FloatArray:
    """Return sums over their first term, the longest first."""
    # The rows of `cells` are the two that fill and the two that empty.
    out = np.empty(terms.size)
    start = 0
    while start < terms.size:
        width = max(int(terms[start]) - 1, 1)
        block = slice(start, start + max(_BLOCK // width, 1))
        j = np.arange(width, dtype=np.float64)
        up, up_too, down, down_too = cells[:, block, None]
        ratio = (down - j) * (down_too - j)
        j += 1.0
        ratio /= (up + j) * (up_too + j)
        out[block] = 1.0 + np.cumprod(ratio, axis=1, out=ratio).sum(axis=1)
        start = block.stop
    return out


@functools.cache
def gram_rule(length: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the Gauss rule for the sum over 0..length - 1, exact to degree 39."""
    # Golub and Welsch (1969) on the recurrence of the Gram polynomials, (j^2/4)(n^2 - j^2)/(4 j^2 - 1).
    j = np.arange(1.0, _NODES)
    side = 0.5 * j * np.sqrt((1.0 - (j / length) ** 2) / (4.0 * j * j - 1.0))
    values, vectors = np.linalg.eigh(np.diag(side, 1) + np.diag(side, -1))
    nodes = (length - 1) / 2.0 + values * length
    weights = vectors[0] ** 2 * length
    nodes.flags.writeable = weights.flags.writeable = False
    return nodes, weights


def quantile(q: Any, total: IntLike, positives: IntLike, draws: IntLike, *, upper: bool = False) -> IntArray:
    """Return the smallest x with P(TP <= x) >= q; with `upper`, the smallest x with P(TP > x) <= q."""
    level = np.asarray(q, dtype=np.float64)
    if not np.all((level >= 0.0) & (level <= 1.0)):
        raise ValueError("q must be a probability between 0 and 1; some are not.")
    columns = np.broadcast_arrays(level, *as_integers(total, positives, draws))
    shape = columns[0].shape
    level, m, p, k = (column.reshape(-1) for column in columns)

    def enough(x: IntArray, rows: IntArray) -> BoolArray:
        sizes = m[rows], p[rows], k[rows]
        if upper:
            return np.asarray(tail_ge(x + 1, *sizes) <= level[rows])
        return np.asarray(tail_le(x, *sizes) >= level[rows])

    low, high = support(m, p, k)
    near, far = window(m, p, k)
    inner = (level > 1e-15) & (level < 1 - 1e-15)  # then it lies within the window
    start, stop = np.where(inner, near, low), np.where(inner, far, high)
    return np.minimum(least_true(enough, start, stop), high).reshape(shape)


def log_heads(heads: Any, flips: Any, chance: float) -> FloatArray:
    """Return the log probability of so many heads in so many flips, as a deviance like `log_pmf`."""
    heads, flips = (np.atleast_1d(np.asarray(array, dtype=np.float64)) for array in (heads, flips))
    tails = flips - heads
    filled = np.maximum(heads, EMPTY) * np.maximum(tails, EMPTY)
    factor = np.maximum(flips, EMPTY) * EMPTY / filled
    errors = stirling_error(flips) - stirling_error(heads) - stirling_error(tails)
    exponent: FloatArray = 0.5 * np.log(factor) + errors
    for count, mean in ((heads, flips * chance), (tails, flips * (1.0 - chance))):
        exponent -= _deviance(count, mean, count - mean)
    return exponent


# -- search over the integers --------------------------------------------------------------------------------
TOGETHER = 64  # integers that are tested together where there are few rows, which takes as long as one
GALLOP = (1, 4, 16, 64, 256, 1024)  # distances from a hint that are tried before the rest is halved


class Ragged(NamedTuple):
    """Lists of unequal length in one flat array: the list of each item, its position there, all starts."""

    row: IntArray
    offset: IntArray
    start: IntArray


def pieces(number: int, most: int) -> list[slice]:
    """Cut a number of items into consecutive blocks."""
    return [slice(start, min(start + most, number)) for start in range(0, number, most)]


def laid_out(sizes: IntArray) -> Ragged:
    """Lay lists of these lengths end to end."""
    start = np.cumsum(sizes) - sizes
    row = np.repeat(np.arange(sizes.size), sizes)
    return Ragged(row, np.arange(row.size) - start[row], start)


def least_true(
    test: Callable[[IntArray, Any], BoolArray], low: IntArray, high: IntArray, hint: Any = -1
) -> IntArray:
    """Return the least integer in [low, high] that passes, high + 1 where none does."""
    # Row by row, `test` must fail below some integer and pass from there on. A hint outside of [low, high] is
    # none.
    # Invariant per row: every x < left fails, every x >= right passes.
    left, right = low.copy(), np.maximum(high + 1, low)

    def look(x: IntArray, rows: IntArray) -> BoolArray:
        passed = test(x, rows)
        right[rows[passed]] = x[passed]
        left[rows[~passed]] = x[~passed] + 1
        return passed

    hint = np.broadcast_to(hint, low.shape)
    rows = np.flatnonzero((hint >= low) & (hint <= high))
    below = np.zeros(low.shape, dtype=bool)
    if rows.size:
        below[rows] = look(hint[rows], rows)
    for step in GALLOP:  # most hints are right or close
        x = np.where(below[rows], right[rows] - step, left[rows] + step - 1)
        inside = (x >= left[rows]) & (x < right[rows])
        rows, x = rows[inside], x[inside]
        if not rows.size:
            break
        rows = rows[look(x, rows) == below[rows]]
    rows = np.flatnonzero(left < right)
    while rows.size:
        fan, span = max(TOGETHER // rows.size, 1), right[rows] - left[rows]
        steps = (np.linspace(0.0, 1.0, fan + 2)[1:-1] * span[:, None]).astype(np.int64)
        x = left[rows, None] + np.minimum(steps, span[:, None] - 1)
        passed = test(x.reshape(-1), np.repeat(rows, fan)).reshape(x.shape)
        first = np.where(passed.any(axis=1), passed.argmax(axis=1), fan)
        padded = np.column_stack((left[rows] - 1, x, right[rows]))
        left[rows] = padded[np.arange(rows.size), first] + 1
        right[rows] = padded[np.arange(rows.size), first + 1]
        rows = rows[left[rows] < right[rows]]
    return left
