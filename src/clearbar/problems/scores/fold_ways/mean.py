"""The mean of the folds' scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.errors import listed
from clearbar.formatting import visible
from clearbar.problems._protocol import Tail
from clearbar.problems.scores import _chance as deal
from clearbar.problems.scores._chance import all_values, reached, share_of
from clearbar.problems.scores._fold_bars import FoldScoreBaseline, averaged_bar
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores.fold_ways._way import ScoreWay

MOST_VALUES = 200_000
"""Distinct values up to which the law of a mean over folds is computed exactly."""


@dataclass(frozen=True)
class MeanOfFolds(ScoreWay):
    """Folds without a value are left out: their class sizes alone decide that."""

    untested = ""

    def parts(self, folds: Sequence[IntArray]) -> Sequence[IntArray]:
        """Return the folds."""
        return folds

    def bar(self, measure: ScoreMeasure, total: IntArray, positives: IntArray) -> FoldScoreBaseline:
        """Return the mean of the folds' bars."""
        claim = f"{measure.claim} Folds are averaged, and so are their bars."
        return averaged_bar(measure, total, positives, np.ones(len(total)), claim)

    def chance(
        self,
        measure: ScoreMeasure,
        truth: BoolArray,
        scores: FloatArray,
        folds: Sequence[IntArray],
        score: float,
        seed: int = 0,
    ) -> Tail:
        """Return the tail of the mean over the folds with a value."""
        ranked = (Ranking.of(truth[fold], scores[fold]) for fold in folds)
        rankings = [ranking for ranking in ranked if not math.isnan(measure.value(ranking))]
        exact = _exact_mean(measure, rankings)
        if exact is not None:
            values, chances = exact
            return Tail.exactly(float(chances[reached(measure, values, score)].sum()))
        parts = [
            np.concatenate(
                [
                    measure.value(one.with_positives(part))
                    for part in deal.shuffles(one.sizes, one.hits, at, seed)
                ]
            )
            for at, one in enumerate(rankings)
        ]
        tried = min(map(len, parts))
        return share_of(measure, score, [np.mean([part[:tried] for part in parts], axis=0)])

    def notes(
        self, measures: Sequence[ScoreMeasure], names: Sequence[Any], total: IntArray, positives: IntArray
    ) -> list[str]:
        """Name the folds without a value."""
        lacking: dict[str, list[str]] = {}
        for measure in measures:
            without = [
                visible(name)
                for name, m, p in zip(names, total.tolist(), positives.tolist(), strict=True)
                if measure.needs(m, p)
            ]
            if without:
                lacking.setdefault(listed(without, most=6), []).append(measure.label)
        return [
            f"Scores and bars are means over {len(names):,} folds.",
            *(
                f"{listed(labels)} {'has' if len(labels) == 1 else 'have'} no value in fold {where} and "
                f"{'is' if len(labels) == 1 else 'are'} averaged over the others."
                for where, labels in lacking.items()
            ),
        ]


def _exact_mean(measure: ScoreMeasure, rankings: Sequence[Ranking]) -> tuple[FloatArray, FloatArray] | None:
    """Return the law of the mean over folds where every fold has few arrangements."""
    sums, chances = np.zeros(1), np.ones(1)
    for one in rankings:
        if not deal.can_list(one.sizes, one.hits):
            return None
        values, probabilities = _gathered(*all_values(measure.value, one))
        if len(sums) * len(values) > 20 * MOST_VALUES:
            return None
        sums, chances = _gathered(
            np.add.outer(sums, values).ravel(), np.outer(chances, probabilities).ravel()
        )
        if len(sums) > MOST_VALUES:
            return None
    return sums / len(rankings), chances


def _gathered(values: FloatArray, probabilities: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Add up the probabilities of values that differ by rounding alone."""
    _, first, back = np.unique(np.round(values, 11), return_index=True, return_inverse=True)
    return values[first], np.bincount(back, probabilities).astype(np.float64)


MEAN = MeanOfFolds("mean")
