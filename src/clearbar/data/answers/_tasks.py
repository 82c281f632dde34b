"""From the rows of a long table to tasks: items in one order for all models, right or wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.answers._coded import Best, Coded, coded_as, codes_of
from clearbar.data.answers._kinds import Kind, kind_of, refuse_unknown_tasks
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
    kind: Kind
    items: tuple[Any, ...]
    right: BoolArray | FloatArray  # (models, items); shares where there is partial credit
    options: IntArray | None  # of each item; None where there are none
    gold: IntArray | None  # of each item
    answers: IntArray | None  # (models, items)
    best: Best | None  # None where nothing fixed is best, or where that is not known
    certified: bool  # whether nothing that ignores the questions does better
    why: str  # why there is no bar, or why it is only a bound from below
    most_by_chance: FloatArray | None  # right by chance at most, of each model, where `gold` is not known
    known: BoolArray  # of each model: whether its answers are known, and right where they are the right ones
    tied: BoolArray  # (models, items): whether several options shared the largest likelihood
    clusters: IntArray | None

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self.items)

    @property
    def right_or_wrong(self) -> bool:
        """Whether there is no partial credit."""
        return self.right.dtype == bool

    def of_model(self, model: int) -> Task:
        """Return the answers of one model."""
        part = slice(model, model + 1)
        of_models = ("right", "answers", "most_by_chance", "known", "tied")
        every = {name: getattr(self, name) for name in of_models}
        own: dict[str, Any] = {name: None if value is None else value[part] for name, value in every.items()}
        return replace(self, **own)


def tasks_of(
    rows: Iterable[Answer], *, drop: bool = False, kinds: Mapping[str, Kind] | None = None
) -> tuple[tuple[str, ...], tuple[Task, ...], dict[str, int]]:
    """Return models, tasks, and how many items of each were left out because not all models answered them.

    Without `drop` such an item is an error. `kinds` are those of tasks that are not to be recognised.
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
    named = kinds or {}
    refuse_unknown_tasks(named, table)
    names, left_out, tasks = tuple(models), {}, []
    for task, answered in table.items():
        common = _common_items(task, answered, names, drop=drop)
        every = len({item for own in answered.values() for item in own})
        if len(common) < every:
            left_out[task] = every - len(common)
        tasks.append(_task(task, common, [answered[model] for model in names], named.get(task)))
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


def _task(
    name: str, items: Sequence[Any], answered: Sequence[Mapping[Any, Answer]], named: Kind | None
) -> Task:
    rows = [[own[item] for item in items] for own in answered]
    first = rows[0]
    for own in rows[1:]:
        for one, other in zip(first, own, strict=True):
            _refuse_other_item(name, one, other)
    options = _options(name, first)
    kind, why = (named, "it was named as none") if named else kind_of(first, rows)
    coded = coded_as(kind, name, rows, options)
    worth = np.array([[row.right for row in own] for own in rows], dtype=np.float64)
    whole = ((worth == 0) | (worth == 1)).all()
    right: Any = worth.astype(bool) if whole else worth
    known = np.zeros(len(rows), dtype=bool)
    if coded.gold is not None and coded.answers is not None:
        unknown = np.array([any(row.answer is None for row in own) for own in rows])
        known = ~unknown & ((coded.answers == coded.gold) == right).all(axis=1)
    return Task(
        name,
        kind,
        tuple(items),
        right,
        options,
        coded.gold,
        coded.answers,
        coded.best,
        certified=kind == "unlettered" or _is_certified(kind, first[0], coded, known),
        why=why if kind == "none" else coded.why,
        most_by_chance=coded.most_by_chance,
        known=known,
        tied=np.array([[row.tied for row in own] for own in rows], dtype=bool),
        clusters=codes_of([row.cluster for row in first]) if first[0].cluster is not None else None,
    )


def _is_certified(kind: Kind, first: Answer, coded: Coded, known: BoolArray) -> bool:
    """Whether no fixed answer can be right more often: right answers are known, and nothing else is right."""
    if coded.best is None or kind in {"none", "free"}:
        return coded.best is not None and not first.score
    return not first.score or first.offered is not None or bool(known.all())


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
