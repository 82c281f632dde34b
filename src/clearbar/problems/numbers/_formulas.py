"""What measures of numbers compute, of samples or of weighted ones.

A formula takes targets, predictions, and weights of shape (..., samples) or None, under which targets may
have leading axes; and it returns one value for each row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.numbers._constants import weighted_quantile
from clearbar.problems.numbers._ranks import agreeing, ranks, untied

Loss = Callable[[FloatArray, FloatArray], FloatArray]
Formula = Callable[[FloatArray, FloatArray, "FloatArray | None"], Any]

FLAT = 1e-26
"""Share of the mean square below which a variance is that of equal numbers."""


def mean(values: FloatArray, weights: FloatArray | None) -> Any:
    """Return the weighted mean over the last axis."""
    if weights is None:
        return values.mean(axis=-1)
    if values.ndim == 1:
        return weights @ values / weights.sum(axis=-1)
    return np.einsum("...i,...i->...", weights, values) / weights.sum(axis=-1)


def variance(y: FloatArray, weights: FloatArray | None) -> Any:
    """Return the variance of targets: the mean square from their mean, which is the least."""
    off = y - y.mean()
    return np.maximum(mean(off * off, weights) - mean(off, weights) ** 2, 0.0)


def deviation(y: FloatArray, weights: FloatArray | None) -> Any:
    """Return the root of the variance."""
    return np.sqrt(variance(y, weights))


def log_variance(y: FloatArray, weights: FloatArray | None) -> Any:
    """Return the variance of log(1 + y)."""
    return variance(np.log1p(y), weights)


def log_deviation(y: FloatArray, weights: FloatArray | None) -> Any:
    """Return the root of that."""
    return deviation(np.log1p(y), weights)


def mean_of(loss: Loss) -> Formula:
    """Return the formula of the mean of a loss."""
    return lambda y, f, weights: mean(loss(y, f), weights)


def root_of(loss: Loss) -> Formula:
    """Return the formula of the root of the mean of a loss."""
    return lambda y, f, weights: np.sqrt(mean(loss(y, f), weights))


def share_gone(loss: Loss, at_best: Callable[[FloatArray, FloatArray | None], Any]) -> Formula:
    """Return the formula of the share of the best constant's mean loss that is gone."""

    def formula(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
        whole = at_best(y, weights)
        return 1 - mean(loss(y, f), weights) / np.where(whole > 0, whole, np.nan)

    return formula


def squared(y: FloatArray, f: FloatArray) -> FloatArray:
    """Return (y - f)²."""
    return np.asarray((y - f) ** 2)


def absolute(y: FloatArray, f: FloatArray) -> FloatArray:
    """Return the distance."""
    return np.abs(y - f)


def relative(y: FloatArray, f: FloatArray) -> FloatArray:
    """Return the distance as a share of the target."""
    return np.abs(y - f) / np.abs(y)


def log_squared(y: FloatArray, f: FloatArray) -> FloatArray:
    """Return the square of the difference in log(1 + y)."""
    return np.asarray((np.log1p(y) - np.log1p(f)) ** 2)


def pinball(alpha: float) -> Loss:
    """Return the loss whose best constant is a quantile."""
    return lambda y, f: np.maximum(alpha * (y - f), (alpha - 1) * (y - f))


def poisson(y: FloatArray, f: FloatArray) -> FloatArray:
    """Return the unit deviance of counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return 2 * (np.where(y > 0, y * np.log(y / f), 0.0) - y + f)


def gamma(y: FloatArray, f: FloatArray) -> FloatArray:
    """Return the unit deviance of positive numbers with a constant relative error."""
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
    """Return the formula of the median of a loss."""

    def formula(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
        values = loss(y, f)
        if weights is None:
            return np.median(values, axis=-1)
        order = np.argsort(values)
        return weighted_quantile(values[order], weights[..., order], np.zeros(1, np.int64), 0.5)[..., 0]

    return formula


def largest(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    """Return the largest distance."""
    values = absolute(y, f)
    return (values if weights is None else np.where(weights > 0, values, 0.0)).max(axis=-1)


def _moments(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> tuple[Any, ...]:
    """Return both variances, nan where there is none, the covariance and the difference of the means."""
    y0, f0 = (np.asarray(side).mean() for side in (y, f))
    y, f = y - y0, f - f0
    own, other = mean(y, weights), mean(f, weights)
    rows = [
        np.where(variance > FLAT * (square + centre**2), variance, np.nan)
        for variance, square, centre in (
            (mean(y * y, weights) - own**2, mean(y * y, weights), y0),
            (mean(f * f, weights) - other**2, mean(f * f, weights), f0),
        )
    ]
    return *rows, mean(y * f, weights) - own * other, (own + y0) - (other + f0)


def correlation(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    """Return Pearson's correlation."""
    own, other, both, _ = _moments(y, f, weights)
    return np.clip(both / np.sqrt(own * other), -1.0, 1.0)


def concordance(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    """Return Lin's concordance."""
    own, other, both, apart = _moments(y, f, weights)
    return 2 * both / (own + np.where(np.isnan(other), 0.0, other) + apart**2)


def rank_correlation(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    """Return Spearman's correlation."""
    if y.ndim > 1:  # in any order the same targets
        values = np.sort(y[0])
        return correlation(ranks(values)[np.searchsorted(values, y)], ranks(f), weights)
    return correlation(ranks(y, weights), ranks(f, weights), weights)


def tau(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    """Return Kendall's tau-b."""
    weights = np.ones(len(f)) if weights is None else weights
    one = y if y.ndim == 1 else y[0]  # in any order the same targets
    pairs = np.sqrt(untied(one, weights) * untied(f, weights))
    return agreeing(y, f, weights) / np.where(pairs > 0, pairs, np.nan)


def variance_gone(y: FloatArray, f: FloatArray, weights: FloatArray | None) -> Any:
    """Return the share of the variance that is gone."""
    own, _, _, _ = _moments(y, y, weights)
    error = y - f
    centre = error.mean()
    off = error - centre
    return 1 - (mean(off**2, weights) - mean(off, weights) ** 2) / own
