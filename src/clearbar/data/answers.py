"""Answers of models to items: what a score says of one, and those of each model to each task in columns."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from operator import eq
from string import ascii_lowercase, ascii_uppercase
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.query import TableQuery

# Words for right, wrong and partial credit: those of Inspect, and truth values as text.
_WORTH = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}

_DECIMAL = re.compile(r"[01]|0?\.\d{1,17}|[01]\.\d{0,17}")

# What values of JSON are called.
_WORDS = {dict: "an object", list: "a list", str: "text", int: "a whole number", type(None): "null"}


class Answer(NamedTuple):
    """What one model answered to one item.

    An answer that is not known is None, one that was not given is empty and wrong; `right` is None where
    there is nothing to judge, and a share where there is partial credit. Of several right answers to an open
    question `gold` is a tuple; it is None where no right answer is known.
    """

    item: Any
    gold: Any
    answer: Any
    options: int | None  # None for an open question
    right: float | None
    cluster: Any = None
    offered: tuple[str, ...] | None = None  # the texts whose likelihoods were compared
    tied: bool = False  # whether several options share the largest likelihood


@dataclass(frozen=True, eq=False)
class Answers:
    """What one model answered to the items of one task: a column for each field of `Answer`."""

    model: str
    task: str
    score: str  # the metric or scorer; empty where an answer is right if it equals `gold`
    items: Sequence[Any]
    gold: Sequence[Any]
    said: Sequence[Any]
    options: Sequence[int | None]
    right: Sequence[float | None]
    clusters: Sequence[Any]
    offered: Sequence[tuple[str, ...] | None]
    tied: Sequence[bool]

    @classmethod
    def scored(
        cls, model: str, task: str, scores: Sequence[float], clusters: Sequence[Any] | None = None
    ) -> Answers:
        """Return scores of items in their order, of which nothing else is known."""
        unknown = [None] * len(scores)
        held = unknown, unknown, unknown, scores, unknown if clusters is None else clusters, unknown
        return cls(model, task, "", range(len(scores)), *held, [False] * len(scores))

    @classmethod
    def of(cls, model: str, task: str, rows: Iterable[Answer], score: str = "") -> Answers:
        columns: Any = map(list, zip(*rows, strict=True))
        return cls(model, task, score, *columns)

    def __len__(self) -> int:
        return len(self.items)

    def in_clusters(self, path: str, field: str | None, clusters: Sequence[str | None]) -> Answers:
        """Return the answers with the clusters that a field names; as they are where no item has it."""
        lacking = clusters.count(None)
        if lacking == len(clusters):
            return self
        if lacking:
            raise ValueError(
                f"{lacking:,} of {len(clusters):,} items of {path} have no {field!r}, which says which items "
                "belong together."
            )
        return replace(self, clusters=clusters)

    def of_items(self, items: Sequence[Any]) -> Answers:
        """Return the answers to these items, in their order."""
        if list(items) == list(self.items):
            return self
        place = {item: index for index, item in enumerate(self.items)}
        places = [place[item] for item in items]
        columns: Any = {
            field.name: list(map(getattr(self, field.name).__getitem__, places)) for field in fields(self)[3:]
        }
        return replace(self, **columns)


def right_answers(texts: Iterable[str]) -> Any:
    """Return the right answer to an open question: a text, a tuple of several, None for none."""
    several = tuple(dict.fromkeys(text for text in texts if text))
    return several if len(several) > 1 else several[0] if several else None


_SEQUENCES = (
    *([*ascii_uppercase], [*ascii_lowercase]),
    *([str(number) for number in range(first, 100)] for first in (0, 1)),
)


def in_sequence(names: Sequence[str]) -> bool:
    """Whether names are A, B, C … or 1, 2, 3 …, in this order."""
    return len(names) > 1 and any(list(names) == row[: len(names)] for row in _SEQUENCES)


def likeliest(likelihoods: Any) -> tuple[int, bool]:
    """Return the first of the likeliest options, and whether there are several."""
    numbers = np.array(likelihoods, dtype=np.float64)
    return int(np.argmax(numbers)), int(np.count_nonzero(numbers == numbers.max())) > 1


def refuse_other_fields(
    where: str, record: Any, types: Mapping[str, tuple[type, ...]], needed: Sequence[str] = ()
) -> None:
    if not isinstance(record, dict):
        raise ValueError(f"{where} is {shown(record)}, where an object with fields belongs.")
    lacking = [name for name in needed if name not in record]
    if lacking:
        raise ValueError(f"{where} lacks {listed(map(repr, lacking))}.")
    for name, kinds in types.items():
        if name in record and not isinstance(record[name], kinds):
            wanted = " or ".join(_WORDS[kind] for kind in kinds)
            raise ValueError(f"{name!r} of {where} is {shown(record[name])}; {wanted} belongs there.")


def cluster_of(data: Any, field: str | None) -> str | None:
    """Return what a field of an item's own data holds, such as its passage: one text for all items."""
    value = data.get(field) if field is not None and isinstance(data, Mapping) else None
    return None if value is None else sys.intern(str(value))


