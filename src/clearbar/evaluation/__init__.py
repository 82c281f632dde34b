"""From data to a card: each kind of data is read into a question, and all are judged in one way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core import late

if TYPE_CHECKING:
    from clearbar.evaluation.answers import evaluate_logs as evaluate_logs
    from clearbar.evaluation.classes import evaluate_multiclass as evaluate_multiclass
    from clearbar.evaluation.classes import evaluate_multilabel as evaluate_multilabel
    from clearbar.evaluation.folds import evaluate_fold_counts as evaluate_fold_counts
    from clearbar.evaluation.folds import evaluate_folds as evaluate_folds
    from clearbar.evaluation.labels import evaluate as evaluate
    from clearbar.evaluation.labels import evaluate_counts as evaluate_counts
    from clearbar.evaluation.labels import score as score
    from clearbar.evaluation.numbers import evaluate_regression as evaluate_regression
    from clearbar.evaluation.scores import evaluate_scores as evaluate_scores
    from clearbar.evaluation.tables import evaluate_frame as evaluate_frame

__getattr__ = late(
    __name__,
    {
        ".labels": ("evaluate", "evaluate_counts", "score"),
        ".classes": ("evaluate_multiclass", "evaluate_multilabel"),
        ".scores": ("evaluate_scores",),
        ".numbers": ("evaluate_regression",),
        ".folds": ("evaluate_folds", "evaluate_fold_counts"),
        ".tables": ("evaluate_frame",),
        ".answers": ("evaluate_logs",),
    },
)
