"""Folds of any kind combined into one score, with the bar and the p-values of that same combination."""

from __future__ import annotations

from clearbar.problems.folds.bars import FoldBar, Folds, from_pair
from clearbar.problems.folds.classes import FoldClasses
from clearbar.problems.folds.column import ColumnBar, ColumnLabels, column_baseline, column_labels
from clearbar.problems.folds.columns import FoldColumns, column_way
from clearbar.problems.folds.labels import FoldLabels, folds_in_words, violated
from clearbar.problems.folds.scores import FoldScores, merged_auc, score_way
from clearbar.problems.folds.sums import probability_of_empty_fold
from clearbar.problems.folds.ways import WAYS, Way, chosen_way, way_of, ways_of

__all__ = [
    "WAYS",
    "ColumnBar",
    "ColumnLabels",
    "FoldBar",
    "FoldClasses",
    "FoldColumns",
    "FoldLabels",
    "FoldScores",
    "Folds",
    "Way",
    "chosen_way",
    "column_baseline",
    "column_labels",
    "column_way",
    "folds_in_words",
    "from_pair",
    "merged_auc",
    "probability_of_empty_fold",
    "score_way",
    "violated",
    "way_of",
    "ways_of",
]
