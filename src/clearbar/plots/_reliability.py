"""How often what has a probability happens: recalibrated by isotonic regression, over a consistency band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray
from clearbar.formatting import number, percent, plural, visible
from clearbar.plots._canvas import Canvas, Key
from clearbar.plots._curves import STYLES, curve_colors
from clearbar.plots._display import CardDisplay, Words, checked_card, refuse_unnamed, verdict_finding
from clearbar.problems.scores import recalibrated
from clearbar.scorecard import Calibration, Scorecard, probabilities_of, which_groups, which_model

LEVEL = 0.9
"""The share of resampled labels that the band holds, at each probability."""

RESAMPLES = 999

SEED = 20_260_701
"""The band is the same in every run."""

BINS, HIGHEST = 25, 0.12
"""Bins of the histogram of probabilities, and how much of the axes the highest takes."""


def consistency_band(
    scores: FloatArray, sizes: FloatArray, level: float = LEVEL
) -> tuple[FloatArray, FloatArray]:
    """Return between which recalibrated shares labels lie that happen with just these probabilities."""
    generator = np.random.default_rng(SEED)
    drawn = np.array(
        [
            recalibrated(generator.binomial(sizes.astype(np.int64), scores).astype(np.float64), sizes)
            for _ in range(RESAMPLES)
        ]
    )
    low, high = np.quantile(drawn, ((1 - level) / 2, (1 + level) / 2), axis=0)
    return low, high


@dataclass(repr=False, eq=False)
class ReliabilityDisplay(CardDisplay):
    """How often what a model gives a probability happens, over what calibrated probabilities would show.

    The line is an isotonic regression of the labels (CORP); the band holds, at each probability, 90 % of the
    lines of labels that are drawn with the model's own probabilities. Where the line leaves the band the
    model is not calibrated. The horizontal line is the best constant, whose loss is the bar. Below stands how
    many samples have each probability. Of several models or slices each has a line, and no band.

    Parameters
    ----------
    calibration : Calibration
        What log loss and Brier score are made of.
    curves : sequence of (ndarray, ndarray)
        The distinct probabilities of each model or slice, ascending, and the recalibrated ones.
    sizes : sequence of ndarray
        The number of samples that have each.
    prevalences : sequence of float
        The share of positive samples of each.
    finding, positive : str
        How the models stand to the bar, and what the positive class is called.

    Attributes
    ----------
    lines_ : tuple of matplotlib.lines.Line2D
        The models or slices.
    bars_ : tuple of matplotlib.lines.Line2D
        The prevalence; that of each slice where they differ.
    band_, diagonal_, histogram_ : artist
        The consistency band; where probabilities are what happens; how many samples have each. The first and
        last of a single line, else None.

    References
    ----------
    Dimitriadis, Gneiting and Jordan, PNAS 118, 2021; Bröcker and Smith, Weather and Forecasting 22, 2007.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true, y_score = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
    >>> cb.plots.ReliabilityDisplay.from_predictions(y_true, y_score).finding
    'Brier score 0.127 is better than the bar 0.250, but it could be chance (p = 0.87)'
    """

    calibration: Calibration
    curves: Sequence[tuple[FloatArray, FloatArray]]
    sizes: Sequence[FloatArray]
    prevalences: Sequence[float]
    _: KW_ONLY
    finding: str = ""
    positive: str = "positive"

    _height = 3.9
    _options = ("model", "group")

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, measure: Any = "brier_score", *, ax: Any = None, **options: Any
    ) -> Self:
        """Judge probabilities and draw.

        Parameters
        ----------
        y_true, y_pred : array_like of shape (M,), or mapping of str to such
            True labels and probabilities.
        measure : {"brier_score", "log_loss"}
            The loss that the title tells of.
        **options
            ``compact``, ``model``, ``group``, and those of `clearbar.evaluate`.
        """
        return super().from_predictions(y_true, y_pred, measure, ax=ax, **options)

    from_counts = None  # type: ignore[assignment]

    @classmethod
    def from_scorecard(
        cls,
        card: Scorecard,
        *,
        model: str | None = None,
        group: Any = None,
        ax: Any = None,
        compact: bool = False,
    ) -> Self:
        """Draw the probabilities of a scorecard.

        Parameters
        ----------
        card : Scorecard
            What `clearbar.evaluate_scores` returns of probabilities, without folds.
        model : str, optional
            One of up to six models; all of them by default, and to be named where several slices are drawn.
        group : object, or list of them, optional
            A slice of the scorecard, or up to six; all samples by default.

        Raises
        ------
        ValueError
            If the scorecard is not one of probabilities, has no such model or slice, or there are more than
            six lines.
        """
        problem = probabilities_of(checked_card(card))
        models = list(range(len(card.models))) if model is None else [which_model(card, model)]
        groups = which_groups(card, group)
        if len(groups) > 1:
            refuse_unnamed("model", model, card.models)
        lines = [(place, slice_place) for place in models for slice_place in groups]
        if not 1 <= len(lines) <= len(STYLES):
            raise ValueError(
                f"1 to {len(STYLES)} lines are told apart; found {len(lines)}: name models with model, "
                "slices with group."
            )
        rankings = [problem.rankings[place][slice_place] for place, slice_place in lines]
        sizes = [ranking.sizes[::-1].astype(np.float64) for ranking in rankings]
        hits = [ranking.positives[::-1].astype(np.float64) for ranking in rankings]
        curves = [
            (ranking.scores[::-1], recalibrated(positives, size))
            for ranking, positives, size in zip(rankings, hits, sizes, strict=True)
        ]
        prevalences = [float(ranking.hits / ranking.total) for ranking in rankings]
        calibration = card.calibration(model, [card.groups[slice_place] for slice_place in groups])
        finding = _finding(card, calibration, lines)
        made = cls(
            calibration, curves, sizes, prevalences, finding=finding, positive=card.population.leading[0]
        )
        return made.plot(ax=ax, compact=compact)

    _of_card = from_scorecard

    @property
    def description(self) -> str:
        parts = [said for said in self.calibration.sentences if said != f"{self.finding}."]
        positive = ", ".join(percent(share) for share in dict.fromkeys(self.prevalences))
        across = f"The share {self.positive} against the probability, {positive} {self.positive}"
        return " ".join([f"{self.finding}. {across}, {self._samples}.", *parts])

    @property
    def _samples(self) -> str:
        """How many samples there are, all together."""
        of_groups = {row["group"]: row["samples"] for row in self.calibration.rows}
        return plural(sum(of_groups.values()), "sample")

    def _draw(self, canvas: Canvas) -> Words:
        canvas.style_axes("probability", f"share {self.positive}")
        canvas.ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
        self.band_: Any = None
        self.histogram_: Any = None
        keys: list[Key] = []
        self.diagonal_ = canvas.line([0, 1], [0, 1], canvas.muted, 1.2, ls=":", zorder=2)
        if len(self.curves) == 1:
            (scores, _), sizes = self.curves[0], self.sizes[0]
            self.band_ = canvas.fill(scores, *consistency_band(scores, sizes))
            self.histogram_ = _draw_histogram(canvas, scores, sizes)
            keys.append(((self.band_, self.diagonal_), "if calibrated: 90 in 100"))
        colors, alike = curve_colors(canvas), len(set(self.prevalences)) == 1
        if alike:
            constant = number(self.prevalences[0], self.calibration[0]["samples"])
            bar = canvas.draw_bar(self.prevalences[0], f"bar: best\nconstant\n{constant}")
            self.bars_: tuple[Any, ...] = (bar,)
        else:
            self.bars_ = tuple(
                canvas.line([0, 1], [share] * 2, color, 0.8, zorder=3)
                for share, color in zip(self.prevalences, colors, strict=False)
            )
        groups = dict.fromkeys(row["group"] for row in self.calibration.rows)
        models = dict.fromkeys(row["model"] for row in self.calibration.rows)
        names = [str(group) for group in groups] if len(groups) > 1 else list(models)
        lines = []
        for (scores, shares), color, ls, name in zip(self.curves, colors, STYLES, names, strict=False):
            marks = "." if len(scores) <= 12 else "none"
            lines.append(canvas.line(scores, shares, color, 1.9, ls=ls, marker=marks, zorder=4))
            keys.insert(len(lines) - 1, (lines[-1], visible(name)))
        self.lines_ = tuple(lines)
        if not alike:
            keys.append((self.bars_[0], "best constant of each, the bar"))
        return Words(keys, [self._note])

    @property
    def _note(self) -> str:
        row = self.calibration[0]
        off, told, bar = (
            number(row[part], row["samples"]) for part in ("miscalibration", "discrimination", "uncertainty")
        )
        if len(self.curves) > 1:
            return f"{self._samples}. Lines: isotonic regression of the labels; dotted: if calibrated."
        label = get_measure(row["measure"], "scores").label
        parts = f"miscalibration {off} − discrimination {told} + bar {bar}"
        return f"Columns: the {self._samples}. {label} = {parts}."


def _finding(card: Scorecard, calibration: Calibration, lines: Sequence[tuple[int, int]]) -> str:
    """Say how what is drawn stands to its bar; what the parts of a loss tell where the card lacks it."""
    name, names = calibration[0]["measure"], [measure.name for measure in card.measures]
    (model, group), groups = lines[0], {card.groups[slice_place] for _, slice_place in lines}
    if name in names and len(lines) == 1:
        said = verdict_finding(card.verdict(model, group, names.index(name)))
        return said if groups == {None} else f"{visible(card.groups[group])}: {said}"
    if name in names and groups == {None}:
        return card.headline(measure=name)
    return calibration.sentences[0].removesuffix(".")


def _draw_histogram(canvas: Canvas, scores: FloatArray, sizes: FloatArray) -> Any:
    """Draw along the axis how many samples have each probability."""
    heights, edges = np.histogram(scores, BINS, (0.0, 1.0), weights=sizes)
    color = [0.45 * muted + 0.55 * face for muted, face in zip(canvas.muted, canvas.face[:3], strict=True)]
    style = {"color": color, "lw": 0, "zorder": 1.5, "align": "edge"}  # opaque: it lies over the band
    return canvas.ax.bar(edges[:-1], HIGHEST * heights / heights.max(), 0.9 / BINS, **style)
