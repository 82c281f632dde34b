"""Accuracy and macro recall of many classes: can both be?

Both follow from how many samples of each class are right. With a given number of right samples macro recall
is largest where the smallest classes are right first, and least where the largest are. From one end to the
other single right answers are moved, each of which changes it by at most the largest difference of two
classes' weights: so where that is no more than the width of what was printed, some step meets it.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from clearbar.claims._sizes import PossibleScores, read_scores, scores_in_words, sizes_in_words
from clearbar.core.classes import ClassSizes
from clearbar.core.documents import document

MEANS = ("accuracy", "recall_macro", "balanced_accuracy")
MOST_RIGHT = 2**17  # combinations of right answers per class that are tried one by one

Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True, eq=False, repr=False)
class PossibleClassScores(PossibleScores):
    """Whether accuracy and macro recall of many classes can both be as they are printed.

    Made by `clearbar.possible_tables` of `ClassSizes`.

    Attributes
    ----------
    population : ClassSizes
        The class sizes.
    scores : mapping of str to str
        The printed scores.
    possible : bool or None
        Whether some numbers of right answers have these scores; None where that is not decided.
    contradiction : tuple of str
        A smallest set of scores that do not go together; empty where there is none.
    ranges : mapping of str to (float, float)
        From which macro recall to which the printed accuracy allows, and the other way round.
    fits_truncated : bool
        Whether no matrix has the scores as rounded, but some has them as cut off.

    Examples
    --------
    >>> import clearbar as cb
    >>> sizes = cb.ClassSizes({"cat": 90, "dog": 5, "fox": 5})
    >>> cb.possible_tables(sizes, {"accuracy": "0.95", "recall_macro": "0.30"}).contradiction
    ('accuracy', 'recall_macro')
    """

    population: ClassSizes
    scores: Mapping[str, str]
    possible: bool | None
    contradiction: tuple[str, ...]
    ranges: Mapping[str, tuple[float, float]]
    fits_truncated: bool = False

    noun = "matrix"

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON."""
        sizes = zip(map(str, self.population.labels), self.population.counts.tolist(), strict=True)
        content = {"classes": dict(sizes), "scores": dict(self.scores), "possible": self.possible}
        content["fits_truncated"] = self.fits_truncated
        ranges = {name: [*ends] for name, ends in self.ranges.items()}
        return document({**content, "contradiction": list(self.contradiction), "ranges": ranges})

    def __repr__(self) -> str:
        return f"<PossibleClassScores: {sizes_in_words(self.population)}>"

    def _repr_html_(self) -> str:
        from clearbar.notebook import sentence_html

        return sentence_html("possible-class-scores", str(self), list(self.scores.items()))

    def _found(self) -> str:
        samples, scores = sizes_in_words(self.population), scores_in_words(self.scores)
        if self.possible is None:
            return f"Whether {samples} can have {scores} is not decided: too many matrices are close to it."
        between = ", ".join(
            f"{name} from {low:.4g} to {high:.4g}" for name, (low, high) in self.ranges.items()
        )
        allows = ", which allows " if len(self.scores) == 1 else ". Each alone allows of the other: "
        return f"{samples} can have {scores}{allows}{between}."


def possible_class_scores(
    sizes: ClassSizes, scores: Mapping[str, str], *, truncated: bool
) -> PossibleClassScores:
    read = read_scores(scores, "multiclass")
    for measure, _ in read.values():
        if measure.name not in MEANS:
            raise ValueError(
                f"{measure.name} of many classes is not decided, only accuracy and recall_macro are."
            )
    numbers = sorted(size for size in sizes.counts.tolist() if size)
    ends = {name: text.ends(truncated=truncated) for name, (_, text) in read.items()}
    of_accuracy = [name for name, (measure, _) in read.items() if measure.name == "accuracy"]
    of_recall = [name for name in read if name not in of_accuracy]
    if len(of_recall) > 1:
        raise ValueError("scores has macro recall twice: recall_macro and balanced_accuracy are the same.")

    def can_be(names: Sequence[str], ends: Mapping[str, Ends]) -> bool | None:
        accuracy, recall = (
            next((ends[name] for name in names if name in group), None) for group in (of_accuracy, of_recall)
        )
        return _can_be(numbers, accuracy, recall)

    possible, names = can_be([*read], ends), [*read]
    at_odds: tuple[str, ...] = ()
    fits_truncated = False
    if possible is False:
        alone = ([name] for name in (*of_accuracy, *of_recall) if can_be([name], ends) is False)
        at_odds = tuple(next(alone, names))
        cut_off = {name: text.ends(truncated=True) for name, (_, text) in read.items()}
        fits_truncated = not truncated and can_be(names, cut_off) is True
    printed = {name: text.text for name, (_, text) in read.items()}
    ranges = _ranges(numbers, of_accuracy, of_recall, ends)
    return PossibleClassScores(sizes, printed, possible, at_odds, ranges, fits_truncated)


