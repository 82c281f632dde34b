"""What a command answers, in the format that was asked for; reports and summaries written beside it."""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shlex
import stat
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TextIO

from clearbar.cli._errors import UsageError
from clearbar.core.documents import errors_of_writing, savable, save
from clearbar.formatting import (
    Screen,
    Table,
    comma_separated,
    encodable,
    encoding_of,
    latex_page,
    markdown_page,
    visible,
)

if TYPE_CHECKING:
    from clearbar.scorecard import Scorecard


@dataclass(frozen=True)
class Reply:
    text: str  # for standard output
    code: int = 0  # exit code
    note: str = field(default="", kw_only=True)  # for standard error


def write(text: str, stream: TextIO | None) -> None:
    """Print a text; a reader who has left, as in ``| head``, is no error."""
    if stream is None:  # a process without a console
        return
    try:
        stream.write(encodable(text, encoding_of(stream)) + "\n")
        stream.flush()
    except BrokenPipeError:
        silence(stream)
    except OSError as error:
        silence(stream)
        raise OSError(f"the output cannot be written: {(error.strerror or str(error)).lower()}.") from None


def silence(stream: Any) -> None:
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    except (OSError, ValueError):
        for name in ("stdout", "stderr"):
            if getattr(sys, name) is stream:
                setattr(sys, name, None)


FORMATS = ("json", "markdown", "latex", "csv", "tasks")  # options that choose one; text otherwise
COMMENT = 65_536  # characters that a comment on GitHub holds
SHORTER = {
    "tasks": "--markdown has one line per task for all models",
    "markdown": "read fewer files, or print --csv",
}
"""What is shorter, by the format."""

Parts = list[str | Table]  # sentences and tables, as they stand below each other


def chosen_format(options: argparse.Namespace) -> str:
    """Return the one format that was asked for, "text" where none was."""
    formats = [name for name in FORMATS if getattr(options, name)]
    if len(formats) > 1:
        raise UsageError(f"--{formats[0]} and --{formats[1]} cannot be combined; leave out one of them.")
    return formats[0] if formats else "text"


def answered(options: argparse.Namespace, *code: int, **formats: Callable[[], Any]) -> Reply:
    """Return an answer in the wanted format: text, or what becomes JSON or comma-separated values."""
    asked = chosen_format(options)
    answer = formats[asked]()
    if asked == "text":
        return Reply(str(answer), *code)
    if asked == "json":
        return Reply(json.dumps(answer, indent=2, allow_nan=False), *code)
    text = (answer if isinstance(answer, str) else rows_as_csv(answer)).rstrip("\n")
    note = ""
    if asked in SHORTER and len(text) > COMMENT:
        size = f"{len(text):,} characters; a comment on GitHub holds {COMMENT:,}"
        note = f"this table has {size}: {SHORTER[asked]}."
    return Reply(text, *code, note=note)


def pages(parts: Callable[[], Parts]) -> dict[str, Callable[[], str]]:
    """Return how Markdown and LaTeX are made of parts."""
    return {"markdown": lambda: markdown_page(parts()), "latex": lambda: latex_page(parts())}


def rows_as_csv(rows: Iterable[dict[str, Any]]) -> str:
    """Return rows of one kind as comma-separated values; what is no single value is JSON."""
    several = list(rows)
    heads = list(several[0]) if several else []
    nested = (dict, list, tuple)
    lines = (
        [json.dumps(row[name]) if isinstance(row[name], nested) else row[name] for name in heads]
        for row in several
    )
    return comma_separated(heads, list(lines))


# What a report says besides its verdicts: options here, arguments of `to_html`.
_HEADINGS = ("title", "subtitle", "data", "date")


def check_outputs(options: argparse.Namespace) -> None:
    _refuse_inputs(options)
    _check_report(options)
    if options.summary is not None:
        _text_of(options.summary)


def _refuse_inputs(options: argparse.Namespace) -> None:
    from clearbar.data.files import files_of

    read = {_identity(path): path for path in files_of(options.files)}
    read.pop(None, None)
    paths = {"--html": options.html, "--summary": options.summary}
    written = {f"{name} {path}": path for name, path in paths.items() if path}
    for words, place in {**written, "standard output": _descriptor()}.items():
        if taken := read.get(_identity(place)):
            read_as = "" if place == taken else f" {taken},"
            raise UsageError(f"{words} is{read_as} a file that is read; write to another one.")


def _descriptor() -> int | None:
    try:
        return sys.stdout.fileno()
    except (AttributeError, OSError, ValueError):  # none, closed or made up
        return None


def _identity(place: str | int | None) -> tuple[int, int] | None:
    """Return device and inode of an ordinary file, links followed; None of what is none."""
    try:
        status = None if place is None else os.stat(place)  # noqa: PTH116 - also of a descriptor
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if status and stat.S_ISREG(status.st_mode) else None


def _check_report(options: argparse.Namespace) -> None:
    if options.html is None:
        unused = next((name for name in ("force", *_HEADINGS) if getattr(options, name)), None)
        if unused is not None:
            raise UsageError(f"--{unused} is for the report; add --html PATH.")
        return
    for needed in ("jinja2", "matplotlib"):
        if importlib.util.find_spec(needed) is None:
            how = "in a checkout, pip install '.[report]'"
            raise UsageError(f"--html needs {needed}, which is not installed: {how}")
    try:
        savable(options.html, overwrite=options.force)
    except FileExistsError:
        raise UsageError(
            f"{options.html} is there already; add --force to replace it, or another name."
        ) from None


def write_report(card: Scorecard, options: argparse.Namespace) -> None:
    if options.html is None:
        return
    card.to_html(
        options.html,
        overwrite=options.force,
        call=shlex.join(["clearbar", *options.typed]),
        threshold=options.threshold,
        **{name: getattr(options, name) or "" for name in _HEADINGS},
    )


def report_sentence(options: argparse.Namespace, screen: Screen) -> str:
    """Say below the verdicts where the report is."""
    return "" if options.html is None else f"\n\n{screen.line(f'The report is in {visible(options.html)}.')}"


def add_summary(path: str, markdown: str) -> None:
    before = _text_of(path)
    gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
    save(f"{before}{gap}{markdown}", path, overwrite=True)


def _text_of(path: str) -> str:
    """Return what a file holds that a summary is added to, or say why it cannot be."""
    place = savable(path, overwrite=True, example="summary.md")
    try:
        with errors_of_writing(path):  # adding reads it first
            return place.read_text(encoding="utf-8") if place.exists() else ""
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text, so that no summary can be added to it.") from None
