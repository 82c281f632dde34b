"""Folds behind a scorecard: a table of them, every way to combine them, and what to know of both."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core._value import Value
from clearbar.core.counts import Counts
from clearbar.core.errors import listed
from clearbar.formatting import Cell, Column, Table, decimals, number, visible
from clearbar.problems.folds import FoldLabels, chosen_way, folds_in_words, violated, ways_of
from clearbar.scorecard._columns import COLUMNS, View
from clearbar.scorecard._compare import held_problem
from clearbar.scorecard._judged import judged_likewise
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._rows import which_measure, which_model
from clearbar.scorecard._tables import NAME, Layout, Line, Names, table

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

APART = 0.01
"""Distance between two ways of combining, as a share of the measure's range, that is worth a sentence."""

FEW = 3  # undefined cases that are told one by one

GAMED = (
    "Leaving folds out can be gamed: the best blind predictions leave undefined whatever fold would lower "
    "their score, and so do these bars. aggregate='pooled' leaves nothing to game."
)


class UndefinedFold(NamedTuple):
    """A fold in which a measure has no value for a model, and the condition that fails there."""

    model: str
    measure: str
    fold: Any
    condition: str


def _refuse_no_folds(card: Scorecard) -> None:
    if not card.folds:
        raise ValueError("this scorecard combines no folds of labels; evaluate_folds makes one that does.")


def undefined_folds(card: Scorecard) -> tuple[UndefinedFold, ...]:
    """Return every fold in which a measure has no value for a model, or its `requires` fails, and why."""
    counts: Any = card.fold_counts
    if not isinstance(counts, Counts):
        return tuple(
            UndefinedFold(card.models[model], card.measures[measure].name, card.folds[fold], "no value")
            for model, fold, measure in np.argwhere(np.isnan(card.fold_scores)).tolist()
        )
    measures: Any = card.measures
    return tuple(
        UndefinedFold(name, measure.name, fold, " and ".join(condition))
        for model, name in enumerate(card.models)
        for measure in measures
        for fold, condition in zip(card.folds, violated(measure, counts[model]), strict=True)
        if condition
    )


def fold_table(card: Scorecard, measure: Any = None, model: str | None = None) -> Table:
    """Return the counts and scores of each fold.

    Parameters
    ----------
    measure : str or Measure, optional
        Any name of a measure; all by default.
    model : str, optional
        A model; all by default.

    Returns
    -------
    Table
        A row per model and fold, with ``to_text()``, ``to_html()``, ``to_markdown()`` and
        ``to_latex()``.

    Raises
    ------
    ValueError
        If there is no such measure or model, or no folds of labels were combined.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
    >>> print(cb.evaluate_fold_counts(counts, "f1").fold_table().to_text())
    fold  TP  FP  FN  TN     F1
    1      3   0   0   7  1
    2      4   1   0   5  0.889
    """
    _refuse_no_folds(card)
    models = range(len(card.models)) if model is None else [which_model(card, model)]
    measures = range(len(card.measures)) if measure is None else [which_measure(card, measure)]
    names = ["model", "fold"] if len(models) > 1 else ["fold"]
    heads = ["TP", "FP", "FN", "TN"] if isinstance(card.fold_counts, Counts) else ["samples", "right"]
    rows = []
    for position, fold in itertools.product(models, range(len(card.folds))):
        samples, counts = _counted(card.fold_counts, position, fold)
        labels = [visible(card.models[position]), visible(str(card.folds[fold]))][-len(names) :]
        scores = card.fold_scores[position, fold, list(measures)].tolist()
        written = ("–" if math.isnan(score) else number(score, samples) for score in scores)
        rows.append([*labels, *(f"{count:,}" for count in counts), *written])
    return Table.of(
        ["left"] * len(names) + ["right"] * len(heads) + ["decimal"] * len(measures),
        [*names, *heads, *(visible(card.measures[position].label) for position in measures)],
        rows,
    )


