"""A scorecard's tables and page: measures with models side by side, and the worst verdicts, a line each."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clearbar.core.reasons import Footnote
from clearbar.formatting import (
    Cell,
    Column,
    Table,
    capital,
    distinct,
    longest_part,
    percent,
    plural,
    whole_percent,
    wrapped,
)
from clearbar.scorecard import _columns
from clearbar.scorecard._columns import ALONE, BESIDE, WORST, Row, View, named_columns, shown_columns
from clearbar.scorecard._headline import headline, slices_headline
from clearbar.scorecard._page import Block, Page
from clearbar.scorecard._rows import best_first, checked_most, slices, unbarred, worst_rows
from clearbar.scorecard._sentences import details, remarks, samples_line
from clearbar.verdict import UNJUDGED

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

NAME, SIDE_BY_SIDE, MEASURES = 40, 6, 20
"""Columns for a name in a line; models side by side; measures in one table."""

MOST, INTERVALS = 20, 40
"""Rows of a table of the worst; scores up to which slices have intervals everywhere, which take time."""

NAMES, IN_FULL = (40, 36, 32, 28, 24, 20, 16, 12), 200
"""Columns that the name of a model below others may take on a terminal, as there is room, and elsewhere."""

HEADINGS = 13, 10  # columns for a name over a score; the second where the first leaves no room

FITS = (NAME, True), (20, True), (20, False), (NAME, False)
"""What a table of rows is cut to until it fits: the width of a name, and whether it has sizes of slices.

