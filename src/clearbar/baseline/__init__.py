"""The optimum over the number of predicted positives: the bar."""

from __future__ import annotations

from clearbar.baseline._bar import Bar, Judged, Problem, Tail
from clearbar.baseline._baseline import Baseline, baseline
from clearbar.baseline._knowledge import Comparison, draw_without_sizes, in_words, needed_knowledge
from clearbar.baseline._optimum import Optimum
from clearbar.baseline._policy import checked_policy, extreme_value, fill_value
from clearbar.baseline._universal import is_below, universal_p_value
from clearbar.baseline._words import bar_in_words

__all__ = [
    "Bar",
    "Baseline",
    "Comparison",
    "Judged",
    "Optimum",
    "Problem",
    "Tail",
    "bar_in_words",
    "baseline",
    "checked_policy",
    "draw_without_sizes",
    "extreme_value",
    "fill_value",
    "in_words",
    "is_below",
    "needed_knowledge",
    "universal_p_value",
]
