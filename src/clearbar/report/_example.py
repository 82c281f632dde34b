"""What a bar is, told with the data at hand."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.formatting import decimals, number, signed
from clearbar.report._sheet import place_of, row_id
from clearbar.scorecard import Names, View, best_first, scores_the_bar

MOST_DIGITS = 6
"""Decimals to which numbers are written so that what is worked out from them fits."""


@dataclass(frozen=True)
class Example:
    """A bar, a score above it, and the skill that follows."""

    label: str
    where: str  # the slice, if it is not about all samples
    bar: str  # who scores it, in a clause
    limit: str  # whether anything that ignores its input may do better
    value: str  # what is scored
    model: str
    score: str
    state: str
    perfect: str
    sum: str  # the skill worked out, empty if there is none above the bar
    row: str  # of the tables


def example(view: View, names: Names) -> Example | None:
    """Return the example: of the best model, where it can be by a measure whose bar one answer attains."""
    card: Any = view.card
    model = best_first(card)[0]
    judged = [
        at
        for at in range(len(card.measures))
        if view.state[model, 0, at] in {"clears", "doubt", "fails", "ties"}
        and math.isfinite(float(card.columns["best_possible"][model, 0, at]))
        and math.isfinite(float(card.columns["bar"][model, 0, at]))
    ]
    if not judged:
        return None

    def order(at: int) -> tuple[bool, bool, int]:
        above = view.state[model, 0, at] in {"clears", "doubt"}
        return not above, not card.bar(at, 0).attained_by.always, at

    measure = min(judged, key=order)
    bar, score, perfect, skill = (
        float(card.columns[name][model, 0, measure]) for name in ("bar", "score", "best_possible", "skill")
    )
    state = str(view.state[model, 0, measure])
    places = _digits(bar, score, perfect, skill, decimals(view.samples(0)))
    shown = {name: number(value, places=places) for name, value in
             (("bar", bar), ("score", score), ("perfect", perfect))}  # fmt: skip
    skill_worked_out = f"({shown['score']} − {shown['bar']}) / ({shown['perfect']} − {shown['bar']})"
    return Example(
        names.measures[measure],
        place_of(card, names, 0),
        scores_the_bar(card.bar(measure, 0)),
        _limit(card.bar(measure, 0)),
        shown["bar"],
        "The model" if card.models == ("model",) else names.models[model],
        shown["score"],
        state,
        shown["perfect"],
        f"{skill_worked_out} = {signed(skill)}"
        if state in {"clears", "doubt"} and not np.isnan(skill)
        else "",
        row_id(0, measure),
    )


def _limit(bar: Any) -> str:
    if bar.certified:
        return "nothing that ignores its input does better on average"
    below = "another answer that ignores its input may score more"
    return below if hasattr(bar, "uncertain") else "it is the best of the draws that were tried"


def _digits(bar: float, score: float, perfect: float, skill: float, first: int) -> int:
    """Return with how many decimals the skill can be worked out from what is written."""
    for places in range(first, MOST_DIGITS):
        low, mid, high = (round(value, places) for value in (bar, score, perfect))
        if high != low and signed((mid - low) / (high - low)) == signed(skill):
            return places
    return MOST_DIGITS
