"""Measures of the first k samples of a ranking, and NDCG; ties count as if they were broken at random.

With that convention every score that ignores the features expects the same, whatever its ties.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.null import hypergeometric as hg
from clearbar.problems.scores._measure import (
    AS_MANY,
    Distribution,
    Ranking,
    ScoreMeasure,
    at_k,
    entry,
    first_k,
    positives_needed,
)

TIES = "Samples with equal scores count as if their order were drawn at random"

SAME_FOR_ALL: dict[str, Any] = {
    "certain": True,
    "averages_ties": True,
    "claim": f"{TIES}, and then every score that ignores its input expects the same.",
    "caution": f"{TIES}.",
}


def _hits_in(
    k_of: Callable[[int, int], int], most_of: Callable[[int, int], int], **facts: Any
) -> ScoreMeasure:
    """Return the positives among the first ``k_of(M, P)``, over ``most_of(M, P)``."""

    def distribution(ranking: Ranking) -> Distribution | None:
        if ranking.tied:
            return None
        total, positives = ranking.total, ranking.hits
        k = k_of(total, positives)
        hits = np.arange(min(k, positives) + 1)
        return hits / most_of(total, positives), hg.pmf(hits, total, positives, k)

    def weights(ranking: Ranking) -> FloatArray:
        """Return which share of each group is among the first k."""
        taken = k_of(ranking.total, ranking.hits) - (ranking.ends - ranking.sizes)
        return np.asarray(np.clip(taken, 0, ranking.sizes) / np.maximum(ranking.sizes, 1))

    @entry(
        interval_of="",
        distribution=distribution,
        source="Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, section 8.4",
        **SAME_FOR_ALL,
        **facts,
    )
    def measure(ranking: Ranking) -> Any:
        return (ranking.positives * weights(ranking)).sum(axis=-1) / most_of(ranking.total, ranking.hits)

    return measure


@first_k("precision", "p", "prec")
def precision_at_k(k: int) -> ScoreMeasure:
    """Return precision@k: the share of positives among the first k."""
    return _hits_in(
        lambda _total, _positives: k,
        lambda _total, _positives: k,
        question="Which share of the samples with the highest scores is positive?",
        **at_k("precision", "precision", k),
        expected=lambda total, positives: positives / total,
        perfect=lambda _total, positives: min(positives, k) / k,
        needs=lambda total, _positives: (
            f"there are {total:,} samples, and it needs at least {k:,}" if total < k else ""
        ),
        formula=r"\frac1k \sum_{r \le k} y_{(r)}",
    )


@first_k("recall", "r")
def recall_at_k(k: int) -> ScoreMeasure:
    """Return recall@k: the share of the positives that is among the first k."""
    return _hits_in(
        lambda total, _positives: min(k, total),
        lambda _total, positives: positives,
        question="Which share of the positive samples has one of the highest scores?",
        **at_k("recall", "recall", k),
        expected=lambda total, _positives: min(k, total) / total,
        perfect=lambda _total, positives: min(positives, k) / positives if positives else math.nan,
        needs=positives_needed,
        formula=r"\frac1P \sum_{r \le k} y_{(r)}",
    )


r_precision = _hits_in(
    lambda _total, positives: positives,
    lambda _total, positives: positives,
    question="How precise are the predictions when as many samples are picked as are positive?",
    name="r_precision",
    label="R-precision",
    aliases=("rprec", "precision_at_r"),
    expected=lambda total, positives: positives / total,
    needs=positives_needed,
    formula=r"\frac1P \sum_{r \le P} y_{(r)}",
)


def _of_group(counts: IntArray, group: IntArray) -> IntArray:
    """Return what one group has, another one in each arrangement."""
    shape = np.broadcast_shapes(np.shape(group), counts.shape[:-1])
    spread = np.broadcast_to(counts, (*shape, counts.shape[-1]))
    return np.asarray(np.take_along_axis(spread, np.broadcast_to(group, shape)[..., None], axis=-1)[..., 0])


def _each(function: Callable[[int, int, int], float], *columns: IntArray) -> FloatArray:
    """Evaluate a function of three whole numbers, equal ones once."""
    together = np.stack(np.broadcast_arrays(*columns))
    triples, back = np.unique(together.reshape(3, -1), axis=1, return_inverse=True)
    values = np.array([function(*triple) for triple in triples.T.tolist()])
    return np.asarray(values[back].reshape(together.shape[1:]))


def _some_hit(total: int, positives: int, k: int) -> float:
    """Return how likely any of k of these samples, drawn at random, is positive."""
    return float(hg.tail_ge(1, total, positives, k))


@first_k("hit", "hits", "hit_rate", "hr", "success")
def hit_at_k(k: int) -> ScoreMeasure:
    """Return hit@k: whether any of the first k is positive."""

    def expected(total: int, positives: int) -> float:
        return _some_hit(total, positives, min(k, total))

    def distribution(ranking: Ranking) -> Distribution | None:
        chance = expected(ranking.total, ranking.hits)
        return None if ranking.tied else (np.array([0.0, 1.0]), np.array([1 - chance, chance]))

    @entry(
        question="Is any of the samples with the highest scores positive?",
        interval_of=AS_MANY,
        **at_k("hit", "hit", k),
        expected=expected,
        needs=positives_needed,
        distribution=distribution,
        formula=r"\max_{r \le k} y_{(r)}",
        source="Deshpande and Karypis, ACM Transactions on Information Systems 22(1), 2004",
        **SAME_FOR_ALL,
    )
    def measure(ranking: Ranking) -> Any:
        first = min(k, ranking.total)
        group = np.argmax(ranking.ends >= first, axis=-1)
        size, among, ends, hits = (
            _of_group(counts, group)
            for counts in (ranking.sizes, ranking.positives, ranking.ends, ranking.found)
        )
        return np.where(hits > among, 1.0, _each(_some_hit, size, among, first - (ends - size)))

    return measure


def _first_hit(total: int, positives: int) -> FloatArray:
    """Return P(the first positive has rank r) for r = 1 ... N + 1."""
    r = np.arange(1, total - positives + 1, dtype=np.float64)
    steps = (total - positives - r + 1) / (total - r)
    return positives / total * np.concatenate([[1.0], np.cumprod(steps)])


@functools.lru_cache(maxsize=64)
def _reciprocal_rank(before: int, size: int, positives: int) -> float:
    """Return the mean reciprocal rank of the first of some positives in a group of tied samples."""
    chances = _first_hit(size, positives)
    return float((chances / (before + np.arange(1, len(chances) + 1))).sum())


def _reciprocal_ranks(ranking: Ranking) -> Distribution | None:
    if ranking.tied:
        return None
    chances = _first_hit(ranking.total, ranking.hits)
    return 1 / np.arange(1, len(chances) + 1), chances


@entry(
    question="How far up is the first positive sample?",
    interval_of=AS_MANY,
    name="mrr",
    label="reciprocal rank",
    aliases=("mean_reciprocal_rank", "reciprocal_rank"),
    expected=lambda total, positives: _reciprocal_rank(0, total, positives),
    needs=positives_needed,
    distribution=_reciprocal_ranks,
    formula=r"1 / \min\{r : y_{(r)} = 1\}",
    source="Voorhees, TREC-8 Question Answering Track Report, 1999",
    **SAME_FOR_ALL | {"caution": f"{TIES}. Its mean over queries is the MRR: pass the queries as folds."},
)
def mrr(ranking: Ranking) -> Any:
    group = np.argmax(ranking.positives > 0, axis=-1)
    size, among, ends = (
        _of_group(counts, group) for counts in (ranking.sizes, ranking.positives, ranking.ends)
    )
    return _each(_reciprocal_rank, ends - size, size, among)


def discounts(k: int) -> FloatArray:
    """Return the sums of the first 0 ... k discounts 1 / log2(rank + 1)."""
    return np.concatenate([[0.0], np.cumsum(1 / np.log2(np.arange(2, k + 2)))])


@first_k("average_precision", "ap", "map")
def average_precision_at_k(k: int) -> ScoreMeasure:
    """Return AP@k: the precision at each positive among the first k, over the most there can be."""

    def expected(total: int, positives: int) -> float:
        ranks = np.arange(1, min(k, total) + 1)
        repeat = (positives - 1) / (total - 1) if total > 1 else 0.0
        terms = positives / (total * ranks) * (1 + (ranks - 1) * repeat)
        return float(terms.sum()) / min(positives, k)

    @entry(
        question="How precise are the first predictions on average, each time a positive sample is found?",
        interval_of=AS_MANY,
        **at_k("average_precision", "AP", k),
        expected=expected,
        needs=positives_needed,
        formula=r"\frac{1}{\min(P, k)} \sum_{r \le k} y_{(r)} P_r",
        source="Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008, section 8.4",
        **SAME_FOR_ALL | {"caution": f"{TIES}; scikit-learn's average precision has another convention."},
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


def ndcg_of_first(k: int = 0) -> ScoreMeasure:
    """Return NDCG@k with gains 1 and 0; k = 0 looks at all samples."""

    def depth(total: int) -> int:
        return min(k, total) if k else total

    def ideal(total: int, positives: int) -> float:
        return float(discounts(min(positives, depth(total)))[-1])

    def expected(total: int, positives: int) -> float:
        return positives / total * float(discounts(depth(total))[-1]) / ideal(total, positives)

    names = {
        "name": "ndcg",
        "label": "NDCG",
        "aliases": ("ndcg_score", "normalized_discounted_cumulative_gain"),
    }

    @entry(
        question="How near the top of the ranking are the positive samples?",
        interval_of=AS_MANY,
        **at_k("ndcg", "NDCG", k) | ({} if k else names),
        takes_gains=True,
        expected=expected,
        needs=positives_needed,
        formula=r"\frac{\sum_{r \le k} y_{(r)} / \log_2(r + 1)}{\sum_{r \le \min(P, k)} 1 / \log_2(r + 1)}",
        source="Jarvelin and Kekalainen, ACM Transactions on Information Systems 20(4), 2002",
        **SAME_FOR_ALL | {"caution": f"{TIES}, as in scikit-learn."},
    )
    def measure(ranking: Ranking) -> Any:
        weights = rank_weights(ranking, depth(ranking.total))
        return (ranking.positives * weights).sum(axis=-1) / ideal(ranking.total, ranking.hits)

    return measure


ndcg = ndcg_of_first()
"""NDCG of the whole ranking."""


@first_k("ndcg", "ndcg_score")
def ndcg_at_k(k: int) -> ScoreMeasure:
    """Return NDCG@k with gains 1 and 0."""
    return ndcg_of_first(k)
