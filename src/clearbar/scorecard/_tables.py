"""A scorecard's tables: models side by side, and the worst rows first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.display import (
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
from clearbar.scorecard._rows import standing
from clearbar.verdict import checked_alpha

if TYPE_CHECKING:
    from clearbar.display import Style
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
    "fails": "worse than the bar",
    "ties": "no better than the bar",
    "doubt": "a lucky guess gets as far",
}
NAME, HEADING, SIDE_BY_SIDE, MEASURES = 40, 13, 6, 24
"""Columns for a name in a row and in a heading; models side by side; measures in one table."""

_SAME = 1e-12
"""Closer than this to the bar, relative to the scores there can be, a score is the bar but for rounding."""


@dataclass(frozen=True)
class View:
    """A scorecard and how it is looked at.

    Attributes
    ----------
    card : Scorecard
        The rows.
    alpha : float
        The p-value above which a score is doubtful.
    state : ndarray of str
        How each row stands.
    """

    card: Scorecard
    alpha: float
    state: Any

    @classmethod
    def of(cls, card: Scorecard, alpha: float | None) -> View:
        """Look at a scorecard."""
        return cls(card, card.alpha if alpha is None else checked_alpha(alpha), standing(card, alpha))

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
        return Cell(text, style=STYLES.get(self.state[model, group, measure], ""))

    def skill_cell(self, model: int, group: int, measure: int) -> Cell:
        """Write a skill with its mark."""
        state = str(self.state[model, group, measure])
        skill = float(self.card.columns["skill"][model, group, measure])
        silent = state in {"unbeatable", "undefined"}
        text = signed(math.nan if silent else 0.0 if state == "ties" else skill)
        return Cell(text, MARKS.get(state, ""), STYLES.get(state, ""), note=MEANING.get(state, ""))

    def remark(self, models: Sequence[int], group: int, measure: int) -> str:
        """Say in a few words why a row cannot tell, or how to read it."""
        outcomes = {str(self.card.columns["outcome"][model, group, measure]) for model in models}
        if "unbeatable" in outcomes:
            return f"cannot be beaten: {self.card.bar(measure, group).recipe}"
        label = visible(self.card.measures[measure].label)  # the row has it already
        reasons = [
            visible(self.card.columns["reason"][model, group, measure]).removeprefix(f"{label} has ")
            for model in models
        ]
        if self.card.gaps_in_notes:
            reasons = [reason for reason in reasons if not reason.startswith("no value in ")]
        found = dict.fromkeys(reason for reason in reasons if reason)
        if found:
            first, *others = list(found)[:2]
            said = "no value here: " if first.startswith("no value here: ") else ""
            return "; ".join([first, *(other.removeprefix(said) for other in others)])
        return "less is better" if self.card.measures[measure].greater_is_better is False else ""


def has_matrix(card: Scorecard) -> bool:
    """Whether the models can stand side by side.

    Parameters
    ----------
    card : Scorecard
        The rows.

    Returns
    -------
    bool
    """
    return len(card.models) <= SIDE_BY_SIDE and (card.groups[0] is None or len(card.groups) == 1)


def matrix(view: View, measures: Sequence[int], *, remarks: bool, wrap: bool) -> Table:
    """Return a row per measure, with the models side by side.

    Parameters
    ----------
    view : View
        The scorecard.
    measures : sequence of int
        Positions of the measures, in the order of the rows.
    remarks : bool
        Whether remarks have a column.
    wrap : bool
        Whether long names of models are broken into lines.

    Returns
    -------
    Table
    """
    models = range(len(view.card.models))
    single = len(models) == 1
    shares = single and view.card.several_runs
    columns = [Column(), Column("decimal")]
    for _ in models:
        columns += [Column("decimal"), Column("decimal", gap=1)]
    columns += [Column("decimal")] * (single + shares) + [Column("decimal")] + [Column()] * remarks
    header = [] if single else _model_lines(view.card.models, columns, wrap=wrap)
    words = [
        "",
        "bar",
        *(["score", "skill"] * len(models)),
        *(["p"] * single),
        *(["clearing"] * shares),
        "perfect",
    ]
    header.append(tuple(Cell(word) for word in [*words, *([""] * remarks)]))
    rows = [_measure_row(view, at, single=single, remarks=remarks) for at in measures]
    return Table(tuple(columns), tuple(header), tuple(rows))


def _model_lines(names: Sequence[str], columns: Sequence[Column], *, wrap: bool) -> list[tuple[Cell, ...]]:
    """Return the models' names over their columns."""
    short = distinct(names, 3 * HEADING - 4)
    broken = [wrapped(name, HEADING) if wrap else [name] for name in short]
    deep = max(len(lines) for lines in broken)
    broken = [[""] * (deep - len(lines)) + lines for lines in broken]
    rest = len(columns) - 2 - 2 * len(names)
    return [
        (Cell(), Cell(), *(Cell(lines[at], style="strong", span=2) for lines in broken), *[Cell()] * rest)
        for at in range(deep)
    ]


def _measure_row(view: View, measure: int, *, single: bool, remarks: bool) -> tuple[Cell, ...]:
    models = range(len(view.card.models))
    bar, scores = view.scores(models, 0, measure)
    row = [Cell(visible(view.card.measures[measure].label)), Cell(bar)]
    for model, score in zip(models, scores, strict=True):
        row += [view.score_cell(score, model, 0, measure), view.skill_cell(model, 0, measure)]
    numbers = view.numbers(0, 0, measure)
    if single:
        row.append(p_cell(view, 0, 0, measure))
    if single and view.card.several_runs:
        row.append(Cell(percent(numbers["share_clearing"])))
    row.append(Cell(number(numbers["best_possible"], view.samples(0))))
    return (*row, *([Cell(view.remark(models, 0, measure), style="muted")] * remarks))


def p_cell(view: View, model: int, group: int, measure: int) -> Cell:
    """Write the p-value of a score above its bar; below it, that the model is not blind is no comfort."""
    at = model, group, measure
    silent = view.state[at] not in {"clears", "doubt"}
    return Cell("–" if silent else p_value_text(float(view.card.columns["p_corrected"][at]), view.alpha))


def worst_table(view: View, rows: Sequence[int]) -> Table:
    """Return a row per verdict, in the order given.

    Parameters
    ----------
    view : View
        The scorecard.
    rows : sequence of int
        Positions of the verdicts.

    Returns
    -------
    Table
    """
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
            view.skill_cell(model, group, measure), p_cell(view, model, group, measure),
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
