"""P-values of scores: every arrangement, every pattern of ties, SciPy's tests, far tails."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.oracle import scores as hand

import clearbar as cb
from clearbar.problems.scores import Ranking, get_score_measure, ordering, score_measures
from clearbar.problems.scores import _blind as blind
from clearbar.problems.scores._blind import by_arrangements, majorant, of_any, of_own
from clearbar.problems.scores.probability import brier_bound, log_loss_bound

NAMES = {
    "roc_auc": hand.roc_auc,
    "max_f1": functools.partial(hand.best, hand.f1),
    "max_accuracy": functools.partial(hand.best, hand.accuracy),
    "ks": functools.partial(hand.best, hand.two_sided),
    "ks_one_sided": functools.partial(hand.best, hand.gap),
    "average_precision": hand.average_precision,
    "precision@2": functools.partial(hand.over_orders, hand.precision_at(2)),
    "recall@3": functools.partial(hand.over_orders, hand.recall_at(3)),
    "hit@2": functools.partial(hand.over_orders, hand.hit_at(2)),
    "mrr": functools.partial(hand.over_orders, hand.reciprocal_rank),
    "r_precision": functools.partial(hand.over_orders, hand.r_precision),
    "ndcg@3": functools.partial(hand.over_orders, hand.ndcg_at(3)),
    "ap@3": functools.partial(hand.over_orders, hand.average_precision_at(3)),
}
EXACT = {"max_f1", "max_accuracy", "ks", "ks_one_sided"}


def laws(name, total, positives):
    """For every pattern of ties the values of all arrangements."""
    return {
        tuple(scores): [NAMES[name](labels, scores) for labels in hand.arrangements(total, positives)]
        for scores in hand.tie_patterns(total)
    }


@pytest.mark.parametrize(("total", "positives"), [(4, 2), (5, 3), (6, 1)])
@pytest.mark.parametrize("name", NAMES)
def test_p_values_against_every_arrangement_of_every_pattern_of_ties(name, total, positives):
    measure, found = get_score_measure(name), laws(name, total, positives)
    attained = sorted({value for values in found.values() for value in values})
    slack = Fraction(1, 10**12)
    for score in attained:
        chances = {
            scores: Fraction(sum(value >= score - slack for value in values), len(values))
            for scores, values in found.items()
        }
        largest = max(chances.values())
        reach = of_any(measure, total, positives, float(score))
        assert reach.upper >= float(largest) - 1e-12
        assert reach.lower <= float(largest) + 1e-12
        if name in EXACT:
            assert reach.upper == pytest.approx(float(largest), rel=1e-12)
        for scores, values in found.items():
            if score not in values:
                continue
            truth = next(
                labels
                for labels, value in zip(hand.arrangements(total, positives), values, strict=True)
                if value == score
            )
            ranking = Ranking.of(np.array(truth, dtype=bool), np.array(scores, dtype=float))
            own = of_own(measure, ranking, float(measure.value(ranking)))
            assert own.upper == pytest.approx(float(chances[scores]), rel=1e-12)
            assert own.note == ""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["log_loss", "brier_score", "d2_brier_score"])
def test_bounds_of_losses_hold_for_every_multiset_of_probabilities_on_a_grid(name):
    measure, grid = get_score_measure(name), [0.0, 0.3, 0.5, 0.8, 1.0]
    total, positives = (4, 1) if name == "d2_brier_score" else (5, 2)
    sign = 1 if measure.greater_is_better else -1
    for scores in itertools.combinations_with_replacement(grid, total):
        values = sign * np.array([measure(labels, scores) for labels in hand.arrangements(total, positives)])
        for value in np.unique(values):
            share = np.mean(values >= value - 1e-12)
            assert of_any(measure, total, positives, sign * value).upper >= share - 1e-12


def test_bounds_of_losses_end_in_the_number_of_arrangements():
    for total, positives in ((10, 3), (40, 20), (300, 9)):
        sure = 1 / math.comb(total, positives)
        assert log_loss_bound(total, positives, 0.0) == pytest.approx(sure, rel=1e-12)
        assert brier_bound(total, positives, 0.0) == pytest.approx(sure, rel=1e-4)
        share = positives / total
        entropy = -(share * math.log(share) + (1 - share) * math.log(1 - share))
        assert log_loss_bound(total, positives, entropy) == 1.0
        assert brier_bound(total, positives, share * (1 - share)) == 1.0


def exact_untied(total, positives):
    """Counts of U, by adding samples one at a time, in whole numbers."""
    ways = {(0, 0): {0: 1}}
    for _ in range(total):
        new = {}
        for (p, n), law in ways.items():
            for u, count in law.items():
                if p < positives:
                    law_p = new.setdefault((p + 1, n), {})
                    law_p[u + n] = law_p.get(u + n, 0) + count
                if n < total - positives:
                    law_n = new.setdefault((p, n + 1), {})
                    law_n[u] = law_n.get(u, 0) + count
        ways = new
    return ways[positives, total - positives]


@pytest.mark.parametrize(("total", "positives"), [(5, 2), (12, 5), (30, 11), (40, 3)])
def test_the_mann_whitney_law_without_ties_is_counted_in_whole_numbers(total, positives):
    counts = exact_untied(total, positives)
    law = ordering.untied_pairs(total, positives)
    ways = math.comb(total, positives)
    for u, probability in enumerate(law):
        assert probability == pytest.approx(counts.get(u, 0) / ways, rel=1e-13)


def test_the_mann_whitney_test_without_ties_is_scipy_s():
    rng = np.random.default_rng(3)
    truth, scores = rng.random(150) < 0.4, rng.normal(size=150)
    scores = scores + 0.3 * truth
    expected = stats.mannwhitneyu(scores[truth], scores[~truth], alternative="greater", method="exact").pvalue
    card = cb.evaluate_scores(truth, scores, "roc_auc")
    assert card[0].p_value_blind == pytest.approx(expected, rel=1e-9)


def twice_midranks(sizes):
    return 2 * (sizes.sum() - np.cumsum(sizes)) + sizes + 1


@pytest.mark.parametrize("sizes", [(2, 1, 3), (4, 4), (1, 5, 2, 2), (3, 1, 1, 1, 4)])
def test_sums_of_midranks_are_those_of_every_arrangement(sizes):
    sizes = np.array(sizes)
    scores = np.repeat(np.arange(len(sizes))[::-1], sizes).tolist()
    ranks = np.repeat(twice_midranks(sizes), sizes)
    for positives in range(1, len(scores)):
        found = blind.lattice_sums(twice_midranks(sizes), sizes, positives)
        counts = np.zeros(len(found))
        for labels in hand.arrangements(len(scores), positives):
            counts[int(ranks @ np.array(labels, dtype=np.int64))] += 1
        np.testing.assert_allclose(found, counts / counts.sum(), rtol=1e-12, atol=1e-16)


@pytest.mark.parametrize(("total", "positives", "worst"), [(60, 20, 2e-3), (200, 100, 1e-3), (600, 50, 1e-3)])
def test_the_saddlepoint_is_near_the_exact_law_far_into_the_tail(total, positives, worst):
    law = ordering.untied_pairs(total, positives)
    tail = np.cumsum(law[::-1])[::-1]
    ranks, ones = np.arange(1.0, total + 1), np.ones(total, dtype=np.int64)
    for level in (0.4, 0.05, 1e-3, 1e-6, 1e-9):
        u = int(np.searchsorted(-tail, -level))
        found = blind.saddlepoint_tail(ranks, ones, positives, u + positives * (positives + 1) / 2)
        assert found == pytest.approx(tail[u], rel=worst)


@pytest.mark.parametrize(("groups", "worst"), [(6, 0.1), (12, 0.1), (25, 0.01), (40, 0.01)])
def test_the_saddlepoint_with_ties_is_near_the_exact_law(groups, worst):
    rng = np.random.default_rng(groups)
    sizes = np.bincount(rng.integers(0, groups, 110), minlength=groups)
    sizes = sizes[sizes > 0].astype(np.int64)
    positives = 30
    midranks = twice_midranks(sizes) / 2
    law = blind.lattice_sums(twice_midranks(sizes), sizes, positives)
    tail = np.cumsum(law[::-1])[::-1]
    for level in (0.4, 0.05, 1e-3, 1e-6):
        u = int(np.searchsorted(-tail, -level))
        u += int(np.argmax(law[u:] > 0))
        found = blind.saddlepoint_tail(midranks, sizes, positives, u / 2)
        assert found == pytest.approx(tail[u], rel=worst)


def test_bounds_over_patterns_of_ties_are_nested(monkeypatch):
    """The share whose mean is the score is below Markov's bounds, and above the tail itself."""
    for total, positives in ((20, 8), (60, 6), (100, 50)):
        law = ordering.untied_pairs(total, positives)
        values = np.arange(len(law), dtype=float)
        tail = np.cumsum(law[::-1])[::-1]
        for level in (0.2, 1e-2, 1e-4):
            u = float(np.searchsorted(-tail, -level))
            largest = majorant(values, law, u)
            markov = ordering.pairs_bound(total, positives, u - positives * (total - positives) / 2)
            assert tail[int(u)] <= largest <= math.e * tail[int(u)]
            assert largest <= markov
            ranks = np.arange(1.0, total + 1)
            coarser = blind.chernoff_bound(ranks, positives, u + positives * (positives + 1) / 2)
            assert markov <= coarser * (1 + 1e-9)
    monkeypatch.setattr(ordering, "MOST_STEPS", 0)
    assert of_any(get_score_measure("roc_auc"), 100, 50, 0.7).upper < 1e-2


