"""Predicted numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Unpack

import numpy as np

from clearbar.data.arrays import refuse_other_rows
from clearbar.data.counting import by_argument, predictions_as_mapping
from clearbar.data.scores import read_numbers
from clearbar.evaluation.options import (
    Inference,
    Partition,
    Question,
    chosen_measures,
    door,
    is_all,
)
from clearbar.formatting import percent
from clearbar.problems.numbers import NumberMeasure, Numbers, read_column, read_targets, refuse_unfit

TEST_TARGETS_NOTE = (
    "The bars take the best constants on these test targets; one from training targets does no better."
)


@door
def evaluate_regression(
    y_true: Any,
    y_pred: Any,
    measures: str | NumberMeasure | Iterable[str | NumberMeasure] | None = None,
    *,
    by: Any = None,
    clusters: Any = None,
    given: Any = None,
    **inference: Unpack[Inference],
) -> Question:
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
    of a score that clears it surely. `p_value_blind` permutes the targets. All are approximate, one set of
    draws for all measures and models.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [2.0, 3.5, 4.0, 5.5, 7.0, 8.5, 9.0, 10.5]
    >>> card = cb.evaluate_regression(y_true, [2.25, 3.0, 4.75, 5.0, 7.5, 8.0, 9.25, 9.75], "mae")
    >>> card[0].outcome, card[0].score, card[0].sure
    ('clears', 0.5, True)
    """
    targets = read_targets(y_true)
    models = predictions_as_mapping(y_pred)
    predicted = {}
    for name, value in by_argument(models, y_pred).items():
        predicted[name] = read_numbers(value, name, len(targets))
        refuse_other_rows(y_true, value, name)
    entries: tuple[NumberMeasure, ...] = chosen_measures(measures, "regression")
    if is_all(measures):
        entries = tuple(measure for measure in entries if _fits(measure, targets, predicted.values()))
    else:
        refuse_unfit(entries, targets, "y_true")
        for name, values in predicted.items():
            refuse_unfit(entries, values, name)
    column = read_column(given, y_true, len(targets), entries)
    partition = Partition.of(y_true, by, clusters, len(targets))
    if partition.clusters is not None and column is not None:
        raise ValueError("given and clusters cannot be combined; leave out one of them.")
    facts = tuple(models), partition.groups, targets, tuple(predicted.values())
    problem = Numbers(*facts, partition.rows, column, partition.clusters)
    return Question(problem, entries, (*partition.notes, *_column_note(column), TEST_TARGETS_NOTE))


def _fits(measure: NumberMeasure, targets: Any, predicted: Iterable[Any]) -> bool:
    return bool(
        measure.targets.holds(targets).all()
        and all(measure.predictions.holds(values).all() for values in predicted)
    )


def _column_note(column: Any) -> tuple[str, ...]:
    """Say what it is worth to know a column of so many values by chance alone."""
    groups, samples = (0, 0) if column is None else (len(np.unique(column)), len(column))
    if groups < 2:
        return ()
    share = percent((groups - 1) / (samples - 1))
    note = (
        f"The bars see a column of {groups:,} values: the best prediction for each, on these test targets. "
        f"The means of as many groups at random would take {share} of the variance."
    )
    return (note,)
