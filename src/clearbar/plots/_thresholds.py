"""A measure by how many samples are predicted positive: what is expected, and what scores get."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts, refuse_matrix
from clearbar.data.counting import count
from clearbar.data.scores import counts_at_thresholds
from clearbar.evaluation.labels import evaluate_counts
from clearbar.formatting import capital, number, plural, visible, whole_percent
from clearbar.plots._canvas import Canvas, Key, axis_label, plain, text_width
from clearbar.plots._chance import BAND, FEW, Best, fill_of, k_grid, quantiles_by_k
from clearbar.plots._curves import curve_colors
from clearbar.plots._display import Display, Words, verdict_finding
from clearbar.plots._marks import (
    draw_shortfall,
    draw_whisker,
    marker,
    model_name,
    outcomes_of,
    random_answers_key,
)
from clearbar.problems.binary import Baseline, baseline
from clearbar.scorecard import sides
from clearbar.verdict import Verdict

EXACT = 1_000
"""Samples up to which the distribution of the best threshold of a random ranking is computed."""


class BarDisplay(Display):
    """What blind predictions get of a measure, whatever the number predicted positive."""

    bar: Baseline

    def __post_init__(self) -> None:
        self.k = k_grid(self._total)
        self.low, self.high = quantiles_by_k(self.bar, self.k, BAND)

    @property
    def _total(self) -> int:
        return int(self.bar.population.total)

    def _number(self, value: float) -> str:
        """Write a score with as many digits as so many samples support."""
        return number(value, self._total)


@dataclass(repr=False, eq=False)
class ThresholdDisplay(BarDisplay):
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
        threshold, where that is computed and the bar does not hide it.

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
        compact: bool = False,
    ) -> ThresholdDisplay:
        """Draw a measure of a confusion matrix at every threshold of scores.

        Parameters
        ----------
        y_true : array_like of shape (M,)
            True labels.
        y_score : array_like of shape (M,)
            Scores; the higher, the rather positive.
        """
        thresholds, counts = counts_at_thresholds(y_true, y_score, pos_label=pos_label)
        display = cls._of(counts, thresholds, measure, undefined, name)
        bar, best = display.bar, display.best
        exact = bar.measure.greater_is_better and undefined == "exclude"
        if best is not None and exact and int(bar.population.total) <= EXACT:
            display.best = best.made_exact(y_true, y_score, bar.measure, pos_label)
        return display.plot(ax=ax, compact=compact)

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
        compact: bool = False,
    ) -> ThresholdDisplay:
        """Draw a measure at thresholds whose confusion matrices were counted elsewhere.

        The best of them is one of as many tries as there are matrices: how likely a random ranking has
        one as good is bounded, not computed.

        Parameters
        ----------
        counts : Counts of shape (T,)
            One confusion matrix per threshold, in any order, all of the same scores.
        thresholds : array_like of shape (T,), optional
            The thresholds, as the counts are ordered.
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
        return cls._of(counts, values, measure, undefined, name).plot(ax=ax, compact=compact)

    @property
    def warning(self) -> str:
        """What picking the best threshold on the same labels costs, in words; empty where there is none."""
        if self.best is None:
            return ""
        return self.best.cost(self.bar.measure.label, self._total, self.bar.population.leading[0])

    @property
    def standing(self) -> str:
        return "undefined" if self.best is None else self.best.outcome(self.bar)

    @property
    def finding(self) -> str:
        label, name = self.bar.measure.label, model_name(self.name)
        if self.best is None:
            return capital(f"{label} of {name} at every threshold")
        score, bar = self._number(self.best.score), self._number(float(self.bar.value))
        worse, better = sides([self.bar.measure])
        words = {
            "clears": f"clears the bar {bar}",
            "doubt": f"is {better} the bar {bar}, but it could be chance",
            "unknown": f"is {better} the bar {bar}, but how surely is not known",
            "ties": f"is exactly at the bar {bar}",
            "fails": f"is {worse} the bar {bar}",
            "unbeatable": f"cannot beat the bar {bar}",
            "undefined": "has no bar",
        }[self.standing]
        tries = "only threshold" if self.best.tries == 1 else f"best of {self.best.tries:,} thresholds"
        said = f"{label} {score} at the {tries} {words}"
        return capital(said) if name == "the model" else f"{name}: {said}"

    @property
    def description(self) -> str:
        return (
            f"{self.finding}. {capital(self.bar.measure.label)} of {visible(self.name)} at every threshold, "
            f"against the number predicted {self.bar.population.leading[0]}, over what random answers "
            f"with as many get. {self.warning}"
        )

    def _draw(self, canvas: Canvas) -> Words:
        ax, total, value = canvas.ax, self._total, float(self.bar.value)
        theta, expectation = self.bar.curve()
        self.expected_ = canvas.line(theta * total, expectation, canvas.muted, 1.3, ls="--", zorder=3)
        self.band_ = canvas.fill(self.k, self.low, self.high, step="mid" if total <= FEW else None)
        x, y = self.predicted_positives, self.scores
        marks = "." if len(x) <= FEW else "none"
        color = curve_colors(canvas)[0]
        self.line_ = canvas.line(x, y, color, 1.8, zorder=4, marker=marks, ms=4 * canvas.unit)
        across = f"number predicted {plain(self.bar.population.leading[0], 24)}, of {total:,}"
        canvas.style_axes(across, axis_label(self.bar.measure))
        ax.set_xlim(-0.015 * total, 1.015 * total)
        self.best_ = self.random_best_ = self.bar_ = None
        if self.best is not None:
            self._draw_best(canvas, self.best)
        if not math.isnan(value):
            self.bar_ = canvas.draw_bar(value, f"bar\n{self._number(value)}")
        ax.xaxis.set_major_formatter("{x:,.0f}")
        most = canvas.text_room / text_width(f"{total:,}  ", canvas.ticks)
        canvas.locate_ticks("x", nbins=max(1, min(5, int(most))), integer=True)
        low, high = ax.get_ylim()
        ax.set_ylim(low - 0.04 * (high - low), high + 0.1 * (high - low))
        reason = self._why_empty()
        if reason:
            canvas.annotate_centre(reason)
        note = self.warning
        if canvas.is_narrow and self.best is not None:
            note = f"Best of {self.best.tries:,} on these labels: choose thresholds on other data."
        return Words(self._keys(canvas), [note], above=0.7)  # the best score is written above its mark

    def _draw_best(self, canvas: Canvas, best: Best) -> None:
        low, high = canvas.ax.get_ylim()
        if abs(best.expected - float(self.bar.value)) > 0.02 * (high - low):  # else the bar would hide it
            style = {"color": canvas.muted, "lw": 1.1 * canvas.unit, "ls": "-.", "zorder": 2}
            self.random_best_ = canvas.ax.axhline(best.expected, **style)
        k, mark = best.predicted_positives, marker(canvas, self.standing, 7.5)
        (self.best_,) = canvas.ax.plot([k], [best.score], clip_on=False, zorder=6, **mark)
        below = self.bar.measure.greater_is_better is False
        canvas.annotate(
            self._number(best.score), (k, best.score), (0, (-7 if below else 7) * canvas.unit),
            ha="center", va="top" if below else "bottom", color=canvas.text, zorder=7, bbox=canvas.backing,
        )  # fmt: skip

    def _why_empty(self) -> str:
        if math.isnan(float(self.bar.value)) and np.isnan(self.scores).all():
            name, label = capital(model_name(self.name)), self.bar.measure.label
            return f"{name} has no {label} at any threshold: {self.bar.reason}."
        if len(self.scores) > 2:
            return ""
        if self._total == 1:
            return "One sample has no threshold to choose."
        positive = plain(self.bar.population.leading[0], 24)
        return f"All scores are equal: they predict all samples {positive}, or none."

    def _keys(self, canvas: Canvas) -> list[Key]:
        keys = [
            (self.line_, plain(self.name, 24)),
            random_answers_key(canvas, self.expected_, self.band_),
        ]
        if self.best is not None and self.random_best_ is not None:
            expected = self._number(self.best.expected)
            keys.append((self.random_best_, f"random ranking's best: {expected}"))
        return keys


