"""Counts of folds combined into one score, with the bar and the p-value of that same combination."""

from __future__ import annotations

from clearbar.problems.combine._bar import FoldBar, OneBar
from clearbar.problems.combine._bars import one_bar
from clearbar.problems.combine._convolution import log_tail_of_sum, reach_of_sum, tail_of_sum
from clearbar.problems.combine._empty import probability_of_empty_fold
from clearbar.problems.combine._judge import FoldLabels, Way, undefined_folds, violated
from clearbar.problems.combine._pair import combines, from_pair, is_fbeta, refuse_other
from clearbar.problems.combine._ways import (
    AGGREGATES,
    WORDS,
    Aggregate,
    Combined,
    by_pair,
    checked_aggregate,
    checked_fold_aware,
    combine,
    named,
    skips,
)

__all__ = [
    "AGGREGATES",
    "WORDS",
    "Aggregate",
    "Combined",
    "FoldBar",
    "FoldLabels",
    "OneBar",
    "Way",
    "by_pair",
    "checked_aggregate",
    "checked_fold_aware",
    "combine",
    "combines",
    "from_pair",
    "is_fbeta",
    "log_tail_of_sum",
    "named",
    "one_bar",
    "probability_of_empty_fold",
    "reach_of_sum",
    "refuse_other",
    "skips",
    "tail_of_sum",
    "undefined_folds",
    "violated",
]
