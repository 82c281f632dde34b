"""The likeliest shares of cells whose score would change by a given amount if its slope stayed what it is.

Of several independent multinomials, such as the classes: sum n log p is largest where p adds up to 1 in each
of them and slope @ p is a target. Lagrange: p = n / (mu + lambda slope), mu one number per multinomial.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray

NEWTON = 60
BACKTRACKS = 40

ENOUGH = 1e-16
"""By how much the dual may yet fall."""

INSIDE = 0.05
"""Part of the way that is kept from the largest change that a slope allows."""


class Strata(NamedTuple):
    """Which multinomial each cell is of, 0, 1, … without gaps; and the first cell of each."""

    of_cell: IntArray
    starts: IntArray

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up within each, the last axis."""
        return np.add.reduceat(values, self.starts, axis=-1)


def likeliest(
    strata: Strata, counts: FloatArray, shares: FloatArray, slope: FloatArray, change: FloatArray
) -> FloatArray:
    """Return for rows of counts the likeliest shares that make the change from some shares, or most of it."""
    with np.errstate(invalid="ignore"):
        centred = slope - strata.sums(shares * slope)[:, strata.of_cell]
        lowest, highest = (
            of.reduceat(centred, strata.starts, axis=-1).sum(axis=-1) for of in (np.minimum, np.maximum)
        )
        target = np.clip(change, (1 - INSIDE) * lowest, (1 - INSIDE) * highest)
    scale = np.maximum(np.abs(centred).max(axis=-1), 1e-300)  # so that lambda is of the size of counts
    found = _on_slope(strata, counts, centred / scale[:, None], target / scale)
    return np.asarray(found / strata.sums(found)[:, strata.of_cell])  # 1 in each but for rounding


def _on_slope(strata: Strata, counts: FloatArray, slope: FloatArray, target: FloatArray) -> FloatArray:
    """Maximise by Newton's steps on the dual, sum mu + lambda target - sum n log(mu + lambda slope).

    It is convex in mu and lambda.
    """
    weight = strata.sums(counts)[:, strata.of_cell]  # mu + lambda slope
    for _ in range(NEWTON):
        shares = counts / weight
        square = shares / weight
        of_mu, of_lambda = 1 - strata.sums(shares), target - (slope * shares).sum(axis=-1)
        mu_mu, mu_lambda = strata.sums(square), strata.sums(slope * square)
        lambda_lambda = (slope**2 * square).sum(axis=-1)
        # The block of mu is diagonal: what is left of lambda when it is eliminated is one number.
        left = lambda_lambda - (mu_lambda**2 / mu_mu).sum(axis=-1)
        rest = of_lambda - (mu_lambda * of_mu / mu_mu).sum(axis=-1)
        by_lambda = -np.divide(rest, left, out=np.zeros_like(rest), where=left > 1e-14 * lambda_lambda)
        by_mu = -(of_mu + mu_lambda * by_lambda[:, None]) / mu_mu
        change = by_mu[:, strata.of_cell] + slope * by_lambda[:, None]
        falls = -((by_mu * of_mu).sum(axis=-1) + by_lambda * of_lambda)
        if not (falls > ENOUGH).any():
            return np.asarray(shares)
        linear = by_mu.sum(axis=-1) + by_lambda * target
        weight = weight + _step(counts, change / weight, linear, falls)[:, None] * change
    return np.asarray(counts / weight)


def _step(counts: FloatArray, ratio: FloatArray, linear: FloatArray, falls: FloatArray) -> FloatArray:
    """Return how much of a step keeps weights above 0 and makes the dual fall."""
    step = np.minimum(1.0, 0.95 / np.maximum(-ratio.min(axis=-1), 1e-300))
    for _ in range(BACKTRACKS):
        rise = step * linear - (counts * np.log1p(step[:, None] * ratio)).sum(axis=-1)
        high = rise > -0.1 * step * falls + 1e-12 * counts.sum(axis=-1)
        if not high.any():
            break
        step = np.where(high, step / 2, step)
    return np.asarray(step)
