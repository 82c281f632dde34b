"""In which folds a measure has no value, and what counts there instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, Undefined
from clearbar.core.counts import Counts
from clearbar.core.errors import listed
from clearbar.formatting import visible
from clearbar.null import cells_at
from clearbar.null import hypergeometric as hg
from clearbar.problems.binary import fill_value
from clearbar.problems.reasons import SHORTLY

IMPLIED = {"P + k > 0": {"P > 0", "k > 0"}, "N + (M - k) > 0": {"N > 0", "k < M"}}
"""Conditions that hold wherever one of these does: they need not be told as well."""


def admitted(measure: Measure, total: Any, positives: Any, draws: Any) -> BoolArray:
    """Return where what a measure requires holds, and every outcome of a draw has a value."""
    m, p, k = np.broadcast_arrays(*(np.asarray(part, dtype=np.int64) for part in (total, positives, draws)))
    return admitted_between(measure, m, p, k, *hg.support(m, p, k))


def admitted_between(
    measure: Measure, total: Any, positives: Any, draws: Any, low: Any, high: Any
) -> BoolArray:
    """Return the same where TP goes from one end to the other: conditions can fail at the ends alone."""
    tp = np.stack(np.broadcast_arrays(low, high))
    cells = cells_at(tp, total, positives, draws)
    valued = measure.admissible.holds(cells) & np.isfinite(measure.values(*cells))
    both_ends: BoolArray = np.logical_and.reduce(valued)
    return both_ends


def filled(measure: Measure, values: FloatArray, total: Any, policy: Undefined) -> FloatArray:
    """Give outcomes without a value the one that the policy has for them."""
    if policy == "exclude":
        return values
    fill = fill_value(measure, np.asarray(total), policy)
    return np.where(np.isnan(values), fill, values)


def violated(measure: Measure, counts: Counts) -> list[str]:
    """Return for each fold the conditions of a measure that fail there, as words; empty where none does."""
    fails = {part.text: ~part.holds(counts.cells) for part in measure.admissible.conjuncts}
    for text, parts in IMPLIED.items():
        if text in fails and fails.keys() & parts:
            fails.pop(text)
    texts = np.full(counts.shape, "", dtype=object)
    for text, where in fails.items():
        texts[where] = [f"{before} and {text}" if before else text for before in texts[where]]
    unknown = np.isnan(np.asarray(measure(counts))) & (texts == "")
    texts[unknown] = "another table"
    return [str(text) for text in texts]


def named(names: Sequence[Any], chosen: Any, all_of_them: str = "every fold") -> str:
    """Return folds by name: ``fold 2``, ``folds 1, 4 and 5``, ``every fold``."""
    if len(names) > 2 and np.all(chosen):
        return all_of_them
    words = [visible(str(name)) for name, one in zip(names, chosen, strict=True) if one]
    return f"fold{'s' * (len(words) != 1)} {listed(words, most=6)}"


def folds_in_words(names: Sequence[Any], conditions: Sequence[str], all_of_them: str = "every fold") -> str:
    """Name the folds in which conditions fail, those together in which the same do.

    Such as ``fold 2 (nothing predicted positive)``; empty where none fails.
    """
    array = np.array(conditions, dtype=object)
    kinds = [text for text in dict.fromkeys(conditions) if text]
    return listed([f"{named(names, array == text, all_of_them)} ({_lacking(text)})" for text in kinds])


def _lacking(conditions: str) -> str:
    return ", ".join(SHORTLY.get(text, f"needs {text}") for text in conditions.split(" and "))
