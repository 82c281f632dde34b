"""``clearbar compare``: which of the models in a file is better, and how surely."""

from __future__ import annotations

import argparse
import math
from typing import Any

from clearbar.cli._formats import Parts, pages, written
from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Answer
from clearbar.cli._table import judged_table
from clearbar.core.documents import document
from clearbar.data.query import MOST_COMPARED
from clearbar.formatting import (
    MISSING,
    Align,
    Screen,
    Table,
    number,
    p_value_text,
    signed,
    whole_percent,
)
from clearbar.scorecard import Comparison, Scorecard


def compare(options: argparse.Namespace, screen: Screen) -> Answer:
    """Compare two models, or rank several."""
    models = list(dict.fromkeys(options.y_pred or options.y_score or []))
    any_number = bool(options.y_score) or options.clusters is not None
    if len(models) == 1 or (len(models) > MOST_COMPARED and not any_number):
        option = "--y-score" if options.y_score else "--y-pred"
        several = "more" if any_number else f"up to {MOST_COMPARED}"
        raise UsageError(f"name two models to compare with {option}, or {several}; found {len(models)}.")
    if options.margin is not None and len(models) != 2:
        raise UsageError(f"--margin is for two models; found {len(models)}.")
    if options.null != "equal" and len(models) != 2:
        raise UsageError(f"--null is for two models; found {len(models)}.")
    card = judged_table(options, options.measure, intervals=False)
    return (_of_two if len(card.models) == 2 else _of_several)(card, options, screen)


def _of_two(card: Scorecard, options: argparse.Namespace, screen: Screen) -> Answer:
    a, b = card.models
    asked = {"margin": options.margin, "null": options.null}
    comparisons = [card.compare(a, b, measure, **asked) for measure in card.measures]
    documents = [comparison.to_dict() for comparison in comparisons]
    return Answer(
        written(
            options,
            text=lambda: "\n".join(screen.line(str(comparison)) for comparison in comparisons),
            json=lambda: document({"comparisons": documents}),
            csv=lambda: list(map(_csv_row, comparisons)),
            **pages(lambda: [_table(comparisons), *map(str, comparisons)]),
        )
    )


def _csv_row(comparison: Comparison) -> dict[str, Any]:
    """Return every number in a cell of its own."""
    scores = {"score_a": comparison.scores[0], "score_b": comparison.scores[1]}
    row: dict[str, Any] = {}
    for name, value in comparison.to_dict().items():
        row |= scores if name == "scores" else {name: value}
    return row


def _table(comparisons: list[Comparison]) -> Table:
    """Return the comparisons of two models, a line per measure."""
    first = comparisons[0]
    level = whole_percent(first.confidence_level)
    heads = ("", first.a, first.b, "difference", f"{level} interval", "p")
    aligns: tuple[Align, ...] = ("left", "decimal", "decimal", "decimal", "right", "decimal")
    return Table.of(aligns, heads, map(_row, comparisons))


def _row(comparison: Comparison) -> tuple[str, ...]:
    interval = f"{signed(comparison.low, 3)} – {signed(comparison.high, 3)}"
    return (
        comparison.measure.label,
        *map(number, comparison.scores),
        signed(comparison.score_difference, 3),
        MISSING if math.isnan(comparison.low) else interval,
        p_value_text(comparison.p_value),
    )


def _of_several(card: Scorecard, options: argparse.Namespace, screen: Screen) -> Answer:
    rankings = [card.ranking(measure) for measure in card.measures]
    parts: Parts = []
    for ranking in rankings:
        parts += [ranking.sentence, ranking.table, *ranking.notes]
    return Answer(
        written(
            options,
            text=lambda: "\n\n".join(ranking.to_text(**screen.options) for ranking in rankings),
            json=lambda: document({"rankings": [ranking.to_dict() for ranking in rankings]}),
            csv=lambda: [row for ranking in rankings for row in ranking.rows],
            **pages(lambda: parts),
        )
    )
