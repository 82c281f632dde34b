"""Exact feature-blind baselines: is a score above what ignoring every feature can reach?

``clearbar`` tells, for any evaluation measure, what the best classifier that never looks at a feature
would score on your labels, whether a model clears that bar, by how much and how surely.

>>> import clearbar as cb
>>> cb.baseline(cb.Population(31, 18), "f1").judge(0.72).outcome
'fails'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from clearbar.core import late

if TYPE_CHECKING:
    from clearbar import plots, testing
    from clearbar._version import __version__
    from clearbar.catalogue import Measure, get_measure, measures
    from clearbar.claims import (
        Claim,
        Claims,
        PossibleClassScores,
        PossibleTables,
        claim,
        claim_pairs,
        possible_tables,
    )
    from clearbar.core.classes import ClassSizes, ConfusionMatrix
    from clearbar.core.counts import Counts, Population
    from clearbar.core.errors import UndefinedMeasureWarning
    from clearbar.data.counting import count
    from clearbar.evaluation.answers import evaluate_logs, rate
    from clearbar.evaluation.classes import evaluate_multiclass, evaluate_multilabel
    from clearbar.evaluation.folds import evaluate_fold_counts, evaluate_folds
    from clearbar.evaluation.labels import evaluate, evaluate_counts, score
    from clearbar.evaluation.scores import evaluate_regression, evaluate_scores
    from clearbar.evaluation.tables import evaluate_frame
    from clearbar.evaluation.tasks import baseline_tasks, evaluate_tasks
    from clearbar.null import Draw, NullDistribution
    from clearbar.problems.binary import Baseline, Optimum, baseline
    from clearbar.problems.binary.dummies import dummies
    from clearbar.problems.folds import probability_of_empty_fold
    from clearbar.problems.multiclass import ClassBaseline, baseline_multiclass
    from clearbar.problems.multilabel import LabelBaseline, baseline_multilabel
    from clearbar.problems.numbers import NumberBaseline, baseline_regression
    from clearbar.problems.scores import ScoreBaseline, ScoreMeasure, baseline_scores
    from clearbar.scorecard import Scorecard
    from clearbar.verdict import (
        Verdict,
        dutch_scaler,
        least_difference,
        p_value,
        power,
        samples_needed,
        skill,
    )

_ROOMS = {
    "clearbar._version": ("__version__",),
    "clearbar.problems.binary": ("Baseline", "Optimum", "baseline"),
    "clearbar.data.counting": ("count",),
    "clearbar.claims": (
        *("Claim", "Claims", "PossibleClassScores", "PossibleTables"),
        *("claim", "claim_pairs", "possible_tables"),
    ),
    "clearbar.core.classes": ("ClassSizes", "ConfusionMatrix"),
    "clearbar.core.counts": ("Counts", "Population"),
    "clearbar.core.errors": ("UndefinedMeasureWarning",),
    "clearbar.evaluation.labels": ("evaluate", "evaluate_counts", "score"),
    "clearbar.evaluation.classes": ("evaluate_multiclass", "evaluate_multilabel"),
    "clearbar.evaluation.scores": ("evaluate_regression", "evaluate_scores"),
    "clearbar.evaluation.folds": ("evaluate_fold_counts", "evaluate_folds"),
    "clearbar.evaluation.tables": ("evaluate_frame",),
    "clearbar.evaluation.answers": ("evaluate_logs", "rate"),
    "clearbar.evaluation.tasks": ("baseline_tasks", "evaluate_tasks"),
    "clearbar.catalogue": ("Measure", "get_measure", "measures"),
    "clearbar.null": ("Draw", "NullDistribution"),
    "clearbar.problems.folds": ("probability_of_empty_fold",),
    "clearbar.problems.binary.dummies": ("dummies",),
    "clearbar.problems.multiclass": ("ClassBaseline", "baseline_multiclass"),
    "clearbar.problems.multilabel": ("LabelBaseline", "baseline_multilabel"),
    "clearbar.problems.numbers": ("NumberBaseline", "baseline_regression"),
    "clearbar.problems.scores": ("ScoreBaseline", "ScoreMeasure", "baseline_scores"),
    "clearbar.scorecard": ("Scorecard",),
    "clearbar.verdict": (
        *("Verdict", "dutch_scaler", "p_value", "skill", "power", "samples_needed", "least_difference"),
    ),
}
"""What each room gives to the front door; a room is entered when something of it is asked for."""

_BY_NAME = ("plots", "testing", "sklearn")
"""Rooms that are used under their own name; the last needs an extra, so that ``import *`` leaves it out."""

__all__ = ["Baseline", "Claim", "Claims", "ClassBaseline", "ClassSizes", "ConfusionMatrix", "Counts"]
__all__ += ["Draw", "LabelBaseline", "Measure", "NullDistribution", "NumberBaseline", "Optimum"]
__all__ += ["Population", "PossibleClassScores", "PossibleTables", "ScoreBaseline", "ScoreMeasure"]
__all__ += ["Scorecard", "UndefinedMeasureWarning", "Verdict", "__version__", "baseline"]
__all__ += ["baseline_multiclass", "baseline_multilabel", "baseline_regression", "baseline_scores"]
__all__ += ["baseline_tasks", "claim", "claim_pairs", "count", "dummies", "dutch_scaler", "evaluate"]
__all__ += ["evaluate_counts", "evaluate_fold_counts", "evaluate_folds", "evaluate_frame", "evaluate_logs"]
__all__ += ["evaluate_multiclass", "evaluate_multilabel", "evaluate_regression", "evaluate_scores"]
__all__ += ["evaluate_tasks", "get_measure", "least_difference", "measures", "p_value", "plots"]
__all__ += ["possible_tables", "power", "probability_of_empty_fold", "rate", "samples_needed", "score"]
__all__ += ["skill", "testing"]


_late_name = late(__name__, _ROOMS)


def __getattr__(name: str) -> Any:
    if name in _BY_NAME:
        return importlib.import_module(f"clearbar.{name}")
    return _late_name(name)


def __dir__() -> list[str]:
    return sorted(__all__)
