"""The calculator as a piece of a page, and as one file that works offline."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from tools.calculator.classes import many
from tools.calculator.registry import binary
from tools.calculator.scores import ranked

import clearbar as cb
from clearbar.core.errors import listed

HERE = Path(__file__).parent
SCRIPTS = (
    *("words.js", "sums.js", "judge.js", "rates.js", "question.js", "claims.js", "answer.js", "page.js"),
)
OFFERED = """window.clearbar = {
  answer, barOf, measureOf, standing, howSurely, intervalOf, toFragment, fromFragment,
  possibleTables, claimOf,
  classMeasures: () => Object.keys(classMeasures),
  scoreMeasures: () => Object.keys(scoreMeasures),
  ofClasses: (name, sizes) => [classMeasures[name], classBarOf(classMeasures[name], sizes)],
};"""
"""What a page offers to other scripts: tests ask it thousands of questions."""


def _read(name: str) -> str:
    return (HERE / name).read_text("utf-8")


@functools.cache
def piece() -> str:
    """Return the calculator as markup with its own style and script."""
    classes, without = many()
    scores, not_ranked = ranked()
    code = "\n".join([binary(), classes, scores, *map(_read, SCRIPTS), OFFERED])
    start = 'document.querySelectorAll(".cb-calculator").forEach(start);'
    script = f"<script>\n(() => {{\n'use strict';\n{code}\n{start}\n}})();\n</script>"
    scanned = [one for one in cb.measures() if one.shape is None and one.greater_is_better is not None]
    limits = re.findall(r"^const (SMOOTH|JAGGED|RANKED|MOST_TESTED) = (\d+);", code, re.MULTILINE)
    words = {name.lower().removeprefix("most_"): f"{int(number):,}" for name, number in limits} | {
        "scanned": listed([one.label.partition("(")[0] for one in scanned], most=100),
        "kinked": listed([one.label for one in scanned if not one.smooth], most=100),
        "without": listed(without, most=100),
        "unranked": listed(not_ranked, most=100),
    }
    form = _read("form.html")
    for name, text in words.items():
        form = form.replace(f"{{{{{name}}}}}", text)
    return f"<style>\n{_read('page.css')}</style>\n{form}{script}\n"


def page() -> str:
    """Return the calculator as one file."""
    return _read("page.html").replace("{{calculator}}", piece())
