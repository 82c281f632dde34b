"""Means over folds of measures that are linear in TP and FP: which sums over folds they allow.

Within folds of the same class sizes only the sums of TP and FP matter, and each sum can be attained. So a
mean is linear in as many sums as there are kinds of folds; TP and FP meet only where a measure counts both.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from clearbar.claims._rows import LARGEST, Line, Span, TableRanges, between, is_linear, line_of, runs
from clearbar.core._typing import BoolArray, IntArray
from clearbar.core._value import whole_number
from clearbar.core.counts import Population
from clearbar.core.errors import ArgumentError, shown
from clearbar.null import laid_out

MOST_SUMS = 2**21  # combinations of sums that are looked at, of TP and of FP
MOST_PAIRS = 2**30  # pairs of these


class Folds(NamedTuple):
    """So many folds of the same class sizes."""

    number: int
    positives: int
    negatives: int


def checked_folds(folds: Any, sizes: Any) -> tuple[Folds, ...]:
    """Return the kinds of folds; none where nothing is said of folds."""
    if folds is None:
        return ()
    if not isinstance(sizes, Population):
        raise ArgumentError("folds", " needs the number of positives: ", "pass a Population.", "positives")
    total, positives = int(sizes.total), int(sizes.positives)
    if isinstance(folds, Iterable):
        each = [_one(fold) for fold in folds]
        if sum(map(sum, each)) != total or sum(fold[0] for fold in each) != positives:
            raise ValueError(f"folds must add up to {total:,} samples, {positives:,} of them positive.")
        return _kinds(each)
    number = whole_number("folds", folds, 2, ", or a list of Population")
    if number > total:
        raise ValueError(f"folds must be at most the {total:,} samples; found {number:,}.")
    # As scikit-learn stratifies: folds in turn get one more of a class, those after them of the other.
    first, second = positives % number, (total - positives) % number
    larger = [(first + place) % number for place in range(second)]
    return _kinds(
        (positives // number + (place < first), (total - positives) // number + (place in larger))
        for place in range(number)
    )


def _one(fold: Any) -> tuple[int, int]:
    if not isinstance(fold, Population) or fold.shape:
        raise ValueError(f"folds must be a number, or a list of Population; found {shown(fold)} in it.")
    return int(fold.positives), int(fold.negatives)


def _kinds(folds: Iterable[tuple[int, int]]) -> tuple[Folds, ...]:
    return tuple(Folds(number, *sizes) for sizes, number in sorted(Counter(folds).items()))


def possible_means(folds: Sequence[Folds], spans: Sequence[Span]) -> TableRanges:
    """Return the sums of TP and FP over folds with which all means are possible."""
    for span in spans:
        if not is_linear(span.measure):
            raise ValueError(
                f"{span.measure.name} is not linear in TP and FP, so its mean over folds is not decided; "
                "leave it out."
            )
    number = sum(kind.number for kind in folds)
    lines = [[line_of(span.measure, kind.positives, kind.negatives) for kind in folds] for span in spans]
    positives, negatives = (sum(kind.number * kind[side] for kind in folds) for side in (1, 2))
    nothing = TableRanges.all(positives + negatives, [positives]).of([])
    means: list[tuple[Span, list[Line]]] = []
    for span, of_span in zip(spans, lines, strict=True):
        if any(line is None for line in of_span):  # a fold without a value has no mean
            return nothing
        means.append(
            (span, [Line(*(part / number for part in line)) for line in of_span if line is not None])
        )
    if len(folds) > 1:
        return _of_kinds(folds, means, positives, negatives)
    rows = TableRanges.all(positives + negatives, [positives])
    for span, (line,) in means:
        of_all = line._replace(origin=line.origin * number)
        rows = rows.within(*between(of_all, span, rows.tp, negatives)).filled()
    return rows


class _Sums(NamedTuple):
    """Sums over all folds, and what they add to each mean, in units of its common denominator."""

    totals: IntArray
    added: IntArray  # of shape (means that count both, sums)


def _of_kinds(
    folds: Sequence[Folds], means: Sequence[tuple[Span, list[Line]]], positives: int, negatives: int
) -> TableRanges:
    """Combine sums of TP and sums of FP over kinds of folds."""
    steps, ends = [], []
    for span, lines in means:
        coefficients = [coefficient for line in lines for coefficient in line]
        unit = math.lcm(*(coefficient.denominator for coefficient in (*coefficients, span.low, span.high)))
        origin = sum(kind.number * line.origin for kind, line in zip(folds, lines, strict=True))
        ends.append([int((end - origin) * unit) for end in (span.low, span.high)])
        steps.append([[int(line.by_tp * unit), int(line.by_fp * unit)] for line in lines])
        largest = sum(abs(number) for pair in steps[-1] for number in pair) * (positives + negatives)
        if largest + max(map(abs, ends[-1])) >= LARGEST:
            _refuse()
    by, limits = np.array(steps, dtype=np.int64), np.array(ends, dtype=np.int64)
    counted = (by != 0).any(axis=1)
    shared: BoolArray = counted[:, 0] & counted[:, 1]  # means that count both
    sizes = np.array([[kind.number * size for size in kind[1:]] for kind in folds])
    true, false = (
        _sums(
            sizes[:, counted_class], by[:, :, counted_class], ~counted[:, 1 - counted_class], shared, limits
        )
        for counted_class in (0, 1)
    )
    tables = list(_pairs(true, false, limits[shared], negatives))
    tp = np.repeat([total for total, _ in tables], [len(fp) for _, fp in tables]).astype(np.int64)
    fp = np.concatenate([fp for _, fp in tables] or [np.zeros(0, np.int64)])
    return runs(TableRanges(np.full_like(tp, positives), np.full_like(tp, negatives), tp, fp, fp))


def _sums(most: IntArray, by: IntArray, alone: BoolArray, shared: BoolArray, limits: IntArray) -> _Sums:
    """Return the sums over kinds of folds that the means allow which count this side alone.

    Kinds that add the same to every mean are one; the largest is taken last, where the means leave it little.
    """
    columns, kind = np.unique(by, axis=1, return_inverse=True)
    sizes = np.bincount(kind.reshape(-1), weights=most).astype(np.int64)
    order = np.argsort(sizes, kind="stable")
    columns, sizes = columns[:, order], sizes[order]
    totals, added = np.zeros(1, np.int64), np.zeros((len(by), 1), np.int64)
    for place, size in enumerate(sizes.tolist()):
        step, rest = columns[:, place], columns[:, place + 1 :] * sizes[place + 1 :]
        ends = np.minimum(rest, 0).sum(axis=1), np.maximum(rest, 0).sum(axis=1)
        first, last = np.zeros(len(totals), np.int64), np.full(len(totals), size)
        for mean in np.flatnonzero(alone):
            low = limits[mean, 0] - added[mean] - ends[1][mean]
            high = limits[mean, 1] - added[mean] - ends[0][mean]
            if step[mean] == 0:
                last = np.where((low <= 0) & (high >= 0), last, -1)
                continue
            low, high = (low, high) if step[mean] > 0 else (-high, -low)
            first = np.maximum(first, -(-low // abs(step[mean])))
            last = np.minimum(last, high // abs(step[mean]))
        number = np.maximum(last - first + 1, 0)
        if int(number.sum()) > MOST_SUMS:
            _refuse()
        row, offset, _ = laid_out(number)
        here = first[row] + offset
        totals, added = totals[row] + here, added[:, row] + step[:, None] * here
    both = np.unique(np.vstack((totals, added[shared])), axis=1)
    return _Sums(both[0], both[1:])


def _pairs(true: _Sums, false: _Sums, limits: IntArray, negatives: int) -> Iterator[tuple[int, IntArray]]:
    """Yield each sum of TP with the sums of FP that go with it."""
    if not len(limits):  # no mean counts both
        every = np.unique(false.totals)
        yield from ((total, every) for total in np.unique(true.totals).tolist() if every.size)
        return
    order = np.argsort(false.added[0], kind="stable")
    others, sums = false.added[:, order], false.totals[order]
    first = np.searchsorted(others[0], limits[0, 0] - true.added[0], side="left")
    last = np.searchsorted(others[0], limits[0, 1] - true.added[0], side="right")
    if int(np.maximum(last - first, 0).sum()) > MOST_PAIRS:
        _refuse()
    for total in np.unique(true.totals).tolist():
        kept: BoolArray = np.zeros(negatives + 1, dtype=bool)
        for place in np.flatnonzero(true.totals == total).tolist():
            rows = slice(int(first[place]), int(last[place]))
            means = others[1:, rows] + true.added[1:, place, None]
            fits = ((means >= limits[1:, :1]) & (means <= limits[1:, 1:])).all(axis=0)
            kept[sums[rows][fits]] = True
        if kept.any():
            yield total, np.flatnonzero(kept)


def _refuse() -> None:
    raise ValueError(
        "folds differ in too many ways for these scores: there are too many sums over folds of the same "
        "class sizes. Leave out a score that counts both classes, such as balanced_accuracy."
    )
