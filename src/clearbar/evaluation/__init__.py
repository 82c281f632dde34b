"""The pipelines, each read in one screen: data, counts, bars, verdicts, scorecard."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core._later import late

if TYPE_CHECKING:
    from clearbar.evaluation._answers import evaluate_logs, judged_answers, judged_table
    from clearbar.evaluation._call import remembered
    from clearbar.evaluation._counts import evaluate_counts
    from clearbar.evaluation._evaluate import evaluate
    from clearbar.evaluation._fold_classes import checked_class_options, fold_classes
    from clearbar.evaluation._folds import (
        checked_fold_options,
        evaluate_fold_counts,
        evaluate_folds,
        fold_labels,
    )
    from clearbar.evaluation._frame import evaluate_frame, judged_frame
    from clearbar.evaluation._judged import How
    from clearbar.evaluation._multiclass import evaluate_multiclass
    from clearbar.evaluation._multilabel import evaluate_multilabel
    from clearbar.evaluation._options import (
        DEFAULT_MEASURES,
        checked_flag,
        chosen_class_measures,
        chosen_measures,
        kind_named,
    )
    from clearbar.evaluation._parts import read_clusters, said_of_groups
    from clearbar.evaluation._regression import evaluate_regression
    from clearbar.evaluation._score import score
    from clearbar.evaluation._scores import (
        evaluate_scores,
        judged_over_folds,
    )
    from clearbar.evaluation._splits import Split, tests_of

__all__ = [
    "DEFAULT_MEASURES",
    "How",
    "Split",
    "checked_class_options",
    "checked_flag",
    "checked_fold_options",
    "chosen_class_measures",
    "chosen_measures",
    "evaluate",
    "evaluate_counts",
    "evaluate_fold_counts",
    "evaluate_folds",
    "evaluate_frame",
    "evaluate_logs",
    "evaluate_multiclass",
    "evaluate_multilabel",
    "evaluate_regression",
    "evaluate_scores",
    "fold_classes",
    "fold_labels",
    "judged_answers",
    "judged_frame",
    "judged_over_folds",
    "judged_table",
    "kind_named",
    "read_clusters",
    "remembered",
    "said_of_groups",
    "score",
    "tests_of",
]

__getattr__ = late(
    __name__,
    {
        "._answers": ("evaluate_logs", "judged_answers", "judged_table"),
        "._options": (
            "DEFAULT_MEASURES",
            "checked_flag",
            "chosen_class_measures",
            "chosen_measures",
            "kind_named",
        ),
        "._call": ("remembered",),
        "._parts": ("read_clusters", "said_of_groups"),
        "._counts": ("evaluate_counts",),
        "._evaluate": ("evaluate",),
        "._fold_classes": ("checked_class_options", "fold_classes"),
        "._folds": ("checked_fold_options", "evaluate_fold_counts", "evaluate_folds", "fold_labels"),
        "._frame": ("evaluate_frame", "judged_frame"),
        "._judged": ("How",),
        "._multiclass": ("evaluate_multiclass",),
        "._multilabel": ("evaluate_multilabel",),
        "._regression": ("evaluate_regression",),
        "._score": ("score",),
        "._scores": ("evaluate_scores", "judged_over_folds"),
        "._splits": ("Split", "tests_of"),
    },
)
