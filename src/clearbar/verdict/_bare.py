"""Judging one published number against a bar, from class sizes alone."""

from __future__ import annotations

import bisect
import math
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, fill_value
from clearbar.core._typing import FloatArray
from clearbar.core._value import Printed, number_or_nan, whole_number
from clearbar.core.counts import Population
from clearbar.core.errors import UndefinedMeasureWarning, shown
from clearbar.core.reasons import worded
from clearbar.formatting import plural
from clearbar.null import attains, laid_out
from clearbar.problems.binary import Baseline, baseline, checked_tries, universal_p_value
from clearbar.problems.binary._bare import most_fp
from clearbar.verdict._judge import OUTCOMES, p_value_in_words, resolved_alpha
from clearbar.verdict._skill import standing
from clearbar.verdict._verdict import Verdict

# Tables of a population, and between two scores, up to which their scores are listed.
MOST_LISTED, FEW_LISTED = 2**22, 2**18

STEPS = 12  # halvings of the way between two scores after which the tables between are counted

# Positives up to which the score of each TP that is nearest to another one is looked up.
MOST_POSITIVES = 2**20


def judge_score(bar: Any, score: Any, *, decimals: int | None = None, tries: int = 1) -> Verdict:
    """Judge a bare score: is F1 = 0.72 good?

    What a number does not tell, its confusion matrix, is taken at its worst: the p-value is the largest of
    any table with this score. If none has it to the last digit, scores further from the bar count instead: a
    printed score is given as text. `evaluate_counts` tells more.

    Parameters
    ----------
    bar : Baseline
        The bar of one population.
    score : float or str
        A score of the baseline's measure on that population. As text, such as ``"0.735"`` or ``"73.5 %"``,
        it stands for all scores that are printed so.
    decimals : int, optional
        To how many decimals a number was rounded.
    tries : int
        The score is the best of so many models that were fixed before any score was seen: what decides,
        `p_corrected`, is multiplied by it (Bonferroni).

    Returns
    -------
    Verdict
        Without counts. A rounded score takes the worse of its ends; where these differ in outcome it cannot
        be judged, and the reason says so.

    Raises
    ------
    ValueError
        If `score` is not a finite number within the measure's bounds, has more decimals than given, or the
        baseline holds several populations.

    Examples
    --------
    >>> import clearbar as cb
    >>> cb.baseline(cb.Population(31, 18), "f1").judge(0.72).outcome
    'fails'
    """
    several = checked_tries(tries)
    number, places = _printed(score, decimals)
    value = _score(number, bar.measure)
    as_given = _judged(bar, value, several)
    if places is None:
        return as_given
    low, high = bar.measure.bounds
    half = 0.5 * 10.0**-places
    least, most = max(value - half, low), min(value + half, high)
    far, near = sorted((least, most), key=lambda end: abs(end - float(bar.value)), reverse=True)
    ends = [_judged(bar, end, several) for end in (least, most)]
    if ends[0].outcome == ends[1].outcome:
        return replace(_judged(bar, near, several, far), score=value, skill=as_given.skill)
    between = f"from {least:g} to {most:g} it {' and '.join(end.outcome for end in ends)}"
    reason = f"too close to tell from {plural(places, 'decimal')}: {between}"
    unknown: Any = dict.fromkeys(("skill", "p_value", "p_value_blind", "p_sure"), math.nan)
    unknown |= {"p_method": "", "p_blind_method": ""}
    return replace(as_given, outcome="undefined", p_corrected=1.0, reason=reason, **unknown)


def _printed(score: Any, decimals: Any) -> tuple[Any, int | None]:
    """Return a score as a number, and to how many decimals it was rounded; None where it was not."""
    if decimals is not None:
        decimals = whole_number("decimals", decimals)
    if not isinstance(score, str):
        if decimals is not None and abs(number_or_nan(score) - round(number_or_nan(score), decimals)) > 1e-12:
            raise ValueError(f"score {score!r} has more decimals than the {decimals} given.")
        return score, decimals
    printed = Printed.read("score", score)
    places = printed.decimals
    if decimals is not None and decimals != places:
        raise ValueError(f"score {score!r} has {plural(places, 'decimal')}, not the {decimals} given.")
    # nobody rounds a score to no decimals: a whole number is as it is
    return float(printed.value), places or None


