"""Measures of a probability for each class: losses of samples, and shares of pairs ranked right.

A loss is a function of probabilities and of the true classes. An AUC is a weighted mean over two classes:
of a sample of class a and one of class b, how often column a ranks the first one higher, ties half.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import Entry, register
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.reasons import OfAnyMeasure
from clearbar.problems.multiclass.optima import NO_BAR, ClassOptimum

EPSILON = float(np.finfo(np.float64).eps)
"""Probabilities are kept this far from 0 and 1 under a logarithm, as in scikit-learn."""

Losses = Callable[[FloatArray, Any], FloatArray]


@dataclass(frozen=True, eq=False, repr=False)
class ProbabilityMeasure(Entry):
    """A measure of scores or probabilities of each class, one column per class.

    Parameters
    ----------
    function : callable
        ``function(p, classes)``: the loss of each row of probabilities where these are the true classes, and
        with None for them where each class is, (rows, classes); or ``function(sizes)``: the weight of each
        pair of classes.
    optimum : callable
        ``optimum(sizes, zero_division)``: the best and the worst that blind predictions expect.
    """

    kind: ClassVar[str] = "probabilities"
    named_classes: ClassVar[int] = 0

    function: Callable[..., FloatArray]
    optimum: Callable[[IntArray, float], ClassOptimum] = field(kw_only=True)
    pairs: bool = field(default=False, kw_only=True)  # whether it is a mean over pairs of classes
    ordered: bool = field(default=False, kw_only=True)  # whether it takes the classes in their order
    claim: str = field(kw_only=True)

    counts_right: ClassVar[bool] = False

    @property
    def probabilities(self) -> bool:
        """Whether rows must add up to 1."""
        return not self.pairs

    def most(self, classes: int) -> float | None:
        """Return what a sample may lose; None of a loss without an end."""
        if self.ordered:
            return classes - 1.0
        return self.bounds[1] if math.isfinite(self.bounds[1]) else None

    def perfect(self, sizes: IntArray) -> float:
        """Return the value of a perfect model; nan where there is no value."""
        if self.pairs and (np.count_nonzero(sizes) < max(2, len(sizes))):
            return math.nan
        return 1.0 if self.pairs else 0.0

    def lost_by_one(self, sizes: IntArray) -> float:
        """Return what constants lose that are off by one sample, as the shares of a split may be.

        The one that loses less of those that have moved a sample between the two largest classes; 0 where
        these have one sample each, and would be ruled out.
        """
        if self.pairs or np.count_nonzero(sizes) < 2:
            return 0.0
        first, second = np.argsort(-sizes, kind="stable")[:2].tolist()
        if sizes[first] == 1:
            return 0.0
        rows = np.repeat(sizes[None], 3, axis=0)
        rows[1:, first] += [-1, 1]
        rows[1:, second] += [1, -1]
        classes, shares = np.flatnonzero(sizes), sizes / sizes.sum()
        best, *others = (
            float(shares[classes] @ self.function(np.broadcast_to(row, (len(classes), len(row))), classes))
            for row in rows / sizes.sum()
        )
        return max(0.0, min(others) - best)


def _log_loss(p: FloatArray, classes: Any) -> FloatArray:
    of_truth = p if classes is None else p[np.arange(len(p)), classes]
    return -np.log(np.clip(of_truth, EPSILON, 1 - EPSILON))


def _brier_score(p: FloatArray, classes: Any) -> FloatArray:
    squares = np.einsum("ij,ij->i", p, p) + 1
    return np.asarray(
        squares[:, None] - 2 * p if classes is None else squares - 2 * p[np.arange(len(p)), classes]
    )


def _rps(p: FloatArray, classes: Any) -> FloatArray:
    below, steps = np.cumsum(p[:, :-1], axis=1), np.arange(p.shape[1] - 1)
    if classes is None:
        above = np.cumsum(1 - 2 * below[:, ::-1], axis=1)[:, ::-1]
        squares = np.einsum("ij,ij->i", below, below)
        return np.asarray(squares[:, None] + np.pad(above, ((0, 0), (0, 1))))
    below -= classes.reshape(-1, 1) <= steps
    return np.asarray(np.einsum("ij,ij->i", below, below))


# -- bars: closed forms that the calculator translates -------------------------------------------------------
def _log_loss_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    total = sizes.sum()
    common = 2 * sizes > total
    near_one = np.log1p(-np.where(common, total - sizes, 0) / total)  # where a logarithm would cancel
    logs = np.where(common, near_one, np.log(np.maximum(sizes, 1) / total))
    value = 0 - (sizes / total * logs).sum()
    worst = 0 - (total - sizes.min()) / total * np.log(EPSILON)
    return ClassOptimum(value, np.maximum(worst, value), None, "shares")


def _brier_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    total = sizes.sum()
    value = (sizes / total * ((total - sizes) / total)).sum()
    return ClassOptimum(value, 2 * (total - sizes.min()) / total, None, "shares")


def _rps_bar(sizes: IntArray, _empty: float) -> ClassOptimum:
    total = sizes.sum()
    below = np.cumsum(sizes)
    value = (below / total * ((total - below) / total)).sum()
    steps = np.arange(0, len(sizes))
    first, last = (sizes * steps).sum() / total, (sizes * (len(sizes) - 1 - steps)).sum() / total
    return ClassOptimum(value, np.maximum(first, last), None, "shares")


NO_SAMPLE = NO_BAR._replace(reason=OfAnyMeasure("a class has no sample"))


def _half(sizes: IntArray, _empty: float) -> ClassOptimum:
    if np.count_nonzero(sizes) < 2:
        return NO_BAR
    if sizes.min() == 0:
        return NO_SAMPLE
    return ClassOptimum(0.5, 0.5, None, "scores")


# -- weights of pairs of classes -----------------------------------------------------------------------------
def _one_vs_rest(sizes: FloatArray) -> FloatArray:
    return _off_diagonal(sizes / (sizes.sum() - sizes)[:, None] / len(sizes))


def _one_vs_rest_weighted(sizes: FloatArray) -> FloatArray:
    total = sizes.sum()
    return _off_diagonal(sizes / (total - sizes)[:, None] * (sizes / total)[:, None])


def _one_vs_one(sizes: FloatArray) -> FloatArray:
    classes = len(sizes)
    return _off_diagonal(np.full((classes, classes), 1 / (classes * (classes - 1))))


def _one_vs_one_weighted(sizes: FloatArray) -> FloatArray:
    return _off_diagonal((sizes[:, None] + sizes) / (2 * (len(sizes) - 1) * sizes.sum()))


def _off_diagonal(weights: FloatArray) -> FloatArray:
    return np.where(np.eye(len(weights), dtype=bool), 0.0, weights)


SHARES_CLAIM = (
    "Nothing that ignores its input has a smaller expected loss than the shares of the classes (convexity)."
)
HALF_CLAIM = "Whatever ignores its input ranks half of all pairs of two classes right on average."
TEST_LABELS = "Its bar takes the shares of these test labels; those of training labels do no better."


def _loss(name: str, function: Any, bar: Any, **facts: Any) -> ProbabilityMeasure:
    return ProbabilityMeasure(
        name, function, optimum=bar, greater_is_better=False, claim=SHARES_CLAIM, in_catalogue=True, **facts
    )


def _auc(name: str, weights: Any, **facts: Any) -> ProbabilityMeasure:
    return ProbabilityMeasure(
        name,
        weights,
        optimum=_half,
        claim=HALF_CLAIM,
        pairs=True,
        in_catalogue=True,
        bounds=(0.0, 1.0),
        **facts,
    )


HAND_TILL = "Hand and Till, Machine Learning 45, 2001"
FAWCETT = "Fawcett, Pattern Recognition Letters 27, 2006, section 9"

MEASURES = (
    _loss(
        "log_loss",
        _log_loss,
        _log_loss_bar,
        label="log loss",
        bounds=(0.0, math.inf),
        aliases=("logloss", "cross_entropy", "categorical_cross_entropy", "negative_log_likelihood"),
        formula=r"-\frac1M \sum_i \ln p_{i,y_i}",
        question="How surprising are the true classes under the predicted probabilities?",
        caution=f"{TEST_LABELS} Probabilities are kept 2.2e-16 from 0 and 1, as in scikit-learn.",
        source="Good, J. R. Statist. Soc. B 14, 1952",
    ),
    _loss(
        "brier_score",
        _brier_score,
        _brier_bar,
        label="Brier score",
        bounds=(0.0, 2.0),
        aliases=("brier", "brier_score_loss", "brier_loss"),
        formula=r"\frac1M \sum_i \sum_j (p_{ij} - [y_i = j])^2",
        question="How far are the probabilities of all classes from what happened, in squares?",
        caution=f"{TEST_LABELS} It is a sum over classes: of two, twice that of scikit-learn.",
        source="Brier, Monthly Weather Review 78(1), 1950",
    ),
    _loss(
        "rps",
        _rps,
        _rps_bar,
        label="RPS",
        ordered=True,
        bounds=(0.0, math.inf),
        aliases=("ranked_probability_score",),
        formula=r"\frac1M \sum_i \sum_{j<K} (F_{ij} - [y_i \le j])^2, \quad F_{ij} = \sum_{l \le j} p_{il}",
        question="How far are the probabilities of ordered classes from what happened, by steps?",
        caution=f"Takes the classes in their order, and is not divided by K − 1. {TEST_LABELS}",
        source="Epstein, Journal of Applied Meteorology 8, 1969",
    ),
    _auc(
        "roc_auc_ovr",
        _one_vs_rest,
        label="one-vs-rest AUC",
        aliases=("roc_auc_ovr_macro", "auc_ovr", "macro roc auc"),
        formula=r"\frac1K \sum_a P(s_{ia} > s_{ja} \mid y_i = a \ne y_j)",
        question="How often is a class ranked above the rest by its own column, averaged over classes?",
        source=FAWCETT,
    ),
    _auc(
        "roc_auc_ovr_weighted",
        _one_vs_rest_weighted,
        label="weighted one-vs-rest AUC",
        aliases=("auc_ovr_weighted", "weighted roc auc"),
        formula=r"\sum_a \frac{n_a}{M} P(s_{ia} > s_{ja} \mid y_i = a \ne y_j)",
        question="How often is a class ranked above the rest by its own column, weighted by class sizes?",
        source=FAWCETT,
    ),
    _auc(
        "roc_auc_ovo",
        _one_vs_one,
        label="one-vs-one AUC",
        aliases=("roc_auc_ovo_macro", "auc_ovo", "hand_till", "multiclass auc"),
        formula=r"\frac{1}{K(K-1)} \sum_{a \ne b} P(s_{ia} > s_{ja} \mid y_i = a, y_j = b)",
        question="How often does a column tell its class from another, averaged over pairs of classes?",
        source=HAND_TILL,
    ),
    _auc(
        "roc_auc_ovo_weighted",
        _one_vs_one_weighted,
        label="weighted one-vs-one AUC",
        aliases=("auc_ovo_weighted",),
        formula=r"\sum_{a \ne b} \frac{n_a + n_b}{2(K-1)M} P(s_{ia} > s_{ja} \mid y_i = a, y_j = b)",
        question="How often does a column tell its class from another, weighted by the sizes of both?",
        source=HAND_TILL,
    ),
)  # fmt: skip

register("probabilities", MEASURES)
