"""The best of many tries: Bonferroni's correction of what is sure."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, ParamSpec

import numpy as np

from clearbar.problems.binary import checked_tries
from clearbar.scorecard import Scorecard
from clearbar.verdict import corrected, surely

Given = ParamSpec("Given")


def tried(function: Callable[Given, Scorecard]) -> Callable[Given, Scorecard]:
    """Let a function that judges take `tries`, and correct its scorecard for them."""

    @functools.wraps(function)
    def called(*args: Given.args, **kwargs: Given.kwargs) -> Scorecard:
        tries = checked_tries(kwargs.get("tries", 1))
        return best_of_tries(function(*args, **kwargs), tries)

    return called


def best_of_tries(card: Scorecard, tries: int) -> Scorecard:
    """Return a scorecard each of whose models is the best of so many, fixed before any score was seen."""
    if tries == 1:
        return card
    columns: dict[str, Any] = dict(card.columns)
    columns["p_sure"] = np.minimum(tries * columns["p_sure"], 1.0)
    columns["p_corrected"] = corrected(columns, card.groups)
    columns["sure"] = surely(columns, card.alpha)
    fixed = f"Each model is the best of {tries:,} tries that were fixed before any score was seen"
    note = f"{fixed}: p is multiplied by {tries:,}."
    notes = (*card.notes, note) if card.has_p_values else card.notes
    return dataclasses.replace(card, columns=columns, notes=notes)
