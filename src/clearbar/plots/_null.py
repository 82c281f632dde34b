"""How likely each score is for classifiers that ignore their input, and where the model stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import capital, number, p_phrase, percent, visible, whole_percent
from clearbar.null import Draw, NullDistribution
from clearbar.null.hypergeometric import pmf, quantile
from clearbar.plots._canvas import Canvas, Key, axis_label, plain, wrap
from clearbar.plots._display import CardDisplay, NothingToDrawError, Words
from clearbar.plots._outcomes import model_name, outcome_color, score_finding
from clearbar.problems.binary import Baseline
from clearbar.scorecard import Scorecard
from clearbar.verdict import Verdict

MOST_STEMS = 160
"""Atoms up to which each is drawn; more are gathered in bins."""

BINS = 60
"""Bins over the window that is drawn."""

TABLES = 2**16
"""Tables whose probabilities are computed at most."""

OMITTED_MASS = 1e-6
"""Mass beyond each end of the window that is drawn."""

SLIVER = 0.2
"""Share of a common axis below which a distribution gets one of its own."""

HATCH = "/////"
"""How a tail is hatched."""


@dataclass(frozen=True)
class Histogram:
    """The distribution of the score under one draw, as it is drawn: a stem per atom, or bins of many."""

    predicted_positives: int  # the draw's k
    left: FloatArray  # edges of the bins; equal where each is one atom
    right: FloatArray
    probability: FloatArray  # of each bin
    in_tail: Any  # which bins are at least as good as the model's score
    tail: float  # probability of a score at least that good
    undefined_mass: float  # probability of an outcome at which the measure has no value

    @classmethod
    def of(cls, null: NullDistribution, score: float, own_tp: int) -> Histogram:
        """Return the atoms of a distribution, or bins of them, one edge of which is the score.

        `own_tp` are true positives with that score, if the draw can have so many. Each bin gathers as many
        atoms, from the tail's first one on: no bin is low for want of atoms.
        """
        rising = null.measure.greater_is_better is not False
        values, mass = _atoms(null, own_tp)
        tolerance = 4 * np.spacing(abs(score))
        tail = values >= score - tolerance if rising else values <= score + tolerance
        left = right = values
        if len(values) > MOST_STEMS:
            per_bin = -(-len(values) // BINS)
            split = int(np.argmax(tail == rising)) if (tail == rising).any() else len(values)
            first = split + per_bin * np.arange(-BINS, BINS)
            first = np.unique(np.append(0, first[(first >= 0) & (first < len(values))]))
            step = float(values[-1] - values[0]) / (len(values) - 1)
            if rising:
                left, right = values[first], np.append(values[first[1:]], values[-1] + step)
            else:
                right = values[np.append(first[1:] - 1, len(values) - 1)]
                left = np.append(values[0] - step, right[:-1])
            mass, tail = np.add.reduceat(mass, first), tail[first]
        k = null.draw.predicted_positives
        return cls(k, left, right, mass, tail, float(null.tail(score)), null.undefined_mass)

    @property
    def binned(self) -> bool:
        return bool((self.right > self.left).any())


def _atoms(null: NullDistribution, own_tp: int) -> tuple[FloatArray, FloatArray]:
    """Return scores in ascending order and their probabilities, but for next to no mass at either end.

    Of more than 2^16 tables every so many-th stands for its neighbours, whose probabilities are nearly the
    same, beginning at the model's own table: no bin of the tail then holds what is not in it.
    """
    population, k = null.draw.population, null.draw.predicted_positives
    total, positives = int(population.total), int(population.positives)
    low, high = (int(quantile(OMITTED_MASS, total, positives, k, upper=upper)) for upper in (False, True))
    stride = -(-(high - low + 1) // TABLES)
    tp = np.arange(low + (own_tp - low) % stride, high + 1, stride)
    scores = null.measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp)
    values, mass = np.asarray(scores, dtype=np.float64), stride * pmf(tp, total, positives, k)
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]  # nan is sorted last
    values, mass = values[order], mass[order]
    if not len(values):
        return values, mass
    first = np.flatnonzero(np.append(True, np.diff(values) > 4 * np.spacing(np.abs(values[1:]))))
    return values[first], np.add.reduceat(mass, first)


def axis_windows(histograms: Sequence[Histogram], score: float, bar: float) -> list[tuple[float, float]]:
    """Return the stretch of scores that each distribution's axes show.

    One stretch for all that holds every distribution, the score and the bar; for a distribution that would
    be a sliver on it, one of its own, with the score and the bar where they are near.
    """
    edges = [edge for histogram in histograms for edge in (*histogram.left, *histogram.right)]
    common = _padded(np.array([score, bar, *edges]))
    windows = []
    for histogram in histograms:
        shown = np.append(histogram.left, histogram.right)
        ends = np.array([shown.min(initial=math.inf), shown.max(initial=-math.inf)])
        width = float(ends[1] - ends[0])
        if not 0 < width < SLIVER * (common[1] - common[0]):
            windows.append(common)
            continue
        for point in sorted((score, bar), key=lambda value: abs(value - ends.mean())):
            if width >= SLIVER * float(np.ptp(np.append(ends, point))):
                ends = np.append(ends, point)
        windows.append(_padded(ends))
    return windows


def _padded(values: FloatArray) -> tuple[float, float]:
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    spread = (high - low) or max(abs(low), 1.0) * 0.1
    return low - 0.05 * spread, high + 0.05 * spread


@dataclass(repr=False, eq=False)
class NullDisplay(CardDisplay):
    """The exact distribution of a score under draws that ignore the input, with the model's score.

    Two distributions, one above the other: of the draw with as many predicted positives as the
    model, and of the draw that attains the bar; one, where the model's number attains it. The tail
    at least as good as the model is dark, and its probability written. A distribution that would be a
    sliver beside score and bar has an axis of its own, and arrows say where these are.

    Parameters
    ----------
    verdict : Verdict
        What was judged.
    own, bar : Histogram
        The distribution at the model's own number of predicted positives, and that at the bar: None where
        there is no bar or it is the same.
    own_attains : bool
        Whether the model's own number of predicted positives attains the bar.

    Attributes
    ----------
    axes_ : tuple of matplotlib.axes.Axes
        One per distribution.
    bars_, tails_ : tuple of matplotlib.collections.Collection
        What is drawn of each distribution outside of the tail, and in it.
    scores_, lines_, texts_ : tuple of artists
        The model's score, the bar (None where it lies beyond the axis, or there is none), and the p-values.
    whisker_ : matplotlib.lines.Line2D or None
        The confidence interval of the model's true score.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=13, fp=5, fn=5, tn=8)
    >>> display = cb.plots.NullDisplay.from_counts(counts, "f1")
    >>> [text.get_text().splitlines()[-1] for text in display.texts_]
    ['a score at least this good: p = 0.065', 'a score at least this good: p = 1']
    """

    verdict: Verdict
    own: Histogram
    bar: Histogram | None
    _: KW_ONLY
    own_attains: bool

    _most_panels = 2

    @classmethod
    def from_verdict(cls, verdict: Verdict, *, ax: Any = None) -> Self:
        """Draw the distributions behind a verdict; one axes is divided, two are taken.

        Parameters
        ----------
        verdict : Verdict
            A row of a scorecard, on labels or counts.
        """
        if not isinstance(verdict, Verdict):
            raise ValueError(
                f"verdict must be a Verdict, as a scorecard's rows are; found {type(verdict).__name__}."
            )
        bar, counts = verdict.baseline, verdict.counts
        if not isinstance(bar, Baseline) or counts is None or counts.shape:
            found = "several runs." if counts is not None and counts.shape else "none."
            raise ValueError(f"a null distribution is that of one confusion matrix; this verdict has {found}")
        if math.isnan(verdict.score):
            label = verdict.measure.label
            raise NothingToDrawError(f"{label} has no value here, so there is nothing to mark.")
        k, own_tp = int(counts.predicted_positives), int(counts.tp)
        ranges = () if bar.best is None else bar.best.predicted_positives
        nearest = min(
            (min(max(k, ks.start), ks.stop - 1) for ks in ranges), key=lambda end: abs(end - k), default=k
        )
        own, at_bar = (
            Histogram.of(Draw(bar.population, size).distribution(bar.measure), verdict.score, own_tp)
            for size in (k, nearest)
        )
        return cls(
            verdict, own, None if nearest == k else at_bar, own_attains=bool(ranges) and nearest == k
        ).plot(ax=ax)

    @classmethod
    def _of_card(cls, card: Scorecard, *, ax: Any) -> Self:
        if len(card) != 1:
            raise ValueError(
                f"a null distribution is that of one model and one measure; found {len(card):,} rows. "
                "Pass from_verdict one row of evaluate(...)."
            )
        return cls.from_verdict(card[0], ax=ax)

    @property
    def histograms(self) -> tuple[Histogram, ...]:
        return (self.own,) if self.bar is None else (self.own, self.bar)

    @property
    def standing(self) -> str:
        """How the model stands: an outcome, or "doubt" where it could be above the bar by chance."""
        verdict = self.verdict
        doubt = verdict.outcome == "clears" and verdict.has_p_values and not verdict.sure
        return "doubt" if doubt else verdict.outcome

    @property
    def finding(self) -> str:
        verdict = self.verdict
        return score_finding(verdict.model, verdict.baseline, verdict.score, self.standing)

    @property
    def description(self) -> str:
        verdict = self.verdict
        words = ". ".join(": ".join(self._words(histogram)) for histogram in self.histograms)
        return (
            f"{self.finding}. Distribution of {verdict.measure.label} for classifiers that ignore their "
            f"input; {visible(verdict.model)} has {self._number(verdict.score)}. {words}"
        )

    @property
    def _total(self) -> int:
        return int(self.verdict.baseline.population.total)

    def _number(self, value: float) -> str:
        """Write a score with as many digits as so many samples support."""
        return number(value, self._total)

    def _words(self, histogram: Histogram, *, short: bool = False) -> tuple[str, str]:
        is_own = histogram is self.own
        owner = ("the model and the bar" if self.own_attains else "the model") if is_own else "the bar"
        p_blind = self.verdict.p_value_blind
        tail = p_blind if is_own and not math.isnan(p_blind) else histogram.tail
        # No outcome of the draw is as good, rather than a very unlikely one.
        never = not histogram.binned and not histogram.in_tail.any() and len(histogram.left) <= 2
        p = p_phrase(tail) if tail > 0 or not never else "p = 0"
        count = f"{histogram.predicted_positives:,} of {self._total:,}"
        if short and self._total >= 100_000:
            count = percent(histogram.predicted_positives / self._total)
        return f"{count} positive at random, as {owner}", f"a score at least this good: {p}"

    @property
    def _panels(self) -> tuple[int, int]:
        return len(self.histograms), 1

    @property
    def _height(self) -> float:
        return 4.9 if self.bar is not None else 3.1

    @property
    def windows(self) -> list[tuple[float, float]]:
        return axis_windows(self.histograms, self.verdict.score, float(self.verdict.baseline.value))

    def _boxes(self, ax: Any) -> list[list[float]]:
        """Divide the height, but for the title of the lower panel and the ticks above it."""
        canvas = Canvas(ax)
        lines = 1.3 * self._subtitle_lines(canvas) + 0.8 + 3.6 * (len(set(self.windows)) > 1)
        points = lines * canvas.small + 12.0
        height = max(0.5 * (1.0 - points * ax.figure.dpi / 72 / ax.bbox.height), 0.2)
        return [[0.0, low, 1.0, height] for low in (1.0 - height, 0.0)]

    def _subtitle(self, canvas: Canvas, histogram: Histogram) -> str:
        points = canvas.text_room - 3.0 * canvas.size
        words = self._words(histogram, short=canvas.is_narrow)
        return "\n".join(wrap(line, canvas.small, points) for line in words)

    def _subtitle_lines(self, canvas: Canvas) -> int:
        return max(self._subtitle(canvas, histogram).count("\n") for histogram in self.histograms) + 1

    def _draw(self, *canvases: Canvas) -> Words:
        verdict, windows = self.verdict, self.windows
        self.bars_, self.tails_, self.scores_, self.lines_, self.texts_ = zip(
            *map(self._draw_panel, canvases, self.histograms, windows), strict=True
        )
        self.axes_ = tuple(canvas.ax for canvas in canvases)
        first, last = canvases[0], canvases[-1]
        self.whisker_ = None
        if not math.isnan(verdict.low) and windows[0][0] <= verdict.score <= windows[0][1]:
            top, color = 0.8 * first.ax.get_ylim()[1], outcome_color(first, self.standing)
            self.whisker_ = first.line([verdict.low, verdict.high], [top, top], color, 1.4, zorder=5)
        binned = [histogram.binned for histogram in self.histograms]
        for canvas, is_binned in zip(canvases, binned, strict=True):
            ylabel = "probability\nper bin" if is_binned else "probability"
            canvas.style_axes(axis_label(verdict.measure) if canvas is last else "", ylabel)
            canvas.ax.tick_params(labelbottom=canvas is last or len(set(windows)) > 1)
            canvas.locate_ticks("y", nbins=4)
            canvas.fit_ticks()
        left = (4.2 if any(binned) else 2.6) * first.size  # ticks, and what they are
        above = 0.4 + 1.05 * self._subtitle_lines(first)
        return Words(self._keys(first), [self._note()], above=above, left=left)

    def _draw_panel(
        self, canvas: Canvas, histogram: Histogram, window: tuple[float, float]
    ) -> tuple[Any, ...]:
        """Draw a distribution, its tail, the score and the bar; return them, and the title that says p."""
        (low, high), score, bar = window, self.verdict.score, float(self.verdict.baseline.value)
        rest, tail = (_draw_bins(canvas, histogram, in_tail=in_tail) for in_tail in (False, True))
        headroom = 1.45 if all(low <= value <= high or math.isnan(value) for value in (score, bar)) else 1.75
        canvas.ax.set_ylim(0.0, headroom * float(histogram.probability.max(initial=0.0)) or headroom)
        color = outcome_color(canvas, self.standing)
        line = canvas.ax.axvline(score, color=color, lw=2.2 * canvas.unit, ls="--", zorder=4)
        subtitle = self._subtitle(canvas, histogram)
        text = canvas.ax.set_title(subtitle, loc="left", fontsize=canvas.small, color=canvas.text)
        canvas.ax.set_xlim(*window)
        bar_words, bar_line = f"bar {self._number(bar)}", None
        if low <= bar <= high:
            bar_line = canvas.draw_bar(bar, bar_words, left=bar > low + 0.75 * (high - low), upright=True)
        score_words = f"{plain(model_name(self.verdict.model))} {self._number(score)}"
        for row, (words, value) in enumerate(((bar_words, bar), (score_words, score))):
            _point_to(canvas, words, value, row)
        if len(histogram.left) == 1:
            value = float(histogram.left[0])
            _annotate_gap(canvas, (value, score), f"every such answer\nscores {self._number(value)}")
        return rest, tail, line, bar_line, text

    def _note(self) -> str:
        sentences = []
        if self.whisker_ is not None:
            level = whole_percent(self.verdict.confidence_level)
            sentences.append(f"The line above the score is its {level} interval.")
        sentences += [
            f"With {histogram.predicted_positives:,} predicted positive the score has no value with a "
            f"probability of {percent(histogram.undefined_mass)}."
            for histogram in self.histograms
            if histogram.undefined_mass > 0
        ]
        return " ".join(sentences)

    def _keys(self, canvas: Canvas) -> list[Key]:
        from matplotlib.patches import Patch

        model = self.verdict.model
        name = capital(model_name(model)) if model == "model" else model
        keys = [(self.scores_[0], f"{plain(name, 24)}: {self._number(self.verdict.score)}")]
        if any(histogram.in_tail.any() for histogram in self.histograms):
            tail = Patch(facecolor=canvas.text, hatch=HATCH, edgecolor=canvas.face)
            keys.append((tail, "at least as good"))
        return keys


def _draw_bins(canvas: Canvas, histogram: Histogram, *, in_tail: bool) -> Any:
    """Draw what lies in the tail, or outside of it: stems, or bins of many atoms."""
    from matplotlib.collections import LineCollection, PolyCollection

    where = histogram.in_tail if in_tail else ~histogram.in_tail
    color = canvas.text if in_tail else canvas.muted
    bins = list(zip(histogram.left[where], histogram.right[where], histogram.probability[where], strict=True))
    drawn: Any
    if histogram.binned:
        corners = [[(a, 0.0), (a, p), (b, p), (b, 0.0)] for a, b, p in bins]
        drawn = PolyCollection(
            corners, facecolor=color, edgecolor=canvas.face, linewidth=0.3 * canvas.unit,
            hatch=HATCH if in_tail else None, alpha=0.9 if in_tail else 0.55,
        )  # fmt: skip
    else:
        stems = [[(a, 0.0), (a, p)] for a, _, p in bins]
        width = (3.4 if in_tail else 2.2) * min(1.0, 50 / max(len(histogram.left), 1))
        drawn = LineCollection(stems, colors=[color], linewidths=max(width, 0.9) * canvas.unit)
    return canvas.ax.add_collection(drawn)


def _annotate_gap(canvas: Canvas, values: tuple[float, float], words: str) -> None:
    """Write in the middle of the widest gap between values and the ends of the axis."""
    low, high = canvas.ax.get_xlim()
    edges = sorted({low, high, *np.clip(values, low, high).tolist()})
    left, right = max(pairwise(edges), key=lambda gap: gap[1] - gap[0])
    canvas.annotate(
        words, ((left + right) / 2, 0.5), xycoords=("data", "axes fraction"), ha="center",
        color=canvas.text, zorder=7, bbox=canvas.backing,
    )  # fmt: skip


def _point_to(canvas: Canvas, words: str, value: float, row: int) -> None:
    """Say, so many lines from the top, on which side a value lies beyond the axis, if it does."""
    low, high = canvas.ax.get_xlim()
    if math.isnan(value) or low <= value <= high:
        return
    right = value > high
    canvas.annotate(
        f"{words} →" if right else f"← {words}", (float(right), 1.0), (0, -1.35 * canvas.small * row),
        xycoords="axes fraction", ha="right" if right else "left", va="top", color=canvas.text, zorder=7,
    )  # fmt: skip
