"""Judging one published number against a bar, from class sizes alone."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearbar._numbers import number_or_nan
from clearbar.baseline import Baseline, baseline, fill_value, is_below
from clearbar.errors import shown
from clearbar.measures import Measure
from clearbar.verdict._attainable import least_clearing
from clearbar.verdict._judge import OUTCOMES, p_value_in_words
from clearbar.verdict._skill import standing
from clearbar.verdict._verdict import Verdict


def _score(score: Any, measure: Measure) -> float:
    found = number_or_nan(score)
    if not math.isfinite(found):
        msg = f"score must be a finite number; found {shown(score)}."
        raise ValueError(msg)
    low, high = measure.bounds
    slack = 1e-12 * max(1.0, abs(found))
    if not low - slack <= found <= high + slack:
        hint = f" Did you mean {found / 100:g}?" if low <= found / 100 <= high else ""
        msg = f"score must lie between {low:g} and {high:g} for {measure.label}; found {found:g}.{hint}"
        raise ValueError(msg)
    return found


def judge(bar: Any, score: float) -> Verdict:
    """Judge a bare score: is F1 = 0.72 good?

    Parameters
    ----------
    bar : Baseline
        The bar of one population.
    score : float
        A score of the baseline's measure on that population.

    Returns
    -------
    Verdict
        Without counts and without a matched p-value: a number does not say how many samples were
        predicted positive.

    Raises
    ------
    ValueError
        If `score` is not a finite number within the measure's bounds, or the baseline holds several
        populations.

    Examples
    --------
    >>> import clearbar as cb
    >>> cb.baseline(cb.Population(31, 18), "f1").judge(0.72).outcome
    'fails'
    """
    score = _score(score, bar.measure)
    tail = bar.reach(score)
    worst = float(bar.worst_value)
    skill, code = standing(
        bar.measure, score, bar.value, bar.best_possible, worst, total=bar.population.total
    )
    outcome = OUTCOMES[int(code)]
    return Verdict(
        model="score",
        group=None,
        measure=bar.measure,
        counts=None,
        score=score,
        baseline=bar,
        best_possible=float(bar.best_possible),
        worst_draw=worst,
        skill=float(skill),
        p_value=math.nan,
        p_value_blind=tail.upper,
        p_corrected=tail.upper if outcome == "clears" else 1.0,
        sure=outcome == "clears" and tail.upper <= 0.05,
        outcome=outcome,
        reason=str(bar.reason) if outcome == "undefined" else p_value_in_words("p_value_blind", tail),
    )


def p_value(
    score: float,
    y_true: Any,
    measure: str | Measure,
    *,
    tries: Any = 1,
    pos_label: Any = None,
    undefined: Any = "exclude",
) -> float:
    """Return how likely a feature-blind classifier does at least this well, at the most.

    Parameters
    ----------
    score : float
        The score to reach.
    y_true : array_like of shape (M,), or Population
        True labels; only their numbers matter.
    measure : str or Measure
        What is evaluated.
    tries : int
        How many models, thresholds or seeds the score is the best of; the p-value is multiplied by
        it (Bonferroni), however the tries depend on each other.
    pos_label : object, optional
        The label of the positive class.
    undefined : {"exclude", "worst"} or float
        The policy for outcomes without a value.

    Returns
    -------
    float
        The largest probability over all draws (theorem T4); where there are too many to try, a
        certified upper bound. nan where neither end of the measure is better. As in
        `NullDistribution.tail`, an x/0 outcome on the better side counts as reaching the score, which
        can only make the p-value larger.

    Raises
    ------
    ValueError
        If an argument is not what it should be.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.p_value(28 / 35, cb.Population(31, 18), "f1"), 5)
    0.02272
    """
    if isinstance(tries, bool) or not isinstance(tries, (int, np.integer)) or tries < 1:
        msg = f"tries must be a whole number from 1 up; found {tries!r}."
        raise ValueError(msg)
    bar: Any = baseline(y_true, measure, pos_label=pos_label, undefined=undefined)
    if isinstance(bar, Baseline):
        bar._one("p_value()")  # noqa: SLF001
    return float(min(bar.reach(_score(score, bar.measure)).upper * int(tries), 1.0))


def checked_alpha(alpha: Any) -> float:
    """Return a level, or say what one is.

    Parameters
    ----------
    alpha : float
        How unlikely the score must be by chance.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If it is not a number in (0, 1].
    """
    level = number_or_nan(alpha)
    if not 0 < level <= 1:
        msg = f"alpha must be a probability greater than 0 and at most 1; found {shown(alpha)}."
        raise ValueError(msg)
    return level


def clearing_score(bar: Baseline, alpha: Any = 0.05) -> float:
    """Return the least attainable score above what chance can reach.

    Parameters
    ----------
    bar : Baseline
        The bar of one population.
    alpha : float
        How likely a feature-blind classifier may do as well, in (0, 1].

    Returns
    -------
    float
        The worst score that some table of this population has and whose p-value is below `alpha`;
        nan if there is none, or the measure has no better end.

    Raises
    ------
    ValueError
        If `alpha` is not in (0, 1], or the population is too large to list attainable scores.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.baseline(cb.Population(31, 18), "f1").clearing_score(), 4)
    0.7879
    """
    bar._one("clearing_score()")  # noqa: SLF001
    alpha = checked_alpha(alpha)
    if bar.measure.greater_is_better is None:
        return math.nan
    total, positives = int(bar.population.total), int(bar.population.positives)
    fill = fill_value(bar.measure, total, bar.undefined, largest=bar.measure.greater_is_better)

    def sure(score: float) -> bool:
        return is_below(bar.measure, total, positives, score, alpha, fill=fill)

    return least_clearing(bar.measure, bar.population, sure)
