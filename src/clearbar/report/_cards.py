"""One card per model: how many bars it clears, its worst measure, its confusion matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import listed
from clearbar.formatting import distinct, percent, signed
from clearbar.report._sheet import has_whole, place_of, row_id
from clearbar.scorecard import MARKS, Names, View, best_first, class_matrix, sides
from clearbar.verdict import UNJUDGED

OPEN, MOST = 6, 20
"""Classes, and models, up to which a matrix is seen at once; classes up to which there is one."""

ERRORS = 3
"""Errors that are named."""

SHADES = 5
"""Shades of a matrix, by the share of its row."""


@dataclass(frozen=True)
class MatrixCell:
    """One cell of a confusion matrix."""

    count: str
    blind: str  # what labels in random order give
    shade: int


@dataclass(frozen=True)
class Matrix:
    """What samples of each class were called."""

    names: tuple[str, ...]
    rows: tuple[tuple[MatrixCell, ...], ...]


@dataclass(frozen=True)
class Worst:
    """The verdict with the least skill."""

    label: str
    score: str  # with its mark
    bar: str
    skill: str
    row: str  # of the page's tables


@dataclass(frozen=True)
class ModelCard:
    """What is seen of a model first."""

    name: str
    clears: int
    judged: int
    state: str  # of the worst of its verdicts, for the colour
    counts: str  # of what it does not clear, in words
    worst: Worst | None
    matrix: Matrix | None
    errors: tuple[str, ...]  # the most frequent, where the matrix is not seen at once
    folded: bool  # whether a reader opens the matrix


def model_cards(view: View, names: Names) -> list[ModelCard]:
    """Return a card for each model, the best first."""
    return [_card(view, names, model) for model in best_first(view.card)]


def _card(view: View, names: Names, model: int) -> ModelCard:
    groups, measures = _cells(view.card)
    state = view.state[model, groups, measures]
    judged = ~np.isin(state, UNJUDGED)
    counts = {name: int((state == name).sum()) for name in ("fails", "ties", "doubt", "clears")}
    words = {"fails": f"{sides(view.card.measures)[0]} the bar", "ties": "at it", "doubt": "could be chance"}
    worst = next((name for name in words if counts[name]), "clears" if counts["clears"] else "")
    matrix, errors = _matrix(view.card, model)
    return ModelCard(
        names.models[model],
        counts["clears"],
        int(judged.sum()),
        worst,
        listed([f"{counts[name]:,} {text}" for name, text in words.items() if counts[name]]),
        _worst(view, names, model, groups[judged], measures[judged]),
        matrix,
        errors,
        bool(errors) or len(view.card.models) > OPEN,
    )


def _cells(card: Any) -> tuple[Any, Any]:
    """Return the groups and measures that a card counts: of the whole, or of all where there is none."""
    groups, measures = range(len(card.groups)), range(len(card.measures))
    if card.tasked and len(groups) > 1:
        measures = range(1)
    elif card.groups[0] is None:
        groups = range(1)
    pairs = np.meshgrid(np.array(groups), np.array(measures), indexing="ij")
    return pairs[0].reshape(-1), pairs[1].reshape(-1)


def _worst(view: View, names: Names, model: int, groups: Any, measures: Any) -> Worst | None:
    """Return the verdict with the least skill."""
    at_bar = view.state[model, groups, measures] == "ties"
    skill = np.where(at_bar, 0.0, view.card.columns["skill"][model, groups, measures])
    if not len(skill) or np.isnan(skill).all():
        return None
    at = int(np.nanargmin(skill))
    group, measure = int(groups[at]), int(measures[at])
    bar, (score,) = view.written([model], group, measure)
    mark = MARKS.get(str(view.state[model, group, measure]), "")
    where = place_of(view.card, names, group)
    label = f"{names.measures[measure]} on {where}" if where else names.measures[measure]
    return Worst(label, f"{mark} {score}".strip(), bar, signed(float(skill[at])), row_id(group, measure))


def _matrix(card: Any, model: int) -> tuple[Matrix | None, tuple[str, ...]]:
    """Return what a model called the samples, or its most frequent errors where classes are many."""
    if not has_whole(card):
        return None, ()
    if card.counts is not None:
        tp, fp, fn, tn = (float(np.asarray(cell)[model, 0].mean()) for cell in card.counts.cells)
        cells = np.array([[tp, fn], [fp, tn]])
        return _shaded(("positive", "negative"), cells), ()
    matrix = class_matrix(card, model, 0)
    if matrix is None:
        return None, ()
    classes = len(matrix.labels)
    errors = _errors(matrix) if classes > OPEN else ()
    if classes > MOST:
        return None, errors
    return _shaded(tuple(distinct(matrix.labels, 12)), matrix.to_array().astype(float)), errors


def _shaded(names: tuple[str, ...], cells: Any) -> Matrix:
    total = cells.sum()
    blind = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / total
    shares = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1)
    shades = np.ceil(SHADES * shares).astype(int)
    rows = tuple(
        tuple(
            MatrixCell(count_text(float(cells[at])), f"{float(blind[at]):,.0f}", int(shades[at]))
            for at in ((row, column) for column in range(len(names)))
        )
        for row in range(len(names))
    )
    return Matrix(names, rows)


def _errors(matrix: ConfusionMatrix) -> tuple[str, ...]:
    wrong = np.where(matrix.rows != matrix.columns, matrix.values, 0)
    most = [int(at) for at in np.argsort(-wrong, kind="stable")[:ERRORS] if wrong[at]]
    labels = distinct(matrix.labels, 24)
    right = f"{matrix.correct:,} of {matrix.total:,} right"
    return right, *(
        f"{labels[row]} called {labels[column]}: {int(wrong[at]):,} "
        f"({percent(int(wrong[at]) / int(matrix.true_counts[row]))} of them)"
        for at in most
        for row, column in [(int(matrix.rows[at]), int(matrix.columns[at]))]
    )


def count_text(value: float) -> str:
    """Write a count, or a mean of counts."""
    return f"{value:,.0f}" if math.isclose(value, round(value), abs_tol=1e-9) else f"{value:,.1f}"
