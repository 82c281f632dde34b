"""Scores and numbers as one column of finite floats each, and the counts at every threshold."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.core.errors import ArgumentError
from clearbar.data.arrays import (
    guarded,
    read,
    refuse_empty,
    refuse_other_rows,
    refuse_several,
    refuse_unequal,
)
from clearbar.data.labels import Labels, class_names, positive_samples, read_labels

_EXACT = 2**53  # whole numbers up to this are floats


class TieGroups(NamedTuple):
    """Samples with equal scores, the highest score first."""

    scores: FloatArray  # the distinct scores, descending
    sizes: IntArray  # samples that have each
    positives: IntArray  # positive samples that have each


def read_scores(value: Any, name: str, length: int) -> FloatArray:
    """Return one model's scores as floats, narrow ones as they are, or say what is wrong with them."""
    return _finite(value, name, length, "score", "For predicted labels use evaluate(y_true, y_pred)")


def read_numbers(value: Any, name: str, length: int | None = None) -> FloatArray:
    """Return targets, or one model's predictions, as finite floats, or say what is wrong with them."""
    remedy = "pass one number per sample" if name == "y_true" else "name the models in a dict"
    refuse_several(value, name, remedy)
    instead = "Text is judged as labels, by evaluate(y_true, y_pred)"
    return _finite(value, name, length, "number", instead).astype(np.float64, copy=False)


def _finite(value: Any, name: str, length: int | None, noun: str, instead: str) -> FloatArray:
    """Return the numbers of a column; `instead`: what judges text."""
    column = read(value, name)
    if length is not None:
        refuse_unequal(name, column.length, "y_true", length)
    refuse_empty(name, column.length)
    if column.categories is not None:
        raise ValueError(
            f"{name} must hold numbers, a {noun} per sample; found text or categories. {instead}."
        )
    numbers = numeric(column.values, name, noun)
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(numbers.sum()):  # one sum finds nan and infinity, unless it overflows itself
            return numbers
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        what = f"a {noun} that is" if wrong.size == 1 else f"{wrong.size:,} {noun}s that are"
        where = f"first at position {wrong[0]}: {numbers[wrong[0]]}"
        raise ValueError(
            f"{name} has {what} nan or infinite ({where}). Drop those samples, or pass finite numbers."
        )
    return numbers


def numeric(values: NDArray[Any], name: str, noun: str = "score") -> FloatArray:
    """Return an array of any type as floats of 16, 32 or 64 bits, or say why it holds no numbers."""
    text = values.dtype.kind in "US"
    if values.dtype.kind == "O":  # float() reads text, which is no number
        text = any(isinstance(value, (str, bytes, bytearray)) for value in values.tolist())
        if not text:
            with guarded(values, name):
                values = np.array([float(value) for value in values])
    if values.dtype.kind not in "biuf":
        kind = "text" if text else f"{values.dtype} values"
        raise ValueError(f"{name} must hold numbers, a {noun} per sample; found {kind}.")
    wide = values.dtype.kind in "iu" and values.itemsize == 8 and len(values)
    if wide and (int(values.max()) > _EXACT or int(values.min()) < -_EXACT):
        raise ValueError(
            f"{name} holds whole numbers beyond 2**53, which floating point cannot tell apart; "
            "pass their ranks."
        )
    narrow = values.dtype in (np.float16, np.float32)
    return values if narrow else values.astype(np.float64, copy=False)


def read_truth(y_true: Any, pos_label: Any = None) -> BoolArray:
    return named_truth(y_true, pos_label)[1]


def named_truth(y_true: Any, pos_label: Any) -> tuple[Labels, BoolArray]:
    """Return both labels, and which samples are positive."""
    with of_one_class():
        return positive_samples(read_labels(y_true), pos_label)


@contextmanager
def of_one_class() -> Iterator[None]:
    """Say of scores, where there are more than two classes, how they are judged: one class at a time."""
    try:
        yield
    except ArgumentError as error:
        if error.mends != "two classes":
            raise
        right = (
            f"Scores are judged one class at a time: pass {error.argument} == label and its scores, or judge "
            "the label of the highest score by evaluate_multiclass, or a column of each class by roc_auc_ovr."
        )
        raise type(error)(error.argument, error.found, right, "one class") from None


def tie_groups(truth: BoolArray, scores: FloatArray) -> TieGroups:
    """Sort samples by score and count those that share one.

    A float's bits, read as a whole number, are in the order of the floats of its sign; one place further
    left they leave room for the label. So the scores and the labels are sorted together, as whole numbers,
    with no index of the order in between: a third of the time of `argsort`.
    """
    keys = np.add(scores, 0.0, dtype=np.float64).view(np.uint64)  # a negative zero becomes a zero
    keys <<= np.uint64(1)  # the sign goes
    keys |= truth
    negative = scores < 0
    negatives = int(np.count_nonzero(negative))
    if negatives:
        low, high = keys[negative], keys[~negative]
        low.sort()
        high.sort()
        keys = np.concatenate([low[::-1], high])
    else:
        keys.sort()
    last = np.empty(len(keys), dtype=bool)  # whether the next sample has another score
    np.greater(keys[1:] ^ keys[:-1], 1, out=last[:-1])
    last[[negatives - 1, -1]] = True  # a score and its negative look alike
    ends = np.flatnonzero(last)
    positives = np.cumsum(keys & np.uint64(1), dtype=np.int64)[ends]
    values = (keys[ends] >> np.uint64(1)).view(np.float64)
    values[: np.searchsorted(ends, negatives)] *= -1.0
    return TieGroups(values[::-1], np.diff(ends + 1, prepend=0)[::-1], np.diff(positives, prepend=0)[::-1])


def counts_at_thresholds(y_true: Any, y_score: Any, *, pos_label: Any = None) -> tuple[FloatArray, Counts]:
    """Return infinity and each distinct score, and the counts where scores from there on are positive."""
    labels, truth = named_truth(y_true, pos_label)
    scores = read_scores(y_score, "y_score", len(truth))
    refuse_other_rows(y_true, y_score, "y_score")
    groups = tie_groups(truth, scores)
    predicted, tp = (np.concatenate([[0], np.cumsum(sizes)]) for sizes in (groups.sizes, groups.positives))
    positives = int(np.count_nonzero(truth))
    counts = Counts(tp=tp, fp=predicted - tp, fn=positives - tp, tn=len(truth) - positives - predicted + tp)
    return np.concatenate([[np.inf], groups.scores]), counts.called(class_names(labels))
