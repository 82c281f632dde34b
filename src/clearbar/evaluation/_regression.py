"""Predicted numbers: bars, verdicts, scorecard."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.data.columns import refuse_other_rows
from clearbar.data.predictions import by_argument, predictions_as_mapping
from clearbar.data.scores import read_numbers
from clearbar.evaluation._call import remembered
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._options import chosen_measures, is_all
from clearbar.evaluation._parts import Parts
from clearbar.formatting import percent
from clearbar.problems.numbers import NumberMeasure, Numbers, read_column, read_targets, refuse_unfit
from clearbar.scorecard import Scorecard

OWN_TARGETS = (
    "The bars take the best constants on these test targets; one from training targets does no better."
)


@remembered
def evaluate_regression(
    y_true: Any,
    y_pred: Any,
    measures: str | NumberMeasure | Iterable[str | NumberMeasure] | None = None,
    *,
    by: Any = None,
    clusters: Any = None,
    given: Any = None,
    confidence_level: float = 0.95,
    intervals: bool = True,
    tries: int = 1,  # noqa: ARG001 - for `remembered`
    random_state: Any = 0,
) -> Scorecard:
    """Judge predicted numbers against the best that ignore every feature.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        Targets; finite, at least two.
    y_pred : array_like of shape (M,), mapping, or data frame
        Predictions. A mapping or data frame holds a column per model.
    measures : str, NumberMeasure, or list of them, optional
        What to judge by, as for `baseline_regression`; MAE, RMSE and R² by default, ``"all"`` for all
        measures of numbers that take these.
    by : array_like of shape (M,), optional
        Slice labels: one verdict for the whole, then one per slice.
    clusters : array_like of shape (M,), optional
        Which samples belong together, as for `evaluate`.
    given : array_like of shape (M,), optional
        A column that the bar may see, with ten samples or more for each value; see `baseline_regression`. Not
        with clusters.
    intervals : bool
        False leaves out the p-values.
    confidence_level, tries, random_state
        As for `evaluate`.

    Returns
    -------
    Scorecard

    Raises
    ------
    ValueError
        If targets or predictions are no finite numbers, or not such as a measure takes, or an option is not
        one of those above.

    Notes
    -----
    `low` and `high` are a bootstrap of the score (bias-corrected and accelerated, Efron 1987), `p_value` one
    of score − bar from the same resamples, the bar looked for anew in each: a bar may lie within the interval
    of a score that clears it surely. `p_value_blind` permutes the targets, within the values of `given` where
    there is such a column. All are approximate, one set of draws for all measures and models.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [2.0, 3.5, 4.0, 5.5, 7.0, 8.5, 9.0, 10.5]
    >>> card = cb.evaluate_regression(y_true, [2.25, 3.0, 4.75, 5.0, 7.5, 8.0, 9.25, 9.75], "mae")
    >>> card[0].outcome, card[0].score, card[0].sure
    ('clears', 0.5, True)
    """
    how = How.checked(confidence_level, intervals, random_state)
    problem, chosen, notes = numbers_of(y_true, y_pred, measures, by=by, clusters=clusters, given=given)
    return judged(problem, chosen, how, notes)


def numbers_of(
    y_true: Any, y_pred: Any, measures: Any, *, by: Any, clusters: Any, given: Any = None
) -> tuple[Numbers, tuple[NumberMeasure, ...], tuple[str, ...]]:
    """Read targets and predictions: the problem, its measures, and what is noted."""
    y = read_targets(y_true)
    models = predictions_as_mapping(y_pred)
    named, own = by_argument(models, y_pred), {}
    for model, (name, value) in zip(models, named.items(), strict=True):
        own[model] = read_numbers(value, name, len(y))
        refuse_other_rows(y_true, value, name)
    chosen = _fitting(measures, y, own, only="y_pred" in named)
    column = read_column(given, y_true, len(y), chosen)
    parts = Parts.of(y_true, by, clusters, len(y))
    if parts.together is not None and column is not None:
        raise ValueError("given and clusters cannot be combined; leave out one of them.")
    held = tuple(own), parts.groups, y, tuple(own.values())
    problem = Numbers(*held, parts.rows, column, parts.together)
    return problem, chosen, (*parts.notes, *_of_column(column), OWN_TARGETS)


def _fitting(
    measures: Any, y: FloatArray, own: Mapping[str, FloatArray], *, only: bool
) -> tuple[NumberMeasure, ...]:
    """Return the measures that were asked for, and see that the numbers are such as they take."""
    chosen: tuple[NumberMeasure, ...] = chosen_measures(measures, "regression")
    if is_all(measures):
        return tuple(
            measure
            for measure in chosen
            if measure.targets.holds(y).all()
            and all(measure.predictions.holds(values).all() for values in own.values())
        )
    refuse_unfit(chosen, y, "y_true")
    for model, values in own.items():
        refuse_unfit(chosen, values, "y_pred" if only else f"y_pred[{model!r}]")
    return chosen


def _of_column(column: IntArray | None) -> tuple[str, ...]:
    """Say what knowing a column of so many values is worth by chance alone."""
    if column is None:
        return ()
    groups, samples = len(np.unique(column)), len(column)
    if groups < 2:
        return ()
    share = percent((groups - 1) / (samples - 1))
    note = (
        f"The bars see a column of {groups:,} values: the best prediction for each, on these test targets. "
        f"The means of as many groups at random would take {share} of the variance."
    )
    return (note,)
