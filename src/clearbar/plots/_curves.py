"""ROC and precision–recall curves over the region that a random ranking reaches at this size.

Of M samples, P of them positive, the first k of a random ranking hold TP ~ Hypergeometric(M, P, k)
positive ones. So for each k the distribution of the point is exact; no limit of many samples is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.data.scores import counts_at_thresholds
from clearbar.evaluation.scores import evaluate_scores
from clearbar.formatting import capital, distinct, number, plural, visible, whole_percent
from clearbar.formatting._palette import CURVES, CURVES_ON_DARK
from clearbar.null.hypergeometric import pmf, quantile
from clearbar.plots._canvas import Canvas, Key, plain, spread
from clearbar.plots._chance import BAND, k_grid
from clearbar.plots._display import Display, Words, verdict_finding
from clearbar.plots._marks import chance_key, marker, outcome_keys, outcomes_of
from clearbar.scorecard import Scorecard

ALL_COUNTS = 2_000
"""Samples up to which the band has a point for every k."""

RECALLS = 60
"""Numbers of positives found at which the expected precision is drawn."""

SUMMED = 2_000
"""Ranks of a positive that an expectation sums over; of more, as many at equal distances."""

STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 3)))
"""Lines that are told apart without colour; one per model."""

Line = tuple[Any, Any]
"""The corners of a line: positions across and up."""


def numbers_predicted(total: int) -> IntArray:
    """Return numbers of predicted positives: all of them, or many, the closer together the fewer."""
    if total <= ALL_COUNTS:
        return np.arange(1, total + 1)
    few = np.rint(np.geomspace(1, total, 2_000)).astype(np.int64)
    return np.unique(np.concatenate((few, k_grid(total, 401)[1:])))


def band_of_positives(total: int, positives: int, k: IntArray) -> tuple[IntArray, IntArray]:
    """Return between which true positives ninety of a hundred random rankings lie, for each k."""
    low = quantile(BAND[0], total, positives, k)
    return low, quantile(1.0 - BAND[1], total, positives, k, upper=True)


def band_of_precision(total: int, positives: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return recalls, and between which precisions ninety of a hundred random rankings lie there.

    At each recall those precisions t / k whose t lies within the band of their k. The highest is the one
    above which fewer than five in a hundred rankings are when they reach the recall.
    """
    k = numbers_predicted(total)
    low, high = band_of_positives(total, positives, k)
    recalled = np.unique(high[high > 0])
    first = k[np.searchsorted(high, recalled)]
    last = k[np.searchsorted(low, recalled, side="right") - 1]
    return recalled / positives, recalled / last, recalled / first


def expected_precision(total: int, positives: int) -> tuple[FloatArray, FloatArray]:
    """Return recalls, and the precision that a random ranking expects when it first reaches each.

    The t-th positive stands at rank K_t, P(K_t = k) = t/k P(TP_k = t), a negative hypergeometric
    distribution; the precision there is t / K_t. Its mean over t is the expected average precision.
    """
    recalled = np.arange(1, positives + 1)
    if positives > RECALLS:
        recalled = np.unique(np.rint(np.geomspace(1, positives, RECALLS)).astype(np.int64))
    return recalled / positives, np.array([_expected(total, positives, t) for t in recalled.tolist()])


def _expected(total: int, positives: int, recalled: int) -> float:
    """Return the mean of t / K_t where t positives are found."""
    first, last = recalled, total - positives + recalled
    k = np.arange(first, min(last, first + SUMMED) + 1)
    if last > k[-1]:  # what lies ten standard deviations away is nothing
        mean = recalled * (total + 1) / (positives + 1)
        margin = 10.0 * math.sqrt(mean * (total - positives + 1) / (positives + 1))
        ends = max(first, math.floor(mean - margin)), min(last, math.ceil(mean + margin))
        k = np.unique(np.rint(np.geomspace(*ends, SUMMED)).astype(np.int64))
    weight = np.gradient(k.astype(np.float64)) if len(k) > 1 else np.ones(1)
    mass = weight * recalled / k * pmf(recalled, total, positives, k)
    return float((mass * recalled / k).sum() / mass.sum())


