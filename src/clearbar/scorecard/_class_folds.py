"""The scorecard of folds of more than two classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from clearbar.problems.combine import CLASS_WAYS, FoldClasses
from clearbar.scorecard._folds import FoldScorecard, UndefinedFold, over_folds


@dataclass(frozen=True, eq=False)
class ClassFoldScorecard(FoldScorecard):
    """A scorecard over folds of more than two classes; `fold_counts` are the folds' confusion matrices.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = ["a", "b", "c", "a", "b", "c", "a", "b"]
    >>> card = cb.evaluate_folds(y_true, y_true, [1, 1, 1, 1, 2, 2, 2, 2], "f1_macro")
    >>> len(card.fold_counts[0]), card.fold_counts[0][0].total
    (2, 4)
    """

    _heads: ClassVar[tuple[str, ...]] = ("samples", "right")

    @property
    def undefined_folds(self) -> tuple[UndefinedFold, ...]:
        """Every fold in which a measure has no value for a model."""
        return tuple(
            UndefinedFold(self.models[model], self.measures[at].name, self.folds[fold], "no value")
            for model, fold, at in np.argwhere(np.isnan(self.fold_scores)).tolist()
        )

    def _ways(self) -> dict[str, tuple[Any, tuple[Any, ...]]]:
        return {name: (way, self.measures) for name, way in CLASS_WAYS.items()}

    def _judged(self, *problem_and_measures: Any, **how: Any) -> FoldScorecard:
        return class_fold_scorecard(*problem_and_measures, **how)

    def _counted(self, model: int, fold: int) -> tuple[int, tuple[int, ...]]:
        matrix: Any = self.fold_counts[model][fold]
        return matrix.total, (matrix.total, matrix.correct)


def class_fold_scorecard(
    problem: FoldClasses, measures: tuple[Any, ...], notes: Sequence[str] = (), **how: Any
) -> ClassFoldScorecard:
    """Judge the confusion matrices of folds; `notes` are more to say below the tables."""
    return over_folds(
        ClassFoldScorecard,
        problem,
        measures,
        notes,
        about=[problem.way.note(len(problem.folds))],
        fold_counts=problem.matrices,
        fold_scores=problem.in_each_fold(measures),
        **how,
    )
