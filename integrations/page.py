"""The examples of docs/integrations.md, which run where their tool is."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "integrations.md"
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(heading: str) -> list[tuple[str, str]]:
    """Return the blocks below a heading, each with its kind."""
    text = PAGE.read_text("utf-8")
    (part,) = (part for part in re.split(r"^## ", text, flags=re.MULTILINE) if part.startswith(heading))
    return [(match["kind"], match["text"]) for match in BLOCK.finditer(part)]


def printed(heading: str) -> tuple[list[str], list[str]]:
    """Run the Python below a heading; return what it prints and what the page shows, line by line."""
    names: dict[str, object] = {}
    stream, shown = io.StringIO(), []
    for kind, text in blocks(heading):
        if kind == "py":
            with contextlib.redirect_stdout(stream):
                exec(compile(text, PAGE.name, "exec"), names)  # noqa: S102 - they are ours
        elif kind == "text":
            shown += text.splitlines()
    return [line.rstrip() for line in stream.getvalue().splitlines()], [line.rstrip() for line in shown]
