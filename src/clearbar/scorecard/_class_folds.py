"""The scorecard of folds of more than two classes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.formatting import Cell, Column, Table, number, visible
from clearbar.problems.combine import CLASS_WAYS, FoldClasses
from clearbar.scorecard._folds import FoldScorecard, UndefinedFold
from clearbar.scorecard._tries import best_of_tries
from clearbar.scorecard._ways import Ways
from clearbar.verdict import judge_problem


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

    def _refuse_other_shape(self) -> None:
        pass

    @property
    def undefined_folds(self) -> tuple[UndefinedFold, ...]:
        """Every fold in which a measure has no value for a model."""
        return tuple(
            UndefinedFold(self.models[model], self.measures[at].name, self.folds[fold], "no value")
            for model, fold, at in np.argwhere(np.isnan(self.fold_scores)).tolist()
        )

    def all_ways(self) -> Ways:
        """Judge the same folds in both ways of combining."""
        problem: Any = self.problem
        known = replace(problem.validation, refitted=None)
        how: dict[str, Any] = {
            "confidence_level": self.confidence_level,
            "intervals": self.has_p_values,
            "random_state": problem.seed,
        }
        ways = {name: replace(problem, way=way, validation=known) for name, way in CLASS_WAYS.items()}
        cards = {name: class_fold_scorecard(one, self.measures, **how) for name, one in ways.items()}
        return Ways({name: best_of_tries(card, self.tries) for name, card in cards.items()})

    def _fold_table(self, models: list[int], measures: list[int]) -> Table:
        several = len(models) > 1
        names = ([Cell("model")] if several else []) + [Cell("fold"), Cell("samples"), Cell("right")]
        header = (*names, *(Cell(visible(self.measures[at].label)) for at in measures))
        columns = (
            *(Column() for _ in names[:-2]),
            *(Column("right"),) * 2,
            *(Column("decimal"),) * len(measures),
        )
        rows = []
        for model in models:
            for fold, name in enumerate(self.folds):
                matrix: Any = self.fold_counts[model][fold]
                own = [Cell(visible(self.models[model]))] if several else []
                facts = Cell(visible(str(name))), Cell(f"{matrix.total:,}"), Cell(f"{matrix.correct:,}")
                scores = self.fold_scores[model, fold, measures].tolist()
                shown = (Cell("–" if math.isnan(score) else number(score, matrix.total)) for score in scores)
                rows.append((*own, *facts, *shown))
        return Table(columns, (header,), tuple(rows))


def class_fold_scorecard(
    problem: FoldClasses,
    measures: tuple[Any, ...],
    notes: tuple[str, ...] = (),
    *,
    confidence_level: float,
    intervals: bool,
    random_state: int = 0,
) -> ClassFoldScorecard:
    """Judge the confusion matrices of folds; `notes` are more to say below the tables."""
    problem = problem.seeded(random_state)
    bars, columns = judge_problem(problem, measures, intervals=intervals, confidence_level=confidence_level)
    how_combined = problem.way.note(len(problem.folds))
    return ClassFoldScorecard(
        problem.models,
        (None,),
        measures,
        None,
        bars,
        columns,
        "exclude",
        (how_combined, *problem.validation.caveats(intervals=intervals), *notes),
        folds=problem.folds,
        fold_counts=problem.matrices,  # type: ignore[arg-type]
        fold_scores=problem.in_folds(measures),
        aggregate=problem.way.name,
        confidence_level=confidence_level,
        has_p_values=intervals,
        problem=problem,
    )
