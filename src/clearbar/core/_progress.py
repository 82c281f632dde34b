"""A progress bar for work that takes more than a moment, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Item = TypeVar("Item")

DELAY = 2.0  # seconds before a bar appears: most work is done by then

# Whether this thread is at work for a bar already: work within that work has none of its own.
_inside: ContextVar[bool] = ContextVar("inside", default=False)


def tracked(items: Iterable[Item], total: int, size: Callable[[Item], int], what: str) -> Iterator[Item]:
    """Yield the items, and show on a terminal with tqdm how far the work on them has come, if it is long."""
    if _inside.get() or not seen():
        yield from items
        return
    began, done, bar = time.monotonic(), 0, None
    _inside.set(True)
    try:
        for item in items:
            yield item
            done += size(item)
            if bar is not None:
                bar.update(size(item))
            elif time.monotonic() - began > DELAY and done < total:
                bar = _bar(total, done, what)
    finally:
        _inside.set(False)
        if bar is not None:
            bar.close()


def is_terminal(stream: Any) -> bool:
    """Tell whether a stream is a terminal."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def seen() -> bool:
    """Tell whether anyone looks: standard error is a terminal."""
    return is_terminal(sys.stderr)


def _bar(total: int, done: int, what: str) -> Any:
    """Return a bar that stands where the work is, or None without tqdm."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=total, initial=done, unit=f" {what}", unit_scale=total >= 1000, leave=False)


@contextmanager
def counter(total: int | None, what: str) -> Iterator[Callable[[int], None]]:
    """Show how far work has come that someone else does."""
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda _: None
        return
    bar: Any = tqdm(total=total, unit=f" {what}", unit_scale=True, delay=DELAY, disable=None, leave=False)
    with bar:
        yield bar.update
