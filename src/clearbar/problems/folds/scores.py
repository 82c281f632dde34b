"""Folds of scores of two classes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import measures as registered
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.inference.bootstrap import Test
from clearbar.inference.permutation import rank_agreement
from clearbar.problems.bars import Recipe
from clearbar.problems.folds.bars import FoldBar, Folds, mean_bar
from clearbar.problems.folds.problem import MOST_FAILURES, FoldRows, UnseenInFolds
from clearbar.problems.folds.ways import Way, way_of
from clearbar.problems.scores import RankedScores, ScoreMeasure
from clearbar.problems.scores._bars import bars_of
from clearbar.problems.scores._measure import SAME_SCORE, Ranking
from clearbar.problems.scores._units import with_ends


@dataclass(frozen=True, eq=False)
class ScoreFolds(Folds):
    """A measure of scores on folds; those without a value are left out, which class sizes alone decide."""

    skips_missing: ClassVar[bool] = True

    @property
    def claim(self) -> str:
        averaged = " Folds are averaged, and so are their bars."
        return f"{self.measure.claim}{averaged if self.words else ''}"

    def bars_of_each(self, policy: Undefined | None = None) -> Any:
        return bars_of(self.measure, Population(self.total, self.positives))

    def perfect(self, bars: Any) -> FloatArray:
        return np.asarray(bars.best_possible)

    def recipe(self, bars: Any, counted: BoolArray) -> Recipe:
        if self.measure.probabilities:
            recipe = Recipe("give", "every sample the prevalence of its fold")
        else:
            recipe = replace(
                self.measure.recipe(int(self.total.sum()), int(self.positives.sum())), aside="fold by fold"
            )
        return replace(recipe, certain=self.measure.certain)


@dataclass(frozen=True, eq=False)
class FoldScores(FoldRows):
    """Each model's scores, and the samples of the folds."""

    labels: tuple[str, str] = field(default=Population.labels, kw_only=True)  # of the two classes

    @cached_property
    def positives(self) -> IntArray:
        """Positive samples of each fold."""
        return np.array([int(np.count_nonzero(self.truth[rows])) for rows in self.rows])

    @property
    def pooled(self) -> RankedScores:
        y_scores = tuple(scores[self._tested] for scores in self.answers)
        return RankedScores(self.models, (None,), self.truth_of_tests, y_scores, labels=self.labels)

    def on_folds(self, measure: ScoreMeasure) -> ScoreFolds:
        return ScoreFolds(measure, self.total, self.positives, labels=self.labels, **self._combined)

    def bars(self, measures: Sequence[ScoreMeasure]) -> tuple[FoldBar, ...]:
        if self.way.pools:
            return tuple(
                (merged_bar if measure.mean_over == "pairs" else mean_bar)(self.on_folds(measure))
                for measure in measures
            )
        return super().bars(measures)

    def in_each_fold(self, measures: Sequence[ScoreMeasure]) -> FloatArray:
        return np.array(
            [
                [[float(m.value(ranking)) for m in measures] for ranking in rankings]
                for rankings in self._rankings
            ]
        )

    @cached_property
    def _rankings(self) -> list[list[Ranking]]:
        return [
            [Ranking.of(self.truth[rows], y_score[rows]) for rows in self.rows] for y_score in self.answers
        ]

    def without_spread(self, measure: ScoreMeasure, model: int, score: float) -> Test | None:
        """Return what is known of folds that score the same because nothing failed; None of others."""
        y_score = self.answers[model]
        perfect = float(mean_bar(self.on_folds(measure)).best_possible.item())
        spread = any(len(np.unique(y_score[self.truth == label])) > 1 for label in (True, False))
        imperfect = abs(score - perfect) > 1e-12 * max(1.0, abs(perfect))
        if self.clusters is not None or (imperfect and (spread or not measure.probabilities)):
            return None  # samples of a cluster fail together
        # Failures are at the wrong end, and probabilities 0 for 1; folds without a value count nothing.
        valued = [fold for fold in self._rankings[model] if not math.isnan(measure.value(fold))]
        sizes = np.array([[ranking.hits, ranking.total - ranking.hits] for ranking in valued])
        failures = np.arange(min(MOST_FAILURES, int(sizes.max())) + 1)
        values = np.stack([_failing(measure, ranking, failures) for ranking in valued])
        better = bool(measure.greater_is_better)
        worst = float(measure.bounds[0 if better else 1])
        if not math.isfinite(worst):
            worst = float((np.nanmin if better else np.nanmax)(values))
        facts = score, sizes, np.ones(len(sizes)), values[None], worst, lambda parts: parts[0], better
        return UnseenInFolds(*facts, self.validation.seen_once)

    def fold_scores(
        self, measures: Sequence[ScoreMeasure], answers: FloatArray, labels: BoolArray
    ) -> FloatArray:
        ranking = Ranking.of(labels[0], answers)
        arranged = ranking.with_labels(answers, labels).positives
        hits, values = arranged.sum(axis=1), np.empty((len(measures), len(labels)))
        for number in np.unique(hits):  # a ranking takes one number of positives for all its arrangements
            same = hits == number
            arrangements = ranking.with_positives(arranged[same])
            values[:, same] = [measure.value(arrangements) for measure in measures]
        return values

    def fold_agreement(self, truth: BoolArray, answers: FloatArray) -> FloatArray:
        return rank_agreement(truth, answers)