@pytest.mark.parametrize(("total", "positives"), [(8, 3), (30, 5), (100, 50), (12, 11)])
def test_the_bound_of_the_largest_sum_is_no_less_than_its_probability(total, positives):
    weights = 1 / np.log2(np.arange(2, total + 2))
    bound = blind.chernoff_bound(weights, positives, float(weights[:positives].sum()))
    assert bound * (1 + 1e-9) >= 1 / math.comb(total, positives)


def test_the_majorant_is_the_share_whose_mean_is_the_score():
    values, law = np.array([0.0, 1.0, 2.0, 3.0, 4.0]), np.array([1, 1, 2, 1, 1]) / 6
    assert majorant(values, law, 3.0) == pytest.approx(1 / 2)  # of four samples, two positive
    assert majorant(values, law, 4.0) == pytest.approx(1 / 6)
    assert majorant(values, law, 2.0) == 1.0


def test_separated_scores_are_as_unlikely_as_there_are_arrangements():
    truth = np.array([1] * 30 + [0] * 70, dtype=bool)
    scores = np.linspace(1, 0, 100)
    card = cb.evaluate_scores(
        truth,
        scores,
        ["roc_auc", "log_loss", "brier", "max_f1", "p@30"],
    )
    for verdict in card:
        assert verdict.p_value_blind == pytest.approx(1 / math.comb(100, 30), rel=1e-9)


