"""Distributions as they are drawn: atoms, or bins of many atoms, and the window that shows them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar._typing import FloatArray
from clearbar.null import NullDistribution

MOST_STEMS = 160
"""Atoms up to which each is drawn; more are gathered in bins."""

BINS = 60
"""Bins over the window that is drawn."""

TABLES = 2**16
"""Reachable tables up to which atoms are listed to see how many there are."""

NARROW = 0.12
"""Share of a common axis below which a distribution gets one of its own."""

LOST = 1e-6
"""Mass beyond each end of the window that is drawn."""


@dataclass(frozen=True)
class Law:
    """The distribution of the score under one draw, as it is drawn.

    Attributes
    ----------
    predicted_positives : int
        The draw's k.
    left, right : ndarray of float64
        Edges of the bars; equal where each bar is one atom.
    probability : ndarray of float64
        Of each bar.
    in_tail : ndarray of bool
        Which bars are at least as good as the model's score.
    tail : float
        Probability of a score at least that good.
    undefined_mass : float
        Probability of an outcome at which the measure has no value.
    """

    predicted_positives: int
    left: FloatArray
    right: FloatArray
    probability: FloatArray
    in_tail: Any
    tail: float
    undefined_mass: float

    @property
    def binned(self) -> bool:
        """Whether bars gather several atoms."""
        return bool((self.right > self.left).any())


def law_of(null: NullDistribution, score: float) -> Law:
    """Return the atoms of a distribution, or bins of equal width with an edge at the score.

    Parameters
    ----------
    null : NullDistribution
        The distribution.
    score : float
        The model's score, which parts the tail from the rest.

    Returns
    -------
    Law
    """
    draw, rising = null.draw, null.measure.greater_is_better is not False
    k, total, positives = (
        draw.predicted_positives, int(draw.population.total), int(draw.population.positives),
    )  # fmt: skip
    values = _atoms(null) if min(k, positives) - max(0, k + positives - total) < TABLES else None
    slack = 4 * np.spacing(abs(score))
    if values is not None:
        at, mass = values
        tail = at >= score - slack if rising else at <= score + slack
        return Law(k, at, at, mass, tail, float(null.tail(score)), null.undefined_mass)
    low, high = (float(null.ppf(q)) for q in (LOST, 1.0 - LOST))
    width = (high - low) / BINS
    first, last = math.floor((low - score) / width), math.ceil((high - score) / width)
    edges = np.array(score + width * np.arange(first, last + 1), dtype=np.float64)
    # Whole shares of what is at least (for a loss: at most) each edge: the score's own atom is in the tail.
    at_least = np.asarray(null.tail(edges))
    mass = at_least[:-1] - at_least[1:] if rising else at_least[1:] - at_least[:-1]
    tail = np.arange(first, last) >= 0 if rising else np.arange(first + 1, last + 1) <= 0
    return Law(
        k, edges[:-1], edges[1:], np.maximum(mass, 0.0), tail, float(null.tail(score)), null.undefined_mass
    )


def _atoms(null: NullDistribution) -> tuple[FloatArray, FloatArray] | None:
    """Return the atoms that matter; None where they are too many to be told apart."""
    values, mass = null.atoms()
    if not len(values):
        return values, mass
    sums = np.cumsum(mass)
    first = int(np.searchsorted(sums, LOST))
    last = int(np.searchsorted(sums, sums[-1] - LOST)) + 1
    values, mass = values[first:last], mass[first:last]
    return (values, mass) if len(values) <= MOST_STEMS else None


def windows(laws: Sequence[Law], score: float, bar: float) -> list[tuple[float, float]]:
    """Return the stretch of scores that each distribution's axes show.

    Parameters
    ----------
    laws : sequence of Law
        The distributions, from top to bottom.
    score, bar : float
        What is marked; nan where there is nothing.

    Returns
    -------
    list of (float, float)
        One stretch for all, or where a distribution would be a mere line on it, one for each: its
        atoms and the score.
    """
    parts = [np.array([score, *law.left, *law.right]) for law in laws]
    whole = _padded(np.concatenate((*parts, [bar])))
    own = _padded(parts[0])
    if own[1] - own[0] >= NARROW * (whole[1] - whole[0]):
        return [whole] * len(laws)
    return [own, *(_padded(np.append(part, bar)) for part in parts[1:])]


def _padded(values: FloatArray) -> tuple[float, float]:
    values = values[np.isfinite(values)]
    low, high = float(values.min()), float(values.max())
    spread = (high - low) or max(abs(low), 1.0) * 0.1
    return low - 0.05 * spread, high + 0.05 * spread
