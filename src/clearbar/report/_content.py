"""What the page says, as plain values; the template decides where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core.errors import listed
from clearbar.formatting import Table, number, plural, visible, whole_percent
from clearbar.notebook import definition, facts
from clearbar.report._cards import model_cards
from clearbar.report._example import example
from clearbar.report._facts import data_facts, slices_download, versions
from clearbar.report._heat import heat_table
from clearbar.report._pictures import pictures as drawn
from clearbar.report._sheet import (
    NAME,
    has_whole,
    names_of,
    shortened,
    slices_sheet,
    whole_sheet,
    with_intervals,
)
from clearbar.report._wishes import Wishes
from clearbar.scorecard import (
    INTERVALS,
    Names,
    Scorecard,
    View,
    explain_bar,
    samples_line,
    sides,
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


def content(view: View, wishes: Wishes) -> dict[str, Any]:
    """Return everything that the template shows."""
    card: Any = view.card
    names = names_of(card)
    whole, sliced = has_whole(card), len(card.groups) > 1
    whole_rows = whole_sheet(view, names) if whole else None
    slice_rows = slices_sheet(view, names) if sliced else None
    return {
        **_answer(view, names, wishes),
        **_words(view),
        "whole": whole_rows,
        "sliced": slice_rows,
        "rows": {row for sheet in (whole_rows, slice_rows) if sheet for row in sheet.rows},
        "download": slices_download(card) if slice_rows and slice_rows.left_out else "",
        "names": names,
        "shortened": shortened(card, names),
        "notes": [*_about_numbers(view), *map(visible, card.notes)],
        "pictures": drawn(view, names) if wishes.pictures else [],
        "folds": _folds(card),
        "bars": [_bar(card, names, at) for at in range(len(card.measures))],
        "labels": card.counts is not None,
        "bars_of": names.groups[0] if not whole else "",
        "policy_words": _policy(card),
        "undefined": _undefined(card, names),
        "data": data_facts(card, wishes),
        "level": whole_percent(card.confidence_level) if whole and with_intervals(view) else "",
        "alpha": f"{view.alpha:.3g}",
        "call": visible(wishes.call or card.call),
        "versions": versions(),
    }


def _answer(view: View, names: Names, wishes: Wishes) -> dict[str, Any]:
    """Return what is read first."""
    card: Any = view.card
    about = (samples_line(card), visible(wishes.data), visible(str(wishes.date)))
    split = card.groups[0] is None and len(card.groups) > 1
    return {
        "title": visible(wishes.title) or "clearbar report",
        "subtitle": visible(wishes.subtitle),
        "verdict": card.headline(view.alpha).replace(" = ", "\xa0=\xa0"),  # p stays with its number
        "samples": " · ".join(filter(None, about)),
        "slices_verdict": slices_sentence(card, view.alpha) if split else "",
        "leaderboard": card.leaderboard().table(name=NAME) if card.tasked else None,
        "cards": model_cards(view, names),
        "map": heat_table(view, names),
        "example": example(view, names),
    }


def _words(view: View) -> dict[str, Any]:
    """Return what things are called, and what signs mean."""
    card: Any = view.card
    states = set(view.state.reshape(-1).tolist())
    part, parts = card.group_words
    asks = ASKS.replace(" within each class", "") if card.population.classes is None else ASKS
    return {
        "part": part,
        "parts": parts,
        "legend": view.legend(states),
        "sides": sides(card.measures),
        "asks": asks if card.has_p_values else "",
    }


def _folds(card: Scorecard) -> Table | None:
    """Return what happened in each fold, where there are folds and they have a place."""
    if not card.folds or len(card.models) * len(card.folds) > FOLDS:
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
    if has_whole(card) and len(card.models) > 1:
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
    policy = card.undefined
    if policy == "exclude":
        return (
            "Random answers that can end without a value were left out when a bar was sought "
            "(undefined = exclude). A model's score without a value is not judged."
        )
    if policy == "worst":
        return (
            "An outcome without a value counts as the worst value that any table of as many samples has "
            "(undefined = worst)."
        )
    return f"An outcome without a value counts as {number(float(policy), places=4)} (undefined = {policy:g})."


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
        name = names.models[model] if models > 1 else ""
        place = "" if groups == 1 else names.groups[group]
        texts.append(" on ".join(filter(None, (name, place))))
    left = len(where) - len(texts)
    more = f" and {left:,} more" if left else ""
    together = ", ".join(texts) if left else listed(texts, most=NAMED)
    return f"no verdict for {together}{more}"
