"""Coin flips: every sample is called positive with the same probability, whatever it looks like.

A coin first decides how many samples are positive, binomially, and all subsets of that size are then
equally likely: it is a mixture of draws, and everything about it is a sum over them.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core._numbers import number_or_nan, numbers
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core._value import Value
from clearbar.core.counts import Population
from clearbar.core.errors import shown
from clearbar.distributions import hypergeometric as hg
from clearbar.distributions.null import generator, moments, one_population, reach_probability, values_at

MOST_DRAWS = 2**14
"""Draws that a mixture is summed over, at the most."""

MOST_TAIL_DRAWS = 2**18
"""Draws that a tail is summed over, at the most."""

MOST_NODES = 2**23
"""Evaluations of a measure that a mixture may take, as long as it keeps..."""

FEWEST_DRAWS = 2**8
"""...this many draws."""


@dataclass(frozen=True, eq=False)
class Coin(Value):
    """A classifier that calls every sample positive with the same probability, independently."""

    population: Population  # class sizes
    chance: float  # probability of calling a sample positive, from 0 to 1

    def __post_init__(self) -> None:
        one_population(self.population)
        object.__setattr__(self, "chance", probability("chance", self.chance))

    def distribution(self, measure: str | Measure, *, fill: float = math.nan) -> CoinDistribution:
        """Return the law of a measure under this coin."""
        return CoinDistribution(get_measure(measure, "binary"), self, _checked_fill(fill))

    def predict(self, random_state: Any = None) -> BoolArray:
        """Flip the coin for every sample."""
        drawn: BoolArray = generator(random_state).random(int(self.population.total)) < self.chance
        return drawn


def probability(name: str, value: Any) -> float:
    """Return a probability, or say that it is none."""
    number = number_or_nan(value)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be a probability from 0 to 1; found {shown(value)}.")
    return number


def _checked_fill(value: Any) -> float:
    try:
        number = math.inf if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError):
        number = math.inf
    if math.isinf(number):
        raise ValueError(f"fill must be a finite number, or nan for no value; found {shown(value)}.")
    return number


class _Mixture(NamedTuple):
    """The draws a coin is made of, and the moments of the score under each."""

    draws: IntArray
    weight: FloatArray
    mean: FloatArray
    variance: FloatArray
    undefined: FloatArray


@dataclass(frozen=True, eq=False)
class CoinDistribution(Value):
    """The exact law of a measure under coin flips, with the verbs of `NullDistribution`.

    Mean and variance are given that the score has a value; `tail` is unconditional.
    """

    measure: Measure  # what is evaluated
    coin: Coin  # the classifier
    fill: float = math.nan  # the value given to outcomes without one; nan leaves them without

    def __reduce__(self) -> Any:
        """Pickle what defines the law, not what was computed of it."""
        return type(self), (self.measure, self.coin, self.fill)

    @property
    def _sizes(self) -> tuple[int, int]:
        return int(self.coin.population.total), int(self.coin.population.positives)

    @functools.cached_property
    def _draws(self) -> tuple[IntArray, FloatArray]:
        total, positives = self._sizes
        most = MOST_DRAWS
        if not self.measure.affine:
            usual = round(total * self.coin.chance)
            nodes_per_draw = int(
                hg.node_counts([total], [positives], [usual], strided=self.measure.smooth)[0]
            )
            most = min(max(MOST_NODES // nodes_per_draw, FEWEST_DRAWS), most)
        return hg.coin_weights(total, self.coin.chance, most)

    @functools.cached_property
    def _mixture(self) -> _Mixture:
        total, positives = self._sizes
        draws, weight = self._draws
        parts = moments(self.measure, total, positives, draws, fill=self.fill)
        undefined = parts.undefined if math.isnan(self.fill) else np.zeros_like(weight)
        return _Mixture(draws, weight, parts.mean, parts.variance, undefined)

    @property
    def undefined_mass(self) -> float:
        """Probability of an outcome at which the score has no value."""
        return float(np.dot(self._mixture.weight, self._mixture.undefined))

    @property
    def settled_by_draw(self) -> bool:
        """Whether the number of predicted positives alone decides if the score has a value."""
        if not math.isnan(self.fill):
            return True
        draws, _, _, _, undefined = self._mixture
        total, positives = (np.full_like(draws, size) for size in self._sizes)
        never = undefined == 1
        settled = never | (undefined == 0)
        for tp in hg.support(total, positives, draws):  # which a window of the mass may leave out
            settled &= np.isfinite(values_at(self.measure, tp, total, positives, draws)) != never
        return bool(settled.all())

    def mean(self) -> float:
        """Return the expected score, given that it has a value; nan if it never has."""
        return self._moments[0]

    def var(self) -> float:
        """Return the variance of the score, given that it has a value."""
        return self._moments[1]

    def std(self) -> float:
        """Return the standard deviation of the score, given that it has a value."""
        return math.sqrt(self._moments[1])

    @functools.cached_property
    def _moments(self) -> tuple[float, float]:
        _, weight, mean, variance, undefined = self._mixture
        kept = (undefined < 1) & ~np.isnan(mean)
        if not kept.any():
            return math.nan, math.nan
        mean, mass = mean[kept], (weight * (1 - undefined))[kept]
        mass = mass / mass.sum()
        level = np.ptp(mean) == 0
        middle = float(mean[0]) if level else float(np.dot(mass, mean))
        return middle, float(np.dot(mass, variance[kept] + (mean - middle) ** 2))

    def tail(self, x: Any) -> Any:
        """Return the probability of a score at least as good as x."""
        scores = numbers("x", x)
        total, positives = self._sizes
        draws, weight = hg.coin_weights(total, self.coin.chance, MOST_TAIL_DRAWS)
        total_weight = np.zeros(scores.shape)
        for part in hg.pieces(draws.size, MOST_DRAWS):
            reached = reach_probability(
                self.measure, total, positives, draws[part], scores[..., None], fill=self.fill
            )
            total_weight += reached @ weight[part]
        total_weight = np.minimum(total_weight, 1.0)
        return float(total_weight) if scores.ndim == 0 else total_weight

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Draw scores."""
        source = generator(random_state)
        total, positives = self._sizes
        tp, fp = (source.binomial(n, self.coin.chance, size) for n in (positives, total - positives))
        values = self.measure.values(tp, fp, positives - tp, total - positives - fp)
        values = np.where(np.isfinite(values), values, self.fill)
        return float(values) if size is None else values
