"""What becomes of walks near an edge over a few steps, for every course that the edge takes over them.

Along an edge few courses occur, and each is gone through once: it is put together of two halves, which are
fewer still.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from clearbar.core._typing import FloatArray, IntArray
from clearbar.null import hypergeometric as hg

STEPS = (64, 32, 16, 8, 4, 2, 1)
"""Steps taken at once: the most for which courses take less time than strides do, and edges are far apart."""

PRODUCTS = 50_000
"""Numbers that are multiplied to put courses together, for each stride, in about the time of the stride."""

MOST_MOVES = 8_000_000
"""Numbers that are kept for all courses together."""

ONE_THREAD = 200_000
"""Numbers multiplied in a product of matrices that is too small for several threads, which would wait."""

Rises = npt.NDArray[np.uint8]
"""A course in each row: 1 where the edge rises by one from a sample to the next, 0 where it stays."""

Zone = tuple[slice, slice, FloatArray]
"""The positions near an edge before a stride and after it, and how walks get from there to there."""


class Courses(NamedTuple):
    """What becomes of walks near an edge over each stride.

    `moves` has, for each course, a row for each of the R positions below the edge, the lowest first: to the
    R + steps positions below where the edge is then, the lowest first, and over the edge after 1 ... steps.
    Where walks stay above an edge, it is the highest first.
    """

    which: IntArray
    moves: FloatArray
    stays_below: bool

    @property
    def reach(self) -> int:
        """How far from the edge a walk may be and still cross it."""
        return int(self.moves.shape[1])

    @property
    def steps(self) -> int:
        """How many steps a stride has."""
        return int(self.moves.shape[2] - self.moves.shape[1]) // 2

    def zones(self, edge: IntArray, strides: slice) -> Iterator[Zone]:
        """Return where walks near an edge are before each stride and after it, given where the edge is."""
        sizes = self.reach, self.reach + self.steps
        begins = [at - self.stays_below * size for at, size in zip((edge[:-1], edge[1:]), sizes, strict=True)]
        slices = [
            map(slice, at.tolist(), (at + size).tolist()) for at, size in zip(begins, sizes, strict=True)
        ]
        return zip(*slices, (self.moves[kind] for kind in self.which[strides]), strict=True)

    def mirrored(self) -> Courses:
        """Return the same on the other side of an edge."""
        nearest = self.moves[:, ::-1]
        stays, leaves = nearest[..., : -self.steps], nearest[..., -self.steps :]
        return Courses(self.which, np.concatenate([stays[..., ::-1], leaves], axis=2), not self.stays_below)


def courses_of(edges: list[IntArray], shares: tuple[float, ...], room: int) -> list[Courses]:
    """Return the courses of each edge, sample after sample, over strides that are as long as they may be."""
    samples = len(edges[0]) - 1
    for steps in STEPS:
        strides = samples // steps
        tables = [np.diff(edge[: strides * steps + 1]).astype(np.uint8).reshape(-1, steps) for edge in edges]
        kinds = [_unlike(table) for table in tables]
        reaches = [_reach(table[at]) for table, (at, _) in zip(tables, kinds, strict=True)]
        rows = np.array([len(at) * reach for (at, _), reach in zip(kinds, reaches, strict=True)])
        moves = rows * (np.array(reaches) + 2 * steps)
        products = moves * (np.array(reaches) + steps // 2)
        cheap = products.sum() <= PRODUCTS * strides and moves.sum() <= MOST_MOVES
        if strides and cheap and sum(reaches) <= room:
            return [
                Courses(which, _moves(table[at], share, reach), stays_below=True)
                for table, (at, which), share, reach in zip(tables, kinds, shares, reaches, strict=True)
            ]
    return []


def _unlike(courses: Rises) -> tuple[IntArray, IntArray]:
    """Return the first row of each kind, and of which kind each row is."""
    bits = np.zeros((len(courses), 8), dtype=np.uint8)
    packed = np.packbits(courses, axis=1)
    bits[:, : packed.shape[1]] = packed
    _, at, which = np.unique(bits.view(np.uint64).ravel(), return_index=True, return_inverse=True)
    return at, which


def _reach(courses: Rises) -> int:
    """Return how far below an edge a walk may be and still cross it as it rises so."""
    return int(np.cumsum(1 - courses.astype(np.int64), axis=1).max(initial=1))


def _moves(courses: Rises, share: float, reach: int) -> FloatArray:
    """Put two halves together: what stays between the edges in the first one goes through the second."""
    kinds, steps = courses.shape
    moves = np.zeros((kinds, reach, reach + 2 * steps))
    if steps == 1:
        kind, row = np.ogrid[:kinds, :reach]
        moves[kind, row, row + 1 - courses] = 1 - share
        moves[kind, row, row + 2 - courses] = share
        return moves
    half = steps // 2
    rows, stay = reach + half, reach + steps
    at, which = _unlike(courses.reshape(-1, half))
    halves = _farther(courses.reshape(-1, half)[at], share, rows)
    columns = hg.pieces(halves.shape[2], max(ONE_THREAD // (reach * rows), 1))
    for part in hg.pieces(kinds, 64):
        first, second = halves[which[::2][part], half:, half:], halves[which[1::2][part]]
        both = np.concatenate([first[..., :rows] @ second[..., column] for column in columns], axis=-1)
        moves[part, :, :stay] = both[..., :stay]
        moves[part, :, stay : stay + half] = first[..., rows:]
        moves[part, :, stay + half :] = both[..., stay:]
    return moves


def _farther(courses: Rises, share: float, reach: int) -> FloatArray:
    """Add rows that lie too far below the edge for a walk to cross it: there all steps are free."""
    kinds, steps = courses.shape
    farther = reach - min(steps, reach)
    moves = np.zeros((kinds, reach, reach + 2 * steps))
    moves[:, farther:, farther:] = _moves(courses, share, reach - farther)
    kind, row, ups = np.ogrid[:kinds, :farther, : steps + 1]
    fallen = steps - courses.sum(axis=1, dtype=np.int64)[:, None, None]
    moves[kind, row, row + ups + fallen] = np.exp(hg.log_heads(ups, steps, share))
    return moves
