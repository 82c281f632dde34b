"""What is asked for: which measures, which options."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from clearbar.catalogue import KINDS, Entry, common_kind, default_catalogue, get_measure
from clearbar.core.errors import in_given_order, listed, visible

DEFAULT_MEASURES = KINDS["binary"].default


def chosen_measures(measures: Any, kind: str | None = "binary") -> tuple[Any, ...]:
    """Return the measures that were asked for, all of one kind if it is given."""
    several = [measures] if isinstance(measures, (str, Entry)) else measures
    if several is None:
        several = KINDS[kind or "binary"].default
    if not isinstance(several, Iterable):
        raise ValueError(f"measures must be a name, a Measure or a list of them; found {measures!r:.60}.")
    chosen = tuple(
        measure
        for given in in_given_order("measures", several)
        for measure in (default_catalogue(kind or "binary") if is_all(given) else (get_measure(given, kind),))
    )
    if not chosen:
        raise ValueError("measures is empty; name at least one, or leave it out for the common ones.")
    names = [measure.name for measure in chosen]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice and len(set(chosen)) != len(set(names)):
        raise ValueError(f"two different measures are named {twice[0]!r}; give one of them another name.")
    return tuple(dict.fromkeys(chosen))


def chosen_class_measures(measures: Any) -> tuple[Any, ...]:
    """Return measures of predicted labels of many classes."""
    chosen = chosen_measures(measures, "multiclass")
    for measure in chosen:
        if measure.named_classes:
            raise ValueError(
                f"{measure.name} judges a score of each class, which labels do not have: use "
                f"evaluate_multiclass(y_true, y_score, {measure.name!r}) with a matrix of scores."
            )
    return chosen


def kind_named(measures: Any) -> str:
    """Return the kind of problem that measures judge, the binary one if none is named."""
    several = measures if isinstance(measures, (list, tuple)) else [measures]
    return common_kind(
        given
        for given in several
        if isinstance(given, Entry) or (isinstance(given, str) and not is_all(given))
    )


def is_all(measure: Any) -> bool:
    """Whether this stands for the whole catalogue."""
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


def order_taken(measures: Iterable[Any], labels: tuple[Any, ...]) -> tuple[str, ...]:
    """Name the order of the classes where a measure takes it."""
    taking = [measure.label for measure in measures if measure.ordered]
    if not taking or len(labels) < 3:
        return ()
    words, order = listed(taking), listed(visible(label) for label in labels)
    verb = "take" if len(taking) > 1 else "takes"
    other = "labels= of evaluate_multiclass gives another"
    return (f"{words[0].upper()}{words[1:]} {verb} the classes in the order {order}; {other}.",)
