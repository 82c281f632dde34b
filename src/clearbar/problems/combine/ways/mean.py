"""The mean of the folds' scores (F_avg of Forman and Scholz 2010)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts
from clearbar.null import values_at
from clearbar.problems._protocol import Bar, Tail
from clearbar.problems.combine._folds import Folds, first_reason
from clearbar.problems.combine._sums import SAME, Atoms, atoms_of, probability_of_sum
from clearbar.problems.combine._undefined import filled
from clearbar.problems.combine.ways._way import UNKNOWN, Way, mean_over


@dataclass(frozen=True)
class Mean(Way):
    """Every fold counts; one without a value counts what the policy says, or leaves no mean."""

    def score(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return the means over folds."""
        values = self.in_folds(measure, counts, undefined)
        return mean_over(values, np.ones(values.shape, dtype=bool))

    def in_folds(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return what each fold adds to the mean."""
        values = np.asarray(measure(counts), dtype=np.float64)
        return filled(measure, values, counts.total, self.policy(measure, undefined))

    def in_parts(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return the same as the one part."""
        return self.in_folds(measure, counts, undefined)[None]

    def joined(self, measure: Measure, parts: FloatArray) -> FloatArray:  # noqa: ARG002 - it is the score
        """Return that part."""
        score: FloatArray = parts[0]
        return score

    def bar(self, folds: Folds) -> Bar:
        """Return the mean of the folds' bars."""
        policy = self.policy(folds.measure, folds.undefined)
        bars = folds.bars(policy)
        value = np.asarray(bars.value)
        perfect = float(folds.perfect(policy).mean())
        missing = np.isnan(value)
        if missing.any():
            label, where = folds.measure.label, folds.named(missing)
            return folds.no_bar(self.words, f"{label} has no bar in {where}: {first_reason(bars)}", perfect)
        worst = float(np.asarray(bars.worst_value).mean())
        return folds.bar(
            self.words,
            float(value.mean()),
            perfect,
            worst,
            folds.recipe_of_each(bars, ~missing),
            certified=bool(np.asarray(bars.certified).all()),
        )

    def chance(self, folds: Folds, draws: IntArray, score: float) -> Tail:
        """Return the tail of the sum of what independent folds add."""
        policy = self.policy(folds.measure, folds.undefined)

        def values(tp: IntArray, m: IntArray, p: IntArray, k: IntArray) -> FloatArray:
            raw = values_at(folds.measure, tp, m, p, k)
            return filled(folds.measure, np.where(np.isfinite(raw), raw, np.nan), m, policy)[None]

        atoms = atoms_of(folds.total, folds.positives, draws, self.counted(folds, draws), values)
        atoms = [] if atoms is None else [_valued(fold) for fold in atoms]
        if not atoms or any(not len(fold.probabilities) for fold in atoms):
            return UNKNOWN
        sign, count = folds.sign, len(atoms)
        scale = SAME * max(abs(score), *(float(np.abs(fold.values).max()) for fold in atoms))

        def reached(sums: FloatArray) -> BoolArray:
            return np.asarray(sign * sums[0] / count >= sign * score - scale)

        return probability_of_sum(atoms, reached, rising=folds.largest)

    def note(self, folds: int) -> str:
        """Say what the bars know."""
        return (
            f"Scores are means over {folds:,} folds; the bars are what the best blind predictions expect of "
            "the same, knowing how many samples of each fold are positive."
        )


def _valued(fold: Atoms) -> Atoms:
    """Leave out outcomes without a value: with them there is no mean, and nothing is reached."""
    keep = ~np.isnan(fold.values).any(axis=0)
    return Atoms(fold.values[:, keep], fold.probabilities[keep])


MEAN = Mean("mean", "mean over folds")
