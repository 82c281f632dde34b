"""The likeliest shares of cells at which two models' scores differ by a given amount.

Lagrange: shares are n/(mu + lambda c), mu one number per class, c the slope of the difference. The slope is
found again where that leads, until the scores differ by the amount.
"""

from __future__ import annotations

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.inference.cells import Cells

RAISED = 0.5
"""Part of what counts are raised by for a standard error: here a quarter of a sample each."""

GAP = 1e-6
"""How far the difference may be from what it should be."""

MOVED = 1e-5
"""How far shares may still move."""

SLOPES = 100
"""Times that the slope is found again."""

STEPS = (1.0, 0.5, 0.25)
"""Parts of the way to the next shares that are tried in turn: whole steps may swing to and fro."""

WHOLE = 6
"""Steps before any of them is halved."""

SWINGS = 1.0
"""How much of a step the next one is where steps swing."""

LEAST_STEP = 1 / 64

NEWTON = 60
BACKTRACKS = 40

INSIDE = 0.05
"""Part of the way that is kept from the largest change that a slope allows."""


def constrained(cells: Cells, counts: FloatArray, difference: float) -> tuple[FloatArray, BoolArray]:
    """Return the shares for rows of counts, and whether they were found."""
    raised = counts + RAISED * cells.raises
    shares, _ = cells.shares(counts, RAISED)
    found = np.zeros(len(shares), dtype=bool)
    for whole in STEPS:
        left = np.flatnonzero(~found)
        if left.size:
            start, _ = cells.shares(counts[left], RAISED)
            shares[left], found[left] = _followed(cells, raised[left], start, difference, whole)
    return shares, found


def _followed(
    cells: Cells, raised: FloatArray, shares: FloatArray, difference: float, whole: float
) -> tuple[FloatArray, BoolArray]:
    """Find the slope again and again; return where that leads, and whether it settles."""
    found = np.zeros(len(shares), dtype=bool)
    damping, before = np.full(len(shares), whole), np.full(len(shares), np.inf)
    for turn in range(SLOPES):
        rows = np.flatnonzero(~found)
        now = shares[rows]
        contrast = cells.contrast(now)
        gap = contrast.difference - difference
        new = _at_slope(cells, raised[rows], now, contrast.slope, gap)
        moved = np.abs(new - now).max(axis=-1)
        swings = (moved > SWINGS * before[rows]) & (turn >= WHOLE)
        damping[rows] = np.where(swings, damping[rows] / 2, damping[rows])
        before[rows] = moved
        settled = (np.abs(gap) <= GAP) & (moved <= MOVED)
        step = np.where(settled, 0.0, np.maximum(damping[rows], LEAST_STEP))
        shares[rows] = now + step[:, None] * (new - now)
        found[rows] = settled
        if found.all():
            break
    return shares, found


def _at_slope(
    cells: Cells, counts: FloatArray, shares: FloatArray, slope: FloatArray, gap: FloatArray
) -> FloatArray:
    """Return the likeliest shares that close the gap if the slope stayed what it is, or most of it."""
    with np.errstate(invalid="ignore"):
        centred = slope - cells.sums(shares * slope)[:, cells.stratum]
        lowest, highest = (
            of.reduceat(centred, cells.starts, axis=-1).sum(axis=-1) for of in (np.minimum, np.maximum)
        )
        target = np.clip(-gap, (1 - INSIDE) * lowest, (1 - INSIDE) * highest)
    scale = np.maximum(np.abs(centred).max(axis=-1), 1e-300)  # so that lambda is of the size of counts
    return _weighted(cells, counts, centred / scale[:, None], target / scale)


def _weighted(cells: Cells, counts: FloatArray, slope: FloatArray, target: FloatArray) -> FloatArray:
    """Maximise sum n log p where p adds up to 1 in each class and slope @ p is the target.

    Newton on its dual, sum mu + lambda target - sum n log(mu + lambda c), convex in mu and lambda.
    """
    weight = cells.sums(counts)[:, cells.stratum]  # mu + lambda c
    for _ in range(NEWTON):
        shares = counts / weight
        square = shares**2 / counts
        of_mu, of_lambda = 1 - cells.sums(shares), target - (slope * shares).sum(axis=-1)
        mu_mu, mu_lambda = cells.sums(square), cells.sums(slope * square)
        lambda_lambda = (slope**2 * square).sum(axis=-1)
        # The block of mu is diagonal: what is left of lambda when it is eliminated is one number.
        left = lambda_lambda - (mu_lambda**2 / mu_mu).sum(axis=-1)
        rest = of_lambda - (mu_lambda * of_mu / mu_mu).sum(axis=-1)
        by_lambda = -np.divide(rest, left, out=np.zeros_like(rest), where=left > 1e-14 * lambda_lambda)
        by_mu = -(of_mu + mu_lambda * by_lambda[:, None]) / mu_mu
        change = by_mu[:, cells.stratum] + slope * by_lambda[:, None]
        falls = -((by_mu * of_mu).sum(axis=-1) + by_lambda * of_lambda)
        if not (falls > 1e-16).any():
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