def _counted(fold_counts: Any, model: int, fold: int) -> tuple[int, tuple[int, ...]]:
    """Return the samples of a fold and what is counted there: the cells, or how many samples are right."""
    if isinstance(fold_counts, Counts):
        counts = fold_counts[model, fold]
        return int(counts.total), tuple(map(int, counts.cells))
    matrix = fold_counts[model][fold]
    return matrix.total, (matrix.total, matrix.correct)


def all_ways(card: Scorecard) -> Ways:
    """Judge the same folds in every way of combining.

    Returns
    -------
    Ways
        A scorecard per way, each with the bar of that way; printing it shows them side by side.

    Raises
    ------
    ValueError
        If no folds of labels were combined.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
    >>> ways = cb.evaluate_fold_counts(counts, "f1").all_ways()
    >>> round(ways["mean"][0].score, 3)
    0.944
    """
    _refuse_no_folds(card)
    problem: Any = held_problem(card)
    validation = replace(problem.validation, refitted=None)  # refits are of one way of combining alone
    of_two = isinstance(card.fold_counts, Counts)
    ways: Any = ways_of("binary" if of_two else "multiclass")
    if of_two:
        ways = {name: chosen_way(name, card.fold_aware) for name in ways}
    cards = {}
    for name, way in ways.items():
        measures = tuple(filter(way.takes, card.measures)) if of_two else card.measures
        if measures:
            combined = replace(problem, way=way, validation=validation)
            cards[name] = judged_likewise(card, combined, measures)
    return Ways(cards)


class Ways(Printed, Value, Mapping[str, "Scorecard"]):
    """A scorecard for every way of combining folds, by name; made by ``card.all_ways``.

    Parameters
    ----------
    cards : mapping of str to Scorecard
        The ways that some measure can be combined in.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[7, 5])
    >>> list(cb.evaluate_fold_counts(counts, "mcc").all_ways())
    ['pooled', 'mean', 'mean_of_defined']
    """

    def __init__(self, cards: Mapping[str, Scorecard]) -> None:
        self._cards = dict(cards)

    def _identity(self) -> tuple[Any, ...]:
        return tuple(self._cards.items())

    __eq__ = Value.__eq__
    __hash__ = Value.__hash__

    def __getitem__(self, aggregate: str) -> Scorecard:
        if aggregate not in self._cards:
            raise KeyError(f"no way {aggregate!r}; there is {', '.join(self._cards)}")
        return self._cards[aggregate]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cards)

    def __len__(self) -> int:
        return len(self._cards)

    def table(self, alpha: float | None = None) -> Table:
        """Return scores, bars and skills, a row per measure, model and way.

        Parameters
        ----------
        alpha : float
            The p-value above which a score is marked as doubtful.
        """
        views = {name: View.of(card, alpha) for name, card in self._cards.items()}
        first = next(iter(self._cards.values()))
        names = ("measure", "model") if len(first.models) > 1 else ("measure",)
        layout = Layout(names, [column for column in COLUMNS if column.word in {"bar", "score", "skill"}])
        rows = []
        for measure, model in itertools.product(first.measures, range(len(first.models))):
            for way, view in views.items():
                if measure in view.card.measures:
                    line = Line([model], 0, view.card.measures.index(measure))
                    outline = table(view, [line], layout, Names.of(view.card, NAME, [0]))
                    rows.append(_inserted(outline.rows[0], len(names), Cell(way)))
        columns = _inserted(outline.columns, len(names), Column())
        header = (_inserted(outline.header[0], len(names), Cell("folds combined")),)
        return Table(columns, header, tuple(rows), named=len(names) + 1)

    def to_frame(self, backend: Any = "pandas") -> dict[str, Any]:
        """Return a data frame per way.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The library that makes them.
        """
        return {name: card.to_frame(backend) for name, card in self._cards.items()}

    def _page(self, wide: int | None) -> Page:  # noqa: ARG002 - no column can be left out
        table = self.table()
        marks = {cell.mark: cell.note for row in table.rows for cell in row if cell.mark}
        return Page("", [Block(table, legend=[f"{mark} {note}" for mark, note in marks.items()])])

    def __repr__(self) -> str:
        return f"<Ways: {', '.join(self._cards)}>"


