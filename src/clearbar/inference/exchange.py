"""H0: two models are alike in every, so that their answers may be exchanged.

Each unit on which the models differ is then a fair coin (Fisher 1935, section 21; McNemar 1947 for the share
that is right), whatever the measure.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import Reason
from clearbar.inference import holm
from clearbar.inference.units import RESAMPLES, Units, portions

SCREEN = 20.0  # how many times off the level a p-value by Student's t or a normal one decides without draws
MOST_ENUMERATED = 2**22  # ways to exchange up to which all are looked at
MOST_NUMBERS = 2**25  # where whole clusters are exchanged, samples up to which they are, over all ways
TOGETHER = 2**18  # numbers of units or samples that are worked on together
MOST_SUMS = 99_999  # random exchanges where a difference is a sum over units, so that one costs little
DEVIATIONS = 38.0  # standard deviations beyond which a fair coin's probability is below 1e-300
TIE = 2e-14  # differences that are closer than this, relatively to the scores, are the same but for rounding
# Of the hypothesis that two models' answers may be exchanged: the p-value, its method, and a note.
Exchangeable = tuple[float, str, Any]


class PairPValues(NamedTuple):
    """p-values of many pairs of models, not corrected; nan where nothing is known.

    `least` is the least that so many resamples can give, 0 where there is no such limit. So many pairs were
    `left`, since there are more near the level than are drawn.
    """

    values: FloatArray
    least: float = 0.0
    left: int = 0


def in_doubt(least: FloatArray, most: FloatArray, alpha: float) -> IntArray:
    """Return the pairs whose p-values, corrected for their number, are near alpha, the nearest first."""
    # Each is taken to lie from `least` to `most`, nan where nothing is known.
    low, high = (holm(np.where(np.isnan(p_values), 1.0, p_values)) for p_values in (least, most))
    rows = np.flatnonzero((high >= alpha / SCREEN) & (low < min(1.0, alpha * SCREEN)))
    return rows[np.argsort(np.abs(np.log(np.maximum(low[rows], 1e-300) / alpha)), kind="stable")]


class Paired(Protocol):
    """Two models' scores, how surprising their difference is, and what it may be.

    `same`: whether they differ on no unit. `alone`: on how many samples only the one, and only the other is
    right, where that is known. `test`: "equal_scores", "bounded", "bootstrap_t", "delong", "resampled_t" or
    "". `method`: what kind of number the p-value of equal scores is. `mcnemar`: McNemar's exact p-value.
    `note`: how the p-value was found, or why nothing is known.
    """

    @property
    def scores(self) -> tuple[float, float]: ...
    @property
    def same(self) -> bool: ...
    @property
    def alone(self) -> tuple[int, int] | None: ...
    @property
    def test(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def p_value(self) -> float: ...
    @property
    def mcnemar(self) -> float: ...
    @property
    def note(self) -> Any: ...
    def interval(self, level: float) -> tuple[float, float]:
        """Return the true differences that are not refuted."""
        ...

    def surprise(self, difference: float) -> float:
        """Return the two-sided p-value of H0: the true difference is this."""
        ...

    def beyond(self, difference: float) -> float:
        """Return the one-sided p-value of H0: the true difference is this, or farther off."""
        ...

    def exchangeable(self) -> Exchangeable:
        """Return the p-value of H0: both models' answers may be exchanged."""
        ...


@dataclass(frozen=True, eq=False)
class Unpaired:
    """Two scores of which nothing more is known; the note says why."""

    scores: tuple[float, float]
    note: Any
    test: str = ""
    method: str = "unknown"
    p_value: float = math.nan
    alone: None = None
    same: bool = False
    mcnemar: float = math.nan

    def interval(self, level: float) -> tuple[float, float]:
        return math.nan, math.nan

    def surprise(self, difference: float) -> float:
        return math.nan

    beyond = surprise

    def exchangeable(self) -> Exchangeable:
        return math.nan, "unknown", self.note


