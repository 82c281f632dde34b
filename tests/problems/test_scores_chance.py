"""P-values of scores: every arrangement, every pattern of ties, paths in whole numbers, SciPy's tests."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.oracle import scores as hand

import clearbar as cb
from clearbar.inference import units as engine
from clearbar.problems.scores import Ranking, get_score_measure, ordering, score_measures
from clearbar.problems.scores._blind import arrangements, exact_chance, of_any, random_labels
from clearbar.problems.scores.probability import brier_bound, log_loss_bound

EXACT = {"max_f1", "max_accuracy", "ks", "ks_one_sided"}


def drawn(ranking, number=9_999):
    """How many positive samples have each score where labels are in random order."""
    return np.concatenate(list(arrangements(ranking, number, np.random.default_rng(1))))


@pytest.mark.parametrize(("total", "positives"), [(5, 3), (6, 1)])
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
            tail = exact_chance(measure, ranking, float(measure.value(ranking)))
            assert tail.upper == pytest.approx(float(chances[scores]), rel=1e-12)
            assert (tail.note, tail.method) == ("", "exact")


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


def test_the_test_of_mann_and_whitney_is_scipy_s_and_with_ties_that_of_all_arrangements():
    rng = np.random.default_rng(3)
    truth = rng.random(150) < 0.4
    scores = rng.normal(size=150) + 0.3 * truth
    expected = stats.mannwhitneyu(scores[truth], scores[~truth], alternative="greater", method="exact").pvalue
    assert cb.evaluate_scores(truth, scores, "roc_auc")[0].p_value_blind == pytest.approx(expected, rel=1e-9)
    ranking = Ranking.of(truth, scores.round(0))
    values, chances = ordering.pairs_distribution(ranking)
    assert chances.sum() == pytest.approx(1, rel=1e-12)
    for share in (0.3, 0.02):
        score = float(np.quantile(AUC.value(ranking.with_positives(drawn(ranking))), 1 - share))
        seen = np.mean(AUC.value(ranking.with_positives(drawn(ranking))) >= score - 1e-12)
        assert abs(chances[values >= score - 1e-12].sum() - seen) < 4 * math.sqrt(share / 9_999)


AUC = get_score_measure("roc_auc")


@pytest.mark.parametrize(
    ("positives", "sizes"),
    [(20, [1] * 320), (60, [1] * 120), (30, [9] * 24), (40, [*range(1, 24), 1, 1, 1])],
)
def test_the_saddlepoint_of_an_auc_is_within_a_percent_of_mann_and_whitney(positives, sizes):
    ranking = Ranking.untied(sum(sizes), positives).merged(np.cumsum([0, *sizes[:-1]]))
    values, chances = ordering.pairs_distribution(ranking)
    tails = chances[::-1].cumsum()[::-1]
    for wanted in (0.3, 0.05, 1e-3, 1e-6, 1e-9, 1e-12):
        place = np.flatnonzero((chances > 0) & (tails >= wanted))[-1]
        p_value, percent = ordering.pairs_tail(ranking, float(values[place]))
        assert percent == 1
        assert p_value == pytest.approx(tails[place], rel=0.01)


def test_an_auc_of_many_samples_has_a_p_value_blind_below_one_over_the_permutations():
    truth = np.arange(3_000) % 3 == 0
    scores = np.random.default_rng(7).normal(size=3_000).round(1) + truth
    verdict = cb.evaluate_scores(truth, scores, "roc_auc")[0]
    assert verdict.p_blind_method == "estimated"
    normal = stats.mannwhitneyu(scores[truth], scores[~truth], alternative="greater").pvalue
    assert math.log(verdict.p_value_blind) == pytest.approx(math.log(normal), rel=0.1)
    assert ordering.pairs_tail(Ranking.untied(1_000, 4), 0.9) is None  # permutations are to tell
    perfect = ordering.pairs_tail(Ranking.untied(1_000, 5), 1.0)
    assert perfect[0] == pytest.approx(1 / math.comb(1_000, 5), rel=1e-9)


def test_binary_scores_have_fisher_s_p_value():
    rng = np.random.default_rng(4)
    truth = rng.random(3000) < 0.3
    called = rng.random(3000) < 0.3 + 0.1 * truth
    table = [[np.sum((truth == y) & (called == x)) for y in (True, False)] for x in (True, False)]
    expected = stats.fisher_exact(table, alternative="greater").pvalue
    for verdict in cb.evaluate_scores(truth, np.where(called, 0.4, 0.25), ["roc_auc", "brier", "log_loss"]):
        assert verdict.p_value_blind == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("total", "positives"), [(8, 3), (8, 7), (700, 2), (700, 350)])
def test_every_subset_of_samples_is_as_likely_to_be_positive(total, positives):
    labels = random_labels(total, positives, 8_000, np.random.default_rng(total))
    assert (labels.sum(axis=1) == positives).all()
    share = positives / total
    error = math.sqrt(share * (1 - share) / 8_000)
    assert np.abs(labels.mean(axis=0) - share).max() < 5 * error
    if total == 8:
        _, counts = np.unique(labels, axis=0, return_counts=True)
        assert stats.chisquare(counts).pvalue > 0.001
        assert len(counts) == math.comb(total, positives)


@pytest.mark.parametrize("name", ["max_f1", "brier_score"])
@pytest.mark.parametrize("size", [300, pytest.param(4_000, marks=pytest.mark.slow)])
def test_permutations_are_those_of_scikit_learn_s_kind(name, size):
    """Of many scores the statistic is that of blocks of them: of the same power."""
    rng = np.random.default_rng(size)
    truth = rng.random(size) < 0.3
    scores = 1 / (1 + np.exp(-(rng.normal(size=size) + 4 / math.sqrt(size) * truth)))
    measure = get_score_measure(name)
    verdict = cb.evaluate_scores(truth, scores, name)[0]
    assert verdict.p_blind_method == "permutation"
    ranking = Ranking.of(truth, scores)
    values = measure.value(ranking.with_positives(drawn(ranking, 1_999)))
    sign = 1 if measure.greater_is_better else -1
    share = np.mean(sign * values >= sign * verdict.score)
    assert abs(verdict.p_value_blind - share) < 5 * math.sqrt(share * (1 - share) / 1_999) + 0.01


def test_where_no_bound_is_known_of_a_bare_score_the_reason_says_so():
    for name in ("ap", "max_f1"):
        assert "left out above" in cb.baseline(cb.Population(10**6, 10**5), name).judge(0.9).reason
    assert 0 < cb.baseline(cb.Population(10**6, 10**5), "roc_auc").judge(0.502).p_value_blind < 0.5


@pytest.mark.parametrize("groups", [4, 40])
@pytest.mark.parametrize("name", ["average_precision", "max_f1"])
def test_what_any_ties_reach_is_rarer_than_what_a_bare_score_is_told(name, groups):
    """On 60 samples, far more than can all be looked at, random arrangements of tied scores."""
    total, positives, measure = 60, 20, get_score_measure(name)
    rng = np.random.default_rng(groups)
    ranking = Ranking.of(
        np.arange(total) < positives, np.sort(rng.integers(0, groups, total))[::-1].astype(float)
    )
    tied = measure.value(ranking.with_positives(drawn(ranking, 999)))
    for level in (0.4, 0.1):
        score = float(np.quantile(tied, 1 - level))
        reach = of_any(measure, total, positives, score)
        share = float(np.mean(tied >= score))
        assert reach.upper > share - 4 * math.sqrt(share / 999)
        assert str(reach.note).startswith(
            "p_value_blind is from 9,999 random rankings, with a standard error of"
        )


@pytest.mark.slow
def test_constant_scores_of_a_million_samples_are_quick():
    truth = np.arange(1_000_000) < 100_000
    for name in ("mrr", "hit@100", "roc_auc", "recall@100"):
        verdict = cb.evaluate_scores(truth, np.zeros(truth.size), name)[0]
        assert (verdict.outcome, verdict.p_value_blind) == ("ties", 1)


@pytest.mark.parametrize("seed", range(5))
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
        tail = exact_chance(measure, ranking, score)
        if tail is None:
            continue
        assert 0 < tail.upper <= 1, measure.name
        reach = of_any(measure, ranking.total, ranking.hits, score)
        if reach.method == "exact":
            assert reach.upper >= tail.upper * (1 - 1e-9), measure.name


def with_the_best_ties(labels):
    """The mean over positive samples of the best precision at their rank or below, labels from the top."""
    precision = np.cumsum(labels) / np.arange(1, len(labels) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return best[np.asarray(labels, dtype=bool)].mean()


def test_the_best_ties_are_those_of_the_best_precision_further_down():
    labels = np.array(list(hand.arrangements(7, 3)))
    expected = [with_the_best_ties(row) for row in labels]
    found = ordering.with_best_ties(Ranking.untied(7, 3).with_positives(labels))
    np.testing.assert_allclose(found, expected, rtol=1e-14)


DEPENDENT = ["ks", "ks_one_sided", "average_precision", "max_f1", "max_accuracy", "max_mcc", "max_kappa",
             "max_balanced_accuracy", "ndcg", "mrr", "hit@3", "ap@10", "ndcg@10"]  # fmt: skip
TWO_SIDED = ["roc_auc", "log_loss", "brier_score", "d2_log_loss", "d2_brier_score", "precision@10",
             "recall@10", "r_precision"]  # fmt: skip

SETS = 60


@pytest.fixture(scope="module")
def blind():
    """Blind scores of 10 positive and 20 negative samples, a model for each test set."""
    generator = np.random.default_rng(4)
    truth = np.arange(30) < 10
    return truth, {str(at): generator.normal(size=30) for at in range(SETS)}


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [None, np.arange(30) // 2])
def test_blind_rankings_are_never_surely_below(blind, clusters, monkeypatch):
    """KS of 10 + 20 was, in 44 % of test sets: its bar is what 30 samples expect, 0 what endless ones do."""
    monkeypatch.setattr(engine, "WORK", 1)  # then there are 999 resamples
    truth, models = blind
    names = ["ks"] if clusters is not None else ["ks", "average_precision", "max_f1", "mrr"]
    card = cb.evaluate_scores(truth, models, names, clusters=clusters)
    below = [verdict for verdict in card if verdict.outcome == "fails"]
    assert len(below) > SETS / 4
    assert all(verdict.p_value == 1 for verdict in below)
    assert clusters is not None or not any(verdict.sure for verdict in card)
    above = cb.evaluate_scores(truth, 3 * truth + models["0"], "ks")[0]
    assert above.outcome == "clears"
    assert above.sure


@pytest.mark.slow
def test_slices_of_blind_rankings_are_not_surely_below_and_no_text_says_so(monkeypatch):
    monkeypatch.setattr(engine, "WORK", 1)
    generator, truth = np.random.default_rng(4), np.tile(np.arange(30) < 10, 12)
    card = cb.evaluate_scores(truth, generator.normal(size=360), "ks", by=np.repeat(np.arange(12), 30))
    found = card.slices("ks")
    assert "below, could be chance" in found.counts
    assert "surely below" not in found.counts
    texts = [str(found), str(card), card.to_json(), card.explain("ks"), card._repr_html_()]
    assert not any("surely below" in text for text in texts)


def test_what_the_interval_is_of_stands_beside_it(blind):
    truth, models = blind
    card = cb.evaluate_scores(truth, models["1"], ["ks", "mrr", "roc_auc"])
    endless, ks, mrr, auc = "the interval is of what endless samples would give", *card
    assert endless in ks.reason
    assert "p_value tests the better side alone" in ks.reason
    assert "the interval is of what other samples of this number would give" in mrr.reason
    assert "interval" not in auc.reason
    assert "endless samples" in card.explain("ks")
    assert endless in card.to_json()


@pytest.mark.parametrize("name", [*DEPENDENT, *TWO_SIDED])
def test_measures_say_whether_their_expectation_depends_on_the_number_of_samples(name):
    """Brute force: the bar at more samples of the same share."""
    measure = get_score_measure(name)
    small, large = measure.expected(30, 10), measure.expected(240, 80)
    assert bool(measure.interval_of) == (name in DEPENDENT)
    if name in DEPENDENT:  # NDCG of the first ten has the share of positives where there are as many
        assert abs(large - small) > 1e-3 or name == "ndcg@10"
    elif not name.startswith("recall"):  # of more samples the first ten are a smaller share
        assert large == pytest.approx(small, rel=1e-9)
