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
    low, high = np.broadcast_arrays(low, high)
    shape, whole = low.shape, low.astype(np.float64, order="C")  # a view of it is written to
    a, b = low.reshape(-1).astype(np.float64), high.reshape(-1).astype(np.float64)
    at_a, at_b = function(low).reshape(-1), function(high).reshape(-1)
    roots = np.where(at_a >= 0, a, b)
    active = np.flatnonzero((at_a < 0) & (at_b > 0))
    a, b, at_a, at_b = a[active], b[active], at_a[active], at_b[active]
    c, at_c, share = a, at_a, np.full(a.shape, 0.5)
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            gap = np.abs(b - a)
            near = np.where(np.abs(at_a) < np.abs(at_b), a, b)
            least = relative * np.abs(near) + 1e-305
            done = (gap <= 2.0 * least) | (at_a == 0) | (at_b == 0)
            if done.any():
                roots[active[done]] = np.where(np.abs(at_a) <= np.abs(at_b), a, b)[done]
                left = ~done
                active, gap, least, share = active[left], gap[left], least[left], share[left]
                a, b, c, at_a, at_b, at_c = (x[left] for x in (a, b, c, at_a, at_b, at_c))
            if not active.size:
                break
            share = np.clip(share, least / gap, 1.0 - least / gap)
            x = a + share * (b - a)
            whole.reshape(-1)[active] = x
            at_x = function(whole).reshape(-1)[active]
            same = np.sign(at_x) == np.sign(at_a)
            c, at_c = np.where(same, a, b), np.where(same, at_a, at_b)
            b, at_b = np.where(same, b, a), np.where(same, at_b, at_a)
            a, at_a = x, at_x
            xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
            inverse = (phi * phi < xi) & ((1.0 - phi) ** 2 < 1.0 - xi)
            quadratic = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            quadratic += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
            share = np.where(inverse & np.isfinite(quadratic), quadratic, 0.5)
        else:
            roots[active] = np.where(np.abs(at_a) <= np.abs(at_b), a, b)
    return roots.reshape(shape)
