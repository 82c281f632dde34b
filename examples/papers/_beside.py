"""A printed number beside the one that comes out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Row(NamedTuple):
    """What is printed, what comes out, and whether they are the same."""

    what: str
    printed: str
    computed: str
    note: str = ""

    @property
    def mark(self) -> str:
        """Nothing where both agree, or what to look at."""
        return self.note or ("" if self.printed in {"", self.computed} else "differs")


def shown(title: str, rows: Iterable[Row], heads: tuple[str, str, str] = ("", "printed", "comes out")) -> str:
    """Return rows as a table with a title."""
    cells = [(*heads, ""), *((row.what, row.printed, row.computed, row.mark) for row in rows)]
    wide = [max(len(row[column]) for row in cells) for column in range(3)]
    lines = (
        f"{what:{wide[0]}}  {printed:>{wide[1]}}  {computed:>{wide[2]}}  {mark}".rstrip()
        for what, printed, computed, mark in cells
    )
    return "\n".join([title, *lines])


def largest_difference(rows: Iterable[Row], item: str = "") -> str:
    """Return the largest difference from print of the rows of an item, errata apart."""
    differences = [
        abs(float(row.printed) - float(row.computed))
        for row in rows
        if row.what.startswith(item) and not row.note.startswith("erratum")
    ]
    if not differences:
        raise ValueError(f"No row is compared with print: {item}")
    return f"{max(differences):.1g}"


def rows_that_differ(rows: Iterable[Row], item: str = "") -> str:
    """Return how many rows of an item differ from print."""
    differ = [row.printed != row.computed for row in rows if row.what.startswith(item)]
    return f"{sum(differ)} of {len(differ)} rows"


def cases_that_differ(rows: Iterable[Row], what: str) -> str:
    """Return how many cases differ, of rows that state how many there are and in how many the claim fails."""
    counts = [(int(row.printed.replace(",", "")), int(row.computed)) for row in rows]
    cases, failed = map(sum, zip(*counts, strict=True))
    return f"{failed} of {cases:,} {what}"
