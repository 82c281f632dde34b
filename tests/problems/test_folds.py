"""From labels and folds to a scorecard: what is counted, said and refused."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.model_selection import KFold, RepeatedKFold, StratifiedKFold, TimeSeriesSplit

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.problems.folds.problem import Mean
from clearbar.problems.validation import AS_GIVEN

RNG = np.random.default_rng(11)
Y_TRUE = (RNG.random(120) < 0.3).astype(int)
GOOD = np.where(RNG.random(120) < 0.15, 1 - Y_TRUE, Y_TRUE)
POOR = RNG.integers(0, 2, 120)
FOLD = np.arange(120) % 4
MODELS = {"good": GOOD, "poor": POOR}


def test_pooled_scores_bars_and_p_values_at_the_bar_are_those_of_all_samples():
    folds, plain = cb.evaluate_folds(Y_TRUE, MODELS, FOLD), cb.evaluate(Y_TRUE, MODELS)
    assert folds.folds == (0, 1, 2, 3)
    for name in ("score", "bar", "skill", "p_value", "best_possible", "worst_draw", "outcome"):
        np.testing.assert_array_equal(folds.columns[name], plain.columns[name])
    assert all("takes the pooled counts for one test set, which is approximate" in v.reason for v in folds)
    assert folds.compare("good", "poor", "f1") == plain.compare("good", "poor", "f1")


def test_what_a_splitter_yields_will_do_and_samples_that_no_fold_tests_are_left_out_and_counted():
    cv, ids = StratifiedKFold(5, shuffle=True, random_state=0), np.zeros(120, dtype=int)
    splits = list(cv.split(np.zeros((120, 1)), Y_TRUE))
    for number, (_, test) in enumerate(splits, 1):
        ids[test] = number
    for given in (splits, iter(splits)):
        assert cb.evaluate_folds(Y_TRUE, GOOD, given, "f1") == cb.evaluate_folds(Y_TRUE, GOOD, ids, "f1")
    splits = list(TimeSeriesSplit(3).split(np.zeros((120, 1))))
    card = cb.evaluate_folds(Y_TRUE, GOOD, splits, "f1")
    assert int(card.counts.total[0, 0]) == 90
    assert "30 of 120 samples are tested in no fold and left out." in card.notes


@pytest.mark.parametrize("aggregate", ["pooled", "mean", "mean_of_defined"])
def test_counts_give_the_same_as_labels_with_any_names_of_folds(aggregate):
    words = pd.Series(np.array(["a", "b", "c", "d"])[FOLD], dtype="category")
    cells = [[cb.count(Y_TRUE[f == FOLD], p[f == FOLD]).cells for f in range(4)] for p in MODELS.values()]
    counts = {name: counts_of(np.array(one).T) for name, one in zip(MODELS, cells, strict=True)}
    one = cb.evaluate_fold_counts(counts, aggregate=aggregate, folds="abcd")
    assert one == cb.evaluate_folds(Y_TRUE, MODELS, words, aggregate=aggregate)
    assert one.folds == ("a", "b", "c", "d")
    listed = {name: list(of_folds) for name, of_folds in counts.items()}
    assert cb.evaluate_fold_counts(listed, aggregate=aggregate, folds="abcd") == one


def test_folds_are_shown_one_by_one_on_demand():
    card = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, ["f1", "mcc"])
    table = card.fold_table()
    assert (len(table.rows), len(card.fold_table("f1", "good").rows)) == (8, 4)
    assert card.fold_counts[0, 0] == cb.count(Y_TRUE[FOLD == 0], GOOD[FOLD == 0])
    assert [cell.text for cell in table.rows[0][2:6]] == [str(cell) for cell in card.fold_counts[0, 0].cells]
    with pytest.raises(ValueError, match="This scorecard has: good and poor"):
        card.fold_table(model="goood")


def test_every_way_stands_beside_the_others_with_its_own_bar():
    ways = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, ["f1", "mcc"]).all_ways()
    pairs = ["precision_recall", "precision_recall_of_defined"]
    assert list(ways) == ["pooled", "mean", "mean_of_defined", *pairs]
    assert [measure.name for measure in ways["precision_recall"].measures] == ["f1"]
    for aggregate in ways:
        alone = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, ways[aggregate].measures, aggregate=aggregate)
        assert ways[aggregate] == alone
        assert pickle.loads(pickle.dumps(alone)) == alone  # noqa: S301 - our own; unknown values are equal
    assert str(ways).count("\n") == 1 + 2 * (5 + 3)
    assert "<table" in ways._repr_html_()
    with pytest.raises(KeyError, match="no way 'median'"):
        ways["median"]


def test_a_sentence_says_when_the_ways_differ():
    rare = cb.Counts(tp=[3, 4, 4, 3], fp=[0, 1, 13, 5], fn=[0, 0, 0, 1], tn=[373, 371, 359, 367])
    notes = cb.evaluate_fold_counts(rare, "f1").notes
    assert any("F1 is 0.583 'pooled' and 0.734 'precision_recall'" in note for note in notes)
    even = cb.Counts(tp=[40, 41], fp=[10, 10], fn=[10, 9], tn=[40, 40])
    assert not any("matters" in note for note in cb.evaluate_fold_counts(even, "f1").notes)


def test_positives_in_one_fold_alone_leave_the_others_undefined():
    counts = cb.Counts(tp=[3, 0, 0], fp=[1, 0, 1], fn=[1, 0, 0], tn=[5, 10, 9])
    card = cb.evaluate_fold_counts(counts, ["f1", "recall"], aggregate="mean")
    assert card[0].score == pytest.approx(0.75 / 3)
    assert card[1].outcome == "undefined"
    said = "recall has no value in folds 2 and 3 (no positive samples); pooled counts have one"
    assert card[1].reason == f"{said} (aggregate='pooled')"
    undefined = [(one.fold, one.condition) for one in card.undefined_folds if one.measure == "recall"]
    assert undefined == [(2, "P > 0"), (3, "P > 0")]
    assert "probability_of_empty_fold" in str(card)
    pooled = cb.evaluate_fold_counts(counts, ["f1", "recall"])
    assert [verdict.score for verdict in pooled] == pytest.approx([2 / 3, 3 / 4])


def test_knowing_the_folds_changes_the_bar_and_not_the_chance_of_the_score():
    counts = cb.Counts(tp=[5, 1], fp=[5, 9], fn=[1, 2], tn=[9, 50])
    blind = cb.evaluate_fold_counts(counts, "f1")[0]
    aware = cb.evaluate_fold_counts(counts, "f1", fold_aware=True)[0]
    assert blind.baseline.value == pytest.approx(2 * 9 / (9 + 82))
    assert aware.baseline.value == pytest.approx(2 * 6 / (9 + 20))
    assert (blind.p_value_blind, blind.score) == (aware.p_value_blind, aware.score)


HALF, OTHER = np.arange(60), np.arange(60, 120)
REPEATED = RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(Y_TRUE)
THIRD = np.where(np.arange(120) == 5, 2, Y_TRUE)


@pytest.mark.parametrize(
    ("said", "folds", "labels", "measure"),
    [
        ("folds and y_true must have the same length; found 119 and 120 samples", FOLD[1:], Y_TRUE, "f1"),
        ("folds holds one fold; cross-validation has two or more", 0 * FOLD, Y_TRUE, "f1"),
        ("found a splitter: pass cv.split", KFold(4), Y_TRUE, "f1"),
        ("more than once .*judge each repeat by itself", REPEATED, Y_TRUE, "f1"),
        ("the test set of split 2 has no samples", [(HALF, OTHER), (HALF, HALF[:0])], Y_TRUE, "f1"),
        ("split 2 tests sample 120, but y_true", [(HALF, OTHER), (HALF, HALF + 61)], Y_TRUE, "f1"),
        ("folds has 1 missing value", [None, *FOLD[1:].tolist()], Y_TRUE, "f1"),
        ("measure 'precision' is an average over many classes|three labels", FOLD, THIRD, "precision"),
    ],
)
def test_bad_folds_are_refused_in_a_sentence(said, folds, labels, measure):
    with pytest.raises(ValueError, match=said) as found:
        cb.evaluate_folds(labels, GOOD, folds, measure)
    assert "\n" not in str(found.value)


ONES = cb.Counts(tp=[1, 1], fp=1, fn=1, tn=1)


@pytest.mark.parametrize(
    ("said", "counts", "options"),
    [
        ("fold 2 has no samples", cb.Counts(tp=[1, 0], fp=[1, 0], fn=[1, 0], tn=[1, 0]), {}),
        ("two or more folds; found shape", cb.Counts(tp=[1], fp=[1], fn=[1], tn=[1]), {}),
        ("counts holds no model", {}, {}),
        ("differ in their class sizes", {"a": ONES, "b": cb.Counts(tp=[1, 2], fp=1, fn=1, tn=1)}, {}),
        ("name each of the 2 folds; found 3 names", ONES, {"folds": "abc"}),
        ("aggregate must be one of 'pooled', .*; found 'median'", ONES, {"aggregate": "median"}),
        ("fold_aware must be True or False; found ", ONES, {"fold_aware": "False"}),
        (
            r"mcc and npv are no functions of these two; .* f1, f2.*Use aggregate='pooled' or 'mean'\.",
            ONES,
            {"measures": ["f1", "mcc", "npv"], "aggregate": "precision_recall"},
        ),
    ],
)
def test_bad_counts_are_refused_in_a_sentence(said, counts, options):
    with pytest.raises(ValueError, match=said):
        cb.evaluate_fold_counts(counts, **{"measures": "f1"} | options)


def test_other_policies_give_empty_folds_a_value():
    counts = cb.Counts(tp=[3, 0], fp=[1, 0], fn=[2, 4], tn=[6, 8])
    for undefined, score in (("worst", 0.375), (0.0, 0.375), (1.0, 0.875)):
        for aggregate in ("mean", "precision_recall"):
            card = cb.evaluate_fold_counts(counts, "precision", aggregate=aggregate, undefined=undefined)
            assert card[0].score == pytest.approx(score)
    assert cb.evaluate_fold_counts(counts, "precision", aggregate="mean")[0].outcome == "undefined"
    assert cb.evaluate_fold_counts(counts, "precision", aggregate="mean_of_defined")[0].score == 0.75


def test_what_to_do_names_the_fold_that_is_enough():
    counts = cb.Counts(tp=[3, 4, 0], fp=[1, 0, 0], fn=[1, 2, 0], tn=[5, 4, 10])
    bar = cb.evaluate_fold_counts(counts, "f1", aggregate="mean_of_defined").bar(0)
    assert bar.recipe == "predict all 10 positive in fold 2 and leave the other 2 undefined"
    assert bar.value == pytest.approx(2 * 6 / (6 + 10))
    assert bar.attained_by.certain
    assert "fold by fold" in bar.claim


LARGER = cb.Counts(
    tp=[25, 26, 20, 27, 24, 25, 22, 23, 28, 25],
    fn=[25, 24, 30, 23, 26, 25, 28, 27, 22, 25],
    fp=[38, 36, 35, 37, 36, 34, 39, 36, 35, 36],
    tn=[412, 414, 415, 413, 414, 416, 411, 414, 415, 414],
)


def jackknifed(_name):
    """F1 of mean precision and recall; for each fold ten times that of all less nine times of the others."""
    tp, called, positives = LARGER.tp, LARGER.tp + LARGER.fp, LARGER.tp + LARGER.fn

    def f1(kept):
        precision, recall = np.mean(tp[kept] / called[kept]), np.mean(tp[kept] / positives[kept])
        return 2 * precision * recall / (precision + recall)

    folds = np.arange(10)
    return f1(folds), [10 * f1(folds) - 9 * f1(folds[folds != fold]) for fold in folds]


def averaged(name):
    scores = [cb.get_measure(name)(LARGER[fold]) for fold in range(10)]
    return np.mean(scores), scores


@pytest.mark.parametrize(
    ("aggregate", "name", "of_folds"),
    [("precision_recall", "f1", jackknifed), *(("mean", name, averaged) for name in ("f1", "mcc", "fdr"))],
)
def test_p_values_and_intervals_of_means_are_those_of_the_corrected_resampled_t(aggregate, name, of_folds):
    """Nadeau and Bengio 2003: variance (1/J + test/train) s^2, where of J folds test/train is 1/(J - 1)."""
    row = cb.evaluate_fold_counts(LARGER, name, aggregate=aggregate)[0]
    score, values = of_folds(name)
    error = math.sqrt(1 / 10 + 1 / 9) * np.std(values, ddof=1)
    assert row.p_value == pytest.approx(2 * stats.t.sf(abs(score - row.baseline.value) / error, 9), rel=1e-9)
    half = stats.t.ppf(0.975, 9) * error
    assert [row.score, row.low, row.high] == pytest.approx([score, score - half, score + half], rel=1e-9)
    assert "corrected resampled t-test" in row.reason


def test_folds_that_differ_by_rounding_alone_have_no_spread():
    scores = np.array([0.1 + 0.2, 0.3, 0.3, math.nan])  # one without a value is left out
    assert Mean.of(scores) == Mean(pytest.approx(0.3), 0.0, 2)
    assert Mean.of(scores).tail(0.3).upper == 1.0
    assert math.isnan(Mean.of(scores).tail(0.2).upper)
    assert np.isnan(Mean.of(scores).interval(0.95, (0.0, 1.0))).all()


def test_folds_that_all_score_the_same_are_judged_by_their_pooled_counts_if_these_always_score_it_too():
    counts = cb.Counts(tp=[4, 3], fp=[1, 0], fn=[1, 2], tn=[4, 5])
    verdict, pooled = (
        cb.evaluate_fold_counts(counts, "accuracy", aggregate=way)[0] for way in ("mean", "pooled")
    )
    assert (verdict.p_value, verdict.low, verdict.high) == (pooled.p_value, pooled.low, pooled.high)
    assert "takes the pooled counts for one test set, which is approximate" in verdict.reason
    unlike = cb.Counts(tp=[4, 8], fp=[0, 0], fn=[1, 2], tn=[5, 10])
    for name, folds in (("f1", cb.Counts(tp=[4, 4], fp=[0, 0], fn=[1, 1], tn=[5, 5])), ("accuracy", unlike)):
        verdict = cb.evaluate_fold_counts(folds, name, aggregate="mean")[0]
        assert np.isnan([verdict.p_value, verdict.low, verdict.high]).all()
        assert "p_value is not known where all folds score the same though some sample" in verdict.reason


def test_wherever_blind_p_values_of_folds_are_given_it_is_said_what_they_do_not_cover():
    frame = pd.DataFrame({"y": Y_TRUE, "m": GOOD, "fold": FOLD})
    for card in (
        cb.evaluate_folds(Y_TRUE, GOOD, FOLD, "f1").all_ways()["mean"],
        cb.evaluate_fold_counts(LARGER, "f1", aggregate="precision_recall"),
        cb.evaluate_frame(frame, "y", "m", fold="fold", measures="f1"),
        cb.evaluate_scores(Y_TRUE, RNG.random(120), "roc_auc", folds=FOLD),
    ):
        said = [note for note in card.notes if "a learner that saw the labels of the other folds" in note]
        assert said == [AS_GIVEN]
    assert AS_GIVEN not in cb.evaluate_folds(Y_TRUE, GOOD, FOLD, "f1", intervals=False).notes
