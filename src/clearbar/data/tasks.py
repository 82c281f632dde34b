"""Tasks: items in one order for all models, what kind they are, and the best answers without questions."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.answers import (
    KINDS,
    NO_OPTION,
    Answers,
    Kind,
    Positions,
    in_sequence,
    placed,
    positions_of,
)

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


def kind_of(answered: Sequence[Answers]) -> tuple[Kind, str]:
    """Return the kind of a task, by the answers of all models to the same items; of none also why."""
    first = answered[0]
    graded = _why_no_choice(answered)
    if graded:
        return "none", graded
    if first.options[0] is None:
        return "free", ""
    if first.offered[0] is not None:
        return _of_texts([texts or () for texts in first.offered]), ""
    gold = first.gold
    said = list(itertools.chain.from_iterable(of_model.said for of_model in answered))
    if positions_of(gold, said, np.array(first.options)) is not None:
        return "lettered", ""
    # Called by texts: no more different ones than an item has options, so that all items share them.
    texts = {value for value in (*gold, *said) if value not in {None, ""}}
    few = len(gold) > len(texts) and len(texts) <= min(int(number or 0) for number in first.options)
    return ("classes" if few and None not in gold else "unlettered"), ""


def _of_texts(offered: Sequence[tuple[str, ...]]) -> Kind:
    """Return the kind of options by the texts whose likelihoods were compared."""
    matches = ([_POSITION.fullmatch(text) for text in texts] for texts in offered)
    if all(in_sequence([match[1] if match else "" for match in of_item]) for of_item in matches):
        return "lettered"
    if len(offered) > 1 and len({frozenset(texts) for texts in offered}) == 1:
        return "classes"
    longest = max(offered, key=len)
    shared = all(texts == longest[: len(texts)] for texts in offered)
    return "lettered" if shared and len(offered) > 1 else "unlettered"


def _why_no_choice(answered: Sequence[Answers]) -> str:
    """Say why no answer is the right one; empty where one may be."""
    first = answered[0]
    score = first.score
    if not all({0.0, 1.0}.issuperset(of_model.right) for of_model in answered):
        return f"{score or 'its score'} gives partial credit"
    single = len(first) > 1 and len(set(first.gold)) == 1
    target = f"is {shown(first.gold[0])} for every item"
    if NO_CHOICE.fullmatch(score):
        same = f"; that {target}" if single else ""
        return f"{score} does not compare an answer with its target{same}"
    if first.options[0] is None and score and single:
        right = {
            answer for of_model in answered for answer in itertools.compress(of_model.said, of_model.right)
        }
        if len(right) > 1 and not right & accepted_answers(first.gold[0]):
            return f"its target {target}, while the answers scored right differ"
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
    answers: Iterable[Answers], *, drop: bool = False, kinds: Mapping[str, Kind] | None = None
) -> tuple[tuple[str, ...], tuple[Task, ...], dict[str, int]]:
    """Return models, tasks, and how many items of each were left out because not all models answered them.

    Without `drop` such an item is an error. `kinds` are those of tasks that are not to be recognised.
    """
    table: dict[str, dict[str, Answers]] = {}
    models: dict[str, None] = {}
    for of_model in answers:
        models.setdefault(of_model.model)
        table.setdefault(of_model.task, {})[of_model.model] = of_model
        if len(set(of_model.items)) < len(of_model):
            repeated = next(item for item, times in Counter(of_model.items).items() if times > 1)
            raise ValueError(
                f"model {of_model.model!r} answers item {shown(repeated)}{_of_task(of_model.task)} more "
                "than once; each item has one answer of each model."
            )
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
        every = len(set().union(*(of_model.items for of_model in answered.values())))
        if len(common) < every:
            left_out[task] = every - len(common)
        tasks.append(_task(task, [answered[model].of_items(common) for model in names], named.get(task)))
    return names, tuple(tasks), left_out


def _common_items(
    task: str, answered: Mapping[str, Answers], models: Sequence[str], *, drop: bool
) -> Sequence[Any]:
    """Return the items that all models answered, in the order of the first one."""
    lacking = [model for model in models if model not in answered]
    if lacking:
        raise ValueError(
            f"{f'task {task!r} has' if task else 'there are'} no answers of {listed(map(repr, lacking))}, "
            f"only of {listed(map(repr, answered))}; judge together what all models answered."
        )
    first = answered[models[0]].items
    if all(of_model.items == first and None not in of_model.right for of_model in answered.values()):
        return first
    judged = [
        {
            item
            for item, right in zip(answered[model].items, answered[model].right, strict=True)
            if right is not None
        }
        for model in models
    ]
    every = dict.fromkeys(item for model in models for item in answered[model].items)
    common = [item for item in every if all(item in of_model for of_model in judged)]
    if len(common) == len(every) or (drop and common):
        return common
    if not common:
        raise ValueError(
            f"no item{_of_task(task)} was answered by all of {listed(map(repr, models))}; are items called "
            "alike, and is it the same task?"
        )
    missing = [item for item in every if item not in set(common)]
    one_model = next(
        model for model, of_model in zip(models, judged, strict=True) if missing[0] not in of_model
    )
    raise ArgumentError(
        "",
        f"{len(missing):,} of {len(every):,} items{_of_task(task)} were not answered by all models "
        f"({listed(map(shown, missing), most=NAMED)}; {one_model!r} lacks the first): ",
        "nulls='drop' leaves them out for all models.",
        "nulls",
    )


def _task(name: str, answered: Sequence[Answers], named: Kind | None) -> Task:
    """Return a task of the answers of all models to the same items."""
    first = answered[0]
    for other in answered[1:]:
        _refuse_other_items(name, first, other)
    codes = {cluster: code for code, cluster in enumerate(dict.fromkeys(first.clusters))}
    options = _options(name, first)
    kind, why = (named, "its kind was named none") if named else kind_of(answered)
    coded = coded_as(kind, name, answered, options)
    worth = np.array([of_model.right for of_model in answered], dtype=np.float64)
    right_or_wrong = ((worth == 0) | (worth == 1)).all()
    right: Any = worth.astype(bool) if right_or_wrong else worth
    known_right = np.zeros(len(answered), dtype=bool)
    if coded.gold is not None and coded.answers is not None:
        unknown = np.array([None in of_model.said for of_model in answered])
        known_right = ~unknown & ((coded.answers == coded.gold) == right).all(axis=1)
    return Task(
        name,
        kind,
        tuple(first.items),
        right,
        options,
        coded.gold,
        coded.answers,
        coded.best,
        certified=kind == "unlettered" or _is_certified(kind, first, coded, known_right),
        why=why if kind == "none" else coded.why,
        most_by_chance=coded.most_by_chance,
        known=known_right,
        tied=np.array([of_model.tied for of_model in answered], dtype=bool),
        clusters=None if first.clusters[0] is None else np.array(list(map(codes.get, first.clusters))),
    )


def _of_task(task: str) -> str:
    """Return which task items are of, where tasks have names."""
    return f" of task {task!r}" if task else ""


def _refuse_other_items(task: str, first: Answers, other: Answers) -> None:
    for field, column in (("gold", "gold"), ("options", "options"), ("cluster", "clusters")):
        here, there = getattr(first, column), getattr(other, column)
        if here == there:
            continue
        index = next(place for place, (a, b) in enumerate(zip(here, there, strict=True)) if a != b)
        raise ValueError(
            f"item {shown(first.items[index])}{_of_task(task)} has the {field} {shown(here[index])} for "
            f"{first.model!r} and {shown(there[index])} for {other.model!r}; models are judged on the same "
            "items."
        )


def _is_certified(kind: Kind, first: Answers, coded: Coded, known_right: BoolArray) -> bool:
    """Whether no fixed answer can be right more often: right answers are known, and nothing else is right."""
    if coded.best is None or kind in {"none", "free"}:
        return coded.best is not None and not first.score
    return not first.score or first.offered[0] is not None or bool(known_right.all())


def _options(task: str, first: Answers) -> IntArray | None:
    given = first.options
    without = given.count(None)
    if without == len(given):
        return None
    if without:
        raise ValueError(
            f"{without:,} of {len(given):,} items of task {task!r} have no number of options; make them a "
            "task of their own."
        )
    for item, number in zip(first.items, given, strict=True):
        is_whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if number is None or not is_whole or not 1 <= number <= MOST_OPTIONS:
            raise ValueError(
                f"options must be a whole number from 1 to {MOST_OPTIONS:,}; found {shown(number)} for item "
                f"{shown(item)} of task {task!r}."
            )
    return np.array(given, dtype=np.int64)


def coded_as(kind: Kind, task: str, answered: Sequence[Answers], options: IntArray | None) -> Coded:
    """Number the answers of all models to the same items of a task of some kind."""
    if kind in {"lettered", "unlettered"} and options is None:
        raise ValueError(f"the kind of task {task!r} is named as {kind!r}, but its items have no options.")
    if kind == "lettered" and options is not None:
        return _lettered(task, answered, options)
    if kind == "unlettered":
        return Coded(answers=_within_items(answered))
    if kind == "none":
        return Coded()
    gold = _texts_of(answered[0], answered[0].gold)
    said = [_texts_of(of_model, of_model.said) for of_model in answered]
    right = [of_model.right for of_model in answered]
    if kind == "classes" or (
        _targets_are_answers(gold, said, right) if answered[0].score else None not in gold
    ):
        return _texts(gold, said)
    return _scored_right(said, right)


def _lettered(task: str, answered: Sequence[Answers], options: IntArray) -> Coded:
    first, numbers = answered[0], options.tolist()
    if first.offered[0] is not None:  # then answers are positions from 0
        names = None if None in first.gold else Positions(letters=False, first=0)
        texts = _shared([texts or () for texts in first.offered])
    else:
        said = list(itertools.chain.from_iterable(of_model.said for of_model in answered))
        names = positions_of(first.gold, said, options)
        texts = () if names is None else tuple(map(names.name, range(int(options.max()))))
    if names is None:
        return Coded(why=UNKNOWN)

    def what(index: int, whose: str) -> str:
        return f"the {whose} to item {shown(first.items[index])} of task {task!r}"

    places = placed(first.gold, numbers, names, partial(what, whose="right answer"))
    answers = [
        placed(of_model.said, numbers, names, partial(what, whose=f"answer of {of_model.model!r}"))
        for of_model in answered
    ]
    return Coded(places, np.stack(answers), _best_positions(places, options, texts))


def _shared(offered: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return what the options of all items are called: their texts, or where these differ their positions."""
    texts = max(offered, key=len)
    shared = all(options == texts[: len(options)] for options in offered)
    return texts if shared else Positions.names(len(texts))


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
    best = int(everywhere.argmax())
    return Best(Fraction(int(hits.max(axis=1).sum())), labels, int(everywhere[best]), texts[best], fewest)


