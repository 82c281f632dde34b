"""P-values of scores: every arrangement, every pattern of ties, paths in whole numbers, SciPy's tests."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score
from tests.oracle import scores as hand

import clearbar as cb
from clearbar.problems.scores import (
    Ranking,
    _lattice,
    best_threshold,
    get_score_measure,
    ordering,
    score_measures,
)
from clearbar.problems.scores import _blind as blind
from clearbar.problems.scores._blind import by_arrangements, of_any, of_own
from clearbar.problems.scores.probability import brier_bound, log_loss_bound

EXACT = {"max_f1", "max_accuracy", "ks", "ks_one_sided"}


@pytest.mark.parametrize(("total", "positives"), [(4, 2), (5, 3), (6, 1)])
@pytest.mark.parametrize("name", hand.BY_NAME)
def test_p_values_against_every_arrangement_of_every_pattern_of_ties(name, total, positives):
    measure, orders = get_score_measure(name), list(hand.arrangements(total, positives))
    found = {
        tuple(scores): [hand.BY_NAME[name](labels, scores) for labels in orders]
        for scores in hand.tie_patterns(total)
    }
    slack = Fraction(1, 10**12)
    for score in sorted({value for values in found.values() for value in values}):
        chances = {
            scores: Fraction(sum(value >= score - slack for value in values), len(values))
            for scores, values in found.items()
        }
        largest = float(max(chances.values()))
        reach = of_any(measure, total, positives, float(score))
        assert reach.lower - 1e-12 <= largest <= reach.upper + 1e-12
        if name in EXACT:
            assert reach.upper == pytest.approx(largest, rel=1e-12)
        for scores, values in found.items():
            if score not in values:
                continue
            truth = orders[values.index(score)]
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


@pytest.mark.parametrize(
    ("name", "theirs", "alternative"),
    [
        ("roc_auc", stats.mannwhitneyu, "greater"),
        ("ks", stats.ks_2samp, "two-sided"),
        ("ks_one_sided", stats.ks_2samp, "less"),
    ],
)
def test_the_tests_of_mann_whitney_and_of_kolmogorov_without_ties_are_scipy_s(name, theirs, alternative):
    rng = np.random.default_rng(3)
    truth = rng.random(150) < 0.4
    scores = rng.normal(size=150) + 0.3 * truth
    expected = theirs(scores[truth], scores[~truth], alternative=alternative, method="exact").pvalue
    assert cb.evaluate_scores(truth, scores, name)[0].p_value_blind == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("groups", "worst"), [(6, 0.1), (12, 0.1), (25, 0.01), (40, 0.01), (None, 2e-3)])
def test_the_saddlepoint_is_near_the_exact_law_far_into_the_tail(groups, worst):
    rng = np.random.default_rng(groups)
    sizes = np.bincount(rng.integers(0, groups, 110)) if groups else np.ones(110, dtype=np.int64)
    sizes = sizes[sizes > 0].astype(np.int64)
    positives = 30
    twice = 2 * (sizes.sum() - np.cumsum(sizes)) + sizes + 1  # of the midranks
    law = blind.lattice_sums(twice, sizes, positives)
    tail = np.cumsum(law[::-1])[::-1]
    for level in (0.4, 0.05, 1e-3, 1e-6):
        u = int(np.searchsorted(-tail, -level))
        u += int(np.argmax(law[u:] > 0))
        found = blind.saddlepoint_tail(twice / 2, sizes, positives, u / 2)
        assert found == pytest.approx(tail[u], rel=worst)


def test_separated_scores_are_as_unlikely_as_there_are_arrangements():
    names = ["roc_auc", "log_loss", "brier", "max_f1", "p@30"]
    for verdict in cb.evaluate_scores(np.arange(100) < 30, np.linspace(1, 0, 100), names):
        assert verdict.p_value_blind == pytest.approx(1 / math.comb(100, 30), rel=1e-9)


def test_binary_scores_have_fisher_s_p_value():
    rng = np.random.default_rng(4)
    truth = rng.random(3000) < 0.3
    called = rng.random(3000) < 0.3 + 0.1 * truth
    table = [[np.sum((truth == y) & (called == x)) for y in (True, False)] for x in (True, False)]
    expected = stats.fisher_exact(table, alternative="greater").pvalue
    for verdict in cb.evaluate_scores(truth, np.where(called, 0.4, 0.25), ["roc_auc", "brier", "log_loss"]):
        assert verdict.p_value_blind == pytest.approx(expected, rel=1e-9)


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


def test_nan_where_no_bound_is_known_is_explained():
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


def share_that_reaches(total, positives, reaches, stops):
    """Count the paths that reach a region at a stop, one sample after the other, in whole numbers."""
    never, reached = {0: 1}, 0
    for passed in range(total + 1):
        if passed in stops:
            for tp in [tp for tp in never if reaches(tp, passed - tp)]:
                reached += never.pop(tp) * math.comb(total - passed, positives - tp)
        after = {}
        for tp, ways in never.items():
            if tp < positives:
                after[tp + 1] = after.get(tp + 1, 0) + ways
            if passed - tp < total - positives:
                after[tp] = after.get(tp, 0) + ways
        never = after
    return Fraction(reached, math.comb(total, positives))


FORMULAS = {
    "ks": lambda tp, fp, p, n: abs(Fraction(tp, p) - Fraction(fp, n)),
    "ks_one_sided": lambda tp, fp, p, n: Fraction(tp, p) - Fraction(fp, n),
    "max_f1": lambda tp, fp, p, _n: Fraction(2 * tp, p + tp + fp),
    "max_accuracy": lambda tp, fp, p, n: Fraction(tp + n - fp, p + n),
}


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(("total", "positives"), [(24, 7), (41, 30)])
def test_every_path_is_counted_in_whole_numbers(name, total, positives, tied):
    rng = np.random.default_rng(total)
    truth = rng.permutation(np.arange(total) < positives)
    scores = np.round(rng.normal(size=total) + truth, 0 if tied else 9)
    measure, ranking = get_score_measure(name), Ranking.of(truth, scores)
    score = float(measure.value(ranking))
    level = Fraction(score).limit_denominator(10**6)

    def reaches(tp, fp):
        return FORMULAS[name](tp, fp, positives, total - positives) >= level

    counted = share_that_reaches(total, positives, reaches, {0, *ranking.ends.tolist()})
    assert of_own(measure, ranking, score).upper == pytest.approx(float(counted), rel=1e-10)
    everywhere = share_that_reaches(total, positives, reaches, set(range(total + 1)))
    assert of_any(measure, total, positives, score).upper == pytest.approx(float(everywhere), rel=1e-10)


OWN = cb.Measure("own", lambda tp, fp, _fn, tn: tp * tn / (tp + fp + 1) ** 2, greater_is_better=True)


@pytest.mark.slow
@pytest.mark.parametrize("groups", [400, 60])
@pytest.mark.parametrize("name", [*FORMULAS, "max_mcc", "max_precision", "own"])
def test_random_rankings_have_the_distribution_of_the_lattice(name, groups, monkeypatch):
    """Only blocks that could hold the best value are put in order; all of a measure without directions."""
    rng = np.random.default_rng(groups)
    sizes = np.bincount(np.append(np.arange(groups), rng.integers(groups, size=400 - groups)))
    measure = best_threshold(OWN) if name == "own" else get_score_measure(name)
    labels = np.bincount(np.repeat(np.arange(groups), sizes), rng.permutation(np.arange(400) < 90))
    ranking = Ranking(np.arange(groups, 0.0, -1.0), sizes, labels.astype(np.int64))
    score = float(measure.value(ranking))
    exact = of_own(measure, ranking, score).upper
    monkeypatch.setattr(_lattice, "MOST_FOLLOWED", 0)
    simulated = of_own(measure, ranking, score)
    assert simulated.method == "permutation"
    error = math.sqrt(exact * (1 - exact) / simulated.draws)
    assert abs(simulated.upper - exact) <= 4 * error + 1 / simulated.draws


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
