"""Measures of probabilities: log loss, Brier score, and their shares of the best constant's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.bars import Recipe
from clearbar.problems.scores._blind import log_arrangements
from clearbar.problems.scores._measure import Ranking, ScoreMeasure, both_needed, entry

EPSILON = float(np.finfo(np.float64).eps)
"""Constant probabilities are kept this far from 0 and 1."""


def log_loss_of_constant(total: int, positives: int, probability: float) -> float:
    """Return the log loss of giving every sample one probability, in nats."""
    p = min(max(probability, EPSILON), 1 - EPSILON)
    share = positives / total
    if probability == share and share in (0.0, 1.0):
        return 0.0
    return -(share * math.log(p) + (1 - share) * math.log1p(-p))


def worst_log_loss(total: int, positives: int) -> float:
    """Return the log loss of the worst constant: 0 or 1."""
    if positives in (0, total):
        return -math.log(EPSILON)
    return max(log_loss_of_constant(total, positives, end) for end in (0.0, 1.0))


def brier_of_constant(total: int, positives: int, probability: float) -> float:
    """Return the Brier score of giving every sample one probability."""
    share = positives / total
    return share * (1 - probability) ** 2 + (1 - share) * probability**2


def log_loss_bound(total: int, positives: int, loss: float) -> float:
    """Return an upper bound of P(log loss <= loss) over all probabilities that ignore the features.

    exp(M loss) / C(M, P): the mean likelihood over all arrangements is the probability that independent coins
    show P heads, over C(M, P), and so at most 1 / C(M, P); Markov's inequality does the rest.
    """
    return math.exp(min(0.0, total * max(loss, 0.0) - log_arrangements(total, positives)))


def brier_bound(total: int, positives: int, loss: float) -> float:
    """Return an upper bound of P(Brier score <= loss) over all probabilities that ignore the features.

    The least, over h > 0 and shift, of exp(h M loss - P shift) m**M / C(M, P), where m is the largest value
    over p of exp(-h p**2) + exp(shift - h (1 - p)**2). It holds wherever the search for the least one ends.
    """
    from scipy.optimize import minimize

    grid, loss = np.linspace(0.0, 1.0, 65_537), max(loss, 0.0)

    def exponent(place: FloatArray, p: FloatArray) -> float:
        steep = math.exp(float(place[0]))
        shift = 2 * steep * place[1]
        largest = np.logaddexp(-steep * p**2, shift - steep * (1 - p) ** 2).max()
        return float(steep * loss - positives / total * shift + largest)

    coarse = grid[::1024]
    starts = np.array([(math.log(steep), tilt) for steep in (0.2, 2, 20, 200) for tilt in (-0.5, 0, 0.5)])
    start = min(starts, key=lambda place: exponent(place, coarse))
    options = {"xatol": 1e-6, "fatol": 1e-12}
    place: FloatArray = minimize(exponent, start, (coarse,), "Nelder-Mead", options=options).x
    # Around its top the logarithm falls by no more than h times the squared distance to the grid.
    off_grid = math.exp(place[0]) * float(grid[1]) ** 2 / 4
    best = exponent(place, grid) + off_grid
    return math.exp(min(0.0, total * best - log_arrangements(total, positives)))


TEST_LABELS = (
    "Its bar takes the prevalence of these test labels; a constant from training labels does no better."
)

BEST_CONSTANT: dict[str, Any] = {
    "recipe": lambda total, positives: Recipe(
        "give", f"every sample the probability {positives / total:.3g}"
    ),
    "certain": True,
    "probabilities": True,
    "interval_of": "",
    "claim": "Nothing that ignores its input has a smaller expected loss than the best constant (convexity).",
}
"""What the bars of proper losses have in common: their best constant is the prevalence."""


@entry(
    question="How surprising are the true labels under the predicted probabilities?",
    label="log loss",
    mean_over="samples",
    aliases=(
        "logloss",
        "cross_entropy",
        "binary_cross_entropy",
        "bce",
        "logistic_loss",
        "negative_log_likelihood",
    ),
    greater_is_better=False,
    bounds=(0.0, math.inf),
    expected=lambda total, positives: log_loss_of_constant(total, positives, positives / total),
    constant=log_loss_of_constant,
    worst=worst_log_loss,
    losses=lambda p: -np.column_stack([np.log1p(-p), np.log(p)]),
    bound=log_loss_bound,
    formula=r"-\frac1M \sum_i y_i \ln p_i + (1 - y_i) \ln(1 - p_i)",
    caution=f"{TEST_LABELS} Probabilities are kept the epsilon of their type from 0 and 1, as in "
    "scikit-learn: 2.2e-16, or 1.2e-07 where they are float32.",
    source="Good, J. R. Statist. Soc. B 14, 1952",
    **BEST_CONSTANT,
)
def log_loss(ranking: Ranking) -> Any:
    p = ranking.probabilities
    surprise = (ranking.positives * np.log(p) + ranking.negatives * np.log1p(-p)).sum(axis=-1)
    return -surprise / ranking.total


@entry(
    question="How far are the predicted probabilities from what happened, in the squared mean?",
    label="Brier score",
    mean_over="samples",
    aliases=("brier", "brier_score_loss", "brier_loss"),
    greater_is_better=False,
    expected=lambda total, positives: positives / total * ((total - positives) / total),
    constant=brier_of_constant,
    worst=lambda total, positives: max(positives, total - positives) / total,
    losses=lambda p: np.column_stack([p, 1 - p]) ** 2,
    bound=brier_bound,
    formula=r"\frac1M \sum_i (p_i - y_i)^2",
    caution=TEST_LABELS,
    source="Brier, Monthly Weather Review 78(1), 1950",
    **BEST_CONSTANT,
)
def brier_score(ranking: Ranking) -> Any:
    p = ranking.scores
    return (ranking.positives * (1 - p) ** 2 + ranking.negatives * p**2).sum(axis=-1) / ranking.total


def _share_gone(loss: ScoreMeasure, **facts: Any) -> ScoreMeasure:
    """Return which share of the best constant's loss is gone."""
    bar, constant, worst, bound = loss.expected, loss.constant, loss.worst, loss.bound
    assert constant is not None and worst is not None and bound is not None  # noqa: S101, PT018 - of both

    def share(total: int, positives: int, value: Any) -> Any:
        return 1 - value / bar(total, positives)

    return ScoreMeasure(
        name=f"d2_{loss.name}",
        function=lambda ranking: share(ranking.total, ranking.hits, loss.function(ranking)),
        in_catalogue=True,
        share_of=loss,
        question=f"Which share of the best constant's {loss.label} is gone?",
        bounds=(-math.inf, 1.0),
        expected=lambda _total, _positives: 0.0,
        constant=lambda total, positives, p: share(total, positives, constant(total, positives, p)),
        worst=lambda total, positives: share(total, positives, worst(total, positives)),
        needs=both_needed,
        bound=lambda total, positives, score: bound(total, positives, (1 - score) * bar(total, positives)),
        caution="It compares with the prevalence of these test labels.",
        **BEST_CONSTANT,
        **facts,
    )


