"""Skill, p-values, outcome, and one plain sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core._later import late
from clearbar.inference.multiplicity import holm
from clearbar.verdict._bound import FLOORED, is_bound, undecided, with_reasons
from clearbar.verdict._judge import judge_problem, outcomes
from clearbar.verdict._single import FLOOR, chance_limit, checked_alpha, clearing_score, judge, p_value
from clearbar.verdict._skill import skill
from clearbar.verdict._sure import (
    STANDINGS,
    corrected,
    level_of,
    over_slices,
    stand_together,
    surely,
)
from clearbar.verdict._verdict import UNJUDGED, Intervals, Outcome, Verdict, finding, sides, subject

if TYPE_CHECKING:
    from clearbar.verdict._power import power
    from clearbar.verdict._samples import class_sizes, samples_needed
    from clearbar.verdict._scaler import dutch_scaler
    from clearbar.verdict._trial import Power

__all__ = [
    "FLOOR",
    "FLOORED",
    "STANDINGS",
    "UNJUDGED",
    "Intervals",
    "Outcome",
    "Power",
    "Verdict",
    "chance_limit",
    "checked_alpha",
    "class_sizes",
    "clearing_score",
    "corrected",
    "dutch_scaler",
    "finding",
    "holm",
    "is_bound",
    "judge",
    "judge_problem",
    "level_of",
    "outcomes",
    "over_slices",
    "p_value",
    "power",
    "samples_needed",
    "sides",
    "skill",
    "stand_together",
    "subject",
    "surely",
    "undecided",
    "with_reasons",
]

__getattr__ = late(
    __name__,
    {
        "._power": ("power",),
        "._trial": ("Power",),
        "._samples": ("class_sizes", "samples_needed"),
        "._scaler": ("dutch_scaler",),
    },
)
