"""Classes in an order that no name decides, so that the same seed draws the same whatever they are called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearbar.core._typing import IntArray

# Ties that are broken one by one; of more classes that hold the same the first named is taken first.
MOST_TIES = 64

# The classes of cells in each of their roles, and the counts of cells.
Cells = tuple[Sequence[IntArray], IntArray]


def places(truth: IntArray, answers: IntArray, times: IntArray, classes: int) -> IntArray:
    """Return the place of each class by the cells of all answers, of shape (answers, cells), together."""
    # Of two answers all three classes of a cell are looked at together, of more each answer for itself.
    cells: list[Cells] = [((truth, *answers), times)]
    if len(answers) != 2:
        cells = [((truth, answer), times) for answer in answers]
    facts = [np.bincount(truth, times * (truth == answer), classes) for answer in answers]
    facts += [np.bincount(role, counts, classes) for roles, counts in cells for role in roles[::-1]]
    rank = _ranks(np.stack(facts))
    # Classes of equal rank are told apart by the classes that they are confused with (colour refinement).
    for _ in range(MOST_TIES):
        rank = _refined(rank, cells)
        shared = np.bincount(rank)[rank] > 1
        if not shared.any():
            break
        # Which of equal classes goes first makes no difference where they can trade places.
        first = int(np.flatnonzero(shared & (rank == rank[shared].min()))[0])
        rank = _ranks(np.stack([np.arange(len(rank)) != first, rank]))
    return np.argsort(np.argsort(rank, kind="stable"))


def _refined(rank: IntArray, cells: Sequence[Cells]) -> IntArray:
    """Tell classes apart by the ranks of those in their cells, role by role, until that tells no more."""
    while True:
        colours, signs = _mixed(rank.astype(np.uint64)), []
        for roles, counts in cells:
            for role, labels in enumerate(roles):
                words = _mixed(counts.astype(np.uint64))
                for other in (*roles[:role], *roles[role + 1 :]):
                    words = _mixed(colours[other] ^ words)
                signs.append(np.zeros(len(rank), dtype=np.uint64))
                np.add.at(signs[-1], labels, words)
        finer = _ranks(np.stack([*signs[::-1], rank.astype(np.uint64)]))
        if finer.max() == rank.max():
            return rank
        rank = finer


def _mixed(keys: np.ndarray) -> np.ndarray:
    """Scatter whole numbers over all of 64 bits (Steele, Lea and Flood, OOPSLA 2014)."""
    keys = keys + np.uint64(0x9E3779B97F4A7C15)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(keys ^ (keys >> np.uint64(31)))


def _ranks(keys: np.ndarray) -> IntArray:
    """Return the dense rank of each column, the last row first."""
    return np.unique(keys[::-1], axis=1, return_inverse=True)[1].reshape(-1)
