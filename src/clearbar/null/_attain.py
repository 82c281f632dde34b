"""When does an outcome attain a score? Comparisons that forgive the last digits, and no sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray

ULPS = 4
"""A number this close to an atom is that atom: both were rounded on the way here."""

FINE = 2.0**49
"""Samples times ulps that one sample outweighs: it moves a score by about 2**52 ulp over their number."""

STEP = 2.0**-26
"""Relative shift of a cell that shows how a function carries on what its cells lack."""

CARRIED = 2.0**-49
"""Roundings, relative to each cell, that a function of a few operations is taken to amount to."""

SUSPECT = 1e-9
"""Share of the largest value: what is closer to a score than this may be it."""


def slack(score: Any, total: Any = 1) -> FloatArray:
    """Return how far from a score a value may lie and still be it."""
    magnitude = np.abs(np.asarray(score, dtype=np.float64))
    ulps: Any = ULPS
    if np.max(total, initial=1) > FINE / ULPS:
        ulps = np.minimum(ULPS, FINE / np.maximum(total, 1))
    with np.errstate(invalid="ignore", over="ignore"):
        # an ulp of the atom, which may be the larger number and lie beyond a power of two
        return np.where(np.isfinite(magnitude), ulps * np.spacing(magnitude * (1 + 2**-50)), 0.0)


def attains(
    values: Any, score: Any, *, greater_is_better: bool | None, total: Any = 1, rounding: Any = None
) -> BoolArray:
    """Return where raw values are at least as good as a score."""
    margin = slack(score, total) if rounding is None else np.maximum(slack(score, total), rounding)
    with np.errstate(invalid="ignore"):
        if greater_is_better is False:
            return np.asarray(values <= score + margin)
        return np.asarray(values >= score - margin)


def reaches(
    measure: Measure, cells: tuple[Any, Any, Any, Any], raw: FloatArray, score: Any, total: Any
) -> BoolArray:
    """Return where tables are at least as good as a score."""
    facts: dict[str, Any] = {"greater_is_better": measure.greater_is_better, "total": total}
    reached = attains(raw, score, **facts)
    if measure.in_catalogue:  # its formulas lose less than the slack
        return reached
    finite = np.where(np.isfinite(raw), raw, 0.0)
    scale = np.abs(finite).max(initial=0.0)
    close = ~reached & (np.abs(finite - score) <= SUSPECT * scale)
    rows = np.nonzero(close)
    if rows[0].size:
        *doubtful, facts["total"], score = (
            np.broadcast_to(part, raw.shape)[rows] for part in (*cells, total, score)
        )
        rounding = rounding_of(measure, doubtful, facts["total"])
        reached[rows] = attains(raw[rows], score, **facts, rounding=rounding)
    return reached


def rounding_of(measure: Measure, cells: Sequence[Any], total: Any) -> FloatArray:
    """Return how much of the values of a user's function may be rounding; 0 where it has none.

    Differences cancel, and what is left has the absolute error of what went in. Shifting each cell a little
    tells how much of it arrives; of two shifts the smaller effect counts, so that a kink on one side is no
    rounding.
    """
    raw = measure.values(*cells)
    carried = np.zeros(raw.shape)
    for at in range(4):
        effects = []
        for shift in (1 + STEP, 1 - STEP):
            shifted = [np.asarray(cell, dtype=np.float64) for cell in cells]
            shifted[at] = shifted[at] * shift
            with np.errstate(invalid="ignore"):
                effects.append(np.abs(measure.values(*shifted) - raw))
        effect = np.fmin(*effects)
        carried += np.where(np.isfinite(effect), effect, 0.0)
    # never as much as one sample
    return np.asarray(carried / STEP * np.minimum(CARRIED, 1 / (8.0 * np.maximum(total, 1))))
