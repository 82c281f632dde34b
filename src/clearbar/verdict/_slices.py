"""Many slices at once: how each stands, corrected for having asked so many questions."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray

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
            np.isin(outcome, ("undefined", "unbeatable")),
            outcome == "ties",
            outcome == "clears",
        ],
        [_NOTHING, _AT, np.where(sure, _CLEARS, _ABOVE)],
        np.where(sure, _SURELY_BELOW, _BELOW),
    )
    return np.array(STANDINGS, dtype=object)[codes]