d2_log_loss = _share_gone(
    log_loss,
    label="D² log loss",
    aliases=("d2_log_loss_score", "d² log loss"),
    formula=r"1 - \frac{\text{log loss}}{H(P/M)}",
    source="McFadden, Frontiers in Econometrics, 1974 (pseudo R squared)",
)

d2_brier_score = _share_gone(
    brier_score,
    label="D² Brier score",
    aliases=("d2_brier", "brier_skill_score", "bss", "d² brier score"),
    formula=r"1 - \frac{\text{Brier}}{PN/M^2}",
    source="Murphy, Journal of Applied Meteorology 12, 1973",
)


# -- calibration ---------------------------------------------------------------------------------------------
def recalibrated(positives: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the shares of positives of scores in ascending order, pooled until they rise as well."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(positives / sizes, weights=sizes).x)


def _log_loss(p: FloatArray, positives: FloatArray, sizes: FloatArray) -> float:
    """Return the log loss of probabilities as they are: infinite where one of 0 or 1 was wrong."""
    with np.errstate(divide="ignore", invalid="ignore"):
        hits = np.where(positives > 0, positives * np.log(p), 0.0)
        misses = np.where(sizes > positives, (sizes - positives) * np.log1p(-p), 0.0)
    return float(0 - (hits + misses).sum() / sizes.sum())


def _brier_score(p: FloatArray, positives: FloatArray, sizes: FloatArray) -> float:
    return float((positives * (1 - p) ** 2 + (sizes - positives) * p**2).sum() / sizes.sum())


LOSSES: dict[str, Callable[[FloatArray, FloatArray, FloatArray], float]] = {
    "log_loss": _log_loss,
    "brier_score": _brier_score,
}


class Parts(NamedTuple):
    """A loss as miscalibration - discrimination + uncertainty; the last is the bar."""

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def parts_of(name: str, ranking: Ranking) -> Parts:
    """Return the parts of a loss."""
    scores, sizes = ranking.scores[::-1], ranking.sizes[::-1].astype(np.float64)
    positives, loss = ranking.positives[::-1].astype(np.float64), LOSSES[name]
    score = loss(scores, positives, sizes)
    after = loss(recalibrated(positives, sizes), positives, sizes)
    share = np.full(len(sizes), positives.sum() / sizes.sum())
    bar = loss(share, positives, sizes)
    return Parts(score, score - after, bar - after, bar)
