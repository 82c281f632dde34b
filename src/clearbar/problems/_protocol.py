"""What any problem must bring so that it can be judged, tabulated and drawn: a bar.

Binary labels, folds and scores differ in how a bar is found. How a score stands to it, and how that
is said, is the same for all of them and reads no more than is named here.
"""

# ruff: noqa: ARG002 - a kind may need what is not needed here

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, Self, get_args

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.problems.recipes import Recipe

if TYPE_CHECKING:
    from clearbar.core.classes import ConfusionMatrix
    from clearbar.problems.paired import Paired


class Judged(Protocol):
    """What a verdict reads of a measure.

    Attributes
    ----------
    name, label : str
        The canonical name, and how a reader writes it.
    aliases : tuple of str
        Other names.
    greater_is_better : bool or None
        True for a score, False for a loss, None where neither end is better.
    bounds : (float, float)
        Smallest and largest value.
    question, caution : str
        What it answers, and what to know before trusting it.
    """

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def greater_is_better(self) -> bool | None: ...
    @property
    def bounds(self) -> tuple[float, float]: ...
    @property
    def question(self) -> str: ...
    @property
    def caution(self) -> str: ...


class Bar(Protocol):
    """What a feature-blind classifier is worth, for one group of samples or an array of them.

    Attributes
    ----------
    measure : Judged
        What is evaluated.
    population : Population
        The samples of each group, and how many of them are positive.
    value, best_possible, worst_value : float or ndarray
        The bar, the score of perfect predictions, and the worst expected score of a feature-blind
        classifier; nan where there is none.
    certified : bool or ndarray of bool
        Whether the bar is proved to be the optimum.
    reason : str or ndarray of str
        Why there is no bar; empty where there is one.
    attained_by : Recipe
        What blind predictions do to get the bar. One group only.
    rounding : float or ndarray
        How far below the bar a score still is the bar: what its recipe loses where it can only be
        followed to the nearest sample.
    claim : str
        The sentence that says why nothing does better, with its source.
    """

    @property
    def measure(self) -> Judged: ...
    @property
    def population(self) -> Population: ...
    @property
    def value(self) -> Any: ...
    @property
    def best_possible(self) -> Any: ...
    @property
    def worst_value(self) -> Any: ...
    @property
    def certified(self) -> Any: ...
    @property
    def reason(self) -> Any: ...
    @property
    def rounding(self) -> Any: ...
    @property
    def attained_by(self) -> Recipe: ...
    @property
    def claim(self) -> str: ...
    def __getitem__(self, index: Any) -> Bar: ...


Method = Literal[
    "exact", "estimated", "bootstrap", "permutation", "t", "delong", "normal", "unknown"
]  # fmt: skip
"""How a p-value or an interval was found.

"exact" is computed from the distribution, or a proved bound of it: its size holds at any number of samples.
"estimated" takes parts of the distribution from the data or from an approximation of known accuracy.
"""

METHODS: tuple[Method, ...] = get_args(Method)


class Tail(NamedTuple):
    """How likely blind predictions do at least as well: two bounds, equal where that is exact.

    Numbers or arrays; nan where nothing is known. The note says how it was found, if not exactly, `method`
    by which method, and `draws` from how many random draws: no p-value is below one over one more of them.
    """

    upper: Any
    lower: Any
    note: Any = ""
    method: Any = "unknown"
    draws: Any = 0

    @classmethod
    def unknown(cls, shape: tuple[int, ...], why: str) -> Tail:
        """Return that nothing is known, and why."""
        nothing = np.full(shape, np.nan)
        return cls(nothing, nothing, np.full(shape, why, dtype=object))

    @classmethod
    def gathered(cls, shape: tuple[int, ...], cells: Iterable[tuple[Any, Tail]]) -> Tail:
        """Put tails in their places of arrays of this shape; nan and no note elsewhere."""
        upper, lower, draws = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape, dtype=np.int64)
        note, method = np.full(shape, "", dtype=object), np.full(shape, "unknown", dtype=object)
        for place, tail in cells:
            upper[place], lower[place], note[place], method[place], draws[place] = tail
        return cls(upper, lower, note, method, draws)

    @classmethod
    def exactly(cls, probability: float) -> Tail:
        """Return a probability that is no bound."""
        tail = min(max(float(probability), 0.0), 1.0)
        return cls(tail, tail, method="exact")

    @classmethod
    def between(cls, lower: float, upper: float, note: str = "") -> Tail:
        """Return a probability of which both bounds are proved; the upper one is a valid p-value."""
        return cls(upper, lower, note, "exact")

    @classmethod
    def permuted(cls, share: float, draws: int, note: str = "") -> Tail:
        """Return the share of so many random orders, the observed one counted among them."""
        return cls(share, share, note, "permutation", draws)

    def over(self, shape: tuple[int, ...]) -> Tail:
        """Return the same with every field an array of this shape."""
        return Tail(
            *(
                np.broadcast_to(np.asarray(part, dtype=kind), shape)
                for part, kind in zip(self, (np.float64, np.float64, object, object, np.int64), strict=True)
            )
        )


class PairPValues(NamedTuple):
    """p-values of many pairs of models, not corrected; nan where nothing is known.

    `least` is the least that so many resamples can give, 0 where there is no such limit. So many pairs were
    `left`, since there are more near the level than are drawn.
    """

    values: FloatArray
    least: float = 0.0
    left: int = 0


