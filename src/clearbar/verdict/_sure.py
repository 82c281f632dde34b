"""Which scores clear surely: two p-values, corrected for the models and the slices of a scorecard.

A score is sure if it is above its bar, and both questions say so: its true score is the bar
(`p_value`), and labels in random order (`p_value_blind`). Where both are exact, no feature-blind
classifier of any kind is a sure clear with a probability above alpha.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.inference.multiplicity import holm
from clearbar.verdict._verdict import UNJUDGED

QUESTIONS = ("outcome", "bar", "p_value", "p_sure")
"""The columns that say which questions were asked and how each was answered."""


def _of_clears(columns: Mapping[str, Any]) -> FloatArray:
    """Return `p_sure` of scores above their bar, 1 for the others: what is not known is not sure."""
    known = (columns["outcome"] == "clears") & ~np.isnan(columns["p_sure"])
    return np.where(known, columns["p_sure"], 1.0)


def false_discovery(p_values: FloatArray, *, dependent: bool = False) -> FloatArray:
    """Return for each the least false discovery rate at which it would be a discovery; nan is no question.

    Benjamini and Hochberg (1995) for independent questions, Benjamini and Yekutieli (2001) for any.
    """
    corrected = np.full(p_values.shape, np.nan)
    question = ~np.isnan(p_values)
    values = p_values[question]
    if not values.size:
        return corrected
    count = values.size
    weight = float((1 / np.arange(1, count + 1)).sum()) if dependent else 1.0
    order = np.argsort(-values, kind="stable")
    stepped = np.minimum.accumulate(values[order] * count * weight / np.arange(count, 0, -1))
    back = np.empty(count)
    back[order] = np.minimum(stepped, 1.0)
    corrected[question] = back
    return corrected


def corrected(columns: Mapping[str, Any], groups: tuple[Any, ...]) -> FloatArray:
    """Return `p_sure` corrected: over the models of the whole, and over all slices."""
    slices = np.array([group is not None for group in groups]) & (len(groups) > 1)
    result = holm(_of_clears(columns))
    if slices.any():
        result[:, slices] = over_slices({name: columns[name][:, slices] for name in QUESTIONS})
    return result


def over_slices(columns: Mapping[str, Any]) -> FloatArray:
    """Return p-values corrected over the slices, per measure, for discoveries above and below the bar.

    A slice whose class sizes leave no bar, or none that can be beaten, is no question. One whose score has
    no value was asked about: leaving it out would let the answers choose the questions.
    """
    above = columns["outcome"] == "clears"
    raw = np.where(above, columns["p_sure"], columns["p_value"])
    raw = np.where(np.isnan(raw) | (columns["outcome"] == "undefined"), 1.0, raw)
    raw = np.where(np.isnan(columns["bar"]) | (columns["outcome"] == "unbeatable"), np.nan, raw)
    result = np.empty(raw.shape)
    for at in range(raw.shape[2]):
        result[:, :, at] = false_discovery(raw[:, :, at], dependent=raw.shape[0] > 1)
    return np.where(np.isnan(result), 1.0, result)


def level_of(confidence_level: float) -> float:
    """Return the level at which a score is sure: 0.05, not 1 - 0.95, which is a little more."""
    return round(1 - confidence_level, 15)


def surely(columns: Mapping[str, Any], alpha: float) -> BoolArray:
    """Return which scores clear surely at this level."""
    return np.asarray((columns["outcome"] == "clears") & (columns["p_corrected"] <= alpha))


STANDINGS = (
    "surely below",
    "below, could be chance",
    "at the bar",
    "above, could be chance",
    "clears surely",
    "no value",
)
"""Every way a slice can stand."""

_SURELY_BELOW, _BELOW, _AT, _ABOVE, _CLEARS, _NOTHING = range(6)


def stand_together(outcome: Any, adjusted: FloatArray, alpha: float) -> Any:
    """Tell how slices stand; `adjusted` are p-values corrected in both directions."""
    sure = adjusted <= alpha
    codes = np.select(
        [
            np.isin(outcome, UNJUDGED),
            outcome == "ties",
            outcome == "clears",
        ],
        [_NOTHING, _AT, np.where(sure, _CLEARS, _ABOVE)],
        np.where(sure, _SURELY_BELOW, _BELOW),
    )
    return np.array(STANDINGS, dtype=object)[codes]
