"""Scores and rankings of two classes: measures, their bars, and what chance can reach.

A newcomer adds a measure as one entry in ``ordering``, ``probability``, ``threshold`` or ``top``.
"""

from __future__ import annotations

from clearbar.problems._protocol import Tail
from clearbar.problems.scores._bars import ScoreBaseline, bars_of, baseline_scores, checked_prevalence
from clearbar.problems.scores._catalogue import get_score_measure, score_measures
from clearbar.problems.scores._chance import Chance
from clearbar.problems.scores._folds import (
    SCORE_WAYS,
    FoldedScores,
    FoldScoreBaseline,
    ScoreWay,
    chosen_score_way,
    merged_auc,
)
from clearbar.problems.scores._graded import gains_of, graded, graded_ranking
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._problem import RankedScores
from clearbar.problems.scores._ranking import Ranking, read_ranking, refuse_no_probabilities
from clearbar.problems.scores.ordering import tied_average_precision
from clearbar.problems.scores.threshold import best_threshold

__all__ = [
    "SCORE_WAYS",
    "Chance",
    "FoldScoreBaseline",
    "FoldedScores",
    "RankedScores",
    "Ranking",
    "ScoreBaseline",
    "ScoreMeasure",
    "ScoreWay",
    "Tail",
    "bars_of",
    "baseline_scores",
    "best_threshold",
    "checked_prevalence",
    "chosen_score_way",
    "gains_of",
    "get_score_measure",
    "graded",
    "graded_ranking",
    "merged_auc",
    "read_ranking",
    "refuse_no_probabilities",
    "score_measures",
    "tied_average_precision",
]
