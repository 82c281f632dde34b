"""How many of n rows the best blind classifier gives each label."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from clearbar.catalogue import Measure, get_measure
from clearbar.core._numbers import number_or_nan
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.null import predicted_from_theta
from clearbar.problems.binary import baseline, draw_without_sizes, in_words, needed_knowledge
from clearbar.problems.multiclass import ClassMeasure

Prevalence = float | Literal["train"] | None

MANY_ROWS = 1000
"""Rows that stand for many, where too few are given to hold both classes."""

SUM = 1e-9
"""How far from 1 shares of many classes may add up to."""

MOST_SAMPLES = 2**52


def measure_of(measure: Any, kind: str) -> Any:
    """Return the measure of a kind that is named so; None where there is none."""
    try:
        return get_measure(measure, kind)
    except (TypeError, ValueError):
        return None


def measure_of_many(measure: str | Measure | ClassMeasure) -> ClassMeasure | None:
    """Return the measure of many classes of that name; None where there is none."""
    entry: ClassMeasure | None = measure_of(
        measure.name if isinstance(measure, Measure) else measure, "multiclass"
    )
    # g_mean has no bar for more than a hundred rows
    return None if entry is None or entry.name == "g_mean" else entry


def checked_prevalence(prevalence: Any) -> Prevalence:
    """Return what is known of the share of positives, or say what may be."""
    if prevalence is None or (isinstance(prevalence, str) and prevalence == "train"):
        return prevalence  # type: ignore[return-value]
    share = number_or_nan(prevalence)
    if not 0 < share < 1:
        raise ValueError(
            f"prevalence must be 'train', a share between 0 and 1, or None; found {prevalence!r:.60}."
        )
    return share


def refuse_unknown(measure: Measure, prevalence: float | None, undefined: Undefined) -> None:
    """Say at once if no number of rows has an optimum that can be known."""
    if prevalence is not None:
        draws_for(measure, MANY_ROWS, prevalence, undefined)
        return
    if measure.greater_is_better is None:
        raise ValueError(f"{measure.label} has no better end, so that no draw is the best one.")
    need = needed_knowledge(measure, undefined=undefined)
    if need not in {"nothing", "number of samples"}:
        raise ValueError(
            f"prevalence=None is not enough for {measure.name}: its optimal draw depends on "
            f"{in_words(need)}. Pass prevalence='train', or the share of positives as a number."
        )


@functools.lru_cache(maxsize=256)
def draws_for(measure: Measure, rows: int, prevalence: float | None, undefined: Undefined) -> int:
    """Return how many of these rows to label positive.

    The smallest optimal number. Where the measure has no bar on the rounded class sizes, such as F1 without a
    positive row, those nearest to them with both classes are taken, and for rows too few for that the share
    which is optimal for a thousand.
    """
    if prevalence is None:
        return draw_without_sizes(measure, rows, undefined=undefined)
    positives = predicted_from_theta(rows, prevalence)
    nearest = min(max(positives, 1), rows - 1)
    for size in (positives, nearest)[: 2 if rows > 1 else 1]:
        best = baseline(Population(rows, size), measure, undefined=undefined).best
        if best is not None and best.smallest >= 0:
            return int(best.smallest)
    if rows == MANY_ROWS:
        reason = baseline(Population(rows, nearest), measure, undefined=undefined).reason
        raise ValueError(f"there is no best draw for {measure.name}: {reason}.")
    return predicted_from_theta(rows, draws_for(measure, MANY_ROWS, prevalence, undefined) / MANY_ROWS)


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
    if rows == MANY_ROWS:
        reason = measure.optimum(apportioned(rows, shares), 0.0).reason
        raise ValueError(f"there is no best draw for {measure.name}: {reason}.")
    many = counts_for(measure, MANY_ROWS, shares)
    return tuple(apportioned(rows, [number / MANY_ROWS for number in many]).tolist())


def apportioned(rows: int, shares: Sequence[float]) -> IntArray:
    """Return whole numbers in about these shares that add up: the largest remainders are rounded up."""
    exact = rows * np.asarray(shares)
    counts = np.floor(exact).astype(np.int64)
    left = rows - int(counts.sum())
    counts[np.argsort(counts - exact, kind="stable")[:left]] += 1
    return np.asarray(counts)


def refuse_not_two(classes: Any) -> None:
    """Refuse labels of one class, or of more than two."""
    shown = listed(map(repr, classes.tolist()), most=6)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: y holds "
            f"{len(classes)} classes ({shown}). For one class against the rest fit on y == label; for all "
            "name a measure of many, such as 'f1_macro', and neither pos_label, undefined nor a single "
            "prevalence."
        )
    if len(classes) < 2:
        raise ValueError(f"y holds one class ({shown}) and two are needed, of which one is positive.")


def classes_of(y: Any) -> Any:
    """Return the distinct labels, or say that they cannot be put in order."""
    try:
        return np.unique(y)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in y})
        raise ValueError(f"y must hold labels of one kind; found {listed(kinds)}.") from None


def positive_of(classes: Any, pos_label: Any) -> Any:
    """Return the label of the positive class: the second one by default."""
    if pos_label is None:
        return classes[1]
    matching = [label for label in classes if np.ndim(pos_label) == 0 and label == pos_label]
    if not matching:
        raise ValueError(
            f"pos_label={pos_label!r} is not among the classes of y, which are "
            f"{listed(map(repr, classes.tolist()))}."
        )
    return matching[0]


def source_of(random_state: Any) -> Any:
    """Return where randomness comes from, or say what it can be."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    try:
        return check_random_state(random_state)
    except ValueError:
        raise ValueError(
            "random_state must be None, a whole number from 0 to 2**32 - 1, a RandomState or a Generator; "
            f"found {random_state!r:.60}."
        ) from None


def checked_rows(n_samples: Any) -> int:
    """Return a number of rows, or say what one is."""
    whole = isinstance(n_samples, (int, np.integer)) and not isinstance(n_samples, bool)
    if not whole or not 1 <= n_samples <= MOST_SAMPLES:
        raise ValueError(f"n_samples must be a whole number from 1 to 2**52; found {n_samples!r:.60}.")
    return int(n_samples)


def checked_weight(sample_weight: Any, length: int) -> FloatArray:
    """Return a weight for each sample, or say what weights are."""
    if sample_weight is None:
        return np.ones(length)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"sample_weight must hold numbers; found {sample_weight!r:.60}.") from None
    if weight.shape != (length,):
        raise ValueError(
            f"sample_weight must hold one number for each of {length:,} samples; found shape {weight.shape}."
        )
    wrong = ~(np.isfinite(weight) & (weight >= 0))
    if wrong.any():
        where = int(np.argmax(wrong))
        raise ValueError(
            f"sample_weight must hold finite numbers from 0 up; found {weight[where]} at position {where}."
        )
    if not weight.any():
        raise ValueError("sample_weight is zero everywhere; at least one sample must count.")
    return weight


def share_of(positive: Any, weight: FloatArray) -> float:
    """Return the weighted share of positives, unless one class has all the weight."""
    share = float(weight[positive].sum() / weight.sum())
    if not 0 < share < 1:
        raise ValueError(
            "sample_weight leaves one class of y, so that there is no share of positives to learn; give "
            "both classes some weight, or pass the share as prevalence."
        )
    return share
