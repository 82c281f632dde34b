"""One tail at one point: the formulas of `tails` on Python's numbers.

NumPy's calls on a single number cost more than the arithmetic; here only a sum's terms are an array.
"""

from __future__ import annotations

import math

import numpy as np

from clearbar.null.hypergeometric._series import (
    ATANH,
    ATANH_RANGE,
    EMPTY,
    STIRLING_CORRECTIONS,
    atanh_excess,
    stirling_series,
)
from clearbar.null.hypergeometric._summation import REACH, gram_rule, rule_length

Cells = tuple[int, int, int, int]

_SIGNS = np.array((1.0, -1.0, -1.0, 1.0))[:, None]
# Terms up to which they are added one by one: a rule takes as long as about two thousand.
_SHORT = 2048
_STEPS = np.arange(_SHORT + 1.0)
_CORRECTIONS = STIRLING_CORRECTIONS.tolist()
_LAST = len(_CORRECTIONS) - 1


def point_tail(x: int, m: int, p: int, k: int, *, above: bool, log: bool) -> float:
    """P(TP >= x) if `above`, else P(TP < x), or the logarithm, of one population."""
    if x <= max(k - (m - p), 0) or x > min(p, k):
        sure = (x <= min(p, k)) == above
        return (0.0 if sure else -math.inf) if log else float(sure)
    over = x * m - k * p
    upper = over > 0
    value = _side(x, m, p, k, over, upper)
    if value > math.log(0.5):  # the mean lies within one step
        upper = not upper
        value = _side(x, m, p, k, over, upper)
    if upper == above:
        return value if log else math.exp(value)
    return math.log1p(-math.exp(value)) if log else -math.expm1(value)


def _side(x: int, m: int, p: int, k: int, over: int, upper: bool) -> float:  # noqa: FBT001
    """The logarithm of the side of the cut below x; ``over`` is M times the distance of x to the mean."""
    if not upper:
        x, over = x - 1, over - m
    cells = x, p - x, k - x, m - p - k + x
    order = (0, 3, 1, 2) if upper else (1, 2, 0, 3)
    up, up_too, down, down_too = (cells[at] for at in order)
    slope = math.log1p(abs(over) / max(down * down_too, 1))
    terms = _length(up, up_too, down, down_too, slope)
    if terms < _SHORT:
        j = _STEPS[: max(terms - 1, 1)]
        ratio = (down - j) * (down_too - j)
        ratio /= (up + 1.0 + j) * (up_too + 1.0 + j)
        total = 1.0 + float(np.multiply.accumulate(ratio).sum())
    else:
        total = _long((up, down, down_too, up_too), slope, rule_length(terms))
    return _log_pmf(cells, m, p, k, over / m) + math.log(total)


def _length(up: int, up_too: int, down: int, down_too: int, slope: float) -> int:
    """Upper bound on the number of terms, as in `_summation`."""
    inverse = 1.0 / max(down, 1) + 1.0 / max(down_too, 1)
    reach = math.sqrt(2.0 * REACH / inverse)
    for cell in (up, up_too):
        reach = min(reach, REACH / 3 + math.sqrt(REACH**2 / 9 + 2 * REACH * cell))
    for _ in range(2):
        third = reach / 3.0 + 1.0
        curve = inverse + 1.0 / (up + third) + 1.0 / (up_too + third)
        reach = 2.0 * REACH / (slope + math.sqrt(slope * slope + 2.0 * REACH * curve))
    return math.ceil(min(reach + 2.0, min(down, down_too) + 1.0))


def _long(cells: Cells, slope: float, length: int) -> float:
    """The sum by the Gauss rule of that length; the first and last cell fill, the others empty."""
    nodes, weights = gram_rule(length)
    start = np.array(cells, dtype=np.float64)[:, None]
    moved = _SIGNS * nodes
    end = start + moved
    v = start + end
    np.divide(moved, v, out=v)
    out = atanh_excess(v)
    out *= end + (end + 1.0)
    moved += 1.0
    out += v * moved
    far = np.abs(v) > ATANH_RANGE
    if far.any():
        at = np.nonzero(far)
        by, cell = moved[at] - 1.0, start[at[0], 0]
        out[at] = (cell + by + 0.5) * np.log1p(by / cell) - by
    out += stirling_series(end)
    exponent = out.sum(axis=0)
    exponent += slope * nodes
    exponent -= math.fsum(map(_stirling, cells))
    np.negative(exponent, out=exponent)
    return float(weights @ np.exp(exponent))


def _stirling(n: int) -> float:
    rest = _CORRECTIONS[n] if n < _LAST else 0.0
    r = 1.0 / n if n else 1.0
    return r * (1.0 / 12.0 - r * r / 360.0) + rest


def _log_pmf(cells: Cells, m: int, p: int, k: int, d: float) -> float:
    """Logarithm of P(TP = tp), as in `pmf`; ``d`` is the distance to the mean."""
    n, rest = m - p, m - k
    exponent = math.fsum(map(_stirling, (p, n, k, rest))) - _stirling(m) - math.fsum(map(_stirling, cells))
    filled = math.prod(cell or EMPTY for cell in cells)  # whole numbers do not overflow
    exponent += 0.5 * (math.log(p * n * k * rest * EMPTY / m) - math.log(filled))
    for cell, row, column, moved in zip(cells, (p, p, n, n), (k, rest, k, rest), (d, -d, -d, d), strict=True):
        mean = row * column / m
        v = moved / (cell + mean)
        if abs(v) > ATANH_RANGE:
            exponent -= (cell * math.log(cell / mean) if cell else 0.0) - moved
        else:
            exponent -= 2.0 * cell * _atanh_excess(v) + v * moved
    return exponent


def _atanh_excess(v: float) -> float:
    w = v * v
    series = 0.0
    for coefficient in ATANH:
        series = series * w + coefficient
    return series * w * v
