"""Counts from a confusion matrix that another library made."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.core._numbers import whole_numbers
from clearbar.core._typing import IntArray
from clearbar.core.counts import Counts
from clearbar.core.errors import in_given_order, listed, shown
from clearbar.data.labels import Tally, library, plain, settle


def counts_from_matrix(matrix: Any, labels: Any = None, pos_label: Any = None) -> Counts:
    """Read a confusion matrix: rows are true labels, columns predicted ones."""
    if library(matrix) == "pandas":
        cells, names = _crosstab(matrix, labels)
    else:
        cells = whole_numbers("matrix", matrix)
        _refuse_shape(cells.shape)
        names = [0, 1] if labels is None else _two(labels)
        if labels is None and pos_label is not None and plain(pos_label) != 1:
            raise ValueError(
                f"pos_label={shown(pos_label)} needs labels, both in the order of the matrix's rows."
            )
    truth, prediction = (
        Tally(dict(zip(names, np.sum(cells, axis=(*range(cells.ndim - 2), axis)).tolist(), strict=True)))
        for axis in (-1, -2)
    )
    positive = names.index(
        settle(truth, prediction, pos_label=pos_label, names=("matrix", "matrix")).pos_label
    )
    negative = 1 - positive
    return Counts(
        tp=cells[..., positive, positive],
        fp=cells[..., negative, positive],
        fn=cells[..., positive, negative],
        tn=cells[..., negative, negative],
    )


def _crosstab(frame: Any, labels: Any) -> tuple[IntArray, list[Any]]:
    """Return the cells of a frame by its own labels, 0 for a label that was never predicted."""
    rows, columns = ([plain(label) for label in axis.tolist()] for axis in (frame.index, frame.columns))
    names = list(dict.fromkeys([*rows, *columns]))
    if labels is not None and set(_two(labels)) != set(names):
        raise ValueError(
            f"labels must be those of the matrix, {listed(map(shown, names), most=6)}; found "
            f"{listed(map(shown, labels))}. Leave labels out, or pass matrix.to_numpy()."
        )
    if set(names) <= {0, 1}:
        names = [0, 1]
    if len(names) > 2 or len(rows) != len(set(rows)) or len(columns) != len(set(columns)):
        raise ValueError(
            "matrix must have the same two labels as rows and columns; found "
            f"{listed(map(shown, rows), most=6)} and {listed(map(shown, columns), most=6)}. Leave out "
            "margins, or pass matrix.to_numpy() with labels=[...] in the order of its rows."
        )
    cells = np.zeros((2, 2), dtype=np.int64)
    places = np.ix_([names.index(label) for label in rows], [names.index(label) for label in columns])
    cells[places] = whole_numbers("matrix", frame.to_numpy())
    return cells, names


def _two(labels: Any) -> list[Any]:
    names = list(map(plain, in_given_order("labels", labels)))
    if len(names) != 2 or names[0] == names[1]:
        raise ValueError(
            f"labels must be two labels in the order of the matrix's rows; found {shown(labels)}."
        )
    return names


def _refuse_shape(shape: tuple[int, ...]) -> None:
    if len(shape) >= 2 and shape[-2:] == (2, 2):
        return
    sentence = (
        f"matrix must be 2 × 2, rows true and columns predicted, or an array of such; found shape {shape}."
    )
    if shape[-1:] == (4,):
        remedy = "Four cells have names: Counts(tp=..., fp=..., fn=..., tn=...)."
    elif shape[-2:] == (1, 1):
        remedy = "Name both labels, as in confusion_matrix(y_true, y_pred, labels=[0, 1])."
    else:
        remedy = (
            "For one class against the rest, use confusion_matrix(y_true == label, y_pred == label) or "
            "multilabel_confusion_matrix."
        )
    raise ValueError(f"{sentence} {remedy}")
