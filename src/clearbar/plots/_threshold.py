"""A measure at every threshold, over what random answers get with as many predicted positive."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts, refuse_matrix
from clearbar.data.scores import counts_at_thresholds
from clearbar.evaluation import evaluate_scores
from clearbar.formatting import TELLS, capital, number, p_phrase, p_value_text, visible
from clearbar.null import reach_probability
from clearbar.plots._canvas import Canvas, Key, axis_label, plain, text_width
from clearbar.plots._chance import BAND, FEW, fill_of, k_grid, quantiles_by_k
from clearbar.plots._display import Display
from clearbar.plots._label_positions import is_freer_on_left, label_band
from clearbar.plots._outcomes import CHANCE_BAND, marker, model_name, score_finding
from clearbar.problems.binary import Baseline, baseline
from clearbar.problems.scores import best_threshold

SUMMED = 20_000
"""Thresholds up to which the chance of each is computed and added up."""

EXACT = 1_000
"""Samples up to which the distribution of the best threshold of a random ranking is computed."""

LEVEL = 0.05
"""The best threshold clears the bar where random rankings seldom have one as good."""

DRAWN = 1_000
"""Stretches of a curve that are told apart on a figure; each keeps its extremes."""


@dataclass(frozen=True)
class Best:
    """The best threshold, and what picking it on the same labels costs."""

    threshold: float
    score: float  # there
    predicted_positives: int  # how many samples have at least that score
    tries: int  # how many thresholds there were to pick from
    p_alone: float  # probability that random answers with as many predicted positive do this well
    p_picked: float  # probability that the best threshold of a random ranking with the same ties does
    exact: bool = False  # whether it is that probability; otherwise it is an upper bound
    expected: float = math.nan  # of a random ranking at its best threshold; nan where it is not computed

    @classmethod
    def of(
        cls, bar: Baseline, thresholds: FloatArray, predicted: IntArray, scores: FloatArray
    ) -> Best | None:
        """Find the best threshold, and bound the probability that a random ranking has one as good.

        By Boole's inequality: the sum of the probabilities at each threshold, or of many thresholds their
        number times the largest such probability of any draw. None where neither end is better, or no
        threshold has a score.
        """
        measure = bar.measure
        if measure.greater_is_better is None or np.isnan(scores).all():
            return None
        best = int(np.nanargmax(scores if measure.greater_is_better else -scores))
        total, positives = int(bar.population.total), int(bar.population.positives)
        score, tries, fill = float(scores[best]), len(scores), fill_of(bar)
        if tries <= SUMMED:
            tails = reach_probability(measure, total, positives, predicted, score, fill=fill)
            alone, picked = float(tails[best]), min(float(tails.sum()), 1.0)
        else:
            k = int(predicted[best])
            alone, picked = float(reach_probability(measure, total, positives, k, score, fill=fill)), math.nan
            if measure.better_with_tp and measure.worse_with_fp:
                picked = min(tries * float(bar.reach(score).upper), 1.0)
        return cls(float(thresholds[best]), score, int(predicted[best]), tries, alone, picked)

    def made_exact(self, y_true: Any, y_score: Any, measure: Measure, pos_label: Any) -> Best:
        """Replace the bound by the distribution of the best threshold of a random ranking."""
        row = evaluate_scores(y_true, y_score, best_threshold(measure), pos_label=pos_label)[0]
        if math.isnan(row.p_value_blind):
            return self
        return replace(self, p_picked=row.p_value_blind, exact=True, expected=float(row.baseline.value))

    def outcome(self, bar: Baseline) -> str:
        """Return how it stands to the bar, given that it was picked on the same labels."""
        value = float(bar.value)
        if math.isnan(value):
            return "undefined"
        distance = self.score - value if bar.measure.greater_is_better else value - self.score
        room = abs(float(bar.best_possible) - value)
        if room <= 1e-12 * abs(value):
            return "unbeatable"
        if abs(distance) <= 1e-12 * room:
            return "ties"
        if distance < 0:
            return "fails"
        return "clears" if self.p_picked <= LEVEL else "doubt"

    def cost(self, label: str, total: int) -> str:
        """Say what picking the best threshold on the same labels costs."""
        if math.isnan(self.p_picked):
            cost = "how likely a random ranking's best threshold does as well is not known at this size"
        elif self.p_picked >= 1.0:
            cost = "a random ranking's best threshold may well be as good"
        else:
            bounded = not self.exact and self.p_picked >= TELLS
            chance = p_phrase(self.p_picked, floor=TELLS)
            chance = f"p at most {p_value_text(self.p_picked, floor=TELLS)}" if bounded else chance
            cost = f"a random ranking's best threshold does as well with {chance}"
        if not math.isnan(self.expected):
            cost = f"{cost} and averages {number(self.expected, total)}"
        return (
            f"Best of {self.tries:,} thresholds: {label} {number(self.score, total)} with "
            f"{self.predicted_positives:,} predicted positive, {p_phrase(self.p_alone, floor=TELLS)} had it "
            f"been the only one tried. Picked on these labels it is one try of many: {cost}. Pick thresholds "
            "on other data."
        )


def thinned(x: Any, y: FloatArray) -> tuple[Any, FloatArray]:
    """Keep first, last, lowest and highest of each stretch: what a figure can show of many points."""
    if len(x) <= 4 * DRAWN:
        return x, y
    start = np.unique(np.linspace(0, len(x), DRAWN, endpoint=False).astype(np.int64))
    stop = np.append(start[1:], len(x))
    kept = [start, stop - 1]
    for sign in (1.0, -1.0):
        values = np.where(np.isnan(y), -np.inf, sign * y)
        highest = np.maximum.reduceat(values, start)
        hits = np.flatnonzero(values == np.repeat(highest, stop - start))
        kept.append(hits[np.searchsorted(hits, start)])
    points = np.unique(np.concatenate(kept))
    return x[points], y[points]


@dataclass(repr=False, eq=False)
class ThresholdDisplay(Display):
    """A model's measure at every threshold, against how many samples it predicts positive.

    Behind it are the expected score of random answers with as many predicted positive, and the band
    that holds ninety in a hundred of them. For recall this is the cumulative gains chart; for precision,
    the precision curve over its true chance level.

    Parameters
    ----------
    bar : Baseline
        The bar of the labels.
    predicted_positives, scores, thresholds : ndarray
        Number predicted positive at each threshold, ascending; the measure there, nan where it has no value;
        the thresholds, descending, the first infinite.
    best : Best or None
        The best threshold; None where neither end is better.
    name : str
        The model's name.

    Attributes
    ----------
    k, low, high : ndarray
        Numbers predicted positive, and the 5 % and 95 % quantiles of random answers there.
    line_, expected_, band_ : artist
        The model, the expected score of random answers, and ninety in a hundred of them.
    bar_, best_, random_best_ : matplotlib.lines.Line2D or None
        The bar; the best threshold, in the colour of its outcome; what a random ranking expects at its best
        threshold, where that is computed.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true, y_score = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
    >>> display = cb.plots.ThresholdDisplay.from_predictions(y_true, y_score, "recall")
    >>> display.predicted_positives.tolist(), display.scores.round(2).tolist()
    ([0, 1, 2, 3, 4, 5, 6], [0.0, 0.33, 0.67, 0.67, 1.0, 1.0, 1.0])
    """

    bar: Baseline
    predicted_positives: IntArray
    scores: FloatArray
    thresholds: FloatArray
    _: KW_ONLY
    best: Best | None = None
    name: str = "model"

    _height = 4.1

    def __post_init__(self) -> None:
        self.k = k_grid(int(self.bar.population.total))
        self.low, self.high = quantiles_by_k(self.bar, self.k, BAND)

    @classmethod
    def _of(
        cls, counts: Counts, thresholds: FloatArray, measure: Any, undefined: Undefined, name: str
    ) -> Self:
        bar = baseline(counts[0].population, get_measure(measure, "binary"), undefined=undefined)
        predicted = np.asarray(counts.predicted_positives)
        scores = np.asarray(bar.measure(counts), dtype=np.float64)
        if bar.undefined != "exclude":
            scores = np.where(np.isnan(scores), fill_of(bar), scores)
        best = Best.of(bar, thresholds, predicted, scores)
        return cls(bar, predicted, scores, thresholds, best=best, name=name)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        measure: Any,
        *,
        pos_label: Any = None,
        undefined: Undefined = "exclude",
        name: str = "model",
        ax: Any = None,
    ) -> ThresholdDisplay:
        """Draw a measure of a confusion matrix at every threshold of scores.

        Parameters
        ----------
        y_true : array_like of shape (M,)
            True labels.
        y_score : array_like of shape (M,)
            Scores; the higher, the rather positive.
        measure : str or Measure
            What is evaluated.
        pos_label : object, optional
            The label of the positive class.
        undefined : {"exclude", "worst"} or float
            As for `clearbar.baseline`.
        name : str
            The model's name.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ThresholdDisplay

        Raises
        ------
        ValueError
            If labels or scores are not what they should be, or the measure is unknown.
        """
        thresholds, counts = counts_at_thresholds(y_true, y_score, pos_label=pos_label)
        display = cls._of(counts, thresholds, measure, undefined, name)
        bar, best = display.bar, display.best
        exact = bar.measure.greater_is_better and undefined == "exclude"
        if best is not None and exact and int(bar.population.total) <= EXACT:
            display.best = best.made_exact(y_true, y_score, bar.measure, pos_label)
        return display.plot(ax=ax)

    @classmethod
    def from_counts(
        cls,
        counts: Any,
        measure: Any,
        *,
        thresholds: Any = None,
        undefined: Undefined = "exclude",
        name: str = "model",
        ax: Any = None,
    ) -> ThresholdDisplay:
        """Draw a measure at thresholds whose confusion matrices were counted elsewhere.

        The best of them is one of as many tries as there are matrices: how likely a random ranking has
        one as good is bounded, not computed.

        Parameters
        ----------
        counts : Counts of shape (T,)
            One confusion matrix per threshold, in any order, all of the same scores.
        measure : str or Measure
            What is evaluated.
        thresholds : array_like of shape (T,), optional
            The thresholds, as the counts are ordered.
        undefined, name, ax
            As for `from_predictions`.

        Returns
        -------
        ThresholdDisplay

        Raises
        ------
        ValueError
            If the counts are not those of one score's thresholds, or there are more or fewer thresholds.
        """
        refuse_matrix(counts)
        if not isinstance(counts, Counts) or len(counts.shape) != 1 or not counts.shape[0]:
            raise ValueError("counts must be Counts of shape (T,): one confusion matrix per threshold.")
        values = np.full(counts.shape, math.nan) if thresholds is None else np.asarray(thresholds, np.float64)
        if values.shape != counts.shape:
            raise ValueError(
                f"thresholds must be as many as the counts, {counts.shape[0]:,}; found shape {values.shape}."
            )
        order = np.argsort(np.asarray(counts.predicted_positives), kind="stable")
        counts, values = counts[order], values[order]
        same_classes = np.ptp(np.asarray(counts.total)) == 0 == np.ptp(np.asarray(counts.positives))
        if not same_classes or (np.diff(counts.tp) < 0).any() or (np.diff(counts.fp) < 0).any():
            raise ValueError(
                "counts must be those of one score's thresholds: the same classes, and whoever predicts more "
                "positive has at least as many true and false positives."
            )
        return cls._of(counts, values, measure, undefined, name).plot(ax=ax)

    @property
    def warning(self) -> str:
        """What picking the best threshold on the same labels costs, in words; empty where there is none."""
        if self.best is None:
            return ""
        return self.best.cost(self.bar.measure.label, int(self.bar.population.total))

    @property
    def brief(self) -> str:
        """The warning in a line, where there is no room for all of it."""
        if self.best is None:
            return ""
        return f"Picked on these labels, the best of {self.best.tries:,}: pick thresholds on other data."

    @property
    def standing(self) -> str:
        return "undefined" if self.best is None else self.best.outcome(self.bar)

    @property
    def finding(self) -> str:
        if self.best is None:
            return f"{self.bar.measure.label} of {model_name(self.name)} at every threshold"
        if self.name == "model":
            return capital(score_finding("the best threshold", self.bar, self.best.score, self.standing))
        return score_finding(self.name, self.bar, self.best.score, self.standing, " at its best threshold")

    @property
    def description(self) -> str:
        return (
            f"{self.finding}. {capital(self.bar.measure.label)} of {visible(self.name)} at every threshold, "
            f"against the number predicted positive, over what random answers with as many get. "
            f"{self.warning}"
        )

    def _draw(self, canvas: Canvas) -> None:
        ax, total, value = canvas.ax, int(self.bar.population.total), float(self.bar.value)
        theta, expectation = self.bar.curve()
        self.expected_ = canvas.line(theta * total, expectation, canvas.muted, 1.3, ls="--", zorder=3)
        self.band_ = canvas.fill(self.k, self.low, self.high, step="mid" if total <= FEW else None)
        x, y = thinned(self.predicted_positives, self.scores)
        marks = "." if len(x) <= FEW else "none"
        self.line_ = canvas.line(x, y, canvas.text, 1.8, zorder=4, marker=marks, ms=4 * canvas.unit)
        canvas.style_axes(f"number predicted positive, of {total:,}", axis_label(self.bar.measure))
        ax.set_xlim(-0.015 * total, 1.015 * total)
        self.best_ = self.random_best_ = self.bar_ = None
        if self.best is not None:
            self._draw_best(canvas, self.best, total)
        if not math.isnan(value):
            left = is_freer_on_left([(x, y)], value)
            self.bar_ = canvas.bar_across(value, f"bar {number(value, total)}", left=left)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        most = canvas.text_room / text_width(f"{total:,}  ", canvas.small)
        canvas.locate_ticks("x", nbins=max(1, min(5, int(most))), integer=True)
        low, high = ax.get_ylim()
        ax.set_ylim(low - 0.06 * (high - low), high + 0.08 * (high - low))
        lines = [(x, y), self.expected_.get_data(), ([0, total], [value, value])]
        self.band_label_ = label_band(canvas, (self.k, self.low), (self.k, self.high), lines)
        reason = self._why_empty()
        if reason:
            canvas.annotate_centre(reason)
        self.title_, self.legend_ = canvas.add_title_and_legend(
            self.finding, self._keys(total)[canvas.is_narrow :]
        )
        self.note_ = canvas.add_note([self.brief if canvas.is_narrow else self.warning])

    def _draw_best(self, canvas: Canvas, best: Best, total: int) -> None:
        if not math.isnan(best.expected):
            style = {"color": canvas.muted, "lw": 1.1 * canvas.unit, "ls": "-.", "zorder": 2}
            self.random_best_ = canvas.ax.axhline(best.expected, **style)
        position, mark = (best.predicted_positives, best.score), marker(canvas, self.standing, 7.5)
        (self.best_,) = canvas.ax.plot(*([value] for value in position), clip_on=False, zorder=6, **mark)
        below = self.bar.measure.greater_is_better is False
        canvas.annotate(
            number(best.score, total), position, (0, (-7 if below else 7) * canvas.unit), ha="center",
            va="top" if below else "bottom", color=canvas.text, zorder=7,
        )  # fmt: skip

    def _why_empty(self) -> str:
        if math.isnan(float(self.bar.value)) and np.isnan(self.scores).all():
            name, label = capital(model_name(self.name)), self.bar.measure.label
            return f"{name} has no {label} at any threshold: {self.bar.reason}."
        if len(self.scores) > 2:
            return ""
        if int(self.bar.population.total) == 1:
            return "One sample has no threshold to choose."
        return "All scores are equal: they predict all samples positive, or none."

    def _keys(self, total: int) -> list[Key]:
        keys = [(self.line_, plain(self.name, 24)), (self.expected_, "random answers, expected")]
        if self.band_label_ is None:
            keys.append((self.band_, CHANCE_BAND))
        if self.best is not None and self.random_best_ is not None:
            expected = number(self.best.expected, total)
            keys.append((self.random_best_, f"best of a random ranking, expected {expected}"))
        return keys