def exchange(units: Units, measure: Any) -> Exchangeable:
    """Return the share of exchanges with a difference at least as large, or without a value."""
    number = units.multiplicity
    every, nothing = number[None].astype(np.float64), np.zeros((1, len(number)))
    scores = [float(units.mixed(measure, *pair)[0]) for pair in ((every, nothing), (nothing, every))]
    if math.isnan(scores[0] - scores[1]):
        return math.nan, "unknown", Reason("no_score")
    alone = units.only_one_right()
    if alone is not None and units.counts_right(measure):
        return mcnemar(*alone), "exact", ""
    kinds = np.flatnonzero(units.differ() & (number > 0))
    exchanges = _Exchanges(units, measure, kinds, scores[0] - scores[1], max(map(abs, scores)))
    coins = [fair_coins(int(times)) for times in number[kinds].tolist()]
    ways = math.prod(len(heads) for heads, _ in coins)
    if ways <= MOST_ENUMERATED and ways * exchanges.samples <= MOST_NUMBERS:
        return min(1.0, sum(exchanges.weighed(coins))), "exact", ""
    reached, draws = exchanges.drawn(np.random.default_rng(units.seed))
    code = "random_swaps" if reached else "random_swaps_none"
    return (reached + 1) / (draws + 1), "permutation", Reason.of(code, draws=draws)


class _Exchanges:
    """The difference of two models where on some units of some kinds the answers are exchanged."""

    def __init__(self, units: Units, measure: Any, kinds: IntArray, difference: float, scale: float) -> None:
        self.units, self.measure, self.kinds = units, measure, kinds
        self.difference, self.scale = difference, scale
        self.number = units.multiplicity.astype(np.float64)
        self.steps = units.steps(measure)
        # Samples that are looked at for each exchange, where units are whole clusters of them.
        self.samples = 0 if self.steps is not None or units.clusters is None else units.samples
        self.rows = max(1, TOGETHER // max(len(self.number), self.samples))

    def extreme(self, kept: FloatArray) -> BoolArray:
        """Whether differences are as large where on so many units of each kind answers are kept."""
        if self.steps is not None:
            observed = abs(float(self.number @ self.steps))
            sums = (2 * kept - self.number[self.kinds]) @ self.steps[self.kinds]
            return np.asarray(np.abs(sums) >= observed - TIE * float(self.number @ np.abs(self.steps)))
        first = np.broadcast_to(self.number, (len(kept), len(self.number))).copy()
        first[:, self.kinds] = kept
        pairs = (first, self.number - first), (self.number - first, first)
        a, b = (self.units.mixed(self.measure, *pair) for pair in pairs)
        return ~(np.abs(a - b) < abs(self.difference) - TIE * self.scale)

    def weighed(self, coins: list[tuple[FloatArray, FloatArray]]) -> Iterator[float]:
        """Yield the probabilities of extreme differences over all exchanges, some thousand at a time."""
        sizes = [len(heads) for heads, _ in coins]
        number = math.prod(sizes)
        for start in range(0, number, self.rows):
            flat = np.arange(start, min(start + self.rows, number))
            places = np.unravel_index(flat, sizes) if sizes else ()
            kept, likely = np.empty((len(flat), len(coins))), np.ones(len(flat))
            for column, ((heads, chances), place) in enumerate(zip(coins, places, strict=True)):
                kept[:, column] = heads[place]
                likely *= chances[place]
            yield float(likely[self.extreme(kept)].sum())

    def drawn(self, generator: np.random.Generator) -> tuple[int, int]:
        """Return how many of how many random exchanges have a difference as large."""
        number = self.units.multiplicity[self.kinds]
        most = RESAMPLES if self.steps is None else MOST_SUMS
        reached = draws = 0
        for rows in portions(len(self.number), samples=self.samples, most=most):
            kept = generator.binomial(number, 0.5, size=(rows, len(number))).astype(np.float64)
            reached += int(np.count_nonzero(self.extreme(kept)))
            draws += rows
        return reached, draws


def fair_coins(number: int) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of heads of n fair coins that are likelier than 1e-300, and how likely."""
    middle = number // 2
    high = min(number, math.ceil(number / 2 + DEVIATIONS * math.sqrt(number) / 2))
    up = np.arange(middle, high, dtype=np.float64)
    falling = np.concatenate(([1.0], np.cumprod((number - up) / (up + 1))))
    heads = np.arange(number - high, high + 1)
    weights = falling[np.maximum(heads, number - heads) - middle]
    return heads.astype(np.float64), weights / weights.sum()


def mcnemar(only_a: int, only_b: int) -> float:
    """Return McNemar's exact p: how likely ``only_a + only_b`` fair coins fall at least as unevenly."""
    heads, weights = fair_coins(only_a + only_b)
    uneven = np.abs(2 * heads - (only_a + only_b)) >= abs(only_a - only_b)
    return min(1.0, float(weights[uneven].sum()))


def right_alone(a: BoolArray, b: BoolArray, times: Any = 1) -> tuple[int, int]:
    """Return on how many samples, which occur so many times, only one of two models is right."""
    return int(((a & ~b) * times).sum()), int(((b & ~a) * times).sum())