def test_binary_scores_have_fisher_s_p_value():
    rng = np.random.default_rng(4)
    truth = rng.random(3000) < 0.3
    called = rng.random(3000) < 0.3 + 0.1 * truth
    table = [[int((truth & called).sum()), int((~truth & called).sum())],
             [int((truth & ~called).sum()), int((~truth & ~called).sum())]]  # fmt: skip
    expected = stats.fisher_exact(table, alternative="greater").pvalue
    scores = np.where(called, 0.4, 0.25)
    for name in ("roc_auc", "brier", "log_loss"):
        found = cb.evaluate_scores(truth, scores, name)[0].p_value_blind
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["brier_score", "log_loss", "ndcg", "roc_auc"])
def test_saddlepoints_of_other_sums_against_random_arrangements(name):
    rng = np.random.default_rng(12)
    truth = rng.random(400) < 0.3
    scores = 1 / (1 + np.exp(-(rng.normal(size=400) + 0.25 * truth - 1)))
    measure = get_score_measure(name)
    ranking = Ranking.of(truth, scores)
    value = float(measure.value(ranking))
    exact = of_own(measure, ranking, value)
    random = by_arrangements(measure, ranking, value)
    assert "random rankings" in str(random.note)
    assert abs(exact.upper - random.upper) < 5 * math.sqrt(exact.upper / 9999) + 2e-4


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1], [3, 2, 2], [1, 4, 1], [6]])
def test_every_arrangement_over_groups_with_its_probability(sizes):
    sizes = np.array(sizes)
    total = int(sizes.sum())
    for positives in range(total + 1):
        found, probabilities = blind.all_arrangements(sizes, positives)
        counted = {}
        group = np.repeat(np.arange(len(sizes)), sizes)
        for labels in hand.arrangements(total, positives):
            key = tuple(np.bincount(group, labels, minlength=len(sizes)).astype(int).tolist())
            counted[key] = counted.get(key, 0) + 1
        ways = math.comb(total, positives)
        got = dict(zip(map(tuple, found.tolist()), probabilities.tolist(), strict=True))
        assert got.keys() == counted.keys()
        assert all(got[key] == pytest.approx(count / ways, rel=1e-12) for key, count in counted.items())


