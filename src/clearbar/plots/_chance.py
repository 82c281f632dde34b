"""What blind predictions score: bands of quantiles, and how far chance can reach."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure, fill_value
from clearbar.core._typing import FloatArray, IntArray
from clearbar.evaluation.scores import evaluate_scores
from clearbar.formatting import TELLS, number, p_phrase, p_value_text
from clearbar.null import Draw, NullDistribution, exceedance_probability
from clearbar.null.hypergeometric import quantile, support
from clearbar.problems.binary import Baseline
from clearbar.problems.scores import best_threshold
from clearbar.verdict import chance_limit as exact_limit

BAND = (0.05, 0.95)
"""Quantiles between which ninety of a hundred draws lie."""

FEW = 60
"""Samples up to which each possible share is marked by a dot."""

ALL_COUNTS = 200
"""Samples up to which a band has a point for every number predicted positive."""

EXACT = 2_000
"""Samples up to which the limit of chance is found exactly, from all k."""

SCORED = 300
"""Samples up to which it is found for measures of scores, by asking for their p-values."""

SUMMED = 20_000
"""Thresholds up to which the chance of each is computed and added up."""

LEVEL = 0.05
"""The best threshold clears the bar where random rankings seldom have one as good."""

BISECTIONS = 14
"""How often the way is halved then: to the width of a line in a figure."""


def k_grid(total: int, points: int = 101) -> IntArray:
    if total <= ALL_COUNTS:
        return np.arange(total + 1)
    return np.unique(np.rint(np.linspace(0, total, points)).astype(np.int64))


def fill_of(bar: Baseline) -> float:
    """Return what an outcome without a value counts as under the bar's policy; nan where it is left out."""
    return float(fill_value(bar.measure, int(bar.population.total), bar.undefined))


def quantiles(null: NullDistribution, levels: tuple[float, ...], fill: float) -> FloatArray:
    """Return quantiles of a score, its outcomes without a value counted as `fill`, or left out.

    The mixture has an atom of the undefined mass u at `fill`: below it, its q-quantile is that of the defined
    scores at q / (1 - u); above it, at (q - u) / (1 - u).
    """
    undefined = null.undefined_mass
    q = np.array(levels)
    if not undefined or math.isnan(fill):
        return np.asarray(null.ppf(q), dtype=np.float64)
    if undefined >= 1.0:
        return np.full(len(levels), fill)
    below = np.asarray(null.ppf(np.minimum(q / (1.0 - undefined), 1.0)))
    below = np.where(q <= 1.0 - undefined, below, np.inf)
    above = np.asarray(null.ppf(np.clip((q - undefined) / (1.0 - undefined), 0.0, 1.0)))
    return np.where(below <= fill, below, np.where((q > undefined) & (above >= fill), above, fill))


def quantiles_by_k(bar: Baseline, k: IntArray, levels: tuple[float, ...]) -> FloatArray:
    """Return the quantiles of the score at each number predicted positive: an array of shape (levels, k).

    A measure that rises with TP at every k has the score at the quantile of TP, all k at once, wherever it
    has a value; the other k are looked at one by one.
    """
    measure, total, positives = bar.measure, int(bar.population.total), int(bar.population.positives)

    def score(tp: IntArray) -> FloatArray:
        with np.errstate(all="ignore"):
            scores = measure(tp=tp, fp=k - tp, fn=positives - tp, tn=total - positives - k + tp)
        return np.asarray(scores, dtype=np.float64)

    limits = np.full((len(levels), len(k)), math.nan)
    rises = total > ALL_COUNTS and measure.better_with_tp and measure.worse_with_fp
    done = rises & np.isfinite([score(end) for end in support(total, positives, k)]).all(axis=0)
    if done.any():
        loss = measure.greater_is_better is False
        limits[:] = [score(quantile(level, total, positives, k, upper=loss)) for level in levels]
    fill = fill_of(bar)
    for index in np.flatnonzero(~done).tolist():
        null = NullDistribution(measure, Draw(bar.population, int(k[index])))
        limits[:, index] = quantiles(null, levels, fill)
    return limits


def chance_limit(bar: Any, alpha: float) -> float:
    """Return the score beyond which no blind prediction gets with a probability of alpha.

    Up to 2,000 samples the least such score; beyond, the best quantile among draws of about fifty
    sizes. Infinite where every score can be reached, nan where it is not known.
    """
    if np.isnan(float(bar.value)):
        return math.nan
    if not (isinstance(bar, Baseline) and isinstance(bar.measure, Measure)):
        return _bisected_limit(bar, alpha)
    better = 1.0 if bar.measure.greater_is_better else -1.0
    if int(bar.population.total) <= EXACT:
        limit = exact_limit(bar, alpha)
        return better * math.inf if math.isnan(limit) else limit
    (ends,) = quantiles_by_k(bar, searched_k(bar), (1.0 - alpha if better > 0 else alpha,))
    return float(better * np.nanmax(better * ends))


