"""Why there is no number, as values: each reader makes its own sentence of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from clearbar.core.errors import listed

# What is the matter where a condition of a measure fails.
LACKING = {
    "P > 0": "there are no positives",
    "N > 0": "there are no negatives",
    "k > 0": "it predicts no positives",
    "k < M": "it predicts nothing but positives",
    "P + k > 0": "there are no positives and it predicts none",
    "N + (M - k) > 0": "there are no negatives and it predicts none",
    "TP > 0": "it finds no positive",
    "FP > 0": "it has no false positive",
    "FN > 0": "it misses no positive",
    "TN > 0": "it finds no negative",
    "TP + TN > 0": "it is never right",
    "FN < M": "it misses a positive every time",
    "FP < M": "it has nothing but false positives",
}

# The same in brackets behind the name of a fold.
SHORTLY = {
    "P > 0": "no positive samples",
    "N > 0": "no negative samples",
    "k > 0": "nothing predicted positive",
    "k < M": "nothing predicted negative",
    "P + k > 0": "no positive samples, nothing predicted positive",
    "N + (M - k) > 0": "no negative samples, nothing predicted negative",
    "another table": "needs another table",
}

# Likewise of a draw, which may happen at any number of predicted positives.
CHANCE_LEAVES = {
    "TP > 0": "no true positive",
    "FP > 0": "no false positive",
    "FN > 0": "no false negative",
    "TN > 0": "no true negative",
    "TP + TN > 0": "nothing right",
    "FN < M": "nothing but false negatives",
    "FP < M": "nothing but false positives",
}


PLAIN = "negative", "positive"  # what two classes are called that have no other names


def with_names(text: str, classes: tuple[str, str]) -> str:
    """Write the names of the classes where a text says negative and positive."""
    names = {plain: f'"{name}"' for plain, name in zip(PLAIN, classes, strict=True) if name != plain}
    if not names:
        return text
    return re.sub(r"\b(negative|positive)s?\b", lambda found: names.get(found[1], found[0]), text)


def question_and_caution(bar: Any) -> tuple[str, str]:
    """Return question and caution of a measure; those of the catalogue name the classes of the samples."""
    measure, names = bar.measure, getattr(bar.population, "labels", PLAIN)
    named = getattr(measure, "in_catalogue", False) and len(names) == len(PLAIN)
    question, caution = (
        with_names(text, names) if named else text for text in (measure.question, measure.caution)
    )
    return question.strip(), caution


@dataclass(frozen=True)
class NoValue:
    """A measure that has no value: where, and which of its conditions fail there."""

    label: str
    lacking: tuple[str, ...] = ()
    where: str = "here"
    in_folds: bool = False  # the notes below a table of folds say so too
    classes: tuple[str, str] = PLAIN  # what the negative and the positive class are called

    def __str__(self) -> str:
        """Say it in a sentence: ``precision has no value here: it predicts no positives``."""
        return f"{self.label} has {in_a_row([self])}"


def in_a_row(reasons: Sequence[NoValue]) -> str:
    """Say behind "has" why models have no value: ``no value here: there are no positives``."""
    parts = (
        with_names(" and ".join(LACKING.get(text, text) for text in reason.lacking), reason.classes)
        for reason in reasons
    )
    why = "; ".join(part for part in parts if part)
    return f"no value {reasons[0].where}{f': {why}' if why else ''}"


@dataclass(frozen=True)
class Reasons:
    """Several reasons on one row, each of them whole, in the order in which they are said."""

    each: tuple[Any, ...]

    def __str__(self) -> str:
        """Say them behind each other."""
        return "; ".join(map(str, self.each))


def each_reason(reason: Any) -> tuple[Any, ...]:
    """Return the reasons of a row: none, one, or several."""
    if isinstance(reason, Reasons):
        return reason.each
    return (reason,) if reason else ()


def and_also(reason: Any, more: Any) -> Any:
    """Add a reason to those that a row has."""
    each = (*each_reason(reason), *each_reason(more))
    return Reasons(each) if len(each) > 1 else more


class OfAnyMeasure(str):
    """Why no measure has a bar on these samples: other reasons name their measure, this does not."""

    __slots__ = ()


# What gives outcomes without a value one, as Python writes it.
OTHER_POLICIES = "undefined='worst' or undefined=0.0"


class NoBar(str):
    """Why a measure has no bar: text in Python's words that knows its parts, for readers with other words."""

    __slots__ = ("label", "why")

    label: str
    why: str

    def __new__(cls, label: str, why: str) -> Self:
        """Word it."""
        made = super().__new__(cls, _remedied(label, why, OTHER_POLICIES))
        made.label, made.why = label, why
        return made

    def __getnewargs__(self) -> Any:
        """Pickle its parts."""
        return self.label, self.why

    def with_policies(self, policies: str) -> str:
        """Say it with the policies that give a bar in the reader's words."""
        return _remedied(self.label, self.why, policies)


def _remedied(label: str, why: str, policies: str) -> str:
    return f"{why}; {policies} gives {label} a bar"


def why_no_bar(
    label: str, conditions: Sequence[str], classes: tuple[str, str], *, positives: bool, negatives: bool
) -> NoBar:
    """Say why no number of predicted positives gives every outcome a value, and what would."""
    missing = [text for text, present in (("P > 0", positives), ("N > 0", negatives)) if not present]
    missing = [LACKING[text] for text in missing if text in conditions]
    cells = [CHANCE_LEAVES[text] for text in conditions if text in CHANCE_LEAVES]
    why = f"{label} has no value for some outcome, whatever is predicted"
    if missing:
        why = " and ".join(missing)
    elif cells:
        why = f"at every number of predicted positives chance may leave {listed(cells, last='or')}"
    return NoBar(label, with_names(why, classes))
