"""A feature-blind classifier: k of M samples, drawn uniformly, are labelled positive."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core._numbers import number_or_nan, whole_numbers
from clearbar.core._typing import BoolArray
from clearbar.core._value import Value
from clearbar.core.counts import Population
from clearbar.core.errors import shown
from clearbar.null import hypergeometric as hg

if TYPE_CHECKING:
    from clearbar.null._law import NullDistribution


def predicted_from_theta(total: int, theta: Any) -> int:
    """Return how many samples a share stands for, halves rounded up as in the papers."""
    share = number_or_nan(theta)
    if not 0 <= share <= 1:
        raise ValueError(f"theta must be a share from 0 to 1; found {shown(theta)}.")
    x = total * share
    floor = math.floor(x)
    return min(floor + (x - floor >= 0.5), total)


def one_population(population: Population, *, name: str = "population") -> Population:
    """Return the population, or say that one is needed where an array of them was given."""
    if not isinstance(population, Population):
        raise ValueError(f"{name} must be a Population; found {type(population).__name__}.")
    if population.shape:
        raise ValueError(
            f"{name} must be one Population; found an array of shape {population.shape}. Index it first."
        )
    return population


@dataclass(frozen=True, eq=False)
class Draw(Value):
    """The Dutch Draw classifier: exactly k of the M samples are predicted positive, at random.

    Parameters
    ----------
    population : Population
        Class sizes.
    predicted_positives : int
        How many samples are labelled positive, k, from 0 to M.

    Raises
    ------
    ValueError
        If k is not a whole number from 0 to M.

    References
    ----------
    van de Bijl et al., The Dutch Draw, J. Appl. Prob. 2024, section 3.

    Examples
    --------
    >>> from clearbar import Draw, Population
    >>> draw = Draw(Population(10, 9), 3)
    >>> round(draw.distribution("g_mean").mean(), 6)
    0.404145
    """

    population: Population
    predicted_positives: int

    def __post_init__(self) -> None:
        population = one_population(self.population)
        k = whole_numbers("predicted_positives", self.predicted_positives)
        if k.ndim or int(k) > population.total:
            raise ValueError(
                f"predicted_positives must be one whole number from 0 to {population.total:,}; "
                f"found {self.predicted_positives!r}."
            )
        object.__setattr__(self, "predicted_positives", int(k))

    @classmethod
    def from_theta(cls, population: Population, theta: float) -> Draw:
        """Return the draw that predicts a share of the samples positive.

        Parameters
        ----------
        population : Population
            Class sizes.
        theta : float
            Share predicted positive, in [0, 1]; ``k = floor(M * theta + 1/2)``.

        Returns
        -------
        Draw

        Raises
        ------
        ValueError
            If `theta` is outside [0, 1].
        """
        return cls(population, predicted_from_theta(int(one_population(population).total), theta))

    @property
    def theta(self) -> float:
        """Share predicted positive, k / M."""
        return self.predicted_positives / int(self.population.total)

    def predict(self, random_state: Any = None) -> BoolArray:
        """Draw one vector of predictions.

        Parameters
        ----------
        random_state : int, numpy.random.Generator, numpy.random.RandomState or None
            Where the randomness comes from.

        Returns
        -------
        ndarray of bool, shape (total,)
            Exactly k are True; each such vector is equally likely.

        Examples
        --------
        >>> from clearbar import Draw, Population
        >>> int(Draw(Population(10, 9), 3).predict(random_state=0).sum())
        3
        """
        return hg.subset_mask(int(self.population.total), self.predicted_positives, generator(random_state))

    def distribution(self, measure: str | Measure) -> NullDistribution:
        """Return the exact distribution of a measure under this draw.

        Parameters
        ----------
        measure : str or Measure
            What to evaluate.

        Returns
        -------
        NullDistribution
        """
        from clearbar.null._law import NullDistribution

        return NullDistribution(get_measure(measure, "binary"), self)


def generator(random_state: Any) -> np.random.Generator:
    """Return a Generator from what scikit-learn's users call ``random_state``."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.Generator(random_state._bit_generator)  # noqa: SLF001 - its only handle
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be a seed, a numpy Generator or None; found {random_state!r}."
        ) from None


def checked_seed(random_state: Any) -> int:
    """Return a seed: the whole number that was given, or one drawn from a generator."""
    if isinstance(random_state, (bool, np.bool_)):
        raise ValueError(
            f"random_state must be a seed, a numpy Generator or None; found {random_state!r}: for other "
            "numbers each time pass None."
        )
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(generator(random_state).integers(2**63))
