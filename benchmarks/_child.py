"""One case in a process of its own: ``python -m benchmarks._child SECTION INDEX full|quick JOB``.

The job is ``time`` (both sides agree, then are timed in turn), ``alone`` (ours is weighed and timed),
``ours`` or ``theirs`` (one call of one side: its memory). The last line printed is the result as JSON.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
import time
import warnings
from functools import partial
from typing import Any

from benchmarks._case import Case, Section
from benchmarks._process import forget_peak, memory, peak_memory
from benchmarks._timing import in_turn

OURS = (
    "clearbar.evaluation.labels",
    "clearbar.problems.binary",
    "clearbar.null",
    "clearbar.verdict",
    "clearbar.data.counting",
)


def main(arguments: list[str]) -> None:
    """Do one job and print what came of it."""
    name, index, size, job = arguments
    section: Section = importlib.import_module(f"benchmarks.{name}").SECTION
    case = section.cases(quick=size == "quick")[int(index)]
    warnings.simplefilter("ignore")  # peers warn about what they cannot do; the answers are compared
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        measured = (
            _timed(section, case, alone=job == "alone")
            if job in {"time", "alone"}
            else _weighed(section, case, job)
        )
    print(json.dumps(measured))


def _imported(names: tuple[str, ...]) -> None:
    for name in names:
        importlib.import_module(name)


def _timed(section: Section, case: Case, *, alone: bool) -> dict[str, Any]:
    sides = [case.ours] if alone or case.theirs is None else [case.ours, case.theirs]
    _imported(OURS + (section.packages if len(sides) > 1 else ()))
    inputs = case.inputs()
    answers, first, weights = [], [], {}
    for side in sides:
        before = _fresh_peak()
        start = time.perf_counter()
        answers.append(side(inputs))
        first.append(time.perf_counter() - start)
        if len(sides) == 1:
            weights = _weight(before)
    remark = case.agree(inputs, answers[0], answers[1] if len(sides) > 1 else None) if case.agree else None
    answers.clear()
    seconds = in_turn([partial(side, inputs) for side in sides], first, case.repeats)
    return {"seconds": seconds, "remark": remark or "", **weights}


def _weighed(section: Section, case: Case, job: str) -> dict[str, Any]:
    _imported(OURS if job == "ours" else section.packages)
    inputs = case.inputs()
    work = case.ours if job == "ours" else case.theirs
    assert work is not None
    before = _fresh_peak()
    kept = work(inputs)
    weight = _weight(before)
    del kept
    return weight


def _fresh_peak() -> int:
    """Return the memory in use, from which the peak is counted anew."""
    before = memory()
    forget_peak()
    return before


def _weight(before: int) -> dict[str, int]:
    peak = peak_memory()
    return {"peak": peak, "grown": max(peak - before, 0)}


if __name__ == "__main__":
    main(sys.argv[1:])
