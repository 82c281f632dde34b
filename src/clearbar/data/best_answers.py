"""Right answers and answers of a task as numbers, and the best answers that ignore the questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.errors import shown
from clearbar.data.answers import LETTERS, NO_OPTION, Answer, Kind, Positions, placed, positions_of

UNKNOWN = "its right answers are not known"
NOTHING_RIGHT = "no answer to it was scored right"
NOT_ANSWERS = "its targets are not what is scored right"
NO_TEXTS = "the log does not hold the answers that were scored right"


class Best(NamedTuple):
    """The answers that are right most often of those that ignore the questions."""

    right: Fraction  # items to which they are right
    labels: tuple[tuple[int, str], ...]  # what to answer to items of so many options; 0 is every item
    one_right: int = 0  # items to which one position for all of them is right, where options are lettered
    one_label: str = ""
    fewest: int = 0  # items that have as many options as the fewest others do


class Coded(NamedTuple):
    gold: IntArray | None = None
    answers: IntArray | None = None
    best: Best | None = None
    why: str = ""
    most_by_chance: FloatArray | None = None


def coded_as(kind: Kind, task: str, rows: Sequence[Sequence[Answer]], options: IntArray | None) -> Coded:
    """Number the answers to a task of some kind; `rows` are those of each model, in the same order."""
    if kind in {"lettered", "unlettered"} and options is None:
        raise ValueError(f"the kind of task {task!r} is named as {kind!r}, but its items have no options.")
    if kind == "lettered" and options is not None:
        return _lettered(task, rows, options)
    if kind == "unlettered":
        return Coded(answers=_within_items(rows))
    if kind == "none":
        return Coded()
    gold = [_text(row, row.gold) for row in rows[0]]
    said = [[_text(row, row.answer) for row in own] for own in rows]
    if kind == "classes" or _targets_are_answers(rows, gold, said):
        return _texts(gold, said)
    return _scored_right(rows, said)


def codes_of(values: Sequence[Any]) -> IntArray:
    """Number values in the order in which they come."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)


def _lettered(task: str, rows: Sequence[Sequence[Answer]], options: IntArray) -> Coded:
    first, numbers = rows[0], options.tolist()
    gold = [row.gold for row in first]
    if first[0].offered is not None:  # then answers are positions from 0
        names = None if None in gold else Positions(letters=False, first=0)
        texts = _shared([row.offered or () for row in first])
    else:
        names = positions_of(gold, [row.answer for own in rows for row in own], options)
        texts = () if names is None else tuple(map(names.name, range(int(options.max()))))
    if names is None:
        return Coded(why=UNKNOWN)

    def right(at: int) -> str:
        return f"the right answer to item {shown(first[at].item)} of task {task!r}"

    def said(own: Sequence[Answer], at: int) -> str:
        return f"the answer of {own[at].model!r} to item {shown(own[at].item)} of task {task!r}"

    places = placed(gold, numbers, names, right)
    answers = [placed([row.answer for row in own], numbers, names, partial(said, own)) for own in rows]
    return Coded(places, np.stack(answers), _best_positions(places, options, texts))


def _shared(offered: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return what the options of all items are called: their texts, or where these differ their positions."""
    texts = max(offered, key=len)
    if all(own == texts[: len(own)] for own in offered):
        return texts
    names = Positions(letters=len(texts) <= LETTERS, first=1)
    return tuple(map(names.name, range(len(texts))))


def _best_positions(gold: IntArray, options: IntArray, texts: Sequence[str]) -> Best:
    """Return the position that is right most often of items with as many options, and of all items."""
    numbers, of_number = np.unique(options, return_inverse=True)
    size = int(options.max())
    hits = np.bincount(of_number.reshape(-1) * size + gold, minlength=len(numbers) * size)
    hits = hits.reshape(len(numbers), size)
    labels = tuple(
        (int(number) if len(numbers) > 1 else 0, texts[int(own.argmax())])
        for number, own in zip(numbers, hits, strict=True)
    )
    everywhere = hits.sum(axis=0)
    fewest = int(hits.sum(axis=1).min())
    one = int(everywhere.argmax())
    return Best(Fraction(int(hits.max(axis=1).sum())), labels, int(everywhere[one]), texts[one], fewest)


def _text(row: Answer, value: Any) -> Any:
    return row.offered[value] if row.offered is not None and isinstance(value, int) else value


def _targets_are_answers(
    rows: Sequence[Sequence[Answer]], gold: Sequence[Any], said: Sequence[Sequence[Any]]
) -> bool:
    """Whether every answer that was scored right is its item's target, and there is one."""
    if not rows[0][0].score:
        return None not in gold
    accepted = list(map(accepted_answers, gold))
    right = [
        answer in accepted[at]
        for own, answers in zip(rows, said, strict=True)
        for at, (row, answer) in enumerate(zip(own, answers, strict=True))
        if row.right and answer is not None
    ]
    return bool(right) and all(right) and None not in gold


def accepted_answers(gold: Any) -> set[Any]:
    return set(gold) if isinstance(gold, tuple) else {gold}


def _texts(gold: Sequence[Any], said: Sequence[Sequence[Any]]) -> Coded:
    """Number right answers that are texts; an answer that is none of them is never right."""
    if None in gold:
        return Coded(why=UNKNOWN)
    accepted = Counter(one for value in gold for one in accepted_answers(value))
    best = _most_often(accepted)
    if any(isinstance(value, tuple) for value in gold):
        return Coded(best=best)
    number = {value: at for at, value in enumerate(accepted)}
    codes = np.array([number[value] for value in gold], dtype=np.int64)
    answers = np.array([[number.get(value, NO_OPTION) for value in own] for own in said], dtype=np.int64)
    return Coded(codes, answers, best)


def _scored_right(rows: Sequence[Sequence[Answer]], said: Sequence[Sequence[Any]]) -> Coded:
    """Return the answer that was scored right most often, by whichever model: a bound from below.

    Of items that nobody got right the right answer may be any. If each item has one, a model is right by
    chance at most as often as if all of these asked for what it says most.
    """
    found: list[set[Any]] = [set() for _ in rows[0]]
    for own, answers in zip(rows, said, strict=True):
        for texts, row, answer in zip(found, own, answers, strict=True):
            if row.right and answer is not None:
                texts.add(answer)
    hits = Counter(text for texts in found for text in texts)
    if not hits and any(row.right for own in rows for row in own):
        return Coded(why=NO_TEXTS)
    unknown = sum(not texts for texts in found)
    most = np.full(len(rows), float(len(found)))
    for at, answers in enumerate(said):
        if None not in answers:
            often = Counter(answers)
            by_chance = sum(times * hits[text] for text, times in often.items()) + unknown * max(
                often.values()
            )
            most[at] = min(by_chance / len(found), len(found))
    why = NOT_ANSWERS if hits else NOTHING_RIGHT
    return Coded(best=_most_often(hits), why=why, most_by_chance=most)


def _most_often(hits: Counter[Any]) -> Best:
    text, times = max(hits.items(), key=lambda pair: pair[1], default=("", 0))
    return Best(Fraction(times), ((0, str(text)),))


def _within_items(rows: Sequence[Sequence[Answer]]) -> IntArray:
    """Number the answers to each item, in the order of the models; one that was not given is `NO_OPTION`."""

    def numbered(answers: Iterable[Answer]) -> list[int]:
        numbers: dict[Any, int] = {}
        return [
            NO_OPTION if row.answer in {None, ""} else numbers.setdefault(row.answer, len(numbers))
            for row in answers
        ]

    return np.array([numbered(of_item) for of_item in zip(*rows, strict=True)], dtype=np.int64).T