@dataclass(repr=False, eq=False)
class CurveDisplay(Display):
    """What both curves share: the models' verdicts, the band of random rankings, the bar."""

    card: Scorecard
    curves: Sequence[Line]
    total: int
    positives: int

    _height = 3.9
    _drawstyle = "default"
    _judged_by: ClassVar[str]
    _axes_called: ClassVar[tuple[str, str]]

    def __post_init__(self) -> None:
        self._least = 17.0, max(9.0, 2.3 * (len(self.curves) + 2))  # names stand one below the other

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: Any = None,
        name: str = "model",
        ax: Any = None,
        compact: bool = False,
    ) -> Self:
        """Judge scores and draw their curves.

        Parameters
        ----------
        y_true : array_like of shape (M,)
            True labels, of two classes.
        y_score : array_like of shape (M,), or mapping of str to such
            Scores; the higher, the rather positive. Up to six models.
        """
        models = dict(y_score) if isinstance(y_score, Mapping) else {name: y_score}
        if not 1 <= len(models) <= len(STYLES):
            raise ValueError(
                f"y_score must hold 1 to {len(STYLES)} models, since no more lines are told apart; found "
                f"{len(models)}."
            )
        card = evaluate_scores(y_true, models, cls._judged_by, pos_label=pos_label)
        counted = [counts_at_thresholds(y_true, scores, pos_label=pos_label)[1] for scores in models.values()]
        curves = [cls._curve(counts) for counts in counted]
        population = counted[0][0].population
        display = cls(card, curves, int(population.total), int(population.positives))
        return display.plot(ax=ax, compact=compact)

    @property
    def standing(self) -> tuple[str, ...]:
        return tuple(str(name) for name in outcomes_of(self.card)[:, 0, 0])

    @property
    def bar(self) -> float:
        """The expected value of a random ranking; nan where there is only one class."""
        return float(self.card.bar(0, 0).value)

    @property
    def finding(self) -> str:
        return verdict_finding(self.card[0]) if len(self.curves) == 1 else self.card.headline()

    @property
    def description(self) -> str:
        label = self.card.measures[0].label
        scores = ", ".join(f"{visible(row.model)} {number(row.score, self.total)}" for row in self.card)
        bar = "no bar" if math.isnan(self.bar) else f"bar {number(self.bar, self.total)}"
        across, up = self._axes_called
        positive: str = self.card.population.leading[0]
        samples = f"{plural(self.total, 'sample')}, {self.positives:,} {positive}"
        return (
            f"{self.finding}. {capital(up)} against {across} at every threshold, over what random rankings "
            f"of {samples}, reach. {capital(label)}: {bar}; {scores}."
        )

    @property
    def _why_empty(self) -> str:
        if math.isnan(self.bar):
            return f"No curve: {self.card[0].reason}."
        if all(len(x) <= 2 for x, _ in self.curves):
            return f"{'One sample ranks' if self.total == 1 else 'All scores are equal: they rank'} nothing."
        return ""

    def _draw(self, canvas: Canvas) -> Words:
        self.band_: Any = None
        self.expected_: Any = None
        self.bar_: Any = None
        self.points_, self.whiskers_, self.labels_ = (), (), ()
        canvas.style_axes(*self._axes_called)
        canvas.ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
        if not math.isnan(self.bar):
            self._draw_chance(canvas)
        self.lines_ = tuple(
            canvas.line(*curve, color, 1.9, ls=style, zorder=4, drawstyle=self._drawstyle)
            for curve, color, style in zip(self.curves, curve_colors(canvas), STYLES, strict=False)
        )
        keys: list[Key] = []
        if self._why_empty:
            canvas.annotate_centre(self._why_empty)
        else:
            self._label_curves(canvas)
            keys = outcome_keys(canvas, set(self.standing)) if len(self.curves) > 1 else []
        if self.expected_ is not None:
            keys.append((self.expected_, "expected by chance"))
        if self.band_ is not None:
            keys.append(chance_key(canvas))
        return Words(keys, self._notes())

    def _label_curves(self, canvas: Canvas) -> None:
        """Name each curve right of the axes at the height of its area, with its verdict and interval.

        Over a width of one, an area is a mean height. Names keep a line's distance from each other; so does
        the bar.
        """
        beside: dict[str, Any] = {"transform": canvas.beyond_right(canvas.ax.transData), "clip_on": False}
        size, models = canvas.ticks, len(self.curves)
        names = ["model"] if self.card.models == ("model",) else distinct(self.card.models, 24)
        values = [*(row.score for row in self.card), self.bar]
        points_high = (0.44 if canvas.is_narrow else 0.52) * canvas.height
        lines = 2 if 2.35 * size * len(values) <= points_high else 1
        texts = [
            f"{plain(name, 10 if canvas.is_narrow else 24)}{' ' if lines == 1 else chr(10)}"
            f"{number(row.score, self.total)}"
            for name, row in zip(names, self.card, strict=True)
        ]
        low, high = canvas.ax.get_ylim()
        intervals = [self.card.interval(model, 0, 0) for model in range(models)]
        mark = 6.0 * canvas.unit / points_high * (high - low)
        extents = [
            (np.fmin(start, row.score - mark), np.fmax(end, row.score + mark))
            for (start, end), row in zip(intervals, self.card, strict=True)
        ]
        lanes = (0.9 + 0.85 * np.array(lanes_of(extents))) * size / 72
        least = (0.1 + 1.12 * lines) * size / points_high * (high - low)
        heights = spread(values, least, low + least / 2, high - least / 2)
        colors = curve_colors(canvas)
        first = float(lanes.max()) * 72 + 1.1 * size
        points, whiskers, labels = [], [], []
        start, end, label = np.array([0.2 * size, first - 0.4 * size, first - 0.1 * size]) / 72
        canvas.line([start, end], [self.bar] * 2, canvas.text, 2.0, zorder=3, **beside)
        canvas.line([end, label], [self.bar, heights[-1]], canvas.text, 0.8, zorder=3, **beside)
        rows = zip(
            lanes, self.card, intervals, self.standing, texts, heights, colors, self.lines_, strict=False
        )
        for x, row, interval, outcome, text, height, color, line in rows:
            if not math.isnan(interval[0]):
                whiskers.append(canvas.line([x, x], interval, color, 1.4, zorder=4, **beside))
            points += canvas.ax.plot([x], [row.score], zorder=5, **beside, **marker(canvas, outcome, 5.5))
            sample = np.array([first, first + 1.9 * size]) / 72
            canvas.line(sample, [height] * 2, color, 1.9, ls=line.get_linestyle(), **beside)
            labels.append(
                canvas.annotate_right(text, height, first + 2.4 * size, color=canvas.text, linespacing=1.05)
            )
        bar = f"bar {number(self.bar, self.total)}"
        canvas.annotate_right(bar, heights[-1], first, color=canvas.text)
        label = visible(self.card.measures[0].label).replace(" ", "\n")
        where = {"xycoords": "axes fraction", "va": "top", "linespacing": 1.05, "color": canvas.text}
        canvas.annotate(label, (1.0, 0.0), (1.3 * size, -3.5), **where)
        self.points_, self.whiskers_, self.labels_ = tuple(points), tuple(whiskers), tuple(labels)

    def _notes(self) -> list[str]:
        positive = plain(self.card.population.leading[0], 24)
        about = [f"{plural(self.total, 'sample')}, {self.positives:,} {positive}."]
        if not math.isnan(self.bar):
            about.append(f"Grey: 90 of 100 random rankings, at each number predicted {positive}.")
        if self.points_:
            level = whole_percent(self.card.confidence_level)
            interval = f" with its {level} interval" if self.whiskers_ else ""
            about.append(f"On the right: {self.card.measures[0].label}{interval}.")
        return [" ".join(about)]

    @classmethod
    def _curve(cls, counts: Any) -> Line:
        raise NotImplementedError

    def _draw_chance(self, canvas: Canvas) -> None:
        raise NotImplementedError


