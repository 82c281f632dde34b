"""The bar of numbers: from targets, and perhaps a column that predictions may see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.errors import listed, shown
from clearbar.data.classes import seen_column
from clearbar.data.scores import read_numbers
from clearbar.problems.numbers._measure import NumberMeasure
from clearbar.problems.numbers.bars import NumberBaseline, Targets, bars_of


def baseline_regression(y_true: Any, measure: str | NumberMeasure, *, given: Any = None) -> NumberBaseline:
    """Return the best expected value of predicted numbers that ignore every feature.

    For every measure that is a mean over samples, or convex, that is one number for all samples: the mean,
    the median, a quantile. R² and its kin are 0 there; a correlation is 0 on average whatever is predicted.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        Targets; finite, at least two.
    measure : str or NumberMeasure
        What is evaluated: ``mae rmse mse r2 medae mape msle rmsle explained_variance max_error pearson
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
