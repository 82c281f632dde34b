"""Exact feature-blind baselines: is the score any better than a guess?

``clearbar`` tells, for any evaluation measure, what the best classifier that never looks at a feature
would score on your labels, whether a model clears that bar, by how much and how surely.

>>> import clearbar as cb
>>> cb.baseline(cb.Population(31, 18), "f1").judge(0.72).outcome
'fails'
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from clearbar._version import __version__

if TYPE_CHECKING:
    from clearbar import plots, testing
    from clearbar.baseline import Baseline, Optimum, baseline
    from clearbar.counting import count
    from clearbar.counts import Counts, Population
    from clearbar.errors import UndefinedMeasureWarning
    from clearbar.evaluate import (
        evaluate,
        evaluate_counts,
        evaluate_fold_counts,
        evaluate_folds,
        evaluate_frame,
        evaluate_scores,
        score,
    )
    from clearbar.measures import Measure, get_measure, measures
    from clearbar.null import Draw, NullDistribution
    from clearbar.problems.aggregate import probability_of_empty_fold
    from clearbar.problems.dummies import dummies
    from clearbar.problems.scores import ScoreBaseline, ScoreMeasure, baseline_scores
    from clearbar.scorecard import Scorecard
    from clearbar.verdict import Verdict, p_value, skill

_ROOMS = {
    "clearbar.baseline": ("Baseline", "Optimum", "baseline"),
    "clearbar.counting": ("count",),
    "clearbar.counts": ("Counts", "Population"),
    "clearbar.errors": ("UndefinedMeasureWarning",),
    "clearbar.evaluate": (
        "evaluate",
        "evaluate_counts",
        "evaluate_fold_counts",
        "evaluate_folds",
        "evaluate_frame",
        "evaluate_scores",
        "score",
    ),
    "clearbar.measures": ("Measure", "get_measure", "measures"),
    "clearbar.null": ("Draw", "NullDistribution"),
    "clearbar.problems.aggregate": ("probability_of_empty_fold",),
    "clearbar.problems.dummies": ("dummies",),
    "clearbar.problems.scores": ("ScoreBaseline", "ScoreMeasure", "baseline_scores"),
    "clearbar.scorecard": ("Scorecard",),
    "clearbar.verdict": ("Verdict", "p_value", "skill"),
}
"""What each room gives to the front door; a room is entered when something of it is asked for."""

_WHOLE = ("plots", "testing")
"""Rooms that are used under their own name."""

_WITH_EXTRA = ("sklearn",)
"""Rooms likewise, which say what to install; not part of ``import *``, which must not need it."""

_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Baseline",
    "Counts",
    "Draw",
    "Measure",
    "NullDistribution",
    "Optimum",
    "Population",
    "ScoreBaseline",
    "ScoreMeasure",
    "Scorecard",
    "UndefinedMeasureWarning",
    "Verdict",
    "__version__",
    "baseline",
    "baseline_scores",
    "count",
    "dummies",
    "evaluate",
    "evaluate_counts",
    "evaluate_fold_counts",
    "evaluate_folds",
    "evaluate_frame",
    "evaluate_scores",
    "get_measure",
    "measures",
    "p_value",
    "plots",
    "probability_of_empty_fold",
    "score",
    "skill",
    "testing",
]


class _FrontDoor(ModuleType):
    """The package: its names load on first use, and win over rooms of the same name.

    The import system binds a submodule to its package when it is loaded. ``clearbar.baseline``,
    ``measures`` and ``evaluate`` are functions to a user, whichever room was entered first.
    """

    def __getattr__(self, name: str) -> Any:
        if name in _ROOM_OF:
            found = getattr(importlib.import_module(_ROOM_OF[name]), name)
            self.__dict__[name] = found
            return found
        if name in _WHOLE or name in _WITH_EXTRA:
            return importlib.import_module(f"clearbar.{name}")
        msg = f"module 'clearbar' has no attribute {name!r}"
        raise AttributeError(msg)

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in _ROOM_OF and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted(__all__)


sys.modules[__name__].__class__ = _FrontDoor
