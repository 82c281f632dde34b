"""What samples are parted by: slices, and groups of those that belong together."""

from __future__ import annotations

from typing import Any, NamedTuple

from clearbar.core._typing import IntArray
from clearbar.data.columns import refuse_other_rows
from clearbar.data.groups import factorise, rows_of
from clearbar.problems.groups import FEWEST


class Parts(NamedTuple):
    """The whole and the slices by name, the slice and the group of each sample, and what is said of it."""

    groups: tuple[Any, ...]
    places: IntArray | None
    together: IntArray | None
    notes: tuple[str, ...]

    @property
    def rows(self) -> tuple[Any, ...]:
        """The samples of the whole and of each slice."""
        return rows_of(self.places, len(self.groups) - 1)

    @classmethod
    def of(cls, y_true: Any, by: Any, clusters: Any, length: int) -> Parts:
        """Read slices and groups of so many samples; None where there are none."""
        names, places = ((), None) if by is None else factorise(by, length)
        refuse_other_rows(y_true, by, "by")
        together, notes = read_clusters(clusters, y_true, length)
        return cls((None, *names), places, together, notes)


def read_clusters(clusters: Any, y_true: Any, length: int) -> tuple[IntArray | None, tuple[str, ...]]:
    """Return the group of each sample, and what is said of the groups; None where there are none."""
    if clusters is None:
        return None, ()
    names, codes = factorise(clusters, length, "clusters")
    refuse_other_rows(y_true, clusters, "clusters")
    if len(names) < FEWEST:
        only = f"only {len(names)} group{'s' * (len(names) != 1)}"
        raise ValueError(
            f"clusters must hold at least {FEWEST} groups, since whole groups are what is drawn anew; "
            f"found {only}."
        )
    return codes, said_of_groups(len(names), length)


def said_of_groups(groups: int, samples: int) -> tuple[str, ...]:
    """Say what is taken for independent."""
    return (f"Whole groups are taken for independent: {groups:,} groups of {samples:,} samples.",)
