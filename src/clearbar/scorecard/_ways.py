"""The same folds, combined in every way: scorecards side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from clearbar.core._value import Value
from clearbar.formatting import Cell, Column, Table
from clearbar.scorecard._declared import COLUMNS
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._tables import NAME, Layout, Line, Names, table
from clearbar.scorecard._view import View

if TYPE_CHECKING:
    from clearbar.scorecard._folds import FoldScorecard


class Ways(Printed, Value, Mapping[str, "FoldScorecard"]):
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
        columns = [column for column in COLUMNS if column.word in {"bar", "score", "skill"}]
        names = ("measure", "model") if len(first.models) > 1 else ("measure",)
        one_way = [
            (way, table(view, [Line([model], 0, view.card.measures.index(measure))], Layout(names, columns),
                        Names.of(view.card, NAME, [0])))
            for measure in first.measures for model in range(len(first.models))
            for way, view in views.items() if measure in view.card.measures
        ]  # fmt: skip
        at, (_, outline) = len(names), one_way[0]
        return Table(
            (*outline.columns[:at], Column(), *outline.columns[at:]),
            ((*outline.header[0][:at], Cell("folds combined"), *outline.header[0][at:]),),
            tuple((*one.rows[0][:at], Cell(way), *one.rows[0][at:]) for way, one in one_way),
            named=at + 1,
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
