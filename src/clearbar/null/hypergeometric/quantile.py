"""Quantiles: the integer at which a tail first meets a probability."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from clearbar.null.hypergeometric._arrays import BoolArray, FloatArray, IntArray, IntLike, margins
from clearbar.null.hypergeometric._binomial import SMALL
from clearbar.null.hypergeometric.support import mode, tp_mean, tp_variance
from clearbar.null.hypergeometric.tails import split, tail_ge, tail_le

# After two Newton steps comes a bisection, so that the bracket shrinks whatever the shape.
_BISECT_EVERY = 3
_CHUNK = 2**14


def quantile(
    q: float | npt.NDArray[np.float64],
    total: IntLike,
    positives: IntLike,
    draws: IntLike,
    *,
    upper: bool = False,
) -> IntArray:
    """Smallest x with P(TP <= x) >= q; with `upper`, smallest x with P(TP > x) <= q.

    In the support, also for q = 0 and 1. Consistent with `tail_le` and `tail_ge` to the last bit.
    """
    level = np.asarray(q, dtype=np.float64)
    if not np.all((level >= 0.0) & (level <= 1.0)):
        raise ValueError("q must be a probability between 0 and 1; some are not.")
    columns = margins(total, positives, draws)
    shape = np.broadcast_shapes(level.shape, *(column.shape for column in columns))
    level = np.broadcast_to(level, shape).reshape(-1)
    m, p, k = (np.broadcast_to(column, shape).reshape(-1) for column in columns)
    out = np.empty(level.size, dtype=np.int64)
    for start in range(0, level.size, _CHUNK):
        cut = slice(start, start + _CHUNK)
        out[cut] = _search(level[cut], m[cut], p[cut], k[cut], upper=upper)
    return out.reshape(shape)


def _search(level: FloatArray, m: IntArray, p: IntArray, k: IntArray, *, upper: bool) -> IntArray:
    low = np.maximum(k - (m - p), 0) - 1  # too small
    high = np.minimum(p, k)  # large enough
    everything = level == (0.0 if upper else 1.0)
    nothing = level == (1.0 if upper else 0.0)
    low[everything] = high[everything] - 1
    high[nothing] = low[nothing] + 1
    active = np.flatnonzero(high - low > 1)
    guess = _start(level[active], m[active], p[active], k[active], upper=upper)
    turn = 0
    while active.size:
        a, b = low[active], high[active]
        turn += 1
        if turn % _BISECT_EVERY == 0:
            guess = a + (b - a) // 2
        x = np.clip(guess, a + 1, b - 1)
        enough, guess = _probe(x, level[active], m[active], p[active], k[active], upper=upper)
        high[active[enough]] = x[enough]
        low[active[~enough]] = x[~enough]
        left = high[active] - low[active] > 1
        active, guess = active[left], guess[left]
    return high


def _normal_upper_quantile(q: FloatArray) -> FloatArray:
    """Value exceeded with probability q, 0 < q < 1; absolute error 5e-4 (Abramowitz and Stegun 26.2.23)."""
    t = np.sqrt(-2.0 * np.log(np.minimum(q, 1.0 - q)))
    top = 2.515517 + t * (0.802853 + t * 0.010328)
    bottom = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))
    return np.asarray(np.copysign(t - top / bottom, 0.5 - q))


def _start(level: FloatArray, m: IntArray, p: IntArray, k: IntArray, *, upper: bool) -> IntArray:
    """Normal quantile with Cornish and Fisher's first correction; 2 (mean - mode) is about skewness*sigma."""
    z = _normal_upper_quantile(np.clip(level, 1e-300, 1.0 - 1e-16))
    z = z if upper else -z
    mean, sigma = tp_mean(m, p, k), np.sqrt(tp_variance(m, p, k))
    skew = np.clip((mean - mode(m, p, k)) * 2.0, -1.0, 1.0)
    return np.asarray(np.ceil(mean + sigma * z + skew * (z * z - 1.0) / 6.0 - 0.5)).astype(np.int64)


def _probe(
    x: IntArray, level: FloatArray, m: IntArray, p: IntArray, k: IntArray, *, upper: bool
) -> tuple[BoolArray, IntArray]:
    """Whether x is large enough, and the next guess."""
    enough = np.empty(x.size, dtype=np.bool_)
    guess = x.copy()  # where nothing better is known: the neighbour, after clipping to the bracket
    small = m <= SMALL
    if small.any():
        part = x[small], m[small], p[small], k[small]
        if upper:
            enough[small] = tail_ge(part[0] + 1, *part[1:]) <= level[small]
        else:
            enough[small] = tail_le(*part) >= level[small]
    big = np.flatnonzero(~small)
    if big.size:
        side = split(x[big] + 1, m[big], p[big], k[big], log=False)
        want = level[big]
        tail = np.where(side.above == upper, side.value, 1.0 - side.value)
        enough[big] = tail <= want if upper else tail >= want
        target = np.where(side.above == upper, want, 1.0 - want)
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            step = np.log(target / side.value) * side.terms
        step = np.where(side.above, -step, step)
        limit = 2.0**53
        step = np.nan_to_num(step, nan=0.0, posinf=limit, neginf=-limit)
        guess[big] += np.ceil(np.clip(step, -limit, limit)).astype(np.int64)
    return enough, guess
