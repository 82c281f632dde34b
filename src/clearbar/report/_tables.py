"""The page's tables and cards: which verdicts they show, in which order, and how deep a cell's colour is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import listed
from clearbar.formatting import (
    Table,
    distinct,
    number,
    p_value_text,
    percent,
    signed,
    visible,
    whole_percent,
)
from clearbar.scorecard import (
    INTERVALS,
    MARKS,
    PAGE,
    GapRow,
    Layout,
    Line,
    Names,
    View,
    best_first,
    bullet,
    by_word,
    class_matrix,
    marks_legend,
    meaning,
    shown_columns,
    sides,
    slices,
    table,
    within_measures,
)
from clearbar.verdict import UNJUDGED, holm

SIDE_BY_SIDE = 6  # models up to which each has columns of its own in a table of verdicts

WIDE, LONG = 7_200, 2_400
"""Verdicts in a table of slices, where models stand side by side and where each has its own row."""

HEAT_ROWS, HEAT_COLUMNS = 40, 14  # slices of a heat table; columns from which on it is turned over

OPEN_MATRIX, MOST_CLASSES = 6, 20
"""Classes beyond which the most frequent errors are named; classes up to which there is a matrix."""

CHARTS = 12  # bullet charts in the card of a model
SHADES = 5  # shades of a colour in heat tables and matrices
ERRORS = 3  # errors that are named of many classes


@dataclass(frozen=True)
class Sheet:
    """A table of verdicts, the name by which each of its rows is linked to, and the rows without a place."""

    table: Table
    rows: tuple[str, ...]
    left_out: int


def row_id(group: int, measure: int) -> str:
    return f"r{group}-{measure}"


def has_whole(card: Any) -> bool:
    """Whether the first group is what is judged as a whole: all samples, or the only slice."""
    return card.groups[0] is None or len(card.groups) == 1


def slice_name(card: Any, names: Names, group: int) -> str:
    """Return the name of a slice for a sentence; empty for the whole, or where there is no other."""
    return "" if card.groups[group] is None or len(card.groups) == 1 else names.groups[group]


def judged_skill(view: View) -> FloatArray:
    """Return every skill that tells something, by which rows are ordered; infinity where none does."""
    skill = view.card.columns["skill"]
    silent = np.isin(view.state, UNJUDGED) | np.isnan(skill)
    return np.asarray(np.where(silent, np.inf, skill), dtype=np.float64)


def with_intervals(view: View) -> bool:
    """Whether the table of all samples shows intervals: where they were asked for and are not too many."""
    card = view.card
    return card.has_p_values and len(card.models) * len(card.measures) <= INTERVALS


def whole_sheet(view: View, names: Names) -> Sheet:
    """Return the verdicts on all samples, in the order of the measures."""
    measures = np.arange(len(view.card.measures))
    return _sheet(view, names, np.stack([np.zeros_like(measures), measures], axis=1), sliced=False)


def slices_sheet(view: View, names: Names) -> Sheet:
    groups = np.flatnonzero(slices(view.card))
    pairs = np.stack(np.meshgrid(groups, np.arange(len(view.card.measures)), indexing="ij"), axis=-1)
    pairs = pairs.reshape(-1, 2)
    lowest = judged_skill(view).min(axis=0)[pairs[:, 0], pairs[:, 1]]
    shown = max(1, WIDE // len(view.card.models))
    return _sheet(view, names, pairs[within_measures(pairs[:, 1], lowest, shown)], sliced=True)


def _sheet(view: View, names: Names, pairs: IntArray, *, sliced: bool) -> Sheet:
    """Return the first lines of a table of groups and measures, given in pairs."""
    models = best_first(view.card)
    beside = len(models) <= SIDE_BY_SIDE
    if beside:
        lines = [Line(models, *pair) for pair in pairs[: max(1, WIDE // len(models))].tolist()]
    else:
        lines = _lines_per_model(view, models, pairs)
    layout = Layout(
        [*([view.card.group_words[0]] if sliced else []), "measure", *([] if beside else ["model"])],
        shown_columns(view.card, PAGE),
        sizes=sliced,
        below=by_word()["interval"] if not sliced and with_intervals(view) else None,
    )
    row_ids: dict[str, None] = {}
    for line in lines:  # of those of several models, the first has the short name
        name = row_id(line.group, line.measure)
        row_ids[name if name not in row_ids else f"{name}-{line.models[0]}"] = None
    left_out = len(pairs) * (1 if beside else len(models)) - len(lines)
    return Sheet(table(view, lines, layout, names), tuple(row_ids), left_out)


def _lines_per_model(view: View, models: Sequence[int], pairs: IntArray) -> list[Line]:
    """Return a line for each model; where not all have a place, those with the least skill."""
    owners = np.tile(np.asarray(models), len(pairs))
    groups, measures = np.repeat(pairs, len(models), axis=0).T
    order = np.arange(len(owners))
    if len(owners) > LONG:
        order = within_measures(measures, judged_skill(view)[owners, groups, measures], LONG)[:LONG]
    lines = np.stack([owners, groups, measures], axis=1)[order].tolist()
    return [Line([model], group, measure) for model, group, measure in lines]


def heat_table(view: View, names: Names) -> dict[str, Any] | None:
    """Return the heat table of skill; None where charts or a leaderboard show as much, or it has none."""
    card = view.card
    if card.tasked or (has_whole(card) and with_bullets(card)):
        return None
    row_names, verdicts, left_out = _heat_verdicts(view, names)
    cells = [[_heat_cell(view, *verdict) for verdict in row] for row in verdicts]
    every = [cell for row in cells for cell in row]
    if len(every) < 2 or not any(cell["shade"] for cell in every):
        return None
    words, heads = ("model" if has_whole(card) else card.group_words[0], "measure"), names.measures
    if len(heads) > max(HEAT_COLUMNS, len(row_names)):
        heads, row_names, words = row_names, heads, words[::-1]
        cells = [list(column) for column in zip(*cells, strict=True)]
    return {
        "heads": heads,
        "rows": list(zip(row_names, cells, strict=True)),
        "what": words,
        "left_out": left_out,
        "doubtful": any(cell["doubtful"] for cell in every),
    }


def _heat_verdicts(view: View, names: Names) -> tuple[Sequence[str], list[list[tuple[int, int, int]]], int]:
    """Return the names of rows, the verdict of each measure in them, and how many rows are left out.

    Rows are models, the best first; where there is no whole, each slice of each model, those first that have
    the least skill by the first measure.
    """
    card = view.card
    models, measures = best_first(card), range(len(card.measures))
    if has_whole(card):
        rows = [[(model, 0, measure) for measure in measures] for model in models]
        return [names.models[model] for model in models], rows, 0
    first = judged_skill(view)[:, :, 0]
    order = np.stack(np.unravel_index(np.argsort(first, axis=None, kind="stable"), first.shape), axis=1)
    pairs = order[:HEAT_ROWS].tolist()
    row_names = [
        f"{names.groups[group]} · {names.models[model]}" if len(models) > 1 else names.groups[group]
        for model, group in pairs
    ]
    rows = [[(model, group, measure) for measure in measures] for model, group in pairs]
    return row_names, rows, len(order) - len(pairs)


def _heat_cell(view: View, model: int, group: int, measure: int) -> dict[str, Any]:
    """Return what a cell says, its colours as classes of the style sheet, and what its mark means."""
    state = str(view.state[model, group, measure])
    skill = 0.0 if state == "ties" else float(view.card.columns["skill"][model, group, measure])
    is_known = state not in UNJUDGED and not np.isnan(skill)
    shade = int(np.sign(skill) * np.ceil(SHADES * min(abs(skill), 1.0))) if is_known else 0
    colour = f"{'up' if shade > 0 else 'down'} s{abs(shade)}" if shade else ""
    text = f"{MARKS.get(state, '')} {signed(skill) if is_known else ''}".strip()
    return {
        "text": visible(text or signed(np.nan)),
        "kind": f"{colour} q".strip() if state == "doubt" else colour,
        "note": meaning(state, [view.card.measures[measure]]),
        "shade": shade,
        "doubtful": state == "doubt",
    }


def with_bullets(card: Any) -> bool:
    """Whether each model's card has a chart for each measure: where they stand side by side."""
    return len(card.models) <= SIDE_BY_SIDE


