"""How often what has a probability happens: recalibrated by isotonic regression, over a consistency band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import number, percent, plural, visible
from clearbar.plots._canvas import Canvas, Key
from clearbar.plots._curves import STYLES, curve_colors
from clearbar.plots._display import CardDisplay, Words, checked_card, refuse_unnamed
from clearbar.problems.scores import recalibrated
from clearbar.scorecard import Calibration, Scorecard, probabilities_of, which_groups, which_model

LEVEL = 0.9
"""The share of resampled labels that the band holds, at each probability."""

RESAMPLES = 999

SEED = 20_260_701
"""The band is the same in every run."""


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
    model is not calibrated. The horizontal line is the best constant, whose loss is the bar. Of several
    models or slices each has a line, and no band.

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

    Attributes
    ----------
    lines_ : tuple of matplotlib.lines.Line2D
        The models or slices.
    bars_ : tuple of matplotlib.lines.Line2D
        The prevalence; that of each slice where they differ.
    band_, diagonal_ : artist
        The consistency band, of one line; where probabilities are what happens.

    References
    ----------
    Dimitriadis, Gneiting and Jordan, PNAS 118, 2021; Bröcker and Smith, Weather and Forecasting 22, 2007.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true, y_score = [0, 0, 1, 1, 0, 1], [0.1, 0.4, 0.35, 0.8, 0.2, 0.7]
    >>> cb.plots.ReliabilityDisplay.from_predictions(y_true, y_score).finding
    'Brier score 0.127 is better than the bar 0.250: discrimination 0.167 exceeds miscalibration 0.044'
    """

    calibration: Calibration
    curves: Sequence[tuple[FloatArray, FloatArray]]
    sizes: Sequence[FloatArray]
    prevalences: Sequence[float]

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
        return cls(calibration, curves, sizes, prevalences).plot(ax=ax, compact=compact)

    _of_card = from_scorecard

    @property
    def finding(self) -> str:
        said = self.calibration.sentences[0].removesuffix(".")
        return said.removeprefix("model: ") if len(self.curves) == 1 else said

    @property
    def description(self) -> str:
        others = " ".join(self.calibration.sentences[1:])
        positive = ", ".join(percent(share) for share in dict.fromkeys(self.prevalences))
        across = f"The share that happens against the probability, {positive} positive"
        return f"{self.finding}. {across}, {self._samples}.{' ' if others else ''}{others}"

    @property
    def _samples(self) -> str:
        """How many samples there are, all together."""
        of_groups = {row["group"]: row["samples"] for row in self.calibration.rows}
        return plural(sum(of_groups.values()), "sample")

    def _draw(self, canvas: Canvas) -> Words:
        canvas.style_axes("probability", "share that happens")
        canvas.ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
        self.band_: Any = None
        notes = [f"{self._samples}. Lines: isotonic regression of the labels."]
        keys: list[Key] = []
        self.diagonal_ = canvas.line([0, 1], [0, 1], canvas.muted, 1.2, ls=":", zorder=2)
        if len(self.curves) == 1:
            (scores, _), sizes = self.curves[0], self.sizes[0]
            low, high = consistency_band(scores, sizes)
            self.band_ = canvas.fill(scores, low, high)
            keys.append(((self.band_, self.diagonal_), "calibrated: 90 in 100"))
        colors, alike = curve_colors(canvas), len(set(self.prevalences)) == 1
        self.bars_ = tuple(
            canvas.line([0, 1], [share] * 2, canvas.text if alike else color, 1.5 if alike else 0.8, zorder=3)
            for share, color in zip(self.prevalences[:1] if alike else self.prevalences, colors, strict=False)
        )
        groups = dict.fromkeys(row["group"] for row in self.calibration.rows)
        models = dict.fromkeys(row["model"] for row in self.calibration.rows)
        names = [str(group) for group in groups] if len(groups) > 1 else list(models)
        lines = []
        for (scores, shares), color, ls, name in zip(self.curves, colors, STYLES, names, strict=False):
            marks = "." if len(scores) <= 12 else "none"
            lines.append(canvas.line(scores, shares, color, 1.9, ls=ls, marker=marks, zorder=4))
            keys.append((lines[-1], visible(name)))
        self.lines_ = tuple(lines)
        share = f" {number(self.prevalences[0], self.calibration[0]['samples'])}" if alike else " of each"
        keys.append((self.bars_[0], f"best constant{share}, the bar"))
        return Words(keys, notes)
