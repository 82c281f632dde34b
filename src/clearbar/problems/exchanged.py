"""How surprising two models' difference is if they are alike in everything: their answers are exchanged.

A unit is what is independent: a sample, a whole group, a task. Each unit on which the models differ is then a
fair coin (Fisher 1935, section 21; McNemar 1947 for the share that is right), whatever the measure.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems.bootstrap import portions

MOST_CELLS = 2**22
"""Ways to swap up to which all are looked at."""

MOST_NUMBERS = 2**25
"""Where whole groups are swapped, samples up to which they are, over all ways."""

TOGETHER = 2**18
"""Numbers of units or samples that are worked on together."""

MOST_SUMS = 99_999
"""Random swaps where a difference is a sum over units, so that one costs little."""

REACH = 38.0
"""Standard deviations beyond which a fair coin's probability is below 1e-300."""

TIE = 2e-14
"""Differences closer than this, relatively to the scores, are the same but for rounding."""

Scores = Callable[[FloatArray, FloatArray], FloatArray]
"""Scores of models that give so many units of each kind the first answer, and so many the second one."""


@dataclass(frozen=True, eq=False)
class Exchanged:
    """Units of several kinds, on each of which one answer is one model's and the other one the other's.

    Of each kind, on `straight` units the first answer is model a's and the second b's; on `crossed` units it
    is the reverse.
    """

    straight: IntArray
    crossed: IntArray
    differ: BoolArray  # kinds whose two answers are not the same
    scores_of: Scores
    law: Callable[[], float] | None = field(default=None, kw_only=True)
    """The p-value, where it is known without looking at every way to swap."""
    steps: FloatArray | None = field(default=None, kw_only=True)
    """What each unit of a kind adds to a sum that is larger for larger differences, if there is one."""
    samples: int = field(default=0, kw_only=True)
    """How many samples the scores are worked out from each time, where units are whole groups of them."""
    seed: int = field(default=0, kw_only=True)

    @cached_property
    def scores(self) -> tuple[float, float]:
        """The scores of both models."""
        first, second = (np.asarray(side, dtype=np.float64)[None] for side in (self.straight, self.crossed))
        return float(self.scores_of(first, second)[0]), float(self.scores_of(second, first)[0])

    @property
    def difference(self) -> float:
        """Of a's score minus b's."""
        return self.scores[0] - self.scores[1]

    @cached_property
    def same(self) -> bool:
        """Whether the models differ on no unit."""
        return not bool((self.differ & (self.straight + self.crossed > 0)).any())

    @property
    def p_value(self) -> float:
        """The share of swaps with a difference at least as large; without a value it counts as such."""
        return self._law[0]

    @property
    def note(self) -> str:
        """How the p-value was found where not all swaps were looked at."""
        return self._law[1]

    def exchangeable(self) -> tuple[float, str, str]:
        """Return the p-value, its method, and how it was found or why there is none."""
        p_value, note = self._law
        method = "unknown" if math.isnan(p_value) else "permutation" if note else "exact"
        return p_value, method, note

    @cached_property
    def _law(self) -> tuple[float, str]:
        if math.isnan(self.difference):
            return math.nan, "a score has no value"
        if self.law is not None:
            return self.law(), ""
        kinds = np.flatnonzero(self.differ & (self.straight + self.crossed > 0))
        coins = [fair_coins(int(self.straight[at] + self.crossed[at])) for at in kinds.tolist()]
        ways = math.prod(len(heads) for heads, _ in coins)
        if ways <= MOST_CELLS and ways * self._looked_at <= MOST_NUMBERS:
            return min(1.0, sum(self._weighed(kinds, coins))), ""
        return self._drawn(kinds)

    @property
    def _looked_at(self) -> int:
        """How many samples are looked at for each swap."""
        return self.samples if self.steps is None else 0

    @property
    def rows(self) -> int:
        """How many swaps are scored together."""
        return max(1, TOGETHER // max(len(self.straight), self._looked_at))

    def differences_of(self, first: FloatArray, second: FloatArray) -> FloatArray:
        """Return the differences where so many units give a the first answer, and so many the second."""
        return self.scores_of(first, second) - self.scores_of(second, first)

    def _extreme(self, kinds: IntArray, heads: FloatArray) -> BoolArray:
        """Whether differences are as large where so many units of some kinds give a the first answer."""
        whole = (self.straight + self.crossed).astype(np.float64)
        if self.steps is not None:
            seen = float((self.straight - self.crossed) @ self.steps)
            sums = (2 * heads - whole[kinds]) @ self.steps[kinds]
            return np.asarray(np.abs(sums) >= abs(seen) - TIE * float(whole @ np.abs(self.steps)))
        first = np.broadcast_to(self.straight.astype(np.float64), (len(heads), len(whole))).copy()
        first[:, kinds] = heads
        slack = TIE * max(map(abs, self.scores))
        return ~(np.abs(self.differences_of(first, whole - first)) < abs(self.difference) - slack)

    def _weighed(self, kinds: IntArray, coins: list[tuple[FloatArray, FloatArray]]) -> Iterator[float]:
        """Yield the probabilities of extreme differences, some thousand swaps at a time."""
        sizes = [len(heads) for heads, _ in coins]
        number = math.prod(sizes)
        for start in range(0, number, self.rows):
            flat = np.arange(start, min(start + self.rows, number))
            places = np.unravel_index(flat, sizes) if sizes else ()
            heads, weight = np.empty((len(flat), len(kinds))), np.ones(len(flat))
            for column, ((own, likely), at) in enumerate(zip(coins, places, strict=True)):
                heads[:, column] = own[at]
                weight *= likely[at]
            yield float(weight[self._extreme(kinds, heads)].sum())

    def _drawn(self, kinds: IntArray) -> tuple[float, str]:
        generator = np.random.default_rng(self.seed)
        number = self.straight[kinds] + self.crossed[kinds]
        most = {} if self.steps is None else {"most": MOST_SUMS}
        reached = drawn = 0
        for rows in portions(len(self.straight), samples=self._looked_at, **most):
            heads = generator.binomial(number, 0.5, size=(rows, len(kinds))).astype(np.float64)
            reached += int(np.count_nonzero(self._extreme(kinds, heads)))
            drawn += rows
        none = ", of which none has a difference as large" if not reached else ""
        return (reached + 1) / (drawn + 1), f"p_value is from {drawn:,} random swaps{none}"


def fair_coins(number: int) -> tuple[FloatArray, FloatArray]:
    """Return the numbers of heads of so many fair coins that are likelier than 1e-300, and how likely."""
    middle = number // 2
    high = min(number, math.ceil(number / 2 + REACH * math.sqrt(number) / 2))
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
