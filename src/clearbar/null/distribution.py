"""A feature-blind classifier, and the distribution of what it scores, with SciPy's verbs."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core import Later
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core._value import Value, generator, number_or_nan, numbers, whole_numbers
from clearbar.core.counts import Population
from clearbar.core.errors import shown
from clearbar.null import hypergeometric as hg
from clearbar.null.expectation import WIDEST, cells_at, moments, values_at
from clearbar.null.sampling import sample, subset_mask
from clearbar.null.tails import exceedance_probability, is_threshold, log_mass, rounding_of, score_tolerance

WHOLE_SUPPORT = 2**20  # reachable tables up to which all are looked at
DEVIATIONS = 40  # standard deviations from the mode within which others are: all but e^-700 of the mass

# Reachable tables up to which a tail is looked up among them even if it could be found by a search.
FEW = 2**16


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
        The number of samples labelled positive, k, from 0 to M.

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

    _repr_html_ = Later("clearbar.notebook", "draw_html")

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
        return subset_mask(int(self.population.total), self.predicted_positives, generator(random_state))

    def distribution(self, measure: str | Measure) -> NullDistribution:
        """Return the exact distribution of a measure under this draw.

        Parameters
        ----------
        measure : str or Measure
            The measure.

        Returns
        -------
        NullDistribution
        """
        return NullDistribution(get_measure(measure, "binary"), self)


class _Atoms(NamedTuple):
    """Distinct values in ascending order, and how likely they are.

    `at_most[i]` is the probability of the first i atoms, `from_on[i]` that of all from the i-th on: each is
    added up from its own end. Logarithms go on where probabilities underflow. An atom is any number from
    `lows` to `highs`, which is what rounding makes of its value.
    """

    values: FloatArray
    lows: FloatArray
    highs: FloatArray
    log_single: FloatArray
    log_at_most: FloatArray
    log_from_on: FloatArray
    undefined: float
    infinite_low: float
    infinite_high: float


def _reachable(total: int, positives: int, draws: int) -> IntArray:
    """Return the numbers of true positives of the support, or all but e^-700 of it, or all but 2e-18."""
    margins = total, positives, draws
    low, high = (int(end) for end in hg.support(*margins))
    if high - low > WHOLE_SUPPORT:
        width = int(DEVIATIONS * float(hg.tp_variance(*margins)) ** 0.5) + 64
        if 2 * width > WIDEST:
            low, high = (int(end) for end in hg.window(*margins))
        else:
            centre = int(hg.mode(*margins))
            low, high = max(low, centre - width), min(high, centre + width)
    if high - low >= WIDEST:
        raise ValueError(f"the draw reaches too many tables, {high - low + 1:,}, to look at each.")
    return np.arange(low, high + 1)


def _atoms_of(measure: Measure, total: int, positives: int, draws: int) -> _Atoms:
    margins = total, positives, draws
    tp = _reachable(*margins)
    cells = cells_at(tp, *margins)
    raw = measure.values(*cells)
    log_weights = hg.log_pmf(tp, *margins)
    finite = np.isfinite(raw)
    order = np.flatnonzero(finite)[np.argsort(raw[finite], kind="stable")]
    values, logs = raw[order], log_weights[order]
    lost = 0.0 if measure.in_catalogue else rounding_of(measure, cells, total)[order]
    near = np.maximum(score_tolerance(values, total), lost)
    # values that rounding may have parted are one
    new = np.diff(values, prepend=-np.inf) > np.maximum(near, np.concatenate((near[:1], near[:-1])))
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], len(values))[: len(starts)] - 1
    single = np.logaddexp.reduceat(logs, starts) if starts.size else logs
    lost_mass = (
        float(np.exp(log_weights[where]).sum()) for where in (~finite, raw == -np.inf, raw == np.inf)
    )
    return _Atoms(
        values[starts],
        (values - lost)[starts],
        (values + lost)[ends],
        single,
        np.append(-np.inf, np.logaddexp.accumulate(single)),
        np.append(-np.inf, np.logaddexp.accumulate(single[::-1]))[::-1],
        *lost_mass,
    )


@dataclass(frozen=True, eq=False)
class NullDistribution(Value):
    """The exact distribution of a measure under a draw.

    Probabilities (`pmf`, `cdf`, `sf`, `tail`, `atoms`) are unconditional: with the mass of outcomes
    that have no value they add up to one. `mean`, `var`, `ppf` and `interval` are given that the
    score has a value.

    A draw that reaches more than 2**20 tables is known within 40 standard deviations, and one of more than
    some 1e10 samples by its window, all but 2e-18 of the mass; its tails end there, but for `tail`, and for
    `pmf` of measures that more true positives make better.

    Parameters
    ----------
    measure : Measure
        The measure.
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
        """Pickle what defines the distribution, not what was computed of it."""
        return type(self), (self.measure, self.draw)

    @property
    def _margins(self) -> tuple[int, int, int]:
        population = self.draw.population
        return int(population.total), int(population.positives), self.draw.predicted_positives

    @functools.cached_property
    def _atoms(self) -> _Atoms:
        return _atoms_of(self.measure, *self._margins)

    @functools.cached_property
    def _moments(self) -> tuple[float, float, float]:
        mean, variance, undefined = moments(self.measure, *self._margins)
        return float(mean), float(variance), float(undefined)

    def _counted(self, logs: FloatArray) -> FloatArray:
        """Return probabilities of their logarithms."""
        return hg.counted(np.exp(logs), self._margins[0], self._margins[2])

    @property
    def undefined_mass(self) -> float:
        """Probability of an outcome at which the measure has no value."""
        undefined = np.minimum(self._moments[2], 1.0)
        return float(hg.counted(undefined, self._margins[0], self._margins[2]))

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
            If there are more than 2**20 reachable tables.
        """
        low, high = (int(end) for end in hg.support(*self._margins))
        if high - low > WHOLE_SUPPORT:
            raise ValueError(
                f"the distribution has {high - low + 1:,} atoms, too many to list; ask pmf, cdf, sf "
                "or ppf for the ones of interest."
            )
        return self._atoms.values.copy(), self._counted(self._atoms.log_single)

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
        return self._asked(x, self._log_pmf)

    def logpmf(self, x: Any) -> Any:
        """Return log P(score = x), -inf where it is no atom; parameters as for `pmf`."""
        return self._asked(x, self._log_pmf, log=True)

    def cdf(self, x: Any) -> Any:
        """Return P(score <= x); parameters as for `pmf`."""
        return self._asked(x, self._log_cdf)

    def sf(self, x: Any) -> Any:
        """Return P(score > x); parameters as for `pmf`."""
        return self._asked(x, self._log_sf)

    def logsf(self, x: Any) -> Any:
        """Return log P(score > x); parameters as for `pmf`."""
        return self._asked(x, self._log_sf, log=True)

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
        low, high = hg.support(*self._margins)
        if high - low <= FEW or not is_threshold(self.measure):
            return self._asked(x, self._log_tail, log=log)
        margins = self._margins
        return _of_numbers(
            "x", x, lambda scores: exceedance_probability(self.measure, *margins, scores, log=log)
        )

    def _asked(
        self, x: Any, logs: Callable[[FloatArray, FloatArray], FloatArray], *, log: bool = False
    ) -> Any:
        def answer(scores: FloatArray) -> FloatArray:
            logarithms = np.minimum(logs(scores, score_tolerance(scores, self._margins[0])), 0.0)
            return np.where(np.isnan(scores), np.nan, logarithms if log else self._counted(logarithms))

        return _of_numbers("x", x, answer)

    def _log_pmf(self, scores: FloatArray, margin: FloatArray) -> FloatArray:
        low, high = hg.support(*self._margins)
        if high - low > WHOLE_SUPPORT and is_threshold(self.measure):
            return log_mass(self.measure, *self._margins, scores, margin)
        first = np.searchsorted(self._atoms.highs, scores - margin)
        last = np.searchsorted(self._atoms.lows, scores + margin, side="right")
        single = np.append(self._atoms.log_single, -np.inf)
        return np.where(last > first, single[first], -np.inf)

    def _log_cdf(self, scores: FloatArray, margin: FloatArray) -> FloatArray:
        return self._atoms.log_at_most[np.searchsorted(self._atoms.lows, scores + margin, side="right")]

    def _log_sf(self, scores: FloatArray, margin: FloatArray) -> FloatArray:
        return self._atoms.log_from_on[np.searchsorted(self._atoms.lows, scores + margin, side="right")]

    def _log_tail(self, scores: FloatArray, margin: FloatArray) -> FloatArray:
        if self.measure.greater_is_better is False:
            logs, better = self._log_cdf(scores, margin), self._atoms.infinite_low
        else:
            logs = self._atoms.log_from_on[np.searchsorted(self._atoms.highs, scores - margin)]
            better = self._atoms.infinite_high
        return np.logaddexp(logs, math.log(better)) if better else logs

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
        low, high = self.support()
        at_most = np.exp(self._atoms.log_at_most[1:])

        def quantiles(shares: FloatArray) -> FloatArray:
            valid = (shares >= 0) & (shares <= 1) & (not math.isnan(low))
            if not valid.any():
                return np.full(shares.shape, np.nan)
            # a cumulative sum may end some ulp short of its own total
            place = np.searchsorted(at_most * (1 + 1e-14), np.where(valid, shares, 0.0) * at_most[-1])
            values = self._atoms.values[np.minimum(place, len(at_most) - 1)]
            values = np.where(shares == 0, low, np.where(shares == 1, high, values))
            return np.where(valid, values, np.nan)

        return _of_numbers("q", q, quantiles)

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
        values = self._atoms.values[[0, -1]] if len(self._atoms.values) else np.zeros(0)
        ends = np.array(hg.support(*self._margins))  # which a window of the mass may leave out
        values = np.append(values, values_at(self.measure, ends, *self._margins))
        values = values[np.isfinite(values)]
        return (float(values.min()), float(values.max())) if values.size else (math.nan, math.nan)

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Draw scores.

        Parameters
        ----------
        size : int or tuple of int, optional
            The number of draws; a single float when not given.
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
        tp = sample(*self._margins, number, generator(random_state))
        values = values_at(self.measure, tp, *self._margins)
        values = np.where(np.isfinite(values), values, np.nan)
        return float(values[0]) if size is None else values.reshape(shape)


def _of_numbers(name: str, x: Any, answer: Callable[[FloatArray], FloatArray]) -> Any:
    """Answer for a number, or for an array of them in its shape."""
    given = numbers(name, x)
    answers = answer(given.reshape(-1))
    return float(answers[0]) if given.ndim == 0 else answers.reshape(given.shape)