def test_random_arrangements_are_the_same_in_every_run_and_have_the_right_mean():
    sizes = np.ones(40, dtype=np.int64)
    first, second = (np.concatenate(list(blind.shuffles(sizes, 13))) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert (first.sum(axis=1) == 13).all()
    assert np.abs(first.mean(axis=0) - 13 / 40).max() < 0.03
    grouped = np.concatenate(list(blind.shuffles(np.array([10, 30]), 13)))
    assert abs(grouped[:, 0].mean() - 13 / 4) < 0.05


def test_nan_where_no_bound_is_known_is_explained():
    truth, scores = [1, 1, 0, 0, 0, 0, 1, 1], [0.9, 0.8, 0.4, 0.5, 0.6, 0.7, 0.3, 0.2]
    verdict = cb.evaluate_scores(truth, scores, "average_precision", folds=[0, 1] * 4)[0]
    assert math.isnan(verdict.p_value)  # both folds score the same, and neither is perfect
    assert 0 < verdict.p_value_blind < 1
    assert "p_value is not known where all folds score the same" in verdict.reason
    assert "would take too long" in str(of_any(get_score_measure("max_f1"), 10**8, 10**7, 0.9).note)
    assert "left out above" in cb.baseline(cb.Population(10**6, 10**5), "ap").judge(0.9).reason


@pytest.mark.parametrize("groups", [4, 12, 40])
def test_average_precision_of_any_ties_is_rarer_than_that_with_the_best_ties(groups):
    """On 60 samples, far more than can all be looked at, random arrangements of tied scores."""
    total, positives, measure = 60, 20, get_score_measure("average_precision")
    rng = np.random.default_rng(groups)
    scores = np.sort(rng.integers(0, groups, total))[::-1]
    truth = np.arange(total) < positives
    tied = np.array([measure(rng.permutation(truth), scores) for _ in range(500)])
    for level in (0.4, 0.1):
        score = float(np.quantile(tied, 1 - level))
        reach = of_any(measure, total, positives, score)
        share = float(np.mean(tied >= score))
        assert reach.upper > share - 4 * math.sqrt(share / 500)
        assert str(reach.note).startswith(
            "p_value_blind is from 9,999 random rankings, with a standard error of"
        )


@pytest.mark.slow
@pytest.mark.parametrize(("total", "positives"), [(3000, 1), (3000, 2999), (150, 2), (150, 148)])
@pytest.mark.parametrize("name", ["ndcg", "brier", "roc_auc"])
def test_one_or_two_samples_of_a_class_are_placed_in_every_way(name, total, positives):
    """By pairs, not by arrangements: one per row of a matrix of all of them would fill the memory."""
    rng = np.random.default_rng(total)
    truth = np.arange(total) < positives
    scores = rng.permutation(rng.random(total).round(2))
    measure = get_score_measure(name)
    ranking = Ranking.of(truth, scores)
    value = float(measure.value(ranking))
    found = of_own(measure, ranking, value)
    assert found.note == ""
    draws = [measure.value(ranking.with_positives(part)) for part in blind.shuffles(ranking.sizes, positives)]
    better = (np.concatenate(draws) - value) * (1 if measure.greater_is_better else -1) >= -1e-12
    assert abs(found.upper - np.mean(better)) < 5 * math.sqrt(0.25 / len(better))


@pytest.mark.slow
def test_constant_scores_of_a_million_samples_are_quick():
    truth = np.arange(1_000_000) < 100_000
    for name in ("mrr", "hit@100", "roc_auc", "recall@100"):
        verdict = cb.evaluate_scores(truth, np.zeros(truth.size), name)[0]
        assert (verdict.outcome, verdict.p_value_blind) == ("ties", 1)


def test_the_best_of_all_thresholds_is_exact_far_into_the_tail():
    """The best accuracy by the reflection principle: paths that reach a height are paths to its mirror."""
    total, positives, measure = 200, 60, get_score_measure("max_accuracy")
    for height in (5, 20, 55):
        value = (total - positives + height) / total
        exact = math.comb(total, positives - height) / math.comb(total, positives)
        found = of_any(measure, total, positives, value)
        assert found.upper == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("seed", range(15))
def test_what_any_scores_reach_is_never_rarer_than_what_the_models_own_do(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(4, 40))
    truth = rng.random(size) < 0.4
    truth[:2] = [True, False]
    scores = np.clip(rng.random(size) * 0.7 + 0.3 * truth, 0, 1).round(int(rng.integers(1, 4)))
    ranking = Ranking.of(truth, scores)
    for measure in score_measures():
        score = float(measure.value(ranking))
        if math.isnan(score):
            continue
        own = of_own(measure, ranking, score)
        assert 0 < own.upper <= 1, measure.name
        reach = of_any(measure, ranking.total, ranking.hits, score)
        if "random" not in f"{own.note}{reach.note}" and not math.isnan(reach.upper):
            assert reach.upper >= own.upper * (1 - 1e-9), measure.name


def test_more_arrangements_than_are_looked_at_are_not_listed():
    rng = np.random.default_rng(0)
    for _ in range(100):
        sizes = rng.integers(1, 6, rng.integers(1, 6))
        positives = int(rng.integers(0, sizes.sum() + 1))
        ways = sum(sum(one) == positives for one in itertools.product(*(range(size + 1) for size in sizes)))
        found = blind.all_arrangements(sizes, positives, 20)
        assert (found is None) == (ways > 20)
    assert blind.all_arrangements(np.array([10**9, 10**9]), 10**9) is None
