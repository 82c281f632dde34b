"""The bar of a measure of numbers: the best constant, or one for each value of a column."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.errors import listed, shown
from clearbar.core.reasons import OfMeasure
from clearbar.data.classes import seen_column, too_fine
from clearbar.data.scores import read_numbers
from clearbar.formatting import number
from clearbar.problems.bars import NOTHING_TO_DO, GroupBars, GroupSizes, Recipe
from clearbar.problems.numbers.entries import NumberMeasure

ALL_ALIKE = "all targets are the same, and it needs two different ones"

TOO_FAR = "the targets are too far apart for floating point"


@dataclass(frozen=True, eq=False)
class TargetSizes(GroupSizes):
    """How many samples there are, in one group or in an array of groups, and how many targets are large."""

    total: Any
    large: Any  # above the mean of all samples, those of other groups too

    arrays = ("total", "large")
    classes = None  # targets are none

    @property
    def leading(self) -> tuple[str, Any]:
        """What readers are told the share of, by what it is called."""
        return "above the mean", self.large


class Targets(NamedTuple):
    """The targets of one group of samples, rising within each group of the column; and where these start.

    Without a column there is one group.
    """

    y: FloatArray
    starts: IntArray
    given: bool

    @classmethod
    def of(cls, y: FloatArray, column: IntArray, *, given: bool) -> Targets:
        """Take targets that are sorted by the column, then by value."""
        return cls(y, np.flatnonzero(np.diff(column, prepend=-1)), given)

    @classmethod
    def in_any_order(cls, y: FloatArray, column: IntArray | None = None) -> Targets:
        codes = np.zeros(len(y), dtype=np.int64) if column is None else column
        order = np.lexsort((y, codes))
        return cls.of(y[order], codes[order], given=column is not None)

    def by_group(self, values: FloatArray) -> FloatArray:
        """Return for each sample the value of its group of the column."""
        return np.repeat(values, np.diff(self.starts, append=len(self.y)), axis=-1)


class NumberOptimum(NamedTuple):
    """The bar of one group of samples, and the constants that attain it."""

    value: float
    worst: float
    constants: tuple[float, ...] = ()
    reason: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class NumberBaseline(GroupBars):
    """The best expected value of predicted numbers that ignore the features, and how to attain it.

    Made by `clearbar.baseline_regression`. ``float(bar)`` is the bar.

    Attributes
    ----------
    measure : NumberMeasure
        The measure.
    population : TargetSizes
        Numbers of samples; of many groups, and every number here is an array.
    optima : tuple of NumberOptimum
        The bar of each group.
    given : bool
        Whether predictions may see one column.

    Examples
    --------
    >>> import clearbar as cb
    >>> print(cb.baseline_regression([1, 2, 3, 5, 9], "mae"))
    MAE bar 2.200: predict 3, the median, for every sample
    """

    measure: NumberMeasure
    population: TargetSizes
    optima: tuple[NumberOptimum, ...]
    given: bool = False

    @property
    def best_possible(self) -> Any:
        """The value of perfect predictions."""
        perfect = 1.0 if self.measure.greater_is_better else 0.0
        return np.full(self.population.shape, perfect)[()] if self.population.shape else perfect

    @property
    def certified(self) -> bool:
        """Whether no predictions that ignore the features do better: for all but the median distance."""
        return self.measure.certified

    uncertain = "that only constants need be tried is not proved"

    @property
    def constants(self) -> tuple[float, ...]:
        """The constant to predict: one number, or one for each value of the column, in their order."""
        constants: tuple[float, ...] = self._one("constants").constants
        return constants

    @property
    def attained_by(self) -> Recipe:
        """The predictions that ignore the features and attain the bar."""
        optimum = self._one("attained_by")
        word = self.measure.word
        if math.isnan(optimum.value):
            return NOTHING_TO_DO
        if self.given and len(optimum.constants) > 1:
            what = f"the {word or 'mean'} of its group for every sample"
            return Recipe("predict", what, f"{len(optimum.constants):,} groups in all", certain=True)
        if not word:
            if self.measure.bounds[0] == -1:
                return Recipe("predict", "any different numbers in random order")
            return Recipe("predict", "any one number for every sample", certain=True)
        constant = number(optimum.constants[0], int(self.population.total))
        return Recipe("predict", constant, f"the {word}, for every sample", certain=True)

    @property
    def claim(self) -> str:
        """The sentence that says why nothing does better."""
        if self.given:
            return (
                "Nothing that sees only this column does better on average: one number is best in each group."
            )
        return self.measure.claim


def bars_of(measure: NumberMeasure, groups: Sequence[Targets], mean: float) -> NumberBaseline:
    """Return the bar of a measure on groups of samples, the mean of all of them being known."""
    total, large = np.array([(len(targets.y), np.count_nonzero(targets.y > mean)) for targets in groups]).T
    optima = tuple(optimum(measure, targets) for targets in groups)
    return NumberBaseline(measure, TargetSizes(total, large), optima, groups[0].given)


def optimum(measure: NumberMeasure, targets: Targets) -> NumberOptimum:
    """Return the bar of one group of samples."""
    y, starts, given = targets
    ones = np.ones(len(y))
    if measure.spread and y.min() == y.max():
        return NumberOptimum(math.nan, math.nan, reason=_reason(measure, "value", ALL_ALIKE))
    if given and too_fine(len(starts), len(y)):  # a slice; of all samples it is refused
        few = f"the column has {len(starts):,} values for {len(y):,} samples, and needs ten for each"
        return NumberOptimum(math.nan, math.nan, reason=_reason(measure, "bar", few))
    constants = () if measure.constant is None else tuple(measure.constant(y, ones, starts).tolist())
    single = len(starts) == 1
    value = measure.best(y, ones) if single else measure(y, targets.by_group(np.array(constants)))
    too_far = _reason(measure, "value", TOO_FAR) if np.isnan(value) else ""
    return NumberOptimum(float(value), _worst(measure, y), constants, too_far)


def _reason(measure: NumberMeasure, missing: str, why: str) -> OfMeasure:
    return OfMeasure(f"{measure.label} has no {missing} here: {why}")


def _worst(measure: NumberMeasure, y: FloatArray) -> float:
    """Return the worst expected value of blind predictions within the range of targets; nan if infinite."""
    low, high = y.min(), y.max()
    if measure.loss is None and measure.flat is not None:
        if measure.bounds[0] == -1:
            return float(measure.flat or 0.0)
        half = len(y) // 2  # the largest variance is that of half of them at either end
        spread = half * (len(y) - half) / len(y) ** 2 * (high - low) ** 2
        return -float(spread / y.var())
    ends = [float(measure(y, np.full(len(y), end))) for end in (low, high)]
    return (min if measure.greater_is_better else max)(ends, default=math.nan)


def baseline_regression(y_true: Any, measure: str | NumberMeasure, *, given: Any = None) -> NumberBaseline:
    """Return the best expected value of predicted numbers that ignore every feature.

    For every measure that is a mean over samples, or convex, that is one number for all samples: the mean,
    the median, a quantile. R² and its kin are 0 there; a correlation is 0 on average whatever is predicted.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        Targets; finite, at least two.
    measure : str or NumberMeasure
        The measure: ``mae rmse mse r2 medae mape msle rmsle explained_variance max_error pearson
        spearman kendall ccc mean_poisson_deviance mean_gamma_deviance d2_absolute_error``, or
        ``mean_pinball_loss(alpha=0.9)``, ``mean_tweedie_deviance(power=1.5)``, ``d2_pinball(alpha=0.9)``,
        ``d2_tweedie(power=1.5)``. scikit-learn's names reach the same measures, with or without ``neg_``.
    given : array_like of shape (M,), optional
        A column that predictions may see, such as the site of each sample: the bar is then the best
        prediction for each of its values.

    Returns
    -------
    NumberBaseline

    Raises
    ------
    ValueError
        If targets are no finite numbers, are fewer than two, or are such that the measure has no value (a
        zero for MAPE, a negative one for a Poisson deviance), or if the measure is unknown.

    References
    ----------
    Pries et al., The optimal input-independent baseline for binary classification, Statistica Neerlandica
    2023, theorem 1, whose proof holds for numbers as for labels: a feature-blind prediction is a mixture of
    fixed ones in random order. For a mean over samples, or a convex loss, a constant is then best.

    Examples
    --------
    >>> import clearbar as cb
    >>> print(cb.baseline_regression([1, 2, 3, 5, 9], "rmse"))
    RMSE bar 2.828: predict 4, the mean, for every sample
    """
    entry: NumberMeasure = get_measure(measure, "regression")
    y = read_targets(y_true)
    refuse_unfit([entry], y, "y_true")
    column = read_column(given, y_true, len(y), [entry])
    return bars_of(entry, [Targets.in_any_order(y, column)], float(y.mean()))[0]


def read_targets(y_true: Any) -> FloatArray:
    """Return the targets, or say what they must be."""
    y = read_numbers(y_true, "y_true")
    if len(y) < 2:
        raise ValueError(
            "y_true must hold at least 2 numbers, since one constant is perfect for one; found 1."
        )
    return y


def read_column(given: Any, y_true: Any, length: int, measures: Sequence[NumberMeasure]) -> IntArray | None:
    """Return the number of each sample's value of the column that predictions may see; None without one."""
    if given is None:
        return None
    _, codes = seen_column(given, y_true, length)
    lacking = [measure.label for measure in measures if not measure.by_column]
    if lacking:
        raise ValueError(
            "given is for measures whose best prediction by column is one number for each of its values; "
            f"not so of {listed(lacking, last='or')}. Use mse, mae or r2."
        )
    return codes


def refuse_unfit(measures: Sequence[NumberMeasure], values: FloatArray, name: str) -> None:
    """Raise if targets or predictions are outside of what a measure takes."""
    for measure in measures:
        domain = measure.targets if name == "y_true" else measure.predictions
        wrong = ~domain.holds(values)
        if wrong.any():
            first, number = int(np.argmax(wrong)), int(np.count_nonzero(wrong))
            shown_value = f"{shown(float(values[first]))} at position {first}"
            more = f" and {number - 1:,} more" if number > 1 else ""
            remedy = domain.remedy if name == "y_true" else f"{domain.remedy}, or predict {domain.words}"
            raise ValueError(
                f"{measure.name} needs {name} {domain.words}; found {shown_value}{more}. {remedy}."
            )
