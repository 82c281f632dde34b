"""The ``DutchDraw`` package's interface on top of this one.

A shell: names, signatures, dictionary keys and return types are the older package's, every number is
computed by the rest of ``clearbar``. What the older releases got wrong is mended;
``docs/dutchdraw_defects.md`` lists each case with before and after.

>>> from clearbar.compat import dutchdraw
>>> dutchdraw.measure_score([1, 1, 0, 0], [1, 0, 0, 0], "ACC")
0.75
"""

from __future__ import annotations

import dataclasses
import functools
import math
import warnings
from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, get_measure, name_key
from clearbar.core.counts import Population
from clearbar.core.errors import UndefinedMeasureWarning, listed
from clearbar.data.counting import count, population_from_labels
from clearbar.data.labels import read_labels
from clearbar.null import Draw, NullDistribution, values_at
from clearbar.null import hypergeometric as hg
from clearbar.problems.binary import Comparison, Optimum, draw_without_sizes, in_words, needed_knowledge
from clearbar.problems.binary import baseline as bar_of

__all__ = [
    "DutchDraw_baseline",
    "DutchDraw_classifier",
    "all_names_except",
    "baseline",
    "baseline_functions",
    "baseline_functions_given_theta",
    "classifier",
    "measure_dictionary",
    "measure_score",
    "optimized_baseline_statistics",
    "select_all_names_except",
    "select_names",
]

measure_dictionary: dict[str, list[str]] = {
    **{key: [key] for key in ("TP", "TN", "FP", "FN", "TPR", "TNR", "FPR", "FNR")},
    **{key: [key] for key in ("PPV", "NPV", "FDR", "FOR")},
    "ACC": ["ACC", "ACCURACY"],
    "BACC": ["BACC", "BALANCED ACCURACY"],
    "FBETA": ["FBETA", "FSCORE", "F", "F BETA", "F BETA SCORE", "FBETA SCORE"],
    "MCC": ["MCC", "MATTHEW", "MATTHEWS CORRELATION COEFFICIENT"],
    "J": [
        *("BM", "BOOKMAKER INFORMEDNESS", "INFORMEDNESS", "YOUDEN’S J STATISTIC", "J"),
        "YOUDEN'S J STATISTIC",
    ],
    "MK": ["MARKEDNESS", "MK"],
    "KAPPA": ["COHEN", "COHENS KAPPA", "KAPPA", "COHEN'S KAPPA"],
    "FM": [*("GMEAN1", "G MEAN 1", "G1", "FOWLKES-MALLOWS", "FOWLKES MALLOWS", "FOWLKES", "MALLOWS"), "FM"],
    "G2": ["GMEAN2", "G MEAN 2", "G2"],
    "TS": ["THREAT SCORE", "CRITICAL SUCCES INDEX", "TS", "CSI", "CRITICAL SUCCESS INDEX"],
    "PT": ["PT", "PREVALENCE THRESHOLD"],
}
"""Every name of each measure, under its abbreviation.

The older release's lists in their order; at their ends the spellings it missed, and ``PT``, which
its README lists.
"""

_F_NAMES = frozenset(map(name_key, measure_dictionary["FBETA"]))  # the names that read `beta`
_COUNTED = {"tp", "fp", "fn", "tn"}  # measures that are whole numbers, and were returned as such
KEPT = 16  # draws whose distribution is kept: callers ask for one value after the other


def select_names(name_keys: Iterable[str]) -> list[str]:
    """Return all names of these measures."""
    return [name for key in name_keys for name in measure_dictionary[key]]


def select_all_names_except(name_keys: Iterable[str]) -> list[str]:
    """Return all names of all measures but these."""
    left_out = list(name_keys)
    return [name for key, names in measure_dictionary.items() if key not in left_out for name in names]


def find_measure(measure: Any, beta: Any = 1) -> Measure:
    """Return the measure of an older name, judged on every draw at which it has a value.

    Without the papers' further conditions on draws: the older interface counts F-beta's 0 of the draw that
    predicts nothing positive.
    """
    if isinstance(measure, str) and not measure.strip():
        raise ValueError("name a measure; select_all_names_except(['']) lists the names.")
    number = _checked_beta(beta)
    if isinstance(measure, str) and name_key(measure) in _F_NAMES:
        entry = _f_score(number)
    else:
        entry = get_measure(measure, "binary")
        _refuse_two_betas(entry, measure, number)
    if entry.requires is None:
        return entry
    return dataclasses.replace(entry, requires=None, in_catalogue=False)


def _checked_beta(beta: Any) -> float:
    if not isinstance(beta, Real) or not float(beta) >= 0:
        raise ValueError(f"beta must be a number from 0 up; found {beta!r}.")
    return float(beta)


def _f_score(beta: float) -> Measure:
    if beta == 0:
        return get_measure("precision", "binary")
    if math.isinf(beta):
        return get_measure("recall", "binary")
    return get_measure("fbeta", "binary", beta=beta)


