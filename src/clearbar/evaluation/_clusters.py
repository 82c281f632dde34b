"""Which samples belong together, as it is given."""

from __future__ import annotations

from typing import Any

from clearbar.core._typing import IntArray
from clearbar.data.counting import factorise
from clearbar.data.labels import refuse_other_rows
from clearbar.problems.groups import FEWEST


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
