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
from clearbar.formatting import capital, distinct, number, plural, signed, visible
from clearbar.plots._canvas import Canvas, Key, axis_label, heavy, plain, text_width
from clearbar.plots._chance import chance_limit
from clearbar.plots._display import (
    CardDisplay,
    NothingToDrawError,
    Order,
    Words,
    checked_card,
    checked_most,
    checked_order,
    refuse_unnamed,
)
from clearbar.plots._marks import (
    chance_key,
    draw_scores,
    not_drawn,
    outcome_keys,
    outcomes_of,
    tick_bar,
    whiskers_note,
)
from clearbar.scorecard import (
    INTERVALS,
    Ranking,
    Scorecard,
    slices_headline,
    which_measure,
    which_model,
)
from clearbar.verdict import checked_alpha

LANE = 0.9
"""Sizes of text between two lines that join models."""

NO_INTERVAL = math.nan, math.nan

ZONES = ("below", "unsettled", "unknown", "above", "other")
ZONE_OF = {"fails": "below", "ties": "below", "doubt": "unsettled", "unknown": "unknown", "clears": "above"}
"""Under which heading a slice stands, by its outcome."""


def frame_rows(
    canvas: Canvas,
    names: Sequence[Any],
    heights: Sequence[float],
    measure: Any,
    drawn: Any,
    right: float,
) -> float:
    """Name the rows, and let the axis hold what is drawn, its better end on the right.

    Returns how many points the names take left of the axis; as many as `right` are left on its other side.
    """
    values = np.concatenate([np.ravel(numbers) for numbers in drawn])
    values = values[np.isfinite(values)]
    spread = float(np.ptp(values)) or max(abs(float(values[0])), 1.0) * 0.2
    low, high = float(values.min()) - 0.06 * spread, float(values.max()) + 0.06 * spread
    labels = [plain(name, 200) for name in distinct(names, 15 if canvas.is_narrow else 24)]
    left = text_width(labels, canvas.ticks) + 4.0
    canvas.style_axes(axis_label(measure))
    canvas.ax.set_xlim(*((high, low) if measure.greater_is_better is False else (low, high)))
    canvas.fit_ticks(canvas.axis_width(left, right))
    canvas.ax.set_ylim(heights[-1] + 0.6, -0.6)
    canvas.ax.set_yticks(heights, labels, fontsize=canvas.ticks)
    canvas.ax.tick_params(axis="y", length=0)
    canvas.ax.spines["left"].set_visible(False)
    return left


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
        The reach of chance; nan where that is not known.
    confidence_level : float
        That of the intervals.

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
    confidence_level: float = 0.95

    def __post_init__(self) -> None:
        self.standing = self.standing or ["undefined"] * len(self.ranking.models)
        self.intervals = self.intervals or [NO_INTERVAL] * len(self.ranking.models)

    @classmethod
    def from_scorecard(
        cls, card: Scorecard, measure: Any = None, *, ax: Any = None, compact: bool = False
    ) -> Self:
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
            standing=outcomes_of(card)[models, 0, column].tolist(),
            intervals=[card.interval(model, 0, column) for model in models] if whiskers else [],
            reach=chance_limit(bar, card.alpha),
            confidence_level=card.confidence_level,
        ).plot(ax=ax, compact=compact)

    _of_card = from_scorecard

    @property
    def finding(self) -> str:
        return self.ranking.finding

    @property
    def description(self) -> str:
        pairs = zip(self.ranking.models, self.ranking.scores.tolist(), strict=True)
        scores = ", ".join(f"{visible(name)} {number(score, self.ranking.samples)}" for name, score in pairs)
        bar = f"; the bar is {number(self.bar, self.ranking.samples)}" if math.isfinite(self.bar) else ""
        return f"{self.finding}. {capital(self.ranking.measure.label)}: {scores}{bar}."

    @property
    def _height(self) -> float:
        return 1.5 + 0.23 * len(self.ranking.models)

    def _draw(self, canvas: Canvas) -> Words:
        ranking, count = self.ranking, len(self.ranking.models)
        if not self._made_figure:
            count = min(count, canvas.rows_that_fit(5.0 if canvas.compact else 10.0, 1.6))
        scores, intervals = ranking.scores[:count].tolist(), self.intervals[:count]
        names, drawn, heights = ranking.models[:count], (scores, [self.bar], intervals), list(range(count))
        texts = [number(score, ranking.samples) for score in scores]
        lanes = text_width(texts, canvas.ticks) + 3.0 * canvas.ticks
        frame_rows(canvas, names, heights, ranking.measure, drawn, lanes)
        low, high = canvas.ax.get_xlim()
        self.bar_ = self.band_ = None
        if math.isfinite(self.bar):
            words = f"bar {number(self.bar, ranking.samples)}"
            self.bar_ = canvas.draw_limit(self.bar, words, lw=2.0 * canvas.unit, zorder=3)
        if not math.isnan(self.reach):
            limit = float(np.clip(self.reach, *sorted((low, high))))
            self.band_ = canvas.box(low, -0.6, limit - low, count + 0.2)
        columns = scores, self.standing[:count], [self.bar] * count, intervals
        self.points_, self.texts_, self.whiskers_, _ = draw_scores(canvas, heights, texts, *columns)
        self.groups_ = tuple(self._join_groups(canvas, count))
        loss = ranking.measure.greater_is_better is False
        joined = "Lines on the right join models between which no difference is shown."
        said = [whiskers_note(self.confidence_level)] * bool(self.whiskers_) + [joined] * bool(self.groups_)
        omitted = not_drawn(len(ranking.models) - count, 0)
        keys = outcome_keys(canvas, set(self.standing[:count]), loss=loss)
        keys += [chance_key(canvas)] if self.band_ else []
        return Words(keys, [" ".join(said)], omitted, above=1.2)

    def _join_groups(self, canvas: Canvas, count: int) -> Iterator[Any]:
        """Draw a bar per group right of the scores, each on the first lane that is free."""
        texts = (text.get_text() for text in self.texts_)
        first_lane = text_width(texts, canvas.ticks) + 12.0 * canvas.unit
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
            yield canvas.line([x, x], [first - 0.22, last + 0.22], canvas.muted, 2.2, **style)
        if lanes:  # keeps them off the edge of the page
            canvas.annotate_right(" ", 0.0, first_lane + len(lanes) * LANE * canvas.size)


