"""Measures of probabilities: log loss, Brier score, and their shares of the best constant's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems._protocol import Tail
from clearbar.problems.recipes import Recipe
from clearbar.problems.scores._chance import Chance, log_arrangements, of_any
from clearbar.problems.scores._measure import ScoreMeasure, both_needed, entry
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._sums import sum_tail

EPSILON = float(np.finfo(np.float64).eps)
"""Constant probabilities are kept this far from 0 and 1."""

LARGEST_LOG_LOSS = -math.log(EPSILON)

BEST_CONSTANT = (
    "Nothing that ignores its input has a smaller expected loss than the best constant (convexity)."
)


def entropy(total: int, positives: int) -> float:
    """Return the log loss of the constant P / M, in nats."""
    return log_loss_of_constant(total, positives, positives / total)


def log_loss_of_constant(total: int, positives: int, probability: float) -> float:
    """Return the log loss of giving every sample one probability."""
    p = min(max(probability, EPSILON), 1 - EPSILON)
    share = positives / total
    if probability == share and share in (0.0, 1.0):
        return 0.0
    return -(share * math.log(p) + (1 - share) * math.log1p(-p))


def brier_of_constant(total: int, positives: int, probability: float) -> float:
    """Return the Brier score of giving every sample one probability."""
    share = positives / total
    return share * (1 - probability) ** 2 + (1 - share) * probability**2


def _prevalence(total: int, positives: int) -> Recipe:
    return Recipe("give", f"every sample the probability {positives / total:.3g}")


def _worst_log_loss(total: int, positives: int) -> float:
    if positives in (0, total):
        return LARGEST_LOG_LOSS
    return max(log_loss_of_constant(total, positives, end) for end in (0.0, 1.0))


def log_loss_bound(total: int, positives: int, loss: float) -> float:
    """Return an upper bound of P(log loss <= loss) over all probabilities that ignore the features.

    exp(M loss) / C(M, P): the mean likelihood over all arrangements is the probability that independent coins
    show P heads, over C(M, P), and so at most 1 / C(M, P); Markov's inequality does the rest.
    """
    return math.exp(min(0.0, total * loss - log_arrangements(total, positives)))


def brier_bound(total: int, positives: int, loss: float) -> float:
    """Return an upper bound of P(Brier score <= loss) over all probabilities that ignore the features.

    The least, over h > 0 and shift, of exp(h M loss - P shift) m**M / C(M, P), where m is the largest value
    over p of exp(-h p**2) + exp(shift - h (1 - p)**2). It holds wherever the search for the least one ends.
    """
    from scipy.optimize import minimize

    share = positives / total
    grid = np.linspace(0.0, 1.0, 65_537)

    def exponent(steep: float, shift: float, p: FloatArray) -> float:
        largest = np.logaddexp(-steep * p**2, shift - steep * (1 - p) ** 2).max()
        return steep * loss - share * shift + float(largest)

    def coarse(place: FloatArray) -> float:
        steep = math.exp(place[0])
        return exponent(steep, 2 * steep * place[1], grid[::1024])

    starts = [(math.log(steep), tilt) for steep in (0.2, 2.0, 20.0, 200.0) for tilt in (-0.5, 0.0, 0.5)]
    start = min(starts, key=lambda place: coarse(np.array(place)))
    place = minimize(coarse, np.array(start), method="Nelder-Mead", options={"xatol": 1e-6, "fatol": 1e-12}).x
    steep = math.exp(place[0])
    # Around its top the logarithm falls by no more than h times the squared distance to the grid.
    off_grid = steep * float(grid[1]) ** 2 / 4
    best = exponent(steep, 2 * steep * float(place[1]), grid) + off_grid
    return math.exp(min(0.0, total * best - log_arrangements(total, positives)))


def _chance(bound: Callable[[int, int, float], float], weigh: Callable[[Ranking], FloatArray]) -> Chance:
    def universal(total: int, positives: int, loss: float) -> Tail:
        # Nothing does better than the labels themselves, shuffled.
        perfect = math.exp(-log_arrangements(total, positives))
        return Tail.between(perfect, bound(total, positives, max(loss, 0.0)))

    def matched(_measure: ScoreMeasure, ranking: Ranking, _score: float) -> Tail:
        weights = weigh(ranking)
        observed = float((weights * ranking.positives).sum())
        return sum_tail(weights, ranking.sizes, ranking.hits, observed)

    return Chance(universal, matched)


def _log_odds(ranking: Ranking) -> FloatArray:
    p = ranking.probabilities
    return np.asarray(np.log(p) - np.log1p(-p))


LOG_LOSS = _chance(log_loss_bound, _log_odds)

BRIER = _chance(brier_bound, lambda ranking: ranking.scores)


@entry(
    question="How surprising are the true labels under the predicted probabilities?",
    label="log loss",
    mean_over="samples",
    interval_of="",
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
    expected=entropy,
    constant=log_loss_of_constant,
    worst=_worst_log_loss,
    recipe=_prevalence,
    certain=True,
    probabilities=True,
    chance=LOG_LOSS,
    claim=BEST_CONSTANT,
    formula=r"-\frac1M \sum_i y_i \ln p_i + (1 - y_i) \ln(1 - p_i)",
    caution="Its bar takes the prevalence of these test labels; a constant from training labels does no "
    "better. Probabilities are kept the epsilon of their type from 0 and 1, as in scikit-learn: 2.2e-16, "
    "or 1.2e-07 where they are float32.",
    source="Good, J. R. Statist. Soc. B 14, 1952",
)
def log_loss(ranking: Ranking) -> Any:
    p = ranking.probabilities
    surprise = (ranking.positives * np.log(p) + ranking.negatives * np.log1p(-p)).sum(axis=-1)
    return -surprise / ranking.total


@entry(
    question="How far are the predicted probabilities from what happened, in the squared mean?",
    label="Brier score",
    mean_over="samples",
    interval_of="",
    aliases=("brier", "brier_score_loss", "brier_loss"),
    greater_is_better=False,
    expected=lambda total, positives: positives / total * ((total - positives) / total),
    constant=brier_of_constant,
    worst=lambda total, positives: max(positives, total - positives) / total,
    recipe=_prevalence,
    certain=True,
    probabilities=True,
    chance=BRIER,
    claim=BEST_CONSTANT,
    formula=r"\frac1M \sum_i (p_i - y_i)^2",
    caution="Its bar takes the prevalence of these test labels; a constant from training labels does no "
    "better.",
    source="Brier, Monthly Weather Review 78(1), 1950",
)
def brier_score(ranking: Ranking) -> Any:
    p = ranking.scores
    return (ranking.positives * (1 - p) ** 2 + ranking.negatives * p**2).sum(axis=-1) / ranking.total


def _share_gone(loss: ScoreMeasure, **facts: Any) -> ScoreMeasure:
    """Return which share of the best constant's loss is gone."""
    bar = loss.expected

    def share(total: int, positives: int, value: Any) -> Any:
        return 1 - value / bar(total, positives)

    @entry(
        question=f"Which share of the best constant's {loss.label} is gone?",
        bounds=(-math.inf, 1.0),
        interval_of="",
        expected=lambda _total, _positives: 0.0,
        constant=lambda total, positives, probability: share(
            total,
            positives,
            loss.constant(total, positives, probability),  # type: ignore[misc]
        ),
        worst=lambda total, positives: share(total, positives, loss.worst(total, positives)),  # type: ignore[misc]
        recipe=_prevalence,
        needs=both_needed,
        certain=True,
        probabilities=True,
        chance=Chance(
            lambda total, positives, score: of_any(
                loss, total, positives, (1 - score) * bar(total, positives)
            ),
            loss.chance.matched,
        ),
        claim=BEST_CONSTANT,
        caution="It compares with the prevalence of these test labels.",
        **facts,
    )
    def measure(ranking: Ranking) -> Any:
        return share(ranking.total, ranking.hits, loss.function(ranking))

    return measure


d2_log_loss = _share_gone(
    log_loss,
    label="D² log loss",
    name="d2_log_loss",
    aliases=("d2_log_loss_score", "d² log loss"),
    formula=r"1 - \frac{\text{log loss}}{H(P/M)}",
    source="McFadden, Frontiers in Econometrics, 1974 (pseudo R squared)",
)

d2_brier_score = _share_gone(
    brier_score,
    label="D² Brier score",
    name="d2_brier_score",
    aliases=("d2_brier", "brier_skill_score", "bss", "d² brier score"),
    formula=r"1 - \frac{\text{Brier}}{PN/M^2}",
    source="Murphy, Journal of Applied Meteorology 12, 1973",
)