def _score(score: Any, measure: Measure) -> float:
    number = number_or_nan(score)
    if not math.isfinite(number):
        raise ValueError(f"score must be a finite number; found {shown(score)}.")
    low, high = measure.bounds
    tolerance = 1e-12 * max(1.0, abs(number))
    if not low - tolerance <= number <= high + tolerance:
        hint = f" Did you mean {number / 100:g}?" if low <= number / 100 <= high else ""
        raise ValueError(
            f"score must lie between {low:g} and {high:g} for {measure.label}; found {number:g}.{hint}"
        )
    return number


def _judged(bar: Any, score: float, tries: int, far: float | None = None) -> Verdict:
    """Judge a score, or one that may be further from the bar, up to `far`."""
    blind, unlike = bar.reach(score), bar.bare(score, far)
    worst = float(bar.worst_value)
    skill, code = standing(
        bar.measure, score, bar.value, bar.best_possible, worst, total=bar.population.total
    )
    outcome = OUTCOMES[int(code)]
    # A bar of several tries is already raised for them; how likely blind ones reach the score is not.
    times = max(tries, getattr(bar, "tries", 1))
    both = min(float(np.maximum(tries * unlike.upper, times * blind.upper)), 1.0)
    clears = outcome == "clears" and not math.isnan(both)
    p_values = {"p_value": unlike.upper, "p_value_blind": blind.upper, "p_sure": both}
    words = (p_value_in_words("p_value", unlike), p_value_in_words("p_value_blind", blind))
    reason = "; ".join(filter(None, words))
    tails = (("p_method", unlike), ("p_blind_method", blind))
    p_methods: Any = {name: "unknown" if math.isnan(tail.upper) else tail.method for name, tail in tails}
    if outcome == "undefined":
        p_values, reason, p_methods = dict.fromkeys(p_values, math.nan), worded(bar.reason), {}
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
        p_corrected=both if clears else 1.0,
        outcome=outcome,
        reason=reason,
        **p_methods,
        **p_values,
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
    """Return the two-sided p-value of a bare score: small far above its bar and far below it.

    It is the largest p-value of "the model's true score is the bar" that any confusion matrix with this
    score has; if none has it, with a score further from the bar. On which side the score lies
    ``baseline(...).judge(score).outcome`` says. A measure of scores tells nothing of its spread without them:
    there it is nan, and ``baseline(...).judge(score).p_value_blind`` the largest probability with which
    scores that ignore the features do at least this well.

    Parameters
    ----------
    score : float
        The score to reach.
    y_true : array_like of shape (M,), or Population
        True labels; only their numbers matter.
    measure : str or Measure
        The measure.
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
        nan, with an `UndefinedMeasureWarning` that says why, where neither end of the measure is better, it
        is not ordered in TP and FP, or it is not known without the predictions.

    Raises
    ------
    ValueError
        If an argument is not what it should be.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.p_value(28 / 35, cb.Population(31, 18), "f1"), 3)
    0.671
    >>> bar = cb.baseline(cb.Population(60, 31), "f1")
    >>> p = cb.p_value(0.2, cb.Population(60, 31), "f1")  # surely below
    >>> p < 0.001, bar.judge(0.2).outcome
    (True, 'fails')
    """
    several = checked_tries(tries)
    bar: Any = baseline(y_true, measure, pos_label=pos_label, undefined=undefined)
    if isinstance(bar, Baseline):
        bar._one("p_value()")  # noqa: SLF001
    value = _score(score, bar.measure)
    tail = bar.bare(value)
    if math.isnan(tail.upper):
        why = p_value_in_words("p_value", tail) or bar.reason or "p_value is not known without the scores"
        warnings.warn(f"{why}. It is nan.", UndefinedMeasureWarning, stacklevel=2)
    return float(min(tail.upper * several, 1.0))


def clearing_score(bar: Baseline, alpha: Any = 0.05, *, tries: int = 1) -> float:
    """Return the score from which on every table is surely above the bar.

    Parameters
    ----------
    bar : Baseline
        The bar of one population.
    alpha : float
        The level, at most 1; for each try at least 2e-6, below which no p-value is resolved.
    tries : int
        The score is to be the best of so many models that were fixed before any score was seen.

    Returns
    -------
    float
        The worst score that some table of this population has and from which on both p-values of every table
        are at most `alpha`; nan if there is none, the measure has no better end, or it is not ordered in TP
        and FP.

    Raises
    ------
    ValueError
        If `alpha` is above 1 or too small to be resolved, or the population is too large to list attainable
        scores.

    Examples
    --------
    >>> import clearbar as cb
    >>> round(cb.baseline(cb.Population(31, 18), "f1").clearing_score(), 4)
    0.8947
    """
    bar._one("clearing_score()")  # noqa: SLF001
    alpha = resolved_alpha(alpha, checked_tries(tries))
    if bar.measure.greater_is_better is None:
        return math.nan
    sign = 1.0 if bar.measure.greater_is_better else -1.0
    best = sign * math.inf
    beyond_chance = _beyond_chance(bar, alpha)

    def sure(score: float) -> bool:
        # The table nearest to the bar decides nearly always.
        above = sign * score > sign * float(bar.value)
        return above and bool(bar.bare(score, best, tested=1).upper <= alpha) and beyond_chance(score)

    def sure_of_all(score: float) -> bool:
        return sure(score) and bool(bar.bare(score, best).upper <= alpha)

    least = least_clearing(bar.measure, bar.population, sure)
    if math.isnan(least) or sure_of_all(least):
        return least
    return least_clearing(bar.measure, bar.population, sure_of_all)


