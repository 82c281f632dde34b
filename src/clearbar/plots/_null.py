"""The null distribution of the test that decided a verdict, and where the model's score stands in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray
from clearbar.formatting import TELLS, number, p_phrase, percent, whole_percent
from clearbar.inference.binomial import log_pmf, rate_deviance
from clearbar.inference.level_curves import true_score
from clearbar.null import Draw
from clearbar.null.hypergeometric import pmf, quantile
from clearbar.plots._canvas import Canvas, axis_label, plain, text_width
from clearbar.plots._display import CardDisplay, NothingToDrawError, Words, verdict_finding
from clearbar.plots._marks import draw_whisker, marker, model_name, outcome_color
from clearbar.problems.binary import Baseline
from clearbar.scorecard import Scorecard
from clearbar.verdict import Verdict

MOST_STEMS = 160
"""Atoms up to which each is drawn; more are gathered in bins."""

BINS = 32
"""Bins over what is drawn."""

TABLES = 2**16
"""Tables whose probabilities are computed at most."""

COUNTS = 480
"""Counts of each class that stand for all, where two classes vary."""

OMITTED_MASS = 1e-6
"""Mass beyond each end of what is drawn."""

HATCH = "/////"
"""How a tail is hatched."""


@dataclass(frozen=True)
class Histogram:
    """The distribution of a score as it is drawn: a stem per atom, or bins of many."""

    left: FloatArray  # edges of the bins; equal where each is one atom
    right: FloatArray
    probability: FloatArray  # of each bin
    in_tail: BoolArray  # which bins are at least as good as the model's score, or as bad
    undefined_mass: float  # probability of an outcome at which the measure has no value

    @property
    def binned(self) -> bool:
        return bool((self.right > self.left).any())


def blind_histogram(verdict: Verdict) -> Histogram:
    """Return the scores of random answers with as many predicted positive as the model: hypergeometric.

    Of more than 2^16 tables every so many-th stands for its neighbours, whose probabilities are nearly the
    same, beginning at the model's own table.
    """
    counts: Any = verdict.counts
    measure: Any = verdict.measure
    total, positives = int(counts.total), int(counts.positives)
    k, tp = int(counts.predicted_positives), int(counts.tp)
    low, high = (int(quantile(OMITTED_MASS, total, positives, k, upper=upper)) for upper in (False, True))
    stride = -(-(high - low + 1) // TABLES)
    found = np.arange(low + (tp - low) % stride, high + 1, stride)
    cells = {"tp": found, "fp": k - found, "fn": positives - found, "tn": total - positives - k + found}
    values = np.asarray(measure(**cells), dtype=np.float64)
    mass = stride * pmf(found, total, positives, k)
    undefined = Draw(counts.population, k).distribution(measure).undefined_mass
    return _histogram(values, mass, verdict, better=True, undefined_mass=undefined, in_order=True)


def histogram_at_the_bar(verdict: Verdict) -> Histogram | None:
    """Return the scores of a model whose true score is the bar: TP ~ Bin(P, a), FP ~ Bin(N, b).

    Of all such rates (a, b) those that are likeliest given the model's counts, so that the distribution is
    that of the p-value's likelihood ratio. None where no rates have the bar as their true score.
    """
    counts: Any = verdict.counts
    measure: Any = verdict.measure
    tp, fp, positives, negatives = (
        float(count) for count in (counts.tp, counts.fp, counts.positives, counts.negatives)
    )
    rates = _rates_at_the_bar(verdict, (tp, fp), (positives, negatives))
    if rates is None:
        return None
    (x, of_x), (y, of_y) = map(_binomial, (positives, negatives), rates, (tp, fp))
    true, false = (grid.ravel() for grid in np.meshgrid(x, y, indexing="ij"))
    cells = {"tp": true, "fp": false, "fn": int(positives) - true, "tn": int(negatives) - false}
    values = np.asarray(measure(**cells), dtype=np.float64)
    mass = np.outer(of_x, of_y).ravel()
    better = verdict.outcome == "clears"
    undefined = float(mass[np.isnan(values)].sum())
    return _histogram(values, mass, verdict, better=better, undefined_mass=undefined, in_order=False)


def _rates_at_the_bar(
    verdict: Verdict, counts: tuple[float, float], sizes: tuple[float, float]
) -> tuple[float, float] | None:
    """Return the true and false positive rates with the bar as true score that fit the counts best."""
    measure: Any = verdict.measure
    loss = measure.greater_is_better is False
    bar = float(verdict.baseline.value) * (-1.0 if loss else 1.0)
    if not min(sizes):
        return None
    grids = []
    for count, size in zip(counts, sizes, strict=True):
        rate = count / size
        near = rate + np.linspace(-8.0, 8.0, 401) * math.sqrt(rate * (1.0 - rate) / size + size**-2.0)
        grids.append(np.unique(np.clip(np.append(near, np.linspace(0.0, 1.0, 401)), 0.0, 1.0)))
    a, b = np.meshgrid(*grids, indexing="ij")
    of_positives, of_negatives = (np.full(a.shape, size) for size in sizes)
    height = true_score(measure, of_positives, of_negatives, a, b) - bar
    with np.errstate(all="ignore"):  # where the height changes its sign along b, the bar is in between
        share = height[:, :-1] / (height[:, :-1] - height[:, 1:])
        crossed = np.isfinite(share) & (share >= 0.0) & (share <= 1.0)
    on_a, on_b = a[:, :-1][crossed], (b[:, :-1] + share * np.diff(b, axis=1))[crossed]
    if not on_a.size:
        return None
    misfit = sum(
        rate_deviance(np.full_like(rate, count), np.full_like(rate, size), np.clip(rate, 1e-12, 1 - 1e-12))
        for count, size, rate in zip(counts, sizes, (on_a, on_b), strict=True)
    )
    best = int(np.argmin(misfit))
    return float(on_a[best]), float(on_b[best])


def _binomial(size: float, rate: float, through: float) -> tuple[FloatArray, FloatArray]:
    """Return counts within five standard deviations and their probabilities; of many every so many-th."""
    half = 5.0 * math.sqrt(size * rate * (1.0 - rate)) + 4.0
    low, high = max(0.0, math.floor(size * rate - half)), min(size, math.ceil(size * rate + half))
    stride = max(1.0, (high - low) // COUNTS)
    count = np.arange(low + (through - low) % stride, high + 1.0, stride)
    mass = np.exp(log_pmf(count, np.full_like(count, size), np.full_like(count, min(max(rate, 1e-300), 1.0))))
    return count.astype(np.int64), mass / mass.sum()


def _histogram(
    values: FloatArray,
    mass: FloatArray,
    verdict: Verdict,
    *,
    better: bool,
    undefined_mass: float,
    in_order: bool,
) -> Histogram:
    """Return atoms, or bins one edge of which is the score, and which are at least as good or bad as it.

    Scores of one count are `in_order`, each a step from the next; those of two counts lie anywhere.
    """
    score = verdict.score
    order = np.argsort(values, kind="stable")[: int((~np.isnan(values)).sum())]  # nan is sorted last
    values, mass = values[order], mass[order]
    if len(values):
        first = np.flatnonzero(np.append(True, np.diff(values) > 4 * np.spacing(np.abs(values[1:]))))
        values, mass = values[first], np.add.reduceat(mass, first)
    finite = np.isfinite(values)
    values, mass = values[finite], mass[finite]
    kept = (np.cumsum(mass) > OMITTED_MASS) & (np.cumsum(mass[::-1])[::-1] > OMITTED_MASS)
    values, mass = values[kept], mass[kept]
    rising = (verdict.measure.greater_is_better is not False) == better
    tolerance = 4 * np.spacing(abs(score))
    tail = values >= score - tolerance if rising else values <= score + tolerance
    left = right = values
    if len(values) > MOST_STEMS:
        split = int(np.argmax(tail == rising)) if (tail == rising).any() else len(values)
        if in_order:  # each bin gathers as many atoms: none is low for want of atoms
            place = (np.arange(len(values)) - split) // -(-len(values) // BINS)
        else:
            width, edge = float(values[-1] - values[0]) / BINS, float(values[min(split, len(values) - 1)])
            place = np.floor((values - edge) / width)
        first = np.flatnonzero(np.append(True, np.diff(place) > 0))
        left = values[first]
        right = np.append(left[1:], values[-1] + float(np.median(np.diff(values))))
        mass, tail = np.add.reduceat(mass, first), tail[first]
    return Histogram(left, right, mass, tail, undefined_mass)


@dataclass(repr=False, eq=False)
class NullDisplay(CardDisplay):
    """The distribution of the score under the null hypothesis that decided the verdict, with the score in it.

    A verdict asks two questions and believes the less sure answer. Is the true score above the bar? Then the
    distribution is that of a model whose true score is the bar. Do the predictions know anything about the
    labels? Then it is that of random answers with as many predicted positive. The picture shows the one
    with the larger p-value, which is the row's; the note says the other.

    Parameters
    ----------
    verdict : Verdict
        What was judged.
    histogram : Histogram
        The distribution.
    question : {"bar", "blind"}
        Which of the two it answers.

    Attributes
    ----------
    rest_, tail_ : matplotlib.collections.Collection
        What is drawn of the distribution outside of the tail, and in it.
    score_, bar_, point_ : artist
        The model's score, the bar (None where there is none), and the mark of the outcome.
    text_ : matplotlib.text.Text
        The model's score, and its p-value where the title does not say it.
    whisker_ : matplotlib.lines.Line2D or None
        The confidence interval of the model's true score.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=13, fp=5, fn=5, tn=8)
    >>> display = cb.plots.NullDisplay.from_counts(counts, "f1")
    >>> display.question, display.text_.get_text().splitlines()[-1]
    ('bar', 'p = 0.98')
    """

    verdict: Verdict
    histogram: Histogram
    question: Literal["bar", "blind"]

    _height = 3.3

    @classmethod
    def from_verdict(cls, verdict: Verdict, *, ax: Any = None, compact: bool = False) -> Self:
        """Draw the distribution behind a verdict.

        Parameters
        ----------
        verdict : Verdict
            A row of a scorecard, on labels or counts.
        """
        if not isinstance(verdict, Verdict):
            raise ValueError(
                f"verdict must be a Verdict, as a scorecard's rows are; found {type(verdict).__name__}."
            )
        counts = verdict.counts
        if not isinstance(verdict.baseline, Baseline) or counts is None or counts.shape:
            found = "several runs." if counts is not None and counts.shape else "none."
            raise ValueError(f"a null distribution is that of one confusion matrix; this verdict has {found}")
        if math.isnan(verdict.score):
            label = verdict.measure.label
            raise NothingToDrawError(f"{label} has no value here, so there is nothing to mark.")
        at_the_bar = None
        if _is_decided_by_the_bar(verdict):
            at_the_bar = histogram_at_the_bar(verdict)
        if at_the_bar is None:
            return cls(verdict, blind_histogram(verdict), "blind").plot(ax=ax, compact=compact)
        return cls(verdict, at_the_bar, "bar").plot(ax=ax, compact=compact)

    @classmethod
    def _of_card(cls, card: Scorecard, **drawn: Any) -> Self:
        if len(card) != 1:
            raise ValueError(
                f"a null distribution is that of one model and one measure; found {len(card):,} rows. "
                "Pass from_verdict one row of evaluate(...)."
            )
        return cls.from_verdict(card[0], **drawn)

    @property
    def standing(self) -> str:
        """How the model stands: an outcome; "doubt" where it could be chance, "unknown" without a p-value."""
        verdict = self.verdict
        if verdict.outcome != "clears" or not verdict.has_p_values or verdict.sure:
            return verdict.outcome
        return "unknown" if math.isnan(verdict.p_sure) else "doubt"

    @property
    def finding(self) -> str:
        return verdict_finding(self.verdict)

    @property
    def p_value(self) -> float:
        """The p-value that decided the verdict, corrected as in its row; without one that of the tail."""
        verdict = self.verdict
        if self._p_is_in_title:
            return verdict.p_corrected
        p = verdict.p_value if self.question == "bar" else verdict.p_value_blind
        return float(self.histogram.probability[self.histogram.in_tail].sum()) if math.isnan(p) else p

    @property
    def _p_is_in_title(self) -> bool:
        return self.verdict.outcome == "clears" and not math.isnan(self.verdict.p_sure)

    @property
    def _p_words(self) -> str:
        verdict = self.verdict
        return p_phrase(self.p_value, floor=TELLS, is_bound=verdict.p_is_bound and self.question == "bar")

    @property
    def description(self) -> str:
        p = "" if self._p_is_in_title else f" ({self._p_words})"
        return f"{self.finding}. {self._about} That of {model_name(self.verdict.model)}: {self._score}{p}."

    @property
    def _total(self) -> int:
        return int(self.verdict.baseline.population.total)

    @property
    def _score(self) -> str:
        return number(self.verdict.score, self._total)

    @property
    def _about(self) -> str:
        counts: Any = self.verdict.counts
        if self.question == "bar":
            return f"{self.verdict.measure.label} of models whose true score is the bar."
        k = int(counts.predicted_positives)
        label, positive = self.verdict.measure.label, plain(counts.population.leading[0], 24)
        return f"{label} of random answers, {k:,} of {self._total:,} of them {positive}."

    def _draw(self, canvas: Canvas) -> Words:
        verdict, histogram, ax = self.verdict, self.histogram, canvas.ax
        bar, score = float(verdict.baseline.value), verdict.score
        self.rest_, self.tail_ = (_draw_bins(canvas, histogram, in_tail=in_tail) for in_tail in (False, True))
        ends = (verdict.low, verdict.high)
        shown = np.array([*histogram.left, *histogram.right, score, bar, *ends])
        shown = shown[np.isfinite(shown)]
        low, high = float(shown.min()), float(shown.max())
        margin = 0.05 * (high - low) or 0.1
        low, high = low - margin, high + margin
        peak = float(histogram.probability.max(initial=0.0)) or 1.0
        label = "probability" if not histogram.binned else "probability per bin"
        canvas.style_axes(axis_label(verdict.measure), label)
        ax.set(xlim=(low, high), ylim=(0.0, 1.5 * peak))
        canvas.locate_ticks("y", nbins=4)
        canvas.fit_ticks()
        color = outcome_color(canvas, self.standing)
        y = 1.12 * peak
        self.score_ = canvas.line([score, score], [0.0, y], color, 1.6, zorder=4)
        self.whisker_ = None
        if not math.isnan(verdict.low):
            self.whisker_ = draw_whisker(canvas, ends, [y, y])
        (self.point_,) = ax.plot([score], [y], zorder=6, **marker(canvas, self.standing, 7.0))
        words = f"{plain(model_name(verdict.model), 22)} {self._score}"
        words += "" if self._p_is_in_title else f"\n{self._p_words}"
        takes = text_width(words.split("\n"), canvas.ticks) / canvas.axis_width(4.0 * canvas.ticks, 0.0)
        right = score >= bar if not math.isnan(bar) else score < (low + high) / 2
        fits = score < high - takes * (high - low), score > low + takes * (high - low)
        right = fits[0] and (right or not fits[1])
        where = {"ha": "left" if right else "right", "va": "bottom", "color": canvas.text, "zorder": 7}
        above = 5.5 * canvas.unit
        self.text_ = canvas.annotate(
            words, (score, y), (0, above), linespacing=1.15, bbox=canvas.backing, **where
        )
        self.bar_ = None
        if not math.isnan(bar):
            self.bar_ = ax.axvline(bar, color=canvas.text, lw=2.0 * canvas.unit, zorder=3.5)
            left = bar < score or bar > low + 0.85 * (high - low)
            style = {"ha": "right" if left else "left", "va": "top", "color": canvas.text, "zorder": 7}
            place = {"xycoords": ("data", "axes fraction"), "bbox": canvas.backing}
            words = f"bar {number(bar, self._total)}"
            canvas.annotate(words, (bar, 0.99), (-3 if left else 3, 0), **place, **style)
        return Words((), self._notes())

    def _notes(self) -> list[str]:
        verdict, level = self.verdict, whole_percent(self.verdict.confidence_level)
        sentences, tail = [self._about], "Hatched" if self.histogram.binned else "Thick"
        if self.question == "bar":
            blind = p_phrase(verdict.p_value_blind, floor=TELLS)
            side = "above" if verdict.score >= float(verdict.baseline.value) else "below"
            sentences[0] += f" {tail}: as far {side}; p counts both sides."
            sentences.append(f"Random answers score as well with {blind}.")
        else:
            sentences[0] += f" {tail}: at least as good."
            if not math.isnan(verdict.p_value):
                p = p_phrase(verdict.p_value, floor=TELLS)
                sentences.append(f"Of a model whose true score is the bar: {p}.")
        if self._p_is_in_title and verdict.p_corrected != verdict.p_sure:
            sentences.append("Only the p in the title is corrected for many tests.")
        if self.whisker_ is not None:
            sentences.append(f"Whisker: {level} interval.")
        if self.histogram.undefined_mass > OMITTED_MASS:
            share = percent(self.histogram.undefined_mass)
            sentences.append(f"With a probability of {share} the score has no value.")
        return [" ".join(sentences)]


def _is_decided_by_the_bar(verdict: Verdict) -> bool:
    """Tell whether the p-value against the bar is the larger one, or all that is asked."""
    if not verdict.has_p_values or math.isnan(verdict.p_value) or verdict.outcome == "unbeatable":
        return False
    return verdict.outcome != "clears" or not verdict.p_value_blind > verdict.p_value


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
            hatch=HATCH if in_tail else None, alpha=0.9 if in_tail else 0.45,
        )  # fmt: skip
    else:
        stems = [[(a, 0.0), (a, p)] for a, _, p in bins]
        width = (3.4 if in_tail else 2.2) * min(1.0, 50 / max(len(histogram.left), 1))
        drawn = LineCollection(stems, colors=[color], linewidths=max(width, 0.9) * canvas.unit)
    return canvas.ax.add_collection(drawn)
