"""A scorecard's slices, judged together: the questions, their correction, and the order of the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from clearbar.scorecard._rows import slices
from clearbar.scorecard._slices import Slices
from clearbar.verdict import checked_alpha, stand_together

if TYPE_CHECKING:
    from clearbar.scorecard._columns import Columns


def slices_of(
    card: Columns, measure: int, models: list[int], alpha: float | None, min_support: int
) -> Slices:
    """Judge a scorecard's slices together on one measure; `alpha` is the false discovery rate."""
    alpha = card.alpha if alpha is None else checked_alpha(alpha)
    _refuse(card)
    leading, parts = card.population.leading
    total, positives = np.asarray(card.population.total), np.asarray(parts)
    kept = np.flatnonzero(slices(card) & (total >= min_support))
    cells = np.ix_(np.array(models), kept, np.array([measure]))
    columns = {name: column[cells] for name, column in card.columns.items()}
    groups = tuple(card.groups[at] for at in kept.tolist())
    columns = {name: column[:, :, 0] for name, column in columns.items()}
    standing = stand_together(columns["outcome"], columns["p_corrected"], alpha)
    order = np.argsort(columns["skill"].reshape(-1), kind="stable")  # nan sorts last
    at, group = order // len(kept), order % len(kept)
    numbers = ("score", "bar", "skill", "p_value", "p_value_blind")
    return Slices(
        measure=card.measures[measure].label,
        alpha=alpha,
        model=tuple(card.models[models[model]] for model in at.tolist()),
        group=tuple(groups[slice_] for slice_ in group.tolist()),
        samples=total[kept][group],
        positives=positives[kept][group],
        **{name: columns[name].reshape(-1)[order] for name in numbers},
        p_adjusted=columns["p_corrected"].reshape(-1)[order],
        standing=standing.reshape(-1)[order],
        leading=leading,
        part=card.group_words,
        loss=card.measures[measure].greater_is_better is False,
    )


def _refuse(card: Columns) -> None:
    if len(card.groups) < 2:
        raise ValueError("this scorecard has no slices; pass by=... to evaluate.")
    if not card.has_p_values:
        raise ValueError(
            "slices are judged by their p-values, and there are none; leave intervals=False out."
        )