@dataclass(repr=False, eq=False)
class ExpectationDisplay(BarDisplay):
    """Expected score against the share predicted positive, with the band of ninety in a hundred draws.

    The bar is a line across; a model is a mark in the colour of its outcome, on a line from the bar.

    Parameters
    ----------
    bar : Baseline
        The bar of one population.
    model : (float, float), optional
        A model's share predicted positive and its score.
    name, standing : str
        The model's name, and how it stands to the bar.
    verdict : Verdict, optional
        The verdict on the model, with its interval.

    Attributes
    ----------
    theta, expectation, band_theta, low, high : ndarray of float64
        Shares predicted positive and the expected scores there; shares and the 5 % and 95 % quantiles there.
    line_, band_, bar_ : artist or None
        Expected score, from the 5 % to the 95 % quantile, and the bar.
    optima_ : tuple of matplotlib.lines.Line2D
        Where the bar is attained: a point, or a line where many shares attain it.
    model_, gap_, whisker_ : matplotlib.lines.Line2D or None
        The model, the line from the bar to it, and its confidence interval.

    References
    ----------
    Pries et al., The optimal input-independent baseline for binary classification: The Dutch Draw,
    Statistica Neerlandica 2023, Figure 1.

    Examples
    --------
    >>> import clearbar as cb
    >>> display = cb.plots.ExpectationDisplay.from_baseline(cb.baseline(cb.Population(50, 5), "g_mean"))
    >>> display.optima_[0].get_xdata().tolist(), display.optima_[0].get_ydata().round(4).tolist()
    ([0.54], [0.4877])
    """

    bar: Baseline
    _: KW_ONLY
    model: tuple[float, float] | None = None
    name: str = "model"
    standing: str = "undefined"
    verdict: Verdict | None = None

    _height = 3.5

    def __post_init__(self) -> None:
        super().__post_init__()
        self.theta, self.expectation = self.bar.curve()
        self.band_theta = self.k / self._total

    @classmethod
    def from_baseline(
        cls,
        bar: Any,
        *,
        counts: Counts | None = None,
        confidence_level: float = 0.95,
        name: str = "model",
        ax: Any = None,
        legend: bool = True,
        compact: bool = False,
    ) -> ExpectationDisplay:
        """Draw the curve of a bar, and a model on it.

        Parameters
        ----------
        bar : Baseline
            The bar of one population.
        counts : Counts, optional
            A model's confusion matrix on that population.
        confidence_level : float
            At which the model is judged, as by `clearbar.evaluate`.
        legend : bool
            As for `plot`.
        """
        if not isinstance(bar, Baseline) or bar.population.shape:
            kind = f"one of shape {bar.population.shape}" if isinstance(bar, Baseline) else type(bar).__name__
            raise ValueError(f"bar must be what cb.baseline(...) returns for one population; found {kind}.")
        judged: dict[str, Any] = {}
        if counts is not None:
            if counts.shape or counts.population != bar.population:
                raise ValueError("counts must be one confusion matrix on the bar's population.")
            card = evaluate_counts(
                counts, bar.measure, undefined=bar.undefined, confidence_level=confidence_level
            )
            judged = {
                "model": (int(counts.predicted_positives) / int(bar.population.total), card[0].score),
                "standing": str(outcomes_of(card)[0, 0, 0]),
                "verdict": replace(card[0], model=name),
            }
        return cls(bar, name=name, **judged).plot(ax=ax, legend=legend, compact=compact)

    @classmethod
    def from_counts(
        cls, counts: Any, measure: Any, *, undefined: Undefined = "exclude", ax: Any = None, **options: Any
    ) -> ExpectationDisplay:
        """Draw the curve on a model's own class sizes, and the model.

        Parameters
        ----------
        counts : Counts
            One confusion matrix.
        **options
            ``name``, ``confidence_level``, ``legend`` and ``compact``, as for `from_baseline`.
        """
        refuse_matrix(counts)
        if not isinstance(counts, Counts) or counts.shape:
            raise ValueError("counts must be one confusion matrix: Counts of whole numbers, not of arrays.")
        bar = baseline(counts.population, measure, undefined=undefined)
        return cls.from_baseline(bar, counts=counts, ax=ax, **options)

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, measure: Any, *, pos_label: Any = None, ax: Any = None, **options: Any
    ) -> ExpectationDisplay:
        """Count one model's predictions and draw; parameters as for `clearbar.count` and `from_counts`."""
        return cls.from_counts(count(y_true, y_pred, pos_label=pos_label), measure, ax=ax, **options)

    @property
    def finding(self) -> str:
        return capital(str(self.bar)) if self.verdict is None else verdict_finding(self.verdict, recipe=False)

    @property
    def description(self) -> str:
        positive = self.bar.population.leading[0]
        curve = f"Expected {self.bar.measure.label} against the share predicted {positive} at random."
        if self.model is None:
            return f"{self.finding}. {curve}"
        theta, score = map(self._number, self.model)
        return (
            f"{self.finding}. {curve} {capital(str(self.bar))}. {visible(self.name)}: {score} at a share of "
            f"{theta}."
        )

    def _draw(self, canvas: Canvas) -> Words:
        ax, value, few = canvas.ax, float(self.bar.value), self._total <= FEW
        self.band_ = self.bar_ = None
        if not math.isnan(value):
            self.band_ = canvas.fill(self.band_theta, self.low, self.high, step="mid" if few else None)
        self.line_ = canvas.line(
            self.theta, self.expectation, canvas.muted, 1.6, zorder=3,
            marker="." if few else "none", ms=3.6 * canvas.unit,
        )  # fmt: skip
        self._draw_model(canvas, value)
        share = f"share predicted {plain(self.bar.population.leading[0], 24)}"
        canvas.style_axes(share, axis_label(self.bar.measure))
        ax.set_xlim(-0.015, 1.015)
        ax.margins(y=0.06)
        if math.isnan(value):
            canvas.annotate_centre(f"{self.bar}.")
        else:
            words = f"bar\n{self._number(value)}" if self._has_words else ""
            self.bar_ = canvas.draw_bar(value, words)
        self.optima_ = tuple(self._draw_optima(canvas, value))
        keys = [random_answers_key(canvas, self.line_, self.band_)]
        if self.model_ is not None:
            keys.insert(0, (self.model_, plain(self.name, 24)))
        return Words(keys, self._notes())

    def _draw_model(self, canvas: Canvas, value: float) -> None:
        self.model_ = self.gap_ = self.whisker_ = None
        if self.model is None or math.isnan(self.model[1]):
            return
        share, score = self.model
        x = [share, share]
        if self.standing == "fails":
            self.gap_ = draw_shortfall(canvas, x, [value, score])
        if self.verdict is not None and not math.isnan(self.verdict.low):
            ends = self.verdict.low, self.verdict.high
            self.whisker_ = draw_whisker(canvas, x, ends, cap="_")
        mark = marker(canvas, self.standing, 7.5)
        (self.model_,) = canvas.ax.plot([share], [score], clip_on=False, zorder=6, **mark)
        step, align = (-8, "right") if share > 0.6 else (8, "left")
        away = -7 if score < value else 7  # from the bar, which would strike it through
        canvas.annotate(
            self._number(score), (share, score), (step * canvas.unit, away * canvas.unit), ha=align,
            color=canvas.text, zorder=7, bbox=canvas.backing,
        )  # fmt: skip

    def _draw_optima(self, canvas: Canvas, value: float) -> Iterator[Any]:
        for low, high in () if self.bar.best is None else self.bar.best.theta_star:
            if low == high:
                yield from canvas.ax.plot(
                    [low], [value], "o", ms=6 * canvas.unit, color=canvas.text, mec=canvas.face,
                    mew=0.6 * canvas.unit, zorder=5, clip_on=False,
                )  # fmt: skip
            else:
                yield canvas.line([low, high], [value] * 2, canvas.text, 4.5, zorder=3)

    def _notes(self) -> list[str]:
        positive, positives = self.bar.population.leading
        about = [f"{plural(self._total, 'sample')}, {int(positives):,} {plain(positive, 24)}."]
        if self.model is not None and not math.isnan(float(self.bar.value)):
            about.append(f"{capital(str(self.bar))}.")
        if self.band_ is not None:
            about.append("Grey: 90 of 100 random answers.")
        if self.whisker_ is not None and self.verdict is not None:
            about.append(f"Whisker: {whole_percent(self.verdict.confidence_level)} interval.")
        gaps = np.isnan(self.expectation)
        return [" ".join(about), "Gaps: the score has no value there." if 0 < gaps.sum() < gaps.size else ""]
