"""The bar of a measure of scores: what the best scores that ignore the features are worth."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.core._later import Later
from clearbar.core._value import Value
from clearbar.core.counts import Population
from clearbar.problems._protocol import Tail
from clearbar.problems.recipes import Recipe, bar_in_words
from clearbar.problems.scores._chance import of_any
from clearbar.problems.scores._measure import ScoreMeasure


@dataclass(frozen=True, eq=False)
class ScoreBaseline(Value):
    """The best expected value of scores that ignore the features, and how to attain it.

    Made by `baseline_scores`. ``float(bar)`` is the bar.

    Attributes
    ----------
    measure : ScoreMeasure
        What is evaluated.
    population : Population
        Class sizes; an array of them makes every number here an array.
    value : float or ndarray
        The bar; nan where there is none, with a `reason`.
    worst_value, best_possible : float or ndarray
        The worst expected value of scores that ignore the features; the value of a perfect model.
    error : float or ndarray
        How far `value` may be from the exact expectation: 0, half the width of a certified bracket, or,
        beyond that, three standard errors of a mean over random rankings.
    reason : str or ndarray of str
        Why there is no bar; empty where there is one.
    train_prevalence : float, optional
        Share of positive samples in training.
    train_value : float, ndarray or None
        What the constant at `train_prevalence` scores on these labels; None where it was not given
        or the measure has no such constant.

    Examples
    --------
    >>> import clearbar as cb
    >>> print(cb.baseline_scores(cb.Population(100, 10), "average_precision"))
    average precision bar 0.138: rank the 100 samples at random
    """

    measure: ScoreMeasure
    population: Population
    value: Any
    worst_value: Any
    best_possible: Any
    error: Any
    reason: Any
    train_prevalence: float | None = None
    train_value: Any = None

    @property
    def certified(self) -> bool:
        """True: each bar is proved to be the optimum."""
        return True

    @property
    def recipe(self) -> str:
        """What to do to get the bar, such as ``rank the 100 samples at random``."""
        return str(self.attained_by)

    @property
    def attained_by(self) -> Recipe:
        """What scores that ignore the features do to get the bar."""
        return replace(self.measure.recipe(*self._sizes("recipe")), certain=self.measure.certain)

    @property
    def claim(self) -> str:
        """The sentence that says why nothing does better."""
        return self.measure.claim

    @property
    def rounding(self) -> Any:
        """What a constant loses that is off by one sample, as the prevalence of a split may be.

        Of the two constants the one that loses less; 0 where the best scores are no constant.
        """
        if self.measure.constant is None:
            return 0.0
        sizes = np.broadcast(self.population.total, self.population.positives)
        lost = [self._lost(int(total), int(positives)) for total, positives in sizes]
        return np.array(lost).reshape(self.population.shape)[()]

    def _lost(self, total: int, positives: int) -> float:
        constant = self.measure.constant
        if constant is None or self.measure.needs(total, positives):
            return 0.0
        best, *others = (
            constant(total, positives, min(max(near, 0), total) / total)
            for near in (positives, positives - 1, positives + 1)
        )
        return min(abs(other - best) for other in others)

    def _sizes(self, what: str) -> tuple[int, int]:
        if self.population.shape:
            msg = (
                f"{what} needs the baseline of one population; this one holds an array of shape "
                f"{self.population.shape}. Index it first, as in bars[0]."
            )
            raise ValueError(msg)
        return int(self.population.total), int(self.population.positives)

    def __float__(self) -> float:
        """Return the bar of one population."""
        self._sizes("float()")
        return float(self.value)

    def __str__(self) -> str:
        """Say the bar in words."""
        if self.population.shape:
            return f"{self.measure.label} bars of {np.size(self.value):,} populations"
        words = bar_in_words(self)
        if self.train_value is not None:
            words += f"; the constant {self.train_prevalence:.3g} from training has {self.train_value:.3g}"
        return f"{words} (± {self.error:.1g})" if self.error > 0 else words

    __repr__ = __str__

    def __len__(self) -> int:
        """Length of the leading axis of an array of populations."""
        return len(self.population)

    def __bool__(self) -> bool:
        """Be true, whether there is a length or not."""
        return True

    def __getitem__(self, index: Any) -> ScoreBaseline:
        """Return the baseline of the populations selected, as NumPy would."""
        names = ("value", "worst_value", "best_possible", "error", "reason", "train_value")
        columns = {name: getattr(self, name) for name in names}
        picked = {
            name: _picked(np.asarray(column)[index]) for name, column in columns.items() if column is not None
        }
        return replace(self, population=self.population[index], **picked)

    judge = Later("clearbar.verdict", "judge")

    def bare(self, score: float) -> Tail:  # noqa: ARG002 - nothing is known of the ranking
        """Return what is known of question A without a ranking: nothing."""
        return Tail(math.nan, math.nan)

    def reach(self, score: float) -> Tail:
        """Return how likely scores that ignore the features do at least as well, whatever their ties."""
        total, positives = self._sizes("judge()")
        if math.isnan(float(self.value)):
            return Tail(math.nan, math.nan)
        tail = of_any(self.measure, total, positives, float(score))
        return Tail(*tail)._replace(note=tail.note or ("" if not math.isnan(tail.upper) else NOT_KNOWN))


def _picked(part: Any) -> Any:
    return part if np.ndim(part) else part.item()


NOT_KNOWN = "p_value_blind is not known over every pattern of ties"
