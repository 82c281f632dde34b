"""What is wrong, as the command line says it: options for arguments, what to type for code."""

from __future__ import annotations

import argparse
import math
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core.errors import ArgumentError, listed, nearest
from clearbar.core.reasons import NoBar

if TYPE_CHECKING:
    from clearbar.data.query import MissingColumnError
    from clearbar.scorecard import Scorecard


class UsageError(ValueError):
    """What was typed is not a command."""


_RIGHT = {
    "labels": "Turn it into labels first.",
    "two classes": "Turn it into one class against the rest first, or leave out --pos-label and judge all "
    "classes.",
    "one class": "Turn it into one class against the rest first, and name the column of that class's scores.",
    "numbers": "Numbers are judged by a measure of them, such as --measure mae.",
    "both kinds": "name measures of labels and of scores, as in --measure f1 roc_auc.",
    "one card": "judge each kind in a call of its own, or name columns with both --y-pred and --y-score.",
    "probabilities": "Name columns of probabilities, or judge by --measure roc_auc average_precision.",
    "threshold": "name their columns with --y-score, or if they are probabilities, add --threshold 0.5.",
    "nulls": "add --nulls drop to leave those rows out.",
    "filter": "name one with --filter.",
    "metric": "name one with --metric.",
    "answer": "name their column with --answer.",
    "allow_partial": "add --allow-partial to judge what is there.",
    "positives": "add --positives or --prevalence.",
    "answers": "of a table of answers name the columns with --y-true, --y-pred and --by.",
}
"""What would be right, by the name under which an error has it."""

_OPTIONS = {"measures": "measure"}  # arguments of which the option has another name

_COLUMNS = {
    "binary": "name columns of labels with --y-pred, or probabilities there and add --threshold 0.5",
    "scores": "name columns of scores with --y-score",
}
"""What measures of another kind judge, by that kind."""

_POLICIES = "--undefined worst or --undefined 0"  # what gives outcomes without a value one


def in_options(error: BaseException) -> str:
    if not isinstance(error, ArgumentError):
        return str(error)
    name = _OPTIONS.get(error.argument, error.argument)
    argument = f"--{name.replace('_', '-')}" if name.isidentifier() else name
    return f"{argument}{error.found}{_right(error)}"


def _right(error: ArgumentError) -> str:
    if error.mends == "pos_label":
        options = (f"--pos-label {shlex.quote(str(label))}" for label in error.values)
        return f"Pass {listed(options, last='or')}."
    if error.mends == "measure":
        return f"--measure {shlex.quote(str(error.values[0]))}."
    if error.mends == "kind" and error.values[0] in _COLUMNS:
        return f"{_COLUMNS[error.values[0]]}{error.values[1]}."
    if error.mends == "same labels":
        return str(error.values[0])
    if error.mends == "measures":
        return "`clearbar measures` lists all there are."
    return _RIGHT.get(error.mends, error.right)


def reason_in_options(reason: Any) -> Any:
    """Return why there is no value, with the policies that give one as options."""
    return reason.with_policies(_POLICIES) if isinstance(reason, NoBar) else reason


def card_in_options(card: Scorecard) -> Scorecard:
    """Return a scorecard whose reasons name options."""
    reasons, missing = card.columns["reason"].astype(object), np.isnan(card.columns["bar"])
    reasons[missing] = [reason_in_options(reason) for reason in reasons[missing]]
    return replace(card, columns={**card.columns, "reason": reasons})


MOST_TYPED = 200  # characters of what is proposed to type: nobody types more, and what is cut does not work
# What people call the column of true labels.
_TRUTHS = ("y_true", "y", "label", "labels", "target", "truth", "true", "actual", "class", "outcome")

_BESIDE = ("model", "fold", "weight", "clusters")  # options that name one column, besides that of true labels


def example(options: argparse.Namespace, path: str, columns: tuple[str, ...]) -> str:
    """Return a command that names the columns that were not named; empty where that would be a guess."""
    from clearbar.data.file_tables import first_values

    values, free = first_values(path), _free(columns, options)
    of_scores, models = bool(options.y_score), options.y_pred or options.y_score or []
    cut = options.threshold is not None  # then --y-pred names columns of scores
    if of_scores and cut:
        return ""
    models = [name for name in models if columns.count(name) == 1]
    truths = [options.y_true] if columns.count(options.y_true) == 1 else _likely_truths(free)
    if not truths and models and not of_scores and not cut:
        truths = _only(_alike(models[0], free, values))
    if not truths:
        return ""
    truth = truths[0]
    position = columns.index(truth)
    behind = [*columns[position + 1 :], *columns[:position]]  # where predictions mostly stand
    behind = [name for name in behind if name in free and name != truth]
    needed = max(2 if options.command == "compare" else 1, len(models))
    labels, scores = _alike(truth, behind, values), _scores(behind, values)
    if not of_scores and not cut:
        of_scores = _is_score(models[0], values) if models else len(labels) < needed
    named = list(dict.fromkeys([*models, *(scores if of_scores or cut else labels)]))[:needed]
    if len(named) < needed:
        return ""
    words = [
        shlex.quote(path),
        _named("--y-true", truth),
        _named("--y-score" if of_scores else "--y-pred", *named),
    ]
    words += [f"--threshold {options.threshold:g}"] if cut else []
    typed = " ".join(["clearbar", options.command, *words])
    return f" For example {typed}" if len(typed) <= MOST_TYPED else ""


