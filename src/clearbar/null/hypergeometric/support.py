"""Where the law lives: support, mode, mean and variance."""

from __future__ import annotations

import numpy as np

from clearbar.null.hypergeometric._arrays import FloatArray, IntArray, IntLike, flat_margins, margins
from clearbar.null.hypergeometric._exact import divide_product, two_product


def support(total: IntLike, positives: IntLike, draws: IntLike) -> tuple[IntArray, IntArray]:
    """Smallest and largest number of true positives that can occur."""
    m, p, k = margins(total, positives, draws)
    return np.asarray(np.maximum(k - (m - p), 0)), np.asarray(np.minimum(np.minimum(p, k), m))


def mode(total: IntLike, positives: IntLike, draws: IntLike) -> IntArray:
    """The most probable number of true positives, floor((k+1)(P+1)/(M+2)); exact, without overflow.

    Of two equally probable values it is the larger one.
    """
    m, p, k, shape = flat_margins(total, positives, draws)
    return divide_product(k + 1, p + 1, m + 2)[0].reshape(shape)


def tp_mean(total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Expected number of true positives, kP/M (0 where M = 0); within 2 ulp."""
    m, p, k = margins(total, positives, draws)
    return np.asarray(k.astype(np.float64) * p / np.maximum(m, 1))


def tp_mean_parts(total: IntLike, positives: IntLike, draws: IntLike) -> tuple[IntArray, FloatArray]:
    """The whole number nearest to the expected number of true positives, and how far the mean lies from it.

    The distance is in [-1/2, 1/2] and within 1 ulp; where the mean is large it is lost in `tp_mean`.
    """
    m, p, k, shape = flat_margins(total, positives, draws)
    m = np.maximum(m, 1)
    whole, rest = divide_product(k, p, m)
    up = rest > m - rest
    whole, rest = whole + up, np.where(up, rest - m, rest)
    return whole.reshape(shape), (rest / m).reshape(shape)


def tp_variance(total: IntLike, positives: IntLike, draws: IntLike) -> FloatArray:
    """Variance of the number of true positives, kPN(M-k)/(M^2(M-1)) (0 where M <= 1); within 2 ulp.

    Numerator and denominator carry their rounding errors along (Dekker's products), so that the six
    factors cost no more than the two last roundings.
    """
    m, p, k = (a.astype(np.float64) for a in margins(total, positives, draws))
    left, left_error = two_product(k, p)
    right, right_error = two_product(m - p, m - k)
    top, top_error = two_product(left, right)
    top_error += left * right_error + right * left_error
    square, square_error = two_product(m, m)
    less_one = np.maximum(m - 1, 0)
    bottom, bottom_error = two_product(square, less_one)
    bottom_error += square_error * less_one
    bottom = np.maximum(bottom, 1.0)  # only M <= 1 is changed, where the numerator is 0
    ratio = top / bottom
    back, back_error = two_product(ratio, bottom)
    return np.asarray(ratio + ((top - back) - back_error + top_error - ratio * bottom_error) / bottom)
