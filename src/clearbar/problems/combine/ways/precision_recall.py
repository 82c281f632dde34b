"""The measure of mean precision and mean recall (F_pr,re of Forman and Scholz 2010)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clearbar.catalogue import Measure, measures
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Counts
from clearbar.core.errors import listed
from clearbar.problems._protocol import Bar, Tail
from clearbar.problems.combine._folds import Folds
from clearbar.problems.combine._pair import (
    combines,
    from_pair,
    lines,
    pair_fill,
    precision_and_recall,
)
from clearbar.problems.combine._sums import SAME, Atoms, atoms_of, probability_of_sum
from clearbar.problems.combine.ways._way import UNKNOWN, Way, mean_over


@dataclass(frozen=True)
class PrecisionRecall(Way):
    """Every fold counts; a precision or recall without a value counts what the policy says."""

    def takes(self, measure: Measure) -> bool:
        """Return whether a measure is a function of precision and recall."""
        return combines(measure)

    def refuse(self, chosen: Sequence[Measure]) -> None:
        """Raise where a measure is no such function."""
        cannot = [measure.name for measure in chosen if not combines(measure)]
        if cannot:
            can = [measure.name for measure in measures() if combines(measure)]
            be = "is no function" if len(cannot) == 1 else "are no functions"
            raise ValueError(
                f"aggregate={self.name!r} averages precision and recall over folds, and {listed(cannot)} "
                f"{be} of these two; {listed(can, most=40)} are. Use aggregate='pooled' or 'mean'."
            )

    def score(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return the measure of the two means."""
        pair = precision_and_recall(measure, counts, self.policy(measure, undefined))
        used = self.used(measure, counts, pair)
        return from_pair(measure, *(mean_over(part, used) for part in pair))

    def in_folds(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return the jackknife's pseudo-values: so many times the score, less the others' without a fold."""
        pair = precision_and_recall(measure, counts, self.policy(measure, undefined))
        used = self.used(measure, counts, pair)
        count, sums = used.sum(), np.where(used, pair, 0.0).sum(axis=-1)
        score = from_pair(measure, *(sums / max(count, 1)))
        without = from_pair(measure, *((sums[:, None] - pair) / max(count - 1, 1)))
        return np.where(used, count * score - (count - 1) * without, np.nan)

    def in_parts(self, measure: Measure, counts: Counts, undefined: Undefined) -> FloatArray:
        """Return precision and recall."""
        return precision_and_recall(measure, counts, self.policy(measure, undefined))

    def joined(self, measure: Measure, parts: FloatArray) -> FloatArray:
        """Return the measure of the two means."""
        return from_pair(measure, *parts)

    def used(self, measure: Measure, counts: Counts, pair: FloatArray) -> BoolArray:  # noqa: ARG002 - all
        """Return which folds count."""
        return np.ones(pair.shape[1:], dtype=bool)

    def lacking(self, measure: Measure, counts: Counts, undefined: Undefined) -> list[str]:
        """Return for each fold what precision and recall lack there."""
        gone = np.isnan(precision_and_recall(measure, counts, self.policy(measure, undefined)))
        words = {(1, 1): "k > 0 and P > 0", (1, 0): "k > 0", (0, 1): "P > 0", (0, 0): ""}
        return [words[one, other] for one, other in gone.T.astype(int).tolist()]

    def bar(self, folds: Folds) -> Bar:
        """Return what predicting everything scores, or whole folds where that need not be best."""
        measure, positives = folds.measure, folds.positives
        fill = pair_fill(measure, self.policy(measure, folds.undefined))
        empty, share = positives == 0, positives / folds.total
        recall = np.where(empty, fill, 1.0)
        perfect = _of_means(measure, recall, recall)
        if math.isnan(fill) and empty.any():
            where = folds.named(empty)
            return folds.no_bar(
                self.words, f"recall has no value in {where}: no sample is positive there", perfect
            )
        if not (math.isnan(fill) or (fill == 0.0 and measure.concave_in_precision)):
            return self._searched(folds, share, fill, perfect)
        value = _of_means(measure, share, recall)
        worst = _of_means(measure, 0 * share, 0 * share) if fill == 0.0 else math.nan
        certified = measure.concave_in_precision or value == folds.bound
        recipe = folds.all_positive_in(np.ones(len(share), dtype=bool))
        return folds.bar(self.words, value, perfect, worst, recipe, certified=certified)

    def _searched(self, folds: Folds, share: FloatArray, fill: float, perfect: float) -> Bar:
        """Try to predict everything or nothing in each fold, the folds with most positives first."""
        order = np.argsort(-share, kind="stable")
        rank = np.empty(len(share), dtype=np.int64)
        rank[order] = np.arange(len(share))
        chosen = rank < np.arange(len(share) + 1)[:, None]
        precision = np.where(chosen, share, fill).mean(axis=1)
        recall = np.where(folds.positives == 0, fill, chosen.astype(np.float64)).mean(axis=1)
        values = from_pair(folds.measure, precision, recall)
        at = int(np.argmax(folds.sign * values))
        value, recipe = float(values[at]), folds.all_positive_in(chosen[at])
        certified = bool(value == folds.bound)
        return folds.bar(self.words, value, perfect, math.nan, recipe, certified=certified)

    def chance(self, folds: Folds, draws: IntArray, score: float) -> Tail:
        """Return the tail of the sum of the folds' pairs, exact or between two bounds."""
        measure, sign = folds.measure, folds.sign
        fill = pair_fill(measure, self.policy(measure, folds.undefined))

        def values(tp: IntArray, _: IntArray, p: IntArray, k: IntArray) -> FloatArray:
            sizes = np.stack((k, p)).astype(np.float64)
            ratios: FloatArray = np.divide(tp, sizes, out=np.full(sizes.shape, fill), where=sizes > 0)
            return ratios

        atoms = atoms_of(folds.total, folds.positives, draws, self.counted(folds, draws), values)
        if not atoms or any(np.isnan(fold.values).any() for fold in atoms):
            return UNKNOWN
        count = len(atoms)

        def reached(sums: FloatArray) -> BoolArray:
            scores = from_pair(measure, *np.clip(sums / count, 0.0, 1.0))
            with np.errstate(invalid="ignore"):
                return np.asarray(sign * scores >= sign * score - SAME * max(abs(score), 1.0))

        tail = probability_of_sum(atoms, reached, rising=True)
        # Off the exact route the bounds need a measure that rises (a loss: falls) in both.
        if tail.upper == tail.lower:
            return tail
        return _along_a_line(measure, atoms, score, tail) if measure.concave_in_precision else UNKNOWN

    def note(self, folds: int) -> str:
        """Say what the bars know."""
        return (
            f"Scores are made of mean precision and mean recall over {folds:,} folds; the bars are what the "
            "best blind predictions expect of the same, knowing how many samples of each fold are positive."
        )


def _of_means(measure: Measure, precision: FloatArray, recall: FloatArray) -> float:
    return float(from_pair(measure, precision.mean(), recall.mean()))


def _along_a_line(measure: Measure, atoms: Sequence[Atoms], score: float, tail: Tail) -> Tail:
    """Lower the upper end: of the sums of precision and recall that the score needs, take the rarest."""
    means = np.array([fold.values @ fold.probabilities for fold in atoms])
    seconds = np.array([(fold.values * fold.probabilities) @ fold.values.T for fold in atoms])
    centre, spread = means.mean(axis=0), (seconds - means[:, :, None] * means[:, None, :]).sum(axis=0)
    rarest, weights, reach = 0.0, None, 0.0
    for weight, least in lines(measure, score):
        both = np.array([weight, 1.0 - weight])
        far = (least - both @ centre) / math.sqrt(max(both @ spread @ both, 1e-300))
        if far > rarest:
            rarest, weights, reach = far, both, least
    if weights is None:
        return tail
    along = [Atoms((weights @ fold.values)[None], fold.probabilities) for fold in atoms]
    upper = probability_of_sum(
        along, lambda sums: np.asarray(sums[0] / len(atoms) >= reach - SAME), rising=True
    ).upper
    return Tail.between(tail.lower, max(min(tail.upper, upper), tail.lower))


PRECISION_RECALL = PrecisionRecall("precision_recall", "from mean precision and recall")
