"""Conditions: where a formula has a value, and which draws a bar may use.

A condition is one object that tests tables and prints itself, so that check and page cannot disagree.
Conditions are joined by ``&``.
"""

from __future__ import annotations

import copyreg
import functools
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray

Cells = tuple[Any, Any, Any, Any]
Span = tuple[int, int]  # first and last number of predicted positives, both included


@dataclass(frozen=True)
class Condition:
    """A named condition on the four cells of a table."""

    text: str  # the condition as a reader would write it, such as ``"P > 0"``
    test: Callable[[Any, Any, Any, Any], Any] = field(compare=False)
    spans: Callable[[int, int], list[Span]] = field(compare=False)
    parts: tuple[Condition, ...] = ()  # what this condition joins; itself alone when it is not a conjunction
    on_margins: bool = field(default=False, compare=False)

    def __and__(self, other: Condition) -> Condition:
        """Hold where both hold."""
        parts = tuple(dict.fromkeys((*self.conjuncts, *other.conjuncts)))
        if len(parts) < 2:
            return parts[0] if parts else self

        def test(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
            return self.test(tp, fp, fn, tn) & other.test(tp, fp, fn, tn)

        def spans(total: int, positives: int) -> list[Span]:
            return _intersect(self.spans(total, positives), other.spans(total, positives))

        text = " and ".join(part.text for part in parts)
        return Condition(text, test, spans, parts, all(part.on_margins for part in parts))

    def __str__(self) -> str:
        """Return the condition as text."""
        return self.text

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the catalogue's conditions by name: their functions have none of their own."""
        if self.parts:
            return _joined, self.parts
        if self.text in NAMED:
            return all_of, ((self.text,),)
        return copyreg.__newobj__, (Condition,), self.__dict__  # type: ignore[attr-defined]

    @property
    def conjuncts(self) -> tuple[Condition, ...]:
        """The conditions joined here; none for ``always``."""
        if self.parts:
            return self.parts
        return () if self.text == "always" else (self,)

    def holds(self, cells: Cells) -> BoolArray:
        """Test tables."""
        arrays = np.broadcast_arrays(*cells)
        return np.broadcast_to(np.asarray(self.test(*arrays), dtype=bool), arrays[0].shape)

    def violated(self, cells: Cells) -> tuple[str, ...]:
        """Name the conditions that one table breaks."""
        return tuple(part.text for part in self.conjuncts if not bool(part.holds(cells)))


def _intersect(left: list[Span], right: list[Span]) -> list[Span]:
    pairs = ((max(a, c), min(b, d)) for a, b in left for c, d in right)
    return [(first, last) for first, last in pairs if first <= last]


def _span(first: int, last: int) -> list[Span]:
    return [(first, last)] if first <= last else []


_CONDITIONS = (
    Condition("always", lambda tp, fp, fn, tn: (tp >= 0) | True, lambda m, p: [(0, m)], on_margins=True),
    Condition(
        "P > 0", lambda tp, fp, fn, tn: tp + fn > 0, lambda m, p: [(0, m)] if p > 0 else [], on_margins=True
    ),
    Condition(
        "N > 0", lambda tp, fp, fn, tn: fp + tn > 0, lambda m, p: [(0, m)] if p < m else [], on_margins=True
    ),
    Condition("k > 0", lambda tp, fp, fn, tn: tp + fp > 0, lambda m, p: _span(1, m), on_margins=True),
    Condition("k < M", lambda tp, fp, fn, tn: fn + tn > 0, lambda m, p: _span(0, m - 1), on_margins=True),
    Condition("TP > 0", lambda tp, fp, fn, tn: tp > 0, lambda m, p: _span(m - p + 1, m)),
    Condition("FP > 0", lambda tp, fp, fn, tn: fp > 0, lambda m, p: _span(p + 1, m)),
    Condition("FN > 0", lambda tp, fp, fn, tn: fn > 0, lambda m, p: _span(0, p - 1)),
    Condition("TN > 0", lambda tp, fp, fn, tn: tn > 0, lambda m, p: _span(0, m - p - 1)),
    Condition(
        "TP + TN > 0",
        lambda tp, fp, fn, tn: tp + tn > 0,
        lambda m, p: _span(0, m - p - 1) + _span(m - p + 1, m),
    ),
    Condition(
        "P + k > 0",
        lambda tp, fp, fn, tn: tp + fp + fn > 0,
        lambda m, p: [(0, m)] if p > 0 else _span(1, m),
        on_margins=True,
    ),
    Condition(
        "N + (M - k) > 0",
        lambda tp, fp, fn, tn: fp + fn + tn > 0,
        lambda m, p: [(0, m)] if p < m else _span(0, m - 1),
        on_margins=True,
    ),
    Condition(
        "FN < M",
        lambda tp, fp, fn, tn: tp + fp + tn > 0,
        lambda m, p: [(0, m)] if p < m else _span(1, m),
        on_margins=True,
    ),
    Condition(
        "FP < M",
        lambda tp, fp, fn, tn: tp + fn + tn > 0,
        lambda m, p: [(0, m)] if p > 0 else _span(0, m - 1),
        on_margins=True,
    ),
)

# The conditions that measures need, by what a reader would write.
NAMED = {condition.text: condition for condition in _CONDITIONS}

always = NAMED["always"]

# Where a formula has no value is not known: any single outcome of a draw may have none.
anywhere = replace(always, on_margins=False)


def all_of(names: Iterable[str]) -> Condition:
    """Return the condition that all of these hold."""
    return _joined(*(NAMED[name] for name in names))


def _joined(*parts: Condition) -> Condition:
    return functools.reduce(operator.and_, parts, always)
