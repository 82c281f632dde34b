"""The tables of a leaderboard: models below each other with the bar as a row, slices beside or below."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import Cell, Column, Table, distinct, number, visible, whole_percent
from clearbar.scorecard._columns import MARKS, STYLES, View, meaning

if TYPE_CHECKING:
    from clearbar.formatting import Align
    from clearbar.scorecard._card import Scorecard

NAMES, IN_FULL = (40, 36, 32, 28, 24, 20, 16, 12), 200
"""Columns that a name may take on a terminal, as many as there is room for, and elsewhere."""

BESIDE = 3
"""How many of these are tried before slices stand below the whole."""

BAR, GUESS = "bar", "random guess"
"""What the rows of bars, and of options chosen at random, are called."""


class BoardColumn(NamedTuple):
    """A column: its cells for the models, for the bars and, if there are options, for a random guess."""

    heading: str
    align: Align
    cells: list[Cell]


@dataclass(frozen=True)
class Board:
    """Models in their order, to be written as tables."""

    card: Scorecard
    measure: int  # the position of the measure that orders them
    order: Sequence[int]  # positions of the models, the best first
    letters: Sequence[str] = ()  # of models that cannot be told apart; none where all can, or nobody knows

    @property
    def models(self) -> tuple[str, ...]:
        """Their names, the best first."""
        return tuple(self.card.models[at] for at in self.order)

    @property
    def bar_at(self) -> int:
        """How many models stand above the row of bars: those that do not score below it."""
        outcome = self.card.columns["outcome"][list(self.order), 0, self.measure]
        return int(np.count_nonzero(outcome != "fails"))

    @functools.cached_property
    def guesses(self) -> FloatArray | None:
        """What a random guess of each group's options expects; None where there are no options."""
        problem = self.card.problem
        guesses = None if problem is None else problem.random_guesses()
        return None if guesses is None or np.isnan(guesses).all() else guesses

    @property
    def rows_below(self) -> tuple[str, ...]:
        """The rows that are no models."""
        return (BAR,) if self.guesses is None else (BAR, GUESS)

    @functools.cached_property
    def view(self) -> View:
        """The card as readers see it."""
        return View.of(self.card, None)

    def table(self, slices: Sequence[int] | None = None, *, name: int = NAMES[0]) -> Table:
        """Return the whole and slices side by side, all of them unless some are given by position."""
        measures = self.card.measures
        columns = [self._scores(visible(measures[self.measure].label), 0, self.measure)]
        if self.card.has_p_values:
            heading = f"{whole_percent(self.card.confidence_level)} interval"
            intervals = [Cell(self.view.interval(at, 0, self.measure)) for at in self.order]
            columns.append(BoardColumn(heading, "right", [*intervals, *[Cell("")] * len(self.rows_below)]))
        if self.letters:
            unknown = [Cell("")] * (len(self.order) - len(self.letters) + len(self.rows_below))
            columns.append(BoardColumn("alike", "left", [*map(Cell, self.letters), *unknown]))
        for at, measure in enumerate(measures):
            if at != self.measure:
                columns.append(self._scores(visible(measure.label), 0, at))
        return self._beside_names([*columns, *self._of_slices(slices, name)], name)

    def _of_slices(self, slices: Sequence[int] | None, name: int) -> list[BoardColumn]:
        groups = range(1, len(self.card.groups)) if slices is None else slices
        titles = distinct([visible(self.card.groups[at]) for at in groups], name)
        return [self._scores(title, at, self.measure) for title, at in zip(titles, groups, strict=True)]

    def _beside_names(self, columns: Sequence[BoardColumn], name: int) -> Table:
        """Return columns beside the names of the models, the bars in their place."""
        names = [Cell(text) for text in (*distinct(self.models, name), *self.rows_below)]
        rows = list(zip(names, *(column.cells for column in columns), strict=True))
        models, others = rows[: len(self.order)], rows[len(self.order) :]
        muted = [tuple(Cell(cell.text, style="muted") for cell in row) for row in others]
        rows = [*models[: self.bar_at], *muted, *models[self.bar_at :]]
        aligned = (Column(), *(Column(column.align) for column in columns))
        header = (Cell(""), *(Cell(column.heading) for column in columns))
        return Table(aligned, (header,), tuple(rows))

    def tables(self, wide: int) -> list[Table]:
        """Return one table; or that of the whole, and below it the slices: a line each, or side by side."""
        for name in NAMES[:BESIDE]:
            beside = self.table(name=name)
            if beside.width <= wide:
                return [beside]
        wholes = (self.table([], name=name) for name in NAMES)
        whole = next((table for table in wholes if table.fits(wide)), self.table([], name=NAMES[0]))
        stacks = (self._a_line_each(name) for name in NAMES)
        lines = next((table for table in stacks if table.fits(wide)), None)
        return [whole, *(self._side_by_side(wide) if lines is None else [lines])]

    def _side_by_side(self, wide: int) -> list[Table]:
        """Return tables of as many slices as fit, their names as long as there is room for."""
        groups = range(1, len(self.card.groups))
        for size in range(len(groups), 0, -1):
            starts = range(0, len(groups), size)
            for name in NAMES:
                sides = (self._of_slices(groups[at : at + size], name) for at in starts)
                parts = [self._beside_names(columns, name) for columns in sides]
                if all(part.width <= wide for part in parts):
                    return parts
        return parts

    def _a_line_each(self, name: int) -> Table:
        """Return the slices below each other, and beside each its bar and the models."""
        rows = []
        for slice_ in self._of_slices(None, NAMES[0]):
            models, others = slice_.cells[: len(self.order)], slice_.cells[len(self.order) :]
            rows.append((Cell(slice_.heading), *others, *models))
        heads = ("", *self.rows_below, *distinct(self.models, name))
        columns = (Column(), *[Column("decimal")] * (len(heads) - 1))
        return Table(columns, (tuple(map(Cell, heads)),), tuple(rows))

    def _scores(self, heading: str, group: int, measure: int) -> BoardColumn:
        """Return the scores of the models, then the bar."""
        bar, scores = self.view.written(self.order, group, measure)
        states = [str(self.view.state[at, group, measure]) for at in self.order]
        judged = [self.card.measures[measure]]
        cells = [Cell(text, MARKS.get(state, ""), STYLES.get(state, ""), note=meaning(state, judged))
                 for text, state in zip(scores, states, strict=True)]  # fmt: skip
        guess = [] if self.guesses is None else [Cell(self._guess(group, measure))]
        return BoardColumn(heading, "decimal", [*cells, Cell(bar), *guess])

    def _guess(self, group: int, measure: int) -> str:
        """Write what a random guess scores, by the share that is right."""
        if self.guesses is None or self.card.measures[measure].name != "accuracy":
            return ""
        guess = float(self.guesses[group])
        return "–" if math.isnan(guess) else number(guess, self.view.samples(group))
