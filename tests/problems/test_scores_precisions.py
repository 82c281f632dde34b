"""Average precision of random rankings: all arrangements, the closed form of the mean, plain shuffles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from tests.oracle import scores as hand

import clearbar as cb
from clearbar.problems.scores import Ranking, get_score_measure, ordering
from clearbar.problems.scores._chance import of_any, of_own


def with_the_best_ties(labels):
    """The mean over positive samples of the best precision at their rank or below, labels from the top."""
    precision = np.cumsum(labels) / np.arange(1, len(labels) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return best[np.asarray(labels, dtype=bool)].mean()


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[1] * 11, [1, 2, 1, 3, 4], [5, 6], [1, 1, 1, 1, 4, 1, 1, 1]])
def test_random_rankings_have_the_law_of_all_arrangements(monkeypatch, sizes):
    """Rank by rank, and group by group below the first three."""
    monkeypatch.setattr(ordering, "SHARE", 0.0)
    positives = 4
    scores = np.repeat(np.arange(len(sizes), 0, -1), sizes)
    labels = list(hand.arrangements(11, positives))
    plain = [np.array([average_precision_score(y, scores) for y in labels])]
    if max(sizes) == 1:
        plain.append(np.array([with_the_best_ties(y) for y in labels]))
    for top in (400, 3):
        monkeypatch.setattr(ordering, "RANK_BY_RANK", top)
        quick = ordering.random_precisions(np.array(sizes), positives)
        assert len(quick[0]) == 9_999
        for values, found in zip(plain, quick, strict=False):
            for level in np.unique(values.round(9)):
                share, seen = np.mean(values >= level - 1e-9), np.mean(found >= level - 1e-9)
                assert abs(seen - share) < 5 * math.sqrt(share * (1 - share) / 9_999) + 1e-12


SHUFFLES = 300


@pytest.mark.slow
@pytest.mark.parametrize(("total", "positives", "groups"),
                         [(3000, 1500, 0), (3000, 90, 0), (3000, 1000, 60), (3000, 1000, 2000)])  # fmt: skip
def test_blocks_of_ranks_have_the_law_of_plain_shuffles(total, positives, groups):
    rng = np.random.default_rng(total + groups)
    sizes = np.bincount(rng.integers(0, groups, total)) if groups else np.ones(total, dtype=np.int64)
    sizes = sizes[sizes > 0]
    scores = np.repeat(np.arange(len(sizes), 0, -1), sizes)
    truth = np.arange(total) < positives
    shuffled = [rng.permutation(truth) for _ in range(SHUFFLES)]
    values = np.array([average_precision_score(y, scores) for y in shuffled])
    found, best = ordering.random_precisions(sizes, positives)
    ends = np.cumsum(sizes)
    repeat = (positives - 1) / (total - 1)
    mean = repeat + (1 - repeat) / total * float((sizes / ends).sum())
    assert abs(found.mean() - mean) < 5 * found.std() / math.sqrt(len(found))
    pairs = [(values, found)]
    if not groups:
        pairs.append((np.array([with_the_best_ties(y) for y in shuffled]), best))
    for plain, quick in pairs:
        assert quick.std() == pytest.approx(plain.std(), rel=0.15)
        for level in (0.5, 0.2, 0.05):
            share = np.mean(quick >= np.quantile(plain, 1 - level))
            assert abs(share - level) < 5 * math.sqrt(level * (1 - level) / SHUFFLES)


@pytest.mark.parametrize("total", [400, 20_000, 1_000_000])
def test_no_fewer_rankings_are_tried_however_many_samples_there_are(total):
    measure = get_score_measure("average_precision")
    truth = np.arange(total) % 3 == 0
    ranking = Ranking.of(truth, np.random.default_rng(total).random(total))
    found = of_own(measure, ranking, float(measure.value(ranking)))
    assert found == of_own(measure, ranking, float(measure.value(ranking)))
    assert f"from {9_999 if total <= 2_000 else 2_499:,} random rankings" in str(found.note)
    assert 0 < found.upper < 1


@pytest.mark.slow
def test_the_top_of_many_samples_decides_where_positives_are_few():
    """Of three positives among 2,000 samples: P(AP >= 1/3) is nearly that of a positive sample on top."""
    measure, total = get_score_measure("average_precision"), 2_000
    rng = np.random.default_rng(1)
    ranks = np.sort(np.argpartition(rng.random((5_000, total)), 3, axis=1)[:, :3] + 1, axis=1)
    plain = (np.array([1, 2, 3]) / ranks).mean(axis=1)
    truth = np.arange(total) < 3
    for level in (0.01, 0.05):
        score = float(np.quantile(plain, 1 - level))
        share = np.mean(ordering.untied_precisions(total, 3)[0] >= score)
        assert abs(share - level) < 5 * math.sqrt(level / 9_999 + level / 5_000)
    assert cb.evaluate_scores(truth, -np.arange(total), "ap")[0].p_value_blind <= 2e-4
    assert of_any(measure, total, 3, 0.9).upper <= 1e-3
