"""The slices of a scorecard, in order of how far they are from their own bars."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.formatting import visible
from clearbar.plots._blind import reach
from clearbar.plots._display import NothingToDrawError
from clearbar.plots._rows import Order, checked_card, checked_most, ordered, refuse_unnamed
from clearbar.scorecard import INTERVALS, which_measure, which_model
from clearbar.scorecard import standing as standing_of
from clearbar.verdict import checked_alpha


def sorted_slices(
    card: Any, measure: Any, model: str | None, most: Any, order: Order, alpha: float | None
) -> dict[str, Any]:
    """Return what a picture of slices shows."""
    checked_card(card)
    most = checked_most(most)
    slices = np.array([group is not None for group in card.groups])
    if not slices.any():
        raise ValueError(
            "card has no slices; pass by=... to evaluate, or arrays of counts to evaluate_counts."
        )
    refuse_unnamed("measure", measure, [known.name for known in card.measures])
    refuse_unnamed("model", model, card.models)
    row = 0 if model is None else which_model(card, model)
    column = 0 if measure is None else which_measure(card, measure)
    chosen = card.measures[column]
    scores, bars = (card.columns[name][row, :, column] for name in ("score", "bar"))
    known = slices & np.isfinite(scores) & np.isfinite(bars)
    if not known.any():
        reason = card.columns["reason"][row, -1, column]
        raise NothingToDrawError(
            f"no {card.group_words[0]} has both a score and a bar for {chosen.label}: {reason}"
        )
    sign = -1.0 if chosen.greater_is_better is False else 1.0
    places = np.flatnonzero(known)
    places = places[ordered((sign * (scores - bars))[places], order)]
    drawn = places[:most].tolist()
    alpha = card.alpha if alpha is None else checked_alpha(alpha)
    quick = len(places) <= INTERVALS  # then nobody waits long for intervals and for what chance can reach
    whiskers = quick and card.has_p_values and not card.several_runs
    population = card.baselines[column].population
    return {
        "measure": chosen,
        "groups": [card.groups[place] for place in places],
        "scores": scores[places],
        "bars": bars[places],
        "support": np.asarray(population.total)[places],
        "positives": np.asarray(population.leading[1])[places],
        "standing": standing_of(card, alpha)[row, places, column].tolist(),
        "intervals": [card.interval(row, place, column) for place in drawn] if whiskers else [],
        "reaches": [reach(card.bar(column, place), alpha) for place in drawn] if quick else [],
        "model": visible(card.models[row]) if len(card.models) > 1 else "",
        "most": most,
        "unjudged": int((slices & ~known).sum()),
        "part": card.group_words,
    }
