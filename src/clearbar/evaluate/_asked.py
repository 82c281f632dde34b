"""What is asked for: which measures, which p-values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from clearbar.measures import Measure, default_catalogue, get_measure
from clearbar.verdict import PValues

DEFAULT_MEASURES = (
    "accuracy",
    "balanced_accuracy",
    "precision",
    "npv",
    "f1",
    "threat_score",
    "fowlkes_mallows",
    "g_mean",
    "mcc",
    "kappa",
    "informedness",
    "markedness",
)

BOTH_UP_TO = 10_000
"""Samples up to which the universal p-value is computed without being asked for."""


def chosen_measures(
    measures: str | Measure | Iterable[str | Measure] | None,
) -> tuple[Measure, ...]:
    """Return the measures that were asked for.

    Parameters
    ----------
    measures : str, Measure, iterable of them, or None
        ``"all"`` is the catalogue without the families that have no natural parameter.

    Returns
    -------
    tuple of Measure

    Raises
    ------
    ValueError
        If there is none, one is unknown, or two have the same name.
    """
    if measures is None:
        return tuple(get_measure(name) for name in DEFAULT_MEASURES)
    several = [measures] if isinstance(measures, (str, Measure)) else measures
    if not isinstance(several, Iterable):
        msg = f"measures must be a name, a Measure or a list of them; found {measures!r}."
        raise ValueError(msg)
    found = tuple(
        measure
        for each in several
        for measure in (default_catalogue() if _is_all(each) else (get_measure(each),))
    )
    if not found:
        msg = "measures is empty; name at least one, or leave it out for the twelve common ones."
        raise ValueError(msg)
    names = [each.name for each in found]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice and len(set(found)) != len(set(names)):
        msg = f"two different measures are named {twice[0]!r}; give one of them another name."
        raise ValueError(msg)
    return tuple(dict.fromkeys(found))


def _is_all(measure: Any) -> bool:
    return isinstance(measure, str) and measure.strip().casefold() == "all"


def checked_p_values(p_values: Any) -> PValues | None:
    """Return which p-values to compute, or say what can be asked for.

    Parameters
    ----------
    p_values : {"both", "matched", "none"} or None
        None leaves it to the number of samples.

    Returns
    -------
    str or None

    Raises
    ------
    ValueError
        If it is none of these.
    """
    if p_values in (None, "both", "matched", "none"):
        return p_values  # type: ignore[no-any-return]
    msg = f"p_values must be 'both', 'matched' or 'none'; found {p_values!r}."
    raise ValueError(msg)
