"""Tasks: items in one order for all models, what kind of task they are, and which answers are right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.answers import KINDS, Answer, Kind, positions_of
from clearbar.data.best_answers import Best, Coded, accepted_answers, coded_as, codes_of

NO_CHOICE = re.compile(
    r"pass[@^_].*|(?:prompt|inst)_level_.*|model_graded_.*|.*rubric.*|bleu.*|rouge.*|bert_?score.*|chrf.*|ter",
    re.IGNORECASE,
)
"""Scores that do not say which answer is the right one: programs are run, texts are graded or compared."""

_POSITION = re.compile(r"\(?([A-Za-z]|\d{1,2})[).:]?")
_FIRST = ("A", "a", "0", "1")


def checked_kinds(kind: Any) -> dict[str, Kind]:
    if kind is None:
        return {}
    if not isinstance(kind, Mapping):
        raise ValueError(
            f"kind must name the kind of each task, such as {{'gsm8k': 'free'}}; found {shown(kind)}."
        )
    for task, name in kind.items():
        if name not in KINDS:
            raise ValueError(
                f"the kind of task {shown(task)} is {shown(name)}; it can be {listed(KINDS, last='or')}."
            )
    return dict(kind)


def refuse_unknown_tasks(kinds: Mapping[str, Kind], tasks: Iterable[str]) -> None:
    known = list(tasks)
    for name in kinds:
        if name not in known:
            raise ValueError(
                f"kind names the task {shown(name)}, which is not there; found {listed(map(shown, known))}."
            )


def kind_of(items: Sequence[Answer], rows: Sequence[Sequence[Answer]]) -> tuple[Kind, str]:
    """Return the kind of a task, by its items and the answers of all models; of none also why."""
    graded = _why_no_choice(items, rows)
    if graded:
        return "none", graded
    if items[0].options is None:
        return "free", ""
    if items[0].offered is not None:
        return _of_texts([item.offered or () for item in items]), ""
    gold = [item.gold for item in items]
    said = [row.answer for own in rows for row in own]
    if positions_of(gold, said, np.array([item.options for item in items])) is not None:
        return "lettered", ""
    # Called by texts: no more different ones than an item has options, so that all items share them.
    texts = {value for value in (*gold, *said) if value not in {None, ""}}
    few = len(gold) > len(texts) and len(texts) <= min(int(item.options or 0) for item in items)
    return ("classes" if few and None not in gold else "unlettered"), ""


def _of_texts(offered: Sequence[tuple[str, ...]]) -> Kind:
    """Return the kind of options by the texts whose likelihoods were compared."""
    if all(_are_positions(texts) for texts in offered):
        return "lettered"
    if len(offered) > 1 and len({frozenset(texts) for texts in offered}) == 1:
        return "classes"
    longest = max(offered, key=len)
    shared = all(texts == longest[: len(texts)] for texts in offered)
    return "lettered" if shared and len(offered) > 1 else "unlettered"


def _are_positions(texts: Sequence[str]) -> bool:
    """Whether texts are A, B, C … or 1, 2, 3 …, in this order."""
    names = [match[1] if (match := _POSITION.fullmatch(text)) else "" for text in texts]
    if len(names) < 2 or names[0] not in _FIRST:
        return False
    first = names[0]
    wanted = [str(int(first) + at) if first.isdigit() else chr(ord(first) + at) for at in range(len(names))]
    return names == wanted


def _why_no_choice(items: Sequence[Answer], rows: Sequence[Sequence[Answer]]) -> str:
    """Say why no answer is the right one; empty where one may be."""
    score = items[0].score
    if any(row.right not in {0.0, 1.0} for own in rows for row in own):
        return f"{score or 'its score'} gives partial credit"
    if NO_CHOICE.fullmatch(score):
        targets = {item.gold for item in items}
        same = (
            f"; that is {shown(items[0].gold)} for every item" if len(items) > 1 and len(targets) == 1 else ""
        )
        return f"{score} does not compare an answer with its target{same}"
    if items[0].options is not None or not score:
        return ""
    targets = {item.gold for item in items}
    right = {row.answer for own in rows for row in own if row.right}
    if (
        len(items) > 1
        and len(targets) == 1
        and len(right) > 1
        and not right & accepted_answers(items[0].gold)
    ):
        return f"its target is {shown(items[0].gold)} for every item, while the answers scored right differ"
    return ""


NAMED = 3  # items that an error names
MOST_OPTIONS = 1_000_000  # options of an item; more are a mistake


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
        return len(self.items)

    @property
    def right_or_wrong(self) -> bool:
        return self.right.dtype == bool

    def of_model(self, model: int) -> Task:
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