def _can_be(sizes: Sequence[int], accuracy: Ends | None, recall: Ends | None) -> bool | None:
    """Decide whether numbers of right answers exist; `sizes` rise."""
    right = _right(sizes, accuracy)
    if recall is None:
        return bool(right)
    (low, high), allowed = recall, _allowed(sizes, recall)
    right = range(max(right.start, allowed.start), min(right.stop, allowed.stop))
    if not right or Fraction(1, sizes[0]) - Fraction(1, sizes[-1]) <= (high - low) * len(sizes):
        return bool(right)
    if any(low <= _least(sizes, number) or _most(sizes, number) <= high for number in right[:MOST_RIGHT]):
        return True
    return None if math.prod(size + 1 for size in sizes) > MOST_RIGHT else _one_by_one(sizes, right, recall)


def _allowed(sizes: Sequence[int], recall: Ends) -> range:
    """Return the numbers of right answers whose least and largest macro recall lie on either side."""
    numbers = range(sum(sizes) + 1)
    first = bisect.bisect_left(numbers, recall[0], key=lambda number: _most(sizes, number))
    return range(first, bisect.bisect_right(numbers, recall[1], key=lambda number: _least(sizes, number)))


def _right(sizes: Sequence[int], accuracy: Ends | None) -> range:
    """Return the numbers of right answers that an accuracy allows."""
    total = sum(sizes)
    if accuracy is None:
        return range(total + 1)
    low, high = (end * total for end in accuracy)
    return range(max(0, math.ceil(low)), min(total, math.floor(high)) + 1)


def _most(sizes: Sequence[int], number: int) -> Fraction:
    """Return macro recall where classes are right one after the other, the smallest first."""
    value = Fraction(0)
    for size in sizes:
        right = min(size, number)
        value, number = value + Fraction(right, len(sizes) * size), number - right
    return value


def _least(sizes: Sequence[int], number: int) -> Fraction:
    return _most(sizes[::-1], number)


def _one_by_one(sizes: Sequence[int], right: range, recall: Ends) -> bool:
    unit = math.lcm(len(sizes) * math.lcm(*sizes), *(end.denominator for end in recall))
    parts = np.indices([size + 1 for size in sizes]).reshape(len(sizes), -1).astype(object)
    macro = sum(unit // (len(sizes) * size) * part for size, part in zip(sizes, parts, strict=True))
    number = parts.sum(axis=0)
    low, high = (int(end * unit) for end in recall)
    fits = (number >= right.start) & (number < right.stop) & (macro >= low) & (macro <= high)
    return bool(fits.any())


def _ranges(
    sizes: Sequence[int], of_accuracy: Sequence[str], of_recall: Sequence[str], ends: Mapping[str, Ends]
) -> Mapping[str, tuple[float, float]]:
    """Return which macro recall a printed accuracy allows, and which accuracy a macro recall."""
    ranges: dict[str, tuple[float, float]] = {}
    for name in of_accuracy:
        right = _right(sizes, ends[name])
        if right:
            ranges["recall_macro"] = float(_least(sizes, right[0])), float(_most(sizes, right[-1]))
    for name in of_recall:
        allowed = _allowed(sizes, ends[name])
        if allowed:
            ranges["accuracy"] = allowed[0] / sum(sizes), allowed[-1] / sum(sizes)
    return ranges
