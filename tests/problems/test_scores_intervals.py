"""Intervals and p-values of measures of scores: SciPy's bootstrap, DeLong's pairs, definitions by loops."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import special, stats
from sklearn import metrics

import clearbar as cb
from clearbar.inference import resamples
from clearbar.problems.scores import (
    RankedScores,
    Ranking,
    _delong,
    _graded,
    get_score_measure,
    read_ranking,
    score_measures,
)
from clearbar.problems.scores._graded import graded_ndcg, graded_ranking
from clearbar.problems.scores._units import ScoreUnits, in_blocks, values_of

AUC = get_score_measure("roc_auc")
AP = get_score_measure("average_precision")
NAMES = [measure.name for measure in score_measures()]


def evidence(measure, ranking):
    """Return the test of both sides, of which some measures ask the better one alone."""
    if (measure, id(ranking)) not in KNOWN:
        truth, scores = samples_of(ranking)
        problem = RankedScores(("model",), (None,), truth, (scores,))
        KNOWN[measure, id(ranking)] = problem.tests_of([measure], [0], 0)[0][0], ranking
    known, _ = KNOWN[measure, id(ranking)]
    return getattr(known, "both_sides", known)


KNOWN = {}
"""Tests of rankings, which are kept so that no other takes their place."""


def samples_of(ranking):
    """Return labels, or gains, and scores of samples that have this ranking."""
    scores = np.repeat(ranking.scores, ranking.sizes).astype(float)
    if ranking.positives.dtype == np.float64:
        return GAINS[np.argsort(-GUESSES, kind="stable")], scores
    pairs = zip(ranking.positives, ranking.sizes, strict=True)
    return np.concatenate([np.arange(size) < positives for positives, size in pairs]), scores


def drawn_anew(counts, rows, rng):
    """Resample a class, counted by score."""
    return rng.multinomial(counts.sum(), counts / max(counts.sum(), 1), size=rows)


def interval(measure, ranking, level=0.95):
    """Return the true scores that a ranking does not refute, and how they were found."""
    known = evidence(measure, ranking)
    return *known.interval(level, measure.bounds), known.tail(0.0).note


def p_value(measure, ranking, bar):
    """Return how surprising the score of a ranking is if the true one is the bar, and how it was found."""
    tail = evidence(measure, ranking).tail(bar)
    return tail.upper, tail.note


def sample(size=60, *, seed=0, decimals=None, share=0.4, distance=1.0):
    rng = np.random.default_rng(seed)
    truth = np.arange(size) < share * size
    scores = 1 / (1 + np.exp(-rng.normal(size=size) - distance * truth))
    return truth, scores if decimals is None else scores.round(decimals)


def delong_by_pairs(truth, scores):
    """Return ROC AUC, its variance and Satterthwaite's degrees of freedom, all pairs, in fractions."""
    positives, negatives = scores[truth], scores[~truth]
    pairs = [[Fraction(int(x > y) * 2 + int(x == y), 2) for y in negatives] for x in positives]
    P, N = len(positives), len(negatives)
    auc = sum(map(sum, pairs)) / (P * N)
    rows = [sum(row) / N for row in pairs]
    columns = [sum(row[j] for row in pairs) / P for j in range(N)]
    of_rows = sum((v - auc) ** 2 for v in rows) / (P - 1) / P
    of_columns = sum((v - auc) ** 2 for v in columns) / (N - 1) / N
    variance = of_rows + of_columns
    degrees = variance**2 / (of_rows**2 / (P - 1) + of_columns**2 / (N - 1))
    return float(auc), float(variance), float(degrees)


@pytest.mark.parametrize(("size", "decimals"), [(12, 1), (20, None), (40, None), (61, 1)])
def test_the_interval_and_the_p_value_of_auc_are_student_s_on_the_logit_scale(size, decimals):
    truth, scores = sample(size, decimals=decimals, seed=size, distance=0.5)
    auc, variance, degrees = delong_by_pairs(truth, scores)
    student = stats.t(degrees)
    error, center = math.sqrt(variance) / (auc * (1 - auc)), special.logit(auc)
    ranking = Ranking.of(truth, scores)
    ends = special.expit(center + error * student.ppf([0.05, 0.95]))
    assert interval(AUC, ranking, 0.9)[:2] == pytest.approx(ends, rel=1e-12)
    for bar in (0.3, 0.5, 0.8):
        found, note = p_value(AUC, ranking, bar)
        assert found == pytest.approx(2 * student.sf(abs(center - special.logit(bar)) / error), rel=1e-9)
        assert note.code == "delong"


