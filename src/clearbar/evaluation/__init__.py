"""From data to a scorecard: each kind of data is read into a question, and all are judged in one way."""

from __future__ import annotations

from clearbar.core._later import late

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
