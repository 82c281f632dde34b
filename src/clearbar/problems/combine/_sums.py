"""The law of a sum of independent fold scores: exact where it can be listed, else between two bounds."""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.problems._protocol import Tail

MOST_TABLES = 2**21
"""Reachable tables of all folds together up to which the score of each is listed."""

MOST_ATOMS = 2**18
"""Distinct sums of some of the folds up to which they are listed."""

MOST_PAIRS = 2**25
"""Pairs of sums of two halves up to which all are looked at, where they cannot be sorted."""

CELLS = 2**15
"""Cells of the grid on which sums are rounded down and up otherwise."""

ROUNDING = 1e-9
"""Share by which bounds on the grid are drawn apart, far more than transforms can be off."""

SQUARE = 2**7
"""The same along each of two axes."""

SAME = 1e-12
"""Relative distance below which two sums are one, and a sum attains a score."""

CHUNK = 2**20
"""Pairs held in memory at once."""


@dataclass(frozen=True)
class Atoms:
    """What one fold adds, and how likely."""

    values: FloatArray  # one axis for a score, two for precision and recall
    probabilities: FloatArray


Values = Callable[[IntArray, IntArray, IntArray, IntArray], FloatArray]
"""What tables with these TP, M, P and k add, of shape (axes, tables)."""


def atoms_of(
    total: IntArray, positives: IntArray, draws: IntArray, counted: BoolArray, values: Values
) -> list[Atoms] | None:
    """Return what each fold that counts can add; None where there are too many tables."""
    m, p, k = total[counted], positives[counted], draws[counted]
    low, high = hg.support(m, p, k)
    if int((high - low + 1).sum()) > MOST_TABLES:
        return None
    fold, at, start = hg.laid_out(high - low + 1)
    tp = at + low[fold]
    probability = hg.pmf(tp, m[fold], p[fold], k[fold])
    added = values(tp, m[fold], p[fold], k[fold])
    parts = zip(np.split(added, start[1:], axis=1), np.split(probability, start[1:]), strict=True)
    return [Atoms(*part) for part in parts]


def probability_of_sum(
    atoms: Sequence[Atoms], reached: Callable[[FloatArray], BoolArray], *, rising: bool
) -> Tail:
    """Return the probability that the sum of independent folds lies in a set.

    Exact where the sums can be listed, half by half; otherwise every fold's values are rounded down and up to
    a grid, which brackets the probability.
    """
    halves = _halves(atoms)
    if halves is not None:
        tail = _exactly(*halves, reached, rising=rising)
        if tail is not None:
            return Tail.between(tail, tail)
    return _between(atoms, reached, rising=rising)


def _halves(atoms: Sequence[Atoms]) -> tuple[Atoms, Atoms] | None:
    """Add folds together, those with the fewest sums first, until two are left; None where too many."""
    number = itertools.count()
    queue = [(len(fold.probabilities), next(number), fold) for fold in atoms]
    heapq.heapify(queue)
    while len(queue) > 2:
        (size, _, fold), (other_size, _, other_fold) = heapq.heappop(queue), heapq.heappop(queue)
        if size * other_size > MOST_ATOMS:
            return None
        together = _added(fold, other_fold)
        heapq.heappush(queue, (len(together.probabilities), next(number), together))
    nothing = Atoms(np.zeros((atoms[0].values.shape[0], 1)), np.ones(1))
    halves = [fold for _, _, fold in sorted(queue, key=lambda entry: entry[:2])]
    return (halves[0], halves[1]) if len(halves) == 2 else (nothing, halves[0])


def _added(one: Atoms, other: Atoms) -> Atoms:
    values = (one.values[:, :, None] + other.values[:, None, :]).reshape(one.values.shape[0], -1)
    probabilities = (one.probabilities[:, None] * other.probabilities).reshape(-1)
    scale = SAME * np.maximum(np.abs(values).max(axis=1, keepdims=True), 1e-300)
    keys = np.rint(values / scale)
    order = np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys)
    new = np.concatenate(([True], (np.abs(np.diff(keys[:, order], axis=1)) > 1).any(axis=0)))
    starts = np.flatnonzero(new)
    return Atoms(values[:, order][:, starts], np.add.reduceat(probabilities[order], starts))


