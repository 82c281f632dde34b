"""Data of tasks before any run: the items of a file, what each offers and which answer is right.

Files as benchmarks publish them: JSON lines of llm-foundry and AGIEval, BIG-bench's and BIG-Bench-Hard's
JSON, logs of harnesses, tables with a column of answers and one or more of options.
"""

from __future__ import annotations

import ast
import json
import math
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

import numpy as np

from clearbar.core.errors import ArgumentError, listed, shown
from clearbar.data.answers import Answer, Answers, Kind, Positions, in_sequence, positions_of, right_answers
from clearbar.data.files import PACKED_ENDINGS, TABLE_ENDINGS, Csv, Parquet, files_of
from clearbar.data.helm_logs import STATE
from clearbar.data.lighteval_logs import NAME as DETAILS
from clearbar.data.logs import SAMPLES, answers_in, read_json

SCORES = "target_scores"  # of BIG-bench: each option with what it scores
OPTIONS = ("choices", "options", "endings", "context_options")
ANSWERS = ("gold", "answer", "answerKey", "label", "target", "correct", "gold_label", "continuation")
PROMPTS = ("query", "context", "input", "question", "Question", "prompt", "text")
"""What the fields of an item are called: the first that has a value."""

RECORDS = ("examples", "example", "data", "questions", "items")
"""Under what name a JSON document holds its items."""

PROGRAMS = {"canonical_solution", "test_inputs", "entry_point"}  # of items whose answers are programs

_LABEL = re.compile(r"\(?(?P<letter>[A-Z])[).:、．](?P<text>.*)", re.DOTALL)
_LETTER = re.compile(r"\(?([A-Za-z])\)?[.:]?")
_SET = re.compile(r"[A-Z]([ ,]*[A-Z])+")
_BULLET = re.compile(r"^- (.*?)\s*$", re.MULTILINE)
_LETTERED_LINE = re.compile(r"^\(([A-Z])\)", re.MULTILINE)
_NUMBERED = re.compile(r"(?P<prefix>[A-Za-z_]*?)_?(?P<number>[0-9]|[A-J])")
_SOLUTION = "####"  # the answer stands behind it, below a worked solution


class Item(NamedTuple):
    """One item: its options, called by texts, and which are right, by position or as texts."""

    options: tuple[str, ...] | None
    number: int | None  # of options
    given: Any  # the right answer as it stands in the file
    right: Any  # a position, or a name that is read as one; a text, or several, where nothing is offered
    shown: bool  # whether the options stand under letters where a model sees them


class TaskData(NamedTuple):
    """The items of one task as answers of nobody, or those of models where a log holds them."""

    name: str
    answers: list[Answers]
    kind: Kind | None = None  # None: to be recognised
    why: str = ""  # why no answer is the right one
    note: str = ""  # what is odd about its items


def read_tasks(
    paths: Any,
    *,
    options: Sequence[str] = (),
    answer: str | None = None,
    metrics: Sequence[str] = (),
    wanted: str | None = None,
) -> list[TaskData]:
    """Return the tasks in files, or in all files of a folder that could hold some, by their names."""
    tasks: dict[str, TaskData] = {}
    places: dict[str, str] = {}
    for path in (file for named in files_of(paths) for file in _inside(named)):
        document = _document(path)
        if document is None:  # a log
            answers = answers_in(path, metrics, wanted)
            task = TaskData(answers.task, [answers])
        else:
            task = _task_of_file(path, document, options, answer)
        if task.name in tasks and not _same_run(tasks[task.name], task):
            raise ValueError(
                f"{places[task.name]} and {path} both hold the task {task.name!r}; name one of them."
            )
        before = tasks[task.name].answers if task.name in tasks else []
        tasks[task.name] = task._replace(answers=[*before, *task.answers])
        places[task.name] = path
    return list(tasks.values())


def _same_run(first: TaskData, second: TaskData) -> bool:
    """Tell whether two files are logs of two models that were asked the same task."""
    models = [{answers.model for answers in task.answers} for task in (first, second)]
    return all(map(all, models)) and models[0].isdisjoint(models[1])


def _inside(path: str) -> list[str]:
    if not os.path.isdir(path):  # noqa: PTH112 - as typed
        return [path]
    endings = (".json", ".eval", *(end for end in TABLE_ENDINGS if end not in PACKED_ENDINGS))
    inside = [
        file for file in sorted(Path(path).rglob("*")) if file.name.removesuffix(".gz").endswith(endings)
    ]
    # Beside logs stand totals and scores, which are no items.
    logs = {file for file in inside if file.name == STATE or SAMPLES.fullmatch(file.name)}
    folders = {file.parent for file in logs}
    inside = [file for file in inside if file in logs or file.parent not in folders]
    if not inside:
        raise ValueError(
            f"{path} is a folder without task data: JSON, JSON lines, CSV, Parquet, or logs of a harness."
        )
    return list(map(str, inside))


