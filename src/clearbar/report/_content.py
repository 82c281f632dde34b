"""What the page says, as plain values; the template decides where it stands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core.errors import listed
from clearbar.formatting import Table, number, percent, plural, visible
from clearbar.notebook import definition, facts
from clearbar.report._pictures import pictures as drawn
from clearbar.report._sheet import NAME, names_of, shortened, slices_sheet, whole_sheet, with_intervals
from clearbar.scorecard import (
    INTERVALS,
    FoldScorecard,
    Names,
    Scorecard,
    View,
    explain_bar,
    samples_line,
    slices,
    slices_sentence,
)

if TYPE_CHECKING:
    from clearbar.problems._protocol import Bar

FOLDS = 500
"""Rows of a table of folds."""

NAMED = 4
"""Places that are named before the rest is counted."""

ASKS = (
    "the larger answer to two questions. Is the model's true score above the bar: how likely is a score this "
    "far from the bar, if the true score is the bar? Do the predictions know anything about the labels: how "
    "likely is a score as good, if the labels are in random order? Both take the test samples to be "
    "independent within each class, and the model to have been fixed before their labels were seen."
)
"""What p tells."""


def content(card: Scorecard, *, title: str, call: str, alpha: float, pictures: bool) -> dict[str, Any]:
    """Return everything that the template shows."""
    view = View.of(card, alpha)
    names = names_of(card)
    whole = card.groups[0] is None or len(card.groups) == 1
    sliced = len(card.groups) > 1
    states = set(view.state.reshape(-1).tolist())
    sheet, left_out = whole_sheet(view, names) if whole else (None, 0)
    slices_table, slices_left_out = slices_sheet(view, names) if sliced else (None, 0)
    return {
        "title": visible(title) or "clearbar report",
        "verdict": card.headline(alpha),
        "samples": samples_line(card),
        "slices_verdict": slices_sentence(card, alpha) if sliced and whole else "",
        "names": names,
        "whole": sheet,
        "left_out": left_out,
        "sliced": slices_table,
        "slices_left_out": slices_left_out,
        "shortened": shortened(card, names),
        "legend": view.legend(states),
        "asks": ASKS if card.has_p_values else "",
        "notes": [*_about_numbers(view), *map(visible, card.notes)],
        "pictures": drawn(view, names) if pictures else [],
        "folds": _folds(card),
        "leaderboard": card.leaderboard().table(name=NAME) if card.tasked else None,
        "bars": [_bar(card, names, at) for at in range(len(card.measures))],
        "labels": card.counts is not None,
        "bars_of": names.groups[0] if not whole else "",
        "policy_words": _policy(card),
        "undefined": _undefined(card, names),
        "data": _data(card),
        "matrices": _matrices(card, names),
        "level": percent(card.confidence_level).replace(".0 %", " %")
                 if whole and with_intervals(view) else "",
        "alpha": f"{alpha:.3g}",
        "call": visible(call or card.call),
    }  # fmt: skip


def _folds(card: Scorecard) -> Table | None:
    """Return what happened in each fold, where there are folds and they have a place."""
    if not isinstance(card, FoldScorecard) or len(card.models) * len(card.folds) > FOLDS:
        return None
    return card.fold_table()


def _about_numbers(view: View) -> list[str]:
    card, notes = view.card, []
    if card.runs > 1:
        notes.append(f"Scores are means over {card.runs:,} runs (± their standard deviation).")
    if not card.has_p_values:
        return [*notes, "p-values and intervals were not asked for (intervals=False)."]
    if not with_intervals(view):
        notes.append(f"Intervals are shown for up to {INTERVALS} scores; card.to_frame() has them all.")
    whole = card.groups[0] is None or len(card.groups) == 1
    if whole and len(card.models) > 1:
        notes.append(f"p is corrected for {len(card.models):,} models.")
    if len(card.groups) > 1:
        number = plural(int(slices(card).sum()), *card.group_words)
        notes.append(f"p of {card.group_words[1]} is corrected for {number}.")
    return notes


def _bar(card: Scorecard, names: Names, at: int) -> dict[str, Any]:
    from markupsafe import Markup

    measure: Any = card.measures[at]
    bar: Bar = card.bar(at, 0)
    _, *lines = explain_bar(bar).splitlines()
    caution = visible(measure.caution)
    return {
        "label": names.measures[at],
        "question": visible(measure.question).strip(),
        "formula": Markup(definition(measure)),  # noqa: S704 - escaped there
        "lines": [line for line in lines if line != caution],
        "facts": [(name, visible(text)) for name, text in facts(measure)],
    }


def _policy(card: Scorecard) -> str:
    how = card.undefined
    if how == "exclude":
        return (
            "Random answers that can end without a value were left out when a bar was sought "
            "(undefined = exclude). A model's score without a value is not judged."
        )
    if how == "worst":
        return (
            "An outcome without a value counts as the worst value that any table of as many samples has "
            "(undefined = worst)."
        )
    return f"An outcome without a value counts as {number(float(how), places=4)} (undefined = {how:g})."


def _undefined(card: Scorecard, names: Names) -> list[str]:
    """Say of each measure where there is no verdict, and why."""
    outcome, reason = card.columns["outcome"], card.columns["reason"]
    sentences = []
    for measure in range(len(card.measures)):
        lost = outcome[:, :, measure] == "undefined"
        for why in dict.fromkeys(reason[:, :, measure][lost].tolist()):
            where = np.argwhere(lost & (reason[:, :, measure] == why))
            sentences.append(
                f"{names.measures[measure]}: {_places(card, names, where)}: {visible(str(why))}."
            )
    return sentences


def _places(card: Scorecard, names: Names, where: Any) -> str:
    """Name some (model, group)."""
    models, groups = len(card.models), len(card.groups)
    if len(where) == models * groups:
        return "no verdict anywhere" if models * groups > 1 else "no verdict"
    texts = []
    for model, group in where[:NAMED].tolist():
        who = names.models[model] if models > 1 else ""
        place = "" if groups == 1 else "all samples" if card.groups[group] is None else names.groups[group]
        texts.append(" on ".join(filter(None, (who, place))))
    left = len(where) - len(texts)
    more = f" and {left:,} more" if left else ""
    together = ", ".join(texts) if left else listed(texts, most=NAMED)
    return f"no verdict for {together}{more}"


def _data(card: Scorecard) -> list[tuple[str, str]]:
    population = card.population
    name, parts = population.leading
    total, positives = (np.asarray(x).reshape(-1) for x in (population.total, parts))
    whole = card.groups[0] is None or len(card.groups) == 1
    m, p = (int(total[0]), int(positives[0])) if whole else (int(total.sum()), int(positives.sum()))
    rows = [
        ("samples", f"{m:,}"),
        (name, f"{p:,} ({percent(p / m) if m else '–'})"),
        ("models", f"{len(card.models):,}"),
        ("measures", f"{len(card.measures):,}"),
    ]
    if card.several_runs:
        rows.append(("runs of each model", f"{card.runs:,}"))
    if len(card.groups) > 1:
        sizes = total[slices(card)]
        rows.append((card.group_words[1], f"{len(sizes):,}, of {_range(sizes)} samples each"))
        shares = positives[slices(card)] / np.maximum(sizes, 1)
        rows.append(
            (f"{name} per {card.group_words[0]}", f"{percent(shares.min())} to {percent(shares.max())}")
        )
    rows.append(("verdicts", plural(len(card), "row")))
    return rows


def _range(sizes: Any) -> str:
    low, high = int(sizes.min()), int(sizes.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _matrices(card: Scorecard, names: Names) -> list[tuple[str, ...]]:
    """Return the cells of each model on all samples; of several runs, their means."""
    if card.counts is None or (card.groups[0] is not None and len(card.groups) > 1):
        return []
    matrices = []
    for at, name in enumerate(names.models):
        cells = [float(np.asarray(cell)[at, 0].mean()) for cell in card.counts.cells]
        matrices.append((name, *(_count(cell) for cell in (*cells, cells[0] + cells[1]))))
    return matrices


def _count(value: float) -> str:
    return f"{value:,.0f}" if math.isclose(value, round(value), abs_tol=1e-9) else f"{value:,.1f}"
