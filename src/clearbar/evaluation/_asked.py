"""What is asked for: which measures, which options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, default_catalogue, get_measure, kind_of_problem
from clearbar.core.errors import listed

DEFAULT_MEASURES = ("accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc")


def chosen_measures(
    measures: str | Measure | Iterable[str | Measure] | None,
) -> tuple[Measure, ...]:
    """Return the measures that were asked for."""
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
        msg = "measures is empty; name at least one, or leave it out for the six common ones."
        raise ValueError(msg)
    names = [each.name for each in found]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice and len(set(found)) != len(set(names)):
        msg = f"two different measures are named {twice[0]!r}; give one of them another name."
        raise ValueError(msg)
    return tuple(dict.fromkeys(found))


def kind_asked(measures: Any) -> str | None:
    """Return the kind of problem that measures belong to beside that of labels."""
    several = measures if isinstance(measures, (list, tuple, set, frozenset)) else [measures]
    kinds = {kind_of_problem(each) for each in several if each is not None}
    if len(kinds) > 1 and "scores" in kinds:
        scores = [str(each) for each in several if kind_of_problem(each) == "scores"]
        others = [str(each) for each in several if kind_of_problem(each) != "scores"]
        raise ValueError(
            f"measures mixes measures of scores ({listed(scores, most=4)}) and of labels "
            f"({listed(others, most=4)}). Judge scores with evaluate_scores(y_true, y_score, ...) and labels "
            "with evaluate(y_true, y_score >= threshold, ...)."
        )
    return kinds.pop() if len(kinds) == 1 else None


def _is_all(measure: Any) -> bool:
    return isinstance(measure, str) and measure.strip().casefold() == "all"


def checked_level(confidence_level: Any) -> float:
    """Return a confidence level, or say what one is; beyond 0.9999 no p-value can tell."""
    level = confidence_level
    if isinstance(level, (float, np.floating)) and 0 < level <= 0.9999:
        return float(level)
    raise ValueError(f"confidence_level must be a number above 0 and at most 0.9999; found {level!r:.60}.")


def checked_flag(name: str, value: Any) -> bool:
    """Return a truth value, or say that an option takes nothing else."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} must be True or False; found {value!r:.60}.")
