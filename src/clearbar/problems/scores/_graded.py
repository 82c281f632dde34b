"""NDCG of graded relevance: labels are gains, and gains are dealt out at random."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core.counts import Population
from clearbar.data.counting import read_scores
from clearbar.data.labels import read
from clearbar.problems._protocol import Tail
from clearbar.problems.scores import _arrangements as deal
from clearbar.problems.scores._chance import NOTHING, Chance, reached, simulated
from clearbar.problems.scores._measure import ScoreMeasure
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores.gains import discounts, ndcg_of_first, rank_weights


def gains_of(y_true: Any, measures: Iterable[ScoreMeasure]) -> FloatArray | None:
    """Return the gains if labels are graded and every measure can use that.

    None for labels of two classes, and where a measure takes no gains.
    """
    measures = tuple(measures)
    if not measures or not all(measure.takes_gains for measure in measures):
        return None
    if isinstance(y_true, Population):
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

    def universal(total: int, positives: int, score: float) -> Tail:
        sure = score <= expected(total, positives) * (1 + 1e-12)
        return Tail.exactly(1.0) if sure else NOTHING

    def matched(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
        starts = ranking.ends - ranking.sizes
        number = int(np.clip(deal.WORK // len(values), deal.FEWEST_SHUFFLES, deal.SHUFFLES))
        portion = min(max(1, deal.CELLS // len(values)), number)
        generator = np.random.default_rng(deal.SEED)
        as_good = 0
        for first in range(0, number, portion):
            size = min(portion, number - first)
            dealt = generator.permuted(np.tile(values, (size, 1)), axis=1)
            together = Ranking(ranking.scores, ranking.sizes, np.add.reduceat(dealt, starts, axis=1))
            as_good += int(np.count_nonzero(reached(measure, measure.value(together), score)))
        return simulated(as_good, number)

    return ScoreMeasure(
        plain.name,
        function,
        expected=expected,
        needs=lambda _total, positives: "" if positives else "no sample has a gain above 0",
        perfect=lambda _total, positives: 1.0 if positives else math.nan,
        certain=True,
        chance=Chance(universal, matched),
        claim=plain.claim,
        label=plain.label,
        aliases=plain.aliases,
        formula=r"\frac{\sum_{r \le k} g_{(r)} / \log_2(r + 1)}"
        r"{\max_\pi \sum_{r \le k} g_{\pi(r)} / \log_2(r + 1)}",
        question=plain.question,
        caution=plain.caution,
        source=plain.source,
        parameters={"k": k},
        family="ndcg_at_k",
        takes_gains=True,
        made_by=(graded_ndcg, k, gains),
    )


def graded(measure: ScoreMeasure, gains: FloatArray) -> tuple[ScoreMeasure, Population]:
    """Return a measure for gains, and how many samples have one."""
    found = graded_ndcg(int(measure.parameters["k"]), tuple(gains.tolist()))
    return found, Population(len(gains), int(np.count_nonzero(gains)))


def graded_ranking(gains: FloatArray, scores: FloatArray) -> Ranking:
    """Return scores grouped by ties, with sums of gains in place of positives."""
    groups = Ranking.of(np.zeros(len(scores), dtype=bool), scores)
    ordered: Any = gains[np.argsort(-scores, kind="stable")]
    return Ranking(groups.scores, groups.sizes, np.add.reduceat(ordered, groups.ends - groups.sizes))
