"""Measures of probabilities: log loss, Brier score, and their shares of the best constant's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.recipes import Recipe
from clearbar.problems.scores._likelihood import brier_chance, log_loss_chance
from clearbar.problems.scores._measure import both_needed, entry
from clearbar.problems.scores._ranking import Ranking

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


def _log_losses(ranking: Ranking) -> FloatArray:
    p = ranking.probabilities
    found = (ranking.positives * np.log(p) + ranking.negatives * np.log1p(-p)).sum(axis=-1)
    return np.asarray(-found / ranking.total)


def _brier_scores(ranking: Ranking) -> FloatArray:
    p = ranking.scores
    return np.asarray(
        (ranking.positives * (1 - p) ** 2 + ranking.negatives * p**2).sum(axis=-1) / ranking.total
    )


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
    expected=entropy,
    constant=log_loss_of_constant,
    worst=_worst_log_loss,
    recipe=_prevalence,
    certain=True,
    probabilities=True,
    chance=log_loss_chance(lambda _total, _positives, loss: loss),
    claim=BEST_CONSTANT,
    formula=r"-\frac1M \sum_i y_i \ln p_i + (1 - y_i) \ln(1 - p_i)",
    caution="Its bar takes the prevalence of these test labels; a constant from training labels does no "
    "better. Probabilities are kept the epsilon of their type from 0 and 1, as in scikit-learn: 2.2e-16, "
    "or 1.2e-07 where they are float32.",
    source="Good, J. R. Statist. Soc. B 14, 1952",
)
def log_loss(ranking: Ranking) -> Any:
    return _log_losses(ranking)


@entry(
    question="How far are the predicted probabilities from what happened, in the squared mean?",
    label="Brier score",
    mean_over="samples",
    aliases=("brier", "brier_score_loss", "brier_loss"),
    greater_is_better=False,
    expected=lambda total, positives: positives / total * ((total - positives) / total),
    constant=brier_of_constant,
    worst=lambda total, positives: max(positives, total - positives) / total,
    recipe=_prevalence,
    certain=True,
    probabilities=True,
    chance=brier_chance(lambda _total, _positives, loss: loss),
    claim=BEST_CONSTANT,
    formula=r"\frac1M \sum_i (p_i - y_i)^2",
    caution="Its bar takes the prevalence of these test labels; a constant from training labels does no "
    "better.",
    source="Brier, Monthly Weather Review 78(1), 1950",
)
def brier_score(ranking: Ranking) -> Any:
    return _brier_scores(ranking)


@entry(
    question="Which share of the best constant's log loss is gone?",
    label="D² log loss",
    name="d2_log_loss",
    aliases=("d2_log_loss_score", "d² log loss"),
    bounds=(-math.inf, 1.0),
    expected=lambda _total, _positives: 0.0,
    constant=lambda total, positives, probability: (
        1 - log_loss_of_constant(total, positives, probability) / entropy(total, positives)
    ),
    worst=lambda total, positives: 1 - _worst_log_loss(total, positives) / entropy(total, positives),
    recipe=_prevalence,
    needs=both_needed,
    certain=True,
    probabilities=True,
    chance=log_loss_chance(lambda total, positives, score: (1 - score) * entropy(total, positives)),
    claim=BEST_CONSTANT,
    formula=r"1 - \frac{\text{log loss}}{H(P/M)}",
    caution="It compares with the prevalence of these test labels.",
    source="McFadden, Frontiers in Econometrics, 1974 (pseudo R squared)",
)
def d2_log_loss(ranking: Ranking) -> Any:
    return 1 - _log_losses(ranking) / entropy(ranking.total, ranking.hits)


def _brier_bar(total: int, positives: int) -> float:
    return positives / total * ((total - positives) / total)


@entry(
    question="Which share of the best constant's Brier score is gone?",
    label="D² Brier score",
    name="d2_brier_score",
    aliases=("d2_brier", "brier_skill_score", "bss", "d² brier score"),
    bounds=(-math.inf, 1.0),
    expected=lambda _total, _positives: 0.0,
    constant=lambda total, positives, probability: (
        1 - brier_of_constant(total, positives, probability) / _brier_bar(total, positives)
    ),
    worst=lambda total, positives: (
        1 - max(positives, total - positives) / total / _brier_bar(total, positives)
    ),
    recipe=_prevalence,
    needs=both_needed,
    certain=True,
    probabilities=True,
    chance=brier_chance(lambda total, positives, score: (1 - score) * _brier_bar(total, positives)),
    claim=BEST_CONSTANT,
    formula=r"1 - \frac{\text{Brier}}{PN/M^2}",
    caution="It compares with the prevalence of these test labels.",
    source="Murphy, Journal of Applied Meteorology 12, 1973",
)
def d2_brier_score(ranking: Ranking) -> Any:
    return 1 - _brier_scores(ranking) / _brier_bar(ranking.total, ranking.hits)