def _inserted(row: tuple[Any, ...], position: int, value: Any) -> tuple[Any, ...]:
    return (*row[:position], value, *row[position:])


def notes_on(problem: Any, measures: tuple[Measure, ...]) -> list[str]:
    """Say how folds were combined, what was undefined, and how much another way would differ."""
    if not isinstance(problem.fold_counts, Counts):
        return [problem.way.notes["multiclass"].format(folds=len(problem.folds))]
    notes = [problem.way.notes["binary"].format(folds=len(problem.folds))]
    if problem.way.leaves_out:
        notes.append(GAMED)
    return [*notes, *_about_undefined(problem, measures), *_about_ways(problem, measures)]


def _about_undefined(problem: FoldLabels, measures: tuple[Measure, ...]) -> list[str]:
    models, counts, way = problem.models, problem.counts, problem.way
    cases: dict[tuple[str, str], list[Measure]] = {}
    for index, model in enumerate(models):
        who = f" of {visible(model)}" if len(models) > 1 else ""
        for measure in measures:
            conditions = violated(measure, counts[index])
            if not (way.leaves_out or measure.in_empty_fold is not None):
                gone = np.isnan(np.asarray(measure(counts[index])))
                conditions = [texts if lost else () for texts, lost in zip(conditions, gone, strict=True)]
            where = folds_in_words(problem.folds, conditions)
            if where:
                cases.setdefault((who, where), []).append(measure)
    if not cases:
        return []
    listing = [
        f"{_labels(concerned)}{who} in {where}" for (who, where), concerned in list(cases.items())[:FEW]
    ]
    rest = len(cases) - len(listing)
    more = f"; {rest:,} more in card.undefined_folds" if rest else ""
    if way.pools:
        treatment = _about_pooled(problem, cases)
    elif way.leaves_out:
        treatment = "These are left out."
    else:
        treatment = _about_policy(problem, cases)
    how_often = (
        "cb.probability_of_empty_fold(population, folds) says how often random folds have no positive sample."
    )
    return [f"Undefined: {'; '.join(listing)}{more}. {treatment} {how_often}"]


_Cases = Mapping[tuple[str, str], Sequence[Measure]]


def _labels(measures: Iterable[Measure]) -> str:
    return listed([visible(measure.label) for measure in dict.fromkeys(measures)], most=4)


def _about_pooled(problem: FoldLabels, cases: _Cases) -> str:
    """Say whether pooled counts have a value where folds have none."""
    concerned = list(dict.fromkeys(measure for of_case in cases.values() for measure in of_case))
    gone = np.isnan(problem.scores(concerned)[:, 0].T)
    if not gone.any():
        return "Pooled counts have a value all the same."
    lost = []
    for index, model in enumerate(problem.models):
        measures = [measure for measure, missing in zip(concerned, gone[:, index], strict=True) if missing]
        if measures:
            lost.append(_labels(measures) + (f" of {visible(model)}" if len(problem.models) > 1 else ""))
    return f"Pooled counts give {listed(lost, most=FEW)} no value either."


def _about_policy(problem: FoldLabels, cases: _Cases) -> str:
    """Say what such a fold counts."""
    kinds = {measure.in_empty_fold is not None for of_case in cases.values() for measure in of_case}
    if kinds == {True}:
        return "F scores count 0 there."
    others = (
        "have no mean over folds (aggregate='pooled' needs none in each)"
        if problem.undefined == "exclude"
        else f"follow undefined={problem.undefined!r}"
    )
    return f"F scores count 0 there, others {others}." if True in kinds else f"They {others}."


