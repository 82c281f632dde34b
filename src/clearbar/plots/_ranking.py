"""Models from the best to the worst, those that cannot be told apart joined by a bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.evaluation import evaluate
from clearbar.formatting import capital, distinct, number, shorten, visible
from clearbar.plots._blind import reach as reach_of
from clearbar.plots._canvas import Canvas
from clearbar.plots._display import Display
from clearbar.plots._dots import Dot, draw_dots, draw_reach, frame_rows, label_reach
from clearbar.plots._findings import NAME
from clearbar.plots._marks import outcome_keys
from clearbar.plots._rows import checked_card, not_drawn
from clearbar.plots._text import plain, text_width, widest
from clearbar.scorecard import INTERVALS, Ranking, Scorecard, which_measure
from clearbar.scorecard import standing as standing_of

LANE = 0.9
"""Sizes of text between two lines that join models."""


class RankingDisplay(Display):
    """A critical-difference picture: scores of models, and bars over those that cannot be told apart.

    Parameters
    ----------
    ranking : Ranking
        The models and their pairs.
    bar : float
        What the best classifier expects that ignores the features; nan for none.
    standing : sequence of str
        How each model stands to the bar, in the order of the ranking; empty where that is not known.
    intervals : sequence of (float, float)
        Confidence intervals of their true scores; empty where there are none.
    reach : float
        How far chance can reach; nan where that is not known.

    Attributes
    ----------
    points_ : tuple of matplotlib.lines.Line2D
        Scores, the best model first.
    texts_ : tuple of matplotlib.text.Text
        The scores in figures, right of the axes.
    whiskers_ : tuple of matplotlib.lines.Line2D
        Confidence intervals.
    bar_ : matplotlib.lines.Line2D or None
        The bar.
    band_ : matplotlib.patches.Rectangle or None
        What chance can reach.
    groups_ : tuple of matplotlib.lines.Line2D
        A bar per group of models that cannot be told apart.
    ax_, figure_, title_, legend_, note_
        As in every `Display`.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0] * 30
    >>> models = {"a": y_true, "b": [1, 0] * 18 + [0, 1] * 12, "c": [1, 0] * 17 + [0, 1] * 13}
    >>> display = cb.plots.RankingDisplay.from_predictions(y_true, models, "f1")
    >>> len(display.points_), len(display.groups_)
    (3, 1)
    """

    def __init__(
        self,
        ranking: Ranking,
        bar: float = np.nan,
        *,
        standing: Sequence[str] = (),
        intervals: Sequence[tuple[float, float]] = (),
        reach: float = np.nan,
    ) -> None:
        self.ranking, self.bar, self.reach = ranking, bar, reach
        self.standing = tuple(standing) or ("undefined",) * len(ranking.models)
        self.intervals = tuple(intervals) or ((np.nan, np.nan),) * len(ranking.models)

    @classmethod
    def from_scorecard(cls, card: Scorecard, measure: Any = None, *, ax: Any = None) -> RankingDisplay:
        """Draw the ranking of a scorecard's models.

        Parameters
        ----------
        card : Scorecard
            Of several models.
        measure : str or Measure, optional
            Any name of a measure in it; its first by default.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        RankingDisplay

        Raises
        ------
        ValueError
            If the models cannot be compared.
        """
        checked_card(card)
        at = 0 if measure is None else which_measure(card, measure)
        bar, ranking = card.bar(at, 0), card.ranking(card.measures[at])
        places = [card.models.index(name) for name in ranking.models]
        whiskers = card.has_p_values and not card.several_runs and len(places) <= INTERVALS
        return cls(
            ranking,
            float(bar.value),
            standing=standing_of(card)[places, 0, at].tolist(),
            intervals=[card.interval(place, 0, at) for place in places] if whiskers else [],
            reach=reach_of(bar, card.alpha),
        ).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, measure: Any, *, ax: Any = None, **options: Any
    ) -> RankingDisplay:
        """Judge predictions and draw the ranking of the models; options are those of `clearbar.evaluate`.

        Returns
        -------
        RankingDisplay
        """
        return cls.from_scorecard(evaluate(y_true, y_pred, measure, **options), ax=ax)

    @property
    def finding(self) -> str:
        """Which models are best."""
        best, models, label = self.ranking.best, self.ranking.models, visible(self.ranking.measure.label)
        if len(best) == 1:
            return (
                f"{shorten(visible(models[0]), NAME)} is surely the best of {len(models):,} models in {label}"
            )
        if len(best) == len(models):
            if len(best) == 2:
                return f"The two models cannot be told apart in {label}"
            return f"None of {len(models):,} models can be told from the best in {label}"
        return (
            f"{len(best):,} of {len(models):,} models may be the best in {label}: they cannot be told apart"
        )

    @property
    def description(self) -> str:
        """The figure in words."""
        pairs = zip(self.ranking.models, self.ranking.scores, strict=True)
        scores = ", ".join(
            f"{visible(name)} {number(float(score), self.ranking.samples)}" for name, score in pairs
        )
        bar = f"; the bar is {number(self.bar, self.ranking.samples)}" if np.isfinite(self.bar) else ""
        return f"{self.finding}. {capital(self.ranking.measure.label)}: {scores}{bar}."

    @property
    def _height(self) -> float:
        return 1.75 + 0.23 * len(self.ranking.models)

    def _draw(self, canvas: Canvas) -> None:
        ranking = self.ranking
        count = min(len(ranking.models), canvas.lines_that_fit(10.0))
        names = [plain(name, 200) for name in distinct(ranking.models[:count], 24)]
        left = widest(names, canvas.size) + 4.0
        shown = ranking.scores[:count], [self.bar], self.intervals[:count]
        frame_rows(canvas, names, ranking.measure, shown, canvas.inside(left, 6.0 * canvas.small))
        self._draw_bar(canvas, count, left)
        self.points_, self.texts_, self.whiskers_, _ = draw_dots(canvas, [
            Dot(row, score, self.standing[row], number(score, ranking.samples), self.bar, self.intervals[row])
            for row, score in enumerate(map(float, ranking.scores[:count]))
        ])  # fmt: skip
        self.groups_ = tuple(self._joined(canvas, count))
        keys = outcome_keys(
            canvas, set(self.standing[:count]), loss=ranking.measure.greater_is_better is False
        )
        self.title_, self.legend_ = canvas.crown(self.finding, keys, lines=1.2, left=left)
        rest = not_drawn(len(ranking.models) - count, 0)
        alike = "Lines on the right join models that cannot be told apart." if self.groups_ else ""
        grey = "Grey: what chance can reach." if self.band_ and not self.band_label_ else ""
        self.note_ = canvas.note([alike, grey, rest], left=left)

    def _draw_bar(self, canvas: Canvas, count: int, left: float) -> None:
        ax, self.bar_, self.band_, self.band_label_ = canvas.ax, None, None, None
        low, high = ax.get_xlim()
        points = canvas.inside(left, 6.0 * canvas.small) / abs(high - low)  # of one unit
        room = np.inf
        if np.isfinite(self.bar):
            self.bar_ = ax.axvline(self.bar, color=canvas.text, lw=2.0 * canvas.unit, zorder=3)
            words = f"bar {number(self.bar, self.ranking.samples)}"
            canvas.above(words, self.bar, ha="center", color=canvas.text)
            room = abs(self.bar - low) * points - text_width(words, canvas.small) / 2
        if not np.isnan(self.reach):
            reach = float(np.clip(self.reach, *sorted((low, high))))
            self.band_ = draw_reach(canvas, low, reach, (-0.6, count - 0.4))
            self.band_label_ = label_reach(canvas, min(room, abs(reach - low) * points), low)

    def _joined(self, canvas: Canvas, count: int) -> Any:
        """Draw a bar per group right of the scores, each on the first lane that is free."""
        wide = max(text_width(text.get_text(), canvas.small) for text in self.texts_) + 12.0 * canvas.unit
        lanes: list[int] = []
        beside = canvas.margin(canvas.ax.transData)
        for first, end in self.ranking.groups:
            if first >= count:
                return
            last = min(end, count - 1)
            lane = next((at for at, used in enumerate(lanes) if used < first), len(lanes))
            lanes[lane : lane + 1] = [last]
            right = (wide + lane * LANE * canvas.size) / 72
            yield canvas.line(
                [right] * 2, [first - 0.22, last + 0.22], canvas.text, 3.0, transform=beside,
                clip_on=False, solid_capstyle="round",
            )  # fmt: skip
