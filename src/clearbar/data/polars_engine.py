"""polars, which reads files: whether it is installed and can answer, and what it says of a file.

Imported late, as it may not be installed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

_THREADS = Path("/proc/self/task")


def imported() -> Any:
    """Return the module of polars."""
    try:
        import polars as pl
    except ImportError:
        raise ImportError(
            "reading files needs polars, which is not installed: in a checkout, pip install '.[cli]'"
        ) from None
    return pl


def refuse_fork() -> None:
    """Raise if this process was forked after polars had started threads, for which it would wait for ever."""
    if not _has_threads(os.getpid()):
        raise RuntimeError(
            "polars ran before this process was forked, and what it is asked here is never answered; start "
            "processes with multiprocessing.get_context('spawn')."
        )


@cache
def _has_threads(process: int) -> bool:  # noqa: ARG001 - a fork must be looked at anew
    """Return whether polars' threads can be in this process; True where nobody can tell."""
    if not _THREADS.exists():
        return True
    imported().thread_pool_size()  # starts them, if nothing has: a fork keeps none but the one that forked
    prefix = f"{os.environ.get('POLARS_THREAD_NAME', 'polars')}-"[:15]
    for _ in range(20):  # a thread names itself, a moment after it was started
        for thread in _THREADS.iterdir():
            try:
                name = (thread / "comm").read_text()
            except OSError:  # it has ended
                continue
            if name.startswith(prefix) and not name.startswith("polars-ooc"):
                return True
        time.sleep(0.005)
    return False


@contextmanager
def sentences_of_polars(finding: str) -> Iterator[None]:
    """Turn what polars says about a file into a sentence that begins with a finding."""
    pl = imported()
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        reason = str(error).partition("\n")[0].rstrip(". ")
        raise ValueError(f"{finding} ({reason}).") from None
