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
from clearbar.problems.numbers._pairs import Pairs


def p_values(measures: Sequence[NumberMeasure], pairs: Pairs, seed: int) -> tuple[FloatArray, int]:
    """Return (b + 1)/(B + 1), of shape (models, measures), and B."""
    samples = len(pairs.y)
    slow = any(measure.loss is None and measure.order is None for measure in measures)
    cost = samples * (max(samples - 1, 1).bit_length() if slow else 1)
    compared = {_key(measure): _Products.of(measure, pairs) for measure in measures}
    permuted: dict[object, list[FloatArray]] = {key: [] for key in compared}
    drawn = 0
    for orders in pairs.orders(np.random.default_rng(seed), cost):
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

    def __init__(self, u: FloatArray, v: FloatArray) -> None:
        self.u, self.v = _unit(u), _unit(v)
        self.observed = (self.v @ self.u).tolist()

    @staticmethod
    def of(measure: NumberMeasure, pairs: Pairs) -> _Products | _Values:
        """Return what compares as this measure does."""
        if measure.order is None:
            return _Values(measure, pairs)
        order: Order = measure.order
        return _Products(order.u(pairs.y), np.array([order.v(f) for f in pairs.predicted]))

    def values(self, orders: IntArray) -> FloatArray:
        return np.asarray(self.v @ self.u[orders].T)


def _unit(values: FloatArray) -> FloatArray:
    """Return values from their mean, of length 1 or 0."""
    largest = np.abs(values).max(axis=-1, keepdims=True)
    scaled = values / np.where(largest > 0, largest, 1.0)
    off = scaled - scaled.mean(axis=-1, keepdims=True)
    size = np.sqrt((off**2).sum(axis=-1, keepdims=True))
    return np.asarray(off / np.where(size > 0, size, 1.0))


class _Values:
    """Likewise by the measure itself, or the loss that it follows."""

    def __init__(self, measure: NumberMeasure, pairs: Pairs) -> None:
        self.y, self.predicted = pairs.y, pairs.predicted
        self.measure = measure
        scores = self._scores(self.y[None])[:, 0]
        self.scale = np.where(scores != 0, np.abs(scores), 1.0)[:, None]
        self.observed = (scores / self.scale[:, 0]).tolist()

    def _scores(self, y: FloatArray) -> FloatArray:
        sign = 1.0 if self.measure.greater_is_better else -1.0
        return sign * np.array([self.measure(y, f) for f in self.predicted])

    def values(self, orders: IntArray) -> FloatArray:
        return self._scores(self.y[orders]) / self.scale


def permuted_scores(measure: NumberMeasure, pairs: Pairs, seed: int) -> FloatArray:
    """Return the scores of all models, of shape (permutations, models), for targets in random order."""
    cost = len(pairs.y) * len(pairs.predicted)
    orders = pairs.orders(np.random.default_rng(seed), cost)
    parts = ([measure(pairs.y[order], f) for f in pairs.predicted] for order in orders)
    return np.concatenate([np.stack(part, axis=1) for part in parts])
