"""Measures of the first samples of a ranking that weigh each by its rank: AP@k and NDCG@k.

Ties count as if they were broken at random, as in ``top``.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.null import hypergeometric as hg
from clearbar.problems._protocol import Tail
from clearbar.problems.scores._arrangements import log_arrangements
from clearbar.problems.scores._chance import NOTHING, Chance, by_arrangements, over_ties
from clearbar.problems.scores._measure import AS_MANY, ScoreMeasure, at_k, entry, first_k, positives_needed
from clearbar.problems.scores._ranking import Ranking
from clearbar.problems.scores._sums import chernoff_bound, sum_tail
from clearbar.problems.scores.top import SAME_FOR_ALL, TIES, last_group


def discounts(k: int) -> FloatArray:
    """Return the sums of the first 0 ... k discounts 1 / log2(rank + 1)."""
    return np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, k + 2)))])


def _cut(ranking: Ranking, k: int) -> Ranking:
    """Return a ranking whose samples beyond the first k share one score: they do not matter."""
    at = last_group(ranking, k)[0] + 1
    if at >= len(ranking.sizes):
        return ranking
    starts = np.arange(at + 1)
    sizes, positives = (np.add.reduceat(part, starts) for part in (ranking.sizes, ranking.positives))
    return Ranking(ranking.scores[: at + 1], sizes, positives)


FEW_RANKS = 16
"""Ranks up to which every way to have positive samples at them is looked at."""


@functools.lru_cache(maxsize=16)
def _untied_precisions(first: int, total: int, positives: int) -> tuple[FloatArray, FloatArray]:
    """Return the values of AP over the first ranks without ties, ascending, and their probabilities."""
    ranks = np.arange(1, first + 1)
    labels = (np.arange(2**first)[:, None] >> (ranks - 1)) & 1
    hits_so_far = labels.cumsum(axis=1)
    values = (labels * hits_so_far / ranks).sum(axis=1) / min(positives, first)
    hits = np.arange(first + 1)
    ways = np.array([math.comb(first, h) for h in hits.tolist()], dtype=np.float64)
    law = (hg.pmf(hits, total, positives, first) / ways)[hits_so_far[:, -1]]
    order = np.argsort(values, kind="stable")
    return values[order], law[order]


@first_k("average_precision", "ap", "map")
def average_precision_at_k(k: int) -> ScoreMeasure:
    """Return AP@k: the precision at each positive among the first k, over the most there can be."""

    def expected(total: int, positives: int) -> float:
        ranks = np.arange(1, min(k, total) + 1)
        repeat = (positives - 1) / (total - 1) if total > 1 else 0.0
        terms = positives / (total * ranks) * (1 + (ranks - 1) * repeat)
        return float(terms.sum()) / min(positives, k)

    def universal(total: int, positives: int, score: float) -> Tail:
        if k > FEW_RANKS:
            return NOTHING
        return over_ties(*_untied_precisions(min(k, total), total, positives), score)

    def matched(measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
        return by_arrangements(measure, _cut(ranking, k), score)

    @entry(
        question="How precise are the first predictions on average, each time a positive sample is found?",
        interval_of=AS_MANY,
        **at_k("average_precision", "AP", k),
        expected=expected,
        needs=positives_needed,
        certain=True,
        chance=Chance(universal, matched),
        claim=SAME_FOR_ALL,
        formula=r"\frac{1}{\min(P, k)} \sum_{r \le k} y_{(r)} P_r",
        caution=f"{TIES}; scikit-learn's average precision has another convention.",
        source="Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, section 8.4",
    )
    def measure(ranking: Ranking) -> Any:
        first = min(k, ranking.total)
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, first + 1))])
        before = ranking.ends - ranking.sizes
        taken = np.clip(first - before, 0, ranking.sizes)
        start = np.minimum(before, first)
        sums = harmonic[start + taken] - harmonic[start]
        later = taken - (before + 1) * sums
        b, above = ranking.positives, ranking.found - ranking.positives
        more = (b - 1) / np.maximum(ranking.sizes - 1, 1)
        return (b / np.maximum(ranking.sizes, 1) * ((above + 1) * sums + more * later)).sum(axis=-1) / min(
            ranking.hits, k
        )

    return measure


def rank_weights(ranking: Ranking, first: int) -> FloatArray:
    """Return each group's mean discount, over the ranks that its ties may take."""
    sums = discounts(first)
    ends, before = (np.minimum(x, first) for x in (ranking.ends, ranking.ends - ranking.sizes))
    return np.asarray((sums[ends] - sums[before]) / np.maximum(ranking.sizes, 1))


WHOLE = {
    "name": "ndcg",
    "label": "NDCG",
    "aliases": ("ndcg_score", "normalized_discounted_cumulative_gain"),
}
"""What tells NDCG of the whole ranking from that of its first samples."""


def ndcg_of_first(k: int = 0) -> ScoreMeasure:
    """Return NDCG@k with gains 1 and 0; k = 0 looks at all samples."""

    def depth(total: int) -> int:
        return min(k, total) if k else total

    def ideal(total: int, positives: int) -> float:
        return float(discounts(min(positives, depth(total)))[-1])

    def expected(total: int, positives: int) -> float:
        return positives / total * float(discounts(depth(total))[-1]) / ideal(total, positives)

    def weights_of(ranking: Ranking) -> FloatArray:
        return rank_weights(ranking, depth(ranking.total))

    def universal(total: int, positives: int, score: float) -> Tail:
        weights = np.zeros(total)
        weights[: depth(total)] = np.diff(discounts(depth(total)))
        perfect = math.exp(-log_arrangements(total, positives))
        bound = chernoff_bound(weights, positives, score * ideal(total, positives))
        return Tail.between(perfect, max(bound, perfect))

    def matched(_measure: ScoreMeasure, ranking: Ranking, score: float) -> Tail:
        wanted = score * ideal(ranking.total, ranking.hits)
        return sum_tail(weights_of(ranking), ranking.sizes, ranking.hits, wanted)

    @entry(
        question="How near the top of the ranking are the positive samples?",
        interval_of=AS_MANY,
        **at_k("ndcg", "NDCG", k) | ({} if k else WHOLE),
        takes_gains=True,
        expected=expected,
        needs=positives_needed,
        certain=True,
        chance=Chance(universal, matched),
        claim=SAME_FOR_ALL,
        formula=r"\frac{\sum_{r \le k} y_{(r)} / \log_2(r + 1)}{\sum_{r \le \min(P, k)} 1 / \log_2(r + 1)}",
        caution=f"{TIES}, as in scikit-learn.",
        source="Jarvelin and Kekalainen, ACM Transactions on Information Systems 20(4), 2002",
    )
    def measure(ranking: Ranking) -> Any:
        return (ranking.positives * weights_of(ranking)).sum(axis=-1) / ideal(ranking.total, ranking.hits)

    return measure


ndcg = ndcg_of_first()
"""NDCG of the whole ranking."""


@first_k("ndcg", "ndcg_score")
def ndcg_at_k(k: int) -> ScoreMeasure:
    """Return NDCG@k with gains 1 and 0."""
    return ndcg_of_first(k)
