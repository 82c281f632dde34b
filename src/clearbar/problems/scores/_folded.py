"""Scores of two classes across folds as a problem."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from clearbar.core._progress import tracked
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.problems._faultless import MOST_FAILURES, Faultless
from clearbar.problems._folded import Folded
from clearbar.problems._protocol import Tail
from clearbar.problems._resampled_t import Mean
from clearbar.problems.reasons import NoValue
from clearbar.problems.scores._fold_bars import FoldScoreBaseline
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._resampled import with_ends
from clearbar.problems.scores.fold_ways import ScoreWay
from clearbar.problems.validation import UNKNOWN, Validation


@dataclass(frozen=True, eq=False)
class FoldedScores(Folded):
    """Each model's scores, the folds' samples, and how folds are combined."""

    models: tuple[str, ...]
    truth: BoolArray
    own: tuple[FloatArray, ...]
    folds: tuple[IntArray, ...]
    way: ScoreWay
    groups: tuple[Any, ...] = (None,)
    validation: Validation = UNKNOWN
    seed: int = field(default=0, kw_only=True)
    by_model = ("models", "own")

    @property
    def sizes(self) -> tuple[IntArray, IntArray]:
        """Samples and positive samples of each fold."""
        positives = [int(np.count_nonzero(self.truth[fold])) for fold in self.folds]
        return np.array([len(fold) for fold in self.folds]), np.array(positives)

    def bars(self, measures: Sequence[ScoreMeasure]) -> tuple[FoldScoreBaseline, ...]:
        """Return the bar of the same combination, over the one group of all samples."""
        return tuple(self.way.bar(measure, *self.sizes) for measure in measures)

    def scores(self, measures: Sequence[ScoreMeasure]) -> FloatArray:
        """Return the combined scores; nan where no fold has one."""
        scores = np.full((len(self.own), 1, len(measures)), np.nan)
        for model, own in enumerate(self.own):
            for at, measure in enumerate(measures):
                values = self.way.in_parts(measure, self.truth, own, self.folds)
                scores[model, 0, at] = self.combined(measure, values)
        return scores

    def combined(self, measure: ScoreMeasure, values: FloatArray) -> float:  # noqa: ARG002
        """Return the mean over the folds, or parts, that have a value; nan where none has."""
        return math.nan if np.isnan(values).all() else float(np.nanmean(values))

    def in_folds(self, measure: ScoreMeasure) -> FloatArray | None:
        """Return the scores of one model in the folds; None where they are merged."""
        return None if self.way.untested else self.way.in_parts(measure, self.truth, self.own[0], self.folds)

    def without_spread(self, measure: ScoreMeasure, mean: Mean) -> Faultless | None:
        """Return what is known of folds that score the same because nothing failed; None of others."""
        own, truth = self.own[0], self.truth
        perfect = self.way.bar(measure, *self.sizes).best_possible
        spread = any(len(np.unique(own[truth == label])) > 1 for label in (True, False))
        if abs(mean.value - perfect) > 1e-12 * max(1.0, abs(perfect)) and (
            spread or not measure.probabilities
        ):
            return None
        return self._faultless(measure, mean.value)

    def _faultless(self, measure: ScoreMeasure, score: float) -> Faultless | None:
        """Failures are at the wrong end, and probabilities 0 for 1; folds without a value count nothing."""
        rankings = [Ranking.of(self.truth[fold], self.own[0][fold]) for fold in self.folds]
        valued = [ranking for ranking in rankings if not math.isnan(measure.value(ranking))]
        sizes = np.array([[ranking.hits, ranking.total - ranking.hits] for ranking in valued])
        failures = np.arange(min(MOST_FAILURES, int(sizes.max())) + 1)
        values = np.stack([_failing(measure, ranking, failures) for ranking in valued])
        worst = measure.bounds[0 if measure.greater_is_better else 1]
        if not math.isfinite(worst):
            worst = float((np.nanmin if measure.greater_is_better else np.nanmax)(values))
        return Faultless(
            score,
            sizes,
            np.ones(len(sizes)),
            values[None],
            worst,
            lambda parts: parts[0],
            bool(measure.greater_is_better),
            self.validation.seen_once,
        )

    def chance(self, measures: Sequence[ScoreMeasure], scores: FloatArray) -> Tail:
        """Return how likely the model's own scores do as well, labels dealt out within each fold."""

        def cells() -> Iterator[tuple[tuple[int, int, int], Tail]]:
            known = np.argwhere(~np.isnan(scores)).tolist()
            for model, group, at in tracked(known, len(known), lambda _: 1, "scores"):
                score, own = float(scores[model, group, at]), self.own[model]
                tail = self.way.chance(measures[at], self.truth, own, self.folds, score, self.seed)
                yield (model, group, at), tail

        return Tail.gathered(scores.shape, cells())

    def why_undefined(self, measure: ScoreMeasure, missing: BoolArray) -> Any:
        """Say that no fold has a value."""
        return [NoValue(measure.label, where="in any fold")] * int(np.count_nonzero(missing))


def _failing(measure: ScoreMeasure, ranking: Ranking, failures: IntArray) -> FloatArray:
    """Evaluate a fold with so many positives and so many negatives that failed."""
    p, n = np.meshgrid(
        np.minimum(failures, ranking.hits), np.minimum(failures, ranking.total - ranking.hits), indexing="ij"
    )
    moved = np.stack([p.ravel(), n.ravel()], axis=-1)
    return with_ends(measure, ranking, moved, positives_last=True).reshape(p.shape)
