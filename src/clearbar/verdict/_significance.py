"""What is significant: two p-values, corrected for the models, the slices and the tries of a scorecard.

A score is sure if it is above its bar, and both questions say so: its true score is the bar
(`p_value`), and labels in random order (`p_value_blind`). Where both are exact, no feature-blind
classifier of any kind is a sure clear with a probability above alpha.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.core._value import number_or_nan
from clearbar.core.errors import shown
from clearbar.core.reasons import Reason
from clearbar.inference import false_discovery, holm
from clearbar.problems.reasons import and_also

# The least p-value that a true score of two classes has: what the confidence box of the rates costs.
# Berger and Boos (1994) add beta = 1e-6 to the largest p-value within a box of the rates; it is two-sided.
FLOOR = 2e-6

# Outcomes that tell nothing of a model: no value, or a bar that cannot be beaten.
UNJUDGED = ("undefined", "unbeatable")

FLOORED = ("p_value", "p_value_blind", "p_draws", "p_blind_draws")  # the arguments of `is_bound`, as columns


def corrected(columns: Mapping[str, Any], groups: tuple[Any, ...]) -> FloatArray:
    """Return `p_sure` corrected: over the models of the whole, and over all slices."""
    slices = np.array([group is not None for group in groups]) & (len(groups) > 1)
    clears = (columns["outcome"] == "clears") & ~np.isnan(columns["p_sure"])
    result = holm(np.where(clears, columns["p_sure"], 1.0))  # what is not known is not sure
    if slices.any():
        names = ("outcome", "bar", "p_value", "p_sure")
        result[:, slices] = over_slices({name: columns[name][:, slices] for name in names})
    return result


def over_slices(columns: Mapping[str, Any]) -> FloatArray:
    """Return p-values corrected over the slices, per measure, for discoveries above and below the bar."""
    # A slice whose class sizes leave no bar, or none that can be beaten, is no question. One whose score has
    # no value was asked about: leaving it out would let the answers choose the questions.
    above = columns["outcome"] == "clears"
    raw = np.where(above, columns["p_sure"], columns["p_value"])
    raw = np.where(np.isnan(raw) | (columns["outcome"] == "undefined"), 1.0, raw)
    raw = np.where(np.isnan(columns["bar"]) | (columns["outcome"] == "unbeatable"), np.nan, raw)
    result = np.empty(raw.shape)
    for measure in range(raw.shape[2]):
        result[:, :, measure] = false_discovery(raw[:, :, measure], dependent=raw.shape[0] > 1)
    return np.where(np.isnan(result), 1.0, result)


def level_of(confidence_level: float) -> float:
    """Return the level at which a score is sure: 0.05, not 1 - 0.95, which is a little more."""
    return round(1 - confidence_level, 15)


def surely(columns: Mapping[str, Any], alpha: float) -> BoolArray:
    """Return which scores clear surely at this level."""
    return np.asarray((columns["outcome"] == "clears") & (columns["p_corrected"] <= alpha))


# Every way a slice can stand.
STANDINGS = (
    "surely below",
    "below, could be chance",
    "at the bar",
    "above, could be chance",
    "clears surely",
    "no value",
)


def stand_together(outcome: Any, adjusted: FloatArray, alpha: float) -> Any:
    """Tell how slices stand; `adjusted` are p-values corrected in both directions."""
    sure = adjusted <= alpha
    surely_below, below, level, above, surely_above, nothing = range(len(STANDINGS))
    codes = np.select(
        [np.isin(outcome, UNJUDGED), outcome == "ties", outcome == "clears"],
        [nothing, level, np.where(sure, surely_above, above)],
        np.where(sure, surely_below, below),
    )
    return np.array(STANDINGS, dtype=object)[codes]


def is_bound(p_value: Any, p_value_blind: Any, p_draws: Any, p_blind_draws: Any) -> BoolArray:
    """Whether the larger of both p-values is the least that so many random draws can tell."""
    # A two-sided one of B resamples is 2 / (B + 1) where none of them is on the other side of the bar.
    at_floor = [
        (np.asarray(draws) > 0) & (p <= sides / (np.asarray(draws) + 1) * (1 + 1e-9))
        for p, draws, sides in ((p_value, p_draws, 2), (p_value_blind, p_blind_draws, 1))
    ]
    # Where one of them is not known, neither is the larger.
    return np.asarray((at_floor[0] & (p_value >= p_value_blind)) | (at_floor[1] & (p_value_blind >= p_value)))


def undecided(columns: Mapping[str, Any], alpha: float) -> BoolArray:
    """Return which scores would be sure if their random draws could tell a smaller p-value."""
    doubted = (columns["outcome"] == "clears") & (columns["p_corrected"] > alpha)
    return np.asarray(doubted & is_bound(*(columns[name] for name in FLOORED)))


def with_reasons(columns: Mapping[str, Any], alpha: float) -> Any:
    """Return the reasons, with one more for each score that random draws leave undecided."""
    reasons = np.array(columns["reason"])
    for cell in zip(*np.nonzero(undecided(columns, alpha)), strict=True):
        told = Reason.of("not_resolvable", p=float(columns["p_corrected"][cell]))
        reasons[cell] = and_also(reasons[cell], told)
    return reasons


def checked_alpha(alpha: Any) -> float:
    """Return a level, or say what one is."""
    level = number_or_nan(alpha)
    if not 0 < level <= 1:
        raise ValueError(f"alpha must be a probability greater than 0 and at most 1; found {shown(alpha)}.")
    return level


def resolved_alpha(alpha: Any, tries: int = 1) -> float:
    """Return the level of each try, or say that no p-value of a true score is as small."""
    level = checked_alpha(alpha)
    if level / tries < FLOOR:
        if tries == 1:
            raise ValueError(
                f"alpha must be at least {FLOOR:g}, below which no p-value of a true score is resolved, "
                f"whatever the data; found {level:g}."
            )
        most = math.floor(level / FLOOR * (1 + 1e-9))
        raise ValueError(
            f"tries must be at most {most:,} at alpha={level:g}: they divide alpha, and no p-value of a true "
            f"score is resolved below {FLOOR:g}; found {tries:,}."
        )
    return level / tries