def chance_limit(bar: Baseline, alpha: float) -> float:
    """Return the least attainable score that no draw reaches with a probability of alpha; nan if none is."""
    return least_clearing(bar.measure, bar.population, _beyond_chance(bar, alpha))


def _beyond_chance(bar: Baseline, alpha: float) -> Callable[[float], bool]:
    """Return what tells whether no draw reaches a score with a probability of alpha."""
    total, positives = int(bar.population.total), int(bar.population.positives)
    fill = fill_value(bar.measure, total, bar.undefined)

    def beyond_chance(score: float) -> bool:
        likely = universal_p_value(bar.measure, total, positives, score, fill=fill, alpha=alpha)
        return bool(likely.upper < alpha)

    return beyond_chance


def least_clearing(measure: Measure, population: Population, sure: Callable[[float], bool]) -> float:
    """Return the worst attainable score that is sure; nan if none is."""
    total, positives = int(population.total), int(population.positives)
    negatives = total - positives
    if (positives + 1) * (negatives + 1) <= MOST_LISTED:
        tp, fp = np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1))
        return _first_sure(measure, measure.values(tp, fp, positives - tp, negatives - fp), sure)
    if measure.better_with_tp and measure.worse_with_fp and positives <= MOST_POSITIVES:
        return _bisected(measure, total, positives, sure)
    raise ValueError(
        f"a population of {total:,} samples has too many attainable scores to search for {measure.name}; "
        "ask p_value(score, population, measure) for the score in question."
    )


def _first_sure(measure: Measure, values: FloatArray, sure: Callable[[float], bool]) -> float:
    """Return the worst of some scores that is sure; nan if none is."""
    distinct = np.unique(values[np.isfinite(values)])
    scores = (distinct if measure.greater_is_better else distinct[::-1]).tolist()
    first = bisect.bisect_left(scores, x=True, key=sure)
    return scores[first] if first < len(scores) else math.nan


def _bisected(measure: Measure, total: int, positives: int, sure: Callable[[float], bool]) -> float:
    """Bisect between the worst and the best score until few tables lie between."""
    # A score that no table has is as sure as the next better one that some table has. More TP never hurts,
    # and more FP never helps.
    tp, n = np.arange(positives + 1), total - positives
    few = [measure.values(tp, fp, positives - tp, n - fp) for fp in (0, min(1, n), max(n - 1, 0), n)]
    values = np.concatenate(few)
    values = values[np.isfinite(values)]
    if not values.size:
        return math.nan
    ends = float(values.min()), float(values.max())
    unsure, certain = ends if measure.greater_is_better else ends[::-1]
    if not sure(certain):
        return math.nan
    if sure(unsure):
        return unsure
    while True:
        for _ in range(STEPS):
            middle = (unsure + certain) / 2
            unsure, certain = (unsure, middle) if sure(middle) else (middle, certain)
        # The last FP of each TP that is at least as good, if there is one, and those up to the unsure score.
        first = np.maximum(most_fp(measure, total, positives, certain, tp), tp == 0)
        between = np.maximum(most_fp(measure, total, positives, unsure, tp) - first + 1, 0)
        if between.sum() <= FEW_LISTED or (unsure + certain) / 2 in {unsure, certain}:
            break
    of_tp, offset, _ = laid_out(between)
    fp = first[of_tp] + offset
    alone = measure.values(*np.array([[0], [0], [positives], [n]]))  # that table is looked at on its own
    alone = alone[attains(alone, unsure, greater_is_better=measure.greater_is_better, total=total)]
    values = measure.values(of_tp, fp, positives - of_tp, n - fp)
    return _first_sure(measure, np.concatenate((values, alone)), sure)
