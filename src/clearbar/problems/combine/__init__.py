"""Counts of folds combined into one score, with the bar and the p-value of that same combination."""

from __future__ import annotations

from clearbar.problems.combine._classes import CLASS_WAYS, ClassWay, FoldClasses
from clearbar.problems.combine._column import ColumnBar, ColumnLabels, column_baseline, column_labels
from clearbar.problems.combine._convolution import log_tail_of_sum
from clearbar.problems.combine._empty import probability_of_empty_fold
from clearbar.problems.combine._folds import FoldBar, Folds
from clearbar.problems.combine._grouped import (
    GroupedFoldClasses,
    GroupedFoldedScores,
    GroupedFoldLabels,
    Together,
)
from clearbar.problems.combine._pair import from_pair
from clearbar.problems.combine._problem import FoldLabels
from clearbar.problems.combine._undefined import folds_in_words, violated
from clearbar.problems.combine.ways import WAYS, Way, chosen_way

__all__ = [
    "CLASS_WAYS",
    "WAYS",
    "ClassWay",
    "ColumnBar",
    "ColumnLabels",
    "FoldBar",
    "FoldClasses",
    "FoldLabels",
    "Folds",
    "GroupedFoldClasses",
    "GroupedFoldLabels",
    "GroupedFoldedScores",
    "Together",
    "Way",
    "chosen_way",
    "column_baseline",
    "column_labels",
    "folds_in_words",
    "from_pair",
    "log_tail_of_sum",
    "probability_of_empty_fold",
    "violated",
]
