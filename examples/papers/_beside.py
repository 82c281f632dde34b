"""A printed number beside the one that comes out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """What is printed, what comes out, and whether they are the same."""

    what: str
    printed: str
    found: str
    note: str = ""

    @property
    def mark(self) -> str:
        """Nothing where both agree, or what to look at."""
        return self.note or ("" if self.printed == self.found else "differs")


def shown(title: str, rows: Iterable[Row], heads: tuple[str, str, str] = ("", "printed", "comes out")) -> str:
    """Return rows as a table with a title."""
    cells = [(*heads, ""), *((row.what, row.printed, row.found, row.mark) for row in rows)]
    wide = [max(len(row[at]) for row in cells) for at in range(3)]
    lines = (
        f"{what:{wide[0]}}  {printed:>{wide[1]}}  {found:>{wide[2]}}  {mark}".rstrip()
        for what, printed, found, mark in cells
    )
    return "\n".join([title, *lines])
