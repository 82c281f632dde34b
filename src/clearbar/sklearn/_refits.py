"""Refits to shuffled labels: how likely a learner without information scores as well.

Ojala and Garriga, Permutation tests for studying classifier performance, JMLR 11, 2010; stopped early
as in Besag and Clifford, Sequential Monte Carlo p-values, Biometrika 78(2), 1991.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import _safe_indexing

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core._value import generator
from clearbar.evaluation.folds import tests_of
from clearbar.inference.units import Groups
from clearbar.sklearn._fits import Fits, Kind, Tested

FEWEST = 19  # shuffles below which no p-value can be 0.05
FEWEST_AS_GOOD = 10  # the least number of shuffles that score as well at which a row may stop
TOLERANCE = 1e-12  # scores as close as this are equal but for rounding


def checked_permutations(permutations: Any, *, intervals: bool) -> int:
    """Return how many shuffles to try, or say how many may be asked for."""
    is_whole = isinstance(permutations, (int, np.integer)) and not isinstance(permutations, (bool, np.bool_))
    if not is_whole or not (permutations == 0 or permutations >= FEWEST):
        raise ValueError(
            f"permutations must be 0 or a whole number from {FEWEST} up, since fewer cannot show p = 0.05; "
            f"found {permutations!r:.60}."
        )
    if permutations and not intervals:
        raise ValueError(
            "permutations find p_value_blind, which intervals=False leaves out; pass one of them."
        )
    return int(permutations)


def stops_at(permutations: int, alpha: float) -> int:
    """Return how many shuffles must score as well until a row stops: its p-value is above alpha for sure."""
    return max(FEWEST_AS_GOOD, math.floor(alpha * permutations) + 1)


def orders(samples: int, random_state: Any, groups: Groups | None = None) -> Callable[[int], IntArray]:
    """Return a function from the number of a shuffle to its order, in which whole groups trade places."""
    root = int(generator(random_state).integers(2**63))

    def order(shuffle: int) -> IntArray:
        drawn = np.random.default_rng([root, shuffle])
        return drawn.permutation(samples) if groups is None else groups.order(drawn)

    return order


def as_good(values: FloatArray, observed: FloatArray, signs: FloatArray) -> BoolArray:
    """Return which scores reach the observed ones; a score without a value reaches none."""
    with np.errstate(invalid="ignore"):
        return np.asarray(signs * (values - observed) >= -TOLERANCE * np.maximum(1.0, np.abs(observed)))


def p_values(reached: BoolArray, permutations: int, stop: int) -> FloatArray:
    """Return the sequential p-value of each cell; the first axis is that of shuffles, in their order.

    With `stop` as good at the l-th shuffle it is stop/l, else (b + 1)/(B + 1).
    """
    counted = np.cumsum(reached, axis=0)
    stopped = counted[-1] >= stop
    last = np.argmax(counted >= stop, axis=0) + 1
    return np.asarray(
        np.where(stopped, stop / last, (counted[-1] + 1) / (permutations + 1)), dtype=np.float64
    )


def sequential(
    try_out: Callable[[range, BoolArray], BoolArray], judged: BoolArray, total: int, stop: int, at_once: int
) -> FloatArray:
    """Shuffle until every row has stopped or all shuffles are tried, and return the p-values.

    ``try_out(shuffles, models)`` returns which rows are reached, of shape (shuffles, models, measures);
    it need not try models whose rows have all stopped. How many are tried at once changes nothing.
    """
    reached = np.zeros((0, *judged.shape), dtype=bool)

    def rounds() -> Iterator[range]:
        for first in range(0, total, at_once):
            if not unsettled().any():
                return
            yield range(first, min(first + at_once, total))

    def unsettled() -> BoolArray:
        return np.asarray(judged & (reached.sum(axis=0) < stop))

    for shuffles in tracked(rounds(), total, len, "shuffles"):
        reached = np.concatenate([reached, try_out(shuffles, np.asarray(unsettled().any(axis=1)))])
    p = p_values(reached, total, stop) if len(reached) else np.full(judged.shape, np.nan)
    return np.where(judged, p, np.nan)


@dataclass(frozen=True)
class Study:
    """A cross-validation that can be run again on other labels."""

    kind: Kind
    fits: Fits
    splitter: Any
    y: Any
    truth: Any
    groups: Any

    def p_blind(
        self, observed: FloatArray, order: Callable[[int], IntArray], permutations: int, alpha: float
    ) -> FloatArray:
        """Return for observed scores of shape (models, measures) how likely refits score as well."""
        better = [measure.greater_is_better for measure in self.kind.measures]
        signs = np.array([-1.0 if up is False else 1.0 for up in better])
        judged: BoolArray = np.asarray(~np.isnan(observed) & [up is not None for up in better])

        def try_out(shuffles: range, models: BoolArray) -> BoolArray:
            return as_good(
                self._scores([order(shuffle) for shuffle in shuffles], models, signs), observed, signs
            )

        jobs = effective_n_jobs(self.fits.n_jobs)
        at_once = 1 if jobs == 1 else 2 * jobs
        return sequential(try_out, judged, permutations, stops_at(permutations, alpha), at_once)

    def _scores(self, orders: Sequence[IntArray], models: BoolArray, signs: FloatArray) -> FloatArray:
        """Refit models; where a training set holds one class nothing is fitted, and no score is better."""
        names = [name for name, unsettled in zip(self.fits.models, models, strict=True) if unsettled]
        labels = [_safe_indexing(self.y, order) for order in orders]
        splits = [list(self.splitter.split(self.fits.X, y, self.groups)) for y in labels]
        truths = [self.truth[order] for order in orders]
        learnable = [
            index
            for index, truth in enumerate(truths)
            if all(len(np.unique(truth[train])) > 1 for train, _ in splits[index])
        ]
        responses = self.fits.of(
            [(name, labels[index], splits[index]) for index in learnable for name in names]
        )
        scores = np.empty((len(orders), len(models), len(signs)))
        scores[:] = np.inf * signs
        for index in learnable:
            predictions = {name: list(islice(responses, len(splits[index]))) for name in names}
            tested = Tested(*tests_of(splits[index], len(self.truth)))
            scores[index, models] = self.kind.scores(truths[index], predictions, tested)
        return scores
