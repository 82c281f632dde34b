"""The null distribution of a score: what a feature-blind classifier gets, with SciPy's verbs."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, NotExact
from clearbar.core._later import Later
from clearbar.core._numbers import number_or_nan, numbers, whole_numbers
from clearbar.core._typing import FloatArray
from clearbar.core._value import Value
from clearbar.core.errors import shown
from clearbar.null import hypergeometric as hg
from clearbar.null._atoms import Atoms, atoms_of
from clearbar.null._attain import slack
from clearbar.null._draw import Draw, generator
from clearbar.null._exact import exact_moments
from clearbar.null._moments import moments
from clearbar.null._reach import MOST_POINTS
from clearbar.null._tables import values_at
from clearbar.null._wide import WideLaw

FEW_ATOMS = 2**10
"""Reachable tables up to which all atoms are looked at even if the measure is ordered in TP."""

MOST_ATOMS = 2**22
"""Atoms up to which `NullDistribution.atoms` lists them."""


@dataclass(frozen=True, eq=False)
class NullDistribution(Value):
    """The exact distribution of a measure under a draw.

    Probabilities (`pmf`, `cdf`, `sf`, `tail`, `atoms`) are unconditional: with the mass of outcomes
    that have no value they add up to one. `mean`, `var`, `ppf` and `interval` are given that the
    score has a value.

    A draw that reaches more than 2**20 tables is known by its window, all but 2e-18 of the mass, where
    the measure is neither ordered nor convex in TP; its tails end there.

    Parameters
    ----------
    measure : Measure
        What is evaluated.
    draw : Draw
        The feature-blind classifier.

    Examples
    --------
    >>> from clearbar import Draw, Population
    >>> null = Draw(Population(20, 6), 6).distribution("f1")
    >>> round(null.tail(4 / 6), 6)
    0.03741
    """

    measure: Measure
    draw: Draw

    _repr_html_ = Later("clearbar.notebook", "null_html")

    def __reduce__(self) -> Any:
        """Pickle what defines the law, not what was computed of it."""
        return type(self), (self.measure, self.draw)

    @property
    def _margins(self) -> tuple[int, int, int]:
        population = self.draw.population
        return int(population.total), int(population.positives), self.draw.predicted_positives

    @functools.cached_property
    def _law(self) -> Atoms | WideLaw:
        low, high = hg.support(*self._margins)
        ordered = self.measure.affine or self.measure.better_with_tp or self.measure.convex_in_tp
        law = WideLaw if high - low >= (FEW_ATOMS if ordered else MOST_POINTS) else atoms_of
        return law(self.measure, *self._margins)

    @functools.cached_property
    def _moments(self) -> tuple[float, float]:
        try:
            mean, variance, _ = exact_moments(self.measure, *self._margins)
        except NotExact:
            both = moments(self.measure, *self._margins)
            return float(both.mean), float(both.variance)
        return tuple(math.nan if part is None else float(part) for part in (mean, variance))  # type: ignore[return-value]

    @property
    def undefined_mass(self) -> float:
        """Probability of an outcome at which the measure has no value."""
        return self._law.undefined

    def mean(self) -> float:
        """Return the expected score, given that it has a value; nan if it never has."""
        return self._moments[0]

    def var(self) -> float:
        """Return the variance of the score, given that it has a value."""
        return self._moments[1]

    def std(self) -> float:
        """Return the standard deviation of the score, given that it has a value."""
        return math.sqrt(self._moments[1])

    def atoms(self) -> tuple[FloatArray, FloatArray]:
        """List every value the score can take and its probability.

        Returns
        -------
        values : ndarray of float64
            Ascending; TP with the same value are merged.
        probabilities : ndarray of float64
            They add up to ``1 - undefined_mass``.

        Raises
        ------
        ValueError
            If there are more than 2**22 reachable tables.
        """
        low, high = (int(end) for end in hg.support(*self._margins))
        if high - low >= MOST_ATOMS:
            raise ValueError(
                f"the distribution has {high - low + 1:,} atoms, too many to list; ask pmf, cdf, sf "
                "or ppf for the ones of interest."
            )
        law = self._law if isinstance(self._law, Atoms) else atoms_of(self.measure, *self._margins)
        return law.values.copy(), law.probabilities.copy()

    def pmf(self, x: Any) -> Any:
        """Return P(score = x).

        Parameters
        ----------
        x : float or array_like
            Scores; a number within 4 ulp of an atom is that atom.

        Returns
        -------
        float or ndarray
        """
        return self._probability(x, at_least=True, at_most=True)

    def logpmf(self, x: Any) -> Any:
        """Return log P(score = x), -inf where it is no atom; parameters as for `pmf`."""
        return self._probability(x, at_least=True, at_most=True, log=True)

    def cdf(self, x: Any) -> Any:
        """Return P(score <= x); parameters as for `pmf`."""
        return self._probability(x, at_most=True)

    def sf(self, x: Any) -> Any:
        """Return P(score > x); parameters as for `pmf`."""
        return self._probability(x, above=True)

    def logsf(self, x: Any) -> Any:
        """Return log P(score > x); parameters as for `pmf`."""
        return self._probability(x, above=True, log=True)

    def tail(self, x: Any) -> Any:
        """Return the probability of a score at least as good as x.

        Parameters
        ----------
        x : float or array_like
            Scores.

        Returns
        -------
        float or ndarray
            P(score >= x) for a measure to maximise, P(score <= x) for a loss. An x/0 outcome that
            is better than every finite value counts, a 0/0 outcome does not. So it is in every
            p-value, although for a bar neither outcome has a value: that can make a p-value larger
            than without them, never smaller.
        """
        return self._tail(x, log=False)

    def logtail(self, x: Any) -> Any:
        """Return the logarithm of `tail`; parameters as there."""
        return self._tail(x, log=True)

    def _tail(self, x: Any, *, log: bool) -> Any:
        if self.measure.greater_is_better is False:
            return self._probability(x, at_most=True, better=self._law.infinite_low, log=log)
        return self._probability(x, at_least=True, better=self._law.infinite_high, log=log)

    def _probability(
        self,
        x: Any,
        *,
        at_least: bool = False,
        above: bool = False,
        at_most: bool = False,
        better: float = 0.0,
        log: bool = False,
    ) -> Any:
        """Return how likely a score is on this side of x; `better` is the mass of infinite ones there."""
        scores = numbers("x", x)
        flat = scores.reshape(-1)
        margin, unlimited = slack(flat, self._margins[0]), np.full(flat.shape, np.inf)
        low = flat - margin if at_least else flat + margin if above else -unlimited
        high = flat + margin if at_most else unlimited
        chance = self._law.between(low, high, open_low=above, log=log)
        if better:
            chance = np.logaddexp(chance, math.log(better)) if log else np.minimum(chance + better, 1.0)
        chance = np.where(np.isnan(flat), np.nan, chance)
        return float(chance[0]) if scores.ndim == 0 else chance.reshape(scores.shape)

    def ppf(self, q: Any) -> Any:
        """Return the smallest value v with P(score <= v | it has a value) >= q.

        Parameters
        ----------
        q : float or array_like
            Probabilities; outside [0, 1] the result is nan, as in SciPy.

        Returns
        -------
        float or ndarray
        """
        shares = numbers("q", q)
        flat = shares.reshape(-1)
        low, high = self.support()
        valid = (flat >= 0) & (flat <= 1) & (not math.isnan(low))
        quantiles = np.full(flat.shape, np.nan)
        if valid.any():
            quantiles[valid] = self._law.quantile(flat[valid])
        quantiles[valid & (flat == 0)], quantiles[valid & (flat == 1)] = low, high
        return float(quantiles[0]) if shares.ndim == 0 else quantiles.reshape(shares.shape)

    def interval(self, confidence: Any) -> tuple[float, float]:
        """Return the central interval that holds the score with this probability.

        Parameters
        ----------
        confidence : float
            In [0, 1].

        Returns
        -------
        (float, float)
        """
        level = number_or_nan(confidence)
        if not 0 <= level <= 1:
            raise ValueError(f"confidence must be a probability from 0 to 1; found {shown(confidence)}.")
        rest = (1 - level) / 2
        return self.ppf(rest), self.ppf(1 - rest)

    def support(self) -> tuple[float, float]:
        """Return the smallest and the largest value of the score; nan where it never has one."""
        return self._law.extremes()

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Draw scores.

        Parameters
        ----------
        size : int or tuple of int, optional
            How many; a single float when not given.
        random_state : int, Generator, RandomState or None
            Where the randomness comes from.

        Returns
        -------
        float or ndarray
            nan, with probability `undefined_mass`, where the measure has no value.
        """
        shape = () if size is None else size
        try:
            number = int(np.prod(whole_numbers("size", shape)))
        except (TypeError, ValueError):
            raise ValueError(f"size must be a whole number, or a tuple of them; found {size!r}.") from None
        tp = hg.sample(*self._margins, number, generator(random_state))
        values = values_at(self.measure, tp, *(np.full(tp.shape, a) for a in self._margins))
        values = np.where(np.isfinite(values), values, np.nan)
        return float(values[0]) if size is None else values.reshape(shape)
