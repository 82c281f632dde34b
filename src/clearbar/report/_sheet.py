"""The page's tables of verdicts: what stands in which column of which row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.formatting import Cell, decimals, distinct, number, percent, visible
from clearbar.scorecard import INTERVALS, View, slices

NAME = 48
"""Columns that a name may take; the page lists in full what is shortened."""

SIDE_BY_SIDE = 6
"""Models up to which each has columns of its own."""

WIDE, LONG = 7_200, 2_400
"""Verdicts in a table of slices, where models stand side by side and where each has its own row."""


@dataclass(frozen=True)
class Heading:
    """One column."""

    key: str  # what it holds: the same in every table
    text: str  # its heading
    model: int | None = None  # the model that it belongs to

    @property
    def numeric(self) -> bool:
        """Whether it holds numbers."""
        return self.key not in {"slice", "model", "measure", "remark"}


@dataclass(frozen=True)
class Scored(Cell):
    """A score, with its confidence interval where the page has room for it."""

    interval: str = ""


@dataclass(frozen=True)
class Sheet:
    """A table of verdicts."""

    headings: tuple[Heading, ...]  # its columns
    rows: list[tuple[Cell, ...]]  # a cell per column
    left_out: int = 0  # rows that have no place

    @property
    def named(self) -> int:
        """How many columns name the row; they come first."""
        return sum(heading.key in {"slice", "model", "measure"} for heading in self.headings)


@dataclass(frozen=True)
class Names:
    """What everything is called on the page; different things have different names."""

    models: list[str]
    measures: list[str]
    groups: list[str]
    shortened: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, view: View) -> Names:
        """Shorten the names of a scorecard."""
        card = view.card
        full = [
            list(card.models),
            [measure.label for measure in card.measures],
            ["all samples" if group is None else str(group) for group in card.groups],
        ]
        short = [distinct(names, NAME) for names in full]
        shortened = [
            (brief, visible(name))
            for names, briefs in zip(full, short, strict=True)
            for name, brief in zip(names, briefs, strict=True)
            if brief != visible(name)
        ]
        models, measures, groups = short
        return cls(models, measures, groups, shortened)


def judged_skill(view: View) -> FloatArray:
    """Return every skill that tells something, by which rows are ordered; infinity where none does."""
    skill = view.card.columns["skill"]
    silent = np.isin(view.state, ("undefined", "unbeatable")) | np.isnan(skill)
    found: FloatArray = np.where(silent, np.inf, skill)
    return found


def with_intervals(view: View) -> bool:
    """Whether the table of all samples shows intervals: where they were asked for and are not too many."""
    card = view.card
    return card.has_p_values and len(card.models) * len(card.measures) <= INTERVALS


def whole_sheet(view: View, names: Names) -> Sheet:
    """Return the verdicts on all samples, in the order of the measures."""
    measures = np.arange(len(view.card.measures))
    return _sheet(view, names, np.stack([measures * 0, measures], axis=1), sliced=False)


def slices_sheet(view: View, names: Names) -> Sheet:
    """Return the verdicts on slices, the worst first, as many as have a place."""
    chosen = np.flatnonzero(slices(view.card))
    groups, measures = np.meshgrid(chosen, np.arange(len(view.card.measures)), indexing="ij")
    pairs = np.stack([groups.reshape(-1), measures.reshape(-1)], axis=1)
    lowest = judged_skill(view).min(axis=0)[pairs[:, 0], pairs[:, 1]]
    order = np.argsort(lowest, kind="stable")
    return _sheet(view, names, pairs[order], sliced=True)


def _sheet(view: View, names: Names, pairs: IntArray, *, sliced: bool) -> Sheet:
    models = range(len(view.card.models))
    if len(models) <= SIDE_BY_SIDE:
        most = max(1, WIDE // len(models))
        rows = [_row(view, names, models, int(g), int(m), sliced=sliced) for g, m in pairs[:most]]
        return _without_blanks(Sheet(_headings(view, models, sliced=sliced), rows, max(0, len(pairs) - most)))
    triples = _rows_per_model(view, pairs)
    rows = [_row(view, names, [int(at)], int(g), int(m), sliced=sliced) for at, g, m in triples[:LONG]]
    return _without_blanks(Sheet(_headings(view, None, sliced=sliced), rows, max(0, len(triples) - LONG)))


def _without_blanks(sheet: Sheet) -> Sheet:
    """Drop the remarks, which come last, where there is none."""
    if any(row[-1].text for row in sheet.rows):
        return sheet
    return replace(sheet, headings=sheet.headings[:-1], rows=[row[:-1] for row in sheet.rows])


def _rows_per_model(view: View, pairs: IntArray) -> IntArray:
    """Return (model, group, measure) of every row, those without a verdict last if not all have a place."""
    models = len(view.card.models)
    at = np.tile(np.arange(models), len(pairs))
    triples = np.concatenate([at[:, None], np.repeat(pairs, models, axis=0)], axis=1)
    if len(triples) <= LONG:
        return triples
    return triples[np.argsort(judged_skill(view)[tuple(triples.T)], kind="stable")]


def _headings(view: View, models: Sequence[int] | None, *, sliced: bool) -> tuple[Heading, ...]:
    p = [("p", "p")] if view.card.has_p_values else []
    clearing = [("clearing", "clearing")] if view.card.several_runs else []
    judged = [("score", "score"), ("skill", "skill"), *p, *clearing]
    found = [Heading("slice", "slice")] if sliced else []
    found += [Heading("model", "model")] if models is None else []
    found.append(Heading("measure", "measure"))
    found += [Heading("samples", "samples"), Heading("positive", "positive")] if sliced else []
    found.append(Heading("bar", "bar"))
    found += [Heading(key, text, at) for at in ([None] if models is None else models) for key, text in judged]
    return (*found, Heading("perfect", "perfect"), Heading("remark", "remark"))


def _row(
    view: View, names: Names, models: Sequence[int], group: int, measure: int, *, sliced: bool
) -> tuple[Cell, ...]:
    bar, scores = view.scores(models, group, measure)
    row = [Cell(names.groups[group])] if sliced else []
    row += [Cell(names.models[models[0]])] if len(view.card.models) > SIDE_BY_SIDE else []
    row.append(Cell(names.measures[measure]))
    if sliced:
        population = view.card.population
        total, positives = (int(np.asarray(x)[group]) for x in (population.total, population.positives))
        row += [Cell(f"{total:,}"), Cell(percent(positives / total) if total else "–")]
    row.append(Cell(bar))
    for model, score in zip(models, scores, strict=True):
        row += _judged(view, score, model, group, measure)
    perfect = float(view.card.columns["best_possible"][models[0], group, measure])
    samples = view.samples(group)
    row.append(Cell(number(perfect, places=decimals(samples))))
    return (*row, Cell(view.remark(models, group, measure).text))


def _judged(view: View, score: str, model: int, group: int, measure: int) -> list[Cell]:
    cell = view.score_cell(score, model, group, measure)
    opens = group == 0 and not (view.card.groups[0] is not None and len(view.card.groups) > 1)
    below = view.interval(model, group, measure) if opens and with_intervals(view) else ""
    found = [Scored(**vars(cell), interval=below), view.cell("skill", model, group, measure)]
    if view.card.has_p_values:
        found.append(view.cell("p", model, group, measure))
    if view.card.several_runs:
        found.append(Cell(percent(float(view.card.columns["share_clearing"][model, group, measure]))))
    return found
