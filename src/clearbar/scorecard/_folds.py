"""Folds behind a scorecard: a table of them, where a measure has no value, and every way to combine them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clearbar.core._value import Value
from clearbar.core.counts import Counts
from clearbar.formatting import Cell, Column, Table, number, visible
from clearbar.problems.combine import CLASS_WAYS, WAYS, chosen_way, violated
from clearbar.scorecard._columns import COLUMNS, View
from clearbar.scorecard._compare import held_problem
from clearbar.scorecard._judged import best_of_tries, judged
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._rows import which_measure, which_model
from clearbar.scorecard._tables import NAME, Layout, Line, Names, table

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard


class UndefinedFold(NamedTuple):
    """A fold in which a measure has no value for a model, and the condition that fails there."""

    model: str
    measure: str
    fold: Any
    condition: str


def _refuse_no_folds(card: Scorecard) -> None:
    if not card.folds:
        raise ValueError("this scorecard combines no folds of labels; evaluate_folds makes one that does.")


def undefined_folds(card: Scorecard) -> tuple[UndefinedFold, ...]:
    """Return every fold in which a measure has no value for a model, or its `requires` fails, and why."""
    counts: Any = card.fold_counts
    if not isinstance(counts, Counts):
        return tuple(
            UndefinedFold(card.models[model], card.measures[measure].name, card.folds[fold], "no value")
            for model, fold, measure in np.argwhere(np.isnan(card.fold_scores)).tolist()
        )
    measures: Any = card.measures
    return tuple(
        UndefinedFold(name, measure.name, fold, condition)
        for model, name in enumerate(card.models)
        for measure in measures
        for fold, condition in zip(card.folds, violated(measure, counts[model]), strict=True)
        if condition
    )


def fold_table(card: Scorecard, measure: Any = None, model: str | None = None) -> Table:
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
        If there is no such measure or model, or no folds of labels were combined.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
    >>> print(cb.evaluate_fold_counts(counts, "f1").fold_table().to_text())
    fold  TP  FP  FN  TN     F1
    1      3   0   0   7  1
    2      4   1   0   5  0.889
    """
    _refuse_no_folds(card)
    models = range(len(card.models)) if model is None else [which_model(card, model)]
    measures = range(len(card.measures)) if measure is None else [which_measure(card, measure)]
    names = ["model", "fold"] if len(models) > 1 else ["fold"]
    heads = ["TP", "FP", "FN", "TN"] if isinstance(card.fold_counts, Counts) else ["samples", "right"]
    rows = []
    for position, fold in itertools.product(models, range(len(card.folds))):
        samples, counts = _counted(card.fold_counts, position, fold)
        labels = [visible(card.models[position]), visible(str(card.folds[fold]))][-len(names) :]
        scores = card.fold_scores[position, fold, list(measures)].tolist()
        written = ("–" if math.isnan(score) else number(score, samples) for score in scores)
        rows.append([*labels, *(f"{count:,}" for count in counts), *written])
    return Table.of(
        ["left"] * len(names) + ["right"] * len(heads) + ["decimal"] * len(measures),
        [*names, *heads, *(visible(card.measures[position].label) for position in measures)],
        rows,
    )


def _counted(fold_counts: Any, model: int, fold: int) -> tuple[int, tuple[int, ...]]:
    """Return the samples of a fold and what is counted there: the cells, or how many samples are right."""
    if isinstance(fold_counts, Counts):
        counts = fold_counts[model, fold]
        return int(counts.total), tuple(map(int, counts.cells))
    matrix = fold_counts[model][fold]
    return matrix.total, (matrix.total, matrix.correct)


