"""Tasks: items in one order for all models, what kind they are, and the best answers without questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.answers import KINDS, LETTERS, NO_OPTION, Answer, Kind, Positions, placed, positions_of

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
    said = [row.answer for of_model in rows for row in of_model]
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
    wanted = [
        str(int(first) + index) if first.isdigit() else chr(ord(first) + index) for index in range(len(names))
    ]
    return names == wanted


def _why_no_choice(items: Sequence[Answer], rows: Sequence[Sequence[Answer]]) -> str:
    """Say why no answer is the right one; empty where one may be."""
    score = items[0].score
    if any(row.right not in {0.0, 1.0} for of_model in rows for row in of_model):
        return f"{score or 'its score'} gives partial credit"
    single = len(items) > 1 and len({item.gold for item in items}) == 1
    target = f"is {shown(items[0].gold)} for every item"
    if NO_CHOICE.fullmatch(score):
        same = f"; that {target}" if single else ""
        return f"{score} does not compare an answer with its target{same}"
    right = {row.answer for of_model in rows for row in of_model if row.right}
    if items[0].options is None and score and single and len(right) > 1:
        return (
            ""
            if right & accepted_answers(items[0].gold)
            else f"its target {target}, while the answers scored right differ"
        )
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
    chance: float | None = None  # what chance gets of an item, where that was named

    def __len__(self) -> int:
        return len(self.items)

    @property
    def right_or_wrong(self) -> bool:
        return self.right.dtype == bool

    @cached_property
    def random_guess(self) -> Fraction | None:
        """The expected share of options chosen at random; None where there are none."""
        if self.options is None:
            return None
        # Published data have items of which no option is right.
        options = self.options if self.gold is None else self.options[self.gold != NO_OPTION]
        numbers, counts = np.unique(options, return_counts=True)
        right = sum(Fraction(int(n), int(o)) for o, n in zip(numbers, counts, strict=True))
        return Fraction(right) / len(self)

    def of_model(self, model: int) -> Task:
        values: dict[str, Any] = {}
        for name in ("right", "answers", "most_by_chance", "known", "tied"):
            of_models = getattr(self, name)
            values[name] = None if of_models is None else of_models[model : model + 1]
        return replace(self, **values)


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
        of_model = table.setdefault(row.task, {}).setdefault(row.model, {})
        if row.item in of_model:
            raise ValueError(
                f"model {row.model!r} answers item {shown(row.item)} of task {row.task!r} more than once; "
                "each item has one answer of each model."
            )
        of_model[row.item] = row
    if not table:
        raise ValueError("there are no answers to judge.")
    named = kinds or {}
    for name in named:
        if name not in table:
            raise ValueError(
                f"kind names the task {shown(name)}, which is not there; found {listed(map(shown, table))}."
            )
    names, left_out, tasks = tuple(models), {}, []
    for task, answered in table.items():
        common = _common_items(task, answered, names, drop=drop)
        every = len({item for of_model in answered.values() for item in of_model})
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
    common = [item for item in every if all(item in of_model for of_model in judged)]
    if len(common) == len(every) or (drop and common):
        return common
    if not common:
        raise ValueError(f"no item of task {task!r} was answered by all models; are items called alike?")
    missing = [item for item in every if item not in set(common)]
    one_model = next(
        model for model, of_model in zip(models, judged, strict=True) if missing[0] not in of_model
    )
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
    rows = [[of_model[item] for item in items] for of_model in answered]
    first = rows[0]
    for other in rows[1:]:
        _refuse_other_items(name, first, other)
    codes = {cluster: code for code, cluster in enumerate(dict.fromkeys(row.cluster for row in first))}
    options = _options(name, first)
    kind, why = (named, "it was named as none") if named else kind_of(first, rows)
    coded = coded_as(kind, name, rows, options)
    worth = np.array([[row.right for row in of_model] for of_model in rows], dtype=np.float64)
    whole = ((worth == 0) | (worth == 1)).all()
    right: Any = worth.astype(bool) if whole else worth
    known = np.zeros(len(rows), dtype=bool)
    if coded.gold is not None and coded.answers is not None:
        unknown = np.array([any(row.answer is None for row in of_model) for of_model in rows])
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
        tied=np.array([[row.tied for row in of_model] for of_model in rows], dtype=bool),
        clusters=None if first[0].cluster is None else np.array([codes[row.cluster] for row in first]),
    )


def _refuse_other_items(task: str, first: Sequence[Answer], other: Sequence[Answer]) -> None:
    for field in ("gold", "options", "cluster"):
        here, there = (list(map(attrgetter(field), rows)) for rows in (first, other))
        if here == there:
            continue
        index = next(place for place, (a, b) in enumerate(zip(here, there, strict=True)) if a != b)
        raise ValueError(
            f"item {shown(first[index].item)} of task {task!r} has the {field} {shown(here[index])} for "
            f"{first[index].model!r} and {shown(there[index])} for {other[index].model!r}; models are judged "
            "on the same items."
        )


def _is_certified(kind: Kind, first: Answer, coded: Coded, known: BoolArray) -> bool:
    """Whether no fixed answer can be right more often: right answers are known, and nothing else is right."""
    if coded.best is None or kind in {"none", "free"}:
        return coded.best is not None and not first.score
    return not first.score or first.offered is not None or bool(known.all())


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
    said = [[_text(row, row.answer) for row in of_model] for of_model in rows]
    if kind == "classes" or _targets_are_answers(rows, gold, said):
        return _texts(gold, said)
    return _scored_right(rows, said)


def _lettered(task: str, rows: Sequence[Sequence[Answer]], options: IntArray) -> Coded:
    first, numbers = rows[0], options.tolist()
    gold = [row.gold for row in first]
    if first[0].offered is not None:  # then answers are positions from 0
        names = None if None in gold else Positions(letters=False, first=0)
        texts = _shared([row.offered or () for row in first])
    else:
        names = positions_of(gold, [row.answer for of_model in rows for row in of_model], options)
        texts = () if names is None else tuple(map(names.name, range(int(options.max()))))
    if names is None:
        return Coded(why=UNKNOWN)

    def right(index: int) -> str:
        return f"the right answer to item {shown(first[index].item)} of task {task!r}"

    def said(of_model: Sequence[Answer], index: int) -> str:
        return (
            f"the answer of {of_model[index].model!r} to item {shown(of_model[index].item)} of task {task!r}"
        )

    places = placed(gold, numbers, names, right)
    answers = [
        placed([row.answer for row in of_model], numbers, names, partial(said, of_model)) for of_model in rows
    ]
    return Coded(places, np.stack(answers), _best_positions(places, options, texts))


def _shared(offered: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return what the options of all items are called: their texts, or where these differ their positions."""
    texts = max(offered, key=len)
    if all(options == texts[: len(options)] for options in offered):
        return texts
    names = Positions(letters=len(texts) <= LETTERS, first=1)
    return tuple(map(names.name, range(len(texts))))


