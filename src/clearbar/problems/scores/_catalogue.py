"""The measures of scores in the registry."""

from __future__ import annotations

from typing import Any

from clearbar.catalogue import Refused, defined_in, get_measure, measures, register
from clearbar.problems.scores import ordering, probability, threshold, top
from clearbar.problems.scores._measure import ScoreMeasure

_REFUSED = (
    Refused(
        "pr_auc",
        "has no bar: the trapezoid under a precision-recall curve interpolates where precision does not, and "
        "gives a constant score (1 + P/M) / 2, more than a random ranking. Use average_precision.",
        ("auprc", "auc_pr", "aucpr", "area under the precision recall curve", "auc_prc"),
    ),
    Refused(
        "gini",
        "has no bar: the Gini of a ranking is 2 x roc_auc - 1; use roc_auc.",
        ("gini_coefficient", "accuracy_ratio", "somers_d"),
    ),
    Refused(
        "hinge_loss",
        "has no bar: hinge loss judges margins on labels -1 and 1, and its bar 2 min(P, N) / M is that of "
        "a constant -1 or 1; use accuracy on labels, or log_loss on probabilities.",
        ("hinge",),
    ),
    Refused(
        "ece",
        "has no bar: every constant equal to the prevalence is perfectly calibrated, so that calibration "
        "alone cannot tell a model from random answers; use brier_score or log_loss.",
        ("expected_calibration_error", "calibration_error", "mce", "maximum_calibration_error"),
    ),
    Refused(
        "dcg",
        "has no bar: its scale depends on the number of positives; use ndcg.",
        ("dcg_score", "discounted_cumulative_gain"),
    ),
)

register("scores", (*defined_in(ordering, probability, threshold, top), *_REFUSED))


def score_measures() -> tuple[ScoreMeasure, ...]:
    """Return the measures of scores, in documentation order; families of ``@k`` with k = 10."""
    return measures("scores")


def get_score_measure(name: Any) -> ScoreMeasure:
    """Look a measure of scores up by any of its names."""
    entry: ScoreMeasure = get_measure(name, "scores")
    return entry
