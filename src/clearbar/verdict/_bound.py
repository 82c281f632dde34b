"""Which p-values are the least that their random draws can tell: bounds, and no estimates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray

FLOORED = ("p_value", "p_value_blind", "p_draws", "p_blind_draws")
"""The columns that say so, in the order of the arguments."""


def is_bound(p_value: Any, p_value_blind: Any, p_draws: Any, p_blind_draws: Any) -> BoolArray:
    """Whether the larger of both p-values is the least that so many random draws can tell.

    A two-sided one of B resamples is 2 / (B + 1) where none of them is on the other side of the bar.
    """
    at_floor = [
        (np.asarray(draws) > 0) & (p <= sides / (np.asarray(draws) + 1) * (1 + 1e-9))
        for p, draws, sides in ((p_value, p_draws, 2), (p_value_blind, p_blind_draws, 1))
    ]
    first, second = (np.nan_to_num(p, nan=-1.0) for p in (p_value, p_value_blind))
    return np.asarray((at_floor[0] & (first >= second)) | (at_floor[1] & (second >= first)))


def undecided(columns: Mapping[str, Any], alpha: float) -> BoolArray:
    """Return which scores would be sure if their random draws could tell a smaller p-value."""
    doubted = (columns["outcome"] == "clears") & (columns["p_corrected"] > alpha)
    return np.asarray(doubted & is_bound(*(columns[name] for name in FLOORED)))


def with_reasons(columns: Mapping[str, Any], alpha: float) -> Any:
    """Return the reasons, with a sentence for each score that random draws leave undecided."""
    reasons = np.array(columns["reason"])
    for at in zip(*np.nonzero(undecided(columns, alpha)), strict=True):
        told = f"p is not resolvable below {columns['p_corrected'][at]:.2g} with so many random draws"
        reasons[at] = f"{reasons[at]}; {told}" if reasons[at] else told
    return reasons