class Problem(Protocol):
    """Labels and predictions of one kind, so that they can be judged.

    A kind inherits from this and brings `bars`, `scores`, `at_the_bar`, `interval` or `intervals`, `blind`
    and `why_undefined`. Arrays have shape (models, groups, measures), and where `has_runs` an axis of runs.
    """

    models: tuple[str, ...]
    groups: tuple[Any, ...]

    by_model: ClassVar[tuple[str, ...]] = ("models",)  # fields whose first axis is that of the models
    by_group: ClassVar[tuple[str, ...]] = ("groups",)

    @property
    def group_words(self) -> tuple[str, str]:
        """What one of its groups is called, and several of them."""
        return "slice", "slices"

    @property
    def overlapping(self) -> str:
        """What its groups are, if they hold the same samples: each class against the rest; empty if not."""
        return ""

    @property
    def truths(self) -> str:
        """What its samples truly are called: labels, or targets."""
        return "labels"

    @property
    def whole_is_mean(self) -> bool:
        """Whether the first group is the mean over the others, which are tasks."""
        return False

    @property
    def grouped(self) -> bool:
        """Whether whole groups of samples, rather than samples, are taken for independent."""
        return getattr(self, "clusters", None) is not None or hasattr(self, "together")

    @property
    def fold_counts(self) -> Any:
        """What happened in each fold: `Counts` of shape (models, folds), or matrices; None without folds.

        Where there is something, the problem has `folds`, `way` and `in_each_fold` as well.
        """
        return None

    @property
    def has_runs(self) -> bool:
        """Whether scores have an axis of runs."""
        return False

    @property
    def runs(self) -> int:
        """How many runs each model has."""
        return 1

    def seeded(self, seed: int) -> Self:
        """Return the same with another `seed`, a field of problems that draw anything at random."""
        return replace(self, seed=seed) if hasattr(self, "seed") else self  # type: ignore[type-var]

    def resolving(self, p_value: float) -> Self:
        """Return the same that draws enough to tell so small a p-value: its field `finest`, if it has one."""
        return replace(self, finest=p_value) if hasattr(self, "finest") else self  # type: ignore[type-var]

    def bars(self, measures: Sequence[Any]) -> tuple[Any, ...]:
        """Return for each measure what the best blind predictions can expect in the groups, a `Bar`."""
        raise NotImplementedError

    def scores(self, measures: Sequence[Any]) -> FloatArray:
        """Return what the models score; nan where there is no value."""
        raise NotImplementedError

    def at_the_bar(self, measures: Sequence[Any], bars: Sequence[Any], scores: FloatArray) -> Tail:
        """Return how surprising the scores are if a model's true score is the bar, two-sided."""
        raise NotImplementedError

    def blind(self, measures: Sequence[Any], scores: FloatArray) -> Tail:
        """Return how likely labels in random order score as well, without an axis of runs."""
        raise NotImplementedError

    def interval(self, measure: Any, level: float) -> tuple[float, float]:
        """Return the confidence interval of the true score, of one model in one group."""
        if type(self).intervals is Problem.intervals:  # a kind brings one of both
            raise NotImplementedError
        return self.intervals([measure], level)[0]

    def intervals(self, measures: Sequence[Any], level: float) -> list[tuple[float, float]]:
        """Return the intervals of several measures, of one model in one group."""
        return [self.interval(measure, level) for measure in measures]

    def within_interval(
        self, measures: Sequence[Any], bars: Sequence[Any], p_sure: FloatArray, level: float
    ) -> FloatArray:
        """Return a larger p of scores above their bar whose interval holds it though `p_sure` is small.

        nan elsewhere. Only where p jumps from bar to bar may a worse bar be refuted less than a better one.
        """
        return np.full(p_sure.shape, np.nan)

    def why_undefined(self, measure: Any, missing: BoolArray) -> Any:
        """Return why a measure has no value, a `NoValue` or text for each model and group selected."""
        raise NotImplementedError

    def matrix(self, model: int, group: int) -> ConfusionMatrix | None:
        """Return what a model called the samples of each class; None where there are not many classes.

        Of two classes the scorecard has counts, which say the same.
        """
        return None

    def per_class(self, group: int) -> Problem | None:
        """Return the problem of each class against the rest in one group; None where there are no classes."""
        return None

    def per_label(self, group: int) -> Problem | None:
        """Return the problem of each label on its own in one group; None where samples have one each."""
        return None

    def one(self, model: int, group: int) -> Problem:
        """Return the problem of one model in one group, by their positions."""
        own = {name: getattr(self, name)[model : model + 1] for name in self.by_model}
        of_group = {name: getattr(self, name)[group : group + 1] for name in self.by_group}
        return replace(self, **own, **of_group)  # type: ignore[type-var]

    def pieces(self, measures: int) -> Iterator[tuple[slice, Problem]]:
        """Yield the groups in parts that so many measures judge together."""
        yield slice(None), self

    def paired(self, measure: Any, a: int, b: int) -> Paired:
        """Return two models, by their positions, with their answers on the same units of all samples."""
        raise ValueError("compare is not possible for this kind of problem: it does not say how models pair.")

    def random_guesses(self) -> FloatArray | None:
        """Return what one option of each item at random expects, in each group; None without options."""
        return None

    def spreads(self) -> FloatArray | None:
        """Return standard deviations of what items give, by model and group; None if right or wrong."""
        return None

    def permuted(self, measure: Any) -> FloatArray:
        """Return the scores of all models with labels in random order, of shape (permutations, models)."""
        raise ValueError(
            "best_of permutes the labels of one test set for all models together, which this scorecard does "
            "not hold: folds and tasks are several."
        )

    def pair_p_values(self, measure: Any, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        """Return the p-values of many pairs of models; `alpha` is the level of all of them together."""
        steps = tracked(list(zip(a.tolist(), b.tolist(), strict=True)), len(a), lambda _: 1, "pairs")
        p_values = [self.paired(measure, *pair).p_value for pair in steps]
        return PairPValues(np.array(p_values, dtype=np.float64))
