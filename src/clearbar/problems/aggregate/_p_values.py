"""How likely are blind predictions to do as well, combined over folds in the same way?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from clearbar import hypergeometric as hg
from clearbar._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.baseline import fill_value
from clearbar.measures import Measure
from clearbar.null import values_at
from clearbar.problems.aggregate._bounds import bound, in_each
from clearbar.problems.aggregate._convolution import reach_of_sum
from clearbar.problems.aggregate._pair import from_pair, is_concave, lines
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


WORTH = 1e-3
"""Bounds above this are worth a search for draws that come near them."""

FEW_TABLES = 2**12
"""Tables of all folds up to which some draws in every fold are tried."""

SHARES = 5
"""Shares of the samples of every fold that are predicted positive in these."""

DRAWS = 48
"""Numbers of predicted positives tried in one fold where the others are left out."""


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
        if found.upper == found.lower:
            return found
        return self._along_a_line(atoms, score, found) if is_concave(self.measure) else UNKNOWN

    def _along_a_line(self, atoms: list[Atoms], score: float, found: Bracket) -> Bracket:
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
        return Bracket(max(min(found.upper, upper), found.lower), found.lower)

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
            else the upper end is a bound; see `bound`.
        """
        if math.isnan(score):
            return UNKNOWN
        if math.prod(int(part) + 1 for part in self.total) <= EVERY_DRAW:
            every = itertools.product(*(range(int(part) + 1) for part in self.total))
            tails = [self.matched(np.array(draws), score) for draws in every]
            upper = np.nanmax([0.0, *(one.upper for one in tails)])
            return Bracket(float(upper), float(np.nanmax([0.0, *(one.lower for one in tails)])))
        found = bound(self.measure, self.total, self.positives, self.aggregate, self.undefined, score)
        lower = 0.0 if math.isnan(lower) else lower
        if found > WORTH and found > lower:
            lower = max([lower, *(self._lower(draws, score) for draws in self._tries(score))])
        if lower >= 1.0 - SAME:
            return Bracket(1.0, 1.0)
        return Bracket(max(found, lower), lower) if found < 1.0 else Bracket(math.nan, lower)

    def _lower(self, draws: IntArray, score: float) -> float:
        found = self.matched(draws, score).lower
        return 0.0 if math.isnan(found) else found

    def _tries(self, score: float) -> Iterator[IntArray]:
        """Generate draws that may reach a score often: as many everywhere; one fold, others left out."""
        if int((np.minimum(self.positives, self.total - self.positives) + 1).sum()) <= FEW_TABLES:
            for share in np.geomspace(1.0 / int(self.total.max()), 1.0, SHARES):
                yield np.maximum(np.rint(share * self.total).astype(np.int64), 1)
        if not skips(self.aggregate):
            return
        left = self._left_out()
        alone = in_each(self.measure, self.total, self.positives, self.policy, score)
        alone[((left < 0).sum() - (left < 0)) > 0] = -1.0  # another fold must count as well
        at = int(np.argmax(alone))
        if alone[at] > 0:
            most = int(self.total[at])
            for draws in np.unique(np.rint(np.geomspace(1, most, min(most, DRAWS))).astype(np.int64)):
                yield np.where(np.arange(len(left)) == at, draws, left)

    def _left_out(self) -> IntArray:
        """Return for each fold a number of predicted positives that leaves it out; -1 where none does."""
        found = np.full(self.total.shape, -1)
        for draws in (self.total, 0 * self.total):
            used = admitted(self.measure, self.total, self.positives, draws)
            if by_pair(self.aggregate):
                used &= (draws > 0) & (self.positives > 0)
            found = np.where(used, found, draws)
        return found


def _defined(one: Atoms) -> Atoms:
    """Leave out outcomes without a value: with them there is no mean, and nothing is reached."""
    keep = ~np.isnan(one.values).any(axis=0)
    return Atoms(one.values[:, keep], one.probabilities[keep])
