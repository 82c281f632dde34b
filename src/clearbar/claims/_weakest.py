"""What holds for every table: between which scores they lie, and which of them clears a bar least surely."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.claims._rows import MOST_CELLS, TableRanges, is_linear, is_monotone, with_values
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Counts, Population, counts_of
from clearbar.core.errors import listed
from clearbar.evaluation.labels import evaluate_counts
from clearbar.problems.binary import baseline
from clearbar.verdict import Verdict

ALL_TESTED = 64  # tables up to which every one is judged
CLOSEST = 48  # of more, those that are closest to the bar in standard errors
SPREAD = 14  # and those from end to end, besides the best and the worst
AT_ONCE = 2**16  # rows of which the closest are looked for

_STANDS = {
    "clears": "above the bar",
    "fails": "below the bar",
    "ties": "on the bar",
    "unbeatable": "judged by a bar that cannot be beaten",
    "undefined": "without a value",
}


def extremes(rows: TableRanges, measure: Measure) -> tuple[TableRanges, FloatArray]:
    """Return rows with values, and the scores at both ends of each, between which its others lie."""
    number = int(rows.sizes.sum())
    if is_monotone(measure) or is_linear(measure):
        rows = with_values(rows, measure)
        return rows, np.stack([rows.values(measure, fp) for fp in (rows.low, rows.high)])
    if number > MOST_CELLS:
        raise ValueError(
            f"{measure.name} is not known to be monotone in FP, and {number:,} tables are too many to try "
            f"one by one (at most {MOST_CELLS:,})."
        )
    rows = rows.listed(number)
    scores = rows.values(measure, rows.low)
    finite = np.isfinite(scores)
    return rows.of(finite), np.stack([scores[finite]] * 2)


def counts_in(tables: TableRanges) -> Counts:
    """Return tables, one in each row, as Counts."""
    return counts_of((tables.tp, tables.low, tables.positives - tables.tp, tables.negatives - tables.low))


def judged(rows: TableRanges, measure: Measure) -> Verdict:
    """Return the verdict on the table that clears least surely; undefined where they do not agree."""
    number = int(rows.sizes.sum())
    valued, scores = extremes(rows, measure)
    missing = number > int(valued.sizes.sum())
    tables = rows.listed(number) if number <= ALL_TESTED else _closest(valued, scores, measure)
    columns = evaluate_counts(counts_in(tables), measure).columns
    p_value, p_blind, outcomes = (columns[name][0, :, 0] for name in ("p_value", "p_value_blind", "outcome"))
    kinds = sorted({*outcomes.tolist(), *(["undefined"] * missing)})
    least_sure = np.fmax(p_value, p_blind) if kinds == ["clears"] else p_value
    weakest = tables.of([int(np.argmax(np.nan_to_num(least_sure, nan=-1.0)))])
    name = "the only possible table" if number == 1 else f"the weakest of {number:,} possible tables"
    (verdict,) = evaluate_counts({name: Counts.sum(counts_in(weakest))}, measure)
    return verdict if len(kinds) == 1 else _undecided(verdict, number, kinds)


def _undecided(verdict: Verdict, number: int, outcomes: list[str]) -> Verdict:
    first, *others = (_STANDS[outcome] for outcome in outcomes)
    stand = listed([f"some are {first}", *(f"some {other}" for other in others)])
    nothing: Any = dict.fromkeys(("score", "skill", "p_value", "p_value_blind", "p_sure"), math.nan)
    nothing |= {"counts": None, "ends": None, "p_method": "", "p_blind_method": ""}
    return replace(
        verdict,
        model="the possible tables",
        outcome="undefined",
        p_corrected=1.0,
        sure=False,
        reason=f"of the {number:,} possible tables {stand}",
        **nothing,
    )


def _closest(rows: TableRanges, scores: FloatArray, measure: Measure) -> TableRanges:
    """Return the best and the worst table, those closest to the bar, and some from end to end."""
    total = int(rows.positives[0] + rows.negatives[0])
    sizes, of_row = np.unique(rows.positives, return_inverse=True)
    bars: Any = baseline(Population(np.full_like(sizes, total), sizes), measure).value
    margins = scores - np.asarray(bars)[of_row]
    ends = np.concatenate((rows.low, rows.high))
    flat = np.nan_to_num(margins.reshape(-1), nan=np.inf)
    spread = np.linspace(0, flat.size - 1, SPREAD).astype(np.int64)
    near = np.argsort(np.abs(flat), kind="stable")[:AT_ONCE]
    errors = _standard_errors(rows, measure, near % len(rows.tp), ends[near])
    with np.errstate(divide="ignore", invalid="ignore"):
        by_error = near[np.argsort(np.abs(flat[near]) / errors, kind="stable")[:CLOSEST]]
    picked = np.unique(np.concatenate(([np.argmin(flat), np.argmax(flat)], by_error, spread)))
    fp = ends[picked]
    return rows.of(picked % len(rows.tp))._replace(low=fp, high=fp)


def _standard_errors(rows: TableRanges, measure: Measure, at: Any, fp: Any) -> FloatArray:
    """Return standard errors of scores by the delta method, rates moved off 0 and 1."""
    tables = rows.of(at)
    sides = ((tables.tp, tables.positives, (1, 0)), (fp, tables.negatives, (0, 1)))
    variance = np.zeros(len(tables.tp))
    for cell, size, (of_tp, of_fp) in sides:
        steps = [np.clip(cell + step, 0, size) - cell for step in (-1, 1)]
        ends = [
            tables._replace(tp=tables.tp + of_tp * step).values(measure, fp + of_fp * step) for step in steps
        ]
        width = np.maximum(steps[1] - steps[0], 1)
        rate = (cell + 1) / (size + 2)
        variance += ((ends[1] - ends[0]) / width) ** 2 * size * rate * (1 - rate)
    return np.asarray(np.sqrt(np.nan_to_num(variance, nan=np.inf)))
