"""The ways to make one score of the counts of many folds: each a file with one object, named here."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.problems.combine.ways._way import Way
from clearbar.problems.combine.ways.mean import MEAN
from clearbar.problems.combine.ways.mean_of_defined import MEAN_OF_DEFINED
from clearbar.problems.combine.ways.pooled import POOLED
from clearbar.problems.combine.ways.precision_recall import PRECISION_RECALL
from clearbar.problems.combine.ways.precision_recall_of_defined import PRECISION_RECALL_OF_DEFINED

__all__ = ["POOLED", "WAYS", "Way", "chosen_way"]

WAYS: dict[str, Way] = {
    way.name: way for way in (POOLED, MEAN, MEAN_OF_DEFINED, PRECISION_RECALL, PRECISION_RECALL_OF_DEFINED)
}
"""By the names that `aggregate` takes, in the order of the documentation."""


def chosen_way(aggregate: Any, fold_aware: Any) -> Way:
    """Return a way of combining, with the bar that was asked for, or say what can be asked for."""
    if not (isinstance(aggregate, str) and aggregate in WAYS):
        names = ", ".join(map(repr, WAYS))
        raise ValueError(f"aggregate must be one of {names}; found {aggregate!r:.60}.")
    if not isinstance(fold_aware, (bool, np.bool_)):
        raise ValueError(f"fold_aware must be True or False; found {fold_aware!r:.60}.")
    return WAYS[aggregate].knowing_folds if fold_aware else WAYS[aggregate]