def _about_ways(problem: FoldLabels, measures: tuple[Measure, ...]) -> list[str]:
    """Return a sentence where ways of combining differ by more than a little, on the worst case."""
    models, counts = problem.models, problem.counts
    scored = {measure: _in_all_ways(measure, problem) for measure in measures}
    apart = {measure: _apart(measure, scores) for measure, (_, scores) in scored.items()}
    measure = max(apart, key=lambda candidate: apart[candidate].max())
    if not apart[measure].max() > APART:
        return []
    ways, scores = scored[measure]
    model = int(np.argmax(apart[measure]))
    places = decimals(int(np.asarray(counts.total)[0].sum()))
    ends = [int(np.nanargmin(scores[:, model])), int(np.nanargmax(scores[:, model]))]
    extremes = [f"{number(float(scores[way, model]), places=places)} {ways[way]!r}" for way in ends]
    who = f" of {visible(models[model])}" if len(models) > 1 else ""
    flips = _flips(measure, models, ways, scores)
    apart_by = f"{visible(measure.label)}{who} is {' and '.join(extremes)}{flips}"
    return [f"The way of combining matters here: {apart_by}; card.all_ways() shows all, each with its bar."]


def _in_all_ways(measure: Measure, problem: FoldLabels) -> tuple[list[str], FloatArray]:
    """Return the ways that a measure can be combined in, and scores of shape (ways, models)."""
    ways = {name: way for name, way in ways_of("binary").items() if way.takes(measure)}
    return list(ways), np.stack(
        [replace(problem, way=way).scores([measure])[:, 0, 0] for way in ways.values()]
    )


def _apart(measure: Measure, scores: FloatArray) -> FloatArray:
    """Return how far the ways are apart for each model, as a share of the measure's range."""
    defined = ~np.isnan(scores)
    low, high = measure.bounds
    scale = high - low if math.isfinite(high - low) else float(np.abs(scores[defined]).max(initial=1e-300))
    most = np.where(defined, scores, -math.inf).max(axis=0)
    least = np.where(defined, scores, math.inf).min(axis=0)
    return np.where(defined.any(axis=0), most - least, 0.0) / scale


def _flips(measure: Measure, models: tuple[str, ...], ways: list[str], scores: FloatArray) -> str:
    """Say which models two ways put first, where they do not agree."""
    sign = -1.0 if measure.greater_is_better is False else 1.0
    complete: BoolArray = np.asarray(~np.isnan(scores).any(axis=1))
    first = np.argmax(sign * np.where(np.isnan(scores), 0.0, scores), axis=1)
    other = np.flatnonzero(complete & (first != first[0]))
    if not (complete[0] and other.size):
        return ""
    way = int(other[0])
    names = [visible(models[int(first[row])]) for row in (0, way)]
    return f", and {ways[0]!r} puts {names[0]} first but {ways[way]!r} {names[1]}"


def notes_on_scores(problem: Any, measures: Sequence[Any]) -> list[str]:
    """Say how folds of scores were combined, and which of them have no value."""
    folds, total, positives = problem.folds, problem.total, problem.positives
    notes = [problem.way.notes["scores"].format(folds=len(folds))]
    if problem.way.pools:
        alike = (positives * total.sum() == total * positives.sum()).all()
        return notes + (
            [] if alike else ["The folds differ in their share of positives, and the bars know it."]
        )
    lacking: dict[str, list[str]] = {}
    for measure in measures:
        sizes = zip(folds, total.tolist(), positives.tolist(), strict=True)
        without = [visible(name) for name, m, p in sizes if measure.needs(m, p)]
        if without:
            lacking.setdefault(listed(without, most=6), []).append(measure.label)
    for where, labels in lacking.items():
        has, averaged = ("has", "is") if len(labels) == 1 else ("have", "are")
        notes.append(
            f"{listed(labels)} {has} no value in fold {where} and {averaged} averaged over the others."
        )
    return notes
