"""The best draw of one population, by the shape of the expectation where it is known."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable

from clearbar.catalogue import Condition, Measure, always
from clearbar.null import Exact
from clearbar.problems.binary._optimum import Extreme, Optimum, optimum
from clearbar.problems.binary._policy import Filling, exact_fill, fill_is_proved
from clearbar.problems.binary._scan import scan
from clearbar.problems.binary._steps import ExpectedScore, compare, first_descent

Span = tuple[int, int]


def optima(measure: Measure, total: int, positives: int, undefined: Filling) -> tuple[Optimum, Optimum]:
    """Return the largest and the smallest expected score over the admissible draws."""
    search = _by_shape if measure.shape is not None else _by_scan
    return search(measure, total, positives, undefined)


@functools.lru_cache(maxsize=64)
def _by_scan(measure: Measure, total: int, positives: int, undefined: Filling) -> tuple[Optimum, Optimum]:
    """Try every k; both ends come from one pass unless the policy fills them differently."""
    fills = [exact_fill(measure, total, undefined, largest=side) for side in (True, False)]
    looked_at = measure.admissible if undefined == "exclude" else _on_margins(measure.domain)
    spans = looked_at.spans(total, positives)
    ends = scan(measure, total, positives, spans, fills[0])
    other = ends if fills[0] == fills[1] else scan(measure, total, positives, spans, fills[1])
    sides = []
    for own, fill, direction in ((ends.max, fills[0], 1), (other.min, fills[1], -1)):
        proved = bool(fill_is_proved(measure, total, undefined, largest=direction > 0))
        apart = measure.in_catalogue and measure.domain.on_margins  # no draw has outcomes of both kinds
        best = own if own is None or apart else own._replace(certified=own.certified and proved)
        filled = _filled(_gaps(spans, total), fill, proved=proved)
        sides.append(optimum(_with_filled(best, filled, direction), total))
    return sides[0], sides[1]


def _on_margins(domain: Condition) -> Condition:
    """Return what of a condition fails for all outcomes of a draw, or for none."""
    return functools.reduce(operator.and_, (part for part in domain.conjuncts if part.on_margins), always)


def _gaps(spans: list[Span], total: int) -> list[Span]:
    """Return the draws between and around spans."""
    starts = [0, *(last + 1 for _, last in spans)]
    ends = [*(first - 1 for first, _ in spans), total]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if a <= b]


def _filled(gaps: list[Span], fill: Exact | None, *, proved: bool) -> list[Extreme]:
    return [] if fill is None else [Extreme(fill, (range(a, b + 1),), proved) for a, b in gaps]


def _with_filled(own: Extreme | None, filled: list[Extreme], direction: int) -> Extreme | None:
    """Let the draws compete that have no value but the policy's.

    Where that was searched for it can only be worse than what was found: losing is certain anyway.
    """
    if own is not None:
        filled = [one for one in filled if direction * compare(one.value, own.value) >= 0]
    return _best([*([] if own is None else [own]), *filled], direction)


def _by_shape(measure: Measure, total: int, positives: int, undefined: Filling) -> tuple[Optimum, Optimum]:
    score = ExpectedScore(measure, total, positives)
    spans = (measure.admissible if undefined == "exclude" else measure.domain).spans(total, positives)
    sides = []
    for largest in (True, False):
        direction = 1 if largest else -1
        best = _best((_in_span(measure, score, span, direction) for span in spans), direction)
        if undefined != "exclude":
            fill = exact_fill(measure, total, undefined, largest=largest)
            proved = bool(fill_is_proved(measure, total, undefined, largest=largest))
            outside = _outside(measure, total, positives, spans, fill, largest=largest, proved=proved)
            best = _with_filled(best, outside, direction)
        sides.append(optimum(best, total))
    return sides[0], sides[1]


def _in_span(measure: Measure, score: ExpectedScore, span: Span, direction: int) -> Extreme:
    first, last = span
    if measure.shape == "constant":
        return Extreme(score(first), (range(first, last + 1),))
    turning = {"peak": 1, "valley": -1}.get(str(measure.shape), 0)
    if turning == direction:
        top = first_descent(score, first, last, direction)
        tied = top < last and score.step(top) == 0
        return Extreme(score(top), (range(top, top + 1 + tied),))
    return _at_ends(score, first, last, direction, flat=measure.shape == "monotone")


def _at_ends(score: ExpectedScore, first: int, last: int, direction: int, *, flat: bool) -> Extreme:
    """Return the better end; where the expectation never turns back, all that is level with it."""
    sign = direction * compare(score(first), score(last))
    if sign == 0:
        draws = (range(first, last + 1),) if flat else (range(first, first + 1), range(last, last + 1))
        return Extreme(score(first), draws)
    if sign > 0:
        end = _level(lambda k: compare(score(k), score(first)) == 0, first, last) if flat else first
        return Extreme(score(first), (range(first, end + 1),))
    start = last
    if flat:
        start = -_level(lambda k: compare(score(-k), score(last)) == 0, -last, -first)
    return Extreme(score(last), (range(start, last + 1),))


def _level(level: Callable[[int], bool], first: int, last: int) -> int:
    """Return the last k up to which the expectation stays level with that at ``first``."""
    if first == last or not level(first + 1):
        return first
    left, right = first + 1, last
    while right - left > 1:
        middle = (left + right) // 2
        left, right = (middle, right) if level(middle) else (left, middle)
    return left


def _outside(
    measure: Measure,
    total: int,
    positives: int,
    spans: list[Span],
    fill: Exact | None,
    *,
    largest: bool,
    proved: bool,
) -> list[Extreme]:
    """Return the draws outside the domain.

    Where a condition on the margins fails all their outcomes have the value of the policy; where one
    on the cells does, some outcomes have a value of their own, and those few draws are scanned.
    """
    whole = _gaps(_on_margins(measure.domain).spans(total, positives), total)
    candidates = _filled(whole, fill, proved=proved)
    partly = [
        (max(a, c), min(b, d))
        for a, b in _gaps(spans, total)
        for c, d in _on_margins(measure.domain).spans(total, positives)
        if max(a, c) <= min(b, d)
    ]
    if partly and not measure.affine:
        sides = scan(measure, total, positives, partly, fill)
        side = sides.max if largest else sides.min
        candidates += [] if side is None else [side._replace(certified=side.certified and proved)]
    return candidates


def _best(candidates: Iterable[Extreme], direction: int) -> Extreme | None:
    best: Extreme | None = None
    for one in candidates:
        if isinstance(one.value, float) and math.isnan(one.value):
            continue
        sign = 1 if best is None else direction * compare(one.value, best.value)
        if sign > 0:
            best = one
        elif sign == 0 and best is not None:
            best = best._replace(draws=best.draws + one.draws, certified=best.certified and one.certified)
        elif best is not None:
            best = best._replace(certified=best.certified and one.certified)
    return best
