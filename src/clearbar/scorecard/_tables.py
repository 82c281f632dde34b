"""A scorecard's tables: models side by side, and the worst rows first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clearbar.formatting import (
    TELLS,
    Cell,
    Column,
    Table,
    decimals,
    distinct,
    number,
    p_value_text,
    percent,
    signed,
    visible,
    wrapped,
)
from clearbar.problems.reasons import NoValue, in_a_row
from clearbar.scorecard._headline import scores_the_bar
from clearbar.scorecard._rows import known_p, standing
from clearbar.verdict import checked_alpha

if TYPE_CHECKING:
    from clearbar.formatting import Style
    from clearbar.scorecard._card import Scorecard

MARKS = {"fails": "✗", "ties": "=", "doubt": "?"}
STYLES: dict[str, Style] = {
    "fails": "bad",
    "ties": "bad",
    "doubt": "doubt",
    "unbeatable": "muted",
    "undefined": "muted",
}
MEANING = {
    "doubt": "above the bar, but it could be chance",
    "ties": "exactly at the bar",
    "fails": "below the bar",
}
NAME, HEADING, SIDE_BY_SIDE, MEASURES = 40, 13, 6, 24
"""Columns for a name in a row and in a heading; models side by side; measures in one table."""

INTERVALS = 40
"""Scores up to which a page and a picture show intervals, since each takes a moment to find."""

_SAME = 1e-12
"""Closer than this to the bar, relative to the scores there can be, a score is the bar but for rounding."""


class Remark(NamedTuple):
    """What is said of a row, and what stands before it behind the names of one measure or of several."""

    text: str
    verbs: tuple[str, str] = (":", ":")


class Hints(NamedTuple):
    """What a reader can type next; the methods of a card unless a shell says otherwise."""

    more: str = ": card.worst(20), card.failing, card.to_frame()"
    """Stands after the number of rows that are left out."""
    reasons: str = ": card.to_frame() has the reasons"


@dataclass(frozen=True)
class View:
    """A scorecard and how it is looked at."""

    card: Scorecard  # the rows
    alpha: float  # the p-value above which a score is doubtful
    state: Any  # how each row stands
    hints: Hints

    @classmethod
    def of(cls, card: Scorecard, alpha: float | None, hints: Hints | None = None) -> View:
        """Look at a scorecard."""
        level = card.alpha if alpha is None else checked_alpha(alpha)
        return cls(card, level, standing(card, alpha), hints or Hints())

    def samples(self, group: int) -> int:
        """Return the samples of a group."""
        return int(np.asarray(self.card.population.total)[group])

    def numbers(self, model: int, group: int, measure: int) -> dict[str, float]:
        """Return the numbers of a row."""
        return {name: float(column[model, group, measure]) for name, column in self.card.columns.items()
                if column.dtype.kind == "f"}  # fmt: skip

    def scores(self, models: Sequence[int], group: int, measure: int) -> tuple[str, list[str]]:
        """Write a bar and scores; digits are added until what differs from the bar shows it."""
        columns, samples = self.card.columns, self.samples(group)
        bar = float(columns["bar"][models[0], group, measure])
        values = [float(columns["score"][model, group, measure]) for model in models]
        ends = (float(columns[name][models[0], group, measure]) for name in ("best_possible", "worst_draw"))
        scale = max((abs(end) for end in (bar, *ends) if math.isfinite(end)), default=0.0)
        # What is the bar but for rounding is written as the bar; nothing has digits that would tell it apart.
        same = [
            self.state[model, group, measure] == "ties" or abs(value - bar) <= _SAME * scale
            for value, model in zip(values, models, strict=True)
        ]
        for places in range(decimals(samples), decimals(samples) + 6):
            shown = number(bar, scale=scale, places=places)
            texts = [shown if alike else number(value, scale=scale, places=places)
                     for value, alike in zip(values, same, strict=True)]  # fmt: skip
            if math.isnan(bar) or not any(
                text == shown and not alike for text, alike in zip(texts, same, strict=True)
            ):
                break
        return shown, texts

    def score_cell(self, text: str, model: int, group: int, measure: int) -> Cell:
        """Write a score, with its spread over runs."""
        spread = float(self.card.columns["score_sd"][model, group, measure])
        if self.card.several_runs and not math.isnan(spread):
            text = f"{text} ± {number(spread, places=decimals(self.samples(group)))}"
        state = str(self.state[model, group, measure])
        return Cell(text, MARKS.get(state, ""), STYLES.get(state, ""), note=MEANING.get(state, ""))

    def cell(self, name: str, model: int, group: int, measure: int) -> Cell:
        """Write what may stand beside a score: its interval, skill or p."""
        at = model, group, measure
        if name == "interval":
            return Cell(self.interval(*at) or "–")
        state = str(self.state[at])
        if name == "skill":
            silent = state in {"unbeatable", "undefined"}
            skill = float(self.card.columns["skill"][at])
            return Cell(signed(math.nan if silent else 0.0 if state == "ties" else skill))
        silent = state not in {"clears", "doubt"} or not known_p(self.card)[at]
        return Cell(
            "–"
            if silent
            else p_value_text(float(self.card.columns["p_corrected"][at]), self.alpha, floor=TELLS)
        )

    def interval(self, model: int, group: int, measure: int) -> str:
        """Write the confidence interval of a score; empty where there is none."""
        low, high = self.card.interval(model, group, measure)
        if math.isnan(low):
            return ""
        places = decimals(self.samples(group))
        return f"{number(low, places=places)} – {number(high, places=places)}"

    def remark(self, models: Sequence[int], group: int, measure: int) -> Remark:
        """Say in a few words why a row cannot tell, or how to read it."""
        if "unbeatable" in self.card.columns["outcome"][list(models), group, measure]:
            return Remark(f"cannot tell: {scores_the_bar(self.card.bar(measure, group))}", ("", ""))
        reasons = dict.fromkeys(self.card.columns["reason"][list(models), group, measure])
        lacking = [reason for reason in reasons if isinstance(reason, NoValue)]
        others = [visible(reason) for reason in reasons if reason and not isinstance(reason, NoValue)]
        if self.card.gaps_in_notes:
            lacking = [reason for reason in lacking if not reason.in_folds]
        if lacking:
            return Remark(visible("; ".join([in_a_row(lacking[:2]), *others][:2])), (" has", " have"))
        if others:
            return Remark("; ".join(others[:2]))
        return Remark("less is better" if self.card.measures[measure].greater_is_better is False else "")


def has_matrix(card: Scorecard) -> bool:
    """Whether the models can stand side by side."""
    return len(card.models) <= SIDE_BY_SIDE and (card.groups[0] is None or len(card.groups) == 1)


COLUMNS = ("interval", "skill", "p")
"""What a table may show beside bar and score."""


def matrix(
    view: View, measures: Sequence[int], models: Sequence[int], shown: Sequence[str], *, wrap: bool
) -> Table:
    """Return a row per measure with these models side by side, each with the columns shown."""
    single = len(view.card.models) == 1
    words = ["score", *(f"{percent(view.card.confidence_level)} interval" if name == "interval" else name
                        for name in shown)]  # fmt: skip
    words = [word.replace(".0 %", " %") for word in words] + ["clearing"] * (
        single and view.card.several_runs
    )
    columns = [Column(), Column("decimal")]
    columns += [Column("right" if "interval" in word else "decimal") for word in words] * len(models)
    header = [] if single else _model_lines(view, models, len(words), wrap=wrap)
    if single or shown:
        header.append(tuple(map(Cell, ("", "bar", *(words * len(models))))))
    rows = [_measure_row(view, at, models, shown) for at in measures]
    return Table(tuple(columns), tuple(header), tuple(rows))


def _model_lines(view: View, models: Sequence[int], span: int, *, wrap: bool) -> list[tuple[Cell, ...]]:
    """Return the models' names over their columns."""
    short = distinct(view.card.models, 3 * HEADING - 4)
    broken = [wrapped(short[at], HEADING) if wrap else [short[at]] for at in models]
    deep = max(len(lines) for lines in broken)
    broken = [[""] * (deep - len(lines)) + lines for lines in broken]
    bar = [""] * (deep - 1) + ["bar" if span == 1 else ""]
    return [
        (Cell(), Cell(bar[at]), *(Cell(lines[at], style="strong", span=span) for lines in broken))
        for at in range(deep)
    ]