def gaps_table(card: Any, names: Names, rows: Sequence[GapRow]) -> Table:
    """Return the gaps between groups: which are furthest apart, how far, and what of that is chance."""
    p_values = np.array([row.chance.p_value for row in rows])
    finite = np.isfinite(p_values)
    p_values[finite] = holm(p_values[finite])
    several = len(card.models) > 1
    heads = [*(["model"] if several else []), "measure", "largest", "least", "gap", "by chance", "p"]
    lines = []
    for row, p_value in zip(rows, p_values.tolist(), strict=True):
        ends = zip((row.best, row.worst), row.scores, strict=True)
        lines.append([
            *([names.models[row.model]] if several else []),
            names.measures[row.measure],
            *(f"{names.groups[group]} {number(score)}" for group, score in ends),
            number(row.chance.observed),
            number(row.chance.expected),
            p_value_text(p_value),
        ])  # fmt: skip
    named = 1 + several
    align = ["left"] * (named + 2) + ["decimal"] * 3
    return Table.of(align, heads, lines, named=named)


def model_cards(view: View, names: Names, limits: Mapping[int, float]) -> list[dict[str, Any]]:
    """Return what is seen of each model first, the best first: bars cleared, a chart each, and the matrix."""
    return [_card(view, names, model, limits) for model in best_first(view.card)]


