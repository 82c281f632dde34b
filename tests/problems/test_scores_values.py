"""Values of measures of scores: scikit-learn's own functions, SciPy's, and definitions in fractions."""

import copy
import itertools
import pickle

import array_api_strict as xp
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats
from sklearn import metrics
from tests.oracle import scores as hand

import clearbar as cb
from clearbar.problems.scores import get_score_measure, score_measures

pytestmark = pytest.mark.quick

OF_SKLEARN = {
    "roc_auc": metrics.roc_auc_score,
    "average_precision": metrics.average_precision_score,
    "log_loss": metrics.log_loss,
    "brier_score": metrics.brier_score_loss,
    "d2_log_loss": metrics.d2_log_loss_score,
    # scikit-learn has a function of its own since 1.8
    "d2_brier_score": lambda y, s: (
        1 - metrics.brier_score_loss(y, s) / metrics.brier_score_loss(y, np.full(len(y), y.mean()))
    ),
    "ndcg": lambda y, s: metrics.ndcg_score([y], [s]),
    "ndcg@3": lambda y, s: metrics.ndcg_score([y], [s], k=3),
    "max_f1": lambda y, s: max(metrics.f1_score(y, s >= t) for t in s),
    "max_accuracy": lambda y, s: max(metrics.accuracy_score(y, s >= t) for t in [2.0, *s]),
    "max_mcc": lambda y, s: max(metrics.matthews_corrcoef(y, s >= t) for t in s if (s < t).any()),
    "ks": lambda y, s: stats.ks_2samp(s[y == 1], s[y == 0]).statistic,
    "ks_one_sided": lambda y, s: stats.ks_2samp(s[y == 1], s[y == 0], alternative="less").statistic,
}


def data(kind, size=60):
    rng = np.random.default_rng(len(kind) + size)
    truth = (rng.random(size) < 0.3).astype(int)
    scores = np.clip(rng.random(size) * 0.8 + 0.2 * truth, 0, 1)
    scores = scores.round(1) if kind == "ties" else scores
    return truth, np.where(rng.random(size) < 0.2, scores.round(), scores) if kind == "sure" else scores


@pytest.mark.parametrize("kind", ["distinct", "ties", "sure"])
@pytest.mark.parametrize("name", OF_SKLEARN)
def test_values_are_those_of_scikit_learn_and_scipy(name, kind):
    truth, scores = data(kind)
    expected = OF_SKLEARN[name](truth, scores)
    assert get_score_measure(name)(truth, scores) == pytest.approx(expected, rel=1e-12)


NARROW = {
    "numpy": lambda scores: scores,
    "pandas": pd.Series,
    "a column with missing values": lambda scores: pd.Series(scores).astype("Float32"),
    "a data frame": lambda scores: pd.DataFrame({"model": scores}),
    "polars": lambda scores: pl.Series(scores.astype(np.float32)),
    "an arrow table": lambda scores: pa.table({"model": scores}),
    "of another library": xp.asarray,
}


@pytest.mark.parametrize("name", ["log_loss", "d2_log_loss"])
@pytest.mark.parametrize(
    ("kind", "width"),
    [
        *((kind, "float32") for kind in NARROW),
        ("numpy", "float64"),
        ("numpy", "float16"),
        ("pandas", "float16"),
    ],
)
def test_sure_probabilities_that_are_wrong_cost_what_they_cost_in_scikit_learn(kind, width, name):
    """The narrower the type, the further from 0 and 1 they are kept: -log of its epsilon is the most."""
    truth = np.array([1, 0, 0, 1, 1, 0, 1, 0])
    scores = np.array([0.0, 0.25, 1.0, 1.0, 0.75, 0.0, 1e-4, 0.5], dtype=width)
    within = {"float64": 1e-12, "float32": 1e-6, "float16": 2e-3}[width]
    expected, given = pytest.approx(OF_SKLEARN[name](truth, scores), rel=within), NARROW[kind](scores)
    assert cb.evaluate_scores(truth, given, name)[0].score == expected
    if "frame" not in kind and "table" not in kind:
        assert cb.score(truth, given, name) == expected
        assert get_score_measure(name)(truth, given) == expected
    parts, twice = np.repeat([1, 2], 8), (np.tile(truth, 2), np.tile(scores, 2), name)
    assert all(verdict.score == expected for verdict in cb.evaluate_scores(*twice, by=parts))
    for way in ("mean", "merged") if name == "log_loss" else ("mean",):
        card = cb.evaluate_scores(*twice, folds=parts, aggregate=way, intervals=False)
        assert card[0].score == expected


def test_narrow_scores_are_told_apart_where_log_loss_does_not():
    truth, scores = [0, 1, 0, 1], np.array([1e-9, 1e-8, 2e-9, 0.5], dtype=np.float32)
    assert get_score_measure("roc_auc")(truth, scores) == 1.0


@pytest.mark.parametrize("name", hand.BY_NAME)
def test_values_are_those_of_the_definition_for_every_small_case(name):
    measure = get_score_measure(name)
    for total, positives in ((3, 1), (4, 2), (5, 2)):
        for scores in hand.tie_patterns(total):
            for labels in hand.arrangements(total, positives):
                expected = float(hand.BY_NAME[name](labels, scores))
                assert measure(labels, scores) == pytest.approx(expected, rel=1e-14, abs=1e-16)


@pytest.mark.parametrize("measure", score_measures(), ids=str)
def test_measures_pickle_copy_and_are_found_by_every_name(measure):
    assert pickle.loads(pickle.dumps(measure)) == measure  # noqa: S301
    assert copy.deepcopy(measure) is measure
    for name in (measure.name, measure.label, *measure.aliases):
        assert get_score_measure(name) == measure
        assert get_score_measure(name.upper().replace("_", "-")) == measure
        assert cb.baseline(cb.Population(20, 5), name) == cb.baseline_scores(cb.Population(20, 5), measure)


