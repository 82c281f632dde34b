"""A build server's summary: the gate's verdicts in Markdown, added to a file."""

from __future__ import annotations

from clearbar.cli._gate import Gate
from clearbar.core._saving import errors_of_writing, savable, save


def check_summary(path: str) -> None:
    """Say what is wrong with the place of a summary before anything is read."""
    _known(path)


def add_summary(path: str, gate: Gate) -> None:
    """Add a gate's verdicts to a file, which is written beside and moved into place."""
    before = _known(path)
    gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
    save(f"{before}{gap}{gate.to_markdown()}", path, overwrite=True)


def _known(path: str) -> str:
    place = savable(path, overwrite=True, example="summary.md")
    try:
        with errors_of_writing(path):  # adding reads it first
            return place.read_text(encoding="utf-8") if place.exists() else ""
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not UTF-8 text, so that no summary can be added to it.") from None
