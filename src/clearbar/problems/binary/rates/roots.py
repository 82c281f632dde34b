"""Roots of many monotone functions at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from clearbar.core._typing import FloatArray

_STEPS = 90
_ULP = 2.0**-52


def bracketed_root(
    function: Callable[[FloatArray], FloatArray], low: FloatArray, high: FloatArray, *, relative: float = _ULP
) -> FloatArray:
    """Root of a function that rises from below 0 at `low` to above 0 at `high`: Chandrupatla (1997).

    The end is returned where the function has one sign throughout.
    """
    a, b = np.broadcast_arrays(low, high)
    a, b = a.astype(np.float64), b.astype(np.float64)
    at_a, at_b = function(a), function(b)
    done = np.zeros(a.shape, dtype=bool)
    for ends, at in ((a, at_a >= 0), (b, at_b <= 0)):
        here = at & ~done
        done |= here
        a = np.where(here, ends, a)
        b = np.where(here, ends, b)
    at_a, at_b = np.where(done, 0.0, at_a), np.where(done, 0.0, at_b)
    c, at_c = a, at_a
    share = np.full(a.shape, 0.5)
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            gap = np.abs(b - a)
            near = np.where(np.abs(at_a) < np.abs(at_b), a, b)
            least = relative * np.abs(near) + 1e-305
            done |= (gap <= 2.0 * least) | (at_a == 0) | (at_b == 0)
            if done.all():
                break
            share = np.clip(share, least / gap, 1.0 - least / gap)
            x = np.where(done, a, a + share * (b - a))
            at_x = function(x)
            same = np.sign(at_x) == np.sign(at_a)
            c, at_c = np.where(same, a, b), np.where(same, at_a, at_b)
            b, at_b = np.where(same, b, a), np.where(same, at_b, at_a)
            a, at_a = x, np.where(done, at_a, at_x)
            xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
            inverse = (phi * phi < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            quadratic = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            quadratic += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
            share = np.where(inverse & np.isfinite(quadratic), quadratic, 0.5)
    return np.where(np.abs(at_a) <= np.abs(at_b), a, b)
