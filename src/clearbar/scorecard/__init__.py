"""Verdicts as columns, and every way to read them: rows, frames, JSON, tables, sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core import late
from clearbar.scorecard._card import Scorecard
from clearbar.scorecard._columns import (
    MARKS,
    MEANING,
    PAGE,
    Hints,
    View,
    by_word,
    meaning,
    shown_columns,
)
from clearbar.scorecard._headline import slices_headline
from clearbar.scorecard._judged import best_of_tries, judged
from clearbar.scorecard._rows import (
    Failing,
    best_first,
    class_matrix,
    slices,
    standing,
    which_group,
    which_measure,
    which_model,
    within_measures,
)
from clearbar.scorecard._sentences import (
    bar_score,
    explain_bar,
    finding,
    samples_line,
    sentence,
    sides,
    subject,
    verdict_html,
)
from clearbar.scorecard._tables import INTERVALS, Layout, Line, Names, about_runs, table

if TYPE_CHECKING:
    from clearbar.scorecard._bullets import axis_ends, bullet, marks_legend
    from clearbar.scorecard._calibration import Calibration, probabilities_of, which_groups
    from clearbar.scorecard._compare import Comparison
    from clearbar.scorecard._folds import Ways
    from clearbar.scorecard._gaps import GapRow, Gaps, gap_rows
    from clearbar.scorecard._leaderboard import Leaderboard
    from clearbar.scorecard._ranking import BestOf, Ranking
    from clearbar.scorecard._slices import Slices
    from clearbar.scorecard._task_bars import TaskBaselines

__all__ = ["INTERVALS", "MARKS", "MEANING", "PAGE", "BestOf", "Comparison", "Failing", "GapRow", "Gaps"]
__all__ += ["Hints", "Layout", "Leaderboard", "Line", "Names", "Ranking", "Scorecard", "Slices"]
__all__ += ["TaskBaselines", "View", "Ways", "axis_ends", "best_first", "best_of_tries", "bullet", "by_word"]
__all__ += ["bar_score", "class_matrix", "explain_bar", "finding", "gap_rows", "judged", "meaning"]
__all__ += ["samples_line", "sentence", "shown_columns", "sides", "slices", "slices_headline", "standing"]
__all__ += ["subject", "table", "verdict_html", "which_group"]
__all__ += ["Calibration", "probabilities_of", "which_groups", "which_measure", "which_model"]
__all__ += ["about_runs", "marks_legend", "within_measures"]

__getattr__ = late(
    __name__,
    {
        "._bullets": ("axis_ends", "bullet", "marks_legend"),
        "._calibration": ("Calibration", "probabilities_of", "which_groups"),
        "._compare": ("Comparison",),
        "._folds": ("Ways",),
        "._gaps": ("GapRow", "Gaps", "gap_rows"),
        "._leaderboard": ("Leaderboard",),
        "._ranking": ("BestOf", "Ranking"),
        "._slices": ("Slices",),
        "._task_bars": ("TaskBaselines",),
    },
)
