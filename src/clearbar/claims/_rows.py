"""Which tables score what was printed: for each TP the FP between two ends.

At a fixed TP nearly every measure is monotone in FP, so that two bisections find these ends, whatever the
number of negatives. Floats decide all but the tables next to an end of what was printed; those are decided
in fractions.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.catalogue._arithmetic import NotExact
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.null import laid_out, least_true

MOST_ROWS = 2**23  # pairs of class sizes and TP that are looked at
MOST_CELLS = 2**23  # tables of a measure that is not known to be monotone in FP
NEAR = 1e-11  # distance from an end of what was printed within which floats do not decide
FAR_APART = 64  # rows from one whose ends are bisected to the next; those between take theirs for a hint
SAME = Fraction(1, 10**40)  # what roots of 60 digits may be off
LARGEST = 2**62  # products of whole numbers up to which int64 holds them
LINEAR_AT = (5, 6)  # class sizes at which a measure is tried for being linear in TP and FP


class Span(NamedTuple):
    """A measure and the scores that are possible, both ends included."""

    measure: Measure
    low: Fraction
    high: Fraction


class TableRanges(NamedTuple):
    """Tables: in each row class sizes, TP, and from which FP to which."""

    positives: IntArray
    negatives: IntArray
    tp: IntArray
    low: IntArray
    high: IntArray

    @classmethod
    def all(cls, total: int, positives: Sequence[int]) -> TableRanges:
        """Return all tables of so many samples, some number of them positive."""
        sizes = np.array(positives, dtype=np.int64)
        if int((sizes + 1).sum()) > MOST_ROWS:
            raise ValueError(
                f"population is too large: {total:,} samples have {int((sizes + 1).sum()):,} pairs of "
                f"class sizes and TP, and at most {MOST_ROWS:,} are looked at."
            )
        of_size, tp, _ = laid_out(sizes + 1)
        negatives = total - sizes[of_size]
        return cls(sizes[of_size], negatives, tp, np.zeros_like(tp), negatives.copy())

    @property
    def sizes(self) -> IntArray:
        """How many tables each row has."""
        return np.asarray(np.maximum(self.high - self.low + 1, 0))

    def of(self, rows: Any) -> TableRanges:
        return TableRanges(*(column[rows] for column in self))

    def within(self, low: IntArray, high: IntArray) -> TableRanges:
        """Keep what lies between ends, one pair per row."""
        return self._replace(low=np.maximum(self.low, low), high=np.minimum(self.high, high))

    def filled(self) -> TableRanges:
        """Leave out rows without tables."""
        full = self.low <= self.high
        return self if full.all() else self.of(full)

    def values(self, measure: Measure, fp: IntArray, rows: Any = slice(None)) -> FloatArray:
        """Score the table with one FP in each of some rows."""
        tp = self.tp[rows]
        return measure.values(tp, fp, self.positives[rows] - tp, self.negatives[rows] - fp)

    def listed(self, most: int) -> TableRanges:
        """Return tables one by one, up to a number of them."""
        ends = np.cumsum(self.sizes)
        rows = self.of(slice(0, int(np.searchsorted(ends, most)) + 1))
        of_row, offset, _ = laid_out(rows.sizes)
        fp = rows.low[of_row] + offset
        return rows.of(of_row)._replace(low=fp, high=fp).of(slice(0, most))


def scoring(rows: TableRanges, span: Span) -> TableRanges:
    """Return the tables among some that have a score."""
    measure = span.measure
    if is_linear(measure):
        return _linear(rows, span)
    if is_monotone(measure):
        return _monotone(rows, span)
    return _one_by_one(rows, span)


@functools.lru_cache(maxsize=256)
def is_linear(measure: Measure) -> bool:
    """Whether a measure is linear in TP and FP: exact second differences on all tables of small sizes."""
    if not measure.in_catalogue:
        return False
    positives, negatives = LINEAR_AT
    try:
        values = [
            [_exact(measure, tp, fp, positives, negatives) for fp in range(negatives + 1)]
            for tp in range(positives + 1)
        ]
    except (ZeroDivisionError, NotExact):
        return False
    origin, by_tp, by_fp = values[0][0], values[1][0] - values[0][0], values[0][1] - values[0][0]
    tables = itertools.product(range(positives + 1), range(negatives + 1))
    return all(values[tp][fp] == origin + tp * by_tp + fp * by_fp for tp, fp in tables)


def is_monotone(measure: Measure) -> bool:
    """Whether more FP never makes the score better at a fixed TP, as far as it is known."""
    return measure.in_catalogue and measure.worse_with_fp


class Line(NamedTuple):
    """A measure that is linear at class sizes: without TP and FP, and what each of them adds."""

    origin: Fraction
    by_tp: Fraction
    by_fp: Fraction


def line_of(measure: Measure, positives: int, negatives: int) -> Line | None:
    """Return a linear measure at class sizes, None where it has no value."""
    try:
        # Far apart or beyond the class sizes, where the formula is the same line.
        origin, by_tp, by_fp = (
            _exact(measure, tp, fp, positives, negatives) for tp, fp in ((0, 0), (1, 0), (0, 1))
        )
    except ZeroDivisionError:
        return None
    return Line(origin, by_tp - origin, by_fp - origin)


def _exact(measure: Measure, tp: int, fp: int, positives: int, negatives: int) -> Fraction:
    value = measure.exactly(*map(Fraction, (tp, fp, positives - tp, negatives - fp)))
    if isinstance(value, Decimal) and not value.is_finite():
        raise ZeroDivisionError
    return Fraction(value)


def _linear(rows: TableRanges, span: Span) -> TableRanges:
    """Solve low <= origin + by_tp TP + by_fp FP <= high in whole numbers."""
    low, high = np.ones_like(rows.low), np.zeros_like(rows.high)
    if not low.size:
        return rows
    sizes, first = np.unique(rows.positives, return_index=True)  # rows of one size stand together
    ends = np.append(first[1:], len(rows.positives))
    for positives, start, stop in zip(sizes.tolist(), first.tolist(), ends.tolist(), strict=True):
        of_size = slice(start, stop)
        negatives = int(rows.negatives[start])
        line = line_of(span.measure, positives, negatives)
        if line is not None:
            low[of_size], high[of_size] = between(line, span, rows.tp[of_size], negatives)
    return rows.within(low, high).filled()


def between(line: Line, span: Span, tp: IntArray, negatives: int) -> tuple[Any, Any]:
    common = math.lcm(*(number.denominator for number in (*line, span.low, span.high)))
    origin, by_tp, by_fp, least, most = (int(number * common) for number in (*line, span.low, span.high))
    largest = abs(origin) + abs(by_tp) * (int(tp.max(initial=0)) + 1) + abs(by_fp) * (negatives + 1)
    numbers: Any = tp if largest + abs(least) + abs(most) < LARGEST else tp.astype(object)
    rest = by_tp * numbers + origin
    if by_fp == 0:
        inside = (rest >= least) & (rest <= most)
        return np.where(inside, 0, 1), np.where(inside, negatives, 0)
    if by_fp > 0:
        return _clipped(-((rest - least) // by_fp), (most - rest) // by_fp, negatives)
    return _clipped(-((most - rest) // -by_fp), (rest - least) // -by_fp, negatives)


def _clipped(low: Any, high: Any, negatives: int) -> tuple[Any, Any]:
    return np.clip(low, -1, negatives + 1), np.clip(high, -1, negatives + 1)


def _monotone(rows: TableRanges, span: Span) -> TableRanges:
    """Bisect the first and the last FP of each row; more FP never makes the score better."""
    rows = with_values(rows, span.measure)
    falls = span.measure.greater_is_better is not False
    first, last = (span.high, span.low) if falls else (span.low, span.high)

    def past(end: Fraction, at_end: int) -> IntArray:
        """Return the first FP whose score is beyond an end, or with `at_end` 1 on it or beyond it."""
        return _first_past(rows, span.measure, end, falls=falls, at_end=bool(at_end))

    return rows.within(past(first, 1), past(last, 0) - 1).filled()


def with_values(rows: TableRanges, measure: Measure) -> TableRanges:
    """Leave out the first and last FP where the measure has no value, and rows without one in between."""
    rows = rows.filled()
    for step in (1, -1):
        for _ in range(2):
            fp = rows.low if step > 0 else rows.high
            missing = ~np.isfinite(rows.values(measure, fp))
            if not missing.any():
                break
            moved = fp + step * missing
            rows = (rows._replace(low=moved) if step > 0 else rows._replace(high=moved)).filled()
        else:
            fp = rows.low if step > 0 else rows.high
            rows = rows.of(np.isfinite(rows.values(measure, fp)))
    return rows


def _first_past(rows: TableRanges, measure: Measure, end: Fraction, *, falls: bool, at_end: bool) -> IntArray:
    """Return for each row the first FP whose score is past an end of what was printed."""
    sign, goal = (1.0 if falls else -1.0), float(end)
    tolerance = NEAR * max(1.0, abs(goal))

    def passed(distance: float) -> Callable[[IntArray, IntArray], BoolArray]:
        return lambda fp, index: sign * (rows.values(measure, fp, index) - goal) <= distance

    early = _bisected(rows, passed(tolerance))
    # Where the next score is already off the end by more than the tolerance, no other table is near it.
    beyond = early <= rows.high
    near = np.flatnonzero(beyond)
    near = near[sign * (rows.values(measure, early[near], near) - goal) > -tolerance]
    if near.size:
        doubtful = rows.of(near)
        late = least_true(
            lambda fp, index: sign * (doubtful.values(measure, fp, index) - goal) < -tolerance,
            early[near],
            doubtful.high,
        )
        for place, row in enumerate(near.tolist()):
            early[row] = _exactly_past(
                measure, doubtful.of(place), int(early[row]), int(late[place]), end, sign, at_end=at_end
            )
    return early


def _bisected(rows: TableRanges, passed: Callable[[IntArray, IntArray], BoolArray]) -> IntArray:
    """Return the first FP that passes in each row; between rows far apart it is nearly a line in TP."""
    number = len(rows.tp)
    if number <= FAR_APART:
        return least_true(passed, rows.low, rows.high)
    sampled = np.unique(np.append(np.arange(0, number, FAR_APART), number - 1))
    ends = least_true(lambda fp, index: passed(fp, sampled[index]), rows.low[sampled], rows.high[sampled])
    hint = np.rint(np.interp(np.arange(number), sampled, ends)).astype(np.int64)
    return least_true(passed, rows.low, rows.high, np.clip(hint, rows.low, rows.high))


def _exactly_past(
    measure: Measure, row: Any, first: int, last: int, end: Fraction, sign: float, *, at_end: bool
) -> int:
    """Bisect in fractions; a formula that needs floats counts as being on the end."""
    while first < last:
        middle = (first + last) // 2
        distance = _distance(measure, row, middle, end) * int(sign)
        if distance < 0 or (at_end and distance == 0):
            last = middle
        else:
            first = middle + 1
    return first


def _distance(measure: Measure, row: Any, fp: int, end: Fraction) -> Fraction:
    try:
        value = _exact(measure, int(row.tp), fp, int(row.positives), int(row.negatives))
    except NotExact:
        return Fraction(0)
    return Fraction(0) if abs(value - end) < SAME else value - end


def _one_by_one(rows: TableRanges, span: Span) -> TableRanges:
    """Score every table of a measure of which nothing is known."""
    rows, number = rows.filled(), int(rows.sizes.sum())
    if number > MOST_CELLS:
        raise ValueError(
            f"{span.measure.name} is not known to be monotone in FP, and {number:,} tables are too many to "
            f"try one by one (at most {MOST_CELLS:,}): leave it out, or give more decimals of the others."
        )
    tables = rows.listed(number)
    values = tables.values(span.measure, tables.low)
    low, high = float(span.low), float(span.high)
    tolerance = NEAR * max(1.0, abs(low), abs(high))
    kept = (values >= low - tolerance) & (values <= high + tolerance)
    near = kept & ((np.abs(values - low) <= tolerance) | (np.abs(values - high) <= tolerance))
    for place in np.flatnonzero(near).tolist():
        row = tables.of(place)
        below, above = (_distance(span.measure, row, int(row.low), end) for end in (span.low, span.high))
        kept[place] = below >= 0 >= above
    return runs(tables.of(kept))


def runs(tables: TableRanges) -> TableRanges:
    """Put tables together that differ by one FP."""
    if not tables.tp.size:
        return tables
    together = (np.diff(tables.positives) == 0) & (np.diff(tables.tp) == 0) & (np.diff(tables.low) == 1)
    first = np.append(True, ~together)
    last = np.append(~together, True)
    return tables.of(first)._replace(high=tables.high[last])


def possible(rows: TableRanges, spans: Sequence[Span]) -> TableRanges:
    """Return the tables that have all scores; those that are cheapest to find are found first."""
    for span in sorted(spans, key=lambda of: (not is_linear(of.measure), not is_monotone(of.measure))):
        rows = scoring(rows, span)
    return rows


def contradicting(spans: Sequence[Span], solve: Callable[[Sequence[Span]], TableRanges]) -> tuple[int, ...]:
    """Return which scores no table has together: the first of the smallest such sets."""
    for number in range(1, len(spans)):
        for places in itertools.combinations(range(len(spans)), number):
            if not solve([spans[place] for place in places]).tp.size:
                return places
    return tuple(range(len(spans)))
