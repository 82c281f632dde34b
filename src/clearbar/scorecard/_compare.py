"""Two models on the same samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from clearbar.core._value import Value
from clearbar.formatting import number, p_phrase, plural, signed, visible
from clearbar.problems._protocol import Judged

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

EXACT_TO = 5_000
"""Samples up to which binomial coefficients are summed as whole numbers."""


@dataclass(frozen=True, eq=False)
class Comparison(Value):
    """How much one model does better than another, and how surely it is more often right.

    Attributes
    ----------
    a, b : str
        The models.
    measure : Measure
        What they are compared by.
    score_difference, skill_difference : float
        Of `a` minus `b`; a positive difference in skill is in favour of `a`.
    only_a_right, only_b_right : int
        Samples that one predicts right and the other wrong.
    p_value : float
        Two-sided exact McNemar test of both being right equally often.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> card = cb.evaluate(y_true, {"a": y_true, "b": [1, 1, 1, 0, 1, 1, 0, 0]}, "f1")
    >>> print(card.compare("a", "b", "f1"))
    a against b: F1 +0.333, skill +1; a alone is right on 3 samples, b alone on 0; McNemar's exact p = 0.25
    """

    a: str
    b: str
    measure: Judged
    score_difference: float
    skill_difference: float
    only_a_right: int
    only_b_right: int
    p_value: float

    def __str__(self) -> str:
        """Say the comparison in one sentence."""
        a, b = visible(self.a), visible(self.b)
        score = number(self.score_difference)
        score = f"+{score}" if self.score_difference > 0 else score
        return (
            f"{a} against {b}: {self.measure.label} {score}, skill {signed(self.skill_difference)}; "
            f"{a} alone is right on {plural(self.only_a_right, 'sample')}, "
            f"{b} alone on {self.only_b_right:,}; McNemar's exact {p_phrase(self.p_value)}"
        )


def compare(card: Scorecard, a: int, b: int, measure: int) -> Comparison:
    """Compare two models of a scorecard on the whole."""
    first, second = card.models[a], card.models[b]
    if card.counts is None:
        msg = (
            "compare tests on which samples the labels of two models differ, and this scorecard judges "
            "scores: compare evaluate(y_true, {name: y_score >= threshold, ...}), or use card.to_frame()."
        )
        raise ValueError(msg)
    known = card.agreements or {}
    if (first, second) in known:
        only_a, only_b = known[first, second]
    elif (second, first) in known:
        only_b, only_a = known[second, first]
    elif a == b:
        only_a = only_b = 0
    else:
        msg = (
            "compare needs to know on which samples the models differ, which counts do not hold; "
            "make the scorecard with evaluate(y_true, {name: y_pred, ...}), one run per model."
        )
        raise ValueError(msg)
    score, skill = card.columns["score"], card.columns["skill"]
    return Comparison(
        first,
        second,
        card.measures[measure],
        float(score[a, 0, measure] - score[b, 0, measure]),
        float(skill[a, 0, measure] - skill[b, 0, measure]),
        int(only_a),
        int(only_b),
        mcnemar(int(only_a), int(only_b)),
    )


def mcnemar(one: int, other: int) -> float:
    """Return the exact two-sided p-value of two discordant counts.

    The probability that a fair coin thrown ``one + other`` times falls at least as unevenly.
    """
    n, least = one + other, min(one, other)
    if one == other:
        return 1.0
    if n > EXACT_TO:
        return min(1.0, 2 * _half_tail(n, least))
    term = total = 1
    for i in range(least):
        term = term * (n - i) // (i + 1)
        total += term
    return min(1.0, 2 * total / 2**n) if n < 1000 else _ratio(2 * total, n)


def _ratio(numerator: int, exponent: int) -> float:
    """Return numerator / 2**exponent where 2**exponent is beyond a float."""
    cut = max(0, numerator.bit_length() - 64)
    return min(1.0, math.ldexp(numerator >> cut, cut - exponent))


def _half_tail(n: int, least: int) -> float:
    """Return P(X <= least) of n fair coins, from its largest term downwards."""
    log_largest = _log_probability(n, least)
    length = min(least, 40 * math.isqrt(n) + 100)  # what is left out is below 1e-300 of the whole
    i = least - np.arange(length, dtype=np.float64)
    return math.exp(log_largest) * float(1.0 + np.cumprod(i / (n - i + 1)).sum())


def _log_probability(n: int, k: int) -> float:
    """Return log P(X = k) of n fair coins by Loader's saddle point: no large numbers cancel."""
    if k == 0:
        return -n * math.log(2)
    x, y = 2 * k / n, 2 * (n - k) / n
    deviance = n / 2 * (_entropy_term(x) + _entropy_term(y))
    error = _stirling(n) - _stirling(k) - _stirling(n - k)
    return error - deviance + 0.5 * math.log(n / (2 * math.pi * k * (n - k)))


def _entropy_term(ratio: float) -> float:
    """Return x log x + 1 - x without cancellation near 1."""
    d = ratio - 1.0
    if abs(d) > 0.1:
        return ratio * math.log(ratio) - d
    total, power = 0.0, d * d
    for i in range(2, 30):  # (1 + d) log(1 + d) - d = sum of (-d)^i / (i (i - 1))
        total += power / (i * (i - 1))
        power *= -d
    return total


def _stirling(n: int) -> float:
    """Return log n! minus Stirling's approximation."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi)
    square = float(n) * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - 1 / 1680 / square) / square) / square) / n