def _card(view: View, names: Names, model: int, limits: Mapping[int, float]) -> dict[str, Any]:
    groups, measures = _counted(view.card)
    state = view.state[model, groups, measures]
    judged = ~np.isin(state, UNJUDGED)
    counts = {name: int((state == name).sum()) for name in ("fails", "ties", "doubt", "clears")}
    worse, better = sides(view.card.measures)
    words = {"fails": f"{worse} the bar", "ties": "exactly at the bar", "doubt": "could be chance"}
    matrix, errors = _matrix(view.card, model)
    shown = _charted(view, model, groups, measures)
    return {
        "name": names.models[model],
        "verb": "clears" if view.card.has_p_values else better,
        "clears": counts["clears"],
        "judged": int(judged.sum()),
        "state": next((name for name, count in counts.items() if count), ""),  # the worst, for the colour
        "counts": listed([f"{counts[name]:,} {text}" for name, text in words.items() if counts[name]]),
        "rows": [_chart(view, names, model, *pair, limits) for pair in shown],
        "more": len(groups) - len(shown) if shown else 0,
        "matrix": matrix,
        "errors": errors,
    }


def charts_legend(view: View, limits: Mapping[int, float]) -> str:
    """Say what is drawn in a card's charts."""
    card, shown = view.card, ["Tick: the bar"]
    if has_whole(card) and with_intervals(view):
        clears = " (a dot on it clears, since chance with as many positive predictions falls short)"
        within = clears * _any_clears_within(view, limits)
        shown += [f"grey: what chance can reach{within}"] * (card.counts is not None)
        shown.append(f"whisker: {whole_percent(card.confidence_level)} interval")
    return f"{'; '.join([*shown, *marks_legend(view)])}. The better end is on the right."


def _any_clears_within(view: View, limits: Mapping[int, float]) -> bool:
    """Whether a score clears on the grey of its chart."""
    from clearbar.plots._chance import clears_within

    card, scores = view.card, view.card.columns["score"][:, 0]
    losses = [measure.greater_is_better is False for measure in card.measures]
    return any(
        clears_within(limit, scores[:, measure], view.state[:, 0, measure], loss=losses[measure])
        for measure, limit in limits.items()
    )


def chance_limits(view: View) -> dict[int, float]:
    """Return for each measure how far chance can reach on the whole, where cards show it."""
    from clearbar.plots._chance import chance_limit

    card = view.card
    if not (has_whole(card) and with_bullets(card) and with_intervals(view)) or card.counts is None:
        return {}
    return {
        measure: chance_limit(card.bar(measure, 0), view.alpha)
        for measure in range(min(len(card.measures), CHARTS))
    }


