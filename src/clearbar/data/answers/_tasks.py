"""From the rows of a long table to tasks: items in one order for all models, right or wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.answers._positions import NO_OPTION, placed, positions_of
from clearbar.data.answers._values import Answer

NAMED = 3
"""Items that an error names."""

MOST_OPTIONS = 1_000_000
"""Options of an item; more are a mistake."""


@dataclass(frozen=True, eq=False)
class Task:
    """Items that every model answered.

    Right answers and those of the models are numbered alike; `NO_OPTION` is an answer that is never right.
    They are None where they cannot be compared from item to item: options that are called by their text.
    """

    name: str
    items: tuple[Any, ...]
    right: BoolArray  # (models, items)
    options: IntArray | None  # of each item; None for open questions
    gold: IntArray | None  # of each item
    answers: IntArray | None  # (models, items)
    most_right: Fraction | None  # items to which the best fixed answer is right; None where that is not known
    best_label: str
    everywhere: bool  # whether every item has that answer as an option; one at random is chosen elsewhere
    known: BoolArray  # of each model: whether its answers are known, and right where they are the right ones
    clusters: IntArray | None

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.items)


def tasks_of(
    rows: Iterable[Answer], *, drop: bool = False
) -> tuple[tuple[str, ...], tuple[Task, ...], dict[str, int]]:
    """Return models, tasks, and how many items of each were left out because not all models answered them.

    Without `drop` such an item is an error.
    """
    table: dict[str, dict[str, dict[Any, Answer]]] = {}
    models: dict[str, None] = {}
    for row in rows:
        models.setdefault(row.model)
        own = table.setdefault(row.task, {}).setdefault(row.model, {})
        if row.item in own:
            raise ValueError(
                f"model {row.model!r} answers item {shown(row.item)} of task {row.task!r} more than once; "
                "each item has one answer of each model."
            )
        own[row.item] = row
    if not table:
        raise ValueError("there are no answers to judge.")
    names, left_out, tasks = tuple(models), {}, []
    for task, answered in table.items():
        common = _common_items(task, answered, names, drop=drop)
        every = len({item for own in answered.values() for item in own})
        if len(common) < every:
            left_out[task] = every - len(common)
        tasks.append(_task(task, common, [answered[model] for model in names]))
    return names, tuple(tasks), left_out


def _common_items(
    task: str, answered: Mapping[str, Mapping[Any, Answer]], models: Sequence[str], *, drop: bool
) -> list[Any]:
    """Return the items that all models answered, in the order of the first one."""
    lacking = [model for model in models if model not in answered]
    if lacking:
        raise ValueError(
            f"task {task!r} has no answers of {listed(map(repr, lacking))}, only of "
            f"{listed(map(repr, answered))}; judge together what all models answered."
        )
    judged = [{item for item, row in answered[model].items() if row.right is not None} for model in models]
    every = dict.fromkeys(item for model in models for item in answered[model])
    common = [item for item in every if all(item in own for own in judged)]
    if len(common) == len(every) or (drop and common):
        return common
    if not common:
        raise ValueError(f"no item of task {task!r} was answered by all models; are items called alike?")
    missing = [item for item in every if item not in set(common)]
    one_model = next(model for model, own in zip(models, judged, strict=True) if missing[0] not in own)
    raise ArgumentError(
        "",
        f"{len(missing):,} of {len(every):,} items of task {task!r} were not answered by all models "
        f"({listed(map(shown, missing), most=NAMED)}; {one_model!r} lacks the first): ",
        "nulls='drop' leaves them out for all models.",
        "nulls",
    )


def _task(name: str, items: Sequence[Any], answered: Sequence[Mapping[Any, Answer]]) -> Task:
    rows = [[own[item] for item in items] for own in answered]
    first = rows[0]
    for own in rows[1:]:
        for one, other in zip(first, own, strict=True):
            _refuse_other_item(name, one, other)
    options = _options(name, first)
    right = np.array([[row.right for row in own] for own in rows], dtype=bool)
    clusters = _codes([row.cluster for row in first]) if first[0].cluster is not None else None
    gold = [row.gold for row in first]
    said = [[row.answer for row in own] for own in rows]
    coded = _open(gold, said) if options is None else _chosen(name, first, rows, options)
    known = np.zeros(len(rows), dtype=bool)
    if coded.gold is not None and coded.answers is not None:
        unknown = np.array([any(value is None for value in own) for own in said])
        known = ~unknown & ((coded.answers == coded.gold) == right).all(axis=1)
    return Task(name, tuple(items), right, options, *coded, known=known, clusters=clusters)


def _refuse_other_item(task: str, one: Answer, other: Answer) -> None:
    for field in ("gold", "options", "cluster"):
        here, there = getattr(one, field), getattr(other, field)
        if here != there:
            raise ValueError(
                f"item {shown(one.item)} of task {task!r} has the {field} {shown(here)} for {one.model!r} "
                f"and {shown(there)} for {other.model!r}; models are judged on the same items."
            )


def _options(task: str, rows: Sequence[Answer]) -> IntArray | None:
    given = [row.options for row in rows]
    without = sum(number is None for number in given)
    if without == len(given):
        return None
    if without:
        raise ValueError(
            f"{without:,} of {len(given):,} items of task {task!r} have no number of options; make them a "
            "task of their own."
        )
    for row in rows:
        number = row.options
        whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if number is None or not whole or not 1 <= number <= MOST_OPTIONS:
            raise ValueError(
                f"options must be a whole number from 1 to {MOST_OPTIONS:,}; found {shown(number)} for item "
                f"{shown(row.item)} of task {task!r}."
            )
    return np.array(given, dtype=np.int64)


class Coded(NamedTuple):
    """Right answers and answers as numbers, and the best answer, as `Task` has them; by default unknown."""

    gold: IntArray | None = None
    answers: IntArray | None = None
    most_right: Fraction | None = None
    best_label: str = ""
    everywhere: bool = True


def _open(gold: Sequence[Any], said: Sequence[Sequence[Any]]) -> Coded:
    """Number right answers that are texts; an answer that is none of them is never right."""
    if any(value is None for value in gold):
        return Coded()
    accepted = Counter(one for value in gold for one in (set(value) if isinstance(value, tuple) else {value}))
    best, most = max(accepted.items(), key=lambda pair: pair[1])
    if any(isinstance(value, tuple) for value in gold):
        return Coded(most_right=Fraction(most), best_label=str(best))
    number = {value: at for at, value in enumerate(accepted)}
    codes = np.array([number[value] for value in gold], dtype=np.int64)
    answers = np.array([[number.get(value, NO_OPTION) for value in own] for own in said], dtype=np.int64)
    return Coded(codes, answers, Fraction(most), str(best))


def _chosen(task: str, first: Sequence[Answer], rows: Sequence[Sequence[Answer]], options: IntArray) -> Coded:
    """Number options by their positions, if they are called so."""
    names = positions_of([row.gold for row in first], [row.answer for own in rows for row in own], options)
    if names is None:
        return Coded()
    numbers = options.tolist()

    def right(at: int) -> str:
        return f"the right answer to item {shown(first[at].item)} of task {task!r}"

    def said(own: Sequence[Answer], at: int) -> str:
        return f"the answer of {own[at].model!r} to item {shown(own[at].item)} of task {task!r}"

    gold = placed([row.gold for row in first], numbers, names, right)
    answers = np.stack(
        [placed([row.answer for row in own], numbers, names, partial(said, own)) for own in rows]
    )
    best, most = _best_position(gold, options)
    return Coded(gold, answers, most, names.name(best), bool((options > best).all()))


def _best_position(gold: IntArray, options: IntArray) -> tuple[int, Fraction]:
    """Return the position to answer, one at random where it is no option, and how often that is right."""
    numbers, items = np.unique(options, return_counts=True)
    by_chance = [(int(o), Fraction(int(n), int(o))) for o, n in zip(numbers, items, strict=True)]
    hits = np.bincount(gold).tolist()

    def right(position: int) -> Fraction:
        return sum((chance for number, chance in by_chance if number <= position), Fraction(hits[position]))

    best = max(np.flatnonzero(hits).tolist(), key=right)
    return best, right(best)


def _codes(values: Sequence[Any]) -> IntArray:
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(value, len(numbers)) for value in values], dtype=np.int64)
