"""A command's answer in the format that was asked for."""

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
    chosen = [name for name in FORMATS if getattr(options, name)]
    if len(chosen) > 1:
        raise UsageError(f"--{chosen[0]} and --{chosen[1]} cannot be combined; leave out one of them.")
    return chosen[0] if chosen else "text"


def written(options: argparse.Namespace, **formats: Callable[[], Any]) -> str:
    """Return an answer in the wanted format: text, or what becomes JSON or comma-separated values."""
    chosen = chosen_format(options)
    answer = formats[chosen]()
    if chosen == "text":
        return str(answer)
    if chosen == "json":
        return json.dumps(answer, indent=2, allow_nan=False)
    text = answer if isinstance(answer, str) else rows_as_csv(answer)
    return text.rstrip("\n")


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
