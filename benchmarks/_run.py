"""Runs the cases of a section, each job in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks._case import Case, Result, Section, Times
from benchmarks._timing import commands_in_turn

ROOT = Path(__file__).resolve().parent.parent


def measured(section: Section, *, quick: bool) -> list[tuple[Case, Result]]:
    """Measure every case of a section, and say each as soon as it is known."""
    results = []
    for index, case in enumerate(section.cases(quick=quick)):
        result = (
            _commands(case, quick=quick) if section.commands else _case(section, case, index, quick=quick)
        )
        results.append((case, result))
        _say(section, case, result)
    return results


def _commands(case: Case, *, quick: bool) -> Result:
    ours, theirs = commands_in_turn(case, quick=quick)
    return Result(ours, theirs, _ratios(ours, theirs), case.remark)


def _case(section: Section, case: Case, index: int, *, quick: bool) -> Result:
    arguments = [section.name, str(index), "quick" if quick else "full"]
    ours, theirs, gave_up = Times(), None, ""
    if case.theirs is not None:
        with ThreadPoolExecutor() as pool:  # memory is the same whoever else is at work
            ours_later = pool.submit(_child, arguments, "ours")
            try:
                theirs = Times(**_child(arguments, "theirs", case.patience))
            except subprocess.TimeoutExpired:
                gave_up = f"stopped after {case.patience:.0f} s"
            ours = Times(**ours_later.result())
    timed = _child(arguments, "alone" if theirs is None else "time")
    ours.seconds = timed["seconds"][0]
    if theirs is None:
        ours.peak, ours.grown = timed["peak"], timed["grown"]
    else:
        theirs.seconds = timed["seconds"][1]
    remark = "; ".join(part for part in (case.remark, timed["remark"]) if part)
    return Result(ours, theirs, _ratios(ours, theirs), remark, gave_up)


def _ratios(ours: Times, theirs: Times | None) -> list[float]:
    """Return how often ours fits into theirs, sample by sample: neighbours saw the same machine."""
    if theirs is None:
        return []
    return [b / a for a, b in zip(ours.seconds, theirs.seconds, strict=True)]


def _child(arguments: list[str], job: str, timeout: float | None = None) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks._child", *arguments, job]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True, timeout=timeout)  # noqa: S603 - our own
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _say(section: Section, case: Case, result: Result) -> None:
    from benchmarks._report import row

    print(f"{section.name}: " + " | ".join(row(case, result)), flush=True)
