"""Scores, and what draws can expect, in the older package's dictionaries."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.compat._names import find_measure
from clearbar.core.counts import Population
from clearbar.core.errors import UndefinedMeasureWarning, listed
from clearbar.data.columns import read
from clearbar.data.counting import count, population_from_labels
from clearbar.data.refusals import refuse_empty
from clearbar.null import Draw, NullDistribution, values_at
from clearbar.null import hypergeometric as hg
from clearbar.problems.binary import Optimum, in_words, needed_knowledge
from clearbar.problems.binary import baseline as bar_of

_COUNTED = {"tp", "fp", "fn", "tn"}
"""Measures that are whole numbers, and were returned as such."""

KEPT = 16
"""Draws whose law is kept, so that asking for one value after the other does not recompute it."""


def measure_score(y_true: Any, y_pred: Any, measure: str | Measure, beta: float = 1) -> float:
    """Return the score of predictions.

    An int for TP, FP, FN and TN; nan, with an `UndefinedMeasureWarning`, where the measure has no value.
    """
    entry = find_measure(measure, beta)
    _refuse_other_labels(y_true, "y_true")
    _refuse_other_labels(y_pred, "y_pred")
    counts = count(y_true, y_pred)
    score = float(entry(counts))
    if entry.name in _COUNTED:
        return int(score)
    if np.isnan(score):
        broken = listed(entry.domain.violated(counts.cells)) or "other counts"
        msg = f"{entry.name} has no value here: it needs {broken}. The score is nan."
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=2)
    return score


def optimized_baseline_statistics(
    y_true: Any,
    measure: str | Measure,
    beta: float = 1,
    M_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
    P_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
) -> dict[str, Any]:
    """Return the largest and smallest expected score of any draw, and the draws that attain them.

    ``Max Expected Value``, ``Argmax Expected Value``, ``Min Expected Value`` and ``Argmin Expected Value``:
    two floats and two lists with every optimal share. Where no draw gives the measure a value, nan and empty
    lists, with an `UndefinedMeasureWarning`.
    """
    return _extremes(y_true, measure, beta, M_known=M_known, P_known=P_known)


def baseline_functions(
    y_true: Any,
    measure: str | Measure,
    beta: float = 1,
    M_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
    P_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
) -> dict[str, Callable[..., Any]]:
    """Return functions of theta: what a draw that predicts this share positive can expect.

    ``Distribution(y, theta)``, and ``Domain``, ``Fast Expectation Function``, ``Variance Function`` and
    ``Expectation Function`` of ``theta``. They raise a ValueError where `theta` is outside [0, 1] or the
    measure has no value.
    """
    entry = find_measure(measure, beta)
    _refuse_unknown(entry, M_known=M_known, P_known=P_known)
    return _functions_of_theta(entry, population_of(y_true))


def _functions_of_theta(measure: Measure, population: Population) -> dict[str, Callable[..., Any]]:
    """Return the law of a measure as functions of the share predicted positive, under the older keys."""

    @functools.lru_cache(maxsize=KEPT)
    def law_of(k: int) -> NullDistribution:
        return Draw(population, k).distribution(measure)

    def law(theta: float) -> NullDistribution:
        draw = Draw.from_theta(population, theta)
        law_there = law_of(draw.predicted_positives)
        if math.isnan(law_there.mean()):
            predicted = f"{draw.predicted_positives:,} of {population.total:,}"
            raise ValueError(
                f"{measure.name} has no value with {predicted} samples predicted positive (theta={theta!r}): "
                f"it needs {measure.domain}."
            )
        return law_there

    def domain(theta: float) -> list[float]:
        """Return the scores with positive probability, from the smallest TP to the largest."""
        law_there = law(theta)
        scores: list[float] = law_there.atoms()[0].tolist()
        margins = int(population.total), int(population.positives), law_there.draw.predicted_positives
        ends = np.array(hg.support(*margins), dtype=np.int64)
        first, last = values_at(measure, ends, *(np.full(2, margin) for margin in margins))
        return scores[::-1] if first > last else scores

    def expectation(theta: float) -> float:
        return law(theta).mean()

    return {
        "Distribution": lambda y, theta: float(law(theta).pmf(float(y))),
        "Domain": domain,
        "Fast Expectation Function": expectation,
        "Variance Function": lambda theta: law(theta).var(),
        "Expectation Function": expectation,
    }


def baseline_functions_given_theta(
    theta: float,
    y_true: Any,
    measure: str | Measure,
    beta: float = 1,
    M_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
    P_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
) -> dict[str, float]:
    """Return mean and variance of the score of the draw that predicts this share positive."""
    functions = baseline_functions(y_true, measure, beta, M_known, P_known)
    return {
        "Mean": functions["Expectation Function"](theta),
        "Variance": functions["Variance Function"](theta),
    }


def baseline(
    y_true: Any,
    measure: str | Measure = "",
    theta: float | str = "optimal",
    M_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
    P_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
    beta: float = 1,
) -> dict[str, Any]:
    """Return what one of the other three functions does.

    With `theta` ``"optimal"``, `optimized_baseline_statistics`; with ``"all"``, `baseline_functions`; with a
    share, `baseline_functions_given_theta`. P cannot be known where M is not.

    >>> from clearbar.compat.dutchdraw import baseline
    >>> baseline([1, 1, 1, 0], "ACC")["Max Expected Value"]
    0.75
    """
    refuse_p_without_m(M_known=M_known, P_known=P_known)
    if isinstance(theta, str):
        if theta == "optimal":
            return _extremes(y_true, measure, beta, M_known=M_known, P_known=P_known)
        if theta == "all":
            return baseline_functions(y_true, measure, beta, M_known, P_known)
        raise ValueError(f"theta must be 'optimal', 'all' or a share from 0 to 1; found {theta!r}.")
    return baseline_functions_given_theta(theta, y_true, measure, beta, M_known, P_known)


def _extremes(
    y_true: Any, measure: str | Measure, beta: float, *, M_known: bool, P_known: bool
) -> dict[str, Any]:
    """Return the optimum; called by what the user calls, whose line a warning names."""
    entry = find_measure(measure, beta)
    _refuse_unknown(entry, M_known=M_known, P_known=P_known)
    bar = bar_of(population_of(y_true), entry)
    if np.isnan(bar.max.value):
        msg = f"{entry.name} has no bar here: it needs {entry.domain}. The extremes are nan."
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=3)
    return {
        "Max Expected Value": float(bar.max.value),
        "Argmax Expected Value": _shares(bar.max),
        "Min Expected Value": float(bar.min.value),
        "Argmin Expected Value": _shares(bar.min),
    }


def refuse_p_without_m(*, M_known: bool, P_known: bool) -> None:
    """Refuse what the older package does not know either."""
    if P_known and not M_known:
        raise ValueError(
            "P_known=True needs M_known=True: a number of positives says nothing without that of samples."
        )


def _shares(optimum: Optimum) -> list[float]:
    """Return every optimal share."""
    total = int(optimum.total)
    return [k / total for part in optimum.predicted_positives for k in part]


def _refuse_unknown(measure: Measure, *, M_known: bool, P_known: bool) -> None:
    """Refuse a measure whose optimal draws depend on what must not be used."""
    if M_known and P_known:
        return
    known = {"nothing", "number of samples"} if M_known else {"nothing"}
    needs = {end: needed_knowledge(measure, largest=end == "largest") for end in ("largest", "smallest")}
    for end, need in needs.items():
        if need not in known:
            raise ValueError(
                f"the draws with the {end} expected {measure.name} depend on {in_words(need)}, which "
                f"cannot be used with M_known={M_known} and P_known={P_known}."
            )


def population_of(y_true: Any) -> Population:
    """Count samples and positives."""
    _refuse_other_labels(y_true, "y_true")
    return population_from_labels(y_true)


def _refuse_other_labels(labels: Any, name: str) -> None:
    column = read(labels, name)
    refuse_empty(name, column.length)
    others = [label for label in column.first_labels() if label not in (0, 1)]
    if others:
        raise ValueError(
            f"{name} must hold zeros and ones only; found {others[0]!r}. For other labels use clearbar's own "
            "functions, with pos_label."
        )
