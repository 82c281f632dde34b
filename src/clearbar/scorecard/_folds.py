"""The scorecard of folds: one verdict per model and measure, and what lies behind it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray
from clearbar.core.counts import Counts, counts_of
from clearbar.formatting import Cell, Column, Table, number, visible
from clearbar.problems.combine import CLASS_WAYS, WAYS, FoldClasses, FoldLabels, chosen_way, violated
from clearbar.scorecard import _rows
from clearbar.scorecard._card import Scorecard
from clearbar.scorecard._compare import held_problem
from clearbar.scorecard._fold_notes import notes_on
from clearbar.scorecard._judged import Card, best_of_tries, judged
from clearbar.scorecard._rows import refuse_repeated
from clearbar.scorecard._ways import Ways


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

    _heads: ClassVar[tuple[str, ...]] = ("TP", "FP", "FN", "TN")

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "folds", tuple(self.folds))
        refuse_repeated(self.folds, "folds")
        scores = np.array(self.fold_scores, dtype=np.float64)
        scores.flags.writeable = False
        object.__setattr__(self, "fold_scores", scores)
        shape = len(self.models), len(self.folds)
        if self._folds_counted() != shape or scores.shape != (*shape, len(self.measures)):
            raise ValueError(
                f"fold_counts must have shape {shape}, and fold_scores {(*shape, len(self.measures))}."
            )

    def _folds_counted(self) -> tuple[int, ...]:
        """Return the shape of `fold_counts`."""
        return self.fold_counts.shape

    @property
    def gaps_in_notes(self) -> bool:
        """Whether the notes say in which folds there is no value."""
        return True

    @property
    def undefined_folds(self) -> tuple[UndefinedFold, ...]:
        """Every fold in which a measure has no value for a model, or its `requires` fails, and why."""
        measures: Any = self.measures
        return tuple(
            UndefinedFold(model, measure.name, fold, condition)
            for at, model in enumerate(self.models)
            for measure in measures
            for fold, condition in zip(self.folds, violated(measure, self.fold_counts[at]), strict=True)
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
        problem: Any = held_problem(self)
        known = replace(problem.validation, refitted=None)  # refits are of one way of combining alone
        how = {"confidence_level": self.confidence_level, "intervals": self.has_p_values}
        cards = {}
        for name, (way, measures) in self._ways().items():
            combined = replace(problem, way=way, validation=known)
            card = self._judged(combined, measures, **how, random_state=problem.seed)
            cards[name] = best_of_tries(card, self.tries)
        return Ways(cards)

    def _ways(self) -> dict[str, tuple[Any, tuple[Any, ...]]]:
        """Return the ways of combining, each with the measures that it can combine."""
        known: Any = self.measures
        ways = {name: chosen_way(name, self.fold_aware) for name in WAYS}
        taken = {name: tuple(filter(way.takes, known)) for name, way in ways.items()}
        return {name: (ways[name], measures) for name, measures in taken.items() if measures}

    def _judged(self, *problem_and_measures: Any, **how: Any) -> FoldScorecard:
        return fold_scorecard(*problem_and_measures, **how)

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
        names = ["model", "fold"] if len(models) > 1 else ["fold"]
        header = (*names, *self._heads, *(visible(self.measures[at].label) for at in measures))
        columns = [Column()] * len(names) + [Column("right")] * len(self._heads)
        columns += [Column("decimal")] * len(measures)
        rows = []
        for at, fold in itertools.product(models, range(len(self.folds))):
            samples, counts = self._counted(at, fold)
            named = [visible(self.models[at]), visible(str(self.folds[fold]))]
            scores = self.fold_scores[at, fold, list(measures)].tolist()
            written = ("–" if math.isnan(score) else number(score, samples) for score in scores)
            rows.append((*named[-len(names) :], *(f"{count:,}" for count in counts), *written))
        cells = [tuple(map(Cell, row)) for row in (header, *rows)]
        return Table(tuple(columns), tuple(cells[:1]), tuple(cells[1:]))

    def _counted(self, model: int, fold: int) -> tuple[int, tuple[int, ...]]:
        """Return the samples of a fold, and what stands below the heads."""
        counts = self.fold_counts[model, fold]
        return int(counts.total), tuple(map(int, counts.cells))

    def __repr__(self) -> str:
        """Return how much there is."""
        sizes = len(self.models), len(self.folds), len(self.measures)
        return "<FoldScorecard: {} models x {} folds x {} measures>".format(*sizes)


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

    def _folds_counted(self) -> tuple[int, ...]:
        matrices: Any = self.fold_counts
        return len(matrices), *{len(own) for own in matrices}

    def _ways(self) -> dict[str, tuple[Any, tuple[Any, ...]]]:
        return {name: (way, self.measures) for name, way in CLASS_WAYS.items()}

    def _judged(self, *problem_and_measures: Any, **how: Any) -> FoldScorecard:
        return class_fold_scorecard(*problem_and_measures, **how)

    def _counted(self, model: int, fold: int) -> tuple[int, tuple[int, ...]]:
        matrix: Any = self.fold_counts[model][fold]
        return matrix.total, (matrix.total, matrix.correct)


def fold_scorecard(
    problem: FoldLabels, measures: tuple[Measure, ...], notes: Sequence[str] = (), **how: Any
) -> FoldScorecard:
    """Judge the counts of folds; `notes` are more to say below the tables."""
    counts, way = problem.counts, problem.way
    scores = [np.asarray(measure(counts), dtype=np.float64) for measure in measures]
    return _over_folds(
        FoldScorecard,
        problem,
        measures,
        notes,
        about=notes_on(problem, measures),
        counts=counts_of(np.asarray(cell)[:, None] for cell in counts.sum(axis=-1).cells),
        undefined=problem.undefined,
        fold_counts=counts,
        fold_scores=np.stack(scores, axis=-1),
        fold_aware=way.fold_aware,
        **how,
    )


def class_fold_scorecard(
    problem: FoldClasses, measures: tuple[Any, ...], notes: Sequence[str] = (), **how: Any
) -> ClassFoldScorecard:
    """Judge the confusion matrices of folds; `notes` are more to say below the tables."""
    return _over_folds(
        ClassFoldScorecard,
        problem,
        measures,
        notes,
        about=[problem.way.note(len(problem.folds))],
        fold_counts=problem.matrices,
        fold_scores=problem.in_each_fold(measures),
        **how,
    )


def _over_folds(
    kind: type[Card],
    problem: Any,
    measures: tuple[Any, ...],
    notes: Sequence[str],
    *,
    about: Sequence[str],
    intervals: bool,
    **fields: Any,
) -> Card:
    """Judge folds; `about` says how they are combined, below the tables and before the notes."""
    notes = (*about, *problem.validation.caveats(intervals=intervals), *notes)
    fields |= {"folds": problem.folds, "aggregate": problem.way.name}
    return judged(kind, problem, measures, intervals=intervals, notes=notes, **fields)