def _failing(measure: ScoreMeasure, ranking: Ranking, failures: IntArray) -> FloatArray:
    """Evaluate a fold with so many positives and so many negatives that failed."""
    p, n = np.meshgrid(
        np.minimum(failures, ranking.hits), np.minimum(failures, ranking.total - ranking.hits), indexing="ij"
    )
    moved = np.stack([p.ravel(), n.ravel()], axis=-1)
    return with_ends(measure, ranking, moved, positives_last=True).reshape(p.shape)


def merged_auc(total: IntArray, positives: IntArray) -> float:
    """Return the best expected ROC AUC of merged folds that ignores the features but knows the folds."""
    # The order within a fold expects one half of its pairs; whole folds are best ordered by prevalence.
    # Forman and Scholz 2010, section 3.1.
    p, n = positives.astype(np.float64), (total - positives).astype(np.float64)
    order = np.argsort(-(p / (p + n)), kind="stable")
    p, n = p[order], n[order]
    below = n.sum() - np.cumsum(n)
    return float((p * (n / 2 + below)).sum() / (p.sum() * n.sum()))


def merged_bar(folds: ScoreFolds) -> FoldBar:
    """Return the best ROC AUC of folds that are ranked together, by scores that know the folds alone."""
    lacking = folds.measure.needs(int(folds.total.sum()), int(folds.positives.sum()))
    if lacking:
        return folds.no_bar(lacking)
    value = merged_auc(folds.total, folds.positives)
    aside = "higher where more of them are positive"
    recipe = Recipe("give", "all samples of a fold the same score", aside) if value > 0.5 else SAME_SCORE
    claim = (
        "The order within a fold expects one half of its pairs, and no order of whole folds has more of the "
        "others right than that by prevalence."
    )
    return replace(folds.bar(value, 1.0, 1 - value, replace(recipe, certain=True)), claim=claim)


def score_way(aggregate: Any, measures: Sequence[ScoreMeasure]) -> Way:
    """Return a way of combining folds of scores, or say what can be asked for."""
    way = way_of("scores", aggregate, "scores")
    unknown = [measure.label for measure in measures if way.pools and not measure.mean_over]
    if unknown:
        possible = listed(measure.name for measure in registered("scores") if measure.mean_over)
        raise ValueError(
            f"aggregate={way.name!r} is known for {possible}, not for {listed(unknown, most=4)}; use "
            "aggregate='mean'."
        )
    return way
