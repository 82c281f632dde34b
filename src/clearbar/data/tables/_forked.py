"""Whether polars can answer: in a process forked from one in which it ran, it waits for threads for ever."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_THREADS = Path("/proc/self/task")


def refuse_fork() -> None:
    """Raise if this process was forked after polars had started the threads that do its work."""
    if not _has_threads(os.getpid()):
        raise RuntimeError(
            "polars ran before this process was forked, and what it is asked here is never answered; start "
            "processes with multiprocessing.get_context('spawn')."
        )


@cache
def _has_threads(process: int) -> bool:  # noqa: ARG001 - a fork must be looked at anew
    """Return whether the threads that polars says it has are in this process; True where nobody can tell."""
    import polars as pl

    if not _THREADS.exists():
        return True
    pl.thread_pool_size()  # starts them, if nothing has
    prefix = f"{os.environ.get('POLARS_THREAD_NAME', 'polars')}-"[:15]
    for _ in range(20):  # a thread names itself, a moment after it was started
        if any(name.startswith(prefix) and not name.startswith("polars-ooc") for name in _names()):
            return True
        time.sleep(0.005)
    return False


def _names() -> Iterator[str]:
    for thread in _THREADS.iterdir():
        try:
            yield (thread / "comm").read_text()
        except OSError:  # it has ended
            continue
