"""NDCG of graded relevance: labels are gains, and gains are dealt out at random."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.counts import Population
from clearbar.data.arrays import read
from clearbar.data.scores import read_scores
from clearbar.inference.bootstrap import Test
from clearbar.inference.units import SHARES, Units
from clearbar.problems.scores._measure import Ranking, ScoreMeasure
from clearbar.problems.scores._units import BetterSide
from clearbar.problems.scores.top import discounts, ndcg_of_first, rank_weights


def gains_of(y_true: Any, measures: Iterable[ScoreMeasure]) -> FloatArray | None:
    """Return the gains if labels are graded and every measure can use that.

    None for labels of two classes, and where a measure takes no gains.
    """
    measures = tuple(measures)
    takes_gains = bool(measures) and all(measure.takes_gains for measure in measures)
    if not takes_gains or isinstance(y_true, Population):
        return None
    try:
        gains = read_scores(y_true, "y_true", read(y_true, "y_true").length)
    except ValueError:
        return None  # labels of another kind, which are counted or refused elsewhere
    if np.isin(gains, (0, 1)).all() or np.isin(gains, (-1, 1)).all():
        return None
    if (gains < 0).any():
        raise ValueError(f"y_true holds the gain {gains.min():g}; gains are 0 or more.")
    return gains


def graded_ndcg(k: int, gains: tuple[float, ...]) -> ScoreMeasure:
    """Return NDCG@k for the gains of some samples; k = 0 looks at all of them.

    Its function takes rankings whose ``positives`` are sums of gains.
    """
    plain = ndcg_of_first(k)
    values = np.array(gains)
    sums = discounts(min(k, len(values)) if k else len(values))
    ideal = float((np.sort(values)[::-1][: len(sums) - 1] * np.diff(sums)).sum())

    def expected(_total: int, _positives: int) -> float:
        return float(values.mean() * sums[-1]) / ideal

    def function(ranking: Ranking) -> Any:
        return (ranking.positives * rank_weights(ranking, len(sums) - 1)).sum(axis=-1) / ideal

    return replace(
        plain,
        function=function,
        expected=expected,
        needs=lambda _total, positives: "" if positives else "no sample has a gain above 0",
        perfect=lambda _total, positives: 1.0 if positives else math.nan,
        averages_ties=False,
        formula=r"\frac{\sum_{r \le k} g_{(r)} / \log_2(r + 1)}"
        r"{\max_\pi \sum_{r \le k} g_{\pi(r)} / \log_2(r + 1)}",
        in_catalogue=False,
        made_by=(graded_ndcg, k, gains),
    )


def graded(measure: ScoreMeasure, gains: FloatArray) -> tuple[ScoreMeasure, Population]:
    """Return a measure for gains, and how many samples have one."""
    bar = graded_ndcg(int(measure.parameters["k"]), tuple(gains.tolist()))
    return bar, Population(len(gains), int(np.count_nonzero(gains)))


def graded_ranking(gains: FloatArray, scores: FloatArray) -> Ranking:
    """Group samples by score, with sums of gains in place of positives."""
    groups = Ranking.of(np.zeros(len(scores), dtype=bool), scores)
    return groups.with_labels(scores, gains)


class GradedUnits(Units):
    """Samples with a gain each, and the scores of one model; the best order is that of each resample."""

    fewest = 1
    models = 1

    def __init__(
        self, gains: FloatArray, scores: Sequence[FloatArray], *, seed: int = 0, finest: float = 1.0
    ) -> None:
        self.ranking = graded_ranking(gains, scores[0])
        self.gains = gains[np.lexsort((gains, -scores[0]))]
        self.samples, self.seed, self.finest = len(gains), seed, finest

    def score(self, measures: Sequence[ScoreMeasure], weights: FloatArray) -> FloatArray:
        times = np.rint(weights).astype(np.int64)
        depths = [int(measure.parameters["k"]) for measure in measures]
        return np.array([[_resampled_ndcg(k, self.ranking, self.gains, times)] for k in depths])

    @property
    def labels(self) -> FloatArray:
        return self.gains

    def shuffled(self, measures: Sequence[ScoreMeasure], orders: IntArray) -> FloatArray:
        starts = self.ranking.ends - self.ranking.sizes
        dealt = self.ranking.with_positives(np.add.reduceat(self.gains[orders], starts, axis=1))
        return np.array([[measure.value(dealt)] for measure in measures])

    def failing(self, measure: ScoreMeasure, model: int) -> tuple[FloatArray, FloatArray]:
        """Evaluate with shares of the samples at the wrong end of the ranking; none is better than 1."""
        high, wrong = self.gains > self.gains.mean(), []
        for share in SHARES:
            last, first = (np.flatnonzero(rows)[: math.ceil(share * rows.sum())] for rows in (high, ~high))
            inside = np.setdiff1d(np.arange(self.samples), [*first, *last])
            wrong.append(self.gains[np.concatenate([first, inside, last])])
        untied = Ranking.untied(self.samples, 0).with_positives(wrong)
        return measure.value(untied), np.ones(len(SHARES))

    def refined(self, test: Any, measure: ScoreMeasure, model: int) -> Test:
        if not test.score.alike:
            test = replace(test, score=replace(test.score, units=math.inf))
        return BetterSide(test, float(measure.value(self.ranking)), measure)


def _resampled_ndcg(k: int, ranking: Ranking, gains: FloatArray, times: IntArray) -> FloatArray:
    """Return NDCG where each sample, in the order of the scores, occurs so many times; nan without a gain."""
    starts = ranking.ends - ranking.sizes
    sizes = np.add.reduceat(times, starts, axis=-1)
    dealt = replace(ranking, sizes=sizes, positives=np.add.reduceat(times * gains, starts, axis=-1))
    order = np.argsort(-gains, kind="stable")
    levels, begin = np.unique(-gains[order], return_index=True)
    alike = np.add.reduceat(times[..., order], begin, axis=-1)  # the best order: those with most gain first
    first = min(k or len(gains), len(gains))
    best = -(rank_weights(replace(dealt, sizes=alike), first) * alike) @ levels
    with np.errstate(invalid="ignore"):
        return np.asarray((dealt.positives * rank_weights(dealt, first)).sum(axis=-1) / best)
