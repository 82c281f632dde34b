"""The expectation of a measure when k samples are predicted positive blindly.

It is a sum over weighted points of TP. Where the standard deviation sigma is at least 12 and the function
smooth, every floor(sigma/2)-th integer is enough: the sum of a function over the integers and that over every
h-th one, times h, differ by aliases of the characteristic function, at most 2 exp(-2 pi^2 2^2) = e^-78 for a
constant (a real-rooted generating function bounds it by exp(-2 sigma^2 sin^2(u/2))), and by rounding for the
smooth measures here. For a kink, or an exception at one point, it is wrong, and no comparison of grids can
tell: only what is declared `smooth` is strided.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import FloatArray, IntArray
from clearbar.null.hypergeometric import (
    half_width,
    log_heads,
    log_pmf_between,
    mode,
    support,
    tp_variance,
    window,
)

Cells = tuple[Any, Any, Any, Any]

# Numbers of heads, at least and at most, over which the score of a coin is averaged.
COIN_DRAWS = (2**8, 2**14)

COIN_NODES = 2**23  # evaluations of a measure that this may take where there are more than the least
STRIDED_FROM = 12.0  # standard deviation from which on strides are taken: narrower windows meet empty cells
WIDEST = 2**23  # points of one window beyond which it is refused
CACHED = 2**15  # nodes looked at together: few enough to stay in a processor's cache

# M, P and k of several blind predictions, each of shape (predictions,).
Margins: TypeAlias = tuple[IntArray, ...]


class Moments(NamedTuple):
    """Moments per prediction, given that the score has a value; nan where no outcome has one.

    ``undefined`` is the mass of the outcomes without a value. Where they were given a value, the moments
    include it and the mass is still reported.
    """

    mean: FloatArray
    variance: FloatArray
    undefined: FloatArray


def cells_at(tp: Any, total: Any, positives: Any, predicted_positives: Any) -> Cells:
    """Return the table with this TP at fixed margins."""
    fn = positives - tp
    return tp, predicted_positives - tp, fn, (total - predicted_positives) - fn


def values_at(measure: Measure, tp: Any, total: Any, positives: Any, predicted_positives: Any) -> FloatArray:
    """Return the raw values of a measure at given TP: x/0 infinite, 0/0 nan."""
    return measure.values(*cells_at(tp, total, positives, predicted_positives))


def moments(
    measure: Measure,
    total: Any,
    positives: Any,
    draws: Any,
    *,
    fill: Any = np.nan,
    most_nodes: int | None = None,
    spread: bool = True,
) -> Moments:
    """Return mean and variance of a measure for each prediction."""
    # Without `spread` curved measures get no variance. Outcomes without a value take that of `fill`.
    arrays = np.broadcast_arrays(*(np.asarray(a, dtype=np.int64) for a in (total, positives, draws)))
    shape = arrays[0].shape
    m, p, k = (np.ascontiguousarray(a).reshape(-1) for a in arrays)
    filled = np.broadcast_to(np.asarray(fill, dtype=np.float64), shape).reshape(-1)
    if measure.affine:
        both = _affine_moments(measure, m, p, k, filled)
    else:
        both = _summed_moments(measure, (m, p, k), filled, most_nodes, spread=spread)
    return Moments(*(array.reshape(shape) for array in both))


def expectations(
    measure: Measure, total: Any, positives: Any, draws: Any, *, fill: Any = np.nan
) -> FloatArray:
    """Return the expected score of each prediction; parameters as for `moments`."""
    if not measure.affine:
        return moments(measure, total, positives, draws, fill=fill, spread=False).mean
    m, p, k = (np.asarray(a, dtype=np.int64) for a in (total, positives, draws))
    return _affine_mean(measure, m, p, k, fill)


def _affine_mean(measure: Measure, m: IntArray, p: IntArray, k: IntArray, fill: Any) -> FloatArray:
    """Evaluate the formula at the expected table; none of its cells is a difference of others."""
    samples, positives, predicted = (margin.astype(np.float64) for margin in (m, p, k))
    negatives, rest = samples - positives, samples - predicted
    products = predicted * positives, predicted * negatives, rest * positives, rest * negatives
    mean = measure.values(*(product / samples for product in products))
    defined = np.isfinite(mean)
    if measure.constant is not None:
        mean = np.broadcast_to(np.asarray(measure.constant(samples, positives), dtype=np.float64), mean.shape)
    return mean if defined.all() else np.where(defined, mean, fill)


def _affine_moments(measure: Measure, m: IntArray, p: IntArray, k: IntArray, fill: FloatArray) -> Moments:
    mean = _affine_mean(measure, m, p, k, np.nan)
    defined = np.isfinite(mean)
    # Two points far apart, which may lie outside of the support: neighbours agree in nearly all digits.
    with np.errstate(invalid="ignore"):
        slope = (values_at(measure, m, m, p, k) - values_at(measure, np.zeros_like(m), m, p, k)) / m
        variance = slope**2 * tp_variance(m, p, k)
    variance = np.where(defined, variance, np.where(np.isnan(fill), np.nan, 0.0))
    return Moments(np.where(defined, mean, fill), variance, np.where(defined, 0.0, 1.0))


def _summed_moments(
    measure: Measure, margins: Margins, fill: FloatArray, most: int | None, *, spread: bool
) -> Moments:
    m, p, _ = margins
    mass: Any
    mean, variance, undefined = np.full((3, m.size), np.nan)
    blocks = node_blocks(margins, smooth=measure.smooth, most=most)
    for rows, tp, weight in tracked(blocks, m.size, lambda block: block[0].size, "draws"):
        raw = values_at(measure, tp, *(margin[rows, None].astype(np.float64) for margin in margins))
        defined = np.isfinite(raw)
        undefined[rows], mass = 0.0, 1.0
        if not defined.all():
            undefined[rows] = (weight * ~defined).sum(axis=1)
            raw = np.where(defined, raw, fill[rows, None])
            weight *= ~np.isnan(raw)  # noqa: PLW2901 - a block of its own
            raw, mass = np.nan_to_num(raw), weight.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean[rows] = (weight * raw).sum(axis=1) / mass
            if spread:
                variance[rows] = (weight * (raw - mean[rows, None]) ** 2).sum(axis=1) / mass
    if measure.constant is not None:
        declared = np.asarray(measure.constant(m.astype(np.float64), p.astype(np.float64)))
        mean = np.where(undefined == 0, declared, mean)
    return Moments(mean, variance, undefined)


class CoinScore(NamedTuple):
    """The expected score of a coin that calls every sample positive with the same probability."""

    mean: float  # expected score, given that it has a value; nan if it never has
    settled: bool  # whether the number of predicted positives alone decides if the score has a value


def coin_score(
    measure: Measure, total: int, positives: int, chance: float, *, fill: float = np.nan
) -> CoinScore:
    """Return what a measure expects of a coin."""
    # It decides how many samples are predicted positive, binomially, and all subsets of that size are then
    # equally likely: a mixture of blind predictions, and what it expects is a sum over them.
    most = COIN_DRAWS[1]
    if not measure.affine:
        usual = tuple(np.array([size]) for size in (total, positives, round(total * chance)))
        _, below, above = strides(usual, smooth=measure.smooth)
        most = min(max(COIN_NODES // int(below[0] + above[0] + 1), COIN_DRAWS[0]), most)
    draws, weight = coin_weights(total, chance, most)
    mean, _, undefined = moments(measure, total, positives, draws, fill=fill)
    settled = not np.isnan(fill) or _is_settled(measure, total, positives, draws, undefined)
    kept = ~np.isnan(mean)
    if not kept.any():
        return CoinScore(np.nan, settled)
    mean, weight = mean[kept], weight[kept]
    if np.isnan(fill):
        weight = weight * (1 - undefined[kept])
    same = np.ptp(mean) == 0
    return CoinScore(float(mean[0]) if same else float(np.dot(weight / weight.sum(), mean)), settled)


def _is_settled(measure: Measure, total: int, positives: int, draws: IntArray, undefined: FloatArray) -> bool:
    never = undefined == 1
    settled = never | (undefined == 0)
    for tp in support(total, positives, draws):  # which a window of the mass may leave out
        settled &= np.isfinite(values_at(measure, tp, total, positives, draws)) != never
    return bool(settled.all())


def coin_weights(total: int, chance: float, most: int) -> tuple[IntArray, FloatArray]:
    """Return points and weights that turn an expectation over the number of heads into a sum."""
    if chance in {0.0, 1.0}:
        return np.array([total if chance else 0], dtype=np.int64), np.ones(1)
    width = float(half_width(np.array(total * chance * (1.0 - chance))))
    low = max(int(np.floor(total * chance - width)), 0)
    high = min(int(np.ceil(total * chance + width)), total)
    heads = np.arange(low, high + 1, -(-(high - low + 1) // most), dtype=np.int64)
    weights = np.exp(log_heads(heads, total, chance))
    return heads, weights / weights.sum()


def strides(
    margins: Margins, *, smooth: bool, most: int | None = None
) -> tuple[IntArray, IntArray, IntArray]:
    """Return how many integers apart the nodes are, and how many are below and above the mode."""
    # With `most`, wide windows keep so many nodes, which is rough where the function is not smooth.
    (low, high), centre = window(*margins), mode(*margins)
    sigma = np.sqrt(tp_variance(*margins))
    apart = (sigma / 2.0).astype(np.int64) if smooth else np.ones_like(low)
    if most is not None:
        apart = np.maximum(apart, -(-(high - low + 1) // most))
    stride = np.where(sigma >= STRIDED_FROM, apart, 1)
    return stride, (centre - low) // stride, (high - centre) // stride


def node_blocks(
    margins: Margins, *, smooth: bool, most: int | None = None, together: int = CACHED
) -> Iterator[tuple[IntArray, FloatArray, FloatArray]]:
    """Yield rows of predictions, and TP and weights of shape (rows, nodes), which add up to 1 in each row."""
    # Predictions with windows of about one width come together. What pads the narrower ones weighs nothing.
    stride, below, above = strides(margins, smooth=smooth, most=most)
    width = below + above + 1
    if np.any(width > WIDEST):
        total, positives, draws = (int(margin[np.argmax(width)]) for margin in margins)
        raise ValueError(
            f"total={total}, positives={positives}, draws={draws} has a window of {width.max()} values, too "
            f"wide to be summed (at most {WIDEST})."
        )
    for kind in (stride == 1, stride > 1):
        rows = np.flatnonzero(kind)
        rows = rows[np.argsort(-width[rows], kind="stable")]
        while rows.size:
            block, rows = np.split(rows, [max(together // int(width[rows[0]]), 1)])
            yield block, *_nodes(margins, block, stride, below, above)


def _nodes(
    margins: Margins, rows: IntArray, stride: IntArray, below: IntArray, above: IntArray
) -> tuple[FloatArray, FloatArray]:
    m, p, k = (margin[rows, None] for margin in margins)
    stride, below, above = stride[rows, None], below[rows, None], above[rows, None]
    centre = mode(m, p, k)
    offset = np.arange(-int(below.max()), int(above.max()) + 1)
    tp = centre + stride * np.clip(offset, -below, above)
    if int(stride[0, 0]) == 1:
        weight = _relative_to_mode(np.stack((centre, p - centre, k - centre, m - p - k + centre)), offset)
    else:
        weight = np.exp(log_pmf_between(tp.T.astype(np.float64), *(margin[rows] for margin in margins))).T
    weight *= (offset >= -below) & (offset <= above)
    weight /= weight.sum(axis=1, keepdims=True)
    return tp.astype(np.float64), weight


def _relative_to_mode(cells: IntArray, offset: IntArray) -> FloatArray:
    """Return products of the ratios of neighbouring probabilities, outwards from the mode."""
    # They become exactly zero at the end of the support and stay so: padding needs no care there.
    tp, fn, fp, tn = cells.astype(np.float64)
    left, right = -int(offset[0]), int(offset[-1])
    out = np.ones((len(tp), offset.size))
    j = np.arange(max(left, right), dtype=np.float64)
    for (falling, falling_too), (rising, rising_too), columns in (
        ((fn, fp), (tp, tn), np.s_[:, left + 1 :]),
        ((tp, tn), (fn, fp), np.s_[:, left - 1 :: -1] if left else np.s_[:, :0]),
    ):
        block = out[columns]
        i = j[: block.shape[1]]
        ratio = (falling - i) * (falling_too - i)
        ratio /= (rising + 1.0 + i) * (rising_too + 1.0 + i)
        np.cumprod(ratio, axis=1, out=block)
    return out
