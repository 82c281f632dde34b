"""How often what has a probability happens: recalibrated by isotonic regression, over a consistency band."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.formatting import number, percent, visible
from clearbar.plots._canvas import Canvas, Key
from clearbar.plots._curves import STYLES, curve_colors
from clearbar.plots._display import CardDisplay, Words, checked_card
from clearbar.problems.scores import recalibrated
from clearbar.scorecard import Calibration, Scorecard, probabilities_of, which_model

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
    model is not calibrated. The horizontal line is the best constant, whose loss is the bar.

    Parameters
    ----------
    calibration : Calibration
        What log loss and Brier score are made of.
    curves : sequence of (ndarray, ndarray)
        The distinct probabilities of each model, ascending, and the recalibrated ones.
    sizes : sequence of ndarray
        The number of samples that have each.
    prevalence : float
        The share of positive samples.

    Attributes
    ----------
    lines_ : tuple of matplotlib.lines.Line2D
        The models.
    band_, bar_, diagonal_ : artist
        The consistency band, of one model; the prevalence; where probabilities are what happens.

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
    prevalence: float

    _height = 3.9
    _options = ("model",)

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
            ``compact``, ``model``, and those of `clearbar.evaluate`.
        """
        return super().from_predictions(y_true, y_pred, measure, ax=ax, **options)

    from_counts = None  # type: ignore[assignment]

    @classmethod
    def from_scorecard(
        cls, card: Scorecard, *, model: str | None = None, ax: Any = None, compact: bool = False
    ) -> Self:
        """Draw the probabilities of a scorecard.

        Parameters
        ----------
        card : Scorecard
            What `clearbar.evaluate_scores` returns of probabilities, without folds.
        model : str, optional
            One of up to six models; all of them by default.

        Raises
        ------
        ValueError
            If the scorecard is not one of probabilities, has no such model, or more than six.
        """
        problem = probabilities_of(checked_card(card))
        places = list(range(len(card.models))) if model is None else [which_model(card, model)]
        if len(places) > len(STYLES):
            raise ValueError(
                f"at most {len(STYLES)} models are told apart; found {len(places)}: name one with model."
            )
        rankings = [problem.rankings[place][0] for place in places]
        sizes = [ranking.sizes[::-1].astype(np.float64) for ranking in rankings]
        hits = [ranking.positives[::-1].astype(np.float64) for ranking in rankings]
        curves = [
            (ranking.scores[::-1], recalibrated(positives, size))
            for ranking, positives, size in zip(rankings, hits, sizes, strict=True)
        ]
        prevalence = float(rankings[0].hits / rankings[0].total)
        return cls(card.calibration(model), curves, sizes, prevalence).plot(ax=ax, compact=compact)

    _of_card = from_scorecard

    @property
    def finding(self) -> str:
        said = self.calibration.sentences[0].removesuffix(".")
        return said.removeprefix("model: ") if len(self.curves) == 1 else said

    @property
    def description(self) -> str:
        others = " ".join(self.calibration.sentences[1:])
        across = f"The share that happens against the probability, {percent(self.prevalence)} positive"
        return (
            f"{self.finding}. {across}, {self.calibration.samples:,} samples.{' ' if others else ''}{others}"
        )

    def _draw(self, canvas: Canvas) -> Words:
        canvas.style_axes("probability", "share that happens")
        canvas.ax.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02))
        self.band_: Any = None
        notes = [f"{self.calibration.samples:,} samples. Lines: isotonic regression of the labels."]
        keys: list[Key] = []
        if len(self.curves) == 1:
            (scores, _), sizes = self.curves[0], self.sizes[0]
            low, high = consistency_band(scores, sizes)
            self.band_ = canvas.fill(scores, low, high)
            keys.append((self.band_, "calibrated, 90 of 100"))
        self.diagonal_ = canvas.line([0, 1], [0, 1], canvas.muted, 1.2, ls=":", zorder=2)
        self.bar_ = canvas.line([0, 1], [self.prevalence] * 2, canvas.text, 1.5, zorder=3)
        named = dict.fromkeys(row["model"] for row in self.calibration.rows)
        lines = []
        for (scores, shares), color, ls, name in zip(
            self.curves, curve_colors(canvas), STYLES, named, strict=False
        ):
            marks = "." if len(scores) <= 12 else "none"
            lines.append(canvas.line(scores, shares, color, 1.9, ls=ls, marker=marks, zorder=4))
            keys.append((lines[-1], visible(name)))
        self.lines_ = tuple(lines)
        keys.append(
            (self.bar_, f"best constant {number(self.prevalence, self.calibration.samples)}, the bar")
        )
        return Words(keys, notes)