def _refuse_two_betas(entry: Measure, name: Any, beta: float) -> None:
    """Refuse ``"F1"`` with ``beta=2``."""
    if beta == 1 or not (entry.family == "fbeta" or entry == get_measure("fbeta", beta=1)):
        return
    if not (0 < beta < math.inf and entry == get_measure("fbeta", beta=beta)):
        raise ValueError(
            f"measure {name!r} carries its own beta; found beta={beta:g} too. Use 'FBETA' with beta."
        )


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
    """Return the distribution of scores, as functions of the share predicted positive, by the older keys."""

    @functools.lru_cache(maxsize=KEPT)
    def distribution_of(k: int) -> NullDistribution:
        return Draw(population, k).distribution(measure)

    def distribution(theta: float) -> NullDistribution:
        draw = Draw.from_theta(population, theta)
        there = distribution_of(draw.predicted_positives)
        if math.isnan(there.mean()):
            predicted = f"{draw.predicted_positives:,} of {population.total:,}"
            raise ValueError(
                f"{measure.name} has no value with {predicted} samples predicted positive (theta={theta!r}): "
                f"it needs {measure.domain}."
            )
        return there

    def domain(theta: float) -> list[float]:
        """Return the scores with positive probability, from the smallest TP to the largest."""
        there = distribution(theta)
        scores: list[float] = there.atoms()[0].tolist()
        margins = int(population.total), int(population.positives), there.draw.predicted_positives
        ends = np.array(hg.support(*margins), dtype=np.int64)
        first, last = values_at(measure, ends, *(np.full(2, margin) for margin in margins))
        return scores[::-1] if first > last else scores

    def expectation(theta: float) -> float:
        return distribution(theta).mean()

    return {
        "Distribution": lambda y, theta: float(distribution(theta).pmf(float(y))),
        "Domain": domain,
        "Fast Expectation Function": expectation,
        "Variance Function": lambda theta: distribution(theta).var(),
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
    if P_known and not M_known:
        raise ValueError(
            "P_known=True needs M_known=True: a number of positives says nothing without that of samples."
        )


def _shares(optimum: Optimum) -> list[float]:
    total = int(optimum.total)
    return [k / total for run in optimum.predicted_positives for k in run]


def _refuse_unknown(measure: Measure, *, M_known: bool, P_known: bool) -> None:
    """Refuse a measure whose optimal draws depend on what must not be used."""
    if M_known and P_known:
        return
    usable = {"nothing", "number of samples"} if M_known else {"nothing"}
    needs = {end: needed_knowledge(measure, largest=end == "largest") for end in ("largest", "smallest")}
    for end, need in needs.items():
        if need not in usable:
            raise ValueError(
                f"the draws with the {end} expected {measure.name} depend on {in_words(need)}, which "
                f"cannot be used with M_known={M_known} and P_known={P_known}."
            )


def population_of(y_true: Any) -> Population:
    _refuse_other_labels(y_true, "y_true")
    return population_from_labels(y_true)


def _refuse_other_labels(labels: Any, name: str) -> None:
    column = read_labels(labels, name)
    others = [label for label in column.tally.counts if label not in (0, 1)]
    if others and column.mask is not None:  # of more than two labels there are better words
        raise ValueError(
            f"{name} must hold zeros and ones only; found {others[0]!r}. For other labels use clearbar's own "
            "functions, with pos_label."
        )


def classifier(
    y_true: Any = None,
    theta: float | str = "max",
    measure: str | Measure = "",
    beta: float = 1,
    M_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
    P_known: bool = True,  # noqa: FBT001, FBT002 - the older signature
    E_P_x_E_N: Comparison | None = None,
    *,
    random_state: Any = None,
) -> list[int]:
    """Return one prediction of the Dutch Draw classifier.

    M zeros and ones; every arrangement of them is equally likely.
    """
    if y_true is None:
        raise ValueError("y_true must be given.")
    if E_P_x_E_N not in (None, "<", "=", ">"):
        raise ValueError(f"E_P_x_E_N must be '<', '=', '>' or None; found {E_P_x_E_N!r}.")
    judged = find_measure(measure or "ACC", beta)
    population = population_of(y_true)
    if not isinstance(theta, str):
        draw = Draw.from_theta(population, theta)
    elif theta not in {"max", "min"}:
        raise ValueError(f"theta must be 'max', 'min' or a share from 0 to 1; found {theta!r}.")
    else:
        refuse_p_without_m(M_known=M_known, P_known=P_known)  # a given share needs neither
        if M_known and P_known:
            bar = bar_of(population, judged)
            k = _smallest(bar.max if theta == "max" else bar.min, judged)
        else:
            k = _without_p(judged, population.total, theta, E_P_x_E_N, M_known=M_known)
        draw = Draw(population, k)
    drawn: list[int] = draw.predict(random_state).astype(int).tolist()
    return drawn


def _smallest(optimum: Optimum, measure: Measure) -> int:
    k = int(optimum.smallest)
    if k < 0:
        raise ValueError(
            f"there is no draw to take: {measure.name} has a value at none, it needs {measure.domain}."
        )
    return k


def _without_p(
    measure: Measure, total: Any, theta: str, comparison: Comparison | None, *, M_known: bool
) -> int:
    if total == 1 and all(math.isnan(bar_of(Population(1, p), measure).max.value) for p in (0, 1)):
        raise ValueError(
            f"there is no draw to take: of a single sample {measure.name} has no value, "
            f"it needs {measure.domain}."
        )
    try:
        return draw_without_sizes(
            measure,
            int(total),
            largest=theta == "max",
            total_known=M_known,
            positives_against_negatives=comparison,
        )
    except ValueError as error:
        raise ValueError(
            f"{error} Known are M_known={M_known}, P_known=False and "
            f"E_P_x_E_N={comparison!r}; say more, or give theta."
        ) from None


all_names_except = select_all_names_except

DutchDraw_baseline = baseline
DutchDraw_classifier = classifier
