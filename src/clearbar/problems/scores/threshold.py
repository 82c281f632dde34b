"""Measures at the best of all thresholds, chosen on the test labels; and the KS statistic.

Choosing the threshold is a choice among many tries, and a guess may choose as well: the bar is what
a random ranking expects at its best threshold.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import Family, Measure, get_measure
from clearbar.core.counts import Population
from clearbar.core.reasons import OfMeasure
from clearbar.problems.binary import baseline
from clearbar.problems.scores._lattice import Expectation, Values, expected_best
from clearbar.problems.scores._measure import Ranking, ScoreMeasure, at_random, both_needed, entry

CHOSEN = "The threshold is chosen on the test labels, which a guess can do too: the bar pays for it."

REFINED = "More thresholds never lower the best value, so that a random ranking without ties does best."


def _best(values: Values, ranking: Ranking) -> Any:
    with np.errstate(invalid="ignore"):
        none = values(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
        best = np.fmax.reduce(values(ranking.found, ranking.ends - ranking.found), axis=-1)
    best = np.fmax(best, none)[0] if np.ndim(best) == 0 else np.fmax(best, none)
    return np.where(np.isfinite(best), best, np.nan)


def _made(
    name: str,
    label: str,
    values_of: Any,
    needs: Any,
    question: str,
    *,
    of_two: Callable[[int, int], float] = lambda _total, _positives: math.nan,
    rising: int = 0,
    **facts: Any,
) -> ScoreMeasure:
    """Return the measure of the best value over thresholds of ``values_of(total, positives)(tp, fp)``.

    Where a constant score has no value, ``of_two(total, positives)`` is the worst expected value: that of
    two distinct scores. Of `rising` 1 values rise with a positive and fall with a negative; of 2 they are
    the better of one that does and of one that does the opposite.
    """

    @functools.lru_cache(maxsize=256)
    def expectation(total: int, positives: int) -> Expectation:
        return expected_best(values_of(total, positives), total, positives, rising)

    def perfect(total: int, positives: int) -> float:
        tp = np.append(np.arange(positives + 1), np.full(total - positives, positives))
        return float(np.nanmax(values_of(total, positives)(tp, np.arange(total + 1) - tp)))

    def worst(total: int, positives: int) -> float:
        ends = values_of(total, positives)(np.array([0, positives]), np.array([0, total - positives]))
        return float(np.nanmax(ends)) if np.isfinite(ends).any() else of_two(total, positives)

    def function(ranking: Ranking) -> Any:
        return _best(values_of(ranking.total, ranking.hits), ranking)

    return entry(
        name=name,
        label=label,
        question=question,
        expected=lambda total, positives: expectation(total, positives).value,
        error=lambda total, positives: expectation(total, positives).error,
        worst=worst,
        perfect=perfect,
        recipe=lambda total, _positives: at_random(total, " with the threshold that is best on their labels"),
        needs=needs,
        with_best_ties=function,
        claim=REFINED,
        caution=CHOSEN,
        **facts,
    )(function)


def best_threshold(measure: str | Measure) -> ScoreMeasure:
    """Return the best value of a measure of labels over all thresholds."""
    entry = get_measure(measure, "binary")
    if entry.greater_is_better is not True:
        raise ValueError(
            f"the best threshold is found for scores, where greater is better; {entry.name} is none."
        )

    def values_of(total: int, positives: int) -> Values:
        def values(tp: Any, fp: Any) -> Any:
            value = entry.values(tp, fp, positives - tp, total - positives - fp)
            return np.where(np.isfinite(value), value, np.nan)

        return values

    def needs(total: int, positives: int) -> str:
        negatives = total - positives
        tp, fp = min(positives, 1), min(negatives, 1)
        best_first = [(tp, 0), (positives, 0), (positives, fp)]
        worst_first = [(0, fp), (0, negatives), (tp, negatives)]

        def has_value(points: list[tuple[int, int]]) -> bool:
            return bool(np.isfinite(values_of(total, positives)(*np.array(points).T)).any())

        if has_value([(0, 0), (positives, negatives)]) or (has_value(best_first) and has_value(worst_first)):
            return ""
        lacking = OfMeasure(f"{entry.label} has a value at no threshold of some rankings")
        return both_needed(total, positives) or lacking

    def of_two(total: int, positives: int) -> float:
        return float(baseline(Population(total, positives), entry).min.value)

    return _made(
        f"max_{entry.name}",
        f"best {entry.label}",
        values_of,
        needs,
        f"What is {entry.label} at the best of all thresholds?",
        of_two=of_two,
        rising=1 if entry.better_with_tp and entry.worse_with_fp else 0,
        aliases=tuple(f"{word}_{name}" for word in ("max", "best") for name in (entry.name, *entry.aliases)),
        bounds=entry.bounds,
        formula=rf"\max_t {entry.symbol}(t)" if entry.symbol else "",
        source=entry.source,
        in_catalogue=entry.in_catalogue,
        made_by=() if entry.in_catalogue else (best_threshold, entry),
    )


def _of_gap(function: Callable[[Any], Any]) -> Callable[[int, int], Values]:
    """Return a function of the gap between the shares of positives and of negatives that are passed."""

    def values_of(total: int, positives: int) -> Values:
        p, n = float(positives), float(total - positives)
        # One division of whole numbers, so that equal gaps are equal floats.
        return lambda tp, fp: function((tp * n - fp * p) / (p * n))

    return values_of


@dataclass(frozen=True, eq=False)
class _BestThresholds(Family):
    """Any measure of labels at its best threshold."""

    def spelt(self, parameters: Mapping[str, str]) -> ScoreMeasure | None:
        try:
            measure = self.value("measure", parameters["measure"])
        except ValueError:
            return None
        return best_threshold(measure)

    def value(self, name: str, given: Any) -> Measure:
        measure: Measure = get_measure(given, "binary")
        return measure


max_measure = _BestThresholds(
    "max_measure", best_threshold, {"measure": "f1"}, "scores", short="(?:max|best)(?P<measure>.+)"
)

max_f1 = best_threshold("f1")
max_accuracy = best_threshold("accuracy")
max_balanced_accuracy = best_threshold("balanced_accuracy")
max_mcc = best_threshold("mcc")
max_kappa = best_threshold("kappa")

ks = _made(
    "ks",
    "KS",
    _of_gap(np.abs),
    both_needed,
    "How far apart are the distributions of the scores of positive and negative samples?",
    rising=2,
    aliases=("kolmogorov_smirnov", "ks_statistic", "ks_score", "ks_2samp"),
    formula=r"\max_t |\mathrm{TPR}(t) - \mathrm{FPR}(t)|",
    source="Kolmogorov, Giorn. Ist. Ital. Attuari 4, 1933; Smirnov, Ann. Math. Statist. 19, 1948",
)

ks_one_sided = _made(
    "ks_one_sided",
    "one-sided KS",
    _of_gap(np.positive),
    both_needed,
    "How far above those of negative samples are the scores of positive samples?",
    rising=1,
    aliases=("max_informedness", "max_youden", "max_youden_j", "best_informedness", "ks_greater"),
    formula=r"\max_t \mathrm{TPR}(t) - \mathrm{FPR}(t)",
    source="Smirnov, Ann. Math. Statist. 19, 1948; Youden, Cancer 3, 1950",
)
