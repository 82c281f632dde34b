"""The best draws of many populations where nothing is known of the shape: every k is tried."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.problems.binary._policy import Filling, fill_is_proved, fill_value
from clearbar.problems.binary._scan import SCAN_DRAWS, scores_at_margins
from clearbar.problems.binary._search import optima
from clearbar.problems.binary._steps import TIE

CHUNK = 2**18
"""Draws held in memory at once by a scan."""


class Side(NamedTuple):
    """An extreme expectation per population, the smallest draw that attains it, and its warrant."""

    value: FloatArray
    draws: IntArray
    certified: BoolArray


def nothing_found(shape: tuple[int, ...]) -> Side:
    """Return room for an extreme of each population, certified until something says otherwise."""
    return Side(np.full(shape, np.nan), np.full(shape, -1, dtype=np.int64), np.ones(shape, dtype=bool))


def scanned(measure: Measure, m: IntArray, p: IntArray, undefined: Filling) -> tuple[Side, Side]:
    """Try every k of every population in one flat array of draws."""
    sizes = m + 1
    sides = nothing_found(m.shape), nothing_found(m.shape)
    small = np.flatnonzero(sizes <= SCAN_DRAWS)
    pieces = hg.cuts(sizes[small], CHUNK)
    work = int(sizes[small].sum())
    for part in tracked(pieces, work, lambda part: int(sizes[small[part]].sum()), "draws"):
        _scan_rows(measure, m, p, small[part], undefined, sides)
    large = np.flatnonzero(sizes > SCAN_DRAWS)
    for i in tracked(large, len(large), lambda _: 1, "populations"):  # each is a search of its own
        for side, optimum in zip(sides, optima(measure, int(m[i]), int(p[i]), undefined), strict=True):
            side.value[i], side.draws[i] = float(optimum.value), int(optimum.smallest)
            side.certified[i] = optimum.certified
    return sides


def _scan_rows(
    measure: Measure,
    m: IntArray,
    p: IntArray,
    rows: IntArray,
    undefined: Filling,
    sides: tuple[Side, Side],
) -> None:
    row, k, start = hg.laid_out(m[rows] + 1)
    mm, pp = m[rows][row], p[rows][row]
    fills = [fill_value(measure, m[rows], undefined, largest=side) for side in (True, False)]
    scored = [scores_at_margins(measure, mm, pp, k, _per_draw(fills[0], row))]
    scored.append(
        scores_at_margins(measure, mm, pp, k, _per_draw(fills[1], row)) if undefined == "worst" else scored[0]
    )
    for side, (means, scale), sign in zip(sides, scored, (1.0, -1.0), strict=True):
        scores = np.where(np.isnan(means), -math.inf, sign * means)
        best = np.maximum.reduceat(scores, start)
        at_best = np.maximum.reduceat(np.where(scores == best[row], scale, 0.0), start)
        tied = scores >= best[row] - TIE * np.maximum(scale, at_best[row])
        least = np.minimum.reduceat(np.where(tied, k, m[rows][row] + 1), start)
        ok = np.isfinite(best)
        proved = fill_is_proved(measure, m[rows], undefined, largest=sign > 0)
        if not np.all(proved):
            own = measure.in_catalogue and measure.domain.on_margins
            side.certified[rows] = proved | (own & ~_level_with_fill(best, sign, fills[sign < 0], at_best))
        side.value[rows] = np.where(ok, sign * best, np.nan)
        side.draws[rows] = np.where(ok, least, -1)


def _level_with_fill(best: FloatArray, sign: float, fill: Any, scale: FloatArray) -> BoolArray:
    """Return where the policy's value is among the best."""
    return np.asarray(best <= sign * np.asarray(fill) + TIE * np.maximum(scale, np.abs(best)))


def _per_draw(fill: Any, row: IntArray) -> Any:
    return fill if np.ndim(fill) == 0 else np.asarray(fill)[row]
