"""The p-values of log loss and the Brier score.

For either, a good loss on labels that are dealt out at random is as unlikely as the labels are many:
the mean over all arrangements of exp(-loss) is bounded, and Markov's inequality does the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems._protocol import Tail
from clearbar.problems.scores._arrangements import log_arrangements
from clearbar.problems.scores._chance import Chance
from clearbar.problems.scores._sums import sum_tail

if TYPE_CHECKING:
    from clearbar.problems.scores._measure import ScoreMeasure
    from clearbar.problems.scores._ranking import Ranking


def log_loss_bound(total: int, positives: int, loss: float) -> float:
    """Return an upper bound of P(log loss <= loss) over all probabilities that ignore the features.

    exp(M loss) / C(M, P): the mean likelihood over all arrangements is the probability that independent coins
    show P heads, over C(M, P), and so at most 1 / C(M, P).
    """
    return math.exp(min(0.0, total * loss - log_arrangements(total, positives)))


def brier_bound(total: int, positives: int, loss: float) -> float:
    """Return an upper bound of P(Brier score <= loss) over all probabilities that ignore the features.

    The least, over h and z > 0, of exp(h M loss) z**-P m**M / C(M, P), where m is the largest value of exp(-h
    p**2) + z exp(-h (1 - p)**2).
    """
    share = positives / total
    h, tilt = np.geomspace(0.05, 400.0, 41), np.linspace(-1.0, 1.0, 41)
    width, height = float(h[1] / h[0]), float(tilt[1] - tilt[0])
    centre = (1.0, 0.0)
    for _ in range(4):  # ever finer around the best so far; wherever it ends, the bound holds
        steep, shift = (part.ravel() for part in np.meshgrid(h, tilt))
        shift = shift * 2 * steep
        exponents = steep * loss - share * shift + _log_largest(steep, shift, _COARSE)
        at = int(np.argmin(exponents))
        centre = float(steep[at]), float(shift[at])
        h = centre[0] * width ** np.linspace(-1, 1, 13)
        tilt = centre[1] / (2 * centre[0]) + height * np.linspace(-1, 1, 13)
        width, height = width ** (1 / 6), height / 6
    steepest = np.array([centre[0]])
    largest = _log_largest(steepest, np.array([centre[1]]), _FINE)
    # Around its top the logarithm falls by no more than h times the squared distance.
    slack = centre[0] * float(_FINE[1] - _FINE[0]) ** 2 / 4
    best = centre[0] * loss - share * centre[1] + float(largest[0]) + slack
    return math.exp(min(0.0, total * best - log_arrangements(total, positives)))


_COARSE, _FINE = np.linspace(0.0, 1.0, 65), np.linspace(0.0, 1.0, 65_537)


def _log_largest(h: FloatArray, tilt: FloatArray, p: FloatArray) -> FloatArray:
    """Return the largest of log(exp(-h p**2) + exp(tilt - h (1 - p)**2)) over some p."""
    h, tilt = h[:, None], tilt[:, None]
    largest: FloatArray = np.logaddexp(-h * p**2, tilt - h * (1 - p) ** 2).max(axis=1)
    return largest


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