def _exactly(
    one: Atoms, other: Atoms, reached: Callable[[FloatArray], BoolArray], *, rising: bool
) -> float | None:
    if one.values.shape[0] == 1:
        return _by_bisection(one, other, reached, rising=rising)
    few, many = sorted((one, other), key=lambda part: len(part.probabilities))
    if len(few.probabilities) * len(many.probabilities) > MOST_PAIRS:
        return None
    rows = max(CHUNK // len(many.probabilities), 1)
    tail = 0.0
    for first in range(0, len(few.probabilities), rows):
        block = slice(first, first + rows)
        sums = few.values[:, block, None] + many.values[:, None, :]
        inside = reached(sums.reshape(sums.shape[0], -1)).reshape(sums.shape[1:])
        tail += float((few.probabilities[block] * (inside * many.probabilities).sum(axis=1)).sum())
    return min(tail, 1.0)


def _by_bisection(
    one: Atoms, other: Atoms, reached: Callable[[FloatArray], BoolArray], *, rising: bool
) -> float:
    """Find for every sum of one half where the sums of the other, in order, begin to reach."""
    order = np.argsort(other.values[0] if rising else -other.values[0], kind="stable")
    values, probabilities = other.values[0][order], other.probabilities[order]
    tails = np.concatenate((np.cumsum(probabilities[::-1])[::-1], [0.0]))
    low = np.zeros(len(one.probabilities), dtype=np.int64)
    high = np.full(low.shape, len(values))
    while (low < high).any():
        middle = np.minimum((low + high) // 2, len(values) - 1)
        passed = reached((one.values[0] + values[middle])[None])
        open_ = low < high
        high = np.where(open_ & passed, middle, high)
        low = np.where(open_ & ~passed, middle + 1, low)
    return min(float((one.probabilities * tails[low]).sum()), 1.0)


def _between(atoms: Sequence[Atoms], reached: Callable[[FloatArray], BoolArray], *, rising: bool) -> Tail:
    """Round every fold's values down and up to a grid; a larger sum stays in the set, or a smaller."""
    if atoms[0].values.shape[0] == 2:
        return _between_squares(atoms, reached)
    sign = 1.0 if rising else -1.0
    turned = [Atoms(sign * fold.values, fold.probabilities) for fold in atoms]
    low = np.array([fold.values.min() for fold in turned])
    high = np.array([fold.values.max() for fold in turned])
    step = max(float((high - low).sum()) / CELLS, 1e-300)
    sums = float(low.sum()) + step * np.arange(CELLS + len(turned) + 1)
    inside = reached(np.asarray(sign * sums[None], dtype=np.float64))
    least = int(np.argmax(inside)) if inside.any() else len(sums)
    starts = low.tolist()
    scaled = [(fold.values[0] - start) / step for fold, start in zip(turned, starts, strict=True)]
    masses = [fold.probabilities for fold in turned]
    floors, ceilings = zip(*((np.floor(fold + 1e-9), np.ceil(fold - 1e-9)) for fold in scaled), strict=True)
    down, up = _tail_on_grid(floors, masses, least), _tail_on_grid(ceilings, masses, least)
    return Tail.between(down * (1 - ROUNDING), min(up * (1 + ROUNDING), 1.0))


def _tail_on_grid(values: Sequence[Any], masses: list[FloatArray], least: int) -> float:
    """Return P(sum >= least) of whole numbers, tilted so that the tail begins where the mass is.

    After tilting nothing that counts is small, so that transforms keep its digits.
    """
    if least > sum(fold_values.max() for fold_values in values):
        return 0.0
    sizes = np.array([len(fold_masses) for fold_masses in masses])
    start = np.cumsum(sizes) - sizes
    fold = np.repeat(np.arange(len(sizes)), sizes)
    value = np.concatenate(values)
    with np.errstate(divide="ignore"):
        log_mass = np.log(np.concatenate(masses))

    def tilted(theta: float) -> tuple[FloatArray, FloatArray]:
        weight = log_mass + theta * value
        top = np.maximum.reduceat(weight, start)
        weight = np.exp(weight - top[fold])
        total = np.add.reduceat(weight, start)
        return weight / total[fold], top + np.log(total)

    theta = _tilt(lambda theta: float(tilted(theta)[0] @ value), least)
    law, scale = tilted(theta)  # each adds up to 1, so that the product neither over- nor underflows
    size = 1 << int(np.maximum.reduceat(value, start).sum() + 1).bit_length()
    product: Any = 1.0
    rows = max(CHUNK // size, 1)
    for first in range(0, len(sizes), rows):
        within = (fold >= first) & (fold < first + rows)
        cell = (fold[within] - first) * size + value[within].astype(np.int64)
        height = min(rows, len(sizes) - first)
        dense = np.bincount(cell, weights=law[within], minlength=height * size).reshape(height, size)
        product = product * np.fft.rfft(dense, axis=1).prod(axis=0)
    masses_on_grid = np.maximum(np.fft.irfft(product, size), 0.0)[least:]
    reached = float((masses_on_grid * np.exp(-theta * np.arange(len(masses_on_grid)))).sum())
    log_scale = float(scale.sum()) - theta * least
    return math.exp(min(log_scale + math.log(reached), 0.0)) if reached > 0 else 0.0


def _tilt(mean: Callable[[float], float], least: int) -> float:
    """Return the theta >= 0 at which the tilted sum has its mean where the tail begins; 0 below the mean."""
    low, high = 0.0, 1e-6
    if mean(low) >= least:
        return 0.0
    while high < 1e3 and mean(high) < least:
        low, high = high, 2 * high
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if mean(middle) < least else (low, middle)
    return high


def _between_squares(atoms: Sequence[Atoms], reached: Callable[[FloatArray], BoolArray]) -> Tail:
    """Do so along two axes, where a larger sum along either stays in the set."""
    if len(atoms) > SQUARE // 2:  # rounding every fold would move sums as far as they can go
        return Tail.between(0.0, 1.0)
    low = np.sum([fold.values.min(axis=1) for fold in atoms], axis=0)
    high = np.sum([fold.values.max(axis=1) for fold in atoms], axis=0)
    step = np.maximum((high - low) / SQUARE, 1e-300)
    bounds = []
    for upward in (False, True):
        grid = _on_square(atoms, step, upward=upward)
        index = np.stack(np.meshgrid(*(np.arange(size) for size in grid.shape), indexing="ij"))
        sums = low[:, None] + step[:, None] * index.reshape(2, -1)
        bounds.append(min(float(grid.reshape(-1)[reached(sums)].sum()), 1.0))
    return Tail.between(bounds[0], bounds[1])


def _on_square(atoms: Sequence[Atoms], step: FloatArray, *, upward: bool) -> FloatArray:
    """Return the law of the sum of rounded pairs, counted in steps from the least sum."""
    total: FloatArray = np.ones((1, 1))
    for fold in atoms:
        shifted = (fold.values - fold.values.min(axis=1, keepdims=True)) / step[:, None]
        index = (np.ceil(shifted - 1e-9) if upward else np.floor(shifted + 1e-9)).astype(np.int64)
        size = tuple((index.max(axis=1) + 1).tolist())
        cells, back = np.unique(np.ravel_multi_index(tuple(index), size), return_inverse=True)
        mass: FloatArray = np.bincount(back.reshape(-1), weights=fold.probabilities).astype(np.float64)
        total = _sparse_sum(total, np.unravel_index(cells, size), mass, size)
    return total


def _sparse_sum(
    total: FloatArray, cells: tuple[Any, ...], mass: FloatArray, size: tuple[int, ...]
) -> FloatArray:
    rows, columns = total.shape
    dense = np.zeros((rows + size[0] - 1, columns + size[1] - 1))
    for row, column, weight in zip(*cells, mass, strict=True):
        dense[row : row + rows, column : column + columns] += weight * total
    return dense
