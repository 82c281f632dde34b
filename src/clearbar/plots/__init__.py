"""Pictures of verdicts, after scikit-learn's Displays: data first, then ``plot(ax=...)``.

matplotlib is loaded when something is drawn; ``pip install '.[plots]'`` in a checkout brings it.
"""

from __future__ import annotations

from clearbar.plots._confusion import ConfusionDisplay
from clearbar.plots._curves import PrecisionRecallDisplay, RocDisplay
from clearbar.plots._display import Display, NothingToDrawError
from clearbar.plots._expectation import ExpectationDisplay
from clearbar.plots._inline import inline_svg
from clearbar.plots._null import NullDisplay
from clearbar.plots._power import PowerDisplay
from clearbar.plots._ranking import RankingDisplay
from clearbar.plots._scorecard import ScorecardDisplay
from clearbar.plots._skill_map import SkillMapDisplay
from clearbar.plots._slices import SlicesDisplay
from clearbar.plots._threshold import ThresholdDisplay

__all__ = [
    "ConfusionDisplay",
    "Display",
    "ExpectationDisplay",
    "NothingToDrawError",
    "NullDisplay",
    "PowerDisplay",
    "PrecisionRecallDisplay",
    "RankingDisplay",
    "RocDisplay",
    "ScorecardDisplay",
    "SkillMapDisplay",
    "SlicesDisplay",
    "ThresholdDisplay",
    "inline_svg",
]
