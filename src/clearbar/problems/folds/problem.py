"""Folds of any kind as a problem: one test set where they are put together, else a mean over folds.

Folds share training samples, so their scores are correlated: the variance of the mean is taken as
(1/J + test/train) s² (Nadeau and Bengio 2003, the corrected resampled t-test). Where nothing else is known,
cross-validation in J folds trains on J - 1 parts for each tested.

Where no sample of any fold failed there is no spread. But a class that fails at some rate rarely shows no
failure among many samples: none of P positives and N negatives does with a probability of exp(-x) if the
shares that fail are 1 - exp(-t x / P) and 1 - exp(-(1 - t) x / N), for any t from 0 to 1. The worst mean that
is expected so is the end of an interval, and where it is the bar, p is exp(-x): a generalised rule of three.
The same rates are supposed in all folds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from clearbar import inference
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.reasons import NoValue, Reason
from clearbar.inference import Tail
from clearbar.inference.binomial import log_pmf
from clearbar.inference.bootstrap import NotTested, Test
from clearbar.inference.exchange import Exchangeable, Paired, PairPValues, Unpaired
from clearbar.inference.units import ENOUGH, Groups, Units
from clearbar.problems._protocol import Problem, one_by_one
from clearbar.problems.folds.bars import Folds, mean_bar
from clearbar.problems.folds.ways import Way
from clearbar.problems.validation import UNKNOWN, Validation

# Failures of a class in a fold up to which its score is looked up; more of them are very rare.
MOST_FAILURES = 24

# Ways in which the unlikelihood is split between the classes, refined so often around the worst.
SPLITS, REFINEMENTS = 17, 3

SMALLEST = 1e-6  # no one-sided p is below this, as in the exact test of one test set


class Mean(NamedTuple):
    """A mean over folds, its standard error, nan of fewer than two, and the degrees of freedom."""

    value: float
    error: float
    freedom: int

    @classmethod
    def of(cls, scores: FloatArray, ratio: float | None = None) -> Mean:
        """Return the mean of the scores that have a value; `ratio` is tested over trained samples."""
        scores = scores[~np.isnan(scores)]
        count = len(scores)
        if count < 2:
            return cls(math.nan, math.nan, 0)
        shared = 1 / (count - 1) if ratio is None else ratio
        mean, spread = float(scores.mean()), float(scores.std(ddof=1))
        spread = spread if spread > 1e-12 * max(1.0, abs(mean)) else 0.0  # all the same but for rounding
        return cls(mean, math.sqrt(1 / count + shared) * spread, count - 1)

    def p_value(self, bar: float) -> float:
        """Return the two-sided p-value; nan where all folds score the same, unless that is the bar."""
        distance = abs(self.value - bar)
        if self.error > 0:
            from scipy.special import stdtr

            return 2 * float(stdtr(self.freedom, -distance / self.error))
        return 1.0 if self.error == 0 and distance <= 1e-12 else math.nan

    def tail(self, bar: float) -> Tail:
        """Return the same, and how it was found."""
        p_value = self.p_value(bar)
        return Tail(p_value, p_value, Reason("folds_alike" if math.isnan(p_value) else "resampled_t"), "t")

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the confidence interval of the expectation, within the bounds of the measure."""
        if not self.error > 0:
            return math.nan, math.nan
        from scipy.special import stdtrit

        width = float(stdtrit(self.freedom, (1 + level) / 2)) * self.error
        return max(self.value - width, bounds[0]), min(self.value + width, bounds[1])


