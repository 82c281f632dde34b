"""Scores and rankings of two classes: measures, their bars, and what chance can reach.

A newcomer adds a measure as one entry in ``ordering``, ``probability``, ``threshold`` or ``top``.
"""

from __future__ import annotations

from clearbar.catalogue import Refused, defined_in, register
from clearbar.problems.scores import ordering, probability, threshold, top
from clearbar.problems.scores._bars import ScoreBaseline, bars_of, baseline_scores, checked_prevalence
from clearbar.problems.scores._graded import gains_of, graded, graded_ranking
from clearbar.problems.scores._measure import (
    Ranking,
    ScoreMeasure,
    get_score_measure,
    read_ranking,
    refuse_no_probabilities,
    score_measures,
)
from clearbar.problems.scores._problem import RankedScores
from clearbar.problems.scores.probability import LOSSES, parts_of, recalibrated
from clearbar.problems.scores.threshold import best_threshold

__all__ = [
    "LOSSES",
    "RankedScores",
    "Ranking",
    "ScoreBaseline",
    "ScoreMeasure",
    "bars_of",
    "baseline_scores",
    "best_threshold",
    "checked_prevalence",
    "gains_of",
    "get_score_measure",
    "graded",
    "graded_ranking",
    "parts_of",
    "read_ranking",
    "recalibrated",
    "refuse_no_probabilities",
    "score_measures",
]

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
