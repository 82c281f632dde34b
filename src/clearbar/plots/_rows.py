"""Rows of scores: a name on the left, interval and bar in the middle, the number on the right.

`RankingDisplay` has a row per model and `SlicesDisplay` one per slice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import capital, distinct, number, plural, shorten, signed, visible
from clearbar.formatting._palette import BELOW
from clearbar.plots._canvas import Canvas, Key, axis_label, plain, text_width
from clearbar.plots._chance import chance_limit
from clearbar.plots._display import (
    CardDisplay,
    NothingToDrawError,
    Order,
    Words,
    checked_card,
    checked_most,
    ordered,
    refuse_unnamed,
)
from clearbar.plots._outcomes import CHANCE_BAND, JUDGED, NAME_WIDTH, marker, outcome_keys, slices_finding
from clearbar.scorecard import INTERVALS, Ranking, Scorecard, standing, which_measure, which_model
from clearbar.verdict import checked_alpha

LANE = 0.9
"""Sizes of text between two lines that join models."""

NO_INTERVAL = math.nan, math.nan


def first_and_last(models: int, most: int) -> list[int]:
    """Return so many models, half of them from either end: the best and the worst if they are in order."""
    return sorted({*range(most - most // 2), *range(models - most // 2, models)})


def worst_measures(outcomes: Any, most: int) -> list[int]:
    """Return the measures, of each of which the models' outcomes are given, with the worst outcomes."""
    badness = [sum(JUDGED.index(name) if name in JUDGED else -1 for name in names) for names in outcomes]
    return sorted(np.argsort(-np.array(badness), kind="stable")[:most].tolist())


def not_drawn(models: int, measures: int) -> str:
    """Say how many models and measures have no room; empty where all have."""
    counts = (models, "more model"), (measures, "more measure")
    left_out = [plural(count, words) for count, words in counts if count]
    return f"{' and '.join(left_out)} not drawn here." if left_out else ""


def frame_rows(
    canvas: Canvas, names: Sequence[Any], measure: Any, drawn: Sequence[Any], right: float, title: str = ""
) -> tuple[float, float]:
    """Name the rows, and let the axis hold what is drawn, its better end on the right.

    Returns how many points the names take left of the axis, and how long it is if as many as `right` are
    left on its other side.
    """
    values = np.concatenate([np.ravel(numbers) for numbers in drawn])
    values = values[np.isfinite(values)]
    spread = float(np.ptp(values)) or max(abs(float(values[0])), 1.0) * 0.2
    low, high = float(values.min()) - 0.08 * spread, float(values.max()) + 0.06 * spread
    labels = [plain(name, 200) for name in distinct(names, 24)]
    left = text_width(labels, canvas.size) + 4.0
    points = canvas.axis_width(left, right)
    canvas.style_axes(axis_label(measure), plain(title, 40))
    canvas.ax.set_xlim(*((high, low) if measure.greater_is_better is False else (low, high)))
    canvas.fit_ticks(points)
    canvas.ax.set_ylim(len(names) - 0.4, -0.6)
    canvas.ax.set_yticks(range(len(names)), labels, fontsize=canvas.size)
    canvas.ax.tick_params(axis="y", length=0)
    canvas.ax.spines["left"].set_visible(False)
    return left, points


def draw_score(
    canvas: Canvas, y: float, x: float, outcome: str, text: str, bar: float, interval: tuple[float, float]
) -> tuple[Any, Any, Any, Any]:
    """Draw a score, what it is in figures right of the axes, its interval, and what it lacks to the bar.

    Returns None in place of what is nan.
    """
    written = canvas.annotate_right(text, y, 5 * canvas.unit, color=canvas.text)
    whisker = shortfall = None
    if math.isnan(x):
        return None, written, whisker, shortfall
    if not math.isnan(interval[0]):
        whisker = canvas.line(interval, [y, y], canvas.text, 1.0, zorder=4.5, solid_capstyle="butt")
    if outcome == "fails":
        shortfall = canvas.line([bar, x], [y, y], BELOW, 2.4, zorder=4, solid_capstyle="butt")
    (point,) = canvas.ax.plot([x], [y], clip_on=False, zorder=5, **marker(canvas, outcome))
    return point, written, whisker, shortfall


def draw_scores(canvas: Canvas, *columns: Any) -> list[tuple[Any, ...]]:
    """Draw a score per row, given what `draw_score` takes; return points, texts, whiskers and shortfalls."""
    drawn = [draw_score(canvas, row, *values) for row, values in enumerate(zip(*columns, strict=True))]
    return [tuple(artist for artist in artists if artist is not None) for artists in zip(*drawn, strict=True)]


