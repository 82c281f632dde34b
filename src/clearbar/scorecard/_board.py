"""The tables of a leaderboard: models below each other with the bar as a row, slices beside or below."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clearbar.formatting import Cell, Column, Table, distinct, number, visible, whole_percent
from clearbar.scorecard._tables import table_width
from clearbar.scorecard._view import MARKS, STYLES, View, meaning

if TYPE_CHECKING:
    from clearbar.formatting import Align
    from clearbar.scorecard._columns import Columns

NAMES, IN_FULL = (40, 36, 32, 28, 24, 20, 16, 12), 200
"""Columns that a name may take on a terminal, as many as there is room for, and elsewhere."""

BESIDE = 3
"""How many of these are tried before slices stand below the whole."""

_ALIGN: dict[str, Align] = {"interval": "right", "alike": "left"}

BAR = "bar"
"""What the row of bars is called."""


@dataclass(frozen=True)
class Board:
    """Models in their order, to be written as tables."""

    card: Columns
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
    def view(self) -> View:
        """The card as readers see it."""
        return View.of(self.card, None)

    @property
    def _slices(self) -> list[int]:
        return list(range(1, len(self.card.groups)))

    def table(self, slices: Sequence[int] | None = None, *, name: int = NAMES[0]) -> Table:
        """Return the whole and slices side by side, all of them unless some are given by position."""
        groups = self._slices if slices is None else slices
        heads, columns = [visible(self.card.measures[self.measure].label)], [self._scores(0, self.measure)]
        if self.card.has_p_values:
            level = whole_percent(self.card.confidence_level)
            heads.append(f"{level} interval")
            columns.append([Cell(self._interval(at)) for at in self.order] + [Cell("")])
        if self.letters:
            heads.append("alike")
            unknown = len(self.order) - len(self.letters)
            columns.append([*map(Cell, self.letters), *[Cell("")] * (unknown + 1)])
        for other in range(len(self.card.measures)):
            if other != self.measure:
                heads.append(visible(self.card.measures[other].label))
                columns.append(self._scores(0, other))
        heads += self._titles(groups, name)
        columns += [self._scores(at, self.measure) for at in groups]
        names = [Cell(text) for text in (*distinct(self.models, name), BAR)]
        *rows, bars = zip(names, *columns, strict=True)
        rows.insert(self.bar_at, tuple(Cell(cell.text, style="muted") for cell in bars))
        aligned = [Column(), *(Column(_ALIGN.get(head.rpartition(" ")[2], "decimal")) for head in heads)]
        return Table(tuple(aligned), (tuple(map(Cell, ("", *heads))),), tuple(rows))

    def tables(self, wide: int) -> list[Table]:
        """Return one table; or that of the whole, and below it the slices: a line each, or side by side."""
        for name in NAMES[:BESIDE]:
            beside = self.table(name=name)
            if table_width(beside) <= wide:
                return [beside]
        wholes = (self.table([], name=name) for name in NAMES)
        whole = next((table for table in wholes if table.fits(wide)), self.table([], name=NAMES[0]))
        stacks = (self._a_line_each(name) for name in NAMES)
        lines = next((table for table in stacks if table.fits(wide)), None)
        return [whole, *(self._side_by_side(wide) if lines is None else [lines])]

    def _side_by_side(self, wide: int) -> list[Table]:
        """Return tables of as many slices as fit, their names as long as there is room for."""
        groups = self._slices
        for size in range(len(groups), 0, -1):
            starts = range(0, len(groups), size)
            for name in NAMES:
                parts = [self._only_slices(groups[at : at + size], name) for at in starts]
                if all(table_width(part) <= wide for part in parts):
                    return parts
        return parts

    def _a_line_each(self, name: int) -> Table:
        """Return the slices below each other, and beside each its bar and the models."""
        rows = []
        for title, at in zip(self._titles(self._slices, NAMES[0]), self._slices, strict=True):
            *scores, bar = self._scores(at, self.measure)
            rows.append((Cell(title), bar, *scores))
        heads = ("", BAR, *distinct(self.models, name))
        columns = (Column(), *[Column("decimal")] * (len(heads) - 1))
        return Table(columns, (tuple(map(Cell, heads)),), tuple(rows))

    def _only_slices(self, slices: Sequence[int], name: int) -> Table:
        whole = self.table(slices, name=name)
        kept = [0, *range(len(whole.columns) - len(slices), len(whole.columns))]
        rows = tuple(tuple(row[at] for at in kept) for row in whole.rows)
        header = (tuple(whole.header[0][at] for at in kept),)
        return Table(tuple(whole.columns[at] for at in kept), header, rows)

    def _titles(self, groups: Sequence[int], most: int) -> list[str]:
        return distinct([visible(self.card.groups[at]) for at in groups], most)

    def _scores(self, group: int, measure: int) -> list[Cell]:
        """Return the scores of the models, then the bar."""
        bar, scores = self.view.written(self.order, group, measure)
        states = [str(self.view.state[at, group, measure]) for at in self.order]
        judged = [self.card.measures[measure]]
        return [
            *(Cell(text, MARKS.get(state, ""), STYLES.get(state, ""), note=meaning(state, judged))
              for text, state in zip(scores, states, strict=True)),
            Cell(bar),
        ]  # fmt: skip

    def _interval(self, model: int) -> str:
        low, high = self.card.interval(model, 0, self.measure)
        if math.isnan(low):
            return "–"
        samples = int(np.asarray(self.card.population.total)[0])
        return " – ".join(number(end, samples) for end in (low, high))