def _texts_of(answers: Answers, values: Sequence[Any]) -> list[Any]:
    """Return values with the texts of options in place of their positions."""
    return [
        offered[value] if offered is not None and isinstance(value, int) else value
        for value, offered in zip(values, answers.offered, strict=True)
    ]


def _targets_are_answers(
    gold: Sequence[Any], said: Sequence[Sequence[Any]], right: Sequence[Sequence[float | None]]
) -> bool:
    """Whether every answer that was scored right is its item's target, and there is one."""
    accepted = list(map(accepted_answers, gold))
    accepted_ones = [
        answer in of_item
        for answers, of_model in zip(said, right, strict=True)
        for of_item, answer, is_right in zip(accepted, answers, of_model, strict=True)
        if is_right and answer is not None
    ]
    return bool(accepted_ones) and all(accepted_ones) and None not in gold


def accepted_answers(gold: Any) -> set[Any]:
    return set(gold) if isinstance(gold, tuple) else {gold}


def _texts(gold: Sequence[Any], said: Sequence[Sequence[Any]]) -> Coded:
    """Number right answers that are texts; an answer that is none of them is never right."""
    if None in gold:
        return Coded(why=UNKNOWN)
    accepted = Counter(answer for value in gold for answer in accepted_answers(value))
    best = _most_often(accepted)
    if any(isinstance(value, tuple) for value in gold):
        return Coded(best=best)
    number = {value: index for index, value in enumerate(accepted)}
    codes = np.array([number[value] for value in gold], dtype=np.int64)
    answers = np.array(
        [[number.get(value, NO_OPTION) for value in of_model] for of_model in said], dtype=np.int64
    )
    return Coded(codes, answers, best)


