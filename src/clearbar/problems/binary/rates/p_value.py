"""Question A: how surprising is the score if the model's true score is the bar?

The p-value of a side is the largest probability, at true rates inside the confidence box at which the true
score is the bar or worse, of an outcome at least as far out as the observed one, plus what the box costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Counts
from clearbar.problems.binary.rates.side import Boxes, Side, cells_of, questions
from clearbar.problems.binary.rates.tail import FEW, is_smooth, is_summed_one_by_one
from clearbar.problems.binary.rates.worst import MANY_UP_TO, one_sided

_TOGETHER = 2**11
"""Tables whose questions are held at once."""


def p_values(measures: Sequence[Measure], counts: Counts, bars: Sequence[FloatArray]) -> FloatArray:
    """Two-sided p of each measure at its bars, of shape (measures, *counts.shape).

    nan where the score or the bar has no value.
    """
    by_measure = np.stack([np.broadcast_to(bar, counts.shape).reshape(-1) for bar in bars])
    cells = cells_of(counts)
    p = np.empty(by_measure.shape)
    tp, fp, fn, tn = cells
    order = np.lexsort((tp, fp, fp + tn, tp + fn))  # equal tables, and equal class sizes, side by side
    for start in range(0, order.size, _TOGETHER):
        cut = order[start : start + _TOGETHER]
        p[:, cut] = _of_tables(measures, cells[:, cut], by_measure[:, cut])
    return p.reshape(len(measures), *counts.shape)


def methods(counts: Counts) -> Any:
    """How the p-values and intervals of tables are found, an array like the counts.

    "exact" where every outcome is summed; "estimated" where one stands for its neighbours, or fewer points of
    the curve are looked at; "normal" where both counts vary so much that nothing is summed.
    """
    cells = cells_of(counts)
    found = np.full(cells.shape[1], "exact", dtype=object)
    P, N = cells[0] + cells[2], cells[1] + cells[3]
    large = np.flatnonzero(np.maximum(P, N) >= FEW)  # of fewer all are summed
    if large.size:
        boxes = Boxes.of(cells[:, large])
        exact = is_summed_one_by_one(boxes) & (boxes.P + boxes.N < MANY_UP_TO)
        found[large] = np.where(is_smooth(boxes), "normal", np.where(exact, "exact", "estimated"))
    return found.reshape(counts.shape)


def _of_tables(measures: Sequence[Measure], cells: FloatArray, bars: FloatArray) -> FloatArray:
    """P per measure and table: equal tables have one box, and equal curves one test."""
    tables, table = np.unique(cells, axis=1, return_inverse=True)
    table = table.reshape(-1)
    sign = np.array([-1.0 if measure.greater_is_better is False else 1.0 for measure in measures])[:, None]
    with np.errstate(all="ignore"):
        bars, scores = sign * bars, sign * np.stack([measure.values(*cells) for measure in measures])
    p = np.full(bars.shape, np.nan)
    known = np.nonzero(np.isfinite(scores) & np.isfinite(bars))
    number, column = known
    if not number.size:
        return p
    side = questions(measures, number, Boxes.of(tables)[table[column]], bars[known], scores[known])
    key = np.column_stack((table[column], side.curves.keys(), side.t == 0))
    _, first, back = np.unique(key, axis=0, return_index=True, return_inverse=True)
    p[known] = _two_sided(side[first])[back.reshape(-1)]
    return p


def _two_sided(side: Side) -> FloatArray:
    """Twice the smaller p; that of the side on which the score does not lie only where it could be that."""
    p = one_sided(side.above(below=side.t < 0))
    doubtful = np.flatnonzero((p >= 0.5) & (side.t != 0))
    if doubtful.size:
        rest = side[doubtful]
        p[doubtful] = np.minimum(p[doubtful], one_sided(rest.above(below=rest.t > 0)))
    return np.minimum(2.0 * p, 1.0)
