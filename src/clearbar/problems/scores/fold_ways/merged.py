"""The folds' scores in one ranking."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from clearbar.catalogue import measures as registered
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import listed
from clearbar.problems._protocol import Tail
from clearbar.problems.recipes import NOTHING_TO_DO, Recipe
from clearbar.problems.scores import _chance as deal
from clearbar.problems.scores._chance import share_of
from clearbar.problems.scores._fold_bars import FoldScoreBaseline, averaged_bar, bar_maker
from clearbar.problems.scores._measure import SAME_SCORE, ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores.fold_ways._way import ScoreWay

CALIBRATED = (
    "The folds' scores are merged into one ranking: models fitted in different folds are compared with each "
    "other, which is fair only if their scores are calibrated alike (Forman and Scholz 2010). "
    "aggregate='mean' needs no such thing."
)

BY_PREVALENCE = (
    "The order within a fold expects one half of its pairs, and no order of whole folds has more of the "
    "others right than that by prevalence."
)


@dataclass(frozen=True)
class Merged(ScoreWay):
    """Known for measures that are means over samples or over pairs of them."""

    untested = "p_value is not known where the scores of folds are merged"

    def refuse(self, measures: Sequence[ScoreMeasure]) -> None:
        """Raise where a measure is no such mean."""
        unknown = [measure.label for measure in measures if not measure.mean_over]
        if unknown:
            known = listed(measure.name for measure in registered("scores") if measure.mean_over)
            raise ValueError(
                f"aggregate={self.name!r} is known for {known}, not for {listed(unknown, most=4)}; use "
                "aggregate='mean'."
            )

    def parts(self, folds: Sequence[IntArray]) -> Sequence[IntArray]:
        """Return all tests together."""
        return [np.concatenate(folds)]

    def bar(self, measure: ScoreMeasure, total: IntArray, positives: IntArray) -> FoldScoreBaseline:
        """Return the bar of scores that know the folds and nothing else."""
        if measure.mean_over == "samples":
            return averaged_bar(measure, total, positives, total.astype(np.float64), measure.claim)
        make = bar_maker(measure, total, positives)
        lacking = measure.needs(int(total.sum()), int(positives.sum()))
        if lacking:
            return make(NOTHING_TO_DO, measure.claim, reason=lacking)
        value = merged_auc(total, positives)
        aside = "higher where more of them are positive"
        recipe = Recipe("give", "all samples of a fold the same score", aside) if value > 0.5 else SAME_SCORE
        return make(replace(recipe, certain=True), BY_PREVALENCE, value, 1 - value, 1.0)

    def chance(
        self,
        measure: ScoreMeasure,
        truth: BoolArray,
        scores: FloatArray,
        folds: Sequence[IntArray],
        score: float,
        seed: int = 0,
    ) -> Tail:
        """Return how often seeded random deals within each fold do as well."""
        tested = np.concatenate(folds)
        ranking = Ranking.of(truth[tested], scores[tested])
        dealt = (ranking.with_labels(scores[tested], labels) for labels in _within(truth, folds, seed))
        return share_of(measure, score, map(measure.value, dealt))

    def notes(
        self,
        measures: Sequence[ScoreMeasure],  # noqa: ARG002
        names: Sequence[Any],  # noqa: ARG002
        total: IntArray,
        positives: IntArray,
    ) -> list[str]:
        """Say what merging takes for granted."""
        if (positives * total.sum() == total * positives.sum()).all():
            return [CALIBRATED]
        return [CALIBRATED, "The folds differ in their share of positives, and the bars know it."]


def merged_auc(total: IntArray, positives: IntArray) -> float:
    """Return the best expected ROC AUC of merged folds that ignores the features but knows the folds."""
    p, n = positives.astype(np.float64), (total - positives).astype(np.float64)
    order = np.argsort(-(p / (p + n)), kind="stable")
    p, n = p[order], n[order]
    below = n.sum() - np.cumsum(n)
    return float((p * (n / 2 + below)).sum() / (p.sum() * n.sum()))


def _within(truth: BoolArray, folds: Sequence[IntArray], seed: int) -> Iterator[BoolArray]:
    """Yield labels dealt out at random within each fold, the folds one after the other."""
    generator = np.random.default_rng(deal.SEED + seed)
    for rows in deal.portions(sum(map(len, folds))):
        parts = [generator.permuted(np.tile(truth[fold], (rows, 1)), axis=1) for fold in folds]
        yield np.concatenate(parts, axis=1)


MERGED = Merged("merged")