def test_a_perfect_auc_has_the_clopper_pearson_bound_of_as_many_pairs_as_the_rarer_class_has():
    ranking = read_ranking([1] * 8 + [0] * 30, np.arange(38, 0, -1.0))
    low, high, note = interval(AUC, ranking)
    assert (low, high) == pytest.approx((0.025 ** (1 / 8), 1.0), rel=1e-12)
    assert p_value(AUC, ranking, 0.5)[0] == pytest.approx(2 * 0.5**8, rel=1e-12)
    assert "8 pairs" in str(note)


def test_a_variance_that_rounding_may_hide_gives_the_bound_of_pairs_too(monkeypatch):
    """As one tie among twenty million samples."""
    truth, scores = np.arange(38) < 8, np.array([*np.arange(38, 31, -1.0), 1, *np.arange(30, 0, -1.0)])
    assert _delong.delong(truth, scores).tail(0.5).note.code == "delong"
    monkeypatch.setattr(_delong, "NO_VARIANCE", 0.5)
    bound = _delong.delong(truth, scores)
    assert bound.tail(0.5).note.code == "delong_no_variance"
    low, high = bound.interval(0.95, (0.0, 1.0))
    assert low < bound.auc < high


def test_the_bound_of_pairs_holds_for_every_true_auc_of_coins():
    """Positives score 1 with probability a and negatives 0 always: the AUC is 1/2 + TP/2P."""
    P, level = 6, 0.9
    for a in np.linspace(0, 1, 101):
        true = (1 + a) / 2
        missed = 0.0
        for tp in (0, P):  # where the AUC has no variance
            scores = np.r_[np.ones(tp), np.zeros(P - tp), np.zeros(9)]
            low, high, _ = interval(AUC, read_ranking([1] * P + [0] * 9, scores), level)
            missed += stats.binom.pmf(tp, P, a) * (not low - 1e-12 <= true <= high + 1e-12)
        assert missed <= 1 - level


