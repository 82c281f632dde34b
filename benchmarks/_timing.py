"""Times of two programs in turn, A B A B, so that a machine that drifts slows both alike."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from typing import Any

from benchmarks._case import Case, Times

SHORTEST = 0.01
"""Seconds that one sample lasts at least; shorter work is repeated within the sample."""

SLOW = 1.0
"""Seconds from which the first call is as good a sample as any: what it loads does not matter."""

BUDGET = 3.0
"""Seconds that both sides of a case may take together."""

FEWEST, MOST = 3, 15
"""Samples of each side."""

LONG = 15.0
"""Seconds of both sides together from which one sample of each is enough."""


def sampled(work: Callable[[], Any], loops: int) -> float:
    """Return the seconds that one call takes, from as many calls as asked for."""
    start = time.perf_counter()
    for _ in range(loops):
        work()
    return (time.perf_counter() - start) / loops


def loops_for(work: Callable[[], Any]) -> tuple[int, float]:
    """Return how many calls make a sample that is long enough, and about how long one call takes."""
    loops = 1
    while True:
        seconds = sampled(work, loops)
        if seconds * loops >= SHORTEST:
            return loops, seconds
        loops = max(loops * 2, min(int(1.2 * SHORTEST / max(seconds, 1e-9)) + 1, loops * 100))


def in_turn(
    sides: list[Callable[[], Any]], first: list[float], repeats: int | None, budget: float = BUDGET
) -> list[list[float]]:
    """Time each side several times, in turn.

    ``first`` says how long the first call of each took; it stands for a sample where that was long.
    """
    planned = [
        (1, seconds) if seconds > SLOW else loops_for(side)
        for side, seconds in zip(sides, first, strict=True)
    ]
    once = sum(loops * seconds for loops, seconds in planned)
    number = repeats or min(max(int(budget / once), 1 if once > LONG else FEWEST), MOST)
    seconds: list[list[float]] = [[] for _ in sides]
    for round_ in range(number):
        for i, side in enumerate(sides):
            known = round_ == 0 and first[i] > SLOW
            seconds[i].append(first[i] if known else sampled(side, planned[i][0]))
    return seconds


def commands_in_turn(case: Case, *, quick: bool) -> tuple[Times, Times | None]:
    """Time whole processes in turn; their memory is what the system says about each."""
    inputs = case.inputs()
    sides = [side(inputs) for side in (case.ours, case.theirs) if side is not None]
    times = [Times() for _ in sides]
    for round_ in range((3 if quick else 15) + 1):
        for side, side_times in zip(sides, times, strict=True):
            start = time.perf_counter()
            process = subprocess.Popen(side, stdout=subprocess.DEVNULL)  # noqa: S603 - our own
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                msg = f"{side} ended with {process.returncode}"
                raise RuntimeError(msg)
            if round_:  # the first fills the file system's cache
                side_times.seconds.append(seconds)
            side_times.peak = max(side_times.peak or 0, usage.ru_maxrss * 1024)
    return times[0], times[1] if len(times) > 1 else None
