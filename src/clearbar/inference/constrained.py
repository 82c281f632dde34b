"""The likeliest shares of cells at which two models' scores differ by a given amount.

Those that would be if the slope of the difference stayed what it is (`clearbar.inference.likeliest`); it is
found again where that leads, until the scores differ by the amount.
"""

from __future__ import annotations

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.inference.cells import Cells
from clearbar.inference.likeliest import likeliest

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
        new = likeliest(cells.strata, raised[rows], now, contrast.slope, -gap)
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
