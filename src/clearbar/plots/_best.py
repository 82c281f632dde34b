"""The best of many thresholds, and what picking it on the same labels costs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.evaluation import evaluate_scores
from clearbar.formatting import TELLS, number, p_phrase
from clearbar.null import reach_probability
from clearbar.plots._blind import fill_of
from clearbar.problems.binary import Baseline
from clearbar.problems.scores import best_threshold

EACH = 20_000
"""Thresholds up to which the chance of each is computed and added up."""

EXACT = 1_000
"""Samples up to which the law of the best threshold of a random ranking is computed."""

LEVEL = 0.05
"""The best threshold clears the bar where random rankings seldom have one as good."""


@dataclass(frozen=True)
class Best:
    """The best threshold, and what picking it on the same labels costs."""

    threshold: float
    score: float  # there
    predicted_positives: int  # how many samples have at least that score
    tries: int  # how many thresholds there were to pick from
    p_alone: float  # probability that random answers with as many predicted positive do this well
    p_picked: float  # probability that the best threshold of a random ranking with the same ties does
    exact: bool = False  # whether it is that probability; otherwise it is an upper bound
    expected: float = math.nan  # of a random ranking at its best threshold; nan where it is not computed


def best_of(bar: Baseline, thresholds: FloatArray, predicted: IntArray, scores: FloatArray) -> Best | None:
    """Find the best threshold, and bound the probability that a random ranking has one as good.

    None where neither end is better, or no threshold has a score.
    """
    if bar.measure.greater_is_better is None or np.isnan(scores).all():
        return None
    sign = 1.0 if bar.measure.greater_is_better else -1.0
    at = int(np.nanargmax(sign * scores))
    total, positives = int(bar.population.total), int(bar.population.positives)
    score, tries = float(scores[at]), len(scores)
    fill = fill_of(bar)
    if tries <= EACH:
        tails = reach_probability(bar.measure, total, positives, predicted, score, fill=fill)
        alone, picked = float(tails[at]), min(float(tails.sum()), 1.0)
    else:
        alone = float(reach_probability(bar.measure, total, positives, int(predicted[at]), score, fill=fill))
        ordered = bar.measure.better_with_tp and bar.measure.worse_with_fp
        picked = math.nan
        if ordered:
            picked = min(tries * float(bar.reach(score).upper), 1.0)
    return Best(float(thresholds[at]), score, int(predicted[at]), tries, alone, picked)


def exactly(best: Best, y_true: Any, y_score: Any, measure: Measure, pos_label: Any) -> Best:
    """Let the law of the best threshold of a random ranking take the place of the bound."""
    row = evaluate_scores(y_true, y_score, best_threshold(measure), pos_label=pos_label)[0]
    if math.isnan(row.p_value_blind):
        return best
    return replace(best, p_picked=row.p_value_blind, exact=True, expected=float(row.baseline.value))


def standing_of_best(best: Best | None, bar: Baseline) -> str:
    """Return how the best threshold stands to the bar, given that it was picked on the same labels."""
    value = float(bar.value)
    if best is None or math.isnan(value):
        return "undefined"
    distance = best.score - value if bar.measure.greater_is_better else value - best.score
    room = abs(float(bar.best_possible) - value)
    if room <= 1e-12 * abs(value):
        return "unbeatable"
    if abs(distance) <= 1e-12 * room:
        return "ties"
    if distance < 0:
        return "fails"
    return "clears" if best.p_picked <= LEVEL else "doubt"


def cost_of(best: Best, label: str, total: int) -> str:
    """Say what picking the best threshold on the same labels costs."""
    sentence = (
        f"Best of {best.tries:,} thresholds: {label} {number(best.score, total)} with "
        f"{best.predicted_positives:,} predicted positive, "
        f"{p_phrase(best.p_alone, floor=TELLS)} had it been the only one tried."
    )
    chance = p_phrase(best.p_picked, floor=TELLS)
    if math.isnan(best.p_picked):
        cost = "how likely a random ranking's best threshold does as well is not known at this size"
    elif best.p_picked >= 1.0:
        cost = "a random ranking's best threshold may well be as good"
    else:
        chance = chance if best.exact else chance.replace("p =", "p at most")
        cost = f"a random ranking's best threshold does as well with {chance}"
    if not math.isnan(best.expected):
        cost = f"{cost} and averages {number(best.expected, total)}"
    return f"{sentence} Picked on these labels it is one try of many: {cost}. Pick thresholds on other data."
