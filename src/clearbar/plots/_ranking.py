"""Models from the best to the worst, those that cannot be told apart joined by a bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from clearbar.formatting import capital, distinct, number, shorten, visible
from clearbar.plots._canvas import Canvas, max_text_width, plain, text_width
from clearbar.plots._chance import chance_limit
from clearbar.plots._display import CardDisplay, checked_card
from clearbar.plots._outcomes import NAME_WIDTH, outcome_keys
from clearbar.plots._rows import draw_band, draw_scores, frame_rows, label_band_above, not_drawn
from clearbar.scorecard import INTERVALS, Ranking, Scorecard, which_measure
from clearbar.scorecard import standing as standing_of

LANE = 0.9
"""Sizes of text between two lines that join models."""


@dataclass(repr=False, eq=False)
class RankingDisplay(CardDisplay):
    """A critical-difference picture: scores of models, and bars over those that cannot be told apart.

    Parameters
    ----------
    ranking : Ranking
        The models and their pairs.
    bar : float
        What the best classifier expects that ignores the features; nan for none.
    standing, intervals : sequence
        How each model stands to the bar, and its interval, in the ranking's order; empty where that
        is not known.
    reach : float
        How far chance can reach; nan where that is not known.

    Attributes
    ----------
    points_, texts_, whiskers_ : tuple of artists
        Scores, the best model first; the scores in figures; confidence intervals.
    bar_, band_ : artist or None
        The bar, and what chance can reach.
    groups_ : tuple of matplotlib.lines.Line2D
        A bar per group of models that cannot be told apart.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0] * 30
    >>> models = {"a": y_true, "b": [1, 0] * 18 + [0, 1] * 12, "c": [1, 0] * 17 + [0, 1] * 13}
    >>> display = cb.plots.RankingDisplay.from_predictions(y_true, models, "f1")
    >>> len(display.points_), len(display.groups_)
    (3, 1)
    """

    ranking: Ranking
    bar: float = np.nan
    _: KW_ONLY
    standing: Sequence[str] = ()
    intervals: Sequence[tuple[float, float]] = ()
    reach: float = np.nan

    def __post_init__(self) -> None:
        self.standing = self.standing or ["undefined"] * len(self.ranking.models)
        self.intervals = self.intervals or [(np.nan, np.nan)] * len(self.ranking.models)

    @classmethod
    def from_scorecard(cls, card: Scorecard, measure: Any = None, *, ax: Any = None) -> Self:
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
        column = 0 if measure is None else which_measure(card, measure)
        bar, ranking = card.bar(column, 0), card.ranking(card.measures[column])
        models = [card.models.index(name) for name in ranking.models]
        whiskers = card.has_p_values and not card.several_runs and len(models) <= INTERVALS
        return cls(
            ranking,
            float(bar.value),
            standing=standing_of(card)[models, 0, column].tolist(),
            intervals=[card.interval(model, 0, column) for model in models] if whiskers else [],
            reach=chance_limit(bar, card.alpha),
        ).plot(ax=ax)

    _of_card = from_scorecard

    @property
    def finding(self) -> str:
        best, models, label = self.ranking.best, self.ranking.models, visible(self.ranking.measure.label)
        if len(best) == 1:
            name = shorten(visible(models[0]), NAME_WIDTH)
            return f"{name} is surely the best of {len(models):,} models in {label}"
        if len(best) == len(models):
            if len(best) == 2:
                return f"The two models cannot be told apart in {label}"
            return f"None of {len(models):,} models can be told from the best in {label}"
        return (
            f"{len(best):,} of {len(models):,} models may be the best in {label}: they cannot be told apart"
        )

    @property
    def description(self) -> str:
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
        count = min(len(ranking.models), canvas.rows_that_fit(10.0))
        names = [plain(name, 200) for name in distinct(ranking.models[:count], 24)]
        left = max_text_width(names, canvas.size) + 4.0
        points = canvas.axis_width(left, 6.0 * canvas.small)
        scores = ranking.scores[:count].tolist()
        frame_rows(canvas, names, ranking.measure, (scores, [self.bar], self.intervals[:count]), points)
        self._draw_bar(canvas, count, points)
        texts = [number(score, ranking.samples) for score in scores]
        columns = scores, self.standing[:count], texts, [self.bar] * count, self.intervals[:count]
        self.points_, self.texts_, self.whiskers_, _ = draw_scores(canvas, *columns)
        self.groups_ = tuple(self._join_groups(canvas, count))
        loss = ranking.measure.greater_is_better is False
        keys = outcome_keys(canvas, set(self.standing[:count]), loss=loss)
        self.title_, self.legend_ = canvas.add_title_and_legend(self.finding, keys, lines=1.2, left=left)
        rest = not_drawn(len(ranking.models) - count, 0)
        alike = "Lines on the right join models that cannot be told apart." if self.groups_ else ""
        grey = "Grey: what chance can reach." if self.band_ and not self.band_label_ else ""
        self.note_ = canvas.add_note([alike, grey, rest], left=left)

    def _draw_bar(self, canvas: Canvas, count: int, points: float) -> None:
        ax, self.bar_, self.band_, self.band_label_ = canvas.ax, None, None, None
        low, high = ax.get_xlim()
        per_unit = points / abs(high - low)
        room = np.inf
        if np.isfinite(self.bar):
            self.bar_ = ax.axvline(self.bar, color=canvas.text, lw=2.0 * canvas.unit, zorder=3)
            words = f"bar {number(self.bar, self.ranking.samples)}"
            canvas.annotate_above(words, self.bar, ha="center", color=canvas.text)
            room = abs(self.bar - low) * per_unit - text_width(words, canvas.small) / 2
        if not np.isnan(self.reach):
            limit = float(np.clip(self.reach, *sorted((low, high))))
            self.band_ = draw_band(canvas, low, limit, (-0.6, count - 0.4))
            self.band_label_ = label_band_above(canvas, min(room, abs(limit - low) * per_unit), low)

    def _join_groups(self, canvas: Canvas, count: int) -> Iterator[Any]:
        """Draw a bar per group right of the scores, each on the first lane that is free."""
        texts = [text.get_text() for text in self.texts_]
        first_lane = max_text_width(texts, canvas.small) + 12.0 * canvas.unit
        lanes: list[int] = []  # the last model of each
        beside = canvas.beyond_right(canvas.ax.transData)
        for first, end in self.ranking.groups:
            if first >= count:
                return
            last = min(end, count - 1)
            lane = next((lane for lane, used in enumerate(lanes) if used < first), len(lanes))
            lanes[lane : lane + 1] = [last]
            x = (first_lane + lane * LANE * canvas.size) / 72
            yield canvas.line(
                [x, x], [first - 0.22, last + 0.22], canvas.text, 3.0, transform=beside,
                clip_on=False, solid_capstyle="round",
            )  # fmt: skip