def _task_of_file(path: str, document: Sequence[Any], options: Sequence[str], answer: str | None) -> TaskData:
    name = _stem(path)
    if not document or not all(isinstance(record, dict) for record in document):
        raise ValueError(f"{path} holds no items: a record for each belongs there.")
    if all(record.keys() >= PROGRAMS for record in document):
        return _without_answers(name, len(document), "its answers are programs, which are run")
    columns = _columns(path, document, options, answer)
    return _task(path, name, [_item(record, *columns) for record in document])


def _stem(path: str) -> str:
    stem = os.path.basename(path)  # noqa: PTH119
    for ending in (".gz", ".zst", ".json", ".eval", *TABLE_ENDINGS):
        stem = stem.removesuffix(ending)
    return stem


def _document(path: str) -> list[Any] | None:
    """Return the records of a file; None if it is a log of a harness."""
    if path.endswith(".eval") or DETAILS.fullmatch(os.path.basename(path)):  # noqa: PTH119
        return None
    if path.removesuffix(".gz").removesuffix(".zst").endswith((*Csv.endings[:-1], *Parquet.endings)):
        from clearbar.data.file_tables import rows_of_file

        return rows_of_file(path)
    document = read_json(path)
    if isinstance(document, dict):
        held = (document[name] for name in RECORDS if isinstance(document.get(name), list))
        return next(held, [document])
    return None if document is None else [*document] if isinstance(document, list) else []


def _columns(
    path: str, records: Sequence[dict[str, Any]], options: Sequence[str], answer: str | None
) -> tuple[tuple[str, ...], str]:
    """Return which fields hold the options of an item, and its right answer."""
    fields = dict.fromkeys(name for record in records for name, value in record.items() if value is not None)
    for name in (*options, *([] if answer is None else [answer])):
        if name not in fields:
            raise ValueError(f"{path} has no column {shown(name)}; found {listed(map(shown, fields))}.")
    if SCORES in fields and not options and answer is None:
        return (SCORES,), SCORES
    spellings = dict.fromkeys(spelt for name in ANSWERS for spelt in (name, name.capitalize()))
    right = answer or next((name for name in spellings if name in fields), None)
    if right is None:
        raise ArgumentError(
            "",
            f"{path} names no right answers: found {listed(map(shown, fields), most=6)}; ",
            "name their column with answer.",
            "answer",
        )
    if options:
        return tuple(options), right
    single = next((name for name in OPTIONS if name in fields and name != right), None)
    return ((single,) if single else _numbered(fields, right)), right