def _measure_row(view: View, measure: int, models: Sequence[int], shown: Sequence[str]) -> tuple[Cell, ...]:
    bar, scores = view.scores(range(len(view.card.models)), 0, measure)
    row = [Cell(visible(view.card.measures[measure].label)), Cell(bar)]
    for model in models:
        row.append(view.score_cell(scores[model], model, 0, measure))
        row += [view.cell(name, model, 0, measure) for name in shown]
        if len(view.card.models) == 1 and view.card.several_runs:
            row.append(Cell(percent(float(view.card.columns["share_clearing"][model, 0, measure]))))
    return tuple(row)


def worst_table(view: View, rows: Sequence[int]) -> Table:
    """Return a row per verdict, in the order given."""
    card = view.card
    places = [tuple(int(i) for i in np.unravel_index(row, view.state.shape)) for row in rows]
    named = {
        "slice": (len(card.groups) > 1, 1, [_group_name(card.groups[at[1]]) for at in places]),
        "model": (len(card.models) > 1, 0, [card.models[at[0]] for at in places]),
        "measure": (len(card.measures) > 1, 2, [card.measures[at[2]].label for at in places]),
    }
    shown = {name: _told_apart(texts, [at[axis] for at in places])
             for name, (several, axis, texts) in named.items() if several}  # fmt: skip
    sizes = ["samples", "positive"] if "slice" in shown else []
    words = [*shown, *sizes, "bar", "score", "skill", "p"]
    numeric = [Column("decimal")] * (len(words) - len(shown))
    table_rows = []
    for i, (model, group, measure) in enumerate(places):
        bar, scores = view.scores([model], group, measure)
        names = [Cell(texts[i]) for texts in shown.values()]
        population = card.population
        total, positives = (int(np.asarray(x)[group]) for x in (population.total, population.positives))
        size = [Cell(f"{total:,}"), Cell(percent(positives / total))] if sizes else []
        table_rows.append((
            *names, *size, Cell(bar), view.score_cell(scores[0], model, group, measure),
            view.cell("skill", model, group, measure), view.cell("p", model, group, measure),
        ))  # fmt: skip
    header = tuple(Cell(word) for word in words)
    return Table((*[Column()] * len(shown), *numeric), (header,), tuple(table_rows))


def _group_name(group: Any) -> str:
    return "all samples" if group is None else str(group)


def _told_apart(texts: Sequence[str], keys: Sequence[int]) -> list[str]:
    """Shorten the names in a column; each name is shortened once, however often it occurs."""
    by_key = dict(zip(keys, texts, strict=True))
    short = dict(zip(by_key, distinct(by_key.values(), NAME), strict=True))
    return [short[key] for key in keys]