@dataclass(frozen=True, eq=False)
class PairedMeans:
    """Two models' scores on the same folds, and the mean of their differences."""

    scores: tuple[float, float]
    mean: Mean
    bounds: tuple[float, float]

    alone = None
    same = False
    mcnemar = math.nan
    test = "resampled_t"

    @property
    def method(self) -> str:
        return "unknown" if math.isnan(self.p_value) else "t"

    @property
    def p_value(self) -> float:
        return self.mean.p_value(0.0)

    @property
    def note(self) -> Any:
        return Reason("too_few_folds" if math.isnan(self.p_value) else "resampled_t")

    def interval(self, level: float) -> tuple[float, float]:
        width = self.bounds[1] - self.bounds[0]
        return self.mean.interval(level, (-width, width))

    def surprise(self, difference: float) -> float:
        return self.mean.p_value(difference)

    def beyond(self, difference: float) -> float:
        return self.surprise(difference) / 2

    def exchangeable(self) -> Exchangeable:
        return math.nan, "unknown", Reason("means_not_exchangeable")


@dataclass(frozen=True, eq=False)
class UnseenInFolds:
    """Class sizes of folds, and what each adds to the mean with i positives and j negatives that failed.

    `sizes` have shape (folds, 2); `values` (parts, folds, i, j), where several parts are averaged over folds
    before they are `joined` to a score; nan is as bad as `worst`. Folds weigh as `weights` say.
    """

    score: float
    sizes: IntArray
    weights: FloatArray
    values: FloatArray
    worst: float
    joined: Callable[[FloatArray], FloatArray]
    greater_is_better: bool
    seen_once: float = 1.0  # share of the tests that are of different samples

    def tail(self, bar: float) -> Tail:
        """Return the two-sided p-value of H0: the true score is this bar."""
        p_value = self.p_value(bar)
        return Tail(p_value, p_value, Reason("unseen_in_folds"), "estimated")

    def p_value(self, bar: float) -> float:
        """Return 2 exp(-x) of the x whose end is the bar, by bisection."""
        if abs(bar - self.score) <= 1e-12 * max(1.0, abs(bar)):
            return 1.0
        sign = 1.0 if self.greater_is_better else -1.0
        least, most = 0.0, -math.log(SMALLEST)
        for _ in range(40):
            middle = (least + most) / 2
            refuted = sign * self.end(middle) > sign * bar
            least, most = (middle, most) if refuted else (least, middle)
        return min(1.0, 2 * math.exp(-least))

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return the scores that are not refuted; nothing is better than no failure."""
        end = min(max(self.end(-math.log((1 - level) / 2)), bounds[0]), bounds[1])
        return (end, self.score) if self.greater_is_better else (self.score, end)

    def end(self, x: float) -> float:
        """Return the worst expected score of rates that show no failure with a probability of exp(-x)."""
        splits, scores = np.linspace(0.0, 1.0, SPLITS), np.empty(0)
        for _ in range(REFINEMENTS):
            scores = self._expected(x, splits)
            worst = int(np.argmin(scores) if self.greater_is_better else np.argmax(scores))
            splits = np.linspace(splits[max(worst - 1, 0)], splits[min(worst + 1, SPLITS - 1)], SPLITS)
        return float(scores.min() if self.greater_is_better else scores.max())

    def _expected(self, x: float, splits: FloatArray) -> FloatArray:
        tested = np.maximum(self.weights @ self.sizes * self.seen_once, 1e-300)
        rates = -np.expm1(-x * np.stack([splits, 1 - splits]) / tested[:, None])[:, None, :, None]
        number, size = np.arange(self.values.shape[-1], dtype=np.float64), self.sizes.T[..., None, None]
        with np.errstate(invalid="ignore", divide="ignore"):
            chances = np.exp(log_pmf(np.minimum(number, size), size.astype(np.float64), rates))
        chances = np.where(number <= size, chances, 0.0)
        gains = np.nan_to_num(self.values - self.worst)
        sums = np.einsum("fti,ftj,pfij,f->pt", *chances, gains, self.weights, optimize=True)
        return self.joined(self.worst + sums / self.weights.sum())


class FoldUnits(Units):
    """The tests of all folds, one after the other: labels are put in random order within folds.

    Where samples belong together, the labels of whole clusters trade places instead, whatever their folds;
    and where samples are tested more than once, all tests of one sample are such a cluster.
    """

    label_noun = "labels within folds"
    enough = ENOUGH

    def __init__(self, problem: Any, models: Sequence[int]) -> None:
        self.problem, self.places, self.models = problem, list(models), len(models)
        self.truth, self.samples = problem.truth_of_tests, len(problem.truth_of_tests)
        self.seed, self.finest = problem.seed, problem.finest
        together = problem.clusters if problem.validation.tests is None else problem.validation.tests
        self.clusters = None if together is None else Groups.of(together)

    @property
    def labels(self) -> Any:
        return self.truth

    @property
    def permuted(self) -> str:
        return super().permuted if self.problem.validation.tests is None else "the samples' labels"

    @property
    def blocks(self) -> list[IntArray]:
        return np.split(np.arange(self.samples), np.cumsum(self.problem.total)[:-1])

    def order_cost(self, measures: Sequence[Any]) -> int:
        return self.samples * self.models

    def shuffled(self, measures: Sequence[Any], orders: IntArray) -> FloatArray:
        labels = self.truth[orders]
        scores = [self.problem.relabelled(measures, labels, model) for model in self.places]
        return np.stack(scores, axis=1)

    def agreement(self, measure: Any, model: int) -> FloatArray:
        agreement: FloatArray = self.problem.agreement(self.places[model])
        return agreement


@dataclass(frozen=True, eq=False)
class Folded(Problem):
    """Models tested on the same folds, with one score that combines them.

    A kind brings `total`, `pooled`, `scores`, `in_each_fold`, `without_spread`, `relabelled` and `agreement`,
    and for bars `on_folds`.
    """

    one_test_set: ClassVar[bool] = False

    models: tuple[str, ...]
    folds: tuple[Any, ...]  # their names
    way: Way
    groups: tuple[Any, ...] = field(default=(None,), kw_only=True)
    validation: Validation = field(default=UNKNOWN, kw_only=True)
    clusters: IntArray | None = field(default=None, kw_only=True)  # the cluster of each test
    torn: bool = field(default=False, kw_only=True)  # whether a split has a cluster on both sides
    seed: int = field(default=0, kw_only=True)
    finest: float = field(default=1.0, kw_only=True)

    @property
    def total(self) -> IntArray:
        """The samples of each fold."""
        raise NotImplementedError

    @property
    def truth_of_tests(self) -> Any:
        """The labels of all tests, fold after fold."""
        raise NotImplementedError

    @property
    def pooled(self) -> Any:
        """All folds put together, as one test set."""
        raise NotImplementedError

    def on_folds(self, measure: Any) -> Folds:
        """Return a measure on these folds."""
        raise NotImplementedError

    def in_each_fold(self, measures: Sequence[Any]) -> FloatArray:
        """Return the scores of the folds, of shape (models, folds, measures)."""
        raise NotImplementedError

    def in_folds(self, measure: Any, model: int) -> FloatArray:
        """Return numbers of folds whose spread tells how surely the score of one model is known."""
        scores: FloatArray = self.in_each_fold([measure])[model, :, 0]
        return scores

    def without_spread(self, measure: Any, model: int, score: float) -> Test | None:
        """Return what is known of folds of one model that all score the same; None if nothing is."""
        raise NotImplementedError

    def relabelled(self, measures: Sequence[Any], labels: Any, model: int) -> FloatArray:
        """Return the scores of a model on other labels of the tests, (orders, tests): (measures, orders)."""
        raise NotImplementedError

    def agreement(self, model: int) -> FloatArray:
        """Return what each test adds to the agreement of labels and a model's answers."""
        raise NotImplementedError

    @property
    def untested(self) -> Reason | None:
        """Why the spread over folds tells nothing."""
        return None if self.way.weights is None else Reason("folds_untested")

    @cached_property
    def unknown(self) -> Reason | None:
        """Why the folds tell nothing: a model may have seen the clusters that it is tested on."""
        if self.clusters is None:
            return None
        if self.torn:
            return Reason.of("torn", what="p_value")
        few = Groups.of(self.clusters).too_few
        return few and Reason.of("p_value_unknown", why=few)

    @property
    def as_one_test_set(self) -> bool:
        """Whether folds are put together to so many samples, none of them tested twice."""
        return self.way.pools and not self.validation.overlaps and not self.untested

    def bars(self, measures: Sequence[Any]) -> tuple[Any, ...]:
        """Return the bar of the same combination, over the one group of all samples."""
        make = self.way.bar
        if make is None:
            bars: tuple[Any, ...] = self.pooled.bars(measures)
            return bars
        return tuple(make(self.on_folds(measure)) for measure in measures)

    # -- H0: the true score is the bar ------------------------------------------------------------------
    def at_the_bar(self, measures: Sequence[Any], bars: Sequence[Any], scores: FloatArray) -> Tail:
        """Return the two-sided test of pooled folds as one test set, or of a mean over folds."""
        if self.unknown:
            return Tail.unknown(scores.shape, self.unknown)
        if not self.as_one_test_set:
            return super().at_the_bar(measures, bars, scores)
        tail: Tail = self.pooled.at_the_bar(measures, bars, scores)
        if self.clusters is not None:
            return tail
        # Folds as one test set are an approximation, whatever its test is.
        method = np.where(tail.method == "exact", "estimated", tail.method)
        notes: Any = tail.note, Reason("one_test_set")
        note = np.where(np.isnan(tail.upper), *notes)
        return tail._replace(note=note, method=method)

    def exact_tests(self, measures: Sequence[Any], model: int, group: int) -> list[Test]:
        """Return the corrected resampled t-tests of one model, or what folds without spread tell."""
        return [self._test(measure, model) for measure in measures]

    def _test(self, measure: Any, model: int) -> Test:
        if self.untested:
            return NotTested(self.untested)
        score = float(self.scores([measure])[model, 0, 0])
        mean = Mean.of(self.in_folds(measure, model), self.validation.ratio)._replace(value=score)
        return (self.without_spread(measure, model, score) if mean.error == 0 else None) or mean

    def intervals(self, measures: Sequence[Any], level: float) -> list[tuple[float, float]]:
        """Return the intervals that belong to that test."""
        if self.unknown:
            return [(math.nan, math.nan)] * len(measures)
        if not self.as_one_test_set:
            return super().intervals(measures, level)
        intervals: list[tuple[float, float]] = self.pooled.intervals(measures, level)
        return intervals

    def within_interval(
        self, measures: Sequence[Any], bars: Sequence[Any], p_sure: FloatArray, level: float
    ) -> FloatArray:
        problem: Any = self.pooled if self.as_one_test_set else super()
        larger: FloatArray = problem.within_interval(measures, bars, p_sure, level)
        return larger

    # -- H0: labels are in random order -----------------------------------------------------------------
    def blind(self, measures: Sequence[Any], scores: FloatArray) -> Tail:
        """Return the p-values of refits, or how likely labels in random order within folds score as well."""
        refitted = self.validation.blind(scores.shape)
        if refitted is None and self.torn:
            return Tail.unknown(scores.shape, Reason.of("torn", what="p_value_blind"))
        if refitted is None and self.validation.tests is not None:  # closed forms are of separate test sets
            tail = inference.permutation.blind(self.units(0), measures, scores[:, 0])
            return Tail(*(values[:, None] for values in tail.over(scores[:, 0].shape)))
        return super().blind(measures, scores) if refitted is None else refitted

    def units(self, group: int, models: Sequence[int] | None = None, *, joint: bool = False) -> Units:
        return FoldUnits(self, range(len(self.models)) if models is None else models)

    def one(self, model: int, group: int) -> Any:
        of_model: Any = super().one(model, group)
        refitted = self.validation.refitted
        if refitted is None:
            return of_model
        return replace(of_model, validation=replace(self.validation, refitted=refitted[model : model + 1]))

    # -- two models -------------------------------------------------------------------------------------
    def paired(self, measure: Any, a: int, b: int) -> Paired:
        """Return two models' answers of one test set; or their scores on each fold."""
        first, second = self.scores([measure])[[a, b], 0, 0].tolist()
        why = self.unknown or (None if self.as_one_test_set else self.untested)
        if why:
            return Unpaired((first, second), why)
        if self.as_one_test_set:
            pair: Paired = self.pooled.paired(measure, a, b)
            return pair
        mean = Mean.of(self.in_folds(measure, a) - self.in_folds(measure, b), self.validation.ratio)
        return PairedMeans((first, second), mean._replace(value=first - second), measure.bounds)

    def pair_p_values(self, measure: Any, a: IntArray, b: IntArray, *, alpha: float) -> PairPValues:
        if self.unknown:
            return PairPValues(np.full(len(a), np.nan))
        if not self.as_one_test_set:
            return one_by_one(self, measure, a, b)
        p_values: PairPValues = self.pooled.pair_p_values(measure, a, b, alpha=alpha)
        return p_values


