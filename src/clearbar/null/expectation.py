"""What a measure is expected to be when k samples are predicted positive blindly."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import FloatArray, IntArray
from clearbar.null.hypergeometric import half_width, log_heads, support, tp_variance
from clearbar.null.nodes import Margins, node_blocks, strides

Cells = tuple[Any, Any, Any, Any]

COIN_DRAWS = (2**8, 2**14)
"""Numbers of heads, at least and at most, over which the score of a coin is averaged."""

COIN_NODES = 2**23
"""Evaluations of a measure that this may take where there are more than the least."""


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
    """Return mean and variance of a measure for each prediction; without `spread` no variance of curved ones.

    Outcomes without a value take that of `fill`.
    """
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
    m, p, k = np.broadcast_arrays(*(np.asarray(a, dtype=np.int64) for a in (total, positives, draws)))
    return _affine_mean(measure, m, p, k, fill)


def _affine_mean(measure: Measure, m: IntArray, p: IntArray, k: IntArray, fill: Any) -> FloatArray:
    """Evaluate the formula at the expected table; none of its cells is a difference of others."""
    samples, positives, predicted = (margin.astype(np.float64) for margin in (m, p, k))
    negatives, rest = samples - positives, samples - predicted
    products = predicted * positives, predicted * negatives, rest * positives, rest * negatives
    mean = measure.values(*(product / samples for product in products))
    defined = np.isfinite(mean)
    if measure.constant is not None:
        mean = np.broadcast_to(np.asarray(measure.constant(samples, positives), dtype=np.float64), m.shape)
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
    """What a coin scores that calls every sample positive with the same probability."""

    mean: float  # expected score, given that it has a value; nan if it never has
    settled: bool  # whether the number of predicted positives alone decides if the score has a value


def coin_score(
    measure: Measure, total: int, positives: int, chance: float, *, fill: float = np.nan
) -> CoinScore:
    """Return what a measure expects of a coin.

    It decides how many samples are predicted positive, binomially, and all subsets of that size are then
    equally likely: a mixture of blind predictions, and what it expects is a sum over them.
    """
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
