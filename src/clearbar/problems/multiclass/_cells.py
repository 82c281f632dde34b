"""Two models' labels of many classes, counted: how many samples of a class have which two answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.equal_scores import PairedCells
from clearbar.inference.exchange import Exchangeable, right_alone
from clearbar.inference.multinomials import Cells
from clearbar.problems.multiclass._measure import ClassMeasure
from clearbar.problems.multiclass._tables import Tables

MOST_COMPARED = 12
"""Classes up to which both answers of every sample are counted; of more, there are too many cells."""


def paired_classes(
    measure: ClassMeasure,
    truth: IntArray,
    answers: tuple[IntArray, IntArray],
    times: IntArray,
    classes: int,
    empty: float,
    seed: int,
    exchange: Callable[[], Exchangeable],
) -> PairedCells:
    """Return two models' labels of single samples, each of which occurs so many times."""
    truth, a, b = (np.asarray(side, dtype=np.int64) for side in (truth, *answers))
    sizes = np.bincount(truth, times, minlength=classes).astype(np.float64)
    cells, counts = class_cells(measure, truth, (a, b), times, sizes, empty)
    alone = right_alone(a == truth, b == truth, times)
    return PairedCells(cells, counts, measure.bounds, seed, exchange=exchange, alone=alone)


def class_cells(
    measure: ClassMeasure,
    truth: IntArray,
    answers: tuple[IntArray, IntArray],
    times: IntArray,
    sizes: FloatArray,
    empty: float,
) -> tuple[Cells, IntArray]:
    """Return the cells that occur, of a true class and both answers, and their counts.

    A class is raised by two samples, as with two classes: half a sample for both right, only a right, only b
    right and both wrong, shared by the cells of each kind that occur. Of a kind of which none does, those of
    one wrong answer stand for all.
    """
    classes = len(sizes)
    a, b = answers
    counted = np.bincount((truth * classes + a) * classes + b, times, classes**3)
    counted = counted.reshape(classes, classes, classes)
    held = counted > 0
    true, one, other = np.ogrid[:classes, :classes, :classes]
    kind = 2 * (one == true) + (other == true)
    for row, wanted in itertools.product(np.flatnonzero(sizes > 0).tolist(), range(4)):
        if not (held[row] & (kind[row] == wanted)).any():
            alike = (one == other)[0] if wanted in {0, 3} else np.ones((classes, classes), dtype=bool)
            held[row] |= (kind[row] == wanted) & alike
    truth, a, b = np.nonzero(held)
    group = 4 * truth + kind[held]
    present, stratum = np.unique(truth, return_inverse=True)
    first, second = (_features(truth, side, classes) for side in (a, b))

    def value_of(features: FloatArray) -> FloatArray:
        predicted, hits = features[..., :classes], features[..., classes : 2 * classes]
        whole, off = np.broadcast_to(sizes, predicted.shape), features[..., 2 * classes :]
        return measure(Tables(whole, predicted, hits, off[..., 0], off[..., 1]), empty)

    cells = Cells(stratum, sizes[present], first, second, 0.5 / np.bincount(group)[group], value_of)
    return cells, counted[held].astype(np.int64)


def _features(truth: IntArray, answer: IntArray, classes: int) -> FloatArray:
    """Return what a sample adds to `Tables`: how often a class is named, hits, and how far off it is."""
    named, right = np.eye(classes)[answer], answer == truth
    apart = np.abs(truth - answer).astype(np.float64)
    return np.column_stack((named, named * right[:, None], apart, apart**2))
