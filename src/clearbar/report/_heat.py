"""The heat table of skill, as cells: what they say, how deep their colour is, where they link to."""

from __future__ import annotations

from dataclasses import dataclass

from clearbar.formatting import visible
from clearbar.report._map import SkillMap, skill_map
from clearbar.report._sheet import row_id
from clearbar.scorecard import Names, View, meaning

ACROSS = 14
"""Columns up to which models stand below each other; with more, the table is turned over."""


@dataclass(frozen=True)
class HeatCell:
    """One cell."""

    text: str
    kind: str  # how it is coloured: names of classes of the style sheet
    note: str  # what its mark means, for those who hear the page


@dataclass(frozen=True)
class HeatTable:
    """The skill of each model by each measure, or turned over where measures are many."""

    heads: tuple[tuple[str, str], ...]  # names of the columns, and the rows of the page that they link to
    rows: tuple[tuple[str, str, tuple[HeatCell, ...]], ...]  # name, the row of the page, cells
    what: tuple[str, str]  # what stands in rows and in columns
    left_out: int
    doubtful: bool


def heat_table(view: View, names: Names) -> HeatTable | None:
    """Return the heat table; None where it has no skill to show, or only one."""
    skills = skill_map(view, names)
    rows, columns = skills.skill.shape
    if rows * columns < 2 or (skills.shades == 0).all():
        return None
    card = view.card
    linked = card.groups[0] is None or len(card.groups) == 1
    heads = [
        (name, row_id(*place) if linked else "")
        for name, place in zip(skills.columns, skills.places[0, :, 1:].tolist(), strict=True)
    ]
    sides = [(name, "") for name in skills.rows]
    words = "model" if linked else card.group_words[0], card.group_words[0] if card.tasked else "measure"
    cells = [[_cell(view, skills, row, column) for column in range(columns)] for row in range(rows)]
    if columns > max(ACROSS, rows):
        heads, sides, words = sides, heads, (words[1], words[0])
        cells = [list(column) for column in zip(*cells, strict=True)]
    lines = tuple((*side, tuple(line)) for side, line in zip(sides, cells, strict=True))
    return HeatTable(tuple(heads), lines, words, skills.left_out, bool((skills.state == "doubt").any()))


def _cell(view: View, skills: SkillMap, row: int, column: int) -> HeatCell:
    state, shade = str(skills.state[row, column]), int(skills.shades[row, column])
    colour = f"{'up' if shade > 0 else 'down'} s{abs(shade)}" if shade else ""
    kind = f"{colour} q".strip() if state == "doubt" else colour
    measure = view.card.measures[int(skills.places[row, column, 2])]
    return HeatCell(visible(skills.text(row, column)), kind, meaning(state, [measure]))