def _numbered(fields: Mapping[str, Any], right: str) -> tuple[str, ...]:
    """Return columns that are numbered from one on and hold an option each: A to D, ending0 to ending3."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for name in fields:
        if name != right and (match := _NUMBERED.fullmatch(name)):
            groups.setdefault(match["prefix"], []).append((match["number"], name))
    for columns in groups.values():
        if in_sequence([number for number, _ in columns]):
            return tuple(name for _, name in columns)
    return ()


def _item(record: Mapping[str, Any], columns: Sequence[str], right: str) -> Item:
    answer = record.get(right)
    prompt = next((str(record[name]) for name in PROMPTS if record.get(name) is not None), "")
    if len(columns) > 1:
        given = [record.get(name) for name in columns]
        return _offered([str(value) for value in given if value is not None and value != ""], answer, prompt)
    if columns:
        return _of_one_field(record.get(columns[0]), answer, prompt)
    return _in_prompt(prompt, record, answer)


def _of_one_field(value: Any, answer: Any, prompt: str) -> Item:
    if isinstance(value, str):
        value = _literal(value)
    if isinstance(value, dict):
        if all(isinstance(score, (int, float)) for score in value.values()):  # BIG-bench: text to score
            right = [text for text, score in value.items() if score == 1]
            partial = [text for text, score in value.items() if score not in {0, 1}]
            return _offered(list(value), tuple(right) if len(right) != 1 or partial else right[0], prompt)
        texts = value.get("text")
        if isinstance(texts, list):  # with their labels, as of ARC
            labels = value.get("label") or []
            answer = labels.index(answer) if answer in labels else answer
            return _offered([str(text) for text in texts], answer, prompt)
        return _offered([f"({label}) {text}" for label, text in value.items()], answer, prompt)
    if isinstance(value, list):
        return _offered([str(text) for text in value], answer, prompt)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and float(value).is_integer():
        return Item(None, int(value), answer, _name(answer), shown=True)
    return Item(None, None, answer, _texts(answer), shown=False)


def _offered(texts: Sequence[str], answer: Any, prompt: str) -> Item:
    """Return an item with options: how they are shown, and the position of the right one."""
    labels = [_LABEL.fullmatch(text.strip()) for text in texts]
    lettered = in_sequence([label["letter"] if label else "" for label in labels])
    plain = [text.strip() for text in texts]
    if lettered:
        plain = [label["text"].strip() for label in labels if label is not None]
    if isinstance(answer, str) and answer.startswith("[") and isinstance(_literal(answer), list):
        answer = _literal(answer)
    if isinstance(answer, (list, tuple)):
        answer = answer[0] if len(answer) == 1 else tuple(map(str, answer))
    if isinstance(answer, str) and plain.count(answer.strip()) == 1:
        right: Any = plain.index(answer.strip())
    elif isinstance(answer, str) and _SET.fullmatch(answer.strip()):
        right = tuple(re.findall("[A-Z]", answer))
    else:
        right = answer if isinstance(answer, tuple) else _name(answer)
    return Item(tuple(plain), len(plain), answer, right, lettered or _under_letters(plain, prompt))


def _under_letters(texts: Sequence[str], prompt: str) -> bool:
    """Tell whether the prompt shows the options one after the other, each behind its letter."""
    place = 0
    for letter, text in zip(ascii_uppercase, texts, strict=False):
        match = re.compile(rf"\(?{letter}[).:] ?{re.escape(text)}").search(prompt, place)
        if match is None:
            return False
        place = match.end()
    return len(texts) > 1


def _in_prompt(prompt: str, record: Mapping[str, Any], answer: Any) -> Item:
    """Return an item whose options stand in its prompt, below a line that says so, or that has none."""
    _, line, below = prompt.rpartition("\nOptions:\n")
    letters = _LETTERED_LINE.findall(below) if line else []
    if letters and letters == [*ascii_uppercase[: len(letters)]]:
        named = _LETTER.fullmatch(str(answer).strip())
        return Item(None, len(letters), answer, named[1].upper() if named else "", shown=True)
    texts = _BULLET.findall(below) if line else []
    if len(texts) > 1:
        return _offered(texts, answer, "")
    return Item(None, None, answer, _texts(answer, record.get("aliases")), shown=False)


def _literal(text: str) -> Any:
    """Return the value that a cell of text stands for: a list, a number, or the text itself."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return text


def _name(answer: Any) -> Any:
    """Return what an option is called: its letter, its number, or nothing."""
    if isinstance(answer, (int, np.integer)):
        return int(answer)
    if isinstance(answer, float) and answer.is_integer():
        return int(answer)
    text = str(answer).strip() if answer is not None else ""
    letter = _LETTER.fullmatch(text)
    return letter[1].upper() if letter else int(text) if text.isdecimal() else ""


def _texts(answer: Any, aliases: Any = None) -> Any:
    """Return the right answer to an open question, a tuple of several, None where there is none."""
    given = [*(answer if isinstance(answer, list) else [answer]), *(aliases or ())]
    return right_answers(str(text).rpartition(_SOLUTION)[2].strip() for text in given if text is not None)


def _task(path: str, name: str, items: Sequence[Item]) -> TaskData:
    """Return a task: its options called by letters where these are shown, else by their texts."""
    _refuse_no_options(path, items)
    offering = [item for item in items if item.number]
    if len(offering) < len(items) and offering:
        raise ValueError(
            f"{len(items) - len(offering):,} of {len(items):,} items of {path} have no options; make them a "
            "task of their own."
        )
    if not offering:
        return _data(name, [_row(place, item.right) for place, item in enumerate(items)])
    if any(isinstance(item.right, tuple) for item in items):
        return _several_right(name, items)
    numbers = np.array([item.number for item in items], dtype=np.int64)
    rights = [item.right for item in items]
    names = positions_of(
        [right for right in rights if right != ""], (), numbers[[right != "" for right in rights]]
    )
    by_letter = any(isinstance(right, str) and right for right in rights)
    lettered = by_letter or all(item.shown for item in items)
    places = [_place(path, index, item, names) for index, item in enumerate(items)]
    rows = []
    for index, (item, place) in enumerate(zip(items, places, strict=True)):
        number = int(item.number or 0)
        called = Positions.names(number) if lettered or item.options is None else item.options
        rows.append(_row(index, "" if place is None else place, number, called))
    outside = places.count(None)
    if 2 * outside > len(items):
        example = shown(items[places.index(None)].given)
        raise ValueError(f"the right answers in {path} are none of the options: found {example}.")
    note = f"{outside:,} of {len(items):,} items of {name} have a right answer that is none of their options."
    return _data(name, rows, note=note if outside else "")


