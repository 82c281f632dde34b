"""A measure at every threshold, over what guesses get with as many predicted positive."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar._typing import FloatArray, IntArray, Undefined
from clearbar.baseline import Baseline, baseline
from clearbar.counting import counts_at_thresholds
from clearbar.display import number, p_phrase, p_value_text, visible
from clearbar.evaluate import evaluate_scores
from clearbar.measures import Measure, get_measure
from clearbar.null import reach_probability
from clearbar.plots._blind import band, fill_of, grid
from clearbar.plots._canvas import (
    Ink,
    dress,
    ink_of,
    legend_above,
    literal,
    new_axes,
    note_below,
    plain,
    toward,
)
from clearbar.plots._display import Display
from clearbar.problems.scores import best_threshold
from clearbar.verdict import p_value

EACH = 20_000
"""Thresholds up to which the chance of each is computed and added up."""

EXACT = 1_000
"""Samples up to which the law of the best threshold of a random ranking is computed."""

FEW = 60
"""Points and samples up to which each is shown as one."""

DRAWN = 1_000
"""Stretches of a curve that are told apart on a figure; each keeps its extremes."""


@dataclass(frozen=True)
class Best:
    """The best threshold, and what picking it on the same labels costs.

    Attributes
    ----------
    threshold, score : float
        The threshold, and the score there.
    predicted_positives : int
        How many samples have at least that score.
    tries : int
        How many thresholds there were to pick from.
    p_alone : float
        Probability that a guess with as many predicted positive does this well.
    p_picked : float
        Probability that the best threshold of a random ranking with the same ties does this well.
    exact : bool
        Whether it is that probability; otherwise it is an upper bound.
    expected : float
        The score that a random ranking expects at its best threshold; nan where it is not computed.
    """

    threshold: float
    score: float
    predicted_positives: int
    tries: int
    p_alone: float
    p_picked: float
    exact: bool = False
    expected: float = math.nan


class ThresholdDisplay(Display):
    """A model's measure at every threshold, against how many samples it predicts positive.

    Behind it are the expected score of guesses with as many predicted positive, and the band that
    holds ninety in a hundred of them. For recall this is the cumulative gains chart; for precision,
    the precision curve over its true chance level.

    Parameters
    ----------
    bar : Baseline
        The bar of the labels.
    predicted_positives : ndarray of int64
        Number predicted positive at each threshold, ascending.
    scores : ndarray of float64
        The measure there; nan where it has no value.
    thresholds : ndarray of float64
        Descending; the first is infinite.
    k, low, high : ndarray
        Numbers predicted positive, and the 5 % and 95 % quantiles of guesses there.
    best : Best or None
        The best threshold; None where neither end is better.
    name : str
        The model's name.

    Attributes
    ----------
    ax_, figure_
        Axes and figure.
    line_, expected_ : matplotlib.lines.Line2D
        The model, and the expected score of guesses.
    band_ : matplotlib.collections.PolyCollection
        Ninety in a hundred guesses.
    bar_ : matplotlib.lines.Line2D or None
        The bar, whatever the number predicted positive.
    best_ : matplotlib.lines.Line2D or None
        The best threshold.
    random_best_ : matplotlib.lines.Line2D or None
        What a random ranking expects at its best threshold, where that is computed.
    note_ : matplotlib.text.Text
        What picking it costs.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true, y_score = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
    >>> display = cb.plots.ThresholdDisplay.from_predictions(y_true, y_score, "recall")
    >>> display.predicted_positives.tolist(), display.scores.round(2).tolist()
    ([0, 1, 2, 3, 4, 5, 6], [0.0, 0.33, 0.67, 0.67, 1.0, 1.0, 1.0])
    """

    def __init__(
        self,
        bar: Baseline,
        predicted_positives: IntArray,
        scores: FloatArray,
        thresholds: FloatArray,
        k: IntArray,
        low: FloatArray,
        high: FloatArray,
        *,
        best: Best | None = None,
        name: str = "model",
    ) -> None:
        self.bar, self.predicted_positives, self.scores = bar, predicted_positives, scores
        self.thresholds, self.k, self.low, self.high = thresholds, k, low, high
        self.best, self.name = best, name

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
        found = get_measure(measure)
        thresholds, counts = counts_at_thresholds(y_true, y_score, pos_label=pos_label)
        bar = baseline(counts[0].population, found, undefined=undefined)
        predicted = np.asarray(counts.predicted_positives)
        scores = np.asarray(found(counts), dtype=np.float64)
        if undefined != "exclude":
            scores = np.where(np.isnan(scores), fill_of(bar), scores)
        k = grid(int(bar.population.total))
        best = _best(bar, thresholds, predicted, scores)
        if (
            best is not None
            and found.greater_is_better
            and undefined == "exclude"
            and int(bar.population.total) <= EXACT
        ):
            best = _exactly(best, y_true, y_score, found, pos_label)
        return cls(bar, predicted, scores, thresholds, k, *band(bar, k), best=best, name=name).plot(ax=ax)

    @property
    def warning(self) -> str:
        """What picking the best threshold on the same labels costs, in words; empty where there is none."""
        best = self.best
        if best is None:
            return ""
        label, total = self.bar.measure.label, int(self.bar.population.total)
        found = (
            f"Best of {best.tries:,} thresholds: {label} {number(best.score, total)} with "
            f"{best.predicted_positives:,} predicted positive, {p_phrase(best.p_alone)} had it been the only "
            "one tried."
        )
        if math.isnan(best.p_picked):
            cost = "how likely the best threshold of a random ranking does as well is not known at this size"
        elif best.p_picked >= 1.0:
            cost = "the best threshold of a random ranking may well be as good"
        else:
            chance = p_value_text(best.p_picked).replace("<", "below ").replace(">", "above ")
            chance = chance if best.exact else f"at most {chance}".replace("at most below", "below")
            cost = f"the best threshold of a random ranking is as good with a probability of {chance}"
        if not math.isnan(best.expected):
            cost = f"{cost}, and expects {number(best.expected, total)}"
        return f"{found} Picked on these labels it is one try of many: {cost}. Pick thresholds on other data."

    @property
    def description(self) -> str:
        """The figure in words."""
        label = self.bar.measure.label
        return (
            f"{label} of {visible(self.name)} at every threshold, against the number predicted positive, "
            f"over what guesses with as many get. {self.warning}"
        )

    def plot(self, ax: Any = None) -> ThresholdDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        ThresholdDisplay
            Itself.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        ax = new_axes(ax, "ThresholdDisplay.plot", 4.1)
        measure, total = self.bar.measure, int(self.bar.population.total)
        with literal():
            ink = ink_of(ax)
            self._blind(ax, ink, total)
            x, y = _thinned(self.predicted_positives, self.scores)
            (self.line_,) = ax.plot(
                x, y, color=ink.clears, lw=1.6 * ink.unit, zorder=4,
                marker="." if len(x) <= FEW else "none", ms=4 * ink.unit,
            )  # fmt: skip
            self.best_ = self.random_best_ = None
            if self.best is not None:
                if not math.isnan(self.best.expected):
                    self.random_best_ = ax.axhline(
                        self.best.expected, color=ink.fails, lw=1.1 * ink.unit, ls="-.", zorder=2
                    )
                (self.best_,) = ax.plot(
                    [self.best.predicted_positives], [self.best.score], "o", mfc=ink.face, mec=ink.fails,
                    mew=1.7 * ink.unit, ms=7 * ink.unit, zorder=6, clip_on=False,
                )  # fmt: skip
            dress(
                ax,
                ink,
                f"number predicted positive, of {total:,}",
                f"{plain(measure.label)}{toward(measure)}",
            )
            ax.set_xlim(-0.015 * total, 1.015 * total)
            ax.xaxis.set_major_formatter("{x:,.0f}")
            ax.locator_params(axis="x", nbins=5, integer=True)
            self.legend_ = legend_above(ax, ink, *self._legend())
            self.note_ = note_below(ax, ink, [self.warning])
        self._drawn(ax)
        return self

    def _blind(self, ax: Any, ink: Ink, total: int) -> None:
        theta, expectation = self.bar.curve()
        (self.expected_,) = ax.plot(
            theta * total, expectation, color=ink.muted, lw=1.3 * ink.unit, ls="--", zorder=3
        )
        self.band_ = ax.fill_between(
            self.k, self.low, self.high, color=ink.muted, alpha=0.25, lw=0, zorder=1,
            step="mid" if total <= FEW else None,
        )  # fmt: skip
        self.bar_ = None
        if not math.isnan(float(self.bar.value)):
            self.bar_ = ax.axhline(float(self.bar.value), color=ink.text, lw=1.1 * ink.unit, ls=":", zorder=2)

    def _legend(self) -> tuple[list[Any], list[str]]:
        total = int(self.bar.population.total)
        handles = [self.line_, self.expected_, self.band_]
        labels = [plain(self.name, 24), "guesses, expected", "90 % of guesses"]
        if self.bar_ is not None:
            handles.append(self.bar_)
            labels.append(f"bar {number(float(self.bar.value), total)}")
        if self.random_best_ is not None and self.best is not None:
            handles.append(self.random_best_)
            labels.append(f"best of a random ranking, expected {number(self.best.expected, total)}")
        if self.best_ is not None and self.best is not None:
            handles.append(self.best_)
            labels.append(f"best {number(self.best.score, total)}")
        return handles, labels


def _exactly(best: Best, y_true: Any, y_score: Any, measure: Measure, pos_label: Any) -> Best:
    """Let the law of the best threshold of a random ranking take the place of the bound."""
    row = evaluate_scores(y_true, y_score, best_threshold(measure), pos_label=pos_label)[0]
    if math.isnan(row.p_value_matched):
        return best
    return replace(best, p_picked=row.p_value_matched, exact=True, expected=float(row.baseline.value))


def _best(bar: Baseline, thresholds: FloatArray, predicted: IntArray, scores: FloatArray) -> Best | None:
    if bar.measure.greater_is_better is None or np.isnan(scores).all():
        return None
    sign = 1.0 if bar.measure.greater_is_better else -1.0
    at = int(np.nanargmax(sign * scores))
    total, positives = int(bar.population.total), int(bar.population.positives)
    score, tries = float(scores[at]), len(scores)
    fill = fill_of(bar)
    if tries <= EACH:
        tails = reach_probability(bar.measure, total, positives, predicted, score, fill=fill)
        alone, picked = float(tails[at]), min(float(tails.sum()), 1.0)
    else:
        alone = float(reach_probability(bar.measure, total, positives, int(predicted[at]), score, fill=fill))
        ordered = bar.measure.better_with_tp and bar.measure.worse_with_fp
        picked = math.nan
        if ordered:
            policy = bar.undefined
            picked = float(p_value(score, bar.population, bar.measure, tries=tries, undefined=policy))
    return Best(float(thresholds[at]), score, int(predicted[at]), tries, alone, picked)


def _thinned(x: IntArray, y: FloatArray) -> tuple[Any, FloatArray]:
    """Keep first, last, lowest and highest of each stretch: what a figure can show of many points."""
    if len(x) <= 4 * DRAWN:
        return x, y
    start = np.unique(np.linspace(0, len(x), DRAWN, endpoint=False).astype(np.int64))
    stop = np.concatenate((start[1:], [len(x)]))
    kept = [start, stop - 1]
    for sign in (1.0, -1.0):
        order = np.where(np.isnan(y), -np.inf, sign * y)
        top = np.maximum.reduceat(order, start)
        hits = np.flatnonzero(order == np.repeat(top, stop - start))
        kept.append(hits[np.searchsorted(hits, start)])
    at = np.unique(np.concatenate(kept))
    return x[at], y[at]
