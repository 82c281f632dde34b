"""A progress bar for work that takes more than a moment, on a terminal only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

Item = TypeVar("Item")

DELAY = 2.0
"""Seconds before a bar appears: most work is done by then."""

SMALL = 2**22
"""Work that is done before a bar would be set up."""


def tracked(items: Iterable[Item], total: int, size: Callable[[Item], int], what: str) -> Iterator[Item]:
    """Yield the items, and show how far the work on them has come.

    Nothing is shown off a terminal, for short work, or where tqdm is not installed (it comes with
    the extra ``cli``).

    Parameters
    ----------
    items : iterable
        Parts of the work.
    total : int
        The size of all of it.
    size : callable
        The size of one part.
    what : str
        The unit of size, such as ``"evaluations"``.

    Yields
    ------
    object
        The items.
    """
    if total < SMALL:
        yield from items
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield from items
        return
    bar: Any = tqdm(total=total, unit=f" {what}", unit_scale=True, delay=DELAY, disable=None, leave=False)
    with bar:
        for item in items:
            yield item
            bar.update(size(item))
