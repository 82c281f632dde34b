"""How likely a model of supposed rates clears its bar surely."""

from __future__ import annotations

import math
from typing import Any

from clearbar.catalogue import Measure, get_measure
from clearbar.core._numbers import number_or_nan
from clearbar.core._typing import Undefined
from clearbar.core.counts import Population
from clearbar.core.errors import shown
from clearbar.data.counting import population_from_labels
from clearbar.null import checked_seed
from clearbar.problems.binary import baseline, checked_policy
from clearbar.problems.binary.rates.order import is_ordered
from clearbar.verdict._single import resolved_alpha
from clearbar.verdict._trial import Power, Trial


def power(
    y_true: Any,
    measure: str | Measure,
    *,
    sensitivity: float,
    specificity: float,
    alpha: float = 0.05,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    random_state: Any = 0,
) -> Power:
    """Return the probability that a model of these true rates clears its bar surely.

    Parameters
    ----------
    y_true : array_like of shape (M,), or Population
        True labels of the test set; only their numbers matter.
    measure : str or Measure
        What is judged by: a measure that rises with true and falls with false positives.
    sensitivity, specificity : float
        The shares of positive and of negative samples that the model is supposed to get right.
    alpha : float
        The level at which a score is sure; at least 2e-6, below which no p-value is resolved.
    pos_label : object, optional
        The label of the positive class.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `baseline`.
    random_state : int, Generator, RandomState or None
        Seed of the simulation of more than 500 samples.

    Returns
    -------
    Power
        A number between 0 and 1, with `standard_error`: 0 up to 500 samples, where all outcomes are added up;
        beyond, that of a simulation of 2,000 test sets.

    Raises
    ------
    ValueError
        If an argument is not what it should be, the measure is not ordered, or its bar cannot be beaten.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.power(cb.Population(60, 20), "mcc", sensitivity=0.7, specificity=0.8), 3)
    0.964
    """
    population = population_from_labels(y_true, pos_label=pos_label)
    if population.shape:
        raise ValueError("power needs one population; ask for the power of several one by one.")
    P, N = int(population.positives), int(population.negatives)
    a, b = checked_rates(sensitivity=sensitivity, specificity=specificity)
    trial = Trial(ordered(measure), P, N, a, b, resolved_alpha(alpha), checked_policy(undefined))
    refuse_unbeatable(trial)
    return trial.power(checked_seed(random_state))


def refuse_unbeatable(trial: Trial) -> None:
    population = Population(trial.positives + trial.negatives, trial.positives)
    bar: Any = baseline(population, trial.measure, undefined=trial.undefined)
    label = trial.measure.label
    if math.isnan(float(bar.value)):
        raise ValueError(f"{label} has no bar: {bar.reason}.")
    if float(bar.value) == float(bar.best_possible):
        raise ValueError(f"the {label} bar already is the best possible score, so nothing can clear it.")


def ordered(measure: str | Measure) -> Measure:
    entry: Any = get_measure(measure)
    if entry.kind != "binary":
        raise ValueError(
            f"{entry.label} is not of labels of two classes, which power needs; ask for another measure, "
            "such as mcc or f1."
        )
    if not is_ordered(entry):
        raise ValueError(
            f"{entry.label} is not known to rise with true and fall with false positives, which power needs; "
            "ask for another measure, such as mcc or f1."
        )
    chosen: Measure = entry
    return chosen


def checked_rates(**rates: Any) -> tuple[float, ...]:
    checked = []
    for name, value in rates.items():
        rate = number_or_nan(value)
        if not 0 <= rate <= 1:
            raise ValueError(f"{name} must be a share from 0 to 1; found {shown(value)}.")
        checked.append(rate)
    return tuple(checked)
