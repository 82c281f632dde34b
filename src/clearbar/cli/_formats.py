"""What a command found, in the format that was asked for."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from typing import Any

from clearbar.cli._parser import UsageError
from clearbar.formatting import Table, comma_separated, latex_page, markdown_page

FORMATS = ("json", "markdown", "latex", "csv", "tasks")
"""Options that choose one; text otherwise."""

Parts = list[str | Table]
"""Sentences and tables, as they stand below each other."""


def chosen_format(options: argparse.Namespace) -> str:
    """Return the one format that was asked for, "text" where none was."""
    named = [name for name in FORMATS if getattr(options, name, False)]
    if len(named) > 1:
        raise UsageError(f"--{named[0]} and --{named[1]} cannot be combined; leave out one of them.")
    return named[0] if named else "text"


def written(
    options: argparse.Namespace,
    *,
    text: Callable[[], str],
    json: Callable[[], Any],
    csv: Callable[[], str | list[dict[str, Any]]],
    parts: Callable[[], Parts] | None = None,
    markdown: Callable[[], str] | None = None,
    latex: Callable[[], str] | None = None,
) -> str:
    """Return what was found, made in the one format that is wanted; a page can be made of its parts."""
    chosen = chosen_format(options)
    if chosen == "text":
        return text()
    if chosen == "json":
        return _document(json())
    if chosen == "csv":
        values = csv()
        return (values if isinstance(values, str) else rows_as_csv(values)).rstrip("\n")
    own, page = (markdown, markdown_page) if chosen == "markdown" else (latex, latex_page)
    made = own() if own is not None else page(parts() if parts is not None else [])
    return made.rstrip("\n")


def _document(answer: Any) -> str:
    return answer if isinstance(answer, str) else json.dumps(answer, indent=2, allow_nan=False)


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
