"""``--html``: the report that a command also writes."""

from __future__ import annotations

import argparse
import importlib.util
import shlex

from clearbar.cli._parser import UsageError
from clearbar.core._saving import savable
from clearbar.formatting import Screen, visible
from clearbar.scorecard import Scorecard

_WISHES = ("title", "subtitle", "data", "date")
"""What the page says besides its verdicts: options here, arguments of `to_html`."""


def check_page(options: argparse.Namespace) -> None:
    """Say what is in the way of a page before anything is read."""
    if options.html is None:
        unused = next((name for name in ("force", *_WISHES) if getattr(options, name)), None)
        if unused is not None:
            raise UsageError(f"--{unused} is for the report; add --html PATH.")
        return
    for needed in ("jinja2", "matplotlib"):
        if importlib.util.find_spec(needed) is None:
            raise UsageError(f"--html needs {needed}, which is not installed: pip install 'clearbar[report]'")
    try:
        savable(options.html, overwrite=options.force)
    except FileExistsError:
        raise UsageError(
            f"{options.html} is there already; add --force to replace it, or another name."
        ) from None


def write_page(card: Scorecard, options: argparse.Namespace) -> None:
    """Write the page, if one is wanted."""
    if options.html is None:
        return
    card.to_html(
        options.html,
        overwrite=options.force,
        call=shlex.join(["clearbar", *options.typed]),
        threshold=getattr(options, "threshold", None),
        **{name: getattr(options, name) or "" for name in _WISHES},
    )


def page_sentence(options: argparse.Namespace, screen: Screen) -> str:
    """Say below the verdicts where the page is."""
    return "" if options.html is None else f"\n\n{screen.line(f'The report is in {visible(options.html)}.')}"
