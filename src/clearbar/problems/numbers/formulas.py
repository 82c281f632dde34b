"""What measures of numbers compute, best constants, and ranks: of samples or of weighted ones.

A formula takes targets, predictions, and weights of shape (..., samples) or None, under which targets may
have leading axes; it returns one value for each row. A best constant is that of samples sorted by group, and
by target within each, where `starts` says where each group begins: it has shape (..., groups).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray

Loss = Callable[[FloatArray, FloatArray], FloatArray]
Formula = Callable[[FloatArray, FloatArray, "FloatArray | None"], Any]
Constant = Callable[[FloatArray, FloatArray, IntArray], FloatArray]  # ``constant(y, weights, starts)``
ROUNDING = 1e-12  # share of the weight by which sums may be off
HALVINGS = 60  # after which a constant between two targets is found to the last digits
FLAT = 1e-26  # share of the mean square below which a variance is that of equal numbers


def mean(values: FloatArray, weights: FloatArray | None) -> Any:
    """Return the weighted mean over the last axis."""
    if weights is None:
        return values.mean(axis=-1)
    if values.ndim == 1:
        return weights @ values / weights.sum(axis=-1)
    return np.einsum("...i,...i->...", weights, values) / weights.sum(axis=-1)


def variance(y: FloatArray, weights: FloatArray | None) -> Any:
    off = y - y.mean()
    return np.maximum(mean(off * off, weights) - mean(off, weights) ** 2, 0.0)


def mean_of(loss: Loss) -> Formula:
    return lambda y, f, weights: mean(loss(y, f), weights)


def root_of(loss: Loss) -> Formula:
    return lambda y, f, weights: np.sqrt(mean(loss(y, f), weights))


def share_gone(loss: Loss, at_best: Callable[[FloatArray, FloatArray | None], Any]) -> Formula:
    """Return the formula of the share of the best constant's mean loss that is gone."""

    def formula(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
        loss_at_best = at_best(y, weights)
        return 1 - mean(loss(y, f), weights) / np.where(loss_at_best > 0, loss_at_best, np.nan)

    return formula


def squared(y: FloatArray, f: FloatArray) -> FloatArray:
    return np.asarray((y - f) ** 2)


def absolute(y: FloatArray, f: FloatArray) -> FloatArray:
    return np.abs(y - f)


def relative(y: FloatArray, f: FloatArray) -> FloatArray:
    return np.abs(y - f) / np.abs(y)


def log_squared(y: FloatArray, f: FloatArray) -> FloatArray:
    return np.asarray((np.log1p(y) - np.log1p(f)) ** 2)


def huber(delta: float) -> Loss:
    """Return half the square near 0, and a line from `delta` on."""

    def loss(y: FloatArray, f: FloatArray) -> FloatArray:
        off = np.abs(y - f)
        near = np.minimum(off, delta)
        return np.asarray(near * (off - near / 2))

    return loss


def scaled(loss: Loss, scale: float) -> Loss:
    return lambda y, f: loss(y, f) / scale


def share_of_targets(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    mean_target = mean(np.abs(y), weights)
    return mean(absolute(y, f), weights) / np.where(mean_target > 0, mean_target, np.nan)


def pinball(alpha: float) -> Loss:
    return lambda y, f: np.maximum(alpha * (y - f), (alpha - 1) * (y - f))


def poisson(y: FloatArray, f: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 2 * (np.where(y > 0, y * np.log(y / f), 0.0) - y + f)


def gamma(y: FloatArray, f: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return 2 * (np.log(f / y) + y / f - 1)


def tweedie(power: float) -> Loss:
    """Return the unit deviance whose variance grows with this power of the mean."""
    named: dict[float, Loss] = {0: squared, 1: poisson, 2: gamma}
    if power in named:
        return named[power]
    first, second = 1 - power, 2 - power

    def loss(y: FloatArray, f: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(2 * (y**second / (first * second) - y * f**first / first + f**second / second))

    return loss


def median_of(loss: Loss) -> Formula:
    def formula(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
        values = loss(y, f)
        if weights is None:
            return np.median(values, axis=-1)
        order = np.argsort(values)
        return weighted_quantile(values[order], weights[..., order], np.zeros(1, np.int64), 0.5)[..., 0]

    return formula


def largest(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    values = absolute(y, f)
    return (values if weights is None else np.where(weights > 0, values, 0.0)).max(axis=-1)


def _moments(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> tuple[Any, ...]:
    """Return both variances, nan where there is none, the covariance and the difference of the means."""
    variances, means, off = [], [], []
    for values in (y, f):
        centre = np.asarray(values).mean()  # differences from it cancel less
        off.append(values - centre)
        first, second = mean(off[-1], weights), mean(off[-1] ** 2, weights)
        spread = second - first**2
        variances.append(np.where(spread > FLAT * (second + centre**2), spread, np.nan))
        means.append((first, first + centre))
    covariance = mean(off[0] * off[1], weights) - means[0][0] * means[1][0]
    return *variances, covariance, means[0][1] - means[1][1]


def correlation(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    of_y, of_f, covariance, _ = _moments(y, f, weights)
    return np.clip(covariance / np.sqrt(of_y * of_f), -1.0, 1.0)


def concordance(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    of_y, of_f, covariance, apart = _moments(y, f, weights)
    return 2 * covariance / (of_y + np.nan_to_num(of_f) + apart**2)


def variance_gone(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    return 1 - variance(y - f, weights) / _moments(y, y, weights)[0]


def rank_correlation(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    if y.ndim > 1:  # in any order the same targets
        values = np.sort(y[0])
        return correlation(ranks(values)[np.searchsorted(values, y)], ranks(f), weights)
    return correlation(ranks(y, weights), ranks(f, weights), weights)


def tau(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    """Return Kendall's tau-b."""
    weights = np.ones(len(f)) if weights is None else weights
    pairs = np.sqrt(untied(y if y.ndim == 1 else y[0], weights) * untied(f, weights))
    return agreeing(y, f, weights) / np.where(pairs > 0, pairs, np.nan)


# -- best constants -----------------------------------------------------------------------------------------
def best_mean(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    """Return the mean of each group; of a group without weight, that of all."""
    total = np.add.reduceat(weights, starts, axis=-1)
    centre = y.mean()
    off = np.add.reduceat(weights * (y - centre), starts, axis=-1)
    return np.asarray(centre + off / np.where(total > 0, total, 1.0))


def best_log_mean(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    return np.asarray(np.expm1(best_mean(np.log1p(y), weights, starts)))


def best_of_huber(delta: float) -> Constant:
    """Return where the sum of slopes, each cut at `delta`, is 0: it falls, so that halving finds it."""

    def constant(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
        sizes = np.diff(starts, append=len(y))
        shape = (*weights.shape[:-1], len(starts))
        low, high = (np.broadcast_to(y[ends], shape) for ends in (starts, starts + sizes - 1))
        for _ in range(HALVINGS):
            middle = low + (high - low) / 2
            slopes = weights * np.clip(y - np.repeat(middle, sizes, axis=-1), -delta, delta)
            rising = np.add.reduceat(slopes, starts, axis=-1) > 0
            low, high = np.where(rising, middle, low), np.where(rising, high, middle)
        return np.asarray(low + (high - low) / 2)

    return constant


def best_quantile(level: float) -> Constant:
    return lambda y, weights, starts: weighted_quantile(y, weights, starts, level)


def median_of_inverse(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    return weighted_quantile(y, weights / np.abs(y), starts, 0.5)


def weighted_quantile(y: FloatArray, weights: FloatArray, starts: IntArray, level: float) -> FloatArray:
    """Return the quantile of each group: the middle, where values between two samples are all as good."""
    sizes = np.diff(starts, append=len(y))
    sums = np.cumsum(weights, axis=-1)
    ends = sums[..., starts + sizes - 1]
    before = sums[..., starts] - weights[..., starts]
    target, rounding = before + level * (ends - before), ROUNDING * sums[..., -1:]
    quantiles: list[FloatArray] = []
    for below in (target - rounding, target + rounding):
        of_each = below if len(starts) == 1 else np.repeat(below, sizes, axis=-1)
        short = np.add.reduceat(sums < of_each, starts, axis=-1, dtype=np.int64)
        quantiles.append(y[starts + np.minimum(short, sizes - 1)])
    low, high = quantiles
    return np.asarray(low + (high - low) / 2)


def midrange(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    low = np.minimum.reduceat(np.where(weights > 0, y, np.inf), starts, axis=-1)
    high = np.maximum.reduceat(np.where(weights > 0, y, -np.inf), starts, axis=-1)
    return np.where(low <= high, (low + high) / 2, 0.0)


def middle_of_shortest_half(y: FloatArray, weights: FloatArray, starts: IntArray) -> FloatArray:
    """Return the middle of the shortest interval that holds more than half of the weight, of one group."""
    low, width = shortest_half(y, weights)
    return (low + width / 2)[..., None]


def shortest_half(y: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return where that interval begins, and its length: twice the median distance from its middle."""
    # With 2h samples the median is the mean of the distances of the h-th and the next, which add up to the
    # length of an interval around h + 1 samples at least.
    rows = weights.reshape(-1, weights.shape[-1])
    sums = np.cumsum(rows, axis=1)
    total = sums[:, -1:]
    offset = 2 * np.cumsum(total[:, 0])[:, None]  # all rows are searched at once, one beyond the other
    need = offset + sums - rows + total / 2
    last = np.searchsorted((sums + offset).ravel(), need.ravel(), side="right").reshape(rows.shape)
    last -= len(y) * np.arange(len(rows))[:, None]
    inside = (last < len(y)) & (rows > 0)
    width = np.where(inside, y[np.minimum(last, len(y) - 1)] - y, np.inf)
    first = np.argmin(width, axis=1)
    shape = weights.shape[:-1]
    return y[first].reshape(shape), width[np.arange(len(rows)), first].reshape(shape)


# -- ranks --------------------------------------------------------------------------------------------------
def ranks(values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return the weight below each value and half of that at it: mid-ranks less a half."""
    weights = np.ones(len(values)) if weights is None else weights
    order, new = _ties(values)
    held = np.add.reduceat(weights[..., order], np.flatnonzero(new), axis=-1)
    places = np.empty(weights.shape)
    places[..., order] = (np.cumsum(held, axis=-1) - held / 2)[..., np.cumsum(new) - 1]
    return places


def _ties(values: FloatArray) -> tuple[Any, Any]:
    """Return the order of values, and where in it each distinct one begins."""
    order = np.argsort(values, kind="stable")
    return order, np.diff(values[order], prepend=np.nan) != 0


def untied(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weight of all pairs that differ in value."""
    order, new = _ties(values)
    held = np.add.reduceat(weights[..., order], np.flatnonzero(new), axis=-1)
    return np.asarray((held.sum(axis=-1) ** 2 - (held**2).sum(axis=-1)) / 2)


def agreeing(y: FloatArray, f: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the weight of pairs that y and f order alike, less that of those they order differently."""
    # `f` has shape (samples,), `y` and `weights` (..., samples); rows of y are the same values in any order.
    # Pairs tied in `f` cancel in the mean of two orders of the samples: one the reverse of the other among
    # the tied.
    order = np.argsort(f, kind="stable")
    back = np.argsort(-f, kind="stable")[::-1]
    orders = [order] if (order == back).all() else [order, back]
    not_falling = sum(_not_falling(y[..., rows], weights[..., rows]) for rows in orders) / len(orders)
    pairs = (weights.sum(axis=-1) ** 2 - (weights**2).sum(axis=-1)) / 2
    margin = 2 * (not_falling - pairs) + untied(y if y.ndim == 1 else y[0], weights)
    return np.asarray(margin if y.ndim + weights.ndim > 2 else margin[0])


def _not_falling(values: FloatArray, weights: FloatArray) -> Any:
    """Return the weight of pairs of which the later value is not the smaller one."""
    # By merging, all rows at once: Knight, J. Amer. Statist. Assoc. 61, 1966.
    length = 1 << (values.shape[-1] - 1).bit_length()
    beyond = [(0, 0), (0, length - values.shape[-1])]
    values = np.pad(np.atleast_2d(values), beyond, constant_values=np.inf)
    weights = np.pad(np.atleast_2d(weights), beyond)
    together: Any = np.zeros(max(len(values), len(weights)))
    width = 1
    while width < length:
        blocks = values.reshape(len(values), -1, 2 * width)
        order = np.argsort(blocks, axis=-1, kind="stable")
        held = np.take_along_axis(weights.reshape(len(weights), -1, 2 * width), order, axis=-1)
        left = order < width
        before = np.cumsum(np.where(left, held, 0.0), axis=-1)
        together += np.where(left, 0.0, held * before).sum(axis=(-1, -2))
        values = np.take_along_axis(blocks, order, axis=-1).reshape(len(values), length)
        weights = held.reshape(-1, length)
        width *= 2
    return together
