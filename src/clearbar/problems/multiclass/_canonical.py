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


MOST_CODES = 2**20
"""Cells that can occur up to which each is counted; more are sorted."""

Cells = tuple[tuple[IntArray, ...], IntArray]
"""The classes of cells in each of their roles, and the counts of cells."""


def _mixed(keys: np.ndarray) -> np.ndarray:
    """Scatter whole numbers over all of 64 bits (Steele, Lea and Flood, OOPSLA 2014)."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def canonical(matrix: ConfusionMatrix) -> IntArray:
    """Return the classes by size, how often each is predicted and right, then by their rows and columns."""
    rank = _ranks(np.stack((matrix.hits, matrix.predicted_counts, matrix.true_counts)))
    off = matrix.rows != matrix.columns
    return _told_apart(rank, [((matrix.rows[off], matrix.columns[off]), matrix.values[off])])


def unnamed(
    truth: IntArray, models: Sequence[IntArray], classes: int, times: IntArray | None = None
) -> tuple[IntArray, list[IntArray]]:
    """Return labels with classes by the cells of all models and runs together, whatever they are called.

    What models call samples, which occur so many times, has shape (samples,) or (runs, samples).
    """
    runs = [np.asarray(run, dtype=np.int64) for model in models for run in np.atleast_2d(model)]
    true = np.asarray(truth, dtype=np.int64)
    # Of two models all three classes of a sample are looked at together, of more each model for itself.
    together = [[true, *runs]] if len(runs) == 2 else [[true, run] for run in runs]
    cells = [_counted(sides, classes, times) for sides in together]
    facts = [np.bincount(side, counts, classes) for places, counts in cells for side in places]
    for places, counts in cells:
        facts += [np.bincount(places[0], counts * (places[0] == side), classes) for side in places[1:]]
    place = np.argsort(_told_apart(_ranks(np.stack(facts)), cells))
    return place[true], [place[np.asarray(model, dtype=np.int64)] for model in models]


def _counted(sides: Sequence[IntArray], classes: int, times: IntArray | None) -> Cells:
    """Return the cells that occur, and how often."""
    shape = (classes,) * len(sides)
    codes = np.ravel_multi_index(tuple(sides), shape)
    if classes ** len(sides) > MOST_CODES:
        held, codes = np.unique(codes, return_inverse=True)
        counts = np.bincount(codes.reshape(-1), times)
    else:
        counts = np.bincount(codes, times)
        held = np.flatnonzero(counts)
        counts = counts[held]
    return np.unravel_index(held, shape), counts.astype(np.int64)


def _told_apart(rank: IntArray, cells: Sequence[Cells]) -> IntArray:
    """Return the classes in their order.

    Those of equal rank are told apart by the classes that they are confused with (colour refinement).
    """
    for _ in range(MOST_TIES):
        rank = _refined(rank, cells)
        shared = np.bincount(rank)[rank] > 1
        if not shared.any():
            break
        # Which of equal classes goes first makes no difference where they can trade places.
        first = int(np.flatnonzero(shared & (rank == rank[shared].min()))[0])
        rank = _ranks(np.stack([np.arange(len(rank)) != first, rank]))
    return np.argsort(rank, kind="stable")


def _refined(rank: IntArray, cells: Sequence[Cells]) -> IntArray:
    """Tell classes apart by the ranks of those in their cells, role by role, until that tells no more."""
    while True:
        colours, signs = _mixed(rank.astype(np.uint64)), []
        for places, values in cells:
            for role, own in enumerate(places):
                words = _mixed(values.astype(np.uint64))
                for other in (*places[:role], *places[role + 1 :]):
                    words = _mixed(colours[other] ^ words)
                signs.append(np.zeros(len(rank), dtype=np.uint64))
                np.add.at(signs[-1], own, words)
        finer = _ranks(np.stack([*signs[::-1], rank.astype(np.uint64)]))
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
