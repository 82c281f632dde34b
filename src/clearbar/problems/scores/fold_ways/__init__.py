"""The ways to combine scores over folds: each a file with one object, named here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores.fold_ways._way import ScoreWay
from clearbar.problems.scores.fold_ways.mean import MEAN
from clearbar.problems.scores.fold_ways.merged import MERGED, merged_auc

__all__ = ["SCORE_WAYS", "ScoreWay", "chosen_score_way", "merged_auc"]

SCORE_WAYS: dict[str, ScoreWay] = {way.name: way for way in (MEAN, MERGED)}
"""By the names that `aggregate` takes."""


def chosen_score_way(aggregate: Any, measures: Sequence[ScoreMeasure]) -> ScoreWay:
    """Return a way of combining folds, or say what can be asked for."""
    if not (isinstance(aggregate, str) and aggregate in SCORE_WAYS):
        names = " or ".join(map(repr, SCORE_WAYS))
        raise ValueError(f"aggregate must be {names} for scores; found {aggregate!r:.60}.")
    SCORE_WAYS[aggregate].refuse(measures)
    return SCORE_WAYS[aggregate]