@pytest.mark.parametrize(("name", "decimals"), [(name, (None, 1)[at % 2]) for at, name in enumerate(NAMES)])
def test_resamples_together_score_as_each_alone_without_the_scores_that_it_lacks(name, decimals):
    measure, rng = get_score_measure(name), np.random.default_rng(3)
    ranking = Ranking.of(*sample(30, decimals=decimals))
    parts = [drawn_anew(counts, 40, rng) for counts in (ranking.positives, ranking.negatives)]
    sizes = parts[0] + parts[1]
    assert (sizes == 0).any()
    together = values_of(measure, ranking, sizes, parts[0])
    for value, size, part in zip(together, sizes, parts[0], strict=True):
        kept = size > 0
        alone = Ranking(ranking.scores[kept], size[kept], part[kept])
        assert value == pytest.approx(float(measure.value(alone)), rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("name", ["average_precision", "max_f1"])
def test_resamples_of_many_scores_in_blocks_score_as_those_of_single_scores(name):
    measure, ranking = get_score_measure(name), Ranking.of(*sample(3_000))
    blocks = in_blocks(ranking, ranking.found, ranking.ends - ranking.found)
    starts = np.searchsorted(ranking.ends, blocks.ends - blocks.sizes, side="right")
    assert len(blocks.scores) < 0.5 * len(ranking.scores)
    rng = np.random.default_rng(1)
    single = [drawn_anew(counts, 60, rng) for counts in (ranking.positives, ranking.negatives)]
    merged = [np.add.reduceat(counts, starts, axis=1) for counts in single]
    one = values_of(measure, ranking, sum(single), single[0])
    other = values_of(measure, blocks, sum(merged), merged[0])
    off = other - one + float(measure.value(ranking)) - float(measure.value(blocks))
    assert abs(off.mean()) < 0.05 * one.std()
    assert off.std() < 0.1 * one.std()


OF_SKLEARN = {
    "average_precision": metrics.average_precision_score,
    "ks": lambda y, s: stats.ks_2samp(s[y == 1], s[y == 0], method="asymp").statistic,
}


@pytest.mark.parametrize("name", OF_SKLEARN)
def test_intervals_are_those_of_scipy_s_bias_corrected_accelerated_bootstrap(name):
    truth, scores = sample(60, seed=5)
    function = OF_SKLEARN[name]

    def of_two(positives, negatives):
        y = np.r_[np.ones(len(positives)), np.zeros(len(negatives))]
        return function(y, np.r_[positives, negatives])

    measure, ranking = get_score_measure(name), Ranking.of(truth, scores)
    drawn = resamples._drawn(ScoreUnits(truth, [scores]), [measure])[0].scores[0]
    given = SimpleNamespace(bootstrap_distribution=drawn)
    both = (scores[truth], scores[~truth])
    options = {"vectorized": False, "random_state": 1, "method": "BCa"}
    theirs = stats.bootstrap(both, of_two, n_resamples=0, bootstrap_result=given, **options)
    low, high, note = interval(measure, ranking)
    assert "bootstrap resamples" in str(note)
    # Theirs interpolates between neighbours among the resamples, ours takes the outer one.
    ordered = np.sort(drawn)
    for ours, end in zip((low, high), theirs.confidence_interval, strict=True):
        low_one, high_one = sorted((ours, end))
        between = np.searchsorted(ordered, high_one, "left") - np.searchsorted(ordered, low_one, "right")
        assert between <= 1
    fresh = stats.bootstrap(both, of_two, n_resamples=150, **options).bootstrap_distribution
    assert stats.ks_2samp(fresh, drawn).pvalue > 0.001


@pytest.mark.parametrize("name", ["average_precision", "log_loss", "max_f1", "ndcg"])
@pytest.mark.parametrize("decimals", [None, 1])
def test_the_acceleration_is_that_of_leaving_out_every_sample_in_turn(name, decimals):
    measure = get_score_measure(name)
    truth, scores = sample(25, decimals=decimals)
    scores = scores.clip(0.05, 0.95)
    second = third = 0.0
    for which in (True, False):
        places = np.flatnonzero(truth == which)
        left = np.array([float(measure(np.delete(truth, i), np.delete(scores, i))) for i in places])
        influence = (left.size - 1) * (left.mean() - left)
        second += (influence**2).sum() / left.size**2
        third += (influence**3).sum() / left.size**3
    found = resamples._drawn(ScoreUnits(truth, [scores]), [measure])[0].skewed[0]
    assert found == pytest.approx(third / second**1.5 / 6, rel=1e-9)


@pytest.mark.parametrize(("name", "seed"), [(name, at % 4) for at, name in enumerate(NAMES)])
def test_levels_nest_and_a_bar_outside_the_interval_has_a_p_of_at_most_one_minus_the_level(name, seed):
    measure = get_score_measure(name)
    ranking = Ranking.of(*sample(14 + 6 * seed, seed=seed, decimals=(None, 1)[seed % 2]))
    score = float(measure.value(ranking))
    ends = score, score
    for level in (0.8, 0.95, 0.99):
        low, high, _ = interval(measure, ranking, level)
        assert low <= ends[0] <= score <= ends[1] <= high
        ends = low, high
        for bar in np.linspace(-0.5, 1.5, 41):
            if not low - 1e-9 <= bar <= high + 1e-9:
                assert p_value(measure, ranking, bar)[0] <= 1 - level + 1e-12, bar
    for side in (-0.05, 0.05):
        falling = [p_value(measure, ranking, score + i * side)[0] for i in range(12)]
        assert falling[0] == pytest.approx(1)
        assert all(b <= a for a, b in itertools.pairwise(falling))


def test_a_bar_beyond_every_resample_is_refuted_as_far_as_the_number_of_resamples_allows():
    measure = get_score_measure("max_balanced_accuracy")  # a resample's best threshold is better: biased
    ranking = Ranking.of(*sample(900, distance=2))
    assert p_value(measure, ranking, 0.3)[0] == pytest.approx(2 / 10_000)


def test_a_perfect_ranking_supposes_failures_that_were_not_seen():
    truth = np.repeat([True, False], [40, 60])
    ranking = Ranking.of(truth, np.arange(100, 0, -1.0))
    low, high, note = interval(AP, ranking)
    assert note.code == "unseen_failures_of_classes"
    assert high == 1
    assert 0.7 < low < 0.95
    # A share of 1 - 0.025^(1/n) of a class of n stays unseen with probability 0.025: four of each class.
    worst = np.r_[np.full(4, 200.0), np.arange(96, 4, -1.0), np.zeros(4)]
    labels = np.r_[np.zeros(4), np.ones(36), np.zeros(56), np.ones(4)]
    assert low == pytest.approx(metrics.average_precision_score(labels, worst), rel=1e-12)
    assert p_value(AP, ranking, 0.41)[0] < 0.001
    assert p_value(AP, ranking, 0.99)[0] > 0.5


@pytest.mark.parametrize("name", ["brier_score", "d2_log_loss"])
@pytest.mark.parametrize(("right", "wrong"), [(0.9, 0.2), (0.4, 0.4), (1.0, 0.0)])
@pytest.mark.parametrize(("P", "N"), [(8, 42)])
def test_probabilities_without_a_spread_suppose_some_at_the_wrong_end_of_the_scale(name, right, wrong, P, N):
    """Were shares of both classes at the wrong end, that none is seen is at most as likely as p says."""
    measure = get_score_measure(name)
    truth = np.repeat([True, False], [P, N])
    ranking = Ranking.of(truth, np.where(truth, right, wrong).astype(float))
    low, high, note = interval(measure, ranking)
    assert note.code.startswith("bounded_losses")
    assert low < high
    end = ranking.epsilon

    def loss(positive, negative):
        """What the measure expects, by definition, if such shares of the classes are at the wrong end."""
        if "brier" in name:
            parts = [(1 - right) ** 2, wrong**2, 1.0, 1.0]
        else:  # a sample of the other class has one of these probabilities
            clipped = np.clip([right, 1 - wrong, min(right, wrong), 1 - max(right, wrong)], end, 1 - end)
            parts = [*-np.log(clipped)]
        mean = P * ((1 - positive) * parts[0] + positive * parts[2])
        mean += N * ((1 - negative) * parts[1] + negative * parts[3])
        share = P / (P + N)
        entropy = -share * math.log(share) - (1 - share) * math.log(1 - share)
        bar = share * (1 - share) if "brier" in name else entropy
        return 1 - mean / (P + N) / bar if name.startswith("d2") else mean / (P + N)

    shares = np.linspace(0, 0.6, 13)
    for positive, negative in itertools.product(shares, shares):
        unseen = (1 - positive) ** P * (1 - negative) ** N
        true = loss(positive, negative)
        assert p_value(measure, ranking, true)[0] >= min(1.0, 2 * unseen) - 1e-9
        if unseen > 0.025:
            assert low - 1e-9 <= true <= high + 1e-9


def test_groups_of_equal_probabilities_suppose_failures_as_wrong_as_can_be():
    truth = np.tile([True, False], 20)
    y_score = np.where(truth, 0.9, 0.1)
    card = cb.evaluate_scores(truth, y_score, "brier_score", clusters=np.repeat(np.arange(20), 2))
    share = 1 - 0.025 ** (1 / 20)
    assert card[0].low == pytest.approx(0.01 * (1 - share))
    assert card[0].high == pytest.approx(0.01 + 0.99 * share)


@pytest.mark.parametrize("name", sorted({"roc_auc", *NAMES[::3]}))
@pytest.mark.parametrize("truth", [[1, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0], [1, 0]])
def test_a_single_sample_of_a_class_is_never_sure_and_never_silent(name, truth):
    measure = get_score_measure(name)
    ranking = read_ranking(truth, np.linspace(0.9, 0.1, len(truth)))
    score = float(measure.value(ranking))
    low, high, note = interval(measure, ranking)
    assert note
    if measure == AUC:
        assert "single sample" in str(note)
        assert low <= 0.1 or high >= 0.9
        assert p_value(measure, ranking, 0.5)[0] > 0.05
    if math.isnan(score):
        assert np.isnan([low, high]).all()
    else:
        assert low <= score <= high


def test_a_class_without_samples_is_no_obstacle_where_the_measure_needs_none():
    ranking = Ranking.of(np.zeros(20, dtype=bool), np.linspace(0.1, 0.5, 20))
    low, high, note = interval(get_score_measure("brier_score"), ranking)
    assert 0 < low < high < 1
    assert note.code == "bounded_losses_known"
    low, high, note = interval(AUC, ranking)
    assert np.isnan([low, high, p_value(AUC, ranking, 0.5)[0]]).all()
    assert note == "no sample is positive, and it needs both classes"


def test_a_measure_of_one_s_own_is_asked_one_resample_at_a_time():
    def precision(r):
        return (r.positives * np.cumsum(r.positives, axis=-1) / np.cumsum(r.sizes)).sum(axis=-1) / r.hits

    own, ranking = cb.ScoreMeasure("own", precision, expected=AP.expected), Ranking.of(*sample(40))
    *ends, note = interval(own, ranking)
    assert note.code == "bootstrap"
    assert ends == pytest.approx(interval(AP, ranking)[:2], abs=0.03)


def test_resamples_without_a_value_count_on_both_sides():
    def sometimes(ranking):
        value = ranking.positives[..., 0] / ranking.sizes[0]
        return np.where(ranking.scores[0] < 0.9, np.nan, ranking.scores[0] * value)

    own = cb.ScoreMeasure("sometimes", sometimes, expected=lambda _total, _positives: 0.0)
    truth, rest = np.repeat([True, False], [20, 20]), np.full(20, 0.2)
    some = Ranking.of(truth, np.r_[np.full(3, 1.0), np.full(7, 0.95), np.linspace(0.5, 0.1, 10), rest])
    low, high, _ = interval(own, some)
    assert 0 <= low <= 1 <= high
    low, high, note = interval(own, Ranking.of(truth, np.r_[0.95, np.linspace(0.5, 0.1, 19), rest]))
    assert np.isnan([low, high]).all()
    assert "have no value" in str(note)


GAINS = np.random.default_rng(8).integers(0, 4, 60).astype(float)
GUESSES = (GAINS + np.random.default_rng(9).normal(0, 2, 60)).round(0)


@pytest.mark.parametrize("k", [0, 5])
def test_a_resample_of_gains_has_scikit_learn_s_ndcg(k):
    ranking = graded_ranking(GAINS, GUESSES)
    order = np.argsort(-GUESSES, kind="stable")
    times = np.random.default_rng(1).multinomial(60, np.full(60, 1 / 60), size=20)
    for row, value in zip(times, _graded._resampled_ndcg(k, ranking, GAINS[order], times), strict=True):
        gains, scores = np.repeat(GAINS[order], row), np.repeat(GUESSES[order], row)
        assert value == pytest.approx(metrics.ndcg_score([gains], [scores], k=k or None), rel=1e-12)


def test_gains_have_an_interval_and_a_p_value_that_go_together():
    measure, ranking = graded_ndcg(0, tuple(GAINS)), graded_ranking(GAINS, GUESSES)
    low, high, note = interval(measure, ranking)
    assert low < float(measure.value(ranking)) < high < 1
    assert "bootstrap resamples" in str(note)
    p = [p_value(measure, ranking, end + step)[0] for end in (low, high) for step in (-0.005, 0.005)]
    assert [one > 0.05 for one in p] == [False, True, True, False]


def test_a_loss_and_its_negative_have_the_same_p_value_and_mirrored_intervals():
    loss, ranking = replace(get_score_measure("brier_score"), losses=None), Ranking.of(*sample(40))
    other = {"greater_is_better": True, "bounds": (-1, 0)}
    gain = replace(loss, name="negated_brier", function=lambda r: -loss.function(r), **other)
    low, high, _ = interval(loss, ranking)
    assert interval(gain, ranking)[:2] == pytest.approx((-high, -low), abs=1e-12)
    for bar in (0.1, 0.2, 0.3):
        assert p_value(gain, ranking, -bar)[0] == pytest.approx(p_value(loss, ranking, bar)[0], abs=1e-12)
