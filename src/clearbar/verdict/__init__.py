"""Skill, p-values, outcome, and one plain sentence."""

from __future__ import annotations

from clearbar.verdict._judge import FLOATS, PValues, judge_counts, outcomes, stand
from clearbar.verdict._single import checked_alpha, clearing_score, judge, p_value
from clearbar.verdict._skill import skill
from clearbar.verdict._slices import STANDINGS, stand_together
from clearbar.verdict._universal import universal_p_value
from clearbar.verdict._verdict import Outcome, Verdict

__all__ = [
    "FLOATS",
    "STANDINGS",
    "Outcome",
    "PValues",
    "Verdict",
    "checked_alpha",
    "clearing_score",
    "judge",
    "judge_counts",
    "outcomes",
    "p_value",
    "skill",
    "stand",
    "stand_together",
    "universal_p_value",
]
