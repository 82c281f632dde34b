"""The scorecard of folds: one verdict per model and measure, and what lies behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Counts, counts_of
from clearbar.formatting import Cell, Column, Table, number, visible
from clearbar.problems.combine import WAYS, FoldLabels, chosen_way, violated
from clearbar.problems.validation import UNKNOWN, Validation
from clearbar.scorecard import _rows
from clearbar.scorecard._card import Scorecard
from clearbar.scorecard._fold_notes import notes_on
from clearbar.scorecard._names import refuse_repeated
from clearbar.scorecard._tries import best_of_tries
from clearbar.scorecard._ways import Ways
from clearbar.verdict import judge_problem


class UndefinedFold(NamedTuple):
    """A fold in which a measure has no value for a model, and the condition that fails there."""

    model: str
    measure: str
    fold: Any
    condition: str


@dataclass(frozen=True, eq=False)
class FoldScorecard(Scorecard):
    """A scorecard over folds: scores combined in one way, against the bar of that same way.

    Made by `clearbar.evaluate_folds` and `clearbar.evaluate_fold_counts`. It is a `Scorecard` with one
    row per model and measure; `counts` are the folds' counts, pooled.

    Attributes
    ----------
    folds : tuple
        The folds' names.
    fold_counts : Counts
        What happened in each fold: arrays of shape (models, folds).
    fold_scores : ndarray of shape (models, folds, measures)
        The measure in each fold, nan where it has no value.
    aggregate : str
        How folds are combined.
    fold_aware : bool
        Whether the bar of pooled counts may treat folds differently.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
    >>> card = cb.evaluate_fold_counts(counts, "f1")
    >>> card[0].outcome, [round(float(score), 3) for score in card.fold_scores[0, :, 0]]
    ('clears', [1.0, 0.889])
    """

    folds: tuple[Any, ...] = ()
    fold_counts: Counts = field(default_factory=lambda: Counts(tp=0, fp=0, fn=0, tn=0))
    fold_scores: FloatArray = field(default_factory=lambda: np.zeros((0, 0, 0)))
    aggregate: str = "pooled"
    fold_aware: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "folds", tuple(self.folds))
        refuse_repeated(self.folds, "folds")
        scores = np.array(self.fold_scores, dtype=np.float64)
        scores.flags.writeable = False
        object.__setattr__(self, "fold_scores", scores)
        self._refuse_other_shape()

    def _refuse_other_shape(self) -> None:
        shape = len(self.models), len(self.folds)
        if self.fold_counts.shape != shape or self.fold_scores.shape != (*shape, len(self.measures)):
            raise ValueError(
                f"fold_counts must have shape {shape}, and fold_scores {(*shape, len(self.measures))}."
            )

    @property
    def gaps_in_notes(self) -> bool:
        """Whether the notes say in which folds there is no value."""
        return True

    @property
    def undefined_folds(self) -> tuple[UndefinedFold, ...]:
        """Every fold in which a measure has no value for a model, or its `requires` fails, and why."""
        return tuple(
            UndefinedFold(model, measure.name, fold, condition)
            for at, model in enumerate(self.models)
            for measure in self.measures
            for fold, condition in zip(
                self.folds, violated(_catalogued(measure), self.fold_counts[at]), strict=True
            )
            if condition
        )

    def all_ways(self) -> Ways:
        """Judge the same folds in every way of combining.

        Returns
        -------
        Ways
            A scorecard per way, each with the bar of that way; printing it shows them side by side.

        Examples
        --------
        >>> import clearbar as cb
        >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
        >>> ways = cb.evaluate_fold_counts(counts, "f1").all_ways()
        >>> round(ways["mean"][0].score, 3)
        0.944
        """
        measures = tuple(_catalogued(measure) for measure in self.measures)
        cards: dict[str, FoldScorecard] = {}
        for name in WAYS:
            way = chosen_way(name, self.fold_aware)
            chosen = tuple(measure for measure in measures if way.takes(measure))
            if chosen:
                problem = FoldLabels(
                    self.models,
                    self.fold_counts,
                    self.folds,
                    way,
                    self.undefined,
                    validation=self._validation,
                )
                card = fold_scorecard(
                    problem,
                    chosen,
                    confidence_level=self.confidence_level,
                    intervals=self.has_p_values,
                    random_state=getattr(self.problem, "seed", 0),
                )
                cards[name] = best_of_tries(card, self.tries)
        return Ways(cards)

    @property
    def _validation(self) -> Validation:
        """How the folds were made; what refits say is known for one way of combining alone."""
        known = self.problem.validation if isinstance(self.problem, FoldLabels) else UNKNOWN
        return replace(known, refitted=None)

    def fold_table(self, measure: Any = None, model: str | None = None) -> Table:
        """Return the counts and scores of each fold.

        Parameters
        ----------
        measure : str or Measure, optional
            Any name of a measure; all by default.
        model : str, optional
            A model; all by default.

        Returns
        -------
        Table
            A row per model and fold, with ``to_text()``, ``to_html()``, ``to_markdown()`` and
            ``to_latex()``.

        Raises
        ------
        ValueError
            If there is no such measure or model.

        Examples
        --------
        >>> import clearbar as cb
        >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
        >>> print(cb.evaluate_fold_counts(counts, "f1").fold_table().to_text())
        fold  TP  FP  FN  TN     F1
        1      3   0   0   7  1
        2      4   1   0   5  0.889
        """
        models = range(len(self.models)) if model is None else [_rows.which_model(self, model)]
        measures = range(len(self.measures)) if measure is None else [_rows.which_measure(self, measure)]
        return self._fold_table(list(models), list(measures))

    def _fold_table(self, models: list[int], measures: list[int]) -> Table:
        return _fold_table(self, models, measures)

    def __repr__(self) -> str:
        """Return how much there is."""
        sizes = len(self.models), len(self.folds), len(self.measures)
        return "<FoldScorecard: {} models x {} folds x {} measures>".format(*sizes)


def _catalogued(measure: Any) -> Measure:
    if not isinstance(measure, Measure):
        raise TypeError(f"{measure!r} is no measure of a confusion matrix.")
    return measure


def _fold_table(card: FoldScorecard, models: list[int], measures: list[int]) -> Table:
    several = len(models) > 1
    labels = [Cell(visible(card.measures[at].label)) for at in measures]
    names = [Cell("model")] if several else []
    header = (*names, Cell("fold"), *(Cell(cell) for cell in ("TP", "FP", "FN", "TN")), *labels)
    columns = (
        *(Column() for _ in (*names, "fold")),
        *(Column("right") for _ in range(4)),
        *(Column("decimal") for _ in measures),
    )
    rows = []
    for model in models:
        for fold, name in enumerate(card.folds):
            one = card.fold_counts[model, fold]
            scores = card.fold_scores[model, fold, measures]
            own = [Cell(visible(card.models[model]))] if several else []
            cells = [Cell(f"{int(cell):,}") for cell in one.cells]
            shown = [
                Cell("–" if math.isnan(score) else number(float(score), int(one.total))) for score in scores
            ]
            rows.append((*own, Cell(visible(str(name))), *cells, *shown))
    return Table(columns, (header,), tuple(rows))


def fold_scorecard(
    problem: FoldLabels,
    measures: tuple[Measure, ...],
    notes: tuple[str, ...] = (),
    *,
    confidence_level: float,
    intervals: bool,
    random_state: int = 0,
) -> FoldScorecard:
    """Judge the counts of folds; `notes` are more to say below the tables."""
    problem = problem.seeded(random_state)
    bars, columns = judge_problem(problem, measures, intervals=intervals, confidence_level=confidence_level)
    counts, way = problem.counts, problem.way
    pooled = counts.sum(axis=-1)
    return FoldScorecard(
        problem.models,
        (None,),
        measures,
        counts_of(np.asarray(cell)[:, None] for cell in pooled.cells),
        bars,
        columns,
        problem.undefined,
        (*notes_on(problem, measures), *problem.validation.caveats(intervals=intervals), *notes),
        folds=problem.folds,
        fold_counts=counts,
        fold_scores=np.stack(
            [np.asarray(measure(counts), dtype=np.float64) for measure in measures], axis=-1
        ),
        aggregate=way.name,
        fold_aware=way.fold_aware,
        confidence_level=confidence_level,
        has_p_values=intervals,
        problem=problem,
    )
