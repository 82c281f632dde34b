"""Outcomes without a value: which number stands for them under each policy of `undefined`."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any, Literal, TypeAlias

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core._value import number_or_nan
from clearbar.core.errors import shown

Extreme: TypeAlias = Literal["smallest", "largest"]

# A policy, or which value of all tables of M samples stands for none, whichever end is sought.
Filling: TypeAlias = Undefined | Extreme

# Samples up to which every table is tried for the worst value a table can have; tables kept of a search.
ALL_TABLES, KEPT = 128, 32


def checked_policy(undefined: Any) -> Undefined:
    """Return the policy, or say which ones there are."""
    if isinstance(undefined, str) and undefined in {"exclude", "worst"}:
        return undefined  # type: ignore[return-value]
    number = number_or_nan(undefined)
    if not math.isfinite(number):
        msg = f"undefined must be 'exclude', 'worst' or a finite number; found {shown(undefined)}."
        raise ValueError(msg)
    return number


def scoring(
    measure: Measure, positives: Any, negatives: Any, undefined: Undefined
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Return what scores TP and FP at these class sizes, with the policy's value where there is none."""
    fill = fill_value(measure, positives + negatives, undefined)

    def scored(tp: FloatArray, fp: FloatArray) -> FloatArray:
        with np.errstate(all="ignore"):
            values = measure.values(tp, fp, positives - tp, negatives - fp)
        finite = np.isfinite(values)
        if finite.all():
            return values
        return np.where(finite, values, np.where(np.isnan(tp + fp), np.nan, fill))

    return scored


def fill_value(measure: Measure, total: Any, filling: Filling, *, largest: bool | None = None) -> Any:
    """Return what outcomes without a value count as where one end is sought, by default the better one."""
    # nan where they count as nothing.
    largest = measure.greater_is_better is not False if largest is None else largest
    side = _side(filling, largest=largest)
    if side is None:
        return np.nan if filling == "exclude" else float(filling)
    totals, back = np.unique(np.asarray(total, dtype=np.int64), return_inverse=True)
    values = np.array([extreme_value(measure, int(m), largest=side == "largest") for m in totals])
    return values[back.reshape(np.shape(total))][()]


def fill_is_proved(measure: Measure, total: Any, filling: Filling, *, largest: bool) -> Any:
    """Return whether no table can have a value beyond the one that `fill_value` found."""
    totals = np.asarray(total, dtype=np.int64)
    side = _side(filling, largest=largest)
    if side is None:
        return np.full(totals.shape, fill_value=True)[()]
    bound = measure.bounds[1 if side == "largest" else 0]
    value = fill_value(measure, totals, filling, largest=largest)
    return ((totals <= ALL_TABLES) | np.isnan(value) | (value == bound))[()]


def _side(filling: Filling, *, largest: bool) -> Extreme | None:
    """Return which value of all tables stands for none; None where the policy has one of its own."""
    if filling == "worst":
        return "smallest" if largest else "largest"
    return filling if filling in {"smallest", "largest"} else None


@functools.lru_cache(maxsize=4096)
def extreme_value(measure: Measure, total: int, *, largest: bool) -> float:
    """Return the least or largest finite value of a measure over all tables of M samples, nan without one."""
    # Every table is tried up to 128 samples; beyond, tables with few distinct cells are refined by moving
    # samples between cells, in halving amounts, from the best tables on.
    sign = 1.0 if largest else -1.0

    def signed(tables: IntArray) -> FloatArray:
        values = measure.values(*tables)
        return np.where(np.isfinite(values), sign * values, -np.inf)

    def best_of(tables: IntArray) -> IntArray:
        tables = np.unique(tables, axis=1)
        return np.asarray(tables[:, np.argsort(-signed(tables), kind="stable")[:KEPT]])

    half = total // 2
    best = signed(_tables_of([0, 1, half, total - half, total - 1, total], total)).max()
    if best == sign * measure.bounds[1 if largest else 0]:  # nothing goes beyond a bound
        return sign * float(best)
    if total <= ALL_TABLES:
        best = signed(_tables_of(range(total + 1), total)).max()
    else:
        sizes = {0, 1, 2, total // 4, total // 3, half - 1, half, half + 1, total - 2, total - 1, total}
        corners = _tables_of(sorted(sizes | {(total - 2) // 2, (total - 3) // 3}), total)
        tables = best_of(np.concatenate([np.roll(corners, turns, axis=0) for turns in range(4)], axis=1))
        step = max(total // 4, 1)
        while step:
            spread = [tables]
            for source, target in itertools.permutations(range(4), 2):
                moved = tables.copy()
                amount = np.minimum(step, moved[source])
                moved[source] -= amount
                moved[target] += amount
                spread.append(moved)
            tables = best_of(np.concatenate(spread, axis=1))
            step //= 2
        best = signed(tables).max()
    return sign * float(best) if math.isfinite(best) else math.nan


def _tables_of(sizes: Iterable[int], total: int) -> IntArray:
    """Return the tables whose tp, fp and fn are among some sizes."""
    tp, fp, fn = (grid.ravel() for grid in np.meshgrid(*[np.array(list(sizes))] * 3, indexing="ij"))
    tables = np.stack((tp, fp, fn, total - tp - fp - fn))
    return np.asarray(tables[:, (tables >= 0).all(axis=0)])
