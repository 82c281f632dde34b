"""A scorecard's slices, judged together: the questions, their correction, and the order of the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar._typing import FloatArray, IntArray
from clearbar.counts import Counts
from clearbar.scorecard._rows import likely, slices
from clearbar.scorecard._slices import Slices
from clearbar.verdict import checked_alpha, judge_counts, stand_together

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard


def slices_of(card: Scorecard, measure: int, models: list[int], alpha: float, min_support: int) -> Slices:
    """Judge a scorecard's slices together.

    Parameters
    ----------
    card : Scorecard
        Its rows.
    measure : int
        Position of the measure.
    models : list of int
        Positions of the models.
    alpha : float
        The false discovery rate.
    min_support : int
        Samples that a slice must have.

    Returns
    -------
    Slices

    Raises
    ------
    ValueError
        If there are no slices, or no p-values.
    """
    alpha = checked_alpha(alpha)
    p_values = likely(card)[models][:, :, measure]
    _refuse(card, p_values)
    total, positives = (np.asarray(side) for side in (card.population.total, card.population.positives))
    kept = np.flatnonzero(slices(card) & (total >= min_support))
    columns = {name: card.columns[name][models][:, kept, measure] for name in
               ("score", "bar", "skill", "outcome")}  # fmt: skip
    p_values = p_values[:, kept]
    perfect = np.broadcast_to(_perfect(card, measure, kept), p_values.shape)
    standing, corrected = stand_together(columns["outcome"], p_values, perfect, alpha)
    order = np.argsort(columns["skill"].reshape(-1), kind="stable")  # nan sorts last
    at, group = order // len(kept), kept[order % len(kept)]
    flat = {name: columns[name].reshape(-1)[order] for name in ("score", "bar", "skill")}
    return Slices(
        measure=card.measures[measure].label,
        alpha=alpha,
        model=tuple(card.models[models[model]] for model in at.tolist()),
        group=tuple(card.groups[one] for one in group.tolist()),
        samples=total[group],
        positives=positives[group],
        **flat,
        p_value=p_values.reshape(-1)[order],
        p_adjusted=corrected.reshape(-1)[order],
        standing=standing.reshape(-1)[order],
    )


def _refuse(card: Scorecard, p_values: FloatArray) -> None:
    if len(card.groups) < 2 or card.counts is None or card.several_runs:
        raise ValueError("this scorecard has no slices that were counted once; pass by=... to evaluate.")
    if np.isnan(p_values).all():
        raise ValueError("slices are judged by their p-values, and there are none; pass p_values='matched'.")


def _perfect(card: Scorecard, measure: int, groups: IntArray) -> FloatArray:
    """Return how likely a blind guess is perfect in each group; it depends on the class sizes alone."""
    sizes = np.stack([np.asarray(card.population.total), np.asarray(card.population.positives)])[:, groups]
    _, first, back = np.unique(sizes, axis=1, return_index=True, return_inverse=True)
    bars: Any = card.baselines[measure][groups[first]]
    positives, negatives = (
        np.asarray(side)[None] for side in (bars.population.positives, bars.population.negatives)
    )
    nothing = np.zeros_like(positives)
    universal = not np.isnan(card.columns["p_value"][:, :, measure]).all()
    found = judge_counts(
        Counts(tp=positives, fp=nothing, fn=nothing, tn=negatives), [bars], "both" if universal else "matched"
    )
    p_values = np.asarray(found["p_value" if universal else "p_value_matched"])[0, :, 0]
    return p_values[back.reshape(-1)].astype(np.float64)
