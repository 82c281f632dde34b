"""Scores across folds, averaged and merged."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score
from tests.oracle import scores as hand

import clearbar as cb
from clearbar.problems.folds import merged_auc


def data(size=120, folds=4):
    rng = np.random.default_rng(size)
    truth = rng.random(size) < 0.3
    return truth, rng.normal(size=size) + truth, np.arange(size) % folds


def within(labels_by_fold):
    """Every way to deal the labels out within each fold."""
    parts = [list(hand.arrangements(total, positives)) for total, positives in labels_by_fold]
    for chosen in itertools.product(*parts):
        yield [label for part in chosen for label in part]


@pytest.mark.parametrize(
    "folds",
    [[(5, 4), (5, 3)], [(3, 1), (2, 1)], [(2, 1), (2, 1)], [(2, 0), (3, 2)], [(2, 1), (1, 1), (1, 0)]],
    ids=str,
)
def test_the_merged_bar_is_the_best_order_of_folds(folds):
    total, positives = np.array(folds).T
    if sum(total) > 5:
        orders = itertools.permutations(range(len(folds)))
        levels = [[order[f] for f, (size, _) in enumerate(folds) for _ in range(size)] for order in orders]
        levels.append([0] * int(sum(total)))
    else:  # every score vector
        levels = itertools.product(range(int(sum(total))), repeat=int(sum(total)))
    truths = list(within(folds))
    best = max(sum(roc_auc_exactly(truth, scores) for truth in truths) / len(truths) for scores in levels)
    assert merged_auc(total, positives) == pytest.approx(float(best), rel=1e-14)


def roc_auc_exactly(truth, scores):
    pairs = [(s, t) for s, y in zip(scores, truth, strict=True) if y
             for t, z in zip(scores, truth, strict=True) if not z]  # fmt: skip
    return Fraction(sum(2 * (s > t) + (s == t) for s, t in pairs), 2 * len(pairs))


def test_the_mean_over_folds_and_its_bar():
    truth, scores, folds = data()
    card = cb.evaluate_scores(truth, scores, ["roc_auc", "average_precision"], folds=folds)
    aucs = [roc_auc_score(truth[folds == f], scores[folds == f]) for f in range(4)]
    assert card[0].score == pytest.approx(np.mean(aucs), rel=1e-14)
    assert card[0].baseline.value == 0.5
    bars = [cb.baseline_scores(truth[folds == f], "average_precision").value for f in range(4)]
    assert card[1].baseline.value == pytest.approx(np.mean(bars), rel=1e-14)
    assert "means over 4 folds" in str(card)


def test_the_merged_score_its_bar_and_the_warning_about_calibration():
    truth, scores, folds = data()
    card = cb.evaluate_scores(truth, scores, "roc_auc", folds=folds, aggregate="merged")
    assert card[0].score == pytest.approx(roc_auc_score(truth, scores), rel=1e-14)
    assert card[0].baseline.value > 0.5
    text = " ".join(str(card).split())
    assert "calibrated alike (Forman and Scholz 2010)" in text
    assert "differ in their share of positives" in text
    assert "higher where more of them are positive" in card.explain("roc_auc")


def test_scores_that_only_know_the_fold_have_the_merged_bar_and_half_the_mean():
    folds, truth = np.array([0, 0, 0, 0, 1, 1, 1]), np.array([1, 0, 0, 0, 1, 1, 0])
    scores, names = np.where(folds == 0, 1 / 4, 2 / 3), ["roc_auc", "log_loss", "brier"]
    merged = cb.evaluate_scores(truth, scores, names, folds=folds, aggregate="merged")
    assert merged[0].score == pytest.approx(17 / 24)
    assert [verdict.outcome for verdict in merged] == ["ties"] * 3
    mean = cb.evaluate_scores(truth, scores, "roc_auc", folds=folds)[0]
    assert (mean.score, mean.outcome) == (0.5, "ties")


def test_undefined_folds_are_named_and_left_out():
    truth, scores, folds = data()
    truth = truth & (folds != 2)
    card = cb.evaluate_scores(truth, scores, "roc_auc", folds=folds)
    kept = [roc_auc_score(truth[folds == f], scores[folds == f]) for f in (0, 1, 3)]
    assert card[0].score == pytest.approx(np.mean(kept), rel=1e-14)
    assert "ROC AUC has no value in fold 2 and is averaged over the others" in " ".join(str(card).split())
    none = cb.evaluate_scores(truth & False, scores, "roc_auc", folds=folds)[0]
    assert none.outcome == "undefined"
    assert "has no value in any fold" in none.reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"aggregate": "pooled"}, r"aggregate must be 'mean' or 'merged' for scores; found 'pooled'"),
        ({"aggregate": "merged", "measures": "ap"}, r"known for roc_auc, log_loss and brier_score, not"),
        ({"by": [0, 1] * 60}, r"by and folds cannot be combined"),
        ({"folds": [0] * 120}, r"folds holds one fold"),
    ],
)
def test_what_cannot_be_combined_is_said(options, message):
    truth, scores, folds = data()
    with pytest.raises(ValueError, match=message):
        cb.evaluate_scores(truth, scores, **{"folds": folds, **options})


def test_a_p_value_of_a_mean_is_the_corrected_resampled_t_and_that_of_a_merger_is_not_known():
    truth, scores, folds = data()
    verdict = cb.evaluate_scores(truth, scores, "roc_auc", folds=folds)[0]
    aucs = np.array([roc_auc_score(truth[folds == f], scores[folds == f]) for f in range(4)])
    error = np.sqrt((1 / 4 + 1 / 3) * np.var(aucs, ddof=1))  # Nadeau and Bengio 2003
    assert verdict.p_value == pytest.approx(2 * stats.t.sf((aucs.mean() - 0.5) / error, 3), rel=1e-9)
    half = stats.t.ppf(0.975, 3) * error
    assert verdict.low == pytest.approx(aucs.mean() - half, rel=1e-9)
    assert verdict.high == pytest.approx(min(aucs.mean() + half, 1), rel=1e-9)
    merged = cb.evaluate_scores(truth, scores, "roc_auc", folds=folds, aggregate="merged")[0]
    assert np.isnan([merged.p_value, merged.low, merged.high]).all()
    assert "p_value is not known where the scores of folds are merged" in merged.reason
