"""Slices sorted by how far they are from their own bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import capital, distinct, number, plural, signed, visible
from clearbar.plots._canvas import Canvas, max_text_width, name_lines, plain
from clearbar.plots._chance import chance_limit
from clearbar.plots._display import (
    CardDisplay,
    NothingToDrawError,
    Order,
    checked_card,
    checked_most,
    ordered,
    refuse_unnamed,
)
from clearbar.plots._outcomes import outcome_keys, slices_finding
from clearbar.plots._rows import draw_band, draw_scores, frame_rows, label_band_above, tick_bar
from clearbar.scorecard import INTERVALS, Scorecard, which_measure, which_model
from clearbar.scorecard import standing as standing_of
from clearbar.verdict import checked_alpha


@dataclass(repr=False, eq=False)
class SlicesDisplay(CardDisplay):
    """Slices from the furthest below their own bars to the furthest above, with scores and support.

    Bands are what chance can reach in each slice, whiskers the confidence intervals of the true scores.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    groups, scores, bars, support, positives, standing : sequence or ndarray
        The slices in the order drawn: names, scores, bars, samples, positives, and outcomes, "doubt" for a
        score above its bar that could be there by chance.
    model : str
        The model; empty where there is only one.
    most, unjudged : int
        Slices drawn at most, and slices without a score or a bar, which have no place in the order.
    intervals, reaches : sequence
        Confidence intervals of the slices drawn, and how far chance can reach in each; empty if not known.
    part : (str, str)
        What one of them is called, a slice, a class, a label or a task, and several of them.

    Attributes
    ----------
    distance : ndarray of float64
        Score minus bar, in the measure's units; for losses bar minus score.
    points_, bars_, bands_, whiskers_, shortfalls_ : tuple of artists
        Scores, bars, what chance can reach, intervals, and what each score below its bar lacks to it.
    texts_, support_ : tuple of matplotlib.text.Text
        Scores, and how many samples each slice has.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[30, 12, 4], fp=[6, 9, 1], fn=[5, 10, 0], tn=[40, 8, 15])
    >>> display = cb.plots.SlicesDisplay.from_counts(counts, "f1", groups=["A", "B", "C"])
    >>> list(display.groups), display.distance.round(3).tolist()
    (['B', 'A', 'C'], [-0.163, 0.242, 0.556])
    """

    measure: Any
    groups: Sequence[Any]
    scores: FloatArray
    bars: FloatArray
    support: Any
    positives: Any
    standing: Sequence[str]
    _: KW_ONLY
    model: str = ""
    most: int = 20
    unjudged: int = 0
    intervals: Sequence[tuple[float, float]] = ()
    reaches: Sequence[float] = ()
    part: tuple[str, str] = ("slice", "slices")

    _options = "model", "most", "order", "alpha"

    @classmethod
    def from_scorecard(
        cls,
        card: Scorecard,
        measure: Any = None,
        *,
        model: str | None = None,
        most: int = 20,
        order: Order = "worst",
        alpha: float | None = None,
        ax: Any = None,
    ) -> Self:
        """Draw the slices of a scorecard.

        Parameters
        ----------
        card : Scorecard
            Of several slices.
        measure : str or Measure, optional
            Any name of a measure in it; needed where it has several.
        model : str, optional
            A model in it; needed where it has several.
        most : int
            Slices drawn at most: the first in this order.
        order : {"worst", "best", "given"}
            Whether the slice furthest below its bar comes first, or last, or all as they were given.
        alpha : float
            The level at which a score is sure; by default that of the scorecard.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        SlicesDisplay

        Raises
        ------
        ValueError
            If the scorecard has no slices, none of them can be judged, or measure or model must be named.
        """
        checked_card(card)
        most = checked_most(most)
        is_slice = np.array([group is not None for group in card.groups])
        if not is_slice.any():
            raise ValueError(
                "card has no slices; pass by=... to evaluate, or arrays of counts to evaluate_counts."
            )
        refuse_unnamed("measure", measure, [known.name for known in card.measures])
        refuse_unnamed("model", model, card.models)
        row = 0 if model is None else which_model(card, model)
        column = 0 if measure is None else which_measure(card, measure)
        judged_by = card.measures[column]
        scores, bars = (card.columns[name][row, :, column] for name in ("score", "bar"))
        judged = is_slice & np.isfinite(scores) & np.isfinite(bars)
        if not judged.any():
            reason = card.columns["reason"][row, -1, column]
            raise NothingToDrawError(
                f"no {card.group_words[0]} has both a score and a bar for {judged_by.label}: {reason}"
            )
        groups = np.flatnonzero(judged)
        sign = -1.0 if judged_by.greater_is_better is False else 1.0
        groups = groups[ordered(sign * (scores - bars)[groups], order)]
        drawn = groups[:most].tolist()
        alpha = card.alpha if alpha is None else checked_alpha(alpha)
        quick = len(groups) <= INTERVALS  # then nobody waits long for intervals and the limits of chance
        whiskers = quick and card.has_p_values and not card.several_runs
        population = card.baselines[column].population
        return cls(
            judged_by,
            tuple(card.groups[group] for group in groups),
            scores[groups],
            bars[groups],
            np.asarray(population.total)[groups],
            np.asarray(population.leading[1])[groups],
            standing_of(card, alpha)[row, groups, column].tolist(),
            intervals=[card.interval(row, group, column) for group in drawn] if whiskers else (),
            reaches=[chance_limit(card.bar(column, group), alpha) for group in drawn] if quick else (),
            model=visible(card.models[row]) if len(card.models) > 1 else "",
            most=most,
            unjudged=int((is_slice & ~judged).sum()),
            part=card.group_words,
        ).plot(ax=ax)

    _of_card = from_scorecard

    @classmethod
    def from_predictions(  # type: ignore[override]
        cls, y_true: Any, y_pred: Any, by: Any, measure: Any, *, ax: Any = None, **options: Any
    ) -> Self:
        """Judge predictions and draw a model's slices.

        Parameters
        ----------
        y_true, y_pred, by : array_like
            As for `clearbar.evaluate`.
        measure : str or Measure
            What is evaluated.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        **options
            Those of `from_scorecard` and of `clearbar.evaluate`.

        Returns
        -------
        SlicesDisplay
        """
        return super().from_predictions(y_true, y_pred, measure, ax=ax, by=by, **options)

    @property
    def distance(self) -> FloatArray:
        distances = self.scores - self.bars
        return -distances if self._loss else distances

    @property
    def _loss(self) -> bool:
        return self.measure.greater_is_better is False

    @property
    def finding(self) -> str:
        model = f"{visible(self.model)}: " if self.model else ""
        return model + slices_finding(self.standing, self.measure.label, self.part, loss=self._loss)

    @property
    def description(self) -> str:
        rows = list(zip(self.groups, self.distance, self.support, strict=True))[: self.most]
        slices = [
            f"{visible(name)} {signed(gap)} ({plural(int(size), 'sample')})" for name, gap, size in rows
        ]
        model = f" of {visible(self.model)}" if self.model else ""
        count = plural(len(self.groups), *self.part)
        return (
            f"{self.finding}. {capital(self.measure.label)}{model} in {count}, "
            f"by distance from their bars: {', '.join(slices)}. {self.rest(self.most)}".rstrip()
        )

    def rest(self, drawn: int) -> str:
        """Say what is not drawn; empty where all is."""
        singular, several = self.part
        left_out, sentences = self.distance[drawn:], []
        if len(left_out):
            ends = " to ".join(dict.fromkeys(signed(float(end)) for end in (left_out.min(), left_out.max())))
            more = plural(len(left_out), f"more {singular}", f"more {several}")
            sentences.append(f"{more} not shown, at a distance of {ends}.")
        if self.unjudged:
            sentences.append(f"{plural(self.unjudged, *self.part)} without a score or a bar not shown.")
        return " ".join(sentences)

    @property
    def _height(self) -> float:
        return 1.6 + 0.22 * min(len(self.groups), self.most)

    def _draw(self, canvas: Canvas) -> None:
        from matplotlib.lines import Line2D

        count = min(len(self.groups), self.most, canvas.rows_that_fit(9.0))
        names = [plain(name, 200) for name in distinct(self.groups[:count], 24)]
        scores = [number(*pair) for pair in zip(self.scores, self.support.tolist(), strict=True)][:count]
        sizes = [f"{int(size):,}" for size in self.support[:count]]
        left = max_text_width(names, canvas.size) + 4.0
        sizes_begin = max_text_width(scores, canvas.small) + 14 * canvas.unit
        points = canvas.axis_width(left, sizes_begin + max_text_width(sizes, canvas.small))
        shown = self.bars[:count], self.scores[:count], self.intervals[:count]
        frame_rows(canvas, names, self.measure, shown, points, name_lines(self.model, 40, 1))
        self._draw_rows(canvas, scores)
        self.support_ = tuple(canvas.annotate_right(n, row, sizes_begin) for row, n in enumerate(sizes))
        worst, best = canvas.ax.get_xlim()
        canvas.annotate_above("score", best, 5 * canvas.unit)
        canvas.annotate_above("n", best, sizes_begin)
        self.band_label_ = None
        if self.bands_:
            band_width = self.bands_[0].get_width() / (best - worst) * points
            self.band_label_ = label_band_above(canvas, band_width, worst)
        keys = outcome_keys(canvas, set(self.standing[:count]), bar="its bar", loss=self._loss)
        tick = Line2D(
            [], [], color=canvas.text, marker="|", ls="none", ms=9 * canvas.unit, mew=2.2 * canvas.unit
        )
        keys.insert(0, (tick, f"bar of the {self.part[0]}"))
        self.title_, self.legend_ = canvas.add_title_and_legend(self.finding, keys, lines=1.2, left=left)
        grey = "Grey: what chance can reach." if self.bands_ and not self.band_label_ else ""
        self.note_ = canvas.add_note([grey, self.rest(count)], left=left)

    def _draw_rows(self, canvas: Canvas, texts: Sequence[str]) -> None:
        count, axis = len(texts), canvas.ax.get_xlim()
        bars = enumerate(self.bars[:count].tolist())
        self.bars_ = tuple(tick_bar(canvas, bar, (row - 0.34, row + 0.34)) for row, bar in bars)
        self.bands_ = tuple(
            draw_band(canvas, axis[0], float(np.clip(limit, *sorted(axis))), (row - 0.38, row + 0.38))
            for row, limit in enumerate(self.reaches[:count])
            if not np.isnan(limit)
        )
        # More may be drawn now than when the intervals were found.
        intervals = [*self.intervals, *[(np.nan, np.nan)] * count][:count]
        columns = self.scores[:count], self.standing[:count], texts, self.bars[:count], intervals
        self.points_, self.texts_, self.whiskers_, self.shortfalls_ = draw_scores(canvas, *columns)
