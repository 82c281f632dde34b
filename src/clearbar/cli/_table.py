"""The columns that were named, read from files; and what to type instead if one is missing."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from clearbar.cli._parser import UsageError
from clearbar.cli._words import as_typed
from clearbar.errors import listed, nearest
from clearbar.frames import MissingColumnError, column_names, read_table
from clearbar.labelling import parse_label

_TRUTHS = ("y_true", "y", "label", "labels", "target", "truth", "true", "actual", "class", "outcome")
"""What people call the column of true labels."""


@dataclass(frozen=True)
class Labels:
    """What a file holds, as `clearbar.evaluate` takes it.

    Attributes
    ----------
    y_true : column
        True labels.
    y_pred : dict
        Predicted labels by model.
    by : column or None
        Slices.
    pos_label : object or None
        The positive label.
    """

    y_true: Any
    y_pred: dict[str, Any]
    by: Any
    pos_label: Any


def labels(options: argparse.Namespace) -> Labels:
    """Read what the options name.

    Parameters
    ----------
    options : Namespace
        What was typed.

    Returns
    -------
    Labels

    Raises
    ------
    ValueError
        If a file or a column is missing or cannot be read, or the positive label does not occur.
    """
    _refuse_incomplete(options)
    models = list(dict.fromkeys(options.y_pred))
    if options.y_true in models:
        raise UsageError(
            f"column {options.y_true!r} is named by --y-true and by --y-pred: labels that judge themselves."
        )
    wanted = [options.y_true, *models, *([options.by] if options.by else [])]
    try:
        table = read_table(options.files, wanted)
    except MissingColumnError as error:
        raise UsageError(f"{error}{_suggestion(error, options)}") from None
    truth = table[options.y_true]
    y_pred = {name: table[name] for name in models}
    return Labels(
        truth,
        y_pred,
        table[options.by] if options.by else None,
        _positive(options.pos_label, [truth, *y_pred.values()]),
    )


def in_columns(error: ValueError, options: argparse.Namespace) -> UsageError:
    """Return what the library says about its arguments as a sentence on columns of the file.

    Parameters
    ----------
    error : ValueError
        What it says.
    options : Namespace
        What was typed.

    Returns
    -------
    UsageError
    """
    known = {f"y_pred[{name!r}]": name for name in options.y_pred}
    known |= {"y_true": options.y_true, "y_pred": options.y_pred[0]}
    sentence = str(error)
    if options.by and sentence.startswith("by "):
        sentence = f"column {options.by!r} {sentence.removeprefix('by ')}"
    return UsageError(as_typed(sentence, known))


def _refuse_incomplete(options: argparse.Namespace) -> None:
    command = f"clearbar {options.command}"
    if not options.files:
        raise UsageError(f"name a file to read: {command} FILE --y-true COL --y-pred COL.")
    if options.y_true and options.y_pred:
        return
    columns = column_names(options.files[0])
    here = f"{options.files[0]} has: {listed(columns)}."
    truth = options.y_true or next(iter(_likely_truths(columns, options.y_pred or [])), None)
    model = (options.y_pred or [name for name in columns if name != truth] or [None])[0]
    example = ""
    if truth and model:
        words = [options.files[0], "--y-true", truth, "--y-pred", model]
        example = f" For example {command} {shlex.join(words)}"
    if not options.y_true:
        raise UsageError(f"name the column of true labels with --y-true. {here}{example}")
    raise UsageError(f"name the columns of predictions with --y-pred, one per model. {here}{example}")


def _likely_truths(columns: Iterable[str], taken: Iterable[str]) -> list[str]:
    by_name = {name.casefold(): name for name in columns if name not in set(taken)}
    return [by_name[name] for name in _TRUTHS if name in by_name]


def _suggestion(error: MissingColumnError, options: argparse.Namespace) -> str:
    """Return the option with the column that was probably meant."""
    used = {options.y_true, *options.y_pred, options.by} - {error.column}
    free = [name for name in error.columns if name not in used]
    near = nearest(error.column, free, most=1)
    if error.column == options.y_true:
        option, near = "--y-true", near or _likely_truths(free, ())
    elif error.column in options.y_pred:
        option = "--y-pred"
    else:
        option = "--by"
    return f" Did you mean {option} {shlex.quote(near[0])}?" if near else ""


def _positive(text: str | None, columns: list[Any]) -> Any:
    if text is None:
        return None
    known = list(
        dict.fromkeys(label for column in columns for label in column.drop_nulls().unique().sort().to_list())
    )
    try:
        return parse_label(text, known)
    except ValueError as error:
        raise UsageError(f"--pos-label: {error}") from None
