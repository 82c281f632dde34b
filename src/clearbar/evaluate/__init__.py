"""The pipelines, each read in one screen: data, counts, bars, verdicts, scorecard."""

from __future__ import annotations

from clearbar.evaluate._asked import (
    DEFAULT_MEASURES,
    checked_flag,
    checked_level,
    chosen_measures,
    kind_asked,
)
from clearbar.evaluate._call import remembered
from clearbar.evaluate._counts import evaluate, evaluate_counts, score
from clearbar.evaluate._folds import (
    checked_fold_options,
    evaluate_fold_counts,
    evaluate_folds,
    fold_labels,
)
from clearbar.evaluate._frame import evaluate_frame, judged_frame
from clearbar.evaluate._score_notes import notes_on_folds
from clearbar.evaluate._scores import (
    chosen_score_measures,
    evaluate_scores,
    judged_scores,
    named_score_measures,
)
from clearbar.evaluate._splits import Split, tests_of

__all__ = [
    "DEFAULT_MEASURES",
    "Split",
    "checked_flag",
    "checked_fold_options",
    "checked_level",
    "chosen_measures",
    "chosen_score_measures",
    "evaluate",
    "evaluate_counts",
    "evaluate_fold_counts",
    "evaluate_folds",
    "evaluate_frame",
    "evaluate_scores",
    "fold_labels",
    "judged_frame",
    "judged_scores",
    "kind_asked",
    "named_score_measures",
    "notes_on_folds",
    "remembered",
    "score",
    "tests_of",
]
