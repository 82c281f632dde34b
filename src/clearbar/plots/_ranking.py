"""Models from the best to the worst, those that cannot be told apart joined by a bar."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.core._typing import Undefined
from clearbar.evaluation import evaluate
from clearbar.formatting import distinct, number, width
from clearbar.plots._canvas import Canvas, axis_label
from clearbar.plots._display import Display
from clearbar.plots._rows import checked_card
from clearbar.scorecard import Ranking, Scorecard, which_measure

LANE = 0.55
"""Widths of a letter between two bars."""


class RankingDisplay(Display):
    """A critical-difference picture: scores of models, and bars over those that cannot be told apart.

    Parameters
    ----------
    ranking : Ranking
        The models and their pairs.
    bar : float
        What the best classifier expects that ignores the features; nan for none.

    Attributes
    ----------
    ax_, figure_
        Axes and figure.
    points_ : tuple of matplotlib.lines.Line2D
        Scores, the best model first.
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

    def __init__(self, ranking: Ranking, bar: float = np.nan) -> None:
        self.ranking, self.bar = ranking, bar

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
        bar = float(np.asarray(card.columns["bar"])[0, 0, at])
        return cls(card.ranking(card.measures[at]), bar).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        measure: Any,
        *,
        pos_label: Any = None,
        undefined: Undefined = "exclude",
        clusters: Any = None,
        ax: Any = None,
    ) -> RankingDisplay:
        """Judge predictions and draw the ranking of the models; parameters as for `clearbar.evaluate`.

        Returns
        -------
        RankingDisplay
        """
        how: dict[str, Any] = {"pos_label": pos_label, "undefined": undefined, "clusters": clusters}
        card = evaluate(y_true, y_pred, measure, intervals=False, **how)
        return cls.from_scorecard(card, ax=ax)

    @property
    def description(self) -> str:
        """The figure in words."""
        pairs = zip(self.ranking.models, self.ranking.scores, strict=True)
        scores = ", ".join(f"{name} {number(float(score), self.ranking.samples)}" for name, score in pairs)
        return f"{self.ranking.sentence} {self.ranking.measure.label}: {scores}."

    @property
    def _height(self) -> float:
        return 1.25 + 0.25 * len(self.ranking.models)

    def _draw(self, canvas: Canvas) -> None:
        ax, scores = canvas.ax, self.ranking.scores
        best = set(self.ranking.best)
        self.points_ = tuple(
            canvas.point(
                float(score), at, "o", 5.6, color=canvas.clears if name in best else canvas.muted, zorder=4
            )
            for at, (name, score) in enumerate(zip(self.ranking.models, scores, strict=True))
        )
        self._frame(canvas)
        self.groups_ = tuple(self._joined(canvas))
        if np.isfinite(self.bar):
            ax.axvline(self.bar, color=canvas.text, lw=1.2 * canvas.unit, ls=":", zorder=1)
        names = [name.replace("$", r"\$") for name in distinct(self.ranking.models, 24)]
        ax.set_yticks(range(len(names)), names, fontsize=canvas.size)
        left = 0.56 * canvas.size * max(map(width, names))
        dotted = (
            f"Dotted: the bar, {number(self.bar, self.ranking.samples)}." if np.isfinite(self.bar) else ""
        )
        alike = "Bars join models that cannot be told apart; blue: the best, or not told from it."
        self.note_ = canvas.note([alike, dotted], left=left)

    def _joined(self, canvas: Canvas) -> Any:
        """Draw a bar per group to the right of the axes, each on the first lane that is free."""
        transform = canvas.ax.get_yaxis_transform()
        lanes: list[int] = []
        step = 1.6 * LANE * canvas.size / 72 / (canvas.ax.bbox.width / canvas.ax.figure.dpi)
        for first, last in self.ranking.groups:
            lane = next((at for at, end in enumerate(lanes) if end < first), len(lanes))
            lanes[lane : lane + 1] = [last]
            x = 1.0 + (lane + 1) * step
            yield canvas.line(
                [x, x], [first - 0.22, last + 0.22], canvas.text, 3.4, transform=transform, clip_on=False,
                solid_capstyle="round",
            )  # fmt: skip

    def _frame(self, canvas: Canvas) -> None:
        ax, scores = canvas.ax, self.ranking.scores
        canvas.dress(axis_label(self.ranking.measure))
        shown = np.append(scores, self.bar) if np.isfinite(self.bar) else scores
        spread = float(np.ptp(shown)) or max(abs(float(shown[0])), 1.0) * 0.2
        low, high = float(shown.min()) - 0.06 * spread, float(shown.max()) + 0.06 * spread
        ax.set_xlim(*((high, low) if self.ranking.measure.greater_is_better is False else (low, high)))
        ax.set_ylim(len(scores) - 0.4, -0.6)
        canvas.ticks_that_fit()
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
        ax.grid(visible=True, axis="y", color=canvas.muted, alpha=0.25, lw=0.6 * canvas.unit)
        ax.set_axisbelow(True)
