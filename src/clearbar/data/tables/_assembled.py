"""The numbers of each slice, put together as the confusion matrices of all models."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.calls import PairCalls
from clearbar.core.counts import Counts
from clearbar.core.errors import listed
from clearbar.data.labels import shown
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._long import by_model
from clearbar.data.tables._settle import EVERY_ROW_LACKS, refuse_nothing


@dataclass(frozen=True)
class FrameCounts:
    """What a table holds, as far as any verdict needs to know."""

    models: tuple[str, ...]  # their names; the first axis of ``counts``
    keys: tuple[tuple[Any, ...], ...]
    counts: Counts  # of shape (models, keys)
    left_out: int = 0  # rows that were left out because a value is missing
    calls: PairCalls | None = None  # which models call the same rows positive


@dataclass(frozen=True)
class Sums:
    """Whole numbers per key, the keys in order."""

    keys: list[list[Any]]
    numbers: dict[str, IntArray]
    left_out: int

    @property
    def strange(self) -> int:
        """Rows that hold a label beyond the two, or lack one where none may."""
        numbers = self.numbers
        missing = numbers.get("missing", np.zeros(1, np.int64))
        return int((numbers["n"] - numbers["known"] - missing).sum())


def assembled(sums: Sums, ask: Ask) -> FrameCounts:
    """Return the confusion matrices that numbers per key make up."""
    numbers = dict(sums.numbers)
    total = numbers["total"] if ask.weight is not None else numbers["known"]
    if not total.any():
        refuse_nothing("weight is 0 everywhere" if ask.weight is not None else EVERY_ROW_LACKS)
    keys = sums.keys
    if ask.model is not None:
        refuse_empty_models(keys[0], total)
    kept = np.flatnonzero(total)
    if len(kept) < len(total):  # slices without a sample
        numbers = {name: column[kept] for name, column in numbers.items()}
        total, keys = total[kept], [list(itertools.compress(column, total)) for column in keys]
    if ask.model is not None:
        models, keys, numbers, total = by_model(keys, numbers, total)
    else:
        models = ask.y_pred
        numbers = {name: column[None] for name, column in numbers.items()}
        total = total[None]
    counts = _counts(numbers, total, len(ask.y_pred))
    slices = tuple(zip(*keys, strict=True)) if keys else ((),)
    return FrameCounts(models, slices, counts, sums.left_out, _calls(numbers, ask))


def refuse_empty_models(models: list[Any], total: IntArray) -> None:
    """Raise if some models of a long table have no sample left."""
    having = set(itertools.compress(models, total))
    empty = [name for name in dict.fromkeys(models) if name not in having]
    if empty:
        verb = "has" if len(empty) == 1 else "have"
        raise ValueError(
            f"{listed(map(shown, empty), most=3)} {verb} no samples left: every row lacks a value or has "
            "weight 0. Leave out the rows of that model, or fill in its values."
        )


def _counts(numbers: Mapping[str, IntArray], total: IntArray, models: int) -> Counts:
    def stacked(letter: str) -> IntArray:
        return np.concatenate([numbers[f"{letter}{at}"] for at in range(models)])

    positives, predicted, both = numbers["t"], stacked("p"), stacked("b")
    return Counts(tp=both, fp=predicted - both, fn=positives - both, tn=total - positives - predicted + both)


def _calls(numbers: Mapping[str, IntArray], ask: Ask) -> PairCalls | None:
    if not ask.compared:
        return None
    models = range(len(ask.y_pred))
    # Of a model with itself, both call positive what it calls so.
    names = [[f"{min(a, b)}_{max(a, b)}" if a != b else str(a) for b in models] for a in models]
    positives = [[int(numbers[f"b{name}"][0, 0]) for name in row] for row in names]
    called = [[int(numbers[f"p{name}"][0, 0]) for name in row] for row in names]
    return PairCalls(np.array(positives), np.array(called) - np.array(positives))
