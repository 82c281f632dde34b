"""Models against the bars of tasks: a dot matrix, each task with an axis and a bar of its own."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from clearbar.core.errors import visible
from clearbar.formatting import plural, shorten, wrapped
from clearbar.plots._canvas import plain, text_width
from clearbar.plots._display import NothingToDrawError
from clearbar.plots._marks import outcomes_of, whiskers_note
from clearbar.plots._scorecard import Row, ScorecardDisplay

MOST_TASKS = 24
SHORTEST = 13  # columns of text that a line of a task's name may take at least


class TasksDisplay(ScorecardDisplay):
    """Models on the mean over tasks and on each task, by one measure: tasks across, models down.

    Each column has its own axis, which holds the bar and all of the scores. The thick tick is the bar, grey
    is what chance can reach where that is known, whiskers are confidence intervals of the true scores. A
    score below its bar is crossed; one above it that could be chance is hollow.

    Attributes
    ----------
    points_, texts_, whiskers_ : dict of (str, str) to artist
        Of each model and task its marker, the score in figures, and the confidence interval.
    bars_ : dict of str to artist
        The tick of each task that has a bar.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = {"old": cb.Counts(tp=[30, 12], fp=[6, 9], fn=[5, 10], tn=[40, 8]),
    ...           "new": cb.Counts(tp=[33, 20], fp=[4, 3], fn=[2, 2], tn=[42, 14])}
    >>> card = cb.evaluate_counts(counts, "accuracy", groups=[None, "arc"])
    >>> [row.label for row in cb.plots.TasksDisplay.from_scorecard(card).rows]
    ['all', 'arc']
    """

    @property
    def is_matrix(self) -> bool:
        """Whether tasks stand side by side: always."""
        return True

    def _parts(self, label: str) -> list[str]:
        """Return the name of a task on lines as short as are read well."""
        return [plain(line) for line in wrapped(shorten(label, 40), SHORTEST)]

    def _heading(self, label: str, size: float, points: float) -> list[str]:
        """Return the name of a task on lines that fit, broken at its underscores."""
        for most in range(24, 4, -1):
            lines = [plain(line) for line in wrapped(shorten(label, 40), most)]
            if text_width(lines, size) <= points:
                break
        return lines

    @classmethod
    def _data(
        cls,
        card: Any,
        models: list[int],
        group: int,
        outcomes: Any,  # noqa: ARG003 - of the whole alone
        alpha: float,
    ) -> dict[str, Any]:
        if group:
            raise ValueError("all slices stand in this picture; leave out group.")
        if len(card.groups) < 2:
            raise NothingToDrawError("a picture of tasks needs several; this scorecard has one.")
        states = outcomes_of(card, alpha)[models]
        rows = []
        for index, name in enumerate(card.groups[:MOST_TASKS]):
            row = Row.of(card, models, index, 0, states[:, index, 0].tolist(), alpha)
            rows.append(replace(row, label="all" if name is None else visible(name)))
        label = visible(card.measures[0].label)
        about = [f"{label[:1].upper()}{label[1:]}; each column is an axis of its own, the tick is its bar."]
        if any(not math.isnan(end) for row in rows for ends in row.intervals for end in ends):
            about.append(whiskers_note(card.confidence_level))
        left_out = len(card.groups) - len(rows)
        about += [f"{plural(left_out, card.group_words[0])} left out."] if left_out else []
        return {"rows": rows, "notes": [" ".join(about)], "kind": card.group_words}
