"""Pictures of verdicts, after scikit-learn's Displays: data first, then ``plot(ax=...)``.

matplotlib is loaded when something is drawn; ``pip install '.[plots]'`` in a checkout brings it.
"""

from __future__ import annotations

from clearbar.plots._claim import ClaimDisplay, FalseClaimDisplay
from clearbar.plots._curves import PrecisionRecallDisplay, RocDisplay
from clearbar.plots._display import Display, NothingToDrawError, style
from clearbar.plots._gaps import GapsDisplay
from clearbar.plots._heat import ConfusionDisplay, SkillMapDisplay
from clearbar.plots._inline import inline_svg
from clearbar.plots._null import NullDisplay
from clearbar.plots._power import PowerDisplay
from clearbar.plots._reliability import ReliabilityDisplay
from clearbar.plots._rows import RankingDisplay, SlicesDisplay
from clearbar.plots._scorecard import ScorecardDisplay
from clearbar.plots._tasks import TasksDisplay
from clearbar.plots._thresholds import ExpectationDisplay, ThresholdDisplay

__all__ = [
    "ClaimDisplay",
    "ConfusionDisplay",
    "Display",
    "ExpectationDisplay",
    "FalseClaimDisplay",
    "GapsDisplay",
    "NothingToDrawError",
    "NullDisplay",
    "PowerDisplay",
    "PrecisionRecallDisplay",
    "RankingDisplay",
    "ReliabilityDisplay",
    "RocDisplay",
    "ScorecardDisplay",
    "SkillMapDisplay",
    "SlicesDisplay",
    "TasksDisplay",
    "ThresholdDisplay",
    "inline_svg",
    "style",
]
