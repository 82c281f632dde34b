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

from clearbar.claims._rows import LARGEST, Line, Rows, Span, between, is_linear, line_of, runs
from clearbar.core._typing import BoolArray, IntArray
from clearbar.core._value import whole_number
from clearbar.core.counts import Population
from clearbar.core.errors import ArgumentError, shown

MOST_SUMS = 2**20  # combinations of sums that are looked at, of TP and of FP
MOST_PAIRS = 2**28  # pairs of these


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


def possible_means(folds: Sequence[Folds], spans: Sequence[Span]) -> Rows:
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
    nothing = Rows.all(positives + negatives, [positives]).of([])
    means: list[tuple[Span, list[Line]]] = []
    for span, own in zip(spans, lines, strict=True):
        if any(line is None for line in own):  # a fold without a value has no mean
            return nothing
        means.append((span, [Line(*(part / number for part in line)) for line in own if line is not None]))
    if len(folds) > 1:
        return _of_kinds(folds, means, positives, negatives)
    rows = Rows.all(positives + negatives, [positives])
    for span, (line,) in means:
        whole = line._replace(origin=line.origin * number)
        rows = rows.within(*between(whole, span, rows.tp, negatives)).filled()
    return rows


class _Sums(NamedTuple):
    """Sums over all folds, and what they add to each mean, in units of its common denominator."""

    whole: IntArray
    added: IntArray  # of shape (means, sums)


def _of_kinds(
    folds: Sequence[Folds], means: Sequence[tuple[Span, list[Line]]], positives: int, negatives: int
) -> Rows:
    """Combine sums of TP and sums of FP over kinds of folds."""
    steps, ends = [], []
    for span, lines in means:
        parts = [part for line in lines for part in line]
        unit = math.lcm(*(part.denominator for part in (*parts, span.low, span.high)))
        origin = sum(kind.number * line.origin for kind, line in zip(folds, lines, strict=True))
        ends.append([int((end - origin) * unit) for end in (span.low, span.high)])
        steps.append([[int(line.by_tp * unit), int(line.by_fp * unit)] for line in lines])
        reach = sum(abs(number) for pair in steps[-1] for number in pair) * (positives + negatives)
        if reach + max(map(abs, ends[-1])) >= LARGEST:
            _refuse()
    by, limits = np.array(steps, dtype=np.int64), np.array(ends, dtype=np.int64)
    true, false = (
        _sums([kind.number * kind[side + 1] for kind in folds], by[:, :, side], by[:, :, 1 - side], limits)
        for side in (0, 1)
    )
    counted = (by != 0).any(axis=1)
    shared: BoolArray = counted[:, 0] & counted[:, 1]  # means that count both
    tables = list(_pairs(true, false, shared, limits[shared], negatives))
    tp = np.repeat([whole for whole, _ in tables], [len(fp) for _, fp in tables]).astype(np.int64)
    fp = np.concatenate([fp for _, fp in tables] or [np.zeros(0, np.int64)])
    return runs(Rows(np.full_like(tp, positives), np.full_like(tp, negatives), tp, fp, fp))


def _sums(most: Sequence[int], by: IntArray, other: IntArray, limits: IntArray) -> _Sums:
    """Return the sums over kinds of folds that the means allow which do not depend on the other sums."""
    if math.prod(size + 1 for size in most) > MOST_SUMS:
        _refuse()
    parts = np.stack([part.reshape(-1) for part in np.indices([size + 1 for size in most])])
    added: IntArray = by @ parts
    alone: BoolArray = np.asarray(~other.any(axis=1))
    fits = (added[alone] >= limits[alone, :1]) & (added[alone] <= limits[alone, 1:])
    kept: BoolArray = np.asarray(fits.all(axis=0))
    both = np.unique(np.vstack((parts.sum(axis=0), np.where(alone[:, None], 0, added)))[:, kept], axis=1)
    return _Sums(both[0], both[1:])


def _pairs(
    true: _Sums, false: _Sums, shared: BoolArray, limits: IntArray, negatives: int
) -> Iterator[tuple[int, IntArray]]:
    """Yield each sum of TP with the sums of FP that go with it."""
    if true.whole.size * false.whole.size > MOST_PAIRS:
        _refuse()
    added_true, added_false = true.added[shared], false.added[shared]
    for whole in np.unique(true.whole).tolist():
        kept: BoolArray = np.zeros(negatives + 1, dtype=bool)
        for added in added_true[:, true.whole == whole].T:
            means = added_false + added[:, None]
            fits = ((means >= limits[:, :1]) & (means <= limits[:, 1:])).all(axis=0)
            kept[false.whole[fits]] = True
        if kept.any():
            yield whole, np.flatnonzero(kept)


def _refuse() -> None:
    raise ValueError(
        "folds differ in too many ways: there are too many sums over folds of the same class sizes."
    )
