"""Two classes: confusion matrices, their bars, and what chance does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core import late
from clearbar.problems.binary._baseline import Baseline, baseline, refuse_column
from clearbar.problems.binary._search import Optimum, checked_tries

if TYPE_CHECKING:
    from clearbar.problems.binary._bare import universal_p_value
    from clearbar.problems.binary._knowledge import Comparison, draw_without_sizes, in_words, needed_knowledge
    from clearbar.problems.binary.problem import Labels, counts_alone

__all__ = [
    "Baseline",
    "Comparison",
    "Labels",
    "Optimum",
    "baseline",
    "checked_tries",
    "counts_alone",
    "draw_without_sizes",
    "in_words",
    "needed_knowledge",
    "refuse_column",
    "universal_p_value",
]

__getattr__ = late(
    __name__,
    {
        "._bare": ("universal_p_value",),
        "._knowledge": ("Comparison", "draw_without_sizes", "in_words", "needed_knowledge"),
        ".problem": ("Labels", "counts_alone"),
    },
)
