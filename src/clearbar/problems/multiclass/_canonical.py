"""Classes in an order that no name decides, so that the same seed draws the same whatever they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.problems.multiclass._measure import ClassMeasure

Answer = TypeVar("Answer")

MOST_TIES = 64
"""Ties that are broken one by one; of more classes that hold the same the first named is taken first."""


def _mixed(keys: np.ndarray) -> np.ndarray:
    """Scatter whole numbers over all of 64 bits (Steele, Lea and Flood, OOPSLA 2014)."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def canonical(matrix: ConfusionMatrix) -> IntArray:
    """Return the classes by size, how often each is predicted and right, then by their rows and columns.

    Classes that hold the same are told apart by the classes that they are confused with (colour refinement).
    """
    facts = (matrix.hits, matrix.predicted_counts, matrix.true_counts)
    rank = _ranks(np.stack(facts))
    values = matrix.values.astype(np.uint64)
    off = matrix.rows != matrix.columns
    for _ in range(MOST_TIES):
        rank = _refined(rank, matrix.rows[off], matrix.columns[off], values[off])
        shared = np.bincount(rank)[rank] > 1
        if not shared.any():
            break
        # Which of equal classes goes first makes no difference where they can trade places.
        first = int(np.flatnonzero(shared & (rank == rank[shared].min()))[0])
        rank = _ranks(np.stack([np.arange(len(rank)) != first, rank]))
    return np.argsort(rank, kind="stable")


def _refined(rank: IntArray, rows: IntArray, columns: IntArray, values: np.ndarray) -> IntArray:
    """Tell classes apart by the ranks of those in their rows and columns, until that tells no more."""
    while True:
        colours = _mixed(rank.astype(np.uint64))
        signs = np.zeros((2, len(rank)), dtype=np.uint64)
        np.add.at(signs[0], rows, _mixed(colours[columns] ^ _mixed(values)))
        np.add.at(signs[1], columns, _mixed(colours[rows] ^ _mixed(values)))
        finer = _ranks(np.stack([signs[1], signs[0], rank.astype(np.uint64)]))
        if finer.max() == rank.max():
            return rank
        rank = finer


def _ranks(keys: np.ndarray) -> IntArray:
    """Return the dense rank of each column, the last row first."""
    return np.unique(keys[::-1], axis=1, return_inverse=True)[1].reshape(-1)


def by_order(measures: Sequence[ClassMeasure], answer: Callable[..., Iterable[Answer]]) -> list[Answer]:
    """Return what is answered for measures that take classes in their order and for the others, in place."""
    found: dict[int, Any] = {}
    for ordered in sorted({measure.ordered for measure in measures}):
        places = [at for at, measure in enumerate(measures) if measure.ordered is ordered]
        found |= zip(places, answer(places, ordered=ordered), strict=True)
    return [found[at] for at in range(len(measures))]


def in_order(matrix: ConfusionMatrix, order: IntArray) -> ConfusionMatrix:
    """Return a matrix with its classes in this order."""
    place = np.argsort(order)
    names = [matrix.labels[at] for at in order.tolist()]
    return ConfusionMatrix.of(names, place[matrix.rows], place[matrix.columns], matrix.values)
