"""What to type instead if a column is missing: by its name, or by what the columns hold."""

from __future__ import annotations

import argparse
import math
import re
import shlex
from collections.abc import Iterable, Mapping

from clearbar.core.errors import nearest
from clearbar.data.tables import MissingColumnError, files_of, first_values

MOST_TYPED = 200
"""Characters of what is proposed to type: nobody types more, and what is cut does not work."""

_TRUTHS = ("y_true", "y", "label", "labels", "target", "truth", "true", "actual", "class", "outcome")
"""What people call the column of true labels."""


def example(options: argparse.Namespace, path: str, columns: tuple[str, ...]) -> str:
    """Return a command that names the columns that were not named; empty where that would be a guess."""
    values = first_values(path)
    models = options.y_pred or options.y_score or []
    named = [options.y_true] if options.y_true in columns else []
    truths = named or _likely_truths(columns, models)
    if not truths and models:
        truths = _alike(models[0], [name for name in columns if name not in models], values)
    if not truths:
        return ""
    truth = truths[0]
    at = columns.index(truth)
    behind = [*columns[at + 1 :], *columns[:at]]  # where predictions mostly stand
    needed = max(2 if options.command == "compare" else 1, len(models))
    labels, scores = _alike(truth, behind, values), _scores(behind, values)
    of_scores = bool(options.y_score) or (_is_score(models[0], values) if models else len(labels) < needed)
    chosen = list(dict.fromkeys([*models, *(scores if of_scores else labels)]))[:needed]
    if len(chosen) < needed:
        return ""
    words = [path, "--y-true", truth, "--y-score" if of_scores else "--y-pred", *chosen]
    typed = f"clearbar {options.command} {shlex.join(words)}"
    return f" For example {typed}" if len(typed) <= MOST_TYPED else ""


def without_names(columns: Iterable[str]) -> str:
    """Say what to do about a file whose first line may be data: one that names columns by numbers."""
    if not any(_number(name) is not None for name in columns):
        return ""
    return " The first line names the columns; if it is data, put a line of names before it."


def suggested(error: MissingColumnError, options: argparse.Namespace) -> str:
    """Return the option with the column that was probably meant, as a question."""
    singles = {
        "--model": options.model,
        "--fold": options.fold,
        "--weight": options.weight,
        "--clusters": options.clusters,
        "--y-true": options.y_true,
    }
    models = options.y_pred or options.y_score
    used = {*singles.values(), *models, *(options.by or [])} - {error.column}
    free = [name for name in error.columns if name not in used]
    near = nearest(error.column, free, most=1) or _only_with(error.column, free)
    option = ("--y-score" if options.y_score else "--y-pred") if error.column in models else "--by"
    for name, column in singles.items():
        option = name if column == error.column else option
    if option in {"--y-true", "--y-pred", "--y-score"}:
        alone = len(files_of(options.files)) == 1  # of several files another one lacks what this one has
        option, near = _of_labels(option, near, free, options, first_values(error.path) if alone else {})
    meant = f"{option} {shlex.quote(near[0])}" if near else ""
    return f" Did you mean {meant}?" if 0 < len(meant) <= MOST_TYPED else without_names(error.columns)


def _of_labels(
    option: str,
    near: list[str],
    free: list[str],
    options: argparse.Namespace,
    values: Mapping[str, set[str]],
) -> tuple[str, list[str]]:
    """Return the option and the column, if there is but one, that hold what the option asks for."""
    if option == "--y-true":
        only = near or _likely_truths(free, ()) or _alike((options.y_pred or [""])[0], free, values)
    elif option == "--y-score":
        only = near or _scores(free, values)
    else:
        only = near or _alike(options.y_true, free, values) or _scores(free, values)
        if only and options.threshold is None and _is_score(only[0], values):
            option = "--y-score"
    return option, only if near or len(only) == 1 or option == "--y-true" else []


def _only_with(part: str, names: Iterable[str]) -> list[str]:
    """Return the only name that has a part of its own in it, such as tree in decision_tree."""
    holding = [name for name in names if part.casefold() in re.split(r"[\W_]+", name.casefold())]
    return holding if len(holding) == 1 else []


def _likely_truths(columns: Iterable[str], taken: Iterable[str]) -> list[str]:
    by_name = {name.casefold(): name for name in columns if name not in set(taken)}
    return [by_name[name] for name in _TRUTHS if name in by_name]


def _alike(column: str, others: Iterable[str], values: Mapping[str, set[str]]) -> list[str]:
    """Return those of the other columns that hold labels of the same classes."""
    classes = set(map(_plain, values.get(column, ())))
    return [name for name in others if values.get(name) and set(map(_plain, values[name])) <= classes]


def _scores(columns: Iterable[str], values: Mapping[str, set[str]]) -> list[str]:
    return [name for name in columns if _is_score(name, values)]


def _is_score(column: str, values: Mapping[str, set[str]]) -> bool:
    """Tell whether a column holds numbers that are not all whole."""
    numbers = [_number(text) for text in values.get(column, ())]
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) and any(not number.is_integer() for number in known)


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