def _refuse_no_options(path: str, items: Sequence[Item]) -> None:
    """Raise where options belong: an answer that is a text needs none, a position or a letter does."""
    for index, item in enumerate(items, 1):
        named = not isinstance(item.given, str) or _LETTER.fullmatch(item.given.strip())
        if item.options == () and item.given is not None and named:
            raise ValueError(
                f"item {index:,} of {path} has an empty list of options, while its right answer is "
                f"{shown(item.given)}; list the options of which that is one."
            )


def _place(path: str, index: int, item: Item, names: Any) -> int | None:
    """Return the position of the right option; None where it is none of them."""
    right = item.right
    if right == "":
        return None
    if isinstance(right, str):
        place = ascii_uppercase.index(right)
    else:
        place = int(right) - (0 if names is None else names.first)
    if not 0 <= place < int(item.number or 0):
        raise ValueError(
            f"the right answer to item {index + 1:,} of {path} is {shown(right)}, outside its {item.number} "
            "options."
        )
    return place


def _several_right(name: str, items: Sequence[Item]) -> TaskData:
    """Return a task of which several options can be right: its answers are sets of letters."""
    sets = []
    for item in items:
        right = item.right if isinstance(item.right, tuple) else (item.right,)
        right = tuple(
            ascii_uppercase[letter : letter + 1] if isinstance(letter, int) else letter for letter in right
        )
        sets.append("".join(text for text in right if isinstance(text, str) and re.fullmatch("[A-Z]", text)))
    if any(item.right and not letters for item, letters in zip(items, sets, strict=True)):
        return _without_answers(name, len(items), "several of its options are right, or partly right")
    note = f"{name}: an answer is a set of letters, since several options can be right."
    return _data(name, [_row(index, letters) for index, letters in enumerate(sets)], note=note)


def _without_answers(name: str, items: int, why: str) -> TaskData:
    return _data(name, [_row(index, None) for index in range(items)], "none", why)


def _row(index: int, gold: Any, options: int | None = None, offered: tuple[str, ...] | None = None) -> Answer:
    return Answer(index, gold, None, options, right=0.0, offered=offered)


def _data(
    name: str, rows: Sequence[Answer], kind: Kind | None = None, why: str = "", note: str = ""
) -> TaskData:
    """Return the items of a task as answers of nobody."""
    return TaskData(name, [Answers.of("", name, rows)], kind, why, note)


def positions(answers: Answers) -> dict[int, list[int]]:
    """Count the right answers by the number of options and their position; logs may not tell all."""
    counts: dict[int, list[int]] = {}
    for gold, options, offered in zip(answers.gold, answers.options, answers.offered, strict=True):
        if options is not None and isinstance(gold, int) and offered is not None:
            counts.setdefault(options, [0] * options)[gold] += 1
    return dict(sorted(counts.items()))


def read_published(given: Any) -> dict[str, float]:
    """Return printed baselines by task: shares, or percentages if one is above 1."""
    printed = given if isinstance(given, Mapping) else _printed_in(os.fspath(given))
    where = "published" if isinstance(given, Mapping) else f"the baselines in {given}"
    shares = {}
    for name, value in printed.items():
        try:
            share = float(value)
        except (TypeError, ValueError):
            share = math.nan
        if not 0 <= share <= 100:
            raise ValueError(
                f"{where} must be shares from 0 to 1 or percentages; found {shown(value)} for {shown(name)}."
            )
        shares[str(name)] = share
    percent = any(share > 1 for share in shares.values())
    return {name: share / 100 if percent else share for name, share in shares.items()}


def _printed_in(path: str) -> Mapping[Any, Any]:
    document = _document(path)
    names = _spelt(document[0]) if document else {}
    task = next((names[name] for name in ("eval task", "task", "name", "label") if name in names), None)
    value = next((names[name] for name in names if name in _BASELINE), None)
    if document and task is not None and value is not None:
        rows = [row for row in document if isinstance(row, dict) and row.get(value) is not None]
        return {row.get(task): row[value] for row in rows}
    if document and len(document) == 1 and names and path.endswith((".json", ".json.gz")):
        return dict(document[0])
    raise ValueError(
        f"{path} needs a column of tasks ('task') and one of their printed baselines ('baseline'); "
        f"found {listed(map(shown, names.values())) or 'none'}."
    )


_BASELINE = {"baseline", "random baseline", "random_baseline", "random guess", "chance", "published"}


def _spelt(record: Any) -> dict[str, str]:
    return {str(name).strip().casefold(): name for name in record} if isinstance(record, dict) else {}
