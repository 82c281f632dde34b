"""Differences of products of counts without cancellation.

They work on float64 arrays and on exact numbers alike, so that a formula is written once.
"""

from __future__ import annotations

from typing import Any

_SPLITTER = 2**27 + 1


def determinant(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return ``tp * tn - fp * fn`` to nearly full precision.

    Both products are split into a rounded part and its exact error (Dekker 1971), so that a
    difference of 1e6 between two products of 1e24 keeps all its digits.

    Parameters
    ----------
    tp, fp, fn, tn : array_like
        The four cells, or any four factors.

    Returns
    -------
    array_like
    """
    left, right = tp * tn, fp * fn
    return (left - right) + (_product_error(tp, tn, left) - _product_error(fp, fn, right))


def _product_error(a: Any, b: Any, product: Any) -> Any:
    a_high, b_high = _high_half(a), _high_half(b)
    a_low, b_low = a - a_high, b - b_high
    return a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _high_half(a: Any) -> Any:
    scaled = _SPLITTER * a
    return scaled - (scaled - a)
