"""How much of an oracle is in a score? The Dutch Scaler."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core._numbers import number_or_nan, numbers
from clearbar.core._typing import FloatArray
from clearbar.core.errors import UndefinedMeasureWarning, shown
from clearbar.data.counting import population_from_labels
from clearbar.problems.binary import Baseline, baseline

HALVINGS = 1_100
"""Steps after which no two floats are left between two others."""

GRID = np.linspace(0.0, 1.0, 257) ** 2
"""Shares at which a measure is looked at: it must rise with them; closest where it may not do so yet."""

SLACK = 1e-12
"""Distance from either end, relative to that between them, that is rounding."""


def dutch_scaler(
    score: Any,
    y_true: Any,
    measure: str | Measure,
    *,
    oracle_error: float = 0.0,
    draw: str = "least",
    pos_label: Any = None,
) -> Any:
    """Return how much of an oracle it takes, mixed with the best blind draw, to reach a score.

    An oracle labels each sample right, but for `oracle_error`; the best feature-blind draw is that of the
    bar. Whoever asks the oracle about a share a of the samples, and draws for the others, expects the table
    TP = a P (1 - e) + (1 - a) P t, FP = a N e + (1 - a) N t, where t is the share that the draw predicts
    positive. The Dutch Scaler is the a whose table has the score: 0 at the bar, 1 for the oracle.

    Parameters
    ----------
    score : float or array_like
        Scores of the measure on these labels.
    y_true : array_like of shape (M,), or Population
        True labels; only their numbers matter.
    measure : str or Measure
        What was evaluated; a measure of two classes whose bar can be beaten.
    oracle_error : float
        The share of samples that the oracle gets wrong, in either class; small enough for it to beat the bar.
    draw : {"least", "prevalence"}
        Of several draws that attain the bar, the one that needs the smallest share of the oracle, as in the
        authors' package; or the one that predicts as many positives as there are, with which the shares of
        MCC, kappa, markedness and informedness are the scores.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    float or ndarray
        From 0 to 1; nan, with an `UndefinedMeasureWarning`, for scores that no mix reaches: below the bar, or
        above the oracle.

    Raises
    ------
    ValueError
        If there is no bar, or none that this oracle beats; or an argument is not what it should be.

    Notes
    -----
    On given labels it is a monotone function of `skill`: same order, and no p-value changes. They
    agree for measures that rise by as much with each sample (accuracy, balanced accuracy, informedness). The
    mean of shares is not the share of the mean score.

    Of MCC, kappa and markedness all draws expect 0, and which of them is mixed in decides the share: the two
    choices of `draw` may lie far apart. Expected tables are plugged in, so that 0 stands for the
    measure of the draw's expected table; of measures that are not affine, such as G-mean, that is not the bar
    but near it.

    References
    ----------
    E. P. van de Bijl et al., The Dutch Scaler performance indicator: how much did my model actually learn?,
    Journal of Classification 42(3), 2025, 639-659.

    Examples
    --------
    >>> import clearbar as cb
    >>> labels = cb.Population(100, 30)
    >>> round(cb.dutch_scaler(0.8, labels, "f1"), 3), round(cb.skill(0.8, cb.baseline(labels, "f1")), 3)
    (0.786, 0.629)
    """
    entry = get_measure(measure, "binary")
    population = population_from_labels(y_true, pos_label=pos_label)
    bar = baseline(population, entry)
    error = number_or_nan(oracle_error)
    if not 0 <= error <= 1:
        raise ValueError(f"oracle_error must be a share from 0 to 1; found {shown(oracle_error)}.")
    chosen: Any = draw
    if not isinstance(chosen, str) or chosen not in {"least", "prevalence"}:
        raise ValueError(f"draw must be 'least' or 'prevalence'; found {shown(draw)}.")
    mixes = _Mixes(_with_bar(bar), error, draw)
    scores = numbers("score", score)
    shares = mixes.shares(scores.reshape(-1)).reshape(scores.shape)
    gone = np.isnan(shares) & ~np.isnan(scores)
    if gone.any():
        low, high = sorted((mixes.least, mixes.most))
        msg = (
            f"no mix of the best draw and the oracle has {entry.label} {scores[gone].ravel()[0]:g}: they "
            f"have {low:.3g} to {high:.3g}. The share is nan; skill tells how far from the bar it is."
        )
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=2)
    return float(shares) if shares.ndim == 0 else shares


def _with_bar(bar: Baseline) -> Baseline:
    """Return the bar of one population, or say why there is none that can be beaten."""
    if bar.population.shape:
        raise ValueError(f"y_true must be one Population; found an array of shape {bar.population.shape}.")
    if math.isnan(float(bar.value)):
        raise ValueError(f"{bar.measure.label} has no bar here: {bar.reason}.")
    return bar


class _Mixes:
    """The scores of mixes of an oracle and each of the draws that attain a bar."""

    def __init__(self, bar: Baseline, error: float, draw: str) -> None:
        self.measure, self.error = bar.measure, error
        self.positives, self.negatives = int(bar.population.positives), int(bar.population.negatives)
        self.sign = 1.0 if self.measure.greater_is_better else -1.0
        self.draws = self._shares_drawn(bar, draw)
        scores = self.sign * self.scores(np.broadcast_to(GRID, (len(self.draws), len(GRID))))
        self.least, self.most = float(self.sign * scores[:, 0].min()), float(self.sign * scores[0, -1])
        if not (scores[:, -1] > scores[:, 0]).all():
            worth = f"{self.most:.3g}, where the bar is {float(bar.value):.3g}"
            raise ValueError(self._why(f"has {self.measure.label} {worth}"))
        if not (np.diff(scores, axis=1) >= -SLACK * np.abs(scores).max()).all():
            raise ValueError(self._why(f"makes {self.measure.label} fall before it rises"))

    def _why(self, finding: str) -> str:
        """Say what is the matter with an oracle, and what would be right."""
        if self.error:
            return f"an oracle with oracle_error={self.error:g} {finding}; take a smaller one."
        return f"an oracle {finding}; choose a measure that can tell, such as mcc."

    def _shares_drawn(self, bar: Baseline, draw: str) -> FloatArray:
        """Return the shares that draws predict positive which attain the bar: the ends of each range.

        The share that a score takes is smallest at an end: tests hold that against every draw.
        """
        total = self.positives + self.negatives
        ranges = bar.predicted_positives
        ends = np.unique([end for part in ranges for end in (part.start, part.stop - 1)])
        if draw == "prevalence" and any(self.positives in part for part in ranges):
            ends = np.array([self.positives])
        return np.asarray(ends / total)[:, None]

    def scores(self, shares: FloatArray) -> FloatArray:
        """Return the scores of shares of the oracle, a row for each draw."""
        tp = self.positives * (shares * (1 - self.error) + (1 - shares) * self.draws)
        fp = self.negatives * (shares * self.error + (1 - shares) * self.draws)
        return np.asarray(self.measure.values(tp, fp, self.positives - tp, self.negatives - fp))

    def shares(self, scores: FloatArray) -> FloatArray:
        """Return the smallest share that has each score; nan where none has."""
        goal = self.sign * np.broadcast_to(scores, (len(self.draws), len(scores)))
        low, high = np.zeros(goal.shape), np.ones(goal.shape)
        ends = self.sign * self.scores(low), self.sign * self.scores(high)
        slack = SLACK * (ends[1] - ends[0])
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if not ((low < middle) & (middle < high)).any():
                break
            short = self.sign * self.scores(middle) < goal
            low, high = np.where(short, middle, low), np.where(short, high, middle)
        share = np.where(goal <= ends[0] + slack, 0.0, np.where(goal >= ends[1] - slack, 1.0, high))
        inside = (goal >= ends[0] - slack) & (goal <= ends[1] + slack)
        least = np.where(inside, share, np.inf).min(axis=0)
        return np.where(np.isfinite(least), least, np.nan)
