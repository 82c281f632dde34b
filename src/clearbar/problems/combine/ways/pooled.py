"""Counts are added up over folds, then scored (F_tp,fp of Forman and Scholz 2010)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts
from clearbar.core.errors import listed
from clearbar.problems._protocol import Bar, Tail
from clearbar.problems.binary import Baseline, baseline, fill_value
from clearbar.problems.combine._allocation import best_allocation
from clearbar.problems.combine._convolution import reach_of_sum
from clearbar.problems.combine._folds import Folds
from clearbar.problems.combine._undefined import filled
from clearbar.problems.combine.ways._way import Way
from clearbar.problems.recipes import NOTHING_TO_DO, Recipe


@dataclass(frozen=True)
class Pooled(Way):
    """The bar is that of all samples together."""

    def score(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return the scores of the pooled counts."""
        pooled = counts.sum(axis=-1)
        return filled(measure, np.asarray(measure(pooled), dtype=np.float64), pooled.total, undefined)

    def in_folds(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:  # noqa: ARG002
        """Return the scores of the folds: the pooled score has about the error of their mean."""
        return np.asarray(measure(counts), dtype=np.float64)

    def bar(self, folds: Folds) -> Bar:
        """Return the bar of all samples."""
        return baseline(folds.population, folds.measure, undefined=folds.undefined)

    def chance(self, folds: Folds, draws: IntArray, score: float) -> Tail:
        """Return the tail of pooled draws: the exact conditional Cochran-Mantel-Haenszel test."""
        samples = int(folds.total.sum())
        fill = float(fill_value(folds.measure, samples, folds.undefined, largest=folds.largest))
        tail = reach_of_sum(folds.measure, folds.total, folds.positives, draws, score, fill=fill)
        return Tail.between(tail, tail)

    def note(self, folds: int) -> str:
        """Say what the bars are."""
        return (
            f"The counts of {folds:,} folds are pooled and scored once; the bars are those of all samples "
            "together."
        )

    @property
    def knowing_folds(self) -> Way:
        """The same score against a bar of its own."""
        return PooledKnowingFolds(self.name, self.words, pools=True, fold_aware=True)


@dataclass(frozen=True)
class PooledKnowingFolds(Pooled):
    """The bar may treat folds differently: it is the best allocation of predicted positives to folds."""

    def bar(self, folds: Folds) -> Bar:
        """Return the best allocation, or the bar of all samples where none is better."""
        measure, sign = folds.measure, folds.sign
        blind = baseline(folds.population, measure, undefined=folds.undefined)
        if measure.greater_is_better is None:
            return blind
        best, worst = (
            best_allocation(measure, folds.total, folds.positives, folds.undefined, largest=largest)
            for largest in (folds.largest, not folds.largest)
        )
        blind_value, blind_worst = (float(np.asarray(end)[0]) for end in (blind.value, blind.worst_value))
        if math.isnan(best.value) or (not best.certified and sign * blind_value > sign * best.value):
            return self._of_all(folds, blind[0], certified=best.certified)
        lowest = worst.value
        if not worst.certified:  # a draw from all samples is a mixture of allocations
            lowest = sign * float(np.fmin(sign * lowest, sign * blind_worst))
        perfect = float(np.asarray(blind.best_possible)[0])
        recipe = _recipe(folds, best.draws)
        return folds.bar(self.words, best.value, perfect, lowest, recipe, certified=best.certified)

    def _of_all(self, folds: Folds, blind: Baseline, *, certified: bool) -> Bar:
        """Return the bar of all samples as one over folds."""
        value, perfect, worst = (
            float(number) for number in (blind.value, blind.best_possible, blind.worst_value)
        )
        return folds.bar(
            self.words,
            value,
            perfect,
            worst,
            NOTHING_TO_DO if math.isnan(value) else blind.attained_by,
            certified=certified,
            reason=blind.reason,
        )

    def note(self, folds: int) -> str:
        """Say what the bars know."""
        return (
            f"The counts of {folds:,} folds are pooled and scored once; the bars are what the best blind "
            "predictions expect, knowing how many samples of each fold are positive."
        )


def _recipe(folds: Folds, draws: IntArray) -> Recipe:
    """Predict so many samples of each fold positive."""
    if ((draws == 0) | (draws == folds.total)).all():
        return folds.all_positive_in(draws > 0)
    what = f"{int(draws.sum()):,} of {int(folds.total.sum()):,} positive at random"
    return Recipe(
        "predict", what, f"so many in each {folds.part}: {listed([f'{k:,}' for k in draws.tolist()])}"
    )


POOLED = Pooled("pooled", "counts pooled over folds", pools=True)
