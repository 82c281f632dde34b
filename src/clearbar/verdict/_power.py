"""How likely a model of supposed rates clears its bar surely, and how many samples that takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, Self

import numpy as np

from clearbar.catalogue import Measure, get_measure
from clearbar.core._numbers import number_or_nan
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Population, counts_of
from clearbar.core.errors import shown
from clearbar.data.counting import population_from_labels
from clearbar.distributions.null import checked_seed
from clearbar.problems.binary import Labels, baseline, checked_policy
from clearbar.problems.binary.rates.binomial import log_pmf
from clearbar.problems.binary.rates.fit import true_score
from clearbar.problems.binary.rates.order import is_ordered
from clearbar.verdict._judge import judge_problem
from clearbar.verdict._single import checked_alpha

MOST_EXACT = 500
"""Samples up to which every outcome is decided."""

EVERY = 200
"""Outcomes up to which each is asked on its own; of more, those beside the boundary of what is sure."""

BESIDE = 2
"""FP on either side of the boundary that are asked on their own."""

REACH = 6.5
"""Standard deviations beyond which outcomes are left out: they have a probability of below 1e-9."""

DRAWS = 2_000
"""Outcomes that are drawn of more samples."""

PLACES = 17
"""TP at which the boundary is then looked for."""

BEYOND = 1.4
"""Up to so many times as many samples are tried as seem to be needed."""

STEPS = 40
"""Numbers of samples, evenly spaced below that, that are tried first."""

LARGEST = 10**7
"""Samples beyond which nobody asks."""

_NORMAL = NormalDist()


class Power(float):
    """A probability, and its standard error: 0 where it was not simulated."""

    standard_error: float

    def __new__(cls, value: float, standard_error: float = 0.0) -> Self:
        """Keep both."""
        made = super().__new__(cls, value)
        made.standard_error = standard_error
        return made

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        """Pickle by both."""
        return float(self), self.standard_error


@dataclass(frozen=True)
class Trial:
    """A test set of some class sizes, a measure, the true rates of a model, and the level."""

    measure: Measure
    positives: int
    negatives: int
    sensitivity: float
    specificity: float
    alpha: float
    undefined: Undefined = "exclude"

    def sure(self, tp: IntArray, fp: IntArray) -> BoolArray:
        """Whether these outcomes clear the bar surely, as `evaluate` has it."""
        if not len(tp):
            return np.zeros(0, dtype=bool)
        tables = np.stack((tp, fp, self.positives - tp, self.negatives - fp))[:, None]
        problem = Labels(("model",), tuple(range(len(tp))), counts_of(tables), self.undefined)
        _, columns = judge_problem(problem, [self.measure])
        clears = columns["outcome"] == "clears"
        return np.asarray((clears & (columns["p_sure"] <= self.alpha))[0, :, 0])

    @cached_property
    def _tp(self) -> IntArray:
        return _likely(self.positives, self.sensitivity)

    @cached_property
    def _fp(self) -> IntArray:
        return _likely(self.negatives, 1 - self.specificity)

    def _boundary(self, tp: IntArray) -> IntArray:
        """Return for each TP the most FP that are sure, one less than the fewest likely ones for none."""
        sure, unsure = np.full_like(tp, self._fp[0] - 1), np.full_like(tp, self._fp[-1] + 1)
        while True:
            open_rows = np.flatnonzero(unsure - sure > 1)
            if not open_rows.size:
                return sure
            middle = (sure[open_rows] + unsure[open_rows]) // 2
            passes = self.sure(tp[open_rows], middle)
            sure[open_rows[passes]] = middle[passes]
            unsure[open_rows[~passes]] = middle[~passes]

    def exact(self) -> Power:
        """Add up the probabilities of all outcomes that are sure."""
        tp, fp = np.meshgrid(self._tp, self._fp, indexing="ij")
        if tp.size <= EVERY:
            passes = self.sure(tp.ravel(), fp.ravel()).reshape(tp.shape)
        else:
            edge = self._boundary(self._tp)[:, None]
            passes = fp <= edge
            near = np.abs(fp - edge - 0.5) <= BESIDE + 0.5
            passes[near] = self.sure(tp[near], fp[near])
        weights = (
            _pmf(self._tp, self.positives, self.sensitivity),
            _pmf(self._fp, self.negatives, 1 - self.specificity),
        )
        return Power(min(float(weights[0] @ passes @ weights[1]), 1.0))

    def simulated(self, seed: int) -> Power:
        """Draw outcomes and count those that are sure."""
        generator = np.random.default_rng(seed)
        drawn = np.stack(
            (
                generator.binomial(self.positives, self.sensitivity, DRAWS),
                generator.binomial(self.negatives, 1 - self.specificity, DRAWS),
            )
        )
        (tp, fp), times = np.unique(drawn, axis=1, return_counts=True)
        places = np.unique(np.linspace(self._tp[0], self._tp[-1], PLACES).astype(np.int64))
        edge = np.interp(tp, places, self._boundary(places))
        passes = fp <= edge
        spread = math.sqrt(self.negatives * self.specificity * (1 - self.specificity))
        near = np.abs(fp - edge) <= BESIDE + 0.1 * spread  # how far off a line between two places may be
        passes[near] = self.sure(tp[near], fp[near])
        hits = int(times[passes].sum())
        share = (hits + 1) / (DRAWS + 2)  # that none, or all, were sure is no certainty
        return Power(hits / DRAWS, math.sqrt(share * (1 - share) / DRAWS))

    def power(self, seed: int) -> Power:
        """Return the probability of a sure clear."""
        return self.exact() if self.positives + self.negatives <= MOST_EXACT else self.simulated(seed)


def _likely(size: int, rate: float) -> IntArray:
    """Return the counts that are likely enough to matter."""
    half = REACH * math.sqrt(size * rate * (1 - rate)) + (3 if 0 < rate < 1 else 0)
    low, high = math.floor(size * rate - half), math.ceil(size * rate + half)
    return np.arange(max(low, 0), min(high, size) + 1)


def _pmf(counts: IntArray, size: int, rate: float) -> FloatArray:
    if rate in {0.0, 1.0} or not size:
        return np.asarray(counts == round(size * rate), dtype=np.float64)
    k = counts.astype(np.float64)
    return np.asarray(np.exp(log_pmf(k, np.full_like(k, size), np.full_like(k, rate))))


def power(
    y_true: Any,
    measure: str | Measure,
    *,
    sensitivity: float,
    specificity: float,
    alpha: float = 0.05,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    random_state: Any = 0,
) -> Power:
    """Return the probability that a model of these true rates clears its bar surely.

    Parameters
    ----------
    y_true : array_like of shape (M,), or Population
        True labels of the test set; only their numbers matter.
    measure : str or Measure
        What is judged by: a measure that rises with true and falls with false positives.
    sensitivity, specificity : float
        The shares of positive and of negative samples that the model is supposed to get right.
    alpha : float
        The level at which a score is sure.
    pos_label : object, optional
        The label of the positive class.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `baseline`.
    random_state : int, Generator, RandomState or None
        Seed of the simulation of more than 500 samples.

    Returns
    -------
    Power
        A number between 0 and 1, with `standard_error`: 0 up to 500 samples, where all outcomes are added up;
        beyond, that of a simulation of 2,000 test sets.

    Raises
    ------
    ValueError
        If an argument is not what it should be, the measure is not ordered, or its bar cannot be beaten.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.power(cb.Population(60, 20), "mcc", sensitivity=0.7, specificity=0.8), 3)
    0.964
    """
    population = (
        y_true if isinstance(y_true, Population) else population_from_labels(y_true, pos_label=pos_label)
    )
    if population.shape:
        raise ValueError("power needs one population; ask for the power of several one by one.")
    P, N = int(population.positives), int(population.negatives)
    a, b = _checked_rates(sensitivity=sensitivity, specificity=specificity)
    trial = Trial(_ordered(measure), P, N, a, b, checked_alpha(alpha), checked_policy(undefined))
    _refuse_unbeatable(trial)
    return trial.power(checked_seed(random_state))


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
        The level at which a score is sure.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `baseline`.
    random_state : int, Generator, RandomState or None
        Seed of the simulation of more than 500 samples.

    Returns
    -------
    int
        Power is saw-toothed: this number suffices, and so does every larger one that was tried, up to 1.4
        times the number that seemed to be needed.

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
    share = _checked_rates(prevalence=prevalence)[0]
    if not 0 < share < 1:
        raise ValueError(f"prevalence must lie between 0 and 1, without either; found {shown(prevalence)}.")
    rates = _checked_rates(sensitivity=sensitivity, specificity=specificity)
    facts = _ordered(measure), rates, checked_alpha(alpha), checked_policy(undefined)
    seed = checked_seed(random_state)

    def trial(samples: int) -> Trial:
        return of_size(samples, share, *facts)

    def suffices(samples: int) -> bool:
        return float(trial(samples).power(seed)) >= wanted

    return _least(suffices, _guess(trial, wanted))


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


def _least(suffices: Callable[[int], bool], guess: int) -> int:
    """Return the least number above which each that is tried suffices: down from well above a guess."""
    top = max(math.ceil(BEYOND * guess), 4)
    while not suffices(top):
        top = math.ceil(BEYOND * top)
        _refuse_too_many(top)
    step = max(1, top // STEPS)
    known = top
    while known - step >= 2 and suffices(known - step):
        known -= step
    for samples in range(known - 1, max(known - step, 1), -1):
        if not suffices(samples):
            break
        known = samples
    return known


def _guess(trial: Callable[[int], Trial], wanted: float) -> int:
    """Return about how many samples are needed: the signed root of the evidence grows with their root."""
    samples = 16
    while True:
        one = trial(samples)
        _refuse_unbeatable(one)
        _refuse_hopeless(one)
        tp, fp = (
            np.array([round(n)])
            for n in (one.positives * one.sensitivity, one.negatives * (1 - one.specificity))
        )
        tables = np.stack((tp, fp, one.positives - tp, one.negatives - fp))[:, None]
        _, columns = judge_problem(
            Labels(("model",), (None,), counts_of(tables), one.undefined), [one.measure]
        )
        p_value = float(columns["p_sure"][0, 0, 0])
        if columns["outcome"][0, 0, 0] == "clears" and p_value < 0.02:
            reached = -_NORMAL.inv_cdf(max(p_value, 1e-12) / 2)
            goal = -_NORMAL.inv_cdf(one.alpha / 2) + _NORMAL.inv_cdf(wanted)
            return max(math.ceil(samples * (max(goal, 0.5) / reached) ** 2), 4)
        samples = math.ceil(1.5 * samples)
        _refuse_too_many(samples)


def _refuse_too_many(samples: int) -> None:
    if samples > LARGEST:
        raise ValueError(f"more than {LARGEST:,} samples are needed: the model is too close to its bar.")


def _refuse_hopeless(trial: Trial) -> None:
    """Raise where the true score of such a model is not above the bar of many samples."""
    share = trial.positives / (trial.positives + trial.negatives)
    many = 10**6
    P, N = np.array([round(many * share)]), np.array([many - round(many * share)])
    rates = np.array([trial.sensitivity]), np.array([1 - trial.specificity])
    score = float(true_score(trial.measure, P.astype(float), N.astype(float), *rates)[0])
    bar = float(baseline(Population(many, int(P[0])), trial.measure, undefined=trial.undefined).value)
    sign = 1.0 if trial.measure.greater_is_better else -1.0
    score = sign * score if not trial.measure.greater_is_better else score  # losses come as their negatives
    if math.isnan(score) or sign * score <= sign * bar + 1e-9:
        rates_said = f"sensitivity {trial.sensitivity:g} and specificity {trial.specificity:g}"
        raise ValueError(
            f"a model of {rates_said} is not above the {trial.measure.label} bar, however many samples: its "
            f"true score is {round(score, 9):.3g}, the bar {bar:.3g}."
        )


def _refuse_unbeatable(trial: Trial) -> None:
    population = Population(trial.positives + trial.negatives, trial.positives)
    bar: Any = baseline(population, trial.measure, undefined=trial.undefined)
    label = trial.measure.label
    if math.isnan(float(bar.value)):
        raise ValueError(f"{label} has no bar: {bar.reason}.")
    if float(bar.value) == float(bar.best_possible):
        raise ValueError(f"the {label} bar already is the best possible score, so nothing can clear it.")


def _ordered(measure: str | Measure) -> Measure:
    found: Any = get_measure(measure)
    if found.kind != "binary":
        raise ValueError(
            f"{found.label} is not of labels of two classes, which power needs; ask for another measure, "
            "such as mcc or f1."
        )
    if not is_ordered(found):
        raise ValueError(
            f"{found.label} is not known to rise with true and fall with false positives, which power needs; "
            "ask for another measure, such as mcc or f1."
        )
    chosen: Measure = found
    return chosen


def _checked_rates(**rates: Any) -> tuple[float, ...]:
    found = []
    for name, value in rates.items():
        rate = number_or_nan(value)
        if not 0 <= rate <= 1:
            raise ValueError(f"{name} must be a share from 0 to 1; found {shown(value)}.")
        found.append(rate)
    return tuple(found)
