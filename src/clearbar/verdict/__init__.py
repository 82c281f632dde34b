"""Skill, p-values and outcome of scores that are held against their bars."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core import late
from clearbar.inference import holm
from clearbar.verdict._judge import (
    FLOOR,
    FLOORED,
    STANDINGS,
    UNJUDGED,
    Intervals,
    checked_alpha,
    corrected,
    is_bound,
    judge,
    level_of,
    outcomes,
    over_slices,
    stand_together,
    surely,
    undecided,
    with_reasons,
)
from clearbar.verdict._skill import dutch_scaler, skill

if TYPE_CHECKING:
    from clearbar.verdict._bare import chance_limit, clearing_score, judge_score, p_value
    from clearbar.verdict._planning import Range, class_sizes, least_difference, power, samples_needed
    from clearbar.verdict._power import Power
    from clearbar.verdict._verdict import Outcome, Verdict

__all__ = [
    "FLOOR",
    "FLOORED",
    "STANDINGS",
    "UNJUDGED",
    "Intervals",
    "Outcome",
    "Power",
    "Range",
    "Verdict",
    "chance_limit",
    "checked_alpha",
    "class_sizes",
    "clearing_score",
    "corrected",
    "dutch_scaler",
    "holm",
    "is_bound",
    "judge",
    "judge_score",
    "least_difference",
    "level_of",
    "outcomes",
    "over_slices",
    "p_value",
    "power",
    "samples_needed",
    "skill",
    "stand_together",
    "surely",
    "undecided",
    "with_reasons",
]

__getattr__ = late(
    __name__,
    {
        "._bare": ("chance_limit", "clearing_score", "judge_score", "p_value"),
        "._planning": ("Range", "class_sizes", "least_difference", "power", "samples_needed"),
        "._power": ("Power",),
        "._verdict": ("Outcome", "Verdict"),
    },
)
