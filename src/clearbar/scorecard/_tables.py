"""A scorecard's tables: measures with the models side by side, and one verdict a line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from clearbar.formatting import Cell, Column, Table, distinct, longest_part, percent, wrapped
from clearbar.scorecard import _declared
from clearbar.scorecard._declared import Row

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard
    from clearbar.scorecard._view import View

NAME, SIDE_BY_SIDE, MEASURES = 40, 6, 24
"""Columns for a name in a line; models side by side; measures in one table."""

HEADINGS = 13, 10
"""Columns for a name over a score; the second where the first leaves no room."""

FITS = (NAME, True), (20, True), (20, False)
"""What a table of rows is cut to until it fits: the width of a name, and whether it has sizes of slices."""

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
        chosen = list(dict.fromkeys(groups))
        whole = "the mean over tasks" if card.tasked else "all samples"
        texts = [whole if card.groups[at] is None else str(card.groups[at]) for at in chosen]
        labels = (measure.label for measure in card.measures)
        slices = dict(zip(chosen, distinct(texts, most), strict=True))
        return cls(distinct(card.models, most), distinct(labels, most), slices)


@dataclass(frozen=True)
class Layout:
    """What a table shows of each line."""

    names: Sequence[str]  # of "slice" (or "class", "label"), "model" and "measure", those that name a line
    columns: Sequence[_declared.Column]
    sizes: bool = False  # whether it shows how large a slice is
    below: _declared.Column | None = None  # what stands in small letters beside a score


def table(
    view: View, lines: Sequence[Line], layout: Layout, names: Names, header: Sequence[Sequence[Cell]] = ()
) -> Table:
    """Return the lines as a table, headed by what each column is unless a heading is given."""
    card, owners = view.card, lines[0].models if lines else ()
    before, per_model, ends = (
        [column for column in layout.columns if column.stands == place] for place in ("row", "model", "end")
    )
    part = card.group_words[0]
    heads = [(Column(key="group" if name == part else name), name) for name in layout.names]
    sizes = ("samples", card.population.leading[0]) if layout.sizes else ()
    heads += [(Column("decimal", key="size"), name) for name in sizes]
    judged: list[tuple[_declared.Column, int | None]] = [(column, None) for column in before]
    judged += [(column, owner if len(owners) > 1 else None) for owner in owners for column in per_model]
    judged += [(column, None) for column in ends]
    heads += [
        (Column(column.align, key=column.word, owner=owner), column.title(card)) for column, owner in judged
    ]
    rows = [_cells(view, line, layout, names) for line in lines]
    first = len(heads) - len(ends)
    empty = {at for at, column in enumerate(ends, first) if all(row[at].text == column.blank for row in rows)}
    kept = [at for at in range(len(heads)) if at not in empty]
    return Table(
        tuple(heads[at][0] for at in kept),
        tuple(map(tuple, header)) or (tuple(Cell(heads[at][1]) for at in kept),),
        tuple(tuple(row[at] for at in kept) for row in rows),
        named=len(layout.names),
    )


def _cells(view: View, line: Line, layout: Layout, names: Names) -> tuple[Cell, ...]:
    named = {
        view.card.group_words[0]: names.groups.get(line.group, ""),
        "model": names.models[line.models[0]],
        "measure": names.measures[line.measure],
    }
    cells = [Cell(named[name]) for name in layout.names]
    if layout.sizes:
        population = view.card.population
        total, part = (int(np.asarray(x)[line.group]) for x in (population.total, population.leading[1]))
        cells += [Cell(f"{total:,}"), Cell(percent(part / total) if total else "–")]
    bar, scores = view.written(line.models, line.group, line.measure)
    rows = [Row(view, (model, line.group, line.measure), bar, score)
            for model, score in zip(line.models, scores, strict=True)]  # fmt: skip
    cells += _written(rows[:1], layout, "row")
    cells += _written(rows, layout, "model")
    return (*cells, *_written(rows[:1], layout, "end"))


def _written(rows: Sequence[Row], layout: Layout, stands: str) -> list[Cell]:
    cells = []
    for row in rows:
        for column in layout.columns:
            if column.stands != stands or column.write is None:
                continue
            cell = column.write(row)
            if column.word == "score" and layout.below is not None and layout.below.write is not None:
                below = layout.below.write(row).text
                cell = replace(cell, small="" if below == "–" else below)
            cells.append(cell)
    return cells


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
    headings = [HEADINGS[0], *(most for most in HEADINGS[1:] if max(map(longest_part, card.models)) <= most)]
    unasked = _declared.ALONE if len(models) == 1 else _declared.BESIDE
    columns = (
        _declared.shown_columns(card, unasked) if wanted is None else _declared.named_columns(card, wanted)
    )
    if wide is None:
        return [_matrix(view, measures, models, columns, None)]
    if len(models) == 1:
        columns, beside = list(columns), [column for column in columns if column.word in _declared.by_word()]
        while True:
            matrix = _matrix(view, measures, models, columns, HEADINGS[0])
            if matrix.width <= wide or not beside or wanted is not None:
                return [matrix]
            columns.remove(beside.pop(0))
    for size in range(len(models), 0, -1):
        for heading in headings:
            stacked = [
                _matrix(view, measures, models[at : at + size], columns, heading)
                for at in range(0, len(models), size)
            ]
            if all(part.width <= wide for part in stacked):
                return stacked
    return [_matrix(view, measures, models, columns, None)]


def _matrix(
    view: View,
    measures: Sequence[int],
    models: Sequence[int],
    columns: Sequence[_declared.Column],
    heading: int | None,
) -> Table:
    """Return models side by side; names over them are broken into lines as wide as the heading, if any."""
    card = view.card
    single = len(card.models) == 1
    per_model = [column for column in columns if column.stands == "model"]
    words = [column.title(card) for column in per_model]
    narrow = heading if len(per_model) == 1 else None
    header = [] if single else _over_models(view, models, len(per_model), narrow)
    if single or len(per_model) > 1:
        header.append(tuple(map(Cell, ("", "bar", *(words * len(models))))))
    names = Names.of(card, NAME, [0])
    lines = [Line(models, 0, at) for at in measures]
    return table(view, lines, Layout(("measure",), columns), names, header)


def _over_models(view: View, models: Sequence[int], span: int, heading: int | None) -> list[tuple[Cell, ...]]:
    """Return the models' names over their columns."""
    short = distinct(view.card.models, 3 * HEADINGS[0] - 4)
    broken = [[short[at]] if heading is None else wrapped(short[at], heading) for at in models]
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
    several = {card.group_words[0]: card.groups, "model": card.models, "measure": card.measures}
    named = [name for name, known in several.items() if len(known) > 1]
    columns = _declared.shown_columns(card, _declared.WORST)

    def cut(most: int, sizes: bool) -> Table:  # noqa: FBT001 - as in `FITS`
        layout = Layout(named, columns, sizes=sizes and len(card.groups) > 1)
        return table(view, lines, layout, Names.of(card, most, (line.group for line in lines)))

    if wide is None:
        return cut(*FITS[0])
    fitting = (shorter for shorter in (cut(*how) for how in FITS) if shorter.width <= wide)
    return next(fitting, None) or cut(NAME, sizes=False)  # words wrapped, or a block for each row
