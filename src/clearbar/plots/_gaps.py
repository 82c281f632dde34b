"""How far apart groups are, and what of that is chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from clearbar.formatting import number, plural, visible
from clearbar.plots._canvas import Canvas
from clearbar.plots._display import CardDisplay, Words, checked_card, checked_most
from clearbar.plots._marks import chance_key, draw_scores, whiskers_note
from clearbar.plots._rows import NO_INTERVAL, frame_rows
from clearbar.scorecard import INTERVALS, Gaps, Scorecard, which_model

MOST = 20
"""Groups that are drawn if nobody says how many: the first and the last of them."""


@dataclass(repr=False, eq=False)
class GapsDisplay(CardDisplay):
    """Groups by their scores, and the gap between the first and the last beside what chance gives.

    Parameters
    ----------
    gaps : Gaps
        The gap and its groups.
    intervals : sequence
        Confidence intervals of the groups' scores, in their order; empty if not known.
    most : int
        Groups drawn at most: as many of the largest scores as of the least.
    confidence_level : float
        That of the intervals.

    Attributes
    ----------
    points_, texts_, whiskers_ : tuple of artists
        Scores, the largest first; the scores in figures; confidence intervals.
    span_ : matplotlib.lines.Line2D
        The gap, from the least score to the largest.
    band_ : artist or None
        A gap as large as chance gives on average, from the largest score on; None where that is not known.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[30, 18, 25], fp=[6, 5, 8], fn=[5, 17, 9], tn=[40, 41, 38])
    >>> card = cb.evaluate_counts(counts, "recall", groups=["young", "old", "between"])
    >>> display = cb.plots.GapsDisplay.from_scorecard(card)
    >>> len(display.points_), display.span_.get_xdata().round(3).tolist()
    (3, [0.514, 0.857])
    """

    gaps: Gaps
    _: KW_ONLY
    intervals: Sequence[tuple[float, float]] = ()
    most: int = MOST
    confidence_level: float = 0.95

    _options = "model", "most"

    @classmethod
    def from_scorecard(
        cls,
        card: Scorecard,
        measure: Any = None,
        *,
        model: str | None = None,
        most: int = MOST,
        ax: Any = None,
        compact: bool = False,
    ) -> Self:
        """Draw the gap between the groups of a scorecard.

        Parameters
        ----------
        card : Scorecard
            Of several groups.
        measure : str or Measure, optional
            A measure, or a gap by name, as for `Scorecard.gaps`.
        most : int
            Groups drawn at most.
        """
        gaps = checked_card(card).gaps(measure, model)
        intervals: list[tuple[float, float]] = []
        if len(gaps.groups) <= INTERVALS:
            row, entry = which_model(card, gaps.model), gaps.measures[gaps.widest]
            places = [card.groups.index(group) for group in gaps.groups]
            held = (card.problem.one(row, place) for place in places)
            intervals = [one.intervals([entry], card.confidence_level)[0] for one in held]
        display = cls(
            gaps, intervals=intervals, most=checked_most(most), confidence_level=card.confidence_level
        )
        return display.plot(ax=ax, compact=compact)

    _of_card = from_scorecard

    @property
    def finding(self) -> str:
        return self.gaps.sentence.removesuffix(".")

    @property
    def description(self) -> str:
        rows = [
            f"{visible(self.gaps.groups[row])} {number(float(self._scores[row]))}"
            for row in self._rows(self.most)
        ]
        measure = self.gaps.measures[self.gaps.widest]
        return (
            f"{self.finding}. {visible(measure.label)}: {', '.join(rows)}. {self._rest(self.most)}".rstrip()
        )

    @property
    def _scores(self) -> Any:
        return self.gaps.scores[self.gaps.widest]

    def _rows(self, most: int) -> list[int]:
        """Return the groups that are drawn, the largest score first."""
        order = np.argsort(-self._scores, kind="stable")
        if len(order) > most:
            order = np.concatenate((order[: (most + 1) // 2], order[len(order) - most // 2 :]))
        return [int(row) for row in order]

    def _rest(self, drawn: int) -> str:
        left = len(self.gaps.groups) - drawn
        more = plural(left, f"{self.gaps.part[0]} between them", f"{self.gaps.part[1]} between them")
        return f"{more} not shown." if left > 0 else ""

    @property
    def _height(self) -> float:
        return 1.6 + 0.22 * min(len(self.gaps.groups), self.most)

    def _draw(self, canvas: Canvas) -> Words:
        gaps, most = self.gaps, self.most
        if not self._made_figure:
            most = max(2, min(most, canvas.rows_that_fit(5.0 if canvas.compact else 10.0, 1.6)))
        rows, measure = self._rows(most), gaps.measures[gaps.widest]
        scores, heights = [float(self._scores[row]) for row in rows], list(range(len(rows)))
        intervals = [self.intervals[row] if self.intervals else NO_INTERVAL for row in rows]
        texts = [number(score, int(gaps.samples[row])) for score, row in zip(scores, rows, strict=True)]
        right = 7.0 * canvas.ticks
        names = [gaps.groups[row] for row in rows]
        frame_rows(canvas, names, heights, measure, (scores, intervals), right)
        canvas.ax.set_ylim(heights[-1] + 0.6, -1.1)
        low, high = scores[-1], scores[0]
        self.band_ = None
        if not np.isnan(gaps.bar):
            width = high * (1 - gaps.bar) if gaps.kind == "ratio" else gaps.bar
            self.band_ = canvas.box(high - width, -1.1, width, len(rows) + 0.7)
        self.span_ = canvas.line([low, high], [-0.7, -0.7], canvas.text, 2.4, solid_capstyle="butt", zorder=4)
        canvas.annotate_right(f"gap {number(gaps.observed)}", -0.7, 5 * canvas.unit, color=canvas.text)
        nothing = [float("nan")] * len(rows)
        self.points_, self.texts_, self.whiskers_, _ = draw_scores(
            canvas, heights, texts, scores, ["undefined"] * len(rows), nothing, intervals
        )
        keys = [] if self.band_ is None else [chance_key(canvas, "a gap as chance gives on average")]
        notes = [whiskers_note(self.confidence_level) if self.whiskers_ else ""]
        return Words(keys, notes, self._rest(len(rows)), above=0.2)
