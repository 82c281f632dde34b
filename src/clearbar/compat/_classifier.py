"""One prediction of the Dutch Draw classifier, as a list of zeros and ones."""

from __future__ import annotations

import math
from typing import Any

from clearbar.catalogue import Measure
from clearbar.compat._names import find_measure
from clearbar.compat._statistics import population_of, refuse_p_without_m
from clearbar.core.counts import Population
from clearbar.null import Draw
from clearbar.problems.binary import Comparison, Optimum, draw_without_sizes
from clearbar.problems.binary import baseline as bar_of


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
            f"{str(error).rstrip('.')}. Known are M_known={M_known}, P_known=False and "
            f"E_P_x_E_N={comparison!r}; say more, or give theta."
        ) from None
