"""Files that are written beside what is printed: the report of ``--html``, a build server's ``--summary``."""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import stat
import sys

from clearbar.cli._parser import UsageError
from clearbar.core._saving import errors_of_writing, savable, save
from clearbar.data.files import files_of
from clearbar.formatting import Screen, visible
from clearbar.scorecard import Scorecard

_HEADINGS = ("title", "subtitle", "data", "date")
"""What a report says besides its verdicts: options here, arguments of `to_html`."""


def check_outputs(options: argparse.Namespace) -> None:
    """Say what is in the way of files before anything is read."""
    _refuse_inputs(options)
    _check_report(options)
    if options.summary is not None:
        _text_of(options.summary)


def _refuse_inputs(options: argparse.Namespace) -> None:
    """Raise if a file that would be written is one of those that are read, whatever it is called."""
    read = {_identity(path): path for path in files_of(options.files)}
    read.pop(None, None)
    paths = {"--html": options.html, "--summary": options.summary}
    written = {f"{name} {path}": path for name, path in paths.items() if path}
    for words, place in {**written, "standard output": _descriptor()}.items():
        if taken := read.get(_identity(place)):
            known = "" if place == taken else f" {taken},"
            raise UsageError(f"{words} is{known} a file that is read; write to another one.")


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
    """Write the report, if one is wanted."""
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
    """Add text to a file, which is written beside and moved into place."""
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