def all_ways(card: Scorecard) -> Ways:
    """Judge the same folds in every way of combining.

    Returns
    -------
    Ways
        A scorecard per way, each with the bar of that way; printing it shows them side by side.

    Raises
    ------
    ValueError
        If no folds of labels were combined.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
    >>> ways = cb.evaluate_fold_counts(counts, "f1").all_ways()
    >>> round(ways["mean"][0].score, 3)
    0.944
    """
    _refuse_no_folds(card)
    problem: Any = held_problem(card)
    validation = replace(problem.validation, refitted=None)  # refits are of one way of combining alone
    of_two = isinstance(card.fold_counts, Counts)
    ways: Any = {name: chosen_way(name, card.fold_aware) for name in WAYS} if of_two else CLASS_WAYS
    cards = {}
    for name, way in ways.items():
        measures = tuple(filter(way.takes, card.measures)) if of_two else card.measures
        if measures:
            combined = judged(
                replace(problem, way=way, validation=validation),
                measures,
                confidence_level=card.confidence_level,
                intervals=card.has_p_values,
                random_state=problem.seed,
            )
            cards[name] = best_of_tries(combined, card.tries)
    return Ways(cards)


class Ways(Printed, Value, Mapping[str, "Scorecard"]):
    """A scorecard for every way of combining folds, by name; made by ``card.all_ways``.

    Parameters
    ----------
    cards : mapping of str to Scorecard
        The ways that some measure can be combined in.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
    >>> list(cb.evaluate_fold_counts(counts, "mcc").all_ways())
    ['pooled', 'mean', 'mean_of_defined']
    """

    def __init__(self, cards: Mapping[str, Scorecard]) -> None:
        self._cards = dict(cards)

    def _identity(self) -> tuple[Any, ...]:
        return tuple(self._cards.items())

    __eq__ = Value.__eq__
    __hash__ = Value.__hash__

    def __getitem__(self, aggregate: str) -> Scorecard:
        """Return the scorecard of one way."""
        if aggregate not in self._cards:
            raise KeyError(f"no way {aggregate!r}; there is {', '.join(self._cards)}")
        return self._cards[aggregate]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the ways."""
        return iter(self._cards)

    def __len__(self) -> int:
        """Return the number of ways."""
        return len(self._cards)

    def table(self, alpha: float | None = None) -> Table:
        """Return scores, bars and skills, a row per measure, model and way.

        Parameters
        ----------
        alpha : float
            The p-value above which a score is marked as doubtful.

        Returns
        -------
        Table
        """
        views = {name: View.of(card, alpha) for name, card in self._cards.items()}
        first = next(iter(self._cards.values()))
        names = ("measure", "model") if len(first.models) > 1 else ("measure",)
        layout = Layout(names, [column for column in COLUMNS if column.word in {"bar", "score", "skill"}])
        rows = []
        for measure, model in itertools.product(first.measures, range(len(first.models))):
            for way, view in views.items():
                if measure in view.card.measures:
                    line = Line([model], 0, view.card.measures.index(measure))
                    outline = table(view, [line], layout, Names.of(view.card, NAME, [0]))
                    rows.append(_inserted(outline.rows[0], len(names), Cell(way)))
        return Table(
            _inserted(outline.columns, len(names), Column()),
            (_inserted(outline.header[0], len(names), Cell("folds combined")),),
            tuple(rows),
            named=len(names) + 1,
        )

    def to_frame(self, backend: Any = "pandas") -> dict[str, Any]:
        """Return a data frame per way.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The library that makes them.

        Returns
        -------
        dict of str to data frame
        """
        return {name: card.to_frame(backend) for name, card in self._cards.items()}

    def _page(self, wide: int | None) -> Page:  # noqa: ARG002 - no column can be left out
        table = self.table()
        marks = {cell.mark: cell.note for row in table.rows for cell in row if cell.mark}
        return Page("", [Block(table, legend=[f"{mark} {note}" for mark, note in marks.items()])])

    def __repr__(self) -> str:
        """Return which ways there are."""
        return f"<Ways: {', '.join(self._cards)}>"


def _inserted(row: tuple[Any, ...], position: int, value: Any) -> tuple[Any, ...]:
    return (*row[:position], value, *row[position:])
