"""Every snippet of the page on scikit-learn runs and prints what stands below it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "scikit_learn.md"
SNIPPET = re.compile(
    r"^```python\n(?P<code>.*?)^```$(?:\n\n```text\n(?P<out>.*?)^```$)?", re.DOTALL | re.MULTILINE
)


def test_snippets_print_what_the_page_shows():
    names: dict[str, object] = {}
    found = list(SNIPPET.finditer(PAGE.read_text("utf-8")))
    assert len(found) >= 5
    for snippet in found:
        stream = io.StringIO()
        with contextlib.redirect_stdout(stream):
            exec(compile(snippet["code"], PAGE.name, "exec"), names)  # noqa: S102 - they are ours
        shown = [line.rstrip() for line in (snippet["out"] or "").rstrip().splitlines()]
        assert [line.rstrip() for line in stream.getvalue().rstrip().splitlines()] == shown, snippet["code"]