def without_names(path: str, columns: Collection[str]) -> str:
    """Say what to do about a file whose first line may be data: one that names all columns by numbers."""
    from clearbar.data.files import inspect

    if inspect(path).format.typed or not columns or any(_number(name) is None for name in columns):
        return ""
    return " The first line names the columns; if it is data, put a line of names before it."


def suggested(error: MissingColumnError, options: argparse.Namespace) -> str:
    """Return the option with the column that was probably meant, as a question."""
    from clearbar.data.file_tables import first_values
    from clearbar.data.files import files_of

    models = options.y_pred or options.y_score
    free = _free(error.columns, options)
    near = nearest(error.column, free, most=1) or _only_with(error.column, free)
    option = ("--y-score" if options.y_score else "--y-pred") if error.column in models else "--by"
    for name in (*_BESIDE, "y_true"):
        option = f"--{name.replace('_', '-')}" if getattr(options, name) == error.column else option
    if option in {"--y-true", "--y-pred", "--y-score"}:
        alone = len(files_of(options.files)) == 1  # of several files another one lacks what this one has
        option, near = _of_labels(option, near, free, options, first_values(error.path) if alone else {})
    meant = _named(option, near[0]) if near else ""
    if 0 < len(meant) <= MOST_TYPED:
        return f" Did you mean {meant}?"
    return without_names(error.path, error.columns)


def _free(columns: Sequence[str], options: argparse.Namespace) -> list[str]:
    used = {options.y_true, *(options.y_pred or ()), *(options.y_score or ()), *(options.by or ())}
    used |= {getattr(options, name) for name in _BESIDE}
    return [name for name, often in Counter(columns).items() if often == 1 and name not in used]


def _named(option: str, *columns: str) -> str:
    """Return an option with its columns, as it is typed."""
    if any(name.startswith("-") for name in columns):
        return " ".join(shlex.quote(f"{option}={name}") for name in columns)
    return f"{option} {shlex.join(columns)}"


def _of_labels(
    option: str, near: list[str], free: list[str], options: argparse.Namespace, values: Mapping[str, set[str]]
) -> tuple[str, list[str]]:
    """Return the option and the column, if there is but one, that hold what the option asks for."""
    if option == "--y-true":
        only = near or _likely_truths(free)[:1] or _alike((options.y_pred or [""])[0], free, values)
    elif option == "--y-score":
        only = near or _scores(free, values)
    else:
        labels = _alike(options.y_true, free, values) if options.threshold is None else []
        only = near or labels or _scores(free, values)
        if only and options.threshold is None and _is_score(only[0], values):
            option = "--y-score"
    return option, _only(only)


def _only(names: list[str]) -> list[str]:
    return names if len(names) == 1 else []


def _only_with(word: str, names: Iterable[str]) -> list[str]:
    holding = [name for name in names if word.casefold() in re.split(r"[\W_]+", name.casefold())]
    return _only(holding)


def _likely_truths(columns: Iterable[str]) -> list[str]:
    by_name = {name.casefold(): name for name in columns}
    return [by_name[name] for name in _TRUTHS if name in by_name]


def _alike(column: str, others: Iterable[str], values: Mapping[str, set[str]]) -> list[str]:
    classes = set(map(_plain, values.get(column, ())))
    return [name for name in others if values.get(name) and set(map(_plain, values[name])) <= classes]


def _scores(columns: Iterable[str], values: Mapping[str, set[str]]) -> list[str]:
    return [name for name in columns if _is_score(name, values)]


def _is_score(column: str, values: Mapping[str, set[str]]) -> bool:
    numbers = [_number(text) for text in values.get(column, ())]
    return None not in numbers and any(not number.is_integer() for number in numbers if number is not None)


def _plain(text: str) -> str:
    """Write a label one way: 1, 1.0 and True are the same."""
    number = _number(text)
    return text if number is None else f"{number:.12g}"


def _number(text: str) -> float | None:
    try:
        number = float({"true": "1", "false": "0"}.get(text.casefold(), text))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
