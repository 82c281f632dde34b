"""What any problem must bring so that it can be judged, tabulated and drawn: a bar.

Binary labels, folds and scores differ in how a bar is found. How a score stands to it, and how that
is said, is the same for all of them and reads no more than is named here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np

from clearbar import inference
from clearbar.catalogue import Entry
from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.inference import Tail
from clearbar.problems.bars import Recipe

if TYPE_CHECKING:
    from clearbar.core.classes import ConfusionMatrix
    from clearbar.inference.bootstrap import Test
    from clearbar.inference.exchange import Paired, PairPValues
    from clearbar.inference.gaps import GroupPairs
    from clearbar.inference.units import Units


class Bar(Protocol):
    """What a feature-blind classifier is worth, for one group of samples or an array of them."""

    @property
    def measure(self) -> Entry: ...
    @property
    def population(self) -> Population: ...  # the samples of each group, and how many of them are positive
    @property
    def value(self) -> Any: ...  # the bar; nan where there is none, with a reason
    @property
    def best_possible(self) -> Any: ...  # the score of perfect predictions
    @property
    def worst_value(self) -> Any: ...  # the worst expected score of a feature-blind classifier
    @property
    def certified(self) -> Any: ...  # whether the bar is proved to be the optimum
    @property
    def reason(self) -> Any: ...
    @property
    def rounding(self) -> Any: ...  # what the recipe loses where it is followed to the nearest sample
    @property
    def attained_by(self) -> Recipe: ...  # of one group
    @property
    def claim(self) -> str: ...  # the sentence that says why nothing does better, with its source
    def __getitem__(self, index: Any) -> Bar: ...


MOST_KEPT = 64  # models times measures whose resamples are kept


class Problem(Protocol):
    """Labels and predictions of one kind, so that they can be judged.

    A kind inherits from this and brings `bars`, `scores`, `units` and `why_undefined`, and closed forms where
    it has them: `exact_tests`, `exact_chances`. Arrays have shape (models, groups, measures), and where
    `has_runs` an axis of runs.
    """

    models: tuple[str, ...]
    groups: tuple[Any, ...]

    by_model: ClassVar[tuple[str, ...]] = ("models",)  # fields whose first axis is that of the models
    by_group: ClassVar[tuple[str, ...]] = ("groups",)
    models_together: ClassVar[bool] = True  # whether one set of resamples serves all models
    one_test_set: ClassVar[bool] = True  # not several, such as folds and tasks
    intervals_without_bar: ClassVar[bool] = False  # whether scores that have no bar have one

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
        return getattr(self, "clusters", None) is not None

    @property
    def fold_counts(self) -> Any:
        """What happened in each fold: `Counts` of shape (models, folds), or matrices; None without folds."""
        # Where there is something, the problem has `folds`, `way` and `in_each_fold` as well.
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
        return self._redrawn(seed=seed)

    def resolving(self, p_value: float) -> Self:
        """Return the same that draws enough to tell so small a p-value: its field `finest`, if it has one."""
        return self._redrawn(finest=p_value)

    def _redrawn(self, **how: Any) -> Self:
        names = {of_self.name for of_self in fields(self)}  # type: ignore[arg-type]
        forgotten: dict[str, Any] = {"kept_tests": {}} if "kept_tests" in names else {}
        return replace(self, **how, **forgotten) if names >= how.keys() else self  # type: ignore[type-var]

    def bars(self, measures: Sequence[Any]) -> tuple[Any, ...]:
        """Return for each measure what the best blind predictions can expect in the groups, a `Bar`."""
        raise NotImplementedError

    def scores(self, measures: Sequence[Any]) -> FloatArray:
        """Return what the models score; nan where there is no value."""
        raise NotImplementedError

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> Units:
        """Return what is independent in one group, for some models; `joint` where these are compared."""
        kind = type(self).__name__
        raise NotImplementedError(f"{kind} does not say what is independent.")

    def exact_tests(self, measures: Sequence[Any], model: int, group: int) -> Sequence[Test | None]:
        """Return closed forms of question A, by measure; None where units are resampled."""
        return [None] * len(measures)

    def exact_chances(
        self, measures: Sequence[Any], scores: FloatArray, model: int, group: int
    ) -> Sequence[Tail | None]:
        """Return closed forms of question B, by measure; None where labels are permuted."""
        return [None] * len(measures)

    @property
    def _kept(self) -> dict[Any, Test]:
        """Tests of few models, the field `kept_tests`: p-values and intervals need the same resamples."""
        return getattr(self, "kept_tests", {})

    def __getstate__(self) -> dict[str, Any]:
        """Leave out of a pickle what is found again: tests and bars that are kept hold functions."""
        kept = {name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)}
        state = {name: value for name, value in vars(self).items() if name not in kept}
        return state | ({"kept_tests": {}} if self._kept else {})

    def tests_of(self, measures: Sequence[Any], models: Sequence[int], group: int) -> list[list[Test]]:
        """Return for each model the test of its score by each measure: a closed form, or from resamples."""

        def key(model: int, measure: Any) -> Any:
            return self.models[model], self.groups[group], measure

        tests: dict[Any, Test | None] = {}
        for model in models:
            tests |= {key(model, measure): self._kept.get(key(model, measure)) for measure in measures}
            new = [measure for measure in measures if tests[key(model, measure)] is None]
            for measure, test in zip(new, self.exact_tests(new, model, group) if new else (), strict=True):
                tests[key(model, measure)] = test
        lacking = [m for m in measures if any(tests[key(model, m)] is None for model in models)]
        for together in self._drawn_together(list(models)) if lacking else ():
            drawn = inference.resamples.tests_of(self.units(group, together), lacking)
            for model, of_model in zip(together, drawn, strict=True):
                for measure, test in zip(lacking, of_model, strict=True):
                    tests[key(model, measure)] = tests[key(model, measure)] or test
        nothing = inference.bootstrap.NotTested("")
        return [[tests[key(model, measure)] or nothing for measure in measures] for model in models]

    def _drawn_together(self, models: list[int]) -> list[list[int]]:
        """Return which models are resampled together."""
        return [models] if self.models_together else [[model] for model in models]

    def at_the_bar(self, measures: Sequence[Any], bars: Sequence[Any], scores: FloatArray) -> Tail:
        """Return the two-sided p-values of H0: a model's true score is the bar."""
        shape = len(bars), len(self.groups)
        bar_values = np.array([np.broadcast_to(bar.value, shape[1:]) for bar in bars], dtype=np.float64)
        keep = len(self.groups) == 1 and scores.size <= MOST_KEPT
        judged = ~np.isnan(scores + bar_values.reshape(shape).T)

        def cells() -> Iterator[tuple[Any, Tail]]:
            for group in self._tracked("intervals"):
                columns = np.flatnonzero(judged[:, group].any(axis=0)).tolist()
                models = np.flatnonzero(judged[:, group].any(axis=1)).tolist()
                named = [measures[column] for column in columns]
                tests = self.tests_of(named, models, group) if columns else []
                for model, of_model in zip(models, tests, strict=True):
                    for column, test in zip(columns, of_model, strict=True):
                        if keep:
                            self._kept[self.models[model], self.groups[group], measures[column]] = test
                        if judged[model, group, column]:
                            yield (model, group, column), test.tail(float(bar_values[column, group]))

        return Tail.gathered(scores.shape, cells())

    def intervals(self, measures: Sequence[Any], level: float) -> list[tuple[float, float]]:
        """Return the intervals of several measures, of one model in one group."""
        (tests,) = self.tests_of(measures, [0], 0)
        return [test.interval(level, measure.bounds) for test, measure in zip(tests, measures, strict=True)]

    def blind(self, measures: Sequence[Any], scores: FloatArray) -> Tail:
        """Return how likely labels in random order score as well, without an axis of runs."""
        means = scores.mean(axis=-1) if self.has_runs else scores

        def cells() -> Iterator[tuple[Any, Tail]]:
            for group in self._tracked("permutations"):
                left = means[:, group].copy()
                for model, of_model in enumerate(means[:, group]):
                    for column, tail in enumerate(self.exact_chances(measures, of_model, model, group)):
                        if tail is not None:
                            left[model, column] = np.nan
                            yield (model, group, column), tail
                models = np.flatnonzero(~np.isnan(left).all(axis=1)).tolist()
                for together in self._drawn_together(models) if models else ():
                    tails = inference.permutation.blind(self.units(group, together), measures, left[together])
                    tails = tails.over(left[together].shape)
                    for row, column in np.argwhere(~np.isnan(left[together])).tolist():
                        yield (together[row], group, column), Tail(*(values[row, column] for values in tails))

        return Tail.gathered(means.shape, cells())

    def within_interval(
        self, measures: Sequence[Any], bars: Sequence[Any], p_sure: FloatArray, level: float
    ) -> FloatArray:
        """Return a larger p of scores above their bar whose interval holds it though `p_sure` is small."""
        # nan elsewhere. Only where p jumps from bar to bar may a worse bar be refuted less than a better one.
        return np.full(p_sure.shape, np.nan)

    def why_undefined(self, measure: Any, missing: BoolArray) -> Any:
        """Return why a measure has no value, a `NoValue` or text for each model and group selected."""
        raise NotImplementedError

    def matrix(self, model: int, group: int) -> ConfusionMatrix | None:
        """Return what a model called the samples of each class; None where there are not many classes."""
        # Of two classes the scorecard has counts, which say the same.
        return None

    def per_class(self, group: int) -> Problem | None:
        """Return the problem of each class against the rest in one group; None where there are no classes."""
        return None

    def per_label(self, group: int) -> Problem | None:
        """Return the problem of each label on its own in one group; None where samples have one each."""
        return None

    def one(self, model: int, group: int) -> Problem:
        """Return the problem of one model in one group, by their positions."""
        of_model = {name: getattr(self, name)[model : model + 1] for name in self.by_model}
        of_group = {name: getattr(self, name)[group : group + 1] for name in self.by_group}
        return replace(self, **of_model, **of_group)  # type: ignore[type-var]

    def pieces(self, measures: int) -> Iterator[tuple[slice, Problem]]:
        """Yield the groups in parts that so many measures judge together."""
        yield slice(None), self

    def paired(self, measure: Any, a: int, b: int) -> Paired:
        """Return two models, by their positions, with their answers on the same units of all samples."""
        if type(self).units is Problem.units:
            raise ValueError(
                "compare is not possible for this kind of problem: it does not say how models pair."
            )
        return inference.differences.paired(self.units(0, [a, b], joint=True), measure)

    def between_groups(self, measure: Any, model: int) -> GroupPairs:
        """Return the groups of one model, each with the scores of its own samples."""
        raise ValueError(
            "gaps between groups are of labels of two classes, in slices without common samples; "
            "card.slices() shows how each group stands to its own bar."
        )

    def random_guesses(self) -> FloatArray | None:
        """Return what one option of each item at random expects, in each group; None without options."""
        return None

    def standard_errors(self) -> FloatArray | None:
        """Return the standard errors of means over items, by model and group; None if right or wrong."""
        return None

    def permuted(self, measure: Any) -> FloatArray:
        """Return the scores of all models with labels in random order, of shape (permutations, models)."""
        if type(self).units is Problem.units or not self.one_test_set:
            raise ValueError(
                "best_of permutes the labels of one test set for all models together, which this scorecard "
                "does not hold: folds and tasks are several."
            )
        return inference.permutation.scores(self.units(0, joint=True), measure)

    def pair_p_values(self, measure: Any, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        """Return the p-values of many pairs of models; `alpha` is the level of all of them together."""
        if type(self).units is Problem.units:
            return one_by_one(self, measure, a, b)
        models = np.union1d(a, b)
        units = self.units(0, models.tolist(), joint=True)
        if units.not_resampled(measure) is not None:
            return inference.exchange.PairPValues(np.full(len(a), np.nan))
        places = np.searchsorted(models, a), np.searchsorted(models, b)
        p_values = inference.differences.pair_p_values(units, measure, *places, alpha)
        for pair in np.flatnonzero(np.isnan(p_values.values)).tolist():
            p_values.values[pair] = self.paired(measure, int(a[pair]), int(b[pair])).p_value
        return p_values

    def _tracked(self, what: str) -> Iterator[int]:
        return tracked(range(len(self.groups)), len(self.groups), lambda _: 1, what)


def one_by_one(problem: Problem, measure: Any, a: IntArray, b: IntArray) -> PairPValues:
    """Return the p-values of pairs of models, each found on its own."""
    steps = tracked(list(zip(a.tolist(), b.tolist(), strict=True)), len(a), lambda _: 1, "pairs")
    p_values = [problem.paired(measure, *pair).p_value for pair in steps]
    return inference.exchange.PairPValues(np.array(p_values, dtype=np.float64))
