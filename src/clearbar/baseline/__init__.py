"""The optimum over the number of predicted positives: the bar."""

from __future__ import annotations

from clearbar.baseline._baseline import Baseline, baseline
from clearbar.baseline._optimum import Optimum
from clearbar.baseline._policy import checked_policy, extreme_value, fill_value
from clearbar.baseline._words import bar_in_words, recipe

__all__ = [
    "Baseline",
    "Optimum",
    "bar_in_words",
    "baseline",
    "checked_policy",
    "extreme_value",
    "fill_value",
    "recipe",
]
