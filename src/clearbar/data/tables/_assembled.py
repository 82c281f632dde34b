"""The numbers of each slice, put together as the confusion matrices of all models, also of a long table."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.calls import PairCalls
from clearbar.core.counts import Counts
from clearbar.core.errors import listed, shown
from clearbar.data.tables._ask import Ask
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
        models, keys, numbers, total = _by_model(keys, numbers, total)
    else:
        models = ask.y_pred
        numbers = {name: column[None] for name, column in numbers.items()}
        total = total[None]
    counts = _counts(numbers, total, len(ask.y_pred))
    slices = tuple(zip(*keys, strict=True)) if keys else ((),)
    return FrameCounts(models, slices, counts, sums.left_out, _calls(numbers, ask))


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


def _by_model(
    keys: list[list[Any]], numbers: Mapping[str, IntArray], total: IntArray
) -> tuple[tuple[str, ...], list[list[Any]], dict[str, IntArray], IntArray]:
    """Part rows that are in order of their model.

    Their names. The slices' values, which all models share. The same of shape (models, slices); that of the
    truth of shape (1, slices). Samples of each slice.
    """
    named, *others = keys
    models, parts = parted(named)
    first = [column[parts[0]] for column in others]
    for model, part in zip(models, parts, strict=True):
        pair, own = (models[0], model), [column[part] for column in others]
        if own != first:
            refuse_other_slices(pair, list(zip(*first, strict=True)), list(zip(*own, strict=True)))
        for what, sizes in {"samples": total, "positive samples": numbers["t"]}.items():
            differing = np.flatnonzero(sizes[part] != sizes[parts[0]])
            if len(differing):
                at = int(differing[0])
                key = [column[at] for column in first]
                refuse_other_numbers(pair, (sizes[parts[0]][at], sizes[part][at]), what, key)
    stacked = {name: np.stack([column[part] for part in parts]) for name, column in numbers.items()}
    stacked["t"] = stacked["t"][:1]
    return models, first, stacked, np.stack([total[part] for part in parts])[:1]


def parted(named: list[Any]) -> tuple[tuple[str, ...], list[slice]]:
    """Return the names of models, and which rows are about each; rows are in order of their model."""
    in_order = np.array(named, dtype=object)
    starts = [0, *(np.flatnonzero(in_order[1:] != in_order[:-1]) + 1).tolist(), len(named)]
    models = [str(named[start]) for start in starts[:-1]]
    (most, times), *_ = Counter(models).most_common(1)
    if times > 1:
        raise ValueError(f"model holds several values that print as {shown(most)}; give each its own name.")
    return tuple(models), [slice(start, stop) for start, stop in itertools.pairwise(starts)]


def refuse_other_slices(models: tuple[str, str], first: list[Any], second: list[Any]) -> None:
    """Raise if two models do not have the same slices."""
    one, other = map(shown, models)
    for lacking, having, keys, others in ((other, one, second, first), (one, other, first, second)):
        known = set(keys)
        alone = [key for key in others if key not in known]
        if alone:
            where = listed(map(_shown_key, alone), most=3)
            _refuse_other_samples(f"{lacking} has none in {where}, where {having} has some")


def refuse_other_numbers(models: tuple[str, str], numbers: tuple[Any, Any], what: str, key: Any) -> NoReturn:
    """Raise because two models have other numbers of samples, in a slice if there is a key."""
    where = f" in {_shown_key(key)}" if key else ""
    one, other = map(shown, models)
    _refuse_other_samples(f"{one} has {numbers[0]:,} {what}{where} and {other} has {numbers[1]:,}")


def _refuse_other_samples(difference: str) -> NoReturn:
    raise ValueError(
        f"all models must be judged on the same samples; {difference}. Give every model the same rows, or "
        "judge them in separate calls."
    )


def _shown_key(key: Any) -> str:
    return shown(key[0]) if len(key) == 1 else shown(tuple(key))


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