def lanes_of(extents: Sequence[tuple[float, float]]) -> list[int]:
    """Return a lane for each of some extents: the first in which it meets none of those before."""
    lanes: list[int] = []
    for low, high in extents:
        met = {
            lane for (start, end), lane in zip(extents, lanes, strict=False) if low <= end and start <= high
        }
        lanes.append(next(lane for lane in range(len(extents)) if lane not in met))
    return lanes


def curve_colors(canvas: Canvas) -> list[str]:
    return list(CURVES_ON_DARK if canvas.is_dark else CURVES)


class RocDisplay(CurveDisplay):
    """ROC curves, over the region that random rankings reach at this size.

    For each number k predicted positive the true positives of a random ranking are hypergeometric; the
    region holds ninety in a hundred of them, for that k. Over all k together more rankings leave it
    somewhere: the title judges the area under the curve, whose p-value knows that.

    Parameters
    ----------
    card : Scorecard
        The models' verdicts on ROC AUC.
    curves : sequence of (ndarray, ndarray)
        Their points across and up, from the highest threshold down.
    total, positives : int
        Class sizes.

    Attributes
    ----------
    lines_, points_, whiskers_ : tuple of matplotlib.lines.Line2D
        The models, each in a colour of its own; right of the axes the areas under their curves, marked by
        their outcomes, and the confidence intervals of these.
    labels_ : tuple of matplotlib.text.Text
        What each is called, with its area.
    bar_, band_ : artist or None
        What a random ranking expects, and what chance can reach.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true, y_score = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
    >>> display = cb.plots.RocDisplay.from_predictions(y_true, y_score)
    >>> display.finding
    'ROC AUC 0.889 is above the bar 0.500, but it could be chance (p = 0.26)'
    """

    _judged_by = "roc_auc"
    _axes_called = ("false positive rate", "true positive rate")

    @classmethod
    def _curve(cls, counts: Any) -> Line:
        with np.errstate(invalid="ignore"):
            x, y = np.asarray(counts.fp) / counts.negatives, np.asarray(counts.tp) / counts.positives
        return x, y

    def _draw_chance(self, canvas: Canvas) -> None:
        k = np.append(0, numbers_predicted(self.total))
        low, high = (
            ((k - tp) / (self.total - self.positives), tp / self.positives)
            for tp in band_of_positives(self.total, self.positives, k)
        )
        corners = (np.concatenate((lower, upper[::-1])) for lower, upper in zip(low, high, strict=True))
        (self.band_,) = canvas.ax.fill(*corners, color=canvas.muted, alpha=canvas.shade, lw=0, zorder=1)
        self.bar_ = canvas.line([0, 1], [0, 1], canvas.text, 1.5, zorder=3.5)


