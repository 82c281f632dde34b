"""Names of models, groups and folds: whether two of them are the same, and that no two are."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clearbar.formatting import visible


def is_same(known: Any, name: Any) -> bool:
    """Return whether two names cannot be told apart; what does not answer yes or no can be."""
    if known is name:
        return True
    answer = known == name
    return type(answer) in {bool, np.bool_} and bool(answer)


def refuse_repeated(names: Sequence[Any], what: str) -> None:
    """Refuse names of which two are the same: nobody could ask for the second."""
    pair = _repeated(names)
    if pair is not None:
        first, second = (visible(repr(name))[:80] for name in pair)
        clash = f"two are {first}" if first == second else f"{first} and {second} compare equal"
        raise ValueError(f"{what} must have different names; {clash}.")


def _repeated(names: Sequence[Any]) -> tuple[Any, Any] | None:
    try:
        if len(set(names)) == len(names):
            return None
    except TypeError:  # not all can be hashed, and such are few
        pairs: Iterable[tuple[Any, Any]] = itertools.combinations(names, 2)
        return next((pair for pair in pairs if is_same(*pair)), None)
    known: dict[Any, Any] = {}
    for name in names:
        if name in known:
            return known[name], name
        known[name] = name
    return None