def draw_band(canvas: Canvas, worst: float, limit: float, heights: tuple[float, float]) -> Any:
    """Shade in a row what chance can reach: from the worst score to its limit."""
    from matplotlib.patches import Rectangle

    size = limit - worst, heights[1] - heights[0]
    style = {"facecolor": canvas.muted, "alpha": canvas.shade, "lw": 0, "zorder": 0.5}
    return canvas.ax.add_patch(Rectangle((worst, heights[0]), *size, **style))


def band_words(canvas: Canvas, points: float) -> str:
    """Return what a band is called in so many points; empty where that has no room."""
    fitting = (words for words in (CHANCE_BAND, "chance") if text_width(words, canvas.small) <= points - 6.0)
    return next(fitting, "")


def label_band_above(canvas: Canvas, points: float, x: float) -> Any:
    """Write above the axes, where bands begin, what they are; None where that has no room."""
    words = band_words(canvas, points)
    return canvas.annotate_above(words, x, 3, zorder=6) if words else None


def tick_bar(canvas: Canvas, x: float, heights: tuple[float, float]) -> Any:
    return canvas.line([x, x], heights, canvas.text, 2.2, zorder=3, solid_capstyle="butt")


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
    bar: float = math.nan
    _: KW_ONLY
    standing: Sequence[str] = ()
    intervals: Sequence[tuple[float, float]] = ()
    reach: float = math.nan

    def __post_init__(self) -> None:
        self.standing = self.standing or ["undefined"] * len(self.ranking.models)
        self.intervals = self.intervals or [NO_INTERVAL] * len(self.ranking.models)

    @classmethod
    def from_scorecard(cls, card: Scorecard, measure: Any = None, *, ax: Any = None) -> Self:
        """Draw the ranking of a scorecard's models.

        Parameters
        ----------
        card : Scorecard
            Of several models.
        measure : str or Measure, optional
            Any name of a measure in it; its first by default.
        """
        checked_card(card)
        column = 0 if measure is None else which_measure(card, measure)
        bar, ranking = card.bar(column, 0), card.ranking(card.measures[column])
        models = [card.models.index(name) for name in ranking.models]
        whiskers = card.has_p_values and not card.several_runs and len(models) <= INTERVALS
        return cls(
            ranking,
            float(bar.value),
            standing=standing(card)[models, 0, column].tolist(),
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
        if len(best) < len(models):
            some = f"{len(best):,} of {len(models):,} models"
            return f"{some} may be the best in {label}: they cannot be told apart"
        if len(best) == 2:
            return f"The two models cannot be told apart in {label}"
        return f"None of {len(models):,} models can be told from the best in {label}"

    @property
    def description(self) -> str:
        pairs = zip(self.ranking.models, self.ranking.scores.tolist(), strict=True)
        scores = ", ".join(f"{visible(name)} {number(score, self.ranking.samples)}" for name, score in pairs)
        bar = f"; the bar is {number(self.bar, self.ranking.samples)}" if math.isfinite(self.bar) else ""
        return f"{self.finding}. {capital(self.ranking.measure.label)}: {scores}{bar}."

    @property
    def _height(self) -> float:
        return 1.75 + 0.23 * len(self.ranking.models)

    def _draw(self, canvas: Canvas) -> Words:
        ranking, count = self.ranking, min(len(self.ranking.models), canvas.rows_that_fit(10.0))
        scores, intervals = ranking.scores[:count].tolist(), self.intervals[:count]
        drawn = scores, [self.bar], intervals
        left, points = frame_rows(canvas, ranking.models[:count], ranking.measure, drawn, 6.0 * canvas.small)
        self._draw_bar(canvas, count, points)
        texts = [number(score, ranking.samples) for score in scores]
        columns = scores, self.standing[:count], texts, [self.bar] * count, intervals
        self.points_, self.texts_, self.whiskers_, _ = draw_scores(canvas, *columns)
        self.groups_ = tuple(self._join_groups(canvas, count))
        loss = ranking.measure.greater_is_better is False
        notes = [
            "Lines on the right join models that cannot be told apart." if self.groups_ else "",
            "Grey: what chance can reach." if self.band_ and not self.band_label_ else "",
            not_drawn(len(ranking.models) - count, 0),
        ]
        return Words(outcome_keys(canvas, set(self.standing[:count]), loss=loss), notes, above=1.2, left=left)

    def _draw_bar(self, canvas: Canvas, count: int, points: float) -> None:
        self.bar_ = self.band_ = self.band_label_ = None
        low, high = canvas.ax.get_xlim()
        points_per_unit, room = points / abs(high - low), math.inf
        if math.isfinite(self.bar):
            self.bar_ = canvas.ax.axvline(self.bar, color=canvas.text, lw=2.0 * canvas.unit, zorder=3)
            words = f"bar {number(self.bar, self.ranking.samples)}"
            canvas.annotate_above(words, self.bar, ha="center", color=canvas.text)
            room = abs(self.bar - low) * points_per_unit - text_width(words, canvas.small) / 2
        if not math.isnan(self.reach):
            limit = float(np.clip(self.reach, *sorted((low, high))))
            self.band_ = draw_band(canvas, low, limit, (-0.6, count - 0.4))
            self.band_label_ = label_band_above(canvas, min(room, abs(limit - low) * points_per_unit), low)

    def _join_groups(self, canvas: Canvas, count: int) -> Iterator[Any]:
        """Draw a bar per group right of the scores, each on the first lane that is free."""
        texts = (text.get_text() for text in self.texts_)
        first_lane = text_width(texts, canvas.small) + 12.0 * canvas.unit
        lanes: list[int] = []  # the last model of each
        beside = canvas.beyond_right(canvas.ax.transData)
        for first, end in self.ranking.groups:
            if first >= count:
                return
            last = min(end, count - 1)
            lane = next((lane for lane, used in enumerate(lanes) if used < first), len(lanes))
            lanes[lane : lane + 1] = [last]
            x = (first_lane + lane * LANE * canvas.size) / 72
            style = {"transform": beside, "clip_on": False, "solid_capstyle": "round"}
            yield canvas.line([x, x], [first - 0.22, last + 0.22], canvas.text, 3.0, **style)


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
        most : int
            Slices drawn at most: the first in this order.
        order : {"worst", "best", "given"}
            Whether the slice furthest below its bar comes first, or last, or all as they were given.
        """
        checked_card(card)
        most, alpha = checked_most(most), card.alpha if alpha is None else checked_alpha(alpha)
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
            standing(card, alpha)[row, groups, column].tolist(),
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
        **options
            Those of `from_scorecard` and of `clearbar.evaluate`.
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

    def _draw(self, canvas: Canvas) -> Words:
        count = min(len(self.groups), self.most, canvas.rows_that_fit(9.0))
        scores, bars = self.scores[:count], self.bars[:count]
        texts = [number(*pair) for pair in zip(scores, self.support.tolist(), strict=False)]
        sizes = [f"{int(size):,}" for size in self.support[:count]]
        sizes_begin = text_width(texts, canvas.small) + 14 * canvas.unit
        right = sizes_begin + text_width(sizes, canvas.small)
        drawn = bars, scores, self.intervals[:count]
        left, points = frame_rows(canvas, self.groups[:count], self.measure, drawn, right, self.model)
        worst, best = canvas.ax.get_xlim()
        self.bars_ = tuple(tick_bar(canvas, bar, (row - 0.34, row + 0.34)) for row, bar in enumerate(bars))
        limits = np.clip(np.asarray(self.reaches[:count], dtype=np.float64), *sorted((worst, best)))
        self.bands_ = tuple(
            draw_band(canvas, worst, limit, (row - 0.38, row + 0.38))
            for row, limit in enumerate(limits.tolist())
            if not math.isnan(limit)
        )
        # More may be drawn now than when the intervals were found.
        intervals = [*self.intervals, *[NO_INTERVAL] * count][:count]
        columns = scores, self.standing[:count], texts, bars, intervals
        self.points_, self.texts_, self.whiskers_, self.shortfalls_ = draw_scores(canvas, *columns)
        self.support_ = tuple(canvas.annotate_right(n, row, sizes_begin) for row, n in enumerate(sizes))
        canvas.annotate_above("score", best, 5 * canvas.unit)
        canvas.annotate_above("n", best, sizes_begin)
        self.band_label_ = None
        if self.bands_:
            band_width = self.bands_[0].get_width() / (best - worst) * points
            self.band_label_ = label_band_above(canvas, band_width, worst)
        grey = "Grey: what chance can reach." if self.bands_ and not self.band_label_ else ""
        return Words(self._keys(canvas, count), [grey, self.rest(count)], above=1.2, left=left)

    def _keys(self, canvas: Canvas, count: int) -> list[Key]:
        from matplotlib.lines import Line2D

        size: dict[str, Any] = {"ms": 9 * canvas.unit, "mew": 2.2 * canvas.unit}
        tick = Line2D([], [], color=canvas.text, marker="|", ls="none", **size)
        outcomes = outcome_keys(canvas, set(self.standing[:count]), bar="its bar", loss=self._loss)
        return [(tick, f"bar of the {self.part[0]}"), *outcomes]