def _best_positions(gold: IntArray, options: IntArray, texts: Sequence[str]) -> Best:
    """Return the position that is right most often of items with as many options, and of all items."""
    numbers, of_number = np.unique(options, return_inverse=True)
    size = int(options.max())
    right = gold != NO_OPTION  # of some items of published data no option is right
    hits = np.bincount((of_number.reshape(-1) * size + gold)[right], minlength=len(numbers) * size)
    hits = hits.reshape(len(numbers), size)
    labels = tuple(
        (int(number) if len(numbers) > 1 else 0, texts[int(hits_of_number.argmax())])
        for number, hits_of_number in zip(numbers, hits, strict=True)
    )
    everywhere = hits.sum(axis=0)
    fewest = int(np.bincount(of_number.reshape(-1)).min())
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
        answer in accepted[index]
        for of_model, answers in zip(rows, said, strict=True)
        for index, (row, answer) in enumerate(zip(of_model, answers, strict=True))
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
    number = {value: index for index, value in enumerate(accepted)}
    codes = np.array([number[value] for value in gold], dtype=np.int64)
    answers = np.array(
        [[number.get(value, NO_OPTION) for value in of_model] for of_model in said], dtype=np.int64
    )
    return Coded(codes, answers, best)


def _scored_right(rows: Sequence[Sequence[Answer]], said: Sequence[Sequence[Any]]) -> Coded:
    """Return the answer that was scored right most often, by whichever model: a bound from below.

    Of items that nobody got right the right answer may be any. If each item has one, a model is right by
    chance at most as often as if all of these asked for what it says most.
    """
    found: list[set[Any]] = [set() for _ in rows[0]]
    for of_model, answers in zip(rows, said, strict=True):
        for texts, row, answer in zip(found, of_model, answers, strict=True):
            if row.right and answer is not None:
                texts.add(answer)
    hits = Counter(text for texts in found for text in texts)
    if not hits and any(row.right for of_model in rows for row in of_model):
        return Coded(why=NO_TEXTS)
    unknown = sum(not texts for texts in found)
    most = np.full(len(rows), float(len(found)))
    for index, answers in enumerate(said):
        if None not in answers:
            often = Counter(answers)
            by_chance = sum(times * hits[text] for text, times in often.items()) + unknown * max(
                often.values()
            )
            most[index] = min(by_chance / len(found), len(found))
    why = NOT_ANSWERS if hits else NOTHING_RIGHT
    return Coded(best=_most_often(hits), why=why, most_by_chance=most)


def _most_often(hits: Counter[Any]) -> Best:
    # Of several that are right as often the first in the alphabet, in whichever order they came.
    text, times = min(hits.items(), key=lambda pair: (-pair[1], str(pair[0])), default=("", 0))
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
