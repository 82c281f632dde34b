"""How many of some rows the best feature-blind classifier of more than two classes calls each."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core._numbers import number_or_nan
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.errors import listed
from clearbar.problems.multiclass import ClassMeasure
from clearbar.sklearn._optimum import ENOUGH

SUM = 1e-9
"""How far from 1 shares may add up to."""


def measure_of_many(measure: str | Measure | ClassMeasure) -> ClassMeasure | None:
    """Return the measure of many classes of that name; None where there is none."""
    try:
        of_many: ClassMeasure = get_measure(
            measure.name if isinstance(measure, Measure) else measure, "multiclass"
        )
    except (TypeError, ValueError):
        return None
    return None if of_many.name == "g_mean" else of_many  # which has no bar for more than a hundred rows


def judges_two(measure: Any) -> bool:
    """Whether a name or measure is of two classes."""
    try:
        get_measure(measure, "binary")
    except (TypeError, ValueError):
        return False
    return True


def checked_shares(prevalence: Any, classes: Any, weights: FloatArray) -> FloatArray:
    """Return the share of each class: those of weighted training labels, or what is known."""
    if isinstance(prevalence, str) and prevalence == "train":
        return np.asarray(weights / weights.sum())
    labels = classes.tolist()
    if not isinstance(prevalence, Mapping) or set(prevalence) != set(labels):
        raise ValueError(
            "prevalence must be 'train' or map each class to its share, where there are more than two; the "
            f"classes are {listed(map(repr, labels), most=6)}, and found {prevalence!r:.60}."
        )
    shares = np.array([number_or_nan(prevalence[label]) for label in labels])
    if not (shares >= 0).all() or abs(float(shares.sum()) - 1) > SUM:
        raise ValueError(f"prevalence must hold shares from 0 up that add up to 1; found {prevalence!r:.60}.")
    return np.asarray(shares / shares.sum())


@functools.lru_cache(maxsize=256)
def counts_for(measure: ClassMeasure, rows: int, shares: tuple[float, ...]) -> tuple[int, ...]:
    """Return how many of these rows to call each class.

    The best numbers for class sizes in these shares; where the measure has no bar on those, such as MCC on
    one class, those that are best for a thousand rows, scaled down.
    """
    counts = measure.optimum(apportioned(rows, shares), 0.0).counts
    if counts is not None:
        return tuple(counts.tolist())
    if rows == ENOUGH:
        reason = measure.optimum(apportioned(rows, shares), 0.0).reason
        raise ValueError(f"there is no best draw for {measure.name}: {reason}.")
    many = counts_for(measure, ENOUGH, shares)
    return tuple(apportioned(rows, [number / ENOUGH for number in many]).tolist())


def apportioned(rows: int, shares: Sequence[float]) -> IntArray:
    """Return whole numbers in about these shares that add up: the largest remainders are rounded up."""
    exact = rows * np.asarray(shares)
    counts = np.floor(exact).astype(np.int64)
    left = rows - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:left]] += 1
    return np.asarray(counts)