def _charted(view: View, model: int, groups: IntArray, measures: IntArray) -> list[tuple[int, int]]:
    """Return of which groups and measures a card has charts: the first, or of slices the worst by each."""
    card = view.card
    if not with_bullets(card):
        return []
    order = np.arange(len(groups))
    if len(order) > CHARTS and not has_whole(card):
        order = within_measures(measures, judged_skill(view)[model, groups, measures], CHARTS)
    return list(zip(groups[order[:CHARTS]].tolist(), measures[order[:CHARTS]].tolist(), strict=True))


def _chart(
    view: View, names: Names, model: int, group: int, measure: int, limits: Mapping[int, float]
) -> dict[str, Any]:
    """Return a line of a card: what is judged, its bullet chart, the score and the bar."""
    from markupsafe import Markup

    card = view.card
    bar, (score,) = view.written([model], group, measure)
    state = str(view.state[model, group, measure])
    where, label = names.groups[group], names.measures[measure]
    if card.tasked:
        label = where
    elif not has_whole(card):
        label = f"{where} · {label}" if len(card.measures) > 1 else where
    marks = bullet(
        view, model, group, measure,
        interval=group == 0 and with_intervals(view), limit=limits.get(measure, math.nan),
    )  # fmt: skip
    return {
        "label": label,
        "drawing": Markup(marks),  # noqa: S704 - numbers and our own words
        "score": score,
        "mark": MARKS.get(state, ""),
        "note": meaning(state, [card.measures[measure]]),
        "bar": bar,
        "colour": {"fails": "f", "ties": "f", "doubt": "d"}.get(state, "" if state == "clears" else "muted"),
    }


def _counted(card: Any) -> tuple[Any, Any]:
    """Return the groups and measures that a card counts: of the whole, or of all where there is none."""
    groups, measures = range(len(card.groups)), range(len(card.measures))
    if card.tasked and len(groups) > 1:
        measures = range(1)
    elif card.groups[0] is None:
        groups = range(1)
    pairs = np.meshgrid(np.array(groups), np.array(measures), indexing="ij")
    return pairs[0].reshape(-1), pairs[1].reshape(-1)


def _matrix(card: Any, model: int) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Return what a model called the samples, or its most frequent errors where classes are many."""
    if not has_whole(card):
        return None, ()
    if card.counts is not None:
        tp, fp, fn, tn = (float(np.asarray(cell)[model, 0].mean()) for cell in card.counts.cells)
        return _shaded(card.counts.labels[::-1], np.array([[tp, fn], [fp, tn]])), ()
    matrix = class_matrix(card, model, 0)
    if matrix is None:
        return None, ()
    errors = _errors(matrix) if len(matrix.labels) > OPEN_MATRIX else ()
    if len(matrix.labels) > MOST_CLASSES:
        return None, errors
    return _shaded(distinct(matrix.labels, 12), matrix.to_array().astype(float)), errors


def _shaded(names: Sequence[str], cells: FloatArray) -> dict[str, Any]:
    """Return the cells of a matrix, what labels in random order give, and shades by the share of a row."""
    blind = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / cells.sum()
    shares = cells / np.maximum(cells.sum(axis=1, keepdims=True), 1)
    shades = np.ceil(SHADES * shares).astype(int)
    rows = [
        [
            {"count": count_text(count), "blind": f"{chance:,.0f}", "shade": shade}
            for count, chance, shade in zip(*row, strict=True)
        ]
        for row in zip(cells.tolist(), blind.tolist(), shades.tolist(), strict=True)
    ]
    return {"names": names, "rows": rows}


def _errors(matrix: ConfusionMatrix) -> tuple[str, ...]:
    wrong = np.where(matrix.rows != matrix.columns, matrix.values, 0)
    labels, sentences = distinct(matrix.labels, 24), [f"{matrix.correct:,} of {matrix.total:,} right"]
    for cell in np.argsort(-wrong, kind="stable")[:ERRORS].tolist():
        true, called, count = matrix.rows[cell], matrix.columns[cell], int(wrong[cell])
        if count:
            share = percent(count / int(matrix.true_counts[true]))
            sentences.append(f"{labels[true]} called {labels[called]}: {count:,} ({share} of them)")
    return tuple(sentences)


def count_text(value: float) -> str:
    """Write a count, or a mean of counts."""
    return f"{value:,.0f}" if math.isclose(value, round(value), abs_tol=1e-9) else f"{value:,.1f}"
