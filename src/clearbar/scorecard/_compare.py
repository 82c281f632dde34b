"""Two models on the same samples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from clearbar.core._value import Value
from clearbar.distributions.hypergeometric import log_heads
from clearbar.formatting import number, p_phrase, plural, signed, visible
from clearbar.problems._protocol import Judged

if TYPE_CHECKING:
    from clearbar.scorecard._columns import Columns

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


def compare(card: Columns, a: int, b: int, measure: int) -> Comparison:
    """Compare two models of a scorecard on the whole."""
    first, second = card.models[a], card.models[b]
    if card.counts is None and card.agreements is None:
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
    if n <= EXACT_TO:
        terms = accumulate(range(least), lambda term, i: term * (n - i) // (i + 1), initial=1)
        return float(min(Fraction(1), Fraction(2 * sum(terms), 2**n)))
    largest = math.exp(float(log_heads(np.array([float(least)]), np.array([float(n)]), 0.5)[0]))
    terms_that_count = min(least, 40 * math.isqrt(n) + 100)  # the rest is below 1e-300 of the whole
    falling = least - np.arange(terms_that_count, dtype=np.float64)
    return min(1.0, 2 * largest * (1.0 + float(np.cumprod(falling / (n - falling + 1)).sum())))
