"""A scorecard's tables: measures with the models side by side, and one verdict a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clearbar.formatting import Cell, Column, Table, distinct, longest_part, percent, wrapped
from clearbar.scorecard import _columns
from clearbar.scorecard._columns import ALONE, BESIDE, WORST, Row, View, named_columns, shown_columns

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

NAME, SIDE_BY_SIDE, MEASURES = 40, 6, 24
"""Columns for a name in a line; models side by side; measures in one table."""

HEADINGS = 13, 10
"""Columns for a name over a score; the second where the first leaves no room."""

FITS = (NAME, True), (20, True), (20, False), (NAME, False)
"""What a table of rows is cut to until it fits: the width of a name, and whether it has sizes of slices.

Nothing fits of the last: its words are wrapped, or each row becomes a block.
"""

INTERVALS = 40
"""Scores up to which a page and a picture show intervals, since each takes a moment to find."""


class Line(NamedTuple):
    """One line of a table: the models in it, and what they are judged on; all by position."""

    models: Sequence[int]
    group: int
    measure: int


@dataclass(frozen=True)
class Names:
    """What everything is called in a table; different things have different names."""

    models: Sequence[str]
    measures: Sequence[str]
    groups: Mapping[int, str]

    @classmethod
    def of(cls, card: Scorecard, most: int, groups: Iterable[int]) -> Names:
        """Shorten the names of a scorecard, and those of the slices that are shown."""
        shown = list(dict.fromkeys(groups))
        whole = "the mean over tasks" if card.tasked else "all samples"
        texts = [whole if card.groups[group] is None else str(card.groups[group]) for group in shown]
        labels = (measure.label for measure in card.measures)
        slices = dict(zip(shown, distinct(texts, most), strict=True))
        return cls(distinct(card.models, most), distinct(labels, most), slices)


@dataclass(frozen=True)
class Layout:
    """What a table shows of each line."""

    names: Sequence[str]  # of "slice" (or "class", "label"), "model" and "measure", those that name a line
    columns: Sequence[_columns.Column]
    sizes: bool = False  # whether it shows how large a slice is
    below: _columns.Column | None = None  # what stands in small letters beside a score

    def standing(self, place: str) -> list[_columns.Column]:
        """Return the columns that stand before the models, for each of them, or last."""
        return [column for column in self.columns if column.stands == place]


def fitting(candidates: Iterable[Sequence[Table]], wide: int | None) -> list[Table]:
    """Return the first of several ways to show something of which every table fits, else the last."""
    tables: Sequence[Table] = ()
    for tables in candidates:
        if wide is None or all(table.width <= wide for table in tables):
            break
    return list(tables)


def table(
    view: View, lines: Sequence[Line], layout: Layout, names: Names, header: Sequence[Sequence[Cell]] = ()
) -> Table:
    """Return the lines as a table, headed by what each column is unless a heading is given."""
    card, owners = view.card, lines[0].models if lines else ()
    heads = [(Column(key="group" if name == card.group_words[0] else name), name) for name in layout.names]
    sizes = ("samples", card.population.leading[0]) if layout.sizes else ()
    heads += [(Column("decimal", key="size"), name) for name in sizes]
    ends = layout.standing("end")
    judged: list[tuple[_columns.Column, int | None]] = [(column, None) for column in layout.standing("row")]
    for owner in owners:
        judged += [(column, owner if len(owners) > 1 else None) for column in layout.standing("model")]
    judged += [(column, None) for column in ends]
    heads += [
        (Column(column.align, key=column.word, owner=owner), column.title(card)) for column, owner in judged
    ]
    rows = [_cells(view, line, layout, names) for line in lines]
    first = len(heads) - len(ends)
    blank = {at for at, column in enumerate(ends, first) if all(row[at].text == column.blank for row in rows)}
    shown = [position for position in range(len(heads)) if position not in blank]
    return Table(
        tuple(heads[position][0] for position in shown),
        tuple(map(tuple, header)) or (tuple(Cell(heads[position][1]) for position in shown),),
        tuple(tuple(row[position] for position in shown) for row in rows),
        named=len(layout.names),
    )


def _cells(view: View, line: Line, layout: Layout, names: Names) -> list[Cell]:
    named = {
        view.card.group_words[0]: names.groups.get(line.group, ""),
        "model": names.models[line.models[0]],
        "measure": names.measures[line.measure],
    }
    cells = [Cell(named[name]) for name in layout.names]
    if layout.sizes:
        population = view.card.population
        total, leading = (int(np.asarray(x)[line.group]) for x in (population.total, population.leading[1]))
        cells += [Cell(f"{total:,}"), Cell(percent(leading / total) if total else "–")]
    bar, scores = view.written(line.models, line.group, line.measure)
    rows = [
        Row(view, model, line.group, line.measure, bar, score)
        for model, score in zip(line.models, scores, strict=True)
    ]
    for place, of_place in (("row", rows[:1]), ("model", rows), ("end", rows[:1])):
        cells += [_cell(row, column, layout) for row in of_place for column in layout.standing(place)]
    return cells


def _cell(row: Row, column: _columns.Column, layout: Layout) -> Cell:
    cell = Cell() if column.write is None else column.write(row)
    if column.word == "score" and layout.below is not None and layout.below.write is not None:
        below = layout.below.write(row).text
        cell = replace(cell, small="" if below == "–" else below)
    return cell


def has_matrix(card: Scorecard) -> bool:
    """Whether the models can stand side by side."""
    return len(card.models) <= SIDE_BY_SIDE and (card.groups[0] is None or len(card.groups) == 1)


def matrices(
    view: View, measures: Sequence[int], models: Sequence[int], wanted: Sequence[str] | None, wide: int | None
) -> list[Table]:
    """Return a line per measure with the models side by side, in as many tables as the width asks for.

    Where not even one model fits, all of them stand in one table, which becomes a block for each measure.
    """
    card = view.card
    unasked = ALONE if len(models) == 1 else BESIDE
    columns = shown_columns(card, unasked) if wanted is None else named_columns(card, wanted)

    def candidates() -> Iterator[list[Table]]:
        if len(models) == 1:
            beside = [column for column in columns if column.word in _columns.by_word()]
            for left_out in range(1 if wanted is not None else len(beside) + 1):
                kept = [column for column in columns if column not in beside[:left_out]]
                yield [_matrix(view, measures, models, kept, HEADINGS[0])]
            return
        parts = max(map(longest_part, card.models))
        headings = [HEADINGS[0], *(heading for heading in HEADINGS[1:] if parts <= heading)]
        for size in range(len(models), 0, -1):
            for heading in headings:
                stacks = (models[first : first + size] for first in range(0, len(models), size))
                yield [_matrix(view, measures, stack, columns, heading) for stack in stacks]
        yield [_matrix(view, measures, models, columns, None)]

    if wide is None:
        return [_matrix(view, measures, models, columns, None)]
    return fitting(candidates(), wide)


def _matrix(
    view: View,
    measures: Sequence[int],
    models: Sequence[int],
    columns: Sequence[_columns.Column],
    heading: int | None,
) -> Table:
    """Return models side by side; names over them are broken into lines as wide as the heading, if any."""
    card = view.card
    words = [column.title(card) for column in columns if column.stands == "model"]
    header = []
    if len(card.models) > 1:
        header = _over_models(view, models, len(words), heading if len(words) == 1 else None)
    if len(card.models) == 1 or len(words) > 1:
        header.append(tuple(map(Cell, ("", "bar", *(words * len(models))))))
    lines = [Line(models, 0, measure) for measure in measures]
    return table(view, lines, Layout(("measure",), columns), Names.of(card, NAME, [0]), header)


def _over_models(view: View, models: Sequence[int], span: int, heading: int | None) -> list[tuple[Cell, ...]]:
    short = distinct(view.card.models, 3 * HEADINGS[0] - 4)
    broken = [[short[model]] if heading is None else wrapped(short[model], heading) for model in models]
    deep = max(len(lines) for lines in broken)
    broken = [[""] * (deep - len(lines)) + lines for lines in broken]
    bar = [""] * (deep - 1) + ["bar" if span == 1 else ""]
    return [
        (Cell(), Cell(bar[at]), *(Cell(lines[at], style="strong", span=span) for lines in broken))
        for at in range(deep)
    ]


def worst_table(view: View, rows: Sequence[int], wide: int | None) -> Table:
    """Return a line per verdict, in the order given; names are as short as the width asks for."""
    card = view.card
    places = [tuple(int(i) for i in np.unravel_index(row, view.state.shape)) for row in rows]
    lines = [Line([model], group, measure) for model, group, measure in places]
    axes = {card.group_words[0]: card.groups, "model": card.models, "measure": card.measures}
    named = [name for name, names in axes.items() if len(names) > 1]
    columns = shown_columns(card, WORST)

    def cut(most: int, sizes: bool) -> Table:  # noqa: FBT001 - as in `FITS`
        layout = Layout(named, columns, sizes=sizes and len(card.groups) > 1)
        return table(view, lines, layout, Names.of(card, most, (line.group for line in lines)))

    return fitting(([cut(*how)] for how in FITS), wide)[0]
