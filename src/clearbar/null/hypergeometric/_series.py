"""The slowly varying functions that every probability here is made of."""

from __future__ import annotations

import numpy as np

from clearbar.null.hypergeometric._arrays import FloatArray

# Near-minimax polynomial of (atanh(v) - v)/v**3 in v**2 for |v| <= 0.3, highest power first;
# absolute error 3e-16 (Chebyshev fit in 50 digits).
ATANH = (
    0.07691497728815577,
    0.05442044674332294,
    0.06708182781642934,
    0.07690059123767135,
    0.09090980099792981,
    0.11111109857085517,
    0.14285714296774152,
    0.19999999999962534,
    0.33333333333333354,
)
ATANH_RANGE = 0.3

_TINY = 1e-300

# Bernstein: mass outside at most 2 exp(-42) < 2e-18.
_DEPTH = 42.0

# An empty cell contributes a factor 1 where a filled one contributes 2 pi n.
EMPTY = 1.0 / (2.0 * np.pi)

# log n! - log(sqrt(2 pi n) (n/e)^n) for n = 0..15, with 2 pi n read as 1 at n = 0.
_STIRLING_SMALL = (
    0.0,
    0.08106146679532726,
    0.0413406959554093,
    0.02767792568499834,
    0.020790672103765093,
    0.016644691189821193,
    0.013876128823070748,
    0.01189670994589177,
    0.010411265261972096,
    0.009255462182712733,
    0.00833056343336287,
    0.007573675487951841,
    0.00694284010720953,
    0.006408994188004207,
    0.0059513701127588475,
    0.005554733551962801,
)
# Beyond this the third term of the series, 1/(1260 n^5), is below 1e-16/4.
_STIRLING_TABLE = 512


def half_width(variance: FloatArray) -> FloatArray:
    """How far a sum of independent 0s and 1s may be from its mean, but for a probability of 2e-18."""
    return np.asarray(_DEPTH / 3.0 + np.sqrt(_DEPTH**2 / 9.0 + 2.0 * _DEPTH * variance))


def atanh_excess(v: FloatArray) -> FloatArray:
    """atanh(v) - v for |v| <= 0.3, without the cancellation of the plain difference."""
    w = v * v
    out = ATANH[0] * w
    for coefficient in ATANH[1:-1]:
        out += coefficient
        out *= w
    out += ATANH[-1]
    out *= w
    out *= v
    return out


def deviance(count: FloatArray, mean: FloatArray, moved: FloatArray) -> FloatArray:
    """count*log(count/mean) - moved for moved = count - mean, without the cancellation (Loader 2000)."""
    v = count + mean
    np.maximum(v, _TINY, out=v)
    np.divide(moved, v, out=v)
    out = atanh_excess(v)
    out *= count
    out *= 2.0
    far = np.flatnonzero(np.abs(v) > ATANH_RANGE)
    v *= moved
    out += v
    if far.size:
        at = np.unravel_index(far, v.shape)
        x, e, d = (np.broadcast_to(part, v.shape)[at] for part in (count, mean, moved))
        out[at] = x * np.log(np.maximum(x, 1.0) / e) - d
    return out


def stirling_series(n: FloatArray) -> FloatArray:
    """Stirling's error 1/(12 n) - 1/(360 n^3) of a real n >= 500 (DLMF 5.11.1); absolute error 3e-17."""
    r = 1.0 / n
    out: FloatArray = r * r
    out *= -1.0 / 360.0
    out += 1.0 / 12.0
    out *= r
    return out


def _corrections() -> FloatArray:
    """What the two-term series lacks at each whole n below the table's end, and 0 at the end."""
    n = np.arange(_STIRLING_TABLE + 1.0)
    r = 1.0 / np.maximum(n, 1.0)
    w = r * r
    rest: FloatArray = (1 / 1260 + w * (-1 / 1680 + w * (1 / 1188 + w * (-691 / 360360 + w / 156)))) * r**5
    few = len(_STIRLING_SMALL)
    rest[:few] = np.array(_STIRLING_SMALL) - stirling_series(np.maximum(n[:few], 1.0))
    rest[-1] = 0.0
    return rest


STIRLING_CORRECTIONS = _corrections()
STIRLING_CORRECTIONS.flags.writeable = False


def stirling_error(n: FloatArray) -> FloatArray:
    """Stirling's error of whole numbers n >= 0 held as floats; absolute error 3e-17."""
    out = stirling_series(np.maximum(n, 1.0))
    if n.size and n.min() < _STIRLING_TABLE:
        out += STIRLING_CORRECTIONS[np.minimum(n, _STIRLING_TABLE).astype(np.intp)]
    return out