def clears_within(limit: float, scores: Any, outcomes: Any, *, loss: bool) -> bool:
    """Whether a score clears though blind predictions with another number of positives get as far."""
    sign = -1.0 if loss else 1.0
    return bool(((np.asarray(outcomes) == "clears") & (sign * np.asarray(scores) < sign * limit)).any())


def searched_k(bar: Baseline) -> IntArray:
    """Return about fifty k: evenly spread, closer together at both ends, and those of the bar."""
    total = int(bar.population.total)
    near_ends = np.append(np.arange(1, 4), np.rint(np.geomspace(1, total, 16)).astype(np.int64))
    optimal = [end for ks in bar.predicted_positives for end in (ks.start, ks.stop - 1)]
    return np.unique(
        np.concatenate((near_ends, total - near_ends, k_grid(total, 21), np.array(optimal, np.int64)))
    )


def _bisected_limit(bar: Any, alpha: float) -> float:
    """Bisect between the bar and the best possible score by the p-values of scores."""
    if not hasattr(bar, "judge") or int(bar.population.total) > SCORED:
        return math.nan
    likely, unlikely = float(bar.value), float(bar.best_possible)
    p_value = bar.judge(unlikely).p_value_blind if math.isfinite(unlikely) else math.nan
    if p_value >= alpha:
        return math.inf if unlikely >= likely else -math.inf
    for _ in range(BISECTIONS):
        if math.isnan(p_value):
            return math.nan
        middle = (likely + unlikely) / 2
        p_value = bar.judge(middle).p_value_blind
        likely, unlikely = (middle, unlikely) if p_value >= alpha else (likely, middle)
    return math.nan if math.isnan(p_value) else unlikely


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

    @classmethod
    def of(
        cls, bar: Baseline, thresholds: FloatArray, predicted: IntArray, scores: FloatArray
    ) -> Best | None:
        """Find the best threshold, and bound the probability that a random ranking has one as good.

        By Boole's inequality: the sum of the probabilities at each threshold, or of many thresholds their
        number times the largest such probability of any draw. None where neither end is better, or no
        threshold has a score.
        """
        measure = bar.measure
        if measure.greater_is_better is None or np.isnan(scores).all():
            return None
        best = int(np.nanargmax(scores if measure.greater_is_better else -scores))
        margins = int(bar.population.total), int(bar.population.positives)
        score, tries, fill = float(scores[best]), len(scores), fill_of(bar)
        added = predicted if tries <= SUMMED else predicted[best : best + 1]
        tails = exceedance_probability(measure, *margins, added, score, fill=fill)
        alone, picked = float(tails[best if tries <= SUMMED else 0]), float(tails.sum())
        if tries > SUMMED:
            rises = measure.better_with_tp and measure.worse_with_fp
            picked = tries * float(bar.reach(score).upper) if rises else math.nan
        k = int(predicted[best])
        return cls(float(thresholds[best]), score, k, tries, alone, float(np.minimum(picked, 1.0)))

    def made_exact(self, y_true: Any, y_score: Any, measure: Measure, pos_label: Any) -> Best:
        """Replace the bound by the distribution of the best threshold of a random ranking."""
        row = evaluate_scores(y_true, y_score, best_threshold(measure), pos_label=pos_label)[0]
        if math.isnan(row.p_value_blind):
            return self
        return replace(self, p_picked=row.p_value_blind, exact=True, expected=float(row.baseline.value))

    def outcome(self, bar: Baseline) -> str:
        """Return how it stands to the bar, given that it was picked on the same labels."""
        value = float(bar.value)
        if math.isnan(value):
            return "undefined"
        distance = self.score - value if bar.measure.greater_is_better else value - self.score
        room = abs(float(bar.best_possible) - value)
        if room <= 1e-12 * abs(value):
            return "unbeatable"
        if abs(distance) <= 1e-12 * room:
            return "ties"
        if distance < 0:
            return "fails"
        if math.isnan(self.p_picked):
            return "unknown"
        return "clears" if self.p_picked <= LEVEL else "doubt"

    def cost(self, label: str, total: int, positive: str) -> str:
        """Say what picking the best threshold on the same labels costs."""
        if math.isnan(self.p_picked):
            cost = "how likely a random ranking's best threshold does as well is not known at this size"
        elif self.p_picked >= 1.0:
            cost = "a random ranking's best threshold may well be as good"
        else:
            bounded = not self.exact and self.p_picked >= TELLS
            chance = p_phrase(self.p_picked, floor=TELLS)
            chance = f"p at most {p_value_text(self.p_picked, floor=TELLS)}" if bounded else chance
            cost = f"the best threshold of a random ranking scores as well with {chance}"
        if not math.isnan(self.expected):
            cost = f"{cost}; its mean is {number(self.expected, total)}"
        return (
            f"Best of {self.tries:,} thresholds: {label} {number(self.score, total)} with "
            f"{self.predicted_positives:,} predicted {positive}, {p_phrase(self.p_alone, floor=TELLS)} if "
            f"it were the only one tried. But it was chosen on these labels: {cost}. Choose thresholds on "
            "other data."
        )
