"""The same folds, combined in every way: scorecards side by side."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core._value import Value
from clearbar.formatting import Cell, Column, Table, encoding_of, number, signed, visible
from clearbar.scorecard._tables import MARKS, MEANING, STYLES, View

if TYPE_CHECKING:
    from clearbar.scorecard._folds import FoldScorecard


class Ways(Value, Mapping[str, "FoldScorecard"]):
    """A scorecard for every way of combining folds, by name; made by `FoldScorecard.all_ways`.

    Parameters
    ----------
    cards : mapping of str to FoldScorecard
        The ways that some measure can be combined in.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
    >>> list(cb.evaluate_fold_counts(counts, "mcc").all_ways())
    ['pooled', 'mean', 'mean_of_defined']
    """

    def __init__(self, cards: Mapping[str, FoldScorecard]) -> None:
        self._cards = dict(cards)

    def _identity(self) -> tuple[Any, ...]:
        return tuple(self._cards.items())

    __eq__ = Value.__eq__
    __hash__ = Value.__hash__

    def __getitem__(self, aggregate: str) -> FoldScorecard:
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
        several = len(first.models) > 1
        names = ["measure", *(["model"] if several else []), "folds combined"]
        header = tuple(Cell(text) for text in (*names, "bar", "score", "skill"))
        columns = (*(Column() for _ in names), *(Column("decimal") for _ in range(3)))
        rows = [
            (*(Cell(text) for text in ([label, model, way] if several else [label, way])), *cells)
            for label, model, way, cells in _rows_of(views)
        ]
        return Table(columns, (header,), tuple(rows))

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

    def __str__(self) -> str:
        """Return the table, and what its marks mean."""
        table = self.table()
        marks = {row[-1].mark: row[-1].note for row in table.rows if row[-1].mark}
        legend = "   ".join(f"{mark} {note}" for mark, note in marks.items())
        return "\n".join([table.to_text(encoding=encoding_of(sys.stdout)), *([legend] if legend else [])])

    def __repr__(self) -> str:
        """Return which ways there are."""
        return f"<Ways: {', '.join(self._cards)}>"

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return self.table().to_html()


def _rows_of(views: Mapping[str, View]) -> Iterator[tuple[str, str, str, list[Cell]]]:
    first = next(iter(views.values())).card
    for measure in first.measures:
        for model, name in enumerate(first.models):
            for way, view in views.items():
                if measure not in view.card.measures:
                    continue
                at = view.card.measures.index(measure)
                bar, score = (float(view.card.columns[key][model, 0, at]) for key in ("bar", "score"))
                yield visible(measure.label), visible(name), way, _cells(view, model, at, bar, score)


def _cells(view: View, model: int, measure: int, bar: float, score: float) -> list[Cell]:
    state = str(view.state[model, 0, measure])
    samples = int(np.asarray(view.card.population.total)[0])
    shown = [Cell("–" if math.isnan(value) else number(value, samples)) for value in (bar, score)]
    silent = state in {"unbeatable", "undefined"}
    skill = math.nan if silent else float(view.card.columns["skill"][model, 0, measure])
    mark = MARKS.get(state, "")
    return [*shown, Cell(signed(skill), mark, STYLES.get(state, ""), note=MEANING.get(state, ""))]
