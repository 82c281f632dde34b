"""The measure of mean precision and mean recall over the folds in which all have a value."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.counts import Counts
from clearbar.problems._protocol import Bar
from clearbar.problems.combine._folds import Folds
from clearbar.problems.combine._pair import from_pair
from clearbar.problems.combine._undefined import admitted
from clearbar.problems.combine.ways.precision_recall import PrecisionRecall
from clearbar.problems.recipes import predict_all


@dataclass(frozen=True)
class PrecisionRecallOfDefined(PrecisionRecall):
    """It can be gamed: one fold with many positives is enough."""

    def used(self, measure: Measure, counts: Counts, pair: FloatArray) -> BoolArray:
        """Return the folds in which precision, recall and the measure have a value."""
        margins = counts.total, counts.positives, counts.predicted_positives
        defined = admitted(measure, *margins) & np.isfinite(np.asarray(measure(counts), dtype=np.float64))
        used: BoolArray = defined & ~np.isnan(pair).any(axis=0)
        return used

    def counted(self, folds: Folds, draws: IntArray) -> BoolArray:
        """Return which folds have a value after these draws."""
        valued = admitted(folds.measure, folds.total, folds.positives, draws)
        counted: BoolArray = valued & (draws > 0) & (folds.positives > 0)
        return counted

    def bar(self, folds: Folds) -> Bar:
        """Return what predicting everything scores in the fold with most positives alone."""
        total, positives = folds.total, folds.positives
        usable = (positives > 0) & admitted(folds.measure, total, positives, total)
        if not usable.any():
            return folds.no_bar(self.words, "no fold has a positive sample")
        share = np.where(usable, positives / total, -1.0)
        at = int(np.argmax(share))
        value = float(from_pair(folds.measure, share[at], 1.0))
        others = f" and leave the other {len(share) - 1:,} undefined" if len(share) > 1 else ""
        where = f" in {folds.named(np.arange(len(share)) == at)}{others}"
        recipe = predict_all(int(total[at]), where)
        perfect = float(from_pair(folds.measure, 1.0, 1.0))
        certified = folds.measure.concave_in_precision or value == folds.bound
        return folds.bar(self.words, value, perfect, math.nan, recipe, certified=certified)

    def note(self, folds: int) -> str:
        """Say which folds count."""
        return (
            f"Scores are made of mean precision and mean recall over those of {folds:,} folds in which all "
            "have a value."
        )


PRECISION_RECALL_OF_DEFINED = PrecisionRecallOfDefined(
    "precision_recall_of_defined", "from mean precision and recall of defined folds", leaves_out=True
)
