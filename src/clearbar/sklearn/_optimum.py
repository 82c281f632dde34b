"""How many of some rows the best feature-blind classifier labels positive."""

from __future__ import annotations

import functools
from typing import Any, Literal

from clearbar.catalogue import Measure
from clearbar.core._numbers import number_or_nan
from clearbar.core._typing import Undefined
from clearbar.core.counts import Population
from clearbar.distributions.null import predicted_from_theta
from clearbar.problems.binary import baseline, draw_without_sizes, in_words, needed_knowledge

Prevalence = float | Literal["train"] | None

ENOUGH = 1000
"""Rows that stand for many, where too few are given to hold both classes."""


def checked_prevalence(prevalence: Any) -> Prevalence:
    """Return what is known of the share of positives, or say what may be."""
    if prevalence is None or (isinstance(prevalence, str) and prevalence == "train"):
        return prevalence  # type: ignore[return-value]
    share = number_or_nan(prevalence)
    if not 0 < share < 1:
        raise ValueError(
            f"prevalence must be 'train', a share between 0 and 1, or None; found {prevalence!r:.60}."
        )
    return share


def refuse_unknown(measure: Measure, prevalence: float | None, undefined: Undefined) -> None:
    """Say at once if no number of rows has an optimum that can be known."""
    if prevalence is not None:
        draws_for(measure, ENOUGH, prevalence, undefined)
        return
    if measure.greater_is_better is None:
        raise ValueError(f"{measure.label} has no better end, so that no draw is the best one.")
    need = needed_knowledge(measure, undefined=undefined)
    if need not in {"nothing", "number of samples"}:
        raise ValueError(
            f"prevalence=None is not enough for {measure.name}: its optimal draw depends on "
            f"{in_words(need)}. Pass prevalence='train', or the share of positives as a number."
        )


@functools.lru_cache(maxsize=256)
def draws_for(measure: Measure, rows: int, prevalence: float | None, undefined: Undefined) -> int:
    """Return how many of these rows to label positive.

    The smallest optimal number. Where the measure has no bar on the rounded class sizes, such as F1 without a
    positive row, those nearest to them with both classes are taken, and for rows too few for that the share
    which is optimal for a thousand.
    """
    if prevalence is None:
        return draw_without_sizes(measure, rows, undefined=undefined)
    positives = predicted_from_theta(rows, prevalence)
    nearest = min(max(positives, 1), rows - 1)
    for size in (positives, nearest)[: 2 if rows > 1 else 1]:
        best = baseline(Population(rows, size), measure, undefined=undefined).best
        if best is not None and best.smallest >= 0:
            return int(best.smallest)
    if rows == ENOUGH:
        reason = baseline(Population(rows, nearest), measure, undefined=undefined).reason
        raise ValueError(f"there is no best draw for {measure.name}: {reason}.")
    return predicted_from_theta(rows, draws_for(measure, ENOUGH, prevalence, undefined) / ENOUGH)
