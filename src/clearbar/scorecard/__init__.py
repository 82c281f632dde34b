"""Verdicts as columns, and every way to read them: rows, frames, JSON, tables, sentences."""

from __future__ import annotations

from clearbar.scorecard._card import Scorecard
from clearbar.scorecard._compare import Comparison
from clearbar.scorecard._explain import explain_bar
from clearbar.scorecard._folds import FoldScorecard, UndefinedFold, fold_scorecard
from clearbar.scorecard._rows import Failing, standing, which_group, which_measure, which_model
from clearbar.scorecard._ways import Ways

__all__ = [
    "Comparison",
    "Failing",
    "FoldScorecard",
    "Scorecard",
    "UndefinedFold",
    "Ways",
    "explain_bar",
    "fold_scorecard",
    "standing",
    "which_group",
    "which_measure",
    "which_model",
]
