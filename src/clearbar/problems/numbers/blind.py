"""How likely targets in random order score as well: one set of orders for all measures and models.

Where targets in any order compare by a sum of products u(y) v(f), all models are compared by one product of
matrices.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.bootstrap import at_least_as_good
from clearbar.problems.numbers._measure import NumberMeasure, Order
from clearbar.problems.numbers._pairs import MOST_SHUFFLED, Pairs
from clearbar.problems.numbers._ranks import ranks

RANK_BINS = 256
"""Bins of ranks whose pairs are counted together, where samples are many."""

AT_ONCE = 1 << 15
"""Samples whose losses are added up at once."""


def p_values(
    measures: Sequence[NumberMeasure], pairs: Pairs, seed: int, finest: float = 1.0
) -> tuple[FloatArray, int]:
    """Return (b + 1)/(B + 1), of shape (models, measures), and B."""
    samples = len(pairs.y)
    slow = samples <= MOST_SHUFFLED and any(m.loss is None and m.order is None for m in measures)
    cost = samples * (max(samples - 1, 1).bit_length() if slow else 1)
    y, predicted, all_orders = pairs.permuted(np.random.default_rng(seed), cost, finest)
    compared = {
        _key(measure): _Products.of(measure, y, predicted, shifted=pairs.shifted) for measure in measures
    }
    permuted: dict[object, list[FloatArray]] = {key: [] for key in compared}
    drawn = 0
    for orders in all_orders:
        drawn += len(orders)
        for key, one in compared.items():
            permuted[key].append(one.values(orders))
    values = {key: np.concatenate(parts, axis=1) for key, parts in permuted.items()}
    tails = np.empty((len(pairs.predicted), len(measures)))
    for at, measure in enumerate(measures):
        key = _key(measure)
        for model, score in enumerate(compared[key].observed):
            tails[model, at] = at_least_as_good(values[key][model], score, greater_is_better=True)
    return tails, drawn


def _key(measure: NumberMeasure) -> object:
    """Return what measures share that compare targets in random order alike."""
    return measure.order or measure.name


class _Products:
    """Targets in random order, compared by sums of products, the larger the better: (models, orders)."""

    def __init__(self, u: FloatArray, v: FloatArray, *, shifted: bool) -> None:
        self.u, self.v = _unit(u), _unit(v)
        self.observed = (self.v @ self.u).tolist()
        # Of targets moved round, all sums of products at once: a circular correlation.
        rounds = (
            np.fft.irfft(np.fft.rfft(self.u) * np.fft.rfft(self.v).conj(), len(self.u)) if shifted else None
        )
        self.by_shift: FloatArray | None = rounds

    @staticmethod
    def of(
        measure: NumberMeasure, y: FloatArray, predicted: FloatArray, *, shifted: bool
    ) -> _Products | _Values | _BinnedRanks:
        """Return what compares as this measure does; `shifted` if orders only move all targets round."""
        if measure.order is None and measure.ranked and len(y) > MOST_SHUFFLED:
            return _BinnedRanks(y, predicted)
        if measure.order is None:
            return _Values(measure, y, predicted, shifted=shifted)
        order: Order = measure.order
        return _Products(order.u(y), np.array([order.v(f) for f in predicted]), shifted=shifted)

    def values(self, orders: IntArray) -> FloatArray:
        if self.by_shift is not None:
            return self.by_shift[:, orders[:, 0]]
        return np.asarray((self.u[orders] @ self.v.T).T)


def _unit(values: FloatArray) -> FloatArray:
    """Return values from their mean, of length 1 or 0."""
    largest = np.abs(values).max(axis=-1, keepdims=True)
    scaled = values / np.where(largest > 0, largest, 1.0)
    off = scaled - scaled.mean(axis=-1, keepdims=True)
    size = np.sqrt((off**2).sum(axis=-1, keepdims=True))
    return np.asarray(off / np.where(size > 0, size, 1.0))


class _Values:
    """Likewise by the measure itself, or the loss that it follows."""

    def __init__(
        self, measure: NumberMeasure, y: FloatArray, predicted: FloatArray, *, shifted: bool
    ) -> None:
        self.measure, self.y, self.predicted = measure, y, predicted
        self.twice = np.concatenate([y, y]) if shifted else None
        scores = self._scores(np.arange(len(y))[None])[:, 0]
        self.scale = np.where(scores != 0, np.abs(scores), 1.0)[:, None]
        self.observed = (scores / self.scale[:, 0]).tolist()

    def _targets(self, orders: IntArray) -> FloatArray:
        """Return targets in these orders; moved round, by one order at a time, without a copy."""
        if self.twice is None:
            return self.y[orders]
        (first,) = orders[:, 0].tolist()
        return self.twice[None, first : first + orders.shape[1]]

    def _scores(self, orders: IntArray) -> FloatArray:
        """Return the scores, the larger the better; where only the mean of a loss counts, of that."""
        loss = self.measure.loss
        if loss is None or not self.measure.of_mean:
            sign = 1.0 if self.measure.greater_is_better else -1.0
            targets = self._targets(orders)
            return sign * np.array([self.measure(targets, f) for f in self.predicted])
        sums = np.zeros((len(self.predicted), len(orders)))
        with np.errstate(over="ignore"):
            for first in range(0, len(self.y), AT_ONCE):  # what fits into the processor's cache
                piece = slice(first, first + AT_ONCE)
                targets = self._targets(orders[:, piece])
                sums += [loss(targets, f[piece]).sum(axis=-1) for f in self.predicted]
        return np.where(np.isfinite(sums), -sums, np.nan)

    def values(self, orders: IntArray) -> FloatArray:
        return self._scores(orders) / self.scale


class _BinnedRanks:
    """Likewise by Kendall's concordant less discordant pairs, of ranks in bins: for many samples.

    A permutation test may take any statistic, and this one is counted from a table of bins at once. Pairs
    within a bin of either, 0.8 % of all, count as tied.
    """

    def __init__(self, y: FloatArray, predicted: FloatArray) -> None:
        self.y, *self.predicted = (
            (ranks(own) * (RANK_BINS / len(own))).astype(np.int64) for own in (y, *predicted)
        )
        self.observed = self.values(np.arange(len(y))[None])[:, 0].tolist()

    def values(self, orders: IntArray) -> FloatArray:
        found = np.empty((len(self.predicted), len(orders)))
        for (model, row), _ in np.ndenumerate(found):
            cells = self.predicted[model] * RANK_BINS + self.y[orders[row]]
            table = np.bincount(cells, minlength=RANK_BINS**2).reshape(RANK_BINS, RANK_BINS)
            earlier = np.cumsum(table, axis=0) - table
            up_to = np.cumsum(earlier, axis=1)
            # Of samples in earlier bins of f: those in lower bins of y, less those in higher ones.
            found[model, row] = (table * (2 * up_to - earlier - up_to[:, -1:])).sum()
        return found / len(self.y) ** 2


def permuted_scores(measure: NumberMeasure, pairs: Pairs, seed: int) -> FloatArray:
    """Return the scores of all models, of shape (permutations, models), for targets in random order."""
    cost = len(pairs.y) * len(pairs.predicted)
    y, predicted, orders = pairs.permuted(np.random.default_rng(seed), cost)
    parts = ([measure(y[order], f) for f in predicted] for order in orders)
    return np.concatenate([np.stack(part, axis=1) for part in parts])