Nothing fits of the last: its words are wrapped, or each row becomes a block.
"""


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
        over = "the mean over tasks" if card.tasked else "all samples"
        texts = [over if card.groups[group] is None else str(card.groups[group]) for group in shown]
        labels = (measure.label for measure in card.measures)
        of_groups = dict(zip(shown, distinct(texts, most), strict=True))
        return cls(distinct(card.models, most), distinct(labels, most), of_groups)


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
    if layout.sizes:
        sizes = ("samples", card.population.leading[0])
        heads += [(Column("decimal", key="size"), name) for name in sizes if name]
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
    blank = {
        place
        for place, column in enumerate(ends, first)
        if all(row[place].text == column.blank for row in rows)
    }
    shown = [position for position in range(len(heads)) if position not in blank]
    return Table(
        tuple(heads[position][0] for position in shown),
        tuple(map(tuple, header)) or (tuple(Cell(heads[position][1]) for position in shown),),
        tuple(tuple(row[position] for position in shown) for row in rows),
        named=len(layout.names),
    )


def _cells(view: View, line: Line, layout: Layout, names: Names) -> list[Cell]:
    named = {"model": names.models[line.models[0]], "measure": names.measures[line.measure]}
    named[view.card.group_words[0]] = names.groups.get(line.group, "")
    cells = [Cell(named[name]) for name in layout.names]
    if layout.sizes:
        population = view.card.population
        total, leading = (int(np.asarray(x)[line.group]) for x in (population.total, population.leading[1]))
        cells.append(Cell(f"{total:,}"))
        if view.card.population.leading[0]:
            cells.append(Cell(percent(leading / total) if total else "–"))
    bar, scores = view.written(line.models, line.group, line.measure)
    rows = [
        Row(view, model, line.group, line.measure, bar, score)
        for model, score in zip(line.models, scores, strict=True)
    ]
    for place, of_place in (("row", rows[:1]), ("model", rows), ("end", rows[:1])):
        for row in of_place:
            for column in layout.standing(place):
                cell = Cell() if column.write is None else column.write(row)
                if column.word == "score" and layout.below is not None and layout.below.write is not None:
                    below = layout.below.write(row).text
                    cell = replace(cell, small="" if below == "–" else below)
                cells.append(cell)
    return cells


class BoardColumn(NamedTuple):
    """A column of a table with models below each other: its cells for the models, then for the bars."""

    heading: str
    align: str
    cells: list[Cell]


def score_column(
    view: View, models: Sequence[int], heading: str, group: int = 0, measure: int = 0
) -> BoardColumn:
    """Return the scores of models, and the bar."""
    bar, scores = view.written(models, group, measure)
    cells = [view.cell(text, model, group, measure) for text, model in zip(scores, models, strict=True)]
    return BoardColumn(heading, "decimal", [*cells, Cell(bar)])


def board(
    names: Sequence[str], columns: Sequence[BoardColumn], bars: Sequence[str] = ("bar",), above: int = 0
) -> Table:
    """Return columns beside the names of models; the rows of bars stand below so many of them."""
    rows = list(zip(map(Cell, (*names, *bars)), *(column.cells for column in columns), strict=True))
    muted = [tuple(Cell(cell.text, style="muted") for cell in row) for row in rows[len(names) :]]
    return Table.of(
        ["left", *(column.align for column in columns)],
        ["", *(column.heading for column in columns)],
        [*rows[:above], *muted, *rows[above : len(names)]],
    )


NARROWEST = 4  # columns of a terminal that a score takes at least, with its gap


def boards(
    names: Sequence[object],
    columns: Sequence[BoardColumn],
    wide: int | None,
    *,
    wrapped: bool = False,
    **rows: Any,
) -> list[Table]:
    """Return one table, or several below each other: as many columns, and as much of names, as fit."""

    def fits(table: Table) -> bool:
        return wide is None or table.width <= wide or (wrapped and table.fits(wide))

    most = len(columns) if wide is None else min(len(columns), max(1, wide // NARROWEST))
    for size in range(most, 0, -1):
        for name in NAMES if wide is not None else (IN_FULL,):
            short = distinct(names, name)
            parts = [columns[first : first + size] for first in range(0, len(columns), size)]
            tables = list(itertools.takewhile(fits, (board(short, part, **rows) for part in parts)))
            if len(tables) == len(parts):
                return tables
    return [board(short, part, **rows) for part in parts]


def page(
    view: View, most: int | None = MOST, columns: Sequence[str] | None = None, wide: int | None = None
) -> Page:
    """Return what is printed of a scorecard; `wide` is None where tables may be of any width."""
    card, blocks, footnotes = view.card, [], most is None
    most, several = checked_most(most), len(card.groups) > 1
    if unbarred(card):
        return Page(headline(card), _without_bar(view, most, wide), [*card.notes], samples_line(card))
    with_whole = card.groups[0] is None or not several
    beside = len(card.models) <= SIDE_BY_SIDE
    if with_whole and (beside or columns is None):
        tables, notes, measures = _whole(view, most, columns, wide, beside=beside)
        notes += [*remarks(card, measures, footnotes=footnotes), *about_runs(card)]
        blocks += [
            *map(Block, tables[:-1]),
            Block(tables[-1], notes, _legend(view, view.state[:, 0, measures])),
        ]
        most = most if most is None else max(1, most // 2)
    if several or not blocks:
        blocks.append(_rows(view, most, wide, [] if blocks else about_runs(card)))
    said = headline(card, view.alpha)
    notes = [note for note in card.notes if footnotes or not isinstance(note, Footnote)]
    return Page(said, blocks, notes, samples_line(card), details(card, said))


def _without_bar(view: View, most: int | None, wide: int | None) -> list[Block]:
    """Return the scores of models with their intervals, then those of slices."""
    card, ranked, groups = view.card, best_first(view.card), list(range(1, len(view.card.groups)))
    models, shown, blocks = ranked[:most], groups[:most], []
    names = distinct(card.models, NAME)

    def add(rows: Sequence[str], columns: list[BoardColumn], left: int, words: tuple[str, str]) -> None:
        more = [f"… {left:,} more {words[1]}{view.hints.more}."] if left else []
        tables = boards(rows, columns, wide, bars=())
        blocks.extend([*map(Block, tables[:-1]), Block(tables[-1], more)])

    for measure, label in enumerate(distinct((measure.label for measure in card.measures), NAME)):
        line = _with_intervals(view, label, [(model, 0, measure) for model in models])
        add([names[model] for model in models], line, len(ranked) - len(models), ("model", "models"))
        if not groups:
            continue
        of_groups = [
            _with_intervals(view, names[model], [(model, group, measure) for group in shown])
            for model in models
        ]
        beside = of_groups[0] if len(models) == 1 else [columns[0] for columns in of_groups]
        titles = distinct([str(card.groups[group]) for group in shown], NAME)
        add(titles, beside, len(groups) - len(shown), card.group_words)
    return blocks


def _with_intervals(view: View, heading: str, cells: Sequence[tuple[int, int, int]]) -> list[BoardColumn]:
    """Return a column of scores, of these models, groups and measures, and one of their intervals."""
    scores = [view.written([model], group, measure)[1][0] for model, group, measure in cells]
    level = f"{whole_percent(view.card.confidence_level)} interval"
    intervals = [Cell(view.interval(*cell)) for cell in cells]
    return [BoardColumn(heading, "decimal", list(map(Cell, scores))), BoardColumn(level, "right", intervals)]


def about_runs(card: Scorecard) -> list[str]:
    several = f"Scores are means over {card.runs:,} runs (± their standard deviation)."
    return [] if card.runs == 1 else [several]


def _legend(view: View, states: Sequence[str], *, groups: int = 0) -> list[str]:
    """Say what the marks mean, and what p was corrected for: nothing of one question or none."""
    card = view.card
    many = (groups, card.group_words), (len(card.models), ("model", "models"))
    corrected = " of ".join(plural(size, *words) for size, words in many if size > 1)
    marks = [f"{mark} {words}" for _, mark, words in view.legend(states)]
    return [*marks, *([f"(p corrected for {corrected})"] if card.has_p_values and corrected else [])]


def _whole(
    view: View, most: int | None, columns: Sequence[str] | None, wide: int | None, *, beside: bool
) -> tuple[list[Table], list[str], list[int]]:
    """Return the verdicts on the whole, what was left out, and the measures that are shown."""
    card, models = view.card, best_first(view.card)
    measures, notes = list(range(len(card.measures))), []
    if most is not None and len(measures) > MEASURES:
        notes.append(f"… {len(measures) - MEASURES:,} more measures{view.hints.more}.")
        measures = measures[:MEASURES]
    if beside:
        return _matrices(view, measures, models, columns, wide), notes, measures
    if most is not None and len(models) > most:
        notes.append(f"… {len(models) - most:,} more models, the best first{view.hints.more}.")
        models = models[:most]
    labels = distinct((measure.label for measure in card.measures), NAME)
    scores = [score_column(view, models, labels[measure], 0, measure) for measure in measures]
    return boards([card.models[model] for model in models], scores, wide), notes, measures


def _matrices(
    view: View, measures: Sequence[int], models: Sequence[int], wanted: Sequence[str] | None, wide: int | None
) -> list[Table]:
    """Return a line per measure with the models side by side, in as many tables as the width asks for.

    Where not even one model fits, all of them stand in one table, which becomes a block for each measure.
    """
    card = view.card
    unasked = ALONE if len(models) == 1 else BESIDE
    columns = shown_columns(card, unasked) if wanted is None else named_columns(card, wanted)

    def candidates() -> Iterator[list[Table]]:
        if wide is not None and len(models) == 1:
            beside = [column for column in columns if column.word in _columns.by_word()]
            for left_out in range(1 if wanted is not None else len(beside) + 1):
                kept = [column for column in columns if column not in beside[:left_out]]
                yield [_matrix(view, measures, models, kept, HEADINGS[0])]
        elif wide is not None:
            longest = max(map(longest_part, card.models))
            headings = [HEADINGS[0], *(heading for heading in HEADINGS[1:] if longest <= heading)]
            for size in range(len(models), 0, -1):
                stacks = [models[first : first + size] for first in range(0, len(models), size)]
                for heading in headings:
                    yield [_matrix(view, measures, stack, columns, heading) for stack in stacks]
        if wide is None or len(models) > 1:
            yield [_matrix(view, measures, models, columns, None)]

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
        short = distinct(card.models, 3 * HEADINGS[0] - 4)
        unbroken = heading is None or len(words) > 1
        over = [[short[m]] if unbroken else wrapped(short[m], heading or 0) for m in models]
        deep = max(map(len, over))
        for line in range(-deep, 0):  # the last line of each name stands directly over its numbers
            texts = [name[line] if -line <= len(name) else "" for name in over]
            bar = "bar" if line == -1 and len(words) == 1 else ""
            names = (Cell(text, style="strong", span=len(words)) for text in texts)
            header.append((Cell(), Cell(bar), *names))
    if len(card.models) == 1 or len(words) > 1:
        header.append(tuple(map(Cell, ("", "bar", *(words * len(models))))))
    lines = [Line(models, 0, measure) for measure in measures]
    return table(view, lines, Layout(("measure",), columns), Names.of(card, NAME, [0]), header)


def _rows(view: View, most: int | None, wide: int | None, more: list[str]) -> Block:
    """Return a line for each verdict on a slice, or on a model: within each measure the worst first."""
    card = view.card
    several, sliced = len(card.groups) > 1, slices(card)
    rows = sliced[None, :, None]
    judged = ~np.isin(view.state, UNJUDGED) & rows
    shown, every = worst_rows(card, judged, most).tolist(), int(judged.sum())
    title = capital(slices_headline(card, view.alpha)) if several and card.groups[0] is None else ""
    notes = []
    if len(shown) < every:
        left = plural(every - len(shown), "row")
        notes.append(f"… worst of each measure first; {left} more{view.hints.more}.")
    silent = int((~judged & rows).sum())
    if silent:
        notes.append(f"{plural(silent, 'row')} without a verdict left out{view.hints.reasons}.")
    if not shown:
        return Block(None, notes, title=title)
    legend = _legend(view, view.state.reshape(-1)[shown], groups=int(sliced.sum()) if several else 0)
    places = np.stack(np.unravel_index(shown, view.state.shape), axis=1).tolist()
    lines = [Line([model], group, measure) for model, group, measure in places]
    axes = {card.group_words[0]: card.groups, "model": card.models, "measure": card.measures}
    named = [name for name, names in axes.items() if len(names) > 1]
    columns = shown_columns(card, WORST)

    def cut(name: int, *, sizes: bool) -> Table:
        layout = Layout(named, columns, sizes=sizes and several)
        return table(view, lines, layout, Names.of(card, name, (line.group for line in lines)))

    (worst,) = fitting(([cut(name, sizes=sizes)] for name, sizes in FITS), wide)
    return Block(worst, [*notes, *more], legend, title)