@dataclass(frozen=True, eq=False)
class FoldRows(Folded):
    """What models answer sample by sample, scores or probabilities, and the samples of each fold."""

    truth: Any
    answers: tuple[FloatArray, ...]
    rows: tuple[IntArray, ...]

    by_model: ClassVar[tuple[str, ...]] = ("models", "answers")

    def fold_scores(self, measures: Sequence[Any], answers: FloatArray, labels: Any) -> FloatArray:
        """Return the scores of one model where rows of labels are true: (measures, rows)."""
        raise NotImplementedError

    def fold_agreement(self, truth: Any, answers: FloatArray) -> FloatArray:
        """Return what each sample adds to the agreement of labels and one model's answers."""
        raise NotImplementedError

    @cached_property
    def total(self) -> IntArray:
        return np.array([len(rows) for rows in self.rows])

    @cached_property
    def _tested(self) -> IntArray:
        return np.concatenate(self.rows)

    @cached_property
    def truth_of_tests(self) -> Any:
        return self.truth[self._tested]

    @property
    def untested(self) -> Reason | None:
        return Reason("merged_untested") if self.way.pools else super().untested

    @property
    def _combined(self) -> dict[str, Any]:
        """How folds are combined, for `on_folds`; scores that are merged are means over samples."""
        if self.way.pools:
            return {"names": self.folds, "weights": self.total.astype(np.float64)}
        return {"names": self.folds, "words": self.way.words, "weights": self.way.weights_of(self.total)}

    def bars(self, measures: Sequence[Any]) -> tuple[Any, ...]:
        return tuple((self.way.bar or mean_bar)(self.on_folds(measure)) for measure in measures)

    def scores(self, measures: Sequence[Any]) -> FloatArray:
        """Return the combined scores; nan where no fold has one."""
        if self.way.pools:
            scores: FloatArray = self.pooled.scores(measures)
            return scores
        return self._mean(self.in_each_fold(measures).swapaxes(1, 2))[:, None]

    def _mean(self, values: FloatArray) -> FloatArray:
        return replace(self.way, leaves_out=True).mean(values, self.total)

    def without_spread(self, measure: Any, model: int, score: float) -> Test | None:
        """Return None: equal answers in all folds are no failures that were not seen."""
        return None

    def relabelled(self, measures: Sequence[Any], labels: Any, model: int) -> FloatArray:
        answers = self.answers[model][self._tested]
        sizes = [len(answers)] if self.way.pools else self.total.tolist()
        folds = np.split(np.arange(len(answers)), np.cumsum(sizes)[:-1])
        values = np.stack([self.fold_scores(measures, answers[fold], labels[:, fold]) for fold in folds], -1)
        return values[..., 0] if self.way.pools else self._mean(values)

    def agreement(self, model: int) -> FloatArray:
        parts = (self.fold_agreement(self.truth[rows], self.answers[model][rows]) for rows in self.rows)
        return np.concatenate(list(parts))  # answers of different folds need not be comparable

    def why_undefined(self, measure: Any, missing: BoolArray) -> Any:
        return [NoValue(measure.label, where="in any fold")] * int(np.count_nonzero(missing))