class PrecisionRecallDisplay(CurveDisplay):
    """Precision–recall curves, over the region that random rankings reach at this size.

    The region is that of `RocDisplay`. With few positives it lies far above the prevalence on the left, and
    so does what a random ranking expects: its precision when it finds the t-th positive is drawn dotted, and
    the mean of that is the bar of average precision.

    Parameters and attributes are those of `RocDisplay`, and one more.

    Attributes
    ----------
    expected_ : matplotlib.lines.Line2D or None
        What precision a random ranking expects where it first reaches each recall.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true, y_score = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
    >>> display = cb.plots.PrecisionRecallDisplay.from_predictions(y_true, y_score)
    >>> display.expected_.get_ydata().round(2).tolist()
    [0.71, 0.63, 0.59]
    """

    _judged_by = "average_precision"
    _axes_called = ("recall", "precision")
    _drawstyle = "steps-pre"  # as average precision adds up

    @classmethod
    def _curve(cls, counts: Any) -> Line:
        """Return the precision where each recall is first reached: what average precision adds up."""
        tp = np.asarray(counts.tp)
        reached = np.flatnonzero(np.diff(tp)) + 1
        called = counts[reached if len(reached) else slice(1, None)]
        with np.errstate(invalid="ignore"):
            x = np.asarray(called.tp) / called.positives
        y = np.asarray(called.tp) / np.asarray(called.predicted_positives)
        return np.append(0.0, x), np.append(y[:1], y)

    def _draw_chance(self, canvas: Canvas) -> None:
        recall, low, high = band_of_precision(self.total, self.positives)
        steps, lower, upper = np.append(0.0, recall), np.append(low[0], low), np.append(high[0], high)
        self.band_ = canvas.fill(steps, lower, upper, step="pre")
        expected = expected_precision(self.total, self.positives)
        marks = "." if len(expected[0]) <= 12 else "none"
        self.expected_ = canvas.line(*expected, canvas.muted, 1.4, ls=":", marker=marks, zorder=3)
        self.bar_ = canvas.draw_bar(self.bar, "")
        self.bar_.set_linewidth(1.1 * canvas.unit)