def _scored_right(said: Sequence[Sequence[Any]], right: Sequence[Sequence[float | None]]) -> Coded:
    """Return the answer that was scored right most often, by whichever model: a bound from below.

    Of items that nobody got right the right answer may be any. If each item has one, a model is right by
    chance at most as often as if all of these asked for what it says most.
    """
    right_texts: list[set[Any]] = [set() for _ in right[0]]
    for answers, of_model in zip(said, right, strict=True):
        for texts, answer, is_right in zip(right_texts, answers, of_model, strict=True):
            if is_right and answer is not None:
                texts.add(answer)
    hits = Counter(text for texts in right_texts for text in texts)
    if not hits and any(map(any, right)):
        return Coded(why=NO_TEXTS)
    unknown = sum(not texts for texts in right_texts)
    most = np.full(len(said), float(len(right_texts)))
    for index, answers in enumerate(said):
        if None not in answers:
            often = Counter(answers)
            by_chance = sum(times * hits[text] for text, times in often.items()) + unknown * max(
                often.values()
            )
            most[index] = min(by_chance / len(right_texts), len(right_texts))
    why = NOT_ANSWERS if hits else NOTHING_RIGHT
    return Coded(best=_most_often(hits), why=why, most_by_chance=most)


def _most_often(hits: Counter[Any]) -> Best:
    # Of several that are right as often the first in the alphabet, in whichever order they came.
    text, times = min(hits.items(), key=lambda pair: (-pair[1], str(pair[0])), default=("", 0))
    return Best(Fraction(times), ((0, str(text)),))


def _within_items(answered: Sequence[Answers]) -> IntArray:
    """Number the answers to each item, in the order of the models; one that was not given is `NO_OPTION`."""

    def numbered(answers: Iterable[Any]) -> list[int]:
        numbers: dict[Any, int] = {}
        return [
            NO_OPTION if answer in {None, ""} else numbers.setdefault(answer, len(numbers))
            for answer in answers
        ]

    of_items = zip(*(of_model.said for of_model in answered), strict=True)
    return np.array(list(map(numbered, of_items)), dtype=np.int64).T
