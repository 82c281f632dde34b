"""What the tests of a run judged: a table for the terminal, and a page."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from clearbar.formatting import (
    Cell,
    Column,
    Table,
    distinct,
    encodable,
    encoding_of,
    escape_html,
    plural,
    shorten,
    styled,
)

if TYPE_CHECKING:
    from clearbar.formatting import Style
    from clearbar.integrations.pytest import Judgement

NAMES = 36  # columns that the name of a test may take on a terminal
MARKS = {"clears": "✓", "doubt": "?", "fails": "✗", "ties": "=", "undefined": "!", "unbeatable": "!"}
MEANING = {
    "?": "above the bar, but it could be chance",
    "✗": "below the bar",
    "=": "exactly at the bar",
    "!": "cannot be judged",
}
# How a reader calls the parts of a test.
WHERE = {"setup": "set-up", "call": "the test", "teardown": "tear-down"}

STYLES: dict[str, Style] = {"✗": "bad", "=": "bad", "!": "bad", "?": "doubt"}

STYLE = """
:root { color-scheme: light dark; }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { margin-top: 2.5rem; font-size: 1.05rem; overflow-wrap: anywhere; }
table { border-collapse: collapse; }
td, th { white-space: nowrap; border-bottom: 1px solid #8886; }
"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def text(judged: Mapping[str, Sequence[Judgement]], broken: Mapping[str, str], *, color: bool) -> str:
    """Return the sentence, the table and the legend, for a terminal."""
    encoding = encoding_of(sys.stdout)
    shown = table(judged, broken, NAMES).to_text(color=color, encoding=encoding)
    last = styled(encodable(legend(judged), encoding), "muted", color=color)
    return "\n".join([sentence(judged, broken), "", shown, *filter(None, [last])])


def page(judged: Mapping[str, Sequence[Judgement]], broken: Mapping[str, str]) -> str:
    """Return a page with the table, and below it the scorecard of each call."""
    rows = table(judged, broken, 200).to_html()
    parts = [f'<div style="overflow-x:auto">{rows}</div>'] if judged or broken else []
    parts += [f"<p><small>{escape_html(legend(judged))}</small></p>"] if legend(judged) else []
    for test, calls in judged.items():
        parts += [f"<h2>{escape_html(test)}</h2>", *(call["html"] for call in calls)]
    title = escape_html(f"clearbar: {sentence(judged, broken)}")
    return PAGE.format(title=title, style=STYLE, body="\n".join(parts))


def sentence(judged: Mapping[str, Sequence[Judgement]], broken: Mapping[str, str]) -> str:
    """Say how many verdicts there are, how many of them pass, and how many tests came to none."""
    verdicts = _verdicts(judged) if judged or not broken else ""
    unjudged = f"{plural(len(broken), 'test')} ended before a verdict." if broken else ""
    return " ".join(filter(None, [verdicts, unjudged]))


def _verdicts(judged: Mapping[str, Sequence[Judgement]]) -> str:
    calls = [call for several in judged.values() for call in several]
    verdicts, passed = sum(call["verdicts"] for call in calls), sum(call["passed"] for call in calls)
    if not calls:
        return "no test asked for a bar."
    count = f"{plural(verdicts, 'verdict')} in {plural(len(judged), 'test')}"
    if passed == verdicts:
        return f"{count}: {'it' if verdicts == 1 else 'all'} {_clear(verdicts)}."
    failing = verdicts - passed
    return f"{count}: {passed:,} {_clear(passed)}, {failing:,} {'does' if failing == 1 else 'do'} not."


def _clear(verdicts: int) -> str:
    return "clears its bar" if verdicts == 1 else "clear their bars"


def table(judged: Mapping[str, Sequence[Judgement]], broken: Mapping[str, str], names: int) -> Table:
    """Return a line for each verdict that is shown; tests without one and those that fail come first."""
    judged = dict(sorted(judged.items(), key=lambda item: all(map(_passes, item[1]))))
    short = iter(distinct([test.rpartition("/")[2] for test in [*broken, *judged]], names))
    heads = tuple(map(Cell, ("test", "model", "measure", "score", "bar", "p")))
    rows = [_unjudged(next(short), when) for when in broken.values()]
    rows += [row for calls in judged.values() for row in _rows(next(short), calls, names)]
    aligned = (Column(), Column(), Column(), Column("decimal"), Column("decimal"), Column("right"))
    return Table(aligned, (heads,), tuple(rows))


def _unjudged(test: str, when: str) -> tuple[Cell, ...]:
    return Cell(test), Cell(f"not judged: error in {WHERE[when]}", "", "bad"), *[Cell("")] * 4


def _rows(test: str, calls: Sequence[Judgement], names: int) -> Iterator[tuple[Cell, ...]]:
    named = False
    for call in calls:
        for line in call["lines"]:
            mark = MARKS[line["stands"]]
            yield (
                Cell("" if named else test),
                Cell(shorten(line["subject"], names)),
                Cell(line["measure"]),
                Cell(line["score"], mark, STYLES.get(mark, ""), note=MEANING.get(mark, "")),
                Cell(line["bar"]),
                Cell(line["p"]),
            )
            named = True
        left = call["verdicts"] - len(call["lines"])
        if left:
            yield (Cell(""), Cell(f"{left:,} more"), *[Cell("")] * 4)


def _passes(call: Judgement) -> bool:
    return call["passed"] == call["verdicts"]


def legend(judged: Mapping[str, Sequence[Judgement]]) -> str:
    """Say what the marks mean that are there."""
    marks = {MARKS[line["stands"]] for calls in judged.values() for call in calls for line in call["lines"]}
    return "   ".join(f"{mark} {words}" for mark, words in MEANING.items() if mark in marks)
