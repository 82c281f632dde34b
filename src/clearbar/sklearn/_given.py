"""What a classifier that ignores its input is given: labels, weights, numbers of rows, randomness."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from clearbar.core._typing import FloatArray
from clearbar.core.errors import listed

MOST_SAMPLES = 2**52


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
