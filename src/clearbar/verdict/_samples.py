"""How many samples a model of supposed rates needs to clear its bar surely: a search for the power wanted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._numbers import number_or_nan
from clearbar.core._progress import tracked
from clearbar.core._typing import Undefined
from clearbar.core.counts import Population
from clearbar.core.errors import shown
from clearbar.null import checked_seed
from clearbar.problems.binary import baseline, checked_policy
from clearbar.problems.binary.rates.fit import true_score
from clearbar.verdict._power import checked_rates, ordered, refuse_unbeatable
from clearbar.verdict._single import resolved_alpha
from clearbar.verdict._trial import Boundary, Trial

BEYOND = 1.4
"""Up to so many times as many samples are tried as seem to be needed."""

STEP = 20
"""Then down by one part in so many at a time."""

FINE = 50
"""Where power is simulated, numbers of samples that differ by less than one part in so many are the same."""

TRIES = 30
"""Numbers of samples that are tried, about."""

LARGEST = 10**7
"""Samples beyond which nobody asks."""

LIMIT = 10**9
"""Samples of which the prevalence is as good as exact, and a bar what it tends to."""

_NORMAL = NormalDist()


def samples_needed(
    measure: str | Measure,
    *,
    prevalence: float,
    sensitivity: float,
    specificity: float,
    power: float = 0.8,
    alpha: float = 0.05,
    undefined: Undefined = "exclude",
    random_state: Any = 0,
) -> int:
    """Return how many samples a model of these true rates needs to clear its bar surely.

    Parameters
    ----------
    measure : str or Measure
        What is judged by: a measure that rises with true and falls with false positives.
    prevalence : float
        The share of positive samples; their number is rounded, to one at least and all but one at most.
    sensitivity, specificity : float
        The shares of positive and of negative samples that the model is supposed to get right.
    power : float
        How likely it shall clear surely.
    alpha : float
        The level at which a score is sure; at least 2e-6, below which no p-value is resolved.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `baseline`.
    random_state : int, Generator, RandomState or None
        Seed of the simulation of more than 500 samples.

    Returns
    -------
    int
        Power is saw-toothed: this number suffices, and so does every larger one that was tried, up to 1.4
        times the number that seemed to be needed. Up to 500 samples the last are tried one by one; beyond,
        where power is simulated, it is found to two per cent.

    Raises
    ------
    ValueError
        If an argument is not what it should be, or such a model does not clear the bar however many samples
        there are.

    See Also
    --------
    power : How likely it is with given class sizes.
    Baseline.clearing_score : The least score that is surely above the bar.

    Examples
    --------
    >>> import clearbar as cb
    >>> cb.samples_needed("mcc", prevalence=0.5, sensitivity=0.8, specificity=0.9)
    15
    """
    wanted = number_or_nan(power)
    if not 0 < wanted < 1:
        raise ValueError(f"power must be a probability between 0 and 1; found {shown(power)}.")
    share = checked_rates(prevalence=prevalence)[0]
    if not 0 < share < 1:
        raise ValueError(f"prevalence must lie between 0 and 1, without either; found {shown(prevalence)}.")
    rates = checked_rates(sensitivity=sensitivity, specificity=specificity)
    facts = ordered(measure), rates, resolved_alpha(alpha), checked_policy(undefined)
    seed = checked_seed(random_state)

    _refuse_hopeless(of_size(LIMIT, share, *facts))
    search = _Search(lambda samples: of_size(samples, share, *facts), wanted, seed)
    return [*tracked(search.tried(), TRIES, lambda _: 1, "numbers of samples")][-1]


def of_size(
    samples: int,
    prevalence: float,
    measure: Measure,
    rates: tuple[float, ...],
    alpha: float,
    undefined: Undefined,
) -> Trial:
    """Return a test set of so many samples."""
    sizes = class_sizes(samples, prevalence)
    P, N = int(sizes.positives), int(sizes.negatives)
    return Trial(measure, P, N, rates[0], rates[1], alpha, undefined)


def class_sizes(samples: int, prevalence: float) -> Population:
    """Return so many samples with about this share of positive ones: one at least, all but one at most."""
    return Population(samples, min(max(math.floor(samples * prevalence + 0.5), 1), samples - 1))


@dataclass
class _Search:
    """The least number of samples above which each that is tried suffices."""

    trial: Callable[[int], Trial]
    wanted: float
    seed: int
    near: Boundary | None = None
    """The boundary of what is sure of the number that was tried last: the next one's is about the same."""

    def suffices(self, samples: int) -> bool:
        enough, self.near = self.trial(samples).reaches(self.wanted, self.seed, self.near)
        return enough

    def tried(self) -> Iterator[int]:
        """Yield the least number so far: down from well above a guess, by steps, then one by one.

        Where power is simulated, the last step is halved instead until it is as good as none.
        """
        guess = _guess(self.trial, self.wanted)
        _refuse_too_many(guess)
        known = min(math.ceil(BEYOND * guess), LARGEST)
        while not self.suffices(known):
            known = math.ceil(BEYOND * known)
            _refuse_too_many(known)
            yield known
        step = max(1, known // STEP)
        while known - step >= 2 and self.suffices(known - step):
            known -= step
            step = max(1, known // STEP)
            yield known
        short = max(known - step, 1)  # tried, and too few
        while known - short > self._resolution(known):
            middle = known - 1 if self.trial(known).is_exact else (known + short) // 2
            if self.suffices(middle):
                known = middle
            else:
                short = middle
            yield known
        yield known

    def _resolution(self, samples: int) -> int:
        """Return how far apart numbers of samples are that are not told apart."""
        return 1 if self.trial(samples).is_exact else max(1, samples // FINE)


def _guess(trial: Callable[[int], Trial], wanted: float) -> int:
    """Return about how many samples are needed: the signed root of the evidence grows with their root."""
    samples = 16
    while True:
        tried = trial(samples)
        expected = tried.positives * tried.sensitivity, tried.negatives * (1 - tried.specificity)
        p_value = float(tried.p_of_clears(*(np.array([round(count)]) for count in expected))[0])
        if p_value < 0.02:
            reached = -_NORMAL.inv_cdf(max(p_value, 1e-12) / 2)
            goal = -_NORMAL.inv_cdf(tried.alpha / 2) + _NORMAL.inv_cdf(wanted)
            return max(math.ceil(samples * (max(goal, 0.5) / reached) ** 2), 4)
        samples = math.ceil(1.5 * samples)
        _refuse_too_many(samples)


def _refuse_too_many(samples: int) -> None:
    if samples > LARGEST:
        raise ValueError(f"more than {LARGEST:,} samples are needed: the model is too close to its bar.")


def _refuse_hopeless(limit: Trial) -> None:
    """Raise where the bar of very many samples is the best score, or not below such a model's true one."""
    refuse_unbeatable(limit)
    P, N = np.array([limit.positives]), np.array([limit.negatives])
    rates = np.array([limit.sensitivity]), np.array([1 - limit.specificity])
    score = float(true_score(limit.measure, P.astype(float), N.astype(float), *rates)[0])
    population = Population(limit.positives + limit.negatives, limit.positives)
    bar = float(baseline(population, limit.measure, undefined=limit.undefined).value)
    sign = 1.0 if limit.measure.greater_is_better else -1.0
    score *= sign  # losses come as their negatives
    if math.isnan(score) or sign * score <= sign * bar + 1e-9:
        rates_said = f"sensitivity {limit.sensitivity:g} and specificity {limit.specificity:g}"
        raise ValueError(
            f"a model of {rates_said} is not above the {limit.measure.label} bar, however many samples: its "
            f"true score is {round(score, 9):.3g}, the bar {bar:.3g}."
        )
