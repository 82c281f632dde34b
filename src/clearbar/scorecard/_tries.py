"""The best of many tries: Bonferroni's correction of what is sure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from clearbar.verdict import corrected, surely

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

Card = TypeVar("Card", bound="Scorecard")


def best_of_tries(card: Card, tries: int) -> Card:
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
    return dataclasses.replace(card, columns=columns, notes=notes, tries=tries)
