"""What a test set can show: the power of class sizes, the samples needed, the least difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, TypedDict, Unpack, overload

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import Undefined
from clearbar.core._value import number_or_nan
from clearbar.core.counts import Population
from clearbar.core.errors import shown
from clearbar.data.counting import population_from_labels
from clearbar.verdict._difference import DifferenceTrial, HypotheticalRates, Rates
from clearbar.verdict._plan import Plan, checked_plan, checked_rates
from clearbar.verdict._power import (
    LIMIT,
    TRIES,
    Plannable,
    Power,
    Trial,
    guessed,
    numbers_tried,
    refuse_hopeless,
    refuse_unbeatable,
    refused_above,
)

PLACES, REFINED = 9, 2
"""Rates of one true score that are tried, and times that more are tried beside the extreme ones."""

HALVINGS = 14
"""Times that the range of a least difference is halved."""


class Range(NamedTuple):
    """The least and the largest number, where hypotheses leave it open."""

    low: Any
    high: Any


class Options(TypedDict, total=False):
    """What may be said of any plan."""

    cluster_size: float
    icc: float
    alpha: float
    undefined: Undefined
    random_state: Any


class Supposition(Options, total=False):
    """Other hypotheses about models; with these there may be a range."""

    sensitivity: float | None
    specificity: float | None
    score: float | None
    versus: Mapping[str, Any] | None
    agreement: float | tuple[float, float] | None


def _extreme_places(value_of: Callable[[float], float]) -> tuple[float, float]:
    """Return where in [0, 1] a function is least and where it is largest, from a grid and beside its ends."""
    values = {place: value_of(place) for place in np.linspace(0.0, 1.0, PLACES).tolist()}
    step = 1 / (PLACES - 1)
    for _ in range(REFINED):
        step /= 2
        for best in (min(values, key=values.__getitem__), max(values, key=values.__getitem__)):
            for place in (best - step, best + step):
                if 0 <= place <= 1 and place not in values:
                    values[place] = value_of(place)
    return min(values, key=values.__getitem__), max(values, key=values.__getitem__)


@overload
def power(
    y_true: Any,
    measure: str | Measure,
    *,
    sensitivity: float,
    specificity: float,
    pos_label: Any = None,
    **options: Unpack[Options],
) -> Power: ...
@overload
def power(
    y_true: Any, measure: str | Measure, *, pos_label: Any = None, **options: Unpack[Supposition]
) -> Power | Range: ...
def power(
    y_true: Any,
    measure: str | Measure,
    *,
    sensitivity: float | None = None,
    specificity: float | None = None,
    score: float | None = None,
    versus: Mapping[str, Any] | None = None,
    agreement: float | tuple[float, float] | None = None,
    cluster_size: float = 1,
    icc: float = 0.0,
    alpha: float = 0.05,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    random_state: Any = 0,
) -> Power | Range:
    """Return how likely a model clears its bar surely, or differs surely from another one.

    Parameters
    ----------
    y_true : array_like of shape (M,), or Population
        True labels of the test set; only their numbers matter.
    measure : str or Measure
        A measure that rises with true and falls with false positives.
    sensitivity, specificity : float
        The shares of positive and of negative samples that the model is supposed to get right.
    score : float
        Its true score, where the rates are not known.
    versus : mapping
        ``"sensitivity"`` and ``"specificity"`` of another model on the same samples, from which the first
        shall be told. Of another group of samples also its labels, or `Population`, as ``"population"``.
    agreement : float or (float, float)
        On which share of positives and of negatives both models answer alike, right or wrong.
    cluster_size, icc : float
        How many samples belong together, and how alike their errors are: the intra-class correlation.
    alpha : float
        The level at which a score or a difference is sure; at least 2e-6, of a difference 0.001, in clusters
        0.01.
    pos_label : object, optional
        The label of the positive class.
    undefined : {"exclude", "worst"} or float
        The policy for outcomes without a value; see `baseline`.
    random_state : int, Generator, RandomState or None
        Seed of what is simulated.

    Returns
    -------
    Power or Range
        A number between 0 and 1, with `standard_error`: 0 for a model against its bar on up to 500 samples,
        in clusters effective ones, where all outcomes are added up; else that of a simulation of 2,000 test
        sets, of a difference 9,999. In clusters it is also 0 where more than 99 % of independent samples
        would do: there power comes from the expected z.
        The least and the largest over all rates that have the score; or over all ways to agree.

    Raises
    ------
    ValueError
        If an argument is not what it should be, the measure is not ordered, its bar cannot be beaten, or
        both models have the same true score.

    Notes
    -----
    A difference is held against the critical size of the test of equal scores (`Scorecard.compare`,
    `Scorecard.gaps`) at the expected table. Clusters divide the number of samples by 1 + (m - 1) icc, and
    power in G of them is approximated by that of a t-test with G - 1 degrees of freedom, which is less where
    they are few. Gaps of groups in clusters are not tested, so they are not planned either.

    References
    ----------
    Kish, Survey Sampling, 1965, section 5.4.

    Examples
    --------
    >>> import clearbar as cb
    >>> population = cb.Population(60, 20)
    >>> round(cb.power(population, "mcc", sensitivity=0.7, specificity=0.8), 3)
    0.964
    >>> better, worse = {"sensitivity": 0.9, "specificity": 0.9}, {"sensitivity": 0.7, "specificity": 0.8}
    >>> power = cb.power(cb.Population(200, 80), "mcc", **better, versus=worse)
    >>> round(power.low, 1), round(power.high, 1)
    (0.9, 1.0)
    """
    population = _one(y_true, pos_label)
    plan = checked_plan(
        measure, rates={"sensitivity": sensitivity, "specificity": specificity}, score=score, versus=versus,
        agreement=agreement, group="population", cluster_size=cluster_size, icc=icc, alpha=alpha,
        undefined=undefined, random_state=random_state,
    )  # fmt: skip
    other = None if plan.group is None else _one(plan.group, pos_label)
    plan.refuse_few_clusters(population)
    if plan.other is not None:
        plan.refuse_alike(population, other)
        powers = [plan.apart(population, other, both).power(plan.seed) for both in plan.together()]
        return powers[0] if len(powers) == 1 else Range(*powers)
    if plan.rates is not None:
        trial = plan.alone(population, plan.rates)
        refuse_unbeatable(trial)
        return trial.power(plan.seed)
    rates_at = plan.of_score(population)
    refuse_hopeless(plan.alone(population, rates_at(0.5)))
    by_place: dict[float, Power] = {}

    def power_at(place: float) -> float:
        by_place[place] = plan.alone(population, rates_at(place)).power(plan.seed)
        return by_place[place]

    return Range(*(by_place[place] for place in _extreme_places(power_at)))


def _one(y_true: Any, pos_label: Any) -> Population:
    population = population_from_labels(y_true, pos_label=pos_label)
    if population.shape:
        raise ValueError("power needs one population; ask for the power of several one by one.")
    return population


@overload
def samples_needed(
    measure: str | Measure,
    *,
    prevalence: float,
    sensitivity: float,
    specificity: float,
    power: float = 0.8,
    **options: Unpack[Options],
) -> int: ...
@overload
def samples_needed(
    measure: str | Measure, *, prevalence: float, power: float = 0.8, **options: Unpack[Supposition]
) -> int | Range: ...
def samples_needed(
    measure: str | Measure,
    *,
    prevalence: float,
    sensitivity: float | None = None,
    specificity: float | None = None,
    score: float | None = None,
    versus: Mapping[str, Any] | None = None,
    agreement: float | tuple[float, float] | None = None,
    cluster_size: float = 1,
    icc: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
    undefined: Undefined = "exclude",
    random_state: Any = 0,
) -> int | Range:
    """Return how many samples a model needs to clear its bar surely, or to differ surely from another one.

    Parameters
    ----------
    measure : str or Measure
        A measure that rises with true and falls with false positives.
    prevalence : float
        The share of positive samples; their number is rounded, to one at least and all but one at most.
    sensitivity, specificity, score, agreement, cluster_size, icc, alpha, undefined, random_state
        As for `power`.
    versus : mapping
        ``"sensitivity"`` and ``"specificity"`` of another model on the same samples, from which the first
        shall be told. Of another group, as large as the first, also its share of positive samples as
        ``"prevalence"``.
    power : float
        The probability with which it shall clear, or differ, surely.

    Returns
    -------
    int or Range
        Power is saw-toothed: this number suffices, and so does every larger one that was tried, up to 1.4
        times the number that seemed to be needed. Up to 500 samples the last are tried one by one; beyond,
        and of differences, where power is simulated, it is found to two per cent. In clusters whole ones are
        counted; of two groups the samples of each. The least and the largest number over all rates that have
        the score; or over all ways to agree.

    Raises
    ------
    ValueError
        If an argument is not what it should be, or such a model does not clear the bar, or differ, however
        many samples there are.

    See Also
    --------
    power : Its probability with given class sizes.
    least_difference : The least difference that a test set can show.
    Baseline.clearing_score : The least score that is surely above the bar.

    Examples
    --------
    >>> import clearbar as cb
    >>> cb.samples_needed("mcc", prevalence=0.5, sensitivity=0.8, specificity=0.9)
    15
    >>> cb.samples_needed("mcc", prevalence=0.5, score=0.7)
    Range(low=14, high=18)
    """
    wanted = _checked_power(power)
    share = _checked_prevalence("prevalence", prevalence)
    plan = checked_plan(
        measure, rates={"sensitivity": sensitivity, "specificity": specificity}, score=score, versus=versus,
        agreement=agreement, group="prevalence", cluster_size=cluster_size, icc=icc, alpha=alpha,
        undefined=undefined, random_state=random_state,
    )  # fmt: skip
    independent = replace(plan, effect=1.0)  # clusters are counted at the end

    def needed(trial_of: Callable[[int], Plannable], guess: int) -> int:
        steps = numbers_tried(trial_of, guess, wanted, plan.seed)
        enough = [*tracked(steps, TRIES, lambda _: 1, "numbers of samples")][-1]
        return math.ceil(math.ceil(enough * plan.effect / cluster_size - 1e-9) * cluster_size - 1e-9)

    if plan.other is not None:
        other_share = None if plan.group is None else _checked_prevalence("versus['prevalence']", plan.group)
        numbers = _to_tell_apart(independent, share, other_share, wanted, needed)
        return numbers[0] if len(numbers) == 1 else Range(min(numbers), max(numbers))

    def trial_at(rates: Rates) -> Callable[[int], Trial]:
        return lambda samples: independent.alone(class_sizes(samples, share), rates)

    if plan.rates is not None:
        refuse_hopeless(trial_at(plan.rates)(LIMIT))
        return needed(trial_at(plan.rates), guessed(trial_at(plan.rates), wanted))
    rates_at = plan.of_score(class_sizes(LIMIT, share))
    refuse_hopeless(trial_at(rates_at(0.5))(LIMIT))

    def enough_at(place: float) -> int:
        trial_of = trial_at(rates_at(place))
        return needed(trial_of, guessed(trial_of, wanted))

    middle = math.ceil(enough_at(0.5) / plan.effect)
    ends = _extreme_places(lambda place: trial_at(rates_at(place))(middle).power(plan.seed))
    numbers = [enough_at(end) for end in ends]
    return Range(min(numbers), max(numbers))


def _to_tell_apart(
    plan: Plan,
    share: float,
    other_share: float | None,
    wanted: float,
    needed: Callable[[Callable[[int], Plannable], int], int],
) -> list[int]:
    """Return the samples needed to tell two models apart, for each way to agree."""
    from scipy.special import ndtri

    def others(samples: int) -> Population | None:
        return None if other_share is None else class_sizes(samples, other_share)

    plan.refuse_alike(class_sizes(LIMIT, share), others(LIMIT))
    numbers, z_wanted = [], max(float(ndtri(wanted) - ndtri(plan.alpha / 2)), 0.5)
    for rates in plan.together():

        def trial_of(samples: int, rates: HypotheticalRates = rates) -> DifferenceTrial:
            return plan.apart(class_sizes(samples, share), others(samples), rates)

        many = 10**6
        z = abs(trial_of(many).z) / math.sqrt(many)
        numbers.append(needed(trial_of, max(4, refused_above(math.ceil((z_wanted / z) ** 2)))))
    return numbers


def _checked_power(power: Any) -> float:
    wanted = number_or_nan(power)
    if not 0 < wanted < 1:
        raise ValueError(f"power must be a probability between 0 and 1; found {shown(power)}.")
    return wanted


def _checked_prevalence(name: str, prevalence: Any) -> float:
    share = checked_rates(**{name: prevalence})[0]
    if not 0 < share < 1:
        raise ValueError(f"{name} must lie between 0 and 1, without either; found {shown(prevalence)}.")
    return share


def class_sizes(samples: int, prevalence: float) -> Population:
    """Return so many samples with about this share of positive ones: one at least, all but one at most."""
    return Population(samples, min(max(math.floor(samples * prevalence + 0.5), 1), samples - 1))


def least_difference(
    y_true: Any,
    measure: str | Measure,
    *,
    sensitivity: float,
    specificity: float,
    population: Any = None,
    agreement: float | tuple[float, float] | None = None,
    cluster_size: float = 1,
    icc: float = 0.0,
    power: float = 0.8,
    alpha: float = 0.05,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    random_state: Any = 0,
) -> float | Range:
    """Return the least difference of scores that a test set can show between two models, or groups.

    The other model is supposed to have both rates lower by the same amount.

    Parameters
    ----------
    y_true : array_like of shape (M,), or Population
        True labels of the test set; only their numbers matter.
    measure : str or Measure
        A measure that rises with true and falls with false positives.
    sensitivity, specificity : float
        The shares of positive and of negative samples that the better model is supposed to get right.
    population : array_like or Population, optional
        Labels of another group of samples, if the difference is one of groups.
    agreement : float or (float, float)
        On which share of positives and of negatives both models answer alike, or as near to it as their rates
        allow.
    cluster_size, icc, power, alpha, undefined, random_state
        As for `samples_needed`.
    pos_label : object, optional
        The label of the positive class.

    Returns
    -------
    float or Range
        The difference of the true scores, above 0. Without `agreement` the least and the largest over all
        ways to agree.

    Raises
    ------
    ValueError
        If an argument is not what it should be, or no difference of this kind is shown.

    Examples
    --------
    >>> import clearbar as cb
    >>> facts = {"sensitivity": 0.9, "specificity": 0.9, "agreement": 0.9}
    >>> round(cb.least_difference(cb.Population(1000, 400), "accuracy", **facts), 2)
    0.03
    """
    wanted, labels = _checked_power(power), _one(y_true, pos_label)
    other = None if population is None else _one(population, pos_label)
    if agreement is not None and other is not None:
        raise ValueError("agreement is that of two models on the same samples: leave population out.")
    plan = checked_plan(
        measure, rates={"sensitivity": sensitivity, "specificity": specificity}, score=None,
        versus={"sensitivity": sensitivity, "specificity": specificity, "population": other},
        agreement=None, group="population", cluster_size=cluster_size, icc=icc, alpha=alpha,
        undefined=undefined, random_state=random_state,
    )  # fmt: skip
    plan.refuse_few_clusters(labels)
    first = plan.rates or (0.0, 0.0)
    given = agreement if isinstance(agreement, (tuple, list)) else (agreement, agreement)
    shares = None if agreement is None else checked_rates(positives=given[0], negatives=given[1])

    def trial_of(lower: float, way: int) -> DifferenceTrial:
        second = first[0] - lower, first[1] + lower
        agree = None
        if shares is not None:  # as near as the rates allow
            near = [
                min(max(share, abs(a + b - 1)), 1 - abs(a - b))
                for share, a, b in zip(shares, first, second, strict=True)
            ]
            agree = near[0], near[1]
        return plan.apart(labels, other, replace(plan, other=second, agreement=agree).together()[way])

    differences = []
    for way in range(1 if other is not None or shares is not None else 2):
        low, high = 0.0, min(first[0], 1 - first[1])
        if trial_of(high, way).power(plan.seed) < wanted:
            raise ValueError(f"no difference of {plan.measure.label} is shown with a power of {wanted:g}.")
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            enough = trial_of(middle, way).power(plan.seed) >= wanted
            low, high = (low, middle) if enough else (middle, high)
        differences.append(abs(trial_of(high, way).difference))
    return differences[0] if len(differences) == 1 else Range(min(differences), max(differences))
