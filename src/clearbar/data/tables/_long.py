"""Long tables: a row per sample and model, parted into models that share their samples."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from clearbar.core._typing import IntArray
from clearbar.core.errors import listed
from clearbar.data.labels import shown


def by_model(
    keys: list[list[Any]], numbers: Mapping[str, IntArray], total: IntArray
) -> tuple[tuple[str, ...], list[list[Any]], dict[str, IntArray], IntArray]:
    """Part rows that are in order of their model.

    Their names. The slices' values, which all models share. The same of shape (models, slices); that of the
    truth of shape (1, slices). Samples of each slice.
    """
    named, *others = keys
    models, parts = parted(named)
    first = [column[parts[0]] for column in others]
    for name, part in zip(models, parts, strict=True):
        here = [column[part] for column in others]
        if here != first:
            refuse_other_slices(
                models[0], name, list(zip(*first, strict=True)), list(zip(*here, strict=True))
            )
        sizes = {"samples": total, "positive samples": numbers["t"]}
        for what, size in sizes.items():
            if (size[part] != size[parts[0]]).any():
                at = int(np.argmax(size[part] != size[parts[0]]))
                where = f" in {shown_key([column[at] for column in first])}" if others else ""
                raise other_samples(
                    f"{shown(models[0])} has {size[parts[0]][at]:,} {what}{where} and {shown(name)} has "
                    f"{size[part][at]:,}"
                )
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


def refuse_other_slices(one: str, other: str, first: list[Any], second: list[Any]) -> None:
    """Raise if two models do not have the same slices."""
    for lacking, having, mine, theirs in ((other, one, second, first), (one, other, first, second)):
        known = set(mine)
        alone = [key for key in theirs if key not in known]
        if alone:
            where = listed(map(shown_key, alone), most=3)
            raise other_samples(f"{shown(lacking)} has none in {where}, where {shown(having)} has some")


def other_samples(difference: str) -> ValueError:
    """Return the refusal of models whose samples differ, and how."""
    return ValueError(
        f"all models must be judged on the same samples; {difference}. Give every model the same rows, or "
        "judge them in separate calls."
    )


def shown_key(key: Any) -> str:
    """Return how a message shows the values that name a slice."""
    return shown(key[0]) if len(key) == 1 else shown(tuple(key))
