"""What it costs to start: importing, and the command line. Whole processes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from benchmarks._case import Case, Section, Work


def _python(code: str) -> Work:
    return lambda _: [sys.executable, "-c", code]


def _cases(*, quick: bool) -> Sequence[Case]:  # noqa: ARG001 - as small as it gets
    numpy = _python("import numpy")

    def case(title: str, ours: Work, theirs: Work | None, target: str) -> Case:
        return Case(title, "", _nothing, ours, theirs, "import numpy" if theirs else "", target=target)

    bar = "import clearbar as cb; cb.baseline(cb.Population(303, 139), 'f1')"
    command = ["-m", "clearbar", "baseline", "--total", "303", "--positives", "139"]
    return [
        case("`import clearbar`", _python("import clearbar"), numpy, "target: at most 1.3 × importing NumPy"),
        case("import and the first bar", _python(bar), numpy, ""),
        case(
            "`clearbar baseline --total 303 --positives 139`",
            lambda _: [sys.executable, *command],
            None,
            "target: under 0.4 s",
        ),
    ]


def _nothing() -> Any:
    return None


SECTION = Section(
    "start",
    "Starting",
    "Whole processes, Python's own start included; `import clearbar` loads its parts when they are used. "
    "A ratio below 1 says that NumPy alone starts faster.",
    _cases,
    commands=True,
)
