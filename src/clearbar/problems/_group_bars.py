"""Sizes of groups, and bars that were found group by group: what all kinds of problem do alike with them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from clearbar.core import Later
from clearbar.core._value import Value
from clearbar.inference import Tail
from clearbar.problems.recipes import NOTHING_TO_DO, Recipe, bar_in_words


class GroupSizes(Value):
    """What is known of the samples of many groups, in arrays; or of one group.

    A kind is a dataclass that names the fields that are such `arrays`; it brings `total`, `leading` and
    `classes`.
    """

    arrays: ClassVar[tuple[str, ...]] = ("counts",)

    total: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the groups."""
        return np.shape(self.total)

    def __getitem__(self, index: Any) -> Self:
        """Return the groups selected."""
        parts = {name: np.asarray(getattr(self, name))[index] for name in self.arrays}
        return replace(self, **parts)  # type: ignore[type-var]

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.total)

    def __bool__(self) -> bool:
        """Be true, whether there is a length or not."""
        return True


class Bars(Value):
    """The bar of one group, or those of an array of them: what any kind does alike with them.

    A kind is a dataclass of `measure` and `population`; it brings `value`, `worst_value`, `best_possible`,
    `certified`, `reason`, `attained_by` and `claim`.
    """

    groups = "groups"

    measure: Any
    population: Any

    _repr_html_ = Later("clearbar.notebook", "baseline_html")
    judge = Later("clearbar.verdict", "judge_score")
    rounding = 0.0  # the recipe can be followed exactly

    @property
    def value(self) -> Any:
        """The bar; nan where there is none."""
        raise NotImplementedError

    @property
    def attained_by(self) -> Recipe:
        """The predictions that ignore the features and attain the bar."""
        raise NotImplementedError

    @property
    def recipe(self) -> str:
        """The blind prediction that attains the bar, such as ``predict 55 of 111 positive at random``."""
        return str(self.attained_by)

    def _one(self, what: str) -> Any:
        if self.population.shape:
            msg = (
                f"{what} needs the baseline of one {self.groups.removesuffix('s')}; this one holds an array "
                f"of shape {self.population.shape}. Index it first, as in bars[0]."
            )
            raise ValueError(msg)

    def __float__(self) -> float:
        """Return the bar of one group."""
        self._one("float()")
        return float(self.value)

    def __str__(self) -> str:
        """Say the bar in words."""
        if self.population.shape:
            return f"{self.measure.label} bars of {np.size(self.value):,} {self.groups}"
        bar: Any = self
        return bar_in_words(bar)

    __repr__ = __str__  # who types a bar wants to read it

    def __len__(self) -> int:
        """Return the length of the leading axis of the groups."""
        return len(self.population)

    def __bool__(self) -> bool:
        """Be true, whether there is a length or not."""
        return True


class GroupBars(Bars):
    """Bars that were found group by group, from `optima` that have what a kind does not find otherwise."""

    needed = "the predictions"
    uncertain = "the bar was searched, not certified"

    optima: tuple[Any, ...]

    def _one(self, what: str) -> Any:
        super()._one(what)
        return self.optima[0]

    def _array(self, name: str, kind: Any = np.float64) -> Any:
        values = np.array([getattr(optimum, name) for optimum in self.optima], dtype=kind)
        return values if self.population.shape else values[0].item() if kind is not object else values[0]

    @property
    def value(self) -> Any:
        """The bar; nan where there is none."""
        return self._array("value")

    @property
    def worst_value(self) -> Any:
        """The worst expected score of predictions that ignore the features."""
        return self._array("worst")

    @property
    def reason(self) -> Any:
        """Why there is no bar; empty where there is one."""
        return self._array("reason", object)

    @property
    def best_possible(self) -> Any:
        """The score of perfect predictions."""
        return self._array("best_possible")

    @property
    def certified(self) -> Any:
        """Whether the bar is proved to be the optimum."""
        return self._array("certified", bool)

    def bare(self, near: float, far: float | None = None) -> Tail:
        """Return what is known of question A without predictions: nothing."""
        return Tail(np.nan, np.nan, f"p_value is not known without {self.needed}")

    def reach(self, score: float) -> Tail:
        """Return what is known of all blind predictions together: nothing in closed form."""
        return Tail(np.nan, np.nan, f"p_value_blind is not known without {self.needed}")

    def __getitem__(self, index: Any) -> Self:
        """Return the baseline of the groups selected."""
        chosen = np.atleast_1d(np.arange(len(self.optima))[index]).tolist()
        optima = tuple(self.optima[group] for group in chosen)
        return replace(self, population=self.population[index], optima=optima)  # type: ignore[type-var]


class CombinedOptimum(NamedTuple):
    """The best that blind predictions expect of a score combined over folds or tasks, or of one of them."""

    value: float  # the bar; nan where there is none, with a reason
    worst: float = math.nan  # the worst expected score of blind predictions; nan where it is not known
    best_possible: float = math.nan  # the score of perfect predictions
    recipe: Recipe = NOTHING_TO_DO  # which predictions attain the bar
    certified: bool = True  # whether no blind predictions can be better
    error: float = 0.0  # standard error of a bar that is estimated
    rounding: float = 0.0  # what the recipe loses where it can only be followed to the nearest sample
    reason: str = ""  # why there is no bar; empty where there is one


@dataclass(frozen=True, eq=False, repr=False)
class CombinedBar(GroupBars):
    """The best that blind predictions expect of a score combined over folds or tasks."""

    measure: Any
    population: Any
    optima: tuple[CombinedOptimum, ...]
    claim: str  # why nothing does better

    error = property(lambda self: self._array("error"))
    rounding = property(lambda self: self._array("rounding"))

    @property
    def attained_by(self) -> Recipe:
        """What predictions do that attain the bar."""
        return self.optima[0].recipe
