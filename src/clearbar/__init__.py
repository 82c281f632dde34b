"""Exact feature-blind baselines: is the score any better than a guess?

``clearbar`` tells, for any evaluation measure, what the best classifier that never looks at a feature
would score on your labels, whether a model clears that bar, by how much and how surely.

>>> import clearbar as cb
>>> cb.baseline(cb.Population(31, 18), "f1").judge(0.72).outcome
'fails'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from clearbar._version import __version__
from clearbar.baseline import Baseline, Optimum, baseline
from clearbar.counting import count, population_from_labels
from clearbar.counts import Counts, Population
from clearbar.errors import UndefinedMeasureWarning
from clearbar.measures import Measure, get_measure, measures
from clearbar.null import Draw, NullDistribution
from clearbar.verdict import Verdict, clearing_score, judge, p_value, skill

if TYPE_CHECKING:
    from clearbar import testing
    from clearbar.evaluate import evaluate, evaluate_counts, score
    from clearbar.scorecard import Scorecard

__all__ = [
    "Baseline",
    "Counts",
    "Draw",
    "Measure",
    "NullDistribution",
    "Optimum",
    "Population",
    "Scorecard",
    "UndefinedMeasureWarning",
    "Verdict",
    "__version__",
    "baseline",
    "count",
    "evaluate",
    "evaluate_counts",
    "get_measure",
    "measures",
    "p_value",
    "score",
    "skill",
    "testing",
]

# What a value offers but a later room computes is bound here, so that no room imports a later one.
Population.from_labels = staticmethod(population_from_labels)
Baseline.judge = judge
Baseline.clearing_score = clearing_score

_LATER = {
    "Scorecard": "clearbar.scorecard",
    "evaluate": "clearbar.evaluate",
    "evaluate_counts": "clearbar.evaluate",
    "score": "clearbar.evaluate",
}
"""Names whose rooms are loaded when they are first asked for."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        found = getattr(importlib.import_module(_LATER[name]), name)
        globals()[name] = found
        return found
    if name == "testing":
        return importlib.import_module("clearbar.testing")
    msg = f"module 'clearbar' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
