"""Do predictions know anything about labels, where samples come in groups of unequal sizes?

Labels of groups can only be permuted among groups of equal size. Where sizes hardly repeat, each group's
contribution to the agreement of labels and predictions is tested instead: it is 0 on average if the
predictions of a group tell nothing about its labels. Groups are independent, so that the t of their
contributions is Student's as far as they are normal. Its degrees of freedom are those of G* groups of equal
size, G* = (sum of sizes)^2 / sum of their squares (Kish 1965, section 8.2, of weights): with G - 1 of them a
group that holds half of the samples would make blind predictions significant in 13 to 22 % at 5 %.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.student_t import upper_tail

ROUNDING = 1e-12
"""Spread of contributions, relative to their size, below which they are all the same."""


class GroupTest(NamedTuple):
    """The t of the groups' contributions, and the one-sided p-value of no agreement."""

    t: float
    effective_groups: float
    p_value: float


def group_test(contributions: FloatArray, sizes: FloatArray | IntArray) -> GroupTest:
    """Test whether contributions of groups are 0 on average, against that they are larger.

    The t is that of their mean, uncorrelated under the null hypothesis; were it not centred at their mean, it
    could not exceed the square root of the number of groups less one, and five groups would never be sure.
    Contributions that are all the same have no spread: that all are positive has probability 2^-G then, of
    contributions that may as well be negative; so that nothing is less likely, however small the spread.
    """
    number = len(contributions)
    effective = effective_groups(sizes)
    mean, spread = float(contributions.mean()), float(contributions.std(ddof=1))
    if spread <= ROUNDING * float(np.abs(contributions).max(initial=0.0)):
        agree = mean > ROUNDING * float(np.max(sizes))
        return GroupTest(math.inf if agree else 0.0, effective, 2.0**-number if agree else 1.0)
    t = mean * math.sqrt(number) / spread
    return GroupTest(t, effective, max(2.0**-number, upper_tail(t, max(1.0, effective - 1))))


def effective_groups(sizes: FloatArray | IntArray) -> float:
    """Return how many groups of equal size tell as much as groups of these sizes."""
    weights = np.asarray(sizes, dtype=np.float64)
    return float(weights.sum() ** 2 / (weights**2).sum())


def agreement(truth: IntArray, called: IntArray, classes: int) -> FloatArray:
    """Return what each sample adds to the agreement of labels and predictions beyond what shares explain.

    1(y = p), less its mean over predictions given the label, and over labels given the prediction, plus that
    over both. `called` has shape (runs, samples); the mean over runs is returned.
    """
    of_truth = np.bincount(truth, minlength=classes) / len(truth)
    total = np.zeros(len(truth))
    for run in called:
        of_run = np.bincount(run, minlength=classes) / len(run)
        total += (truth == run) - of_run[truth] - of_truth[run] + of_truth @ of_run
    return np.asarray(total / len(called))


def products(truth: FloatArray | BoolArray, called: FloatArray | BoolArray) -> FloatArray:
    """Return what each sample adds to a covariance."""
    y, f = (np.asarray(side, dtype=np.float64) for side in (truth, called))
    return np.asarray((y - y.mean()) * (f - f.mean()))


def rank_agreement(truth: BoolArray, scores: FloatArray) -> FloatArray:
    """Return what each sample adds to the covariance of labels and mid-ranks of scores."""
    _, places, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - counts / 2
    return products(truth, ranks[places.reshape(-1)])
