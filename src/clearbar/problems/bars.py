"""Bars of one group or of many, and recipes: what predictions do that attain them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

from clearbar.core import Later
from clearbar.core._value import Value
from clearbar.core.counts import Population, class_in_words
from clearbar.core.errors import listed, visible
from clearbar.formatting import number
from clearbar.inference import Tail

if TYPE_CHECKING:
    from clearbar.problems._protocol import Bar


@dataclass(frozen=True)
class Recipe:
    """What to do to get a bar, such as ``Recipe("rank", "the 100 samples at random")``.

    Attributes
    ----------
    verb, what, aside : str
        What to do, to what, and what is added after a comma.
    certain : bool
        Whether doing so scores the same every time, not only on average.
    always : str
        The one answer that attains the bar, where there is one.
    """

    verb: str
    what: str
    aside: str = ""
    certain: bool = False
    always: str = ""
    positive: str = "positive"  # what stands for {positive} in `what`

    def called(self, labels: tuple[str, str]) -> Recipe:
        """Return what to do where the negative and the positive class have these names."""
        if labels == Population.labels:
            return self
        always = dict(zip(Population.labels, labels, strict=True)).get(self.always, self.always)
        return replace(self, always=always, positive=class_in_words(labels[1]))

    def __str__(self) -> str:
        """Give an order: ``rank the 100 samples at random``."""
        return f"{self.verb} {self._object}".strip()

    @property
    def clause(self) -> str:
        """The order, with a comma behind it where a sentence that goes on needs one."""
        return f"{self}," if self.aside else str(self)

    @property
    def habit(self) -> str:
        """What somebody does who follows it: ``ranks the 100 samples at random``; with such a comma, too."""
        return f"{self.verb}s {self._object}{',' if self.aside else ''}"

    @property
    def _object(self) -> str:
        said = f"{self.what}, {self.aside}" if self.aside else self.what
        several = "positives" if self.positive == "positive" else self.positive
        return visible(said.replace("{positives}", several).replace("{positive}", self.positive))


NOTHING_TO_DO = Recipe("", "")  # where there is no bar

# Any number of predicted positives, by how far the first and the last stand from none and all.
_NUMBERS = {
    (0, 0): "",
    (1, 0): "at least one",
    (0, 1): "but not all",
    (1, 1): "at least one and not all",
}


def predict_all(number: int, where: str = "", aside: str = "") -> Recipe:
    """Call all samples positive, or all of some folds."""
    always = "" if where else "positive"
    samples = "the one sample" if number == 1 else f"all {number:,}"
    return Recipe("predict", f"{samples} {{positive}}{where}", aside, certain=True, always=always)


PREDICT_NONE = Recipe("predict", "none {positive}", certain=True, always="negative")


def predict_any(at_least: int, all_but: int, where: str = "") -> Recipe | None:
    """Call any number positive from about none to about all; None where that is no short sentence."""
    aside = _NUMBERS.get((at_least, all_but))
    return None if aside is None else Recipe("predict", f"any number of {{positives}}{where}", aside)


def predict(draws: Any, total: int) -> Recipe:
    """Call positive as many of the samples as one of these ranges has."""
    if not draws:
        return NOTHING_TO_DO
    first, last = draws[0].start, draws[-1].stop - 1
    if first == last:
        if first in {0, total}:
            return predict_all(total) if first else PREDICT_NONE
    elif len(draws) == 1:
        short = predict_any(first, total - last)
        if short is not None:
            return short
    parts = [f"{r.start:,}" if len(r) == 1 else f"{r.start:,} to {r.stop - 1:,}" for r in draws]
    certain = {k for r in draws for k in (r.start, r.stop - 1)} <= {0, total} and all(
        len(r) == 1 for r in draws
    )
    at_random = "" if certain else " at random"
    what = f"{listed(parts, last='or', most=6)} of {total:,} {{positive}}{at_random}"
    return Recipe("predict", what, certain=certain)


def repeated(recipe: Recipe, tries: int) -> Recipe:
    """Do so many times what a recipe says, and keep the best."""
    best = f"the best of {tries:,} tries, all with the same k"
    aside = f"{recipe.aside}, {best}" if recipe.aside else best
    return replace(recipe, aside=aside, certain=False, always="" if tries > 1 else recipe.always)


def bar_in_words(bar: Bar) -> str:
    """Say what the bar of one group is, and what attains it."""
    label = visible(bar.measure.label)
    if math.isnan(float(bar.value)):
        return f"{label} has no bar: {bar.reason}"
    text = f"{label} bar {number(float(bar.value), int(bar.population.total))}: {bar.attained_by}"
    doubt = getattr(bar, "uncertain", "searched, not certified")
    return text if bar.certified else f"{text} ({doubt})"


# -- bars ----------------------------------------------------------------------------------------------------
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
        bar: Any = self
        return float(bar.value)

    def __str__(self) -> str:
        """Say the bar in words."""
        bar: Any = self
        if self.population.shape:
            return f"{self.measure.label} bars of {np.size(bar.value):,} {self.groups}"
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
        groups = np.atleast_1d(np.arange(len(self.optima))[index]).tolist()
        optima = tuple(self.optima[group] for group in groups)
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