@dataclass(repr=False, eq=False)
class SlicesDisplay(CardDisplay):
    """Slices below their own bars, unsettled and surely above, each kind in the order of its distances.

    Bands are what chance can reach in each slice, whiskers the confidence intervals of the true scores.

    Parameters
    ----------
    measure : Measure
        The measure.
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
    order : {"worst", "best", "given"}
        Whether those below their bars come first, or last, or all as they are, without headings.
    has_p_values : bool
        Whether it is known how surely bars are cleared.
    finding : str
        The numbers of those that clear, are not settled, and are below.
    confidence_level : float
        That of the intervals.

    Attributes
    ----------
    distance : ndarray of float64
        Score minus bar, in the measure's units; for losses bar minus score.
    points_, bars_, bands_, whiskers_, shortfalls_ : tuple of artists
        Scores, bars, what chance can reach, intervals, and what each score below its bar lacks to it.
    texts_, support_, headings_ : tuple of matplotlib.text.Text
        Scores, how many samples each slice has, and how many slices are of each kind.

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
    order: Order = "worst"
    has_p_values: bool = True
    finding: str = ""
    confidence_level: float = 0.95

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
        compact: bool = False,
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
            Whether slices below their bars come first, or last, or all as they were given. Within each kind
            the one furthest below comes first, or last.
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
        outcomes = outcomes_of(card, alpha)[row, :, column]
        if checked_order(order) != "given":
            zone = np.array([ZONES.index(ZONE_OF.get(outcomes[group], "other")) for group in groups])
            turn = -1 if order == "best" else 1
            groups = groups[np.lexsort((turn * sign * (scores - bars)[groups], turn * zone))]
        drawn = groups[:most].tolist()
        quick = len(groups) <= INTERVALS  # then nobody waits long for intervals and the limits of chance
        whiskers = quick and card.has_p_values and not card.several_runs
        population = card.baselines[column].population
        model_name = visible(card.models[row]) if len(card.models) > 1 else ""
        finding = slices_headline(card, alpha, [row], [column])
        return cls(
            judged_by,
            tuple(card.groups[group] for group in groups),
            scores[groups],
            bars[groups],
            np.asarray(population.total)[groups],
            np.asarray(population.leading[1])[groups],
            outcomes[groups].tolist(),
            intervals=[card.interval(row, group, column) for group in drawn] if whiskers else (),
            reaches=[chance_limit(card.bar(column, group), alpha) for group in drawn] if quick else (),
            model=model_name,
            most=most,
            unjudged=int((is_slice & ~judged).sum()),
            part=card.group_words,
            order=order,
            has_p_values=card.has_p_values,
            finding=f"{model_name}, {finding}" if model_name else capital(finding),
            confidence_level=card.confidence_level,
        ).plot(ax=ax, compact=compact)

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

    def _zones(self, count: int) -> list[tuple[int, str]]:
        """Return where headings stand, each before a row, and their words."""
        if self.order == "given":
            return []
        headings = []
        own = "its own bar" if len(self.groups) == 1 else "their own bars"
        words = {
            "below": f"{'worse than' if self._loss else 'below'} {own}",
            "unsettled": "unsettled: could be chance",
            "unknown": "unsettled: how surely is not known",
            "above": f"{'surely ' * self.has_p_values}{'better than' if self._loss else 'above'} {own}",
            "other": "no verdict: the bar cannot be beaten",
        }
        zones = [ZONE_OF.get(outcome, "other") for outcome in self.standing]
        for row, zone in enumerate(zones[:count]):
            if row == 0 or zones[row - 1] != zone:
                headings.append((row, f"{zones.count(zone):,} {words[zone]}"))
        return headings

    @property
    def _height(self) -> float:
        count = min(len(self.groups), self.most)
        return 1.45 + 0.2 * (count + 1.1 * len(self._zones(count)))

    def _draw(self, canvas: Canvas) -> Words:
        count = min(len(self.groups), self.most)
        if not self._made_figure:
            around = 6.0 if canvas.compact or not self._has_words else 10.0
            count = min(count, canvas.rows_that_fit(around + len(self._zones(count)), 1.5))
        zones, scores, bars = self._zones(count), self.scores[:count], self.bars[:count]
        rows = list(range(count))
        heights = [row + 1.1 * sum(first <= row for first, _ in zones) for row in rows]
        texts = [number(*pair) for pair in zip(scores, self.support.tolist(), strict=False)]
        sizes = [f"{int(size):,}" for size in self.support[:count]]
        sizes_begin = text_width(texts, canvas.ticks) + 14 * canvas.unit
        right = sizes_begin + text_width(sizes, canvas.ticks)
        drawn = bars, scores, self.intervals[:count]
        names = self.groups[:count]
        left = frame_rows(canvas, names, heights, self.measure, drawn, right)
        worst, best = canvas.ax.get_xlim()
        self.bars_ = tuple(
            tick_bar(canvas, bar, (y - 0.36, y + 0.36)) for y, bar in zip(heights, bars, strict=True)
        )
        limits = np.clip(np.asarray(self.reaches[:count], dtype=np.float64), *sorted((worst, best)))
        reached = zip(heights, limits.tolist(), strict=False)
        self.bands_ = tuple(
            canvas.box(worst, y - 0.4, limit - worst, 0.8) for y, limit in reached if not math.isnan(limit)
        )
        # More may be drawn now than when the intervals were found.
        intervals = [*self.intervals, *[NO_INTERVAL] * count][:count]
        columns = scores, self.standing[:count], bars, intervals
        self.points_, self.texts_, self.whiskers_, self.shortfalls_ = draw_scores(
            canvas, heights, texts, *columns
        )
        pairs = zip(heights, sizes, strict=True)
        self.support_ = tuple(canvas.annotate_right(n, y, sizes_begin) for y, n in pairs)
        above = heights[0] - 1.0
        canvas.annotate_right("score", above, 5 * canvas.unit)
        canvas.annotate_right("n", above, sizes_begin)
        canvas.ax.set_ylim(heights[-1] + 0.6, above - 0.5)
        where = {"xycoords": ("axes fraction", "data"), "color": canvas.text, "fontweight": heavy()}
        self.headings_ = tuple(
            canvas.annotate(words, (0.0, heights[row] - 1.0), (-left, 0), **where) for row, words in zones
        )
        notes = [whiskers_note(self.confidence_level) if self.whiskers_ else ""]
        return Words(self._keys(canvas, count), notes, self.rest(count), above=0.2)

    def _keys(self, canvas: Canvas, count: int) -> list[Key]:
        from matplotlib.lines import Line2D

        size: dict[str, Any] = {"ms": 9 * canvas.unit, "mew": 2.2 * canvas.unit}
        tick = Line2D([], [], color=canvas.text, marker="|", ls="none", **size)
        outcomes = outcome_keys(canvas, set(self.standing[:count]), bar="its bar", loss=self._loss)
        chance = [chance_key(canvas)] if self.bands_ else []
        return [(tick, f"bar of the {self.part[0]}"), *(outcomes if self.order == "given" else ()), *chance]
