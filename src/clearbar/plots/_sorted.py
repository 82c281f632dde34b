"""The slices of a scorecard, in order of how far they are from their own bars."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.core.errors import listed
from clearbar.formatting import visible
from clearbar.plots._blind import reach
from clearbar.plots._display import NothingToDrawError
from clearbar.plots._rows import Order, checked_card, checked_most, ordered
from clearbar.scorecard import INTERVALS, Scorecard, which_measure, which_model
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
    at, which = _named(card, measure, model)
    chosen = card.measures[which]
    scores, bars = (card.columns[name][at, :, which] for name in ("score", "bar"))
    known = slices & np.isfinite(scores) & np.isfinite(bars)
    if not known.any():
        why = card.columns["reason"][at, -1, which]
        raise NothingToDrawError(
            f"no {card.group_words[0]} has both a score and a bar for {chosen.label}: {why}"
        )
    sign = -1.0 if chosen.greater_is_better is False else 1.0
    rows = np.flatnonzero(known)
    rows = rows[ordered((sign * (scores - bars))[rows], order)]
    drawn = rows[:most].tolist()
    alpha = card.alpha if alpha is None else checked_alpha(alpha)
    few = len(rows) <= INTERVALS  # then intervals, and what chance can reach, are not too long to wait for
    whiskers = few and card.has_p_values and not card.several_runs
    population = card.baselines[which].population
    return {
        "measure": chosen,
        "groups": [card.groups[row] for row in rows],
        "scores": scores[rows],
        "bars": bars[rows],
        "support": np.asarray(population.total)[rows],
        "positives": np.asarray(population.leading[1])[rows],
        "standing": standing_of(card, alpha)[at, rows, which].tolist(),
        "intervals": [card.interval(at, row, which) for row in drawn] if whiskers else [],
        "reaches": [reach(card.bar(which, row), alpha) for row in drawn] if few else [],
        "model": visible(card.models[at]) if len(card.models) > 1 else "",
        "most": most,
        "unjudged": int((slices & ~known).sum()),
        "part": card.group_words,
    }


def _named(card: Scorecard, measure: Any, model: str | None) -> tuple[int, int]:
    """Return the positions of a model and a measure, which must be named where there are several."""
    measures = [known.name for known in card.measures]
    for what, given, names in (("measure", measure, measures), ("model", model, card.models)):
        if given is None and len(names) > 1:
            raise ValueError(
                f"{what} must be named, since the scorecard has several: {listed(list(names), most=12)}."
            )
    at = 0 if model is None else which_model(card, model)
    return at, 0 if measure is None else which_measure(card, measure)
