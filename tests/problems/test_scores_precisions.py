"""Average precision of random rankings: all arrangements, the closed form of the mean, plain shuffles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score
from tests.oracle import scores as hand

from clearbar.problems.scores import Ranking, get_score_measure, ordering
from clearbar.problems.scores._blind import of_own


def with_the_best_ties(labels):
    """The mean over positive samples of the best precision at their rank or below, labels from the top."""
    precision = np.cumsum(labels) / np.arange(1, len(labels) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return best[np.asarray(labels, dtype=bool)].mean()


def ranked(sizes, positives):
    """Groups of these sizes, the first so many samples positive."""
    sizes = np.array(sizes)
    labels = np.diff(np.minimum(np.cumsum(sizes), positives), prepend=0)
    return Ranking(np.arange(len(sizes), 0.0, -1.0), sizes, labels)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[1] * 11, [1, 2, 1, 3, 4], [5, 6], [1, 1, 1, 1, 4, 1, 1, 1]])
def test_random_rankings_have_the_distribution_of_all_arrangements(monkeypatch, sizes):
    """Rank by rank, and group by group below the first three."""
    monkeypatch.setattr(ordering, "SHARE", 0.0)
    scores = np.repeat(np.arange(len(sizes), 0, -1), sizes)
    values = np.array([average_precision_score(y, scores) for y in hand.arrangements(11, 4)])
    for top in (400, 3):
        monkeypatch.setattr(ordering, "RANK_BY_RANK", top)
        found = ordering.random_precisions(ranked(sizes, 4))
        assert len(found) == 9_999
        for level in np.unique(values.round(9)):
            share, seen = np.mean(values >= level - 1e-9), np.mean(found >= level - 1e-9)
            assert abs(seen - share) < 5 * math.sqrt(share * (1 - share) / 9_999) + 1e-12


def test_the_best_ties_are_those_of_the_best_precision_further_down():
    labels = np.array(list(hand.arrangements(7, 3)))
    expected = [with_the_best_ties(row) for row in labels]
    found = ordering._with_best_ties(ranked([1] * 7, 3).with_positives(labels))
    np.testing.assert_allclose(found, expected, rtol=1e-14)


SHUFFLES = 300


@pytest.mark.slow
@pytest.mark.parametrize(("total", "positives", "groups"),
                         [(3000, 1500, 0), (3000, 90, 0), (3000, 1000, 60), (3000, 1000, 2000)])  # fmt: skip
def test_blocks_of_ranks_have_the_distribution_of_plain_shuffles(total, positives, groups):
    rng = np.random.default_rng(total + groups)
    sizes = np.bincount(rng.integers(0, groups, total)) if groups else np.ones(total, dtype=np.int64)
    sizes = sizes[sizes > 0]
    scores = np.repeat(np.arange(len(sizes), 0, -1), sizes)
    truth = np.arange(total) < positives
    values = np.array([average_precision_score(rng.permutation(truth), scores) for _ in range(SHUFFLES)])
    found = ordering.random_precisions(ranked(sizes, positives))
    repeat = (positives - 1) / (total - 1)
    mean = repeat + (1 - repeat) / total * float((sizes / np.cumsum(sizes)).sum())
    assert abs(found.mean() - mean) < 5 * found.std() / math.sqrt(len(found))
    assert found.std() == pytest.approx(values.std(), rel=0.15)
    for level in (0.5, 0.2, 0.05):
        share = np.mean(found >= np.quantile(values, 1 - level))
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
