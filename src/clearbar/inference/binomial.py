"""The binomial distribution at any size: deviances, probabilities, tails and limits; roots of functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.null.hypergeometric import stirling_error

TINY = 1e-280  # a probability of 0, as it is read under a logarithm
_ALMOST_MINUS_ONE = -1.0 + 2.0**-53
_HALF_LOG_2_PI = 0.5 * math.log(2.0 * math.pi)
_NO_TAIL = 9.0  # standard deviations beyond which a smooth tail is 0: 1e-19


def deviance(count: FloatArray, mean: FloatArray) -> FloatArray:
    """count*log(count/mean) - (count - mean) >= 0."""
    # By log1p of the distance: the difference of two logarithms is off by 3e-5 at a count of 1e12.
    mean = np.maximum(mean, TINY)
    distance = count - mean
    log_ratio = np.log1p(np.maximum(distance / mean, _ALMOST_MINUS_ONE))
    return np.asarray(np.maximum(count * log_ratio - distance, 0.0))


def rate_deviance(count: FloatArray, size: FloatArray, rate: FloatArray) -> FloatArray:
    """Log-likelihood that `rate` lacks to the observed share, for `count` of `size`."""
    return deviance(count, size * rate) + deviance(size - count, size * (1.0 - rate))


def log_pmf(count: FloatArray, size: FloatArray, rate: FloatArray) -> FloatArray:
    """Log probability of `count` of `size`, inside the support: Loader's saddle-point form (2000)."""
    # Log factorials would cancel: at a size of 1e12 they are 3e-3 off.
    rest = size - count
    inner = (count > 0) & (rest > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(inner, 0.5 * np.log(size / (count * rest)) - _HALF_LOG_2_PI, 0.0)
    errors = np.where(inner, stirling_error(size) - stirling_error(count) - stirling_error(rest), 0.0)
    return np.asarray(factor + errors - rate_deviance(count, size, rate))


def at_least(count: FloatArray, size: FloatArray, rate: FloatArray) -> FloatArray:
    """P(at least `count` of `size`)."""
    from scipy.special import betainc

    inside = np.clip(count, 1.0, np.maximum(size, 1.0))
    tail = betainc(inside, np.maximum(size - inside, 0.0) + 1.0, rate)
    return np.where(count <= 0, 1.0, np.where(count > size, 0.0, tail))


def smooth_cdf(count: FloatArray, size: FloatArray, rate: FloatArray) -> FloatArray:
    """P(at most `count`) by Temme's expansion of the incomplete beta function, within 0.01/sd^3."""
    # The normal tail of the signed root of the deviance at count + 1 of size + 1, with its first correction:
    # a twentieth of the time of `betainc`.
    from scipy.special import ndtr

    size_above, count_above = size + 1.0, np.clip(count, -1.0, size) + 1.0
    share = count_above / size_above
    spread = np.sqrt(np.maximum(share * (1.0 - share), TINY))
    distance = share - rate
    root = np.copysign(np.sqrt(2.0 * rate_deviance(count_above, size_above, rate)), distance)
    z, scale = distance / spread, np.sqrt(size_above)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        skew, curvature = (2.0 * share - 1.0) / spread, 1.0 / spread**2 - 3.0
        # 1/root - 1/z cancels near the mean; its series does not
        series = (skew / 3.0 + z * (skew**2 / 6.0 - curvature / 4.0)) / scale
        near = np.abs(distance) < 1e-4 * np.minimum(share, 1.0 - share)
        correction = np.where(near, series, 1.0 / root - 1.0 / (z * scale))
        correction = np.where(np.isfinite(correction), correction, 0.0)
    below = ndtr(root) + correction * np.exp(-0.5 * root * root - _HALF_LOG_2_PI)
    return np.asarray(np.where(count < 0, 0.0, np.where(count >= size, 1.0, np.clip(below, 0.0, 1.0))))


_RUN = 8  # counts that share an exponential
_LEAST_RATE = 1e-100  # read for a rate of 0: powers of its odds stay finite


def tilted_pmf(
    count: FloatArray, share: FloatArray, size: FloatArray, base: FloatArray
) -> Callable[..., Any]:
    """Probabilities, each `share` times, of evenly spaced counts of shape (rows, counts)."""
    # A function of rates of shape (rows, points), with values of shape (counts, rows, points). One rate per
    # row is exponentially tilted to the others, so that all of them have one log pmf:
    # log p(x; r) = log p(x; base) + (x - n base) tilt - deviance of r at n base.
    # Only the first of each run of counts takes an exponential at each rate; powers of exp(tilt) lead to the
    # others. Counts whose share is 0 may lie outside the support.
    size, number = size[:, None], count.shape[1]
    # A base of 0 or 1 has no logarithm, so that it stays a quarter of a sample away.
    least = 0.25 / np.maximum(size, 1.0)
    base = np.clip(base[:, None], least, 1.0 - least)
    log_base = np.full((-number % _RUN + number, len(count)), -np.inf)
    with np.errstate(divide="ignore"):
        log_base[:number] = (log_pmf(np.clip(count, 0.0, size), size, base) + np.log(share)).T
    log_base = log_base.reshape(-1, _RUN, len(count))
    highest = log_base.max(axis=1, keepdims=True)
    in_run = np.exp(log_base - np.maximum(highest, -1e300))[..., None]
    step = count[:, 1:2] - count[:, :1] if number > 1 else np.ones_like(size)
    place = np.arange(len(log_base) * _RUN)[:, None, None] * step
    highest, moved = highest[:, 0, :, None], place[::_RUN] + (count[:, :1] - size * base)

    def pmf(rates: FloatArray) -> Any:
        rates = np.clip(rates, _LEAST_RATE, 1.0 - 2.0**-53)
        tilt = np.log(rates / base) - np.log((1.0 - rates) / (1.0 - base))
        # Numbers below exp(-700) are slow.
        first = moved * tilt + highest - rate_deviance(size * base, size, rates)
        out = np.exp(np.clip(first, -700.0, 700.0))[:, None] * np.exp(place[:_RUN] * tilt)
        out *= in_run
        return out.reshape(-1, *rates.shape)[:number]

    return pmf


def smooth_below(y: FloatArray, size: FloatArray, rates: FloatArray) -> FloatArray:
    """P(at most y) far from the lattice's grain, of shape (counts, rows, points)."""
    y, n = y.T[:, :, None], size[:, None]
    z = (y + 0.5 - n * rates) / np.sqrt(np.maximum(n * rates * (1.0 - rates), TINY))
    out = np.where(z > 0, 1.0, 0.0)
    near = np.nonzero(np.abs(z) < _NO_TAIL)
    out[near] = smooth_cdf(*(np.broadcast_to(column, z.shape)[near] for column in (y, n, rates)))
    return out


def clopper_pearson(count: FloatArray, size: FloatArray, tail: float) -> tuple[FloatArray, FloatArray]:
    """Rates at which so many, or more, have probability `tail`, and so many, or fewer."""
    from scipy.special import betaincinv

    def lower(count: FloatArray) -> FloatArray:
        positive = np.maximum(count, 1.0)
        return np.where(count > 0, betaincinv(positive, np.maximum(size - positive, 0.0) + 1.0, tail), 0.0)

    return lower(count), 1.0 - lower(size - count)


def bracketed_root(
    function: Callable[..., FloatArray],
    low: FloatArray,
    high: FloatArray,
    columns: Sequence[Any] = (),
    relative: float = 2.0**-52,
    absolute: float = 1e-305,
    close: float = 0.0,
) -> FloatArray:
    """Roots of functions that rise from below 0 at `low` to above 0 at `high`: Chandrupatla (1997)."""
    # `function(x, *columns)` reads of each column the rows of x; rows that have their roots are left out, or
    # places as `close` to 0. The end is returned where a function has one sign throughout. SciPy's own of
    # many functions, `scipy.optimize.elementwise`, is younger than the oldest SciPy that is supported.
    a, b = (np.array(end, dtype=np.float64) for end in np.broadcast_arrays(low, high))
    f_a, f_b = function(a, *columns), function(b, *columns)
    root, rows = np.where(f_a >= 0, a, b), np.arange(len(a))
    active = (f_a < 0) & (f_b > 0)
    c, f_c, share = a, f_a, np.full(a.shape, 0.5)
    with np.errstate(all="ignore"):
        for _ in range(90):
            best = np.where(np.abs(f_a) < np.abs(f_b), a, b)
            root[rows] = np.where(active, best, root[rows])
            least = relative * np.abs(best) + absolute
            active &= (np.abs(b - a) > 2.0 * least) & (np.minimum(np.abs(f_a), np.abs(f_b)) > close)
            left = np.flatnonzero(active.any(axis=tuple(range(1, active.ndim))))
            if not left.size:
                break
            if 2 * left.size < len(rows):
                rows, columns, active = rows[left], [column[left] for column in columns], active[left]
                state = a, b, c, f_a, f_b, f_c, share, least
                a, b, c, f_a, f_b, f_c, share, least = (of[left] for of in state)
            margin = least / np.abs(b - a)
            x = np.where(active, a + np.clip(share, margin, 1.0 - margin) * (b - a), a)
            f_x = function(x, *columns)
            same = np.sign(f_x) == np.sign(f_a)
            c, f_c = np.where(same, a, b), np.where(same, f_a, f_b)
            b, f_b = np.where(same, b, a), np.where(same, f_b, f_a)
            a, f_a = x, f_x
            xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
            inverse = (phi * phi < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            quadratic = f_a / (f_b - f_a) * f_c / (f_b - f_c)
            quadratic += (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
            share = np.where(inverse & np.isfinite(quadratic), quadratic, 0.5)
    return root
