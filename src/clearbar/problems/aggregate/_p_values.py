"""How likely are blind predictions to do as well, combined over folds in the same way?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar import hypergeometric as hg
from clearbar._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.baseline import baseline, fill_value
from clearbar.counts import Population
from clearbar.measures import Measure
from clearbar.null import attains, least_true, values_at
from clearbar.problems.aggregate._convolution import reach_of_sum
from clearbar.problems.aggregate._pair import from_pair, is_concave
from clearbar.problems.aggregate._sums import SAME, Atoms, Bracket, probability_of_sum
from clearbar.problems.aggregate._ways import (
    Aggregate,
    admitted,
    by_pair,
    filled,
    pair_fill,
    policy_in_folds,
    skips,
)

UNKNOWN = Bracket(math.nan, math.nan)

MOST_TABLES = 2**21
"""Reachable tables of all folds together up to which the score of each is listed."""

EVERY_DRAW = 2**11
"""Ways to choose a number in each fold up to which the p-value of all is the largest of theirs."""


class Folds:
    """Folds, a measure, a way of combining: what is asked of their law.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    total, positives : ndarray of int, shape (folds,)
        The margins M and P of each fold.
    aggregate : str
        The way of combining.
    undefined : "exclude", "worst" or float
        What to do about outcomes without a value.
    """

    def __init__(
        self,
        measure: Measure,
        total: IntArray,
        positives: IntArray,
        aggregate: Aggregate,
        undefined: Undefined,
    ) -> None:
        self.measure, self.total, self.positives, self.aggregate = measure, total, positives, aggregate
        self.undefined = undefined
        self.policy = policy_in_folds(measure, aggregate, undefined)
        self.largest = measure.greater_is_better is not False

    def matched(self, draws: IntArray, score: float) -> Bracket:
        """Return the p-value of draws with these numbers of predicted positives.

        Parameters
        ----------
        draws : ndarray of int, shape (folds,)
            Predicted positives of each fold.
        score : float
            The score to reach.

        Returns
        -------
        Bracket
        """
        if math.isnan(score):
            return UNKNOWN
        if self.aggregate == "pooled":
            samples = int(self.total.sum())
            fill = fill_value(self.measure, samples, self.undefined, largest=self.largest)
            found = reach_of_sum(self.measure, self.total, self.positives, draws, score, fill=float(fill))
            return Bracket(found, found)
        atoms = self._atoms(draws)
        if atoms is None or not atoms:
            return UNKNOWN
        if by_pair(self.aggregate):
            return self._of_pair(atoms, score)
        return self._of_mean(atoms, score)

    def _atoms(self, draws: IntArray) -> list[Atoms] | None:
        """Return what each fold that counts can add; None where there are too many tables."""
        used = np.ones(len(draws), dtype=bool)
        if skips(self.aggregate):
            used = admitted(self.measure, self.total, self.positives, draws)
            if by_pair(self.aggregate):
                used &= (draws > 0) & (self.positives > 0)
        m, p, k = self.total[used], self.positives[used], draws[used]
        low, high = hg.support(m, p, k)
        if int((high - low + 1).sum()) > MOST_TABLES:
            return None
        width = high - low + 1
        fold = np.repeat(np.arange(len(m)), width)
        start = np.cumsum(width) - width
        tp = np.arange(int(width.sum())) - start[fold] + low[fold]
        probability = hg.pmf(tp, m[fold], p[fold], k[fold])
        values = self._values(tp, m[fold], p[fold], k[fold])
        parts = zip(np.split(values, start[1:], axis=1), np.split(probability, start[1:]), strict=True)
        return [Atoms(one, mass) for one, mass in parts]

    def _values(self, tp: IntArray, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
        if by_pair(self.aggregate):
            fill = pair_fill(self.measure, self.policy)
            sizes = np.stack((k, p)).astype(np.float64)
            ratios: FloatArray = np.divide(tp, sizes, out=np.full(sizes.shape, fill), where=sizes > 0)
            return ratios
        raw = values_at(self.measure, tp, m, p, k)
        return filled(self.measure, np.where(np.isfinite(raw), raw, np.nan), m, self.policy)[None]

    def _of_mean(self, atoms: list[Atoms], score: float) -> Bracket:
        atoms = [_defined(one) for one in atoms]
        if any(not len(one.probabilities) for one in atoms):
            return UNKNOWN
        count = len(atoms)
        sign = 1.0 if self.largest else -1.0
        scale = SAME * max(abs(score), *(float(np.abs(one.values).max()) for one in atoms))

        def reached(sums: FloatArray) -> BoolArray:
            return np.asarray(sign * sums[0] / count >= sign * score - scale)

        return probability_of_sum(atoms, reached, rising=self.largest)

    def _of_pair(self, atoms: list[Atoms], score: float) -> Bracket:
        count = len(atoms)
        sign = 1.0 if self.largest else -1.0

        def reached(sums: FloatArray) -> BoolArray:
            found = from_pair(self.measure, *np.clip(sums / count, 0.0, 1.0))
            with np.errstate(invalid="ignore"):
                return np.asarray(sign * found >= sign * score - SAME * max(abs(score), 1.0))

        if any(np.isnan(one.values).any() for one in atoms):
            return UNKNOWN
        found = probability_of_sum(atoms, reached, rising=True)
        # Off the exact route the bounds need a measure that rises (a loss: falls) in both.
        exact = found.upper == found.lower
        return found if exact or is_concave(self.measure) else UNKNOWN

    def universal(self, score: float, lower: float) -> Bracket:
        """Return the largest probability with which any blind predictions reach a score.

        Parameters
        ----------
        score : float
            The score to reach.
        lower : float
            A probability that some attain.

        Returns
        -------
        Bracket
            Exact for designs so small that all numbers of predicted positives per fold are tried;
            else the upper end is a bound on the mean of independent scores (Hoeffding 1963).
        """
        if math.isnan(score):
            return UNKNOWN
        if math.prod(int(part) + 1 for part in self.total) <= EVERY_DRAW:
            every = itertools.product(*(range(int(part) + 1) for part in self.total))
            tails = [self.matched(np.array(draws), score) for draws in every]
            upper = np.nanmax([0.0, *(one.upper for one in tails)])
            return Bracket(float(upper), float(np.nanmax([0.0, *(one.lower for one in tails)])))
        bound = self._bound(score)
        lower = 0.0 if math.isnan(lower) else lower
        return Bracket(max(bound, lower), lower) if bound < 1.0 else Bracket(math.nan, lower)

    def _bound(self, score: float) -> float:
        low, high = self.measure.bounds
        if by_pair(self.aggregate):
            return self._bound_of_pair(score)
        known = math.isfinite(low) and math.isfinite(high) and _by_margins(self.measure)
        if self.aggregate == "pooled":
            return self._bound_of_pooled(score)
        if not known:
            return 1.0
        population = Population(self.total, self.positives)
        bars = baseline(population, self.measure, undefined=self.policy)
        value = np.asarray(bars.value, dtype=np.float64)
        certified = np.broadcast_to(np.asarray(bars.certified), value.shape)
        if not certified[~np.isnan(value)].all() or (
            self.policy != "exclude" and not _inside(self.policy, low, high)
        ):
            return 1.0
        share = (value - low) / (high - low) if self.largest else (high - value) / (high - low)
        reach = (score - low) / (high - low) if self.largest else (high - score) / (high - low)
        return _mean_bound(share, reach, some=skips(self.aggregate))

    def _bound_of_pooled(self, score: float) -> float:
        """Return a bound from the mean of TP, which is largest where folds rich in positives come first.

        For every TP the largest K at which it still reaches the score has the heaviest tail; the pooled
        TP is a sum of P independent indicators (Vatutin and Mikhailov 1982), so that Hoeffding's bound
        for their mean holds.
        """
        measure, m, p = self.measure, int(self.total.sum()), int(self.positives.sum())
        ordered = measure.better_with_tp and measure.worse_with_fp and _by_margins(measure)
        if not ordered or self.undefined != "exclude" or p > MOST_TABLES or not p:
            return 1.0
        tp = np.arange(p + 1)

        def fails(fp: IntArray, rows: Any) -> BoolArray:
            raw = measure.values(tp[rows], fp, p - tp[rows], m - p - fp)
            return ~attains(raw, score, greater_is_better=measure.greater_is_better)

        low = np.minimum((tp == 0).astype(np.int64), m - p)
        beyond = least_true(fails, low, np.full_like(tp, m - p), np.full_like(tp, -1))
        reached = beyond > low
        alone = measure.values(*np.array([[0], [0], [p], [m - p]]))
        if attains(alone, score, greater_is_better=measure.greater_is_better).any():
            return 1.0
        tp, k = tp[reached], (tp + beyond - 1)[reached]
        order = np.argsort(-(self.positives / self.total), kind="stable")
        edges = np.concatenate(([0], np.cumsum(self.total[order])))
        mean = np.interp(k, edges, np.concatenate(([0], np.cumsum(self.positives[order]))))
        if (tp <= mean).any():
            return 1.0
        missed, expected = p - tp, p - mean
        with np.errstate(divide="ignore", invalid="ignore"):
            divergence = tp * np.log(tp / mean) + np.where(
                missed > 0, missed * np.log(missed / expected), 0.0
            )
        return float(np.exp(-divergence).max(initial=0.0))

    def _bound_of_pair(self, score: float) -> float:
        """Return a bound from precision alone: it must reach what the score needs at the best recall."""
        if not is_concave(self.measure):
            return 1.0
        fill = pair_fill(self.measure, self.policy)
        if not (math.isnan(fill) or fill == 0.0):
            return 1.0
        share = self.positives / self.total
        x = _least_precision(self.measure, score, largest=self.largest)
        return _mean_bound(share, x, some=skips(self.aggregate))


def _defined(one: Atoms) -> Atoms:
    """Leave out outcomes without a value: with them there is no mean, and nothing is reached."""
    keep = ~np.isnan(one.values).any(axis=0)
    return Atoms(one.values[:, keep], one.probabilities[keep])


def _by_margins(measure: Measure) -> bool:
    """Return whether a draw has a value for all outcomes or for none: then the bar bounds its mean."""
    cells = {"TP > 0", "FP > 0", "FN > 0", "TN > 0", "TP + TN > 0", "FN < M", "FP < M"}
    return measure.in_catalogue and not cells & {part.text for part in measure.domain.conjuncts}


def _inside(policy: Any, low: float, high: float) -> bool:
    return policy == "worst" or low <= float(policy) <= high


def _least_precision(measure: Measure, score: float, *, largest: bool) -> float:
    """Return the least precision at which a recall of 1 still lets the score be reached."""
    low, high = 0.0, 1.0
    sign = 1.0 if largest else -1.0
    for _ in range(60):
        middle = (low + high) / 2
        reached = sign * float(from_pair(measure, middle, 1.0)) >= sign * score
        low, high = (low, middle) if reached else (middle, high)
    return low


def _mean_bound(means: FloatArray, reach: float, *, some: bool) -> float:
    """Return a bound on P(mean of independent scores in [0, 1] >= reach), their means at most these.

    exp(tx) lies below its chord, so that E exp(tX) <= 1 - m + m exp(t) (Hoeffding 1963, theorem 1). Where
    folds may be left out, the largest of the bounds for one fold, two folds, ... is one for all.
    """
    means = np.sort(np.clip(means[~np.isnan(means)], 0.0, 1.0))[::-1]
    if not len(means):
        return 1.0
    sizes = range(1, len(means) + 1) if some else (len(means),)
    return max(_chernoff(means[:size], reach) for size in sizes)


def _chernoff(means: FloatArray, reach: float) -> float:
    if reach <= means.mean():
        return 1.0
    if reach >= 1.0:
        return float(np.prod(means))

    def log_bound(t: float) -> float:
        return float(np.log1p(means * math.expm1(t)).sum()) - t * reach * len(means)

    return math.exp(min(_least(log_bound, 0.0, 200.0), 0.0))


def _least(function: Callable[[float], float], low: float, high: float) -> float:
    """Return about the least value of a convex function; every value is a bound."""
    for _ in range(120):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if function(a) <= function(b) else (a, high)
    return function((low + high) / 2)