def test_scikit_learn_s_scorer_names_reach_the_measure_and_a_loss_is_a_loss():
    for scorer in ("roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"):
        assert scorer in metrics.get_scorer_names()
        assert get_score_measure(scorer).name == scorer.removeprefix("neg_")
    for scorer in ("d2_log_loss_score", "d2_brier_score"):  # scikit-learn 1.6 has no scorers of these names
        assert get_score_measure(scorer).name in {"d2_log_loss", "d2_brier_score"}
    for spelt in ("log_loss", "neg_log_loss", "Neg Log-Loss", "logloss", "cross entropy"):
        assert get_score_measure(spelt).greater_is_better is False


def test_names_of_the_first_k():
    for spelt in ("precision@7", "Precision at 7", "p@7", "precision_at_7", "precision_at_k(k=7)", "prec@7"):
        assert get_score_measure(spelt).name == "precision_at_7"
    assert get_score_measure("map@5").label == "AP@5"
    assert get_score_measure("ndcg@5") == get_score_measure("ndcg_at_5")
    assert cb.baseline(cb.Population(100, 20), "recall@10").value == 0.1
    assert get_score_measure("best_f1") == get_score_measure("max_f1_score")
    assert get_score_measure("max_threat_score").name == "max_threat_score"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pr_auc", r"'pr_auc' has no bar: the trapezoid .* Use average_precision"),
        ("AUPRC", r"Use average_precision"),
        ("ece", r"calibration alone cannot tell a model from random answers"),
        ("hinge_loss", r"use accuracy on labels"),
        ("dcg", r"use ndcg"),
        ("precision@k", r"precision_at_k needs k: .* get_measure\('precision_at_k', k=10\)"),
        ("precision@0", r"k must be a whole number at least 1 .*; found 0 for precision_at_k"),
        ("precision@2.5", r"k must be a whole number .* found 2\.5"),
        ("ndcg_at_k(k=-3)", r"k must be a whole number .* found -3"),
        ("precision@" + "9" * 50, r"k must be a whole number .* at most 1e\+16"),
        ("f1", r"judges labels, not scores; use evaluate\(y_true, y_score >= threshold, 'f1'\), or max_f1"),
        ("fpr", r"judges labels, not scores; use evaluate\(y_true, y_score >= threshold, 'fpr'\)\.$"),
        ("mse", r"judges numbers, not scores; use clearbar.baseline_regression or"),
        ("roc_auk", r"unknown measure of scores 'roc_auk'. Did you mean 'roc_auc'"),
        (3, r"measure must be a name or a Measure"),
    ],
    ids=str,
)
def test_names_that_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        cb.baseline_scores(cb.Population(10, 3), name)


GAINS = [3, 2, 0, 0, 1]


def test_ndcg_of_graded_labels_is_scikit_learn_s_and_its_bar_and_p_those_of_all_permutations():
    scores = np.array([0.4, 0.9, 0.5, 0.4, 0.1])
    for k, name in ((5, "ndcg"), (5, "ndcg@5"), (3, "ndcg@3")):
        card = cb.evaluate_scores(GAINS, scores, name)
        assert card[0].score == pytest.approx(metrics.ndcg_score([GAINS], [scores], k=k), rel=1e-12)
        found = [metrics.ndcg_score([order], [scores], k=k) for order in itertools.permutations(GAINS)]
        assert card[0].baseline.value == pytest.approx(np.mean(found), rel=1e-12)
        share = np.mean(np.array(found) >= card[0].score - 1e-12)
        assert abs(card[0].p_value_blind - share) < 5 * np.sqrt(share / 9999)
    assert cb.baseline_scores(GAINS, "ndcg@5").value == pytest.approx(0.7430187592363762, rel=1e-14)
    assert cb.baseline(GAINS, "ndcg").best_possible == 1.0
    assert pickle.loads(pickle.dumps(card)) == card  # noqa: S301


def test_graded_labels_are_for_ndcg_alone():
    with pytest.raises(ValueError, match="gains are 0 or more"):
        cb.baseline_scores([3, -2, 0], "ndcg")
    with pytest.raises(ValueError, match="four labels"):
        cb.evaluate_scores(GAINS, [0.1] * 5, ["ndcg", "roc_auc"])
    with pytest.raises(ValueError, match="neither by nor folds"):
        cb.evaluate_scores(GAINS, [0.1] * 5, "ndcg", folds=[1, 1, 1, 2, 2])


@pytest.mark.parametrize("measure", ["log_loss", "brier_score", "d2_log_loss", "d2_brier_score"])
def test_a_constant_within_one_sample_of_the_best_ties_with_the_bar(measure):
    """A split cannot give training and test the same prevalence; what that costs is no failure."""
    truth = np.repeat([1, 0], [90, 53])
    for positives, outcome in ((89.05, "ties"), (89.9, "ties"), (90, "ties"), (87.5, "fails"), (93, "fails")):
        card = cb.evaluate_scores(truth, np.full(143, positives / 143), measure)
        assert card[0].outcome == outcome
        assert (card[0].skill == 0) == (outcome == "ties")
        assert cb.skill(card[0].score, card[0].baseline) == card[0].skill
        assert outcome == "fails" or "e-7" not in str(card)
    better = np.where(truth == 1, 90.001 / 143, 90 / 143)
    assert cb.evaluate_scores(truth, better, measure)[0].outcome == "clears"