def chosen_score(path: str, names: Sequence[str], wanted: Sequence[str], usual: Sequence[str] = ()) -> str:
    """Return the score to read: the first that is wanted, or else usual, or the only one."""
    for name in (*wanted, *usual):
        if name in names:
            return name
    if len(names) == 1:
        return names[0]
    if not names:
        raise ValueError(f"{path} holds answers without a score.")
    others = f", not {listed(map(shown, wanted), last='or')}" if wanted else ""
    raise ArgumentError(
        "",
        f"{path} scores each answer by {listed(map(repr, names))}{others}, of which one must say whether it "
        "is right; ",
        f"name it, such as metric={names[0]!r}.",
        "metric",
        names[:1],
    )


def refuse_unknown(argument: str, wanted: Sequence[str], named: Sequence[str]) -> None:
    for name in wanted:
        if name not in named:
            has = f"which have {listed(map(repr, named))}" if named else "which name none"
            raise ArgumentError(argument, f" {shown(name)} is in none of the logs, {has}.")


def right_or_wrong(path: str, item: Any, score: str, value: Any) -> float | None:
    """Return 1 for a right answer, 0 for a wrong one, a share for partial credit; None if not scored."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        word = value.casefold()
        value = _WORTH.get(word, float(word) if _DECIMAL.fullmatch(word) else value)
    if isinstance(value, (bool, int, float)) and 0 <= value <= 1:
        return float(value)
    raise ArgumentError(
        "",
        f"{score!r} of item {shown(item)} of {path} is {shown(value)}; answers are judged as right (1), "
        "wrong (0) or a share between them; ",
        "name another score with metric.",
        "metric",
        ["NAME"],
    )


Kind = Literal["lettered", "classes", "unlettered", "free", "none"]
KINDS: tuple[Kind, ...] = get_args(Kind)


LETTERS = len(ascii_uppercase)  # options that have a letter; harnesses call those beyond by numbers from 1
NO_OPTION = -1  # the position of an answer that was not given, or that is not known
_NUMBER = re.compile(r"\d{1,15}")  # longer ones are no positions, and may be no int64


class Positions(NamedTuple):
    """How the options of a task are called, and where a name stands."""

    letters: bool
    first: int  # the number of the first option

    def of(self, value: Any) -> int | None:
        """Return where a name stands; None if it is none."""
        if value is None or (isinstance(value, str) and not value):
            return NO_OPTION
        if self.letters:
            return ascii_uppercase.index(value.upper()) if _is_letter(value) else None
        number = _number(value)
        return None if number is None or number < self.first else number - self.first

    def name(self, position: int) -> str:
        return chr(ord("A") + position) if self.letters else str(position + self.first)

    @classmethod
    def names(cls, number: int) -> tuple[str, ...]:
        """Return what so many options are called: letters, or numbers where these are too few."""
        called = cls(letters=number <= LETTERS, first=1)
        return tuple(map(called.name, range(number)))


def positions_of(gold: Sequence[Any], answers: Sequence[Any], options: IntArray) -> Positions | None:
    """Return how the options are called, going by the right answers; None if these are no positions."""
    if any(value is None or isinstance(value, tuple) for value in gold):
        return None
    if all(map(_is_letter, gold)):
        return Positions(letters=True, first=0)
    numbers = [_number(value) for value in gold]
    if any(number is None for number in numbers):
        return None
    given = np.array(numbers, dtype=np.int64)
    if (given < 1).any():
        return Positions(letters=False, first=0)
    said = {_number(value) for _, value in set(zip(map(type, answers), answers, strict=True))}
    from_one = 0 not in said and (bool((given == options).any()) or options.max() in said)
    return Positions(letters=False, first=int(from_one))


def placed(
    values: Sequence[Any], options: Sequence[int], names: Positions, what: Callable[[int], str]
) -> IntArray:
    """Return where names stand; raise at the first that stands for none of the options, `what` it is."""
    if not names.letters and set(map(type, values)) == {int}:  # as most are
        numbers = np.array(values, dtype=object) - names.first
        if ((numbers >= 0) & (numbers < np.array(options))).all():
            return numbers.astype(np.int64)
    places = []
    for index, (value, number) in enumerate(zip(values, options, strict=True)):
        place = names.of(value)
        if place is None or place >= number:
            raise ValueError(
                f"{what(index)} is {shown(value)}, outside its {number} options ({names.name(0)} to "
                f"{names.name(number - 1)}); an answer that was not given is an empty text."
            )
        places.append(place)
    return np.array(places, dtype=np.int64)


def _is_letter(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 1 and value.isascii() and value.isalpha()


def same(gold: Any, answer: Any) -> bool:
    """Whether two names of options are the same: letters in any case, numbers of any type."""
    if _is_letter(gold) and _is_letter(answer):
        return bool(gold.upper() == answer.upper())
    number = _number(gold)
    return bool(gold == answer) or (number is not None and number == _number(answer))


def _number(value: Any) -> int | None:
    if type(value) is int:
        return value if abs(value) < 10**15 else None
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (float, np.floating)):
        value = int(value) if float(value).is_integer() else None
    if isinstance(value, (int, np.integer)):
        return int(value) if abs(int(value)) < 10**15 else None
    return int(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else None


def read_answers(frame: Any, query: TableQuery) -> tuple[list[Answers], int]:
    """Return the answers in a table, or the scores of items, and how many rows lack something."""
    from clearbar.data.tables import column_values

    scored = query.y_true is None
    columns, left_out = column_values(frame, query, () if scored else (*query.models, "o"))
    length = len(columns[query.models[0]])
    nothing, tasks = [None] * length, _task_names(columns, query, length)
    options, clusters = columns.get("o", nothing), columns.get("c", nothing)
    if not scored:
        _refuse_other_kinds(columns, query, options)
    if float in set(map(type, options)):  # tables hold what may be missing as floats
        options = [
            int(number) if isinstance(number, float) and number.is_integer() else number for number in options
        ]
    answers: list[Answers] = []
    for name, model in zip(query.models, query.y_pred, strict=True):
        models = [model] * length if query.model is None else list(map(str, columns["m"]))
        if scored:
            held: Any = nothing, nothing, nothing, list(map(float, columns[name])), clusters
        else:
            right = _right(columns["t"], columns[name], options)
            held = columns["t"], columns[name], options, right, clusters
        answers += _parted(models, tasks, columns.get("i"), held, model if scored else "")
    return answers, left_out


def _task_names(columns: Mapping[str, Sequence[Any]], query: TableQuery, length: int) -> list[str]:
    """Return the task of each row: the values of all columns of slices, or no name."""
    slices = [list(map(str, columns[name])) for name in query.slices]
    tasks = slices[0] if len(slices) == 1 else list(map(", ".join, zip(*slices, strict=True)))
    return tasks or [""] * length


def _parted(
    models: Sequence[str],
    tasks: Sequence[str],
    items: Sequence[Any] | None,
    held: Sequence[Sequence[Any]],
    score: str = "",
) -> Iterator[Answers]:
    """Yield the rows of each model and task, whose items are numbered as they come where none are named."""
    pairs = list(zip(models, tasks, strict=True))
    places = {pair: place for place, pair in enumerate(dict.fromkeys(pairs))}
    codes = np.fromiter(map(places.__getitem__, pairs), dtype=np.int64, count=len(pairs))
    order, unknown = np.argsort(codes, kind="stable").tolist(), [None] * len(pairs)
    columns = (unknown if items is None else items, *held, unknown, [False] * len(order))
    sorted_columns = [list(map(column.__getitem__, order)) for column in columns]
    start = 0
    for (of_model, task), size in zip(places, np.bincount(codes).tolist(), strict=True):
        parts: Any = [column[start : start + size] for column in sorted_columns]
        if items is None:
            parts[0] = list(range(1, size + 1))
        yield Answers(of_model, task, score, *parts)
        start += size


def _right(gold: Sequence[Any], answers: Sequence[Any], options: Sequence[int | None]) -> list[bool | None]:
    """Return which answers are the right ones; None where none is known."""
    if set(map(type, gold)) == set(map(type, answers)) == {int}:  # most are
        return list(map(eq, gold, answers))
    return [
        None if answer is None else same(right, answer) if number is not None else right == answer
        for right, answer, number in zip(gold, answers, options, strict=True)
    ]


def _refuse_other_kinds(
    columns: Mapping[str, Sequence[Any]], query: TableQuery, options: Sequence[Any]
) -> None:
    def kinds(name: str) -> set[str]:
        values = {value for value, number in zip(columns[name], options, strict=True) if number is None}
        return {"text" if isinstance(value, str) else "numbers" for value in values - {None, ""}}

    if None not in options:
        return
    right = kinds("t")
    for said, name in zip(query.models, query.y_pred, strict=True):
        given = kinds(said)
        if right and given and right.isdisjoint(given):
            raise ValueError(
                f"y_true (column {query.y_true!r}) holds {min(right)} but y_pred (column {name!r}) holds "
                f"{min(given)}, so that no answer would be right; make both text."
            )
