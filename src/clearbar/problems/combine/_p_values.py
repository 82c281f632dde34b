"""How likely are blind predictions to do as well, combined over folds in the same way?"""

from __future__ import annotations

import math

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.distributions import hypergeometric as hg
from clearbar.distributions.null import values_at
from clearbar.problems._protocol import Tail
from clearbar.problems.binary import fill_value
from clearbar.problems.combine._convolution import reach_of_sum
from clearbar.problems.combine._pair import from_pair, is_concave, lines
from clearbar.problems.combine._sums import SAME, Atoms, probability_of_sum
from clearbar.problems.combine._ways import (
    Aggregate,
    admitted,
    by_pair,
    filled,
    pair_fill,
    policy_in_folds,
    skips,
)

UNKNOWN = Tail(math.nan, math.nan)

MOST_TABLES = 2**21
"""Reachable tables of all folds together up to which the score of each is listed."""


class Folds:
    """Folds, a measure, a way of combining: what is asked of their law."""

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

    def matched(self, draws: IntArray, score: float) -> Tail:
        """Return the p-value of draws with these numbers of predicted positives."""
        if math.isnan(score):
            return UNKNOWN
        if self.aggregate == "pooled":
            samples = int(self.total.sum())
            fill = fill_value(self.measure, samples, self.undefined, largest=self.largest)
            found = reach_of_sum(self.measure, self.total, self.positives, draws, score, fill=float(fill))
            return Tail(found, found)
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
        fold, at, start = hg.laid_out(high - low + 1)
        tp = at + low[fold]
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

    def _of_mean(self, atoms: list[Atoms], score: float) -> Tail:
        atoms = [_defined(one) for one in atoms]
        if any(not len(one.probabilities) for one in atoms):
            return UNKNOWN
        count = len(atoms)
        sign = 1.0 if self.largest else -1.0
        scale = SAME * max(abs(score), *(float(np.abs(one.values).max()) for one in atoms))

        def reached(sums: FloatArray) -> BoolArray:
            return np.asarray(sign * sums[0] / count >= sign * score - scale)

        return probability_of_sum(atoms, reached, rising=self.largest)

    def _of_pair(self, atoms: list[Atoms], score: float) -> Tail:
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
        if found.upper == found.lower:
            return found
        return self._along_a_line(atoms, score, found) if is_concave(self.measure) else UNKNOWN

    def _along_a_line(self, atoms: list[Atoms], score: float, found: Tail) -> Tail:
        """Lower the upper end: of the sums of precision and recall that the score needs, ask the rarest."""
        means = np.array([one.values @ one.probabilities for one in atoms])
        seconds = np.array([(one.values * one.probabilities) @ one.values.T for one in atoms])
        centre, spread = means.mean(axis=0), (seconds - means[:, :, None] * means[:, None, :]).sum(axis=0)
        rarest, weights, reach = 0.0, None, 0.0
        for weight, least in lines(self.measure, score):
            both = np.array([weight, 1.0 - weight])
            far = (least - both @ centre) / math.sqrt(max(both @ spread @ both, 1e-300))
            if far > rarest:
                rarest, weights, reach = far, both, least
        if weights is None:
            return found
        along = [Atoms((weights @ one.values)[None], one.probabilities) for one in atoms]
        upper = probability_of_sum(
            along, lambda sums: np.asarray(sums[0] / len(atoms) >= reach - SAME), rising=True
        ).upper
        return Tail(max(min(found.upper, upper), found.lower), found.lower)


def _defined(one: Atoms) -> Atoms:
    """Leave out outcomes without a value: with them there is no mean, and nothing is reached."""
    keep = ~np.isnan(one.values).any(axis=0)
    return Atoms(one.values[:, keep], one.probabilities[keep])
