"""The signed root of the likelihood ratio: how far an outcome lies from the curve, and on which side."""

from __future__ import annotations

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.binary.rates.binomial import LEAST, rate_deviance
from clearbar.problems.binary.rates.curve import Curves, Points

_GRID = np.sin(np.linspace(0.0, np.pi / 2, 41)) ** 2
_STEPS = 80
_CHUNK = 2**17
_NO_PART, _WHOLE = 1e-18, 1.0 - 2.0**-53


def signed_root(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """T of outcomes (x of P, y of N), shape (rows, outcomes): positive below and right of the curve.

    Infinite where there is no curve, or none of its points is possible.
    """
    x, y = np.broadcast_arrays(x, y)
    out = np.empty(x.shape)
    rows = max(1, _CHUNK // (_GRID.size * max(1, x.shape[-1])))
    for start in range(0, len(out), rows):
        cut = slice(start, start + rows)
        out[cut] = _signed_root(curves[cut], P[cut, None], N[cut, None], x[cut], y[cut])
    return np.where(curves.side[:, None] == 0, out, np.copysign(np.inf, curves.side[:, None]))


def deviance_at(
    curves: Curves, s: FloatArray, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray
) -> FloatArray:
    """Log-likelihood that the curve's points at s lack to the observed rates."""
    at = curves.points(s)
    return rate_deviance(x, P, at.a) + rate_deviance(y, N, at.b)


def _signed_root(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    s = nearest_point(curves, P, N, x, y)
    least = deviance_at(curves, s, P, N, x, y)
    for end in (0.0, 1.0):
        at_end = deviance_at(curves, np.full_like(s, end), P, N, x, y)
        s = np.where(at_end < least, end, s)
        least = np.minimum(at_end, least)
    at = curves.points(s)
    right = np.where(P > 0, x - P * at.a, 0.0) / np.maximum(P, 1.0)
    above = np.where(N > 0, y - N * at.b, 0.0) / np.maximum(N, 1.0)
    root = np.where(least > _IMPOSSIBLE, np.inf, np.sqrt(2.0 * least))
    return np.copysign(root, right - above)


_IMPOSSIBLE = 1e15


def nearest_point(curves: Curves, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """S of the most likely point of each curve, found on a grid and refined by safeguarded Newton steps."""
    grid = np.broadcast_to(_GRID, (P.shape[0], _GRID.size))
    at = curves.points(grid)
    log_a, log_ac = np.log(np.maximum(at.a, LEAST)), np.log(np.maximum(1.0 - at.a, LEAST))
    log_b, log_bc = np.log(np.maximum(at.b, LEAST)), np.log(np.maximum(1.0 - at.b, LEAST))
    likely = x[:, :, None] * log_a[:, None] + (P - x)[:, :, None] * log_ac[:, None]
    likely += y[:, :, None] * log_b[:, None] + (N - y)[:, :, None] * log_bc[:, None]
    best = np.argmax(likely, axis=-1)
    low, high = _GRID[np.maximum(best - 1, 0)], _GRID[np.minimum(best + 1, _GRID.size - 1)]
    first, last = best == 0, best == _GRID.size - 1
    s: FloatArray = np.where(first, high / 2, np.where(last, (low + high) / 2, _GRID[best]))
    if first.any() or last.any():  # it may be the end itself
        end = np.where(first, _NO_PART, np.where(last, _WHOLE, s))
        at = curves.points(end)
        with np.errstate(all="ignore"):
            slope, _ = _score(at, P, N, x, y)
        # Rounding may put a stretch of the curve on a side of the square where these counts cannot be.
        possible = ((x <= 0) | (at.a > 0)) & ((x >= P) | (at.a < 1))
        possible &= ((y <= 0) | (at.b > 0)) & ((y >= N) | (at.b < 1))
        s = np.where(first & possible & (slope <= 0), 0.0, np.where(last & possible & (slope >= 0), 1.0, s))
        low, high = np.where(s == 1.0, 1.0, low), np.where(s == 0.0, 0.0, high)
    step, before, found = np.full(s.shape, np.inf), np.zeros_like(s), np.zeros(s.shape, dtype=bool)
    close = np.where(curves.bent, 1e-15, 1e-9)[:, None]  # at a kink the error is of first order
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            slope, bend = _score(curves.points(s), P, N, x, y)
            low, high = np.where(slope > 0, s, low), np.where(slope < 0, s, high)
            secant = (before - slope) / step  # knows how the curve itself bends
            bend = np.where(secant > 0, secant, bend)
            move = np.where(slope == 0, 0.0, slope / bend)
            new = np.clip(s + move, low, high)
            done = np.minimum(np.abs(move), high - low) <= close * np.minimum(s, 1.0 - s) + 1e-15
            bad = (new != s + move) | ~(bend > 0) | (np.abs(move) > 0.7 * np.abs(step))
            new = np.where(found, s, np.where(bad & ~done, 0.5 * (low + high), new))
            step, before, s = np.where(found, step, new - s), slope, new
            found |= done
            if found.all():
                break
    return s


def _score(
    at: Points, P: FloatArray, N: FloatArray, x: FloatArray, y: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Slope of the log-likelihood along the curve, and its fall (without the curve's own bend)."""
    a, b = np.maximum(at.a, LEAST), np.maximum(at.b, LEAST)
    ac, bc = np.maximum(1.0 - at.a, LEAST), np.maximum(1.0 - at.b, LEAST)
    up_a, down_a, up_b, down_b = x / a, (P - x) / ac, y / b, (N - y) / bc
    slope = (up_a - down_a) * at.da + (up_b - down_b) * at.db
    bend = (up_a / a + down_a / ac) * at.da**2 + (up_b / b + down_b / bc) * at.db**2
    return slope, bend
