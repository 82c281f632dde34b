"""The pipelines, each read in one screen: data, counts, bars, verdicts, scorecard."""

from __future__ import annotations

from clearbar.evaluation._asked import DEFAULT_MEASURES, chosen_measures
from clearbar.evaluation._call import remembered
from clearbar.evaluation._counts import evaluate, evaluate_counts, score
from clearbar.evaluation._folds import checked_fold_options, evaluate_fold_counts, evaluate_folds
from clearbar.evaluation._frame import evaluate_frame, judged_frame
from clearbar.evaluation._scores import evaluate_scores
from clearbar.evaluation._splits import folds_of

__all__ = [
    "DEFAULT_MEASURES",
    "checked_fold_options",
    "chosen_measures",
    "evaluate",
    "evaluate_counts",
    "evaluate_fold_counts",
    "evaluate_folds",
    "evaluate_frame",
    "evaluate_scores",
    "folds_of",
    "judged_frame",
    "remembered",
    "score",
]
