"""From labels and folds to a scorecard: what is counted, said and refused."""

import copy
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.model_selection import KFold, RepeatedKFold, StratifiedKFold, TimeSeriesSplit

import clearbar as cb
from clearbar.core.counts import counts_of
from clearbar.problems.folds import from_pair
from clearbar.problems.validation import AS_GIVEN

RNG = np.random.default_rng(11)
Y_TRUE = (RNG.random(120) < 0.3).astype(int)
GOOD = np.where(RNG.random(120) < 0.15, 1 - Y_TRUE, Y_TRUE)
POOR = RNG.integers(0, 2, 120)
FOLD = np.arange(120) % 4
MODELS = {"good": GOOD, "poor": POOR}


def by_hand(prediction, name):
    """The measure in each fold, from scratch."""
    return [cb.score(Y_TRUE[fold == FOLD], prediction[fold == FOLD], name) for fold in range(4)]


def test_fold_counts_and_scores_are_kept():
    card = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, ["f1", "mcc"])
    assert card.folds == (0, 1, 2, 3)
    for model, prediction in enumerate(MODELS.values()):
        for fold in range(4):
            here = fold == FOLD
            assert card.fold_counts[model, fold] == cb.count(Y_TRUE[here], prediction[here])
        for at, name in enumerate(("f1", "mcc")):
            assert card.fold_scores[model, :, at].tolist() == pytest.approx(by_hand(prediction, name))


def test_pooled_scores_bars_and_p_values_at_the_bar_are_those_of_all_samples():
    folds = cb.evaluate_folds(Y_TRUE, MODELS, FOLD)
    plain = cb.evaluate(Y_TRUE, MODELS)
    for name in ("score", "bar", "skill", "p_value", "best_possible", "worst_draw"):
        np.testing.assert_array_equal(folds.columns[name], plain.columns[name])
    assert (folds.columns["outcome"] == plain.columns["outcome"]).all()
    assert folds.compare("good", "poor", "f1") == plain.compare("good", "poor", "f1")


SPLITS = [KFold(4, shuffle=True, random_state=0), StratifiedKFold(5, shuffle=True, random_state=0)]


@pytest.mark.parametrize("cv", SPLITS, ids=["KFold", "StratifiedKFold"])
def test_what_a_splitter_yields_will_do(cv):
    ids = np.zeros(120, dtype=int)
    for number, (_, test) in enumerate(cv.split(np.zeros((120, 1)), Y_TRUE), 1):
        ids[test] = number
    split = cb.evaluate_folds(Y_TRUE, GOOD, cv.split(np.zeros((120, 1)), Y_TRUE), "f1")
    assert split == cb.evaluate_folds(Y_TRUE, GOOD, ids, "f1")
    assert split == cb.evaluate_folds(Y_TRUE, GOOD, list(cv.split(np.zeros((120, 1)), Y_TRUE)), "f1")


def test_samples_that_no_fold_tests_are_left_out_and_counted():
    splits = list(TimeSeriesSplit(3).split(np.zeros((120, 1))))
    card = cb.evaluate_folds(Y_TRUE, GOOD, splits, "f1")
    assert int(card.counts.total[0, 0]) == 90
    assert "30 of 120 samples are tested in no fold and left out." in card.notes


def test_ids_may_be_words_and_columns_of_a_frame():
    import polars as pl

    words = np.array(["a", "b", "c", "d"])[FOLD]
    plain = cb.evaluate_folds(Y_TRUE, GOOD, words.tolist(), "f1")
    assert plain.folds == ("a", "b", "c", "d")
    assert cb.evaluate_folds(Y_TRUE, GOOD, pd.Series(words, dtype="category"), "f1") == plain
    assert cb.evaluate_folds(Y_TRUE, GOOD, pl.Series(words), "f1") == plain


def test_counts_give_the_same_as_labels():
    cells = [[cb.count(Y_TRUE[f == FOLD], p[f == FOLD]).cells for f in range(4)] for p in MODELS.values()]
    counts = {name: counts_of(np.array(one).T) for name, one in zip(MODELS, cells, strict=True)}
    for aggregate in ("pooled", "mean", "mean_of_defined"):
        one = cb.evaluate_fold_counts(counts, aggregate=aggregate, folds=range(4))
        other = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, aggregate=aggregate)
        assert one == other


def test_a_scorecard_over_folds_does_what_scorecards_do():
    card = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, ["f1", "mcc"], aggregate="mean")
    assert pickle.loads(pickle.dumps(card)) == card  # noqa: S301 - our own
    assert copy.deepcopy(card) == card
    assert len(card) == 4
    assert len(card.to_frame()) == 4
    assert json.loads(card.to_json())["rows"][0]["score"] == card[0].score
    assert "mean" in card.explain("f1")
    assert str(card) in {card.to_text(), card.to_text(encoding="ascii")}
    assert "<table" in card._repr_html_()
    assert repr(card) == "<Scorecard: 2 models x 4 folds x 2 measures>"


def test_folds_are_shown_one_by_one_on_demand():
    card = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, ["f1", "mcc"])
    table = card.fold_table()
    assert len(table.rows) == 8
    assert len(card.fold_table("f1", "good").rows) == 4
    first = card.fold_counts[0, 0]
    assert [cell.text for cell in table.rows[0][2:6]] == [str(cell) for cell in first.cells]
    assert "<table" in table.to_html()
    with pytest.raises(ValueError, match="This scorecard has: good and poor"):
        card.fold_table(model="goood")


def test_every_way_stands_beside_the_others_with_its_own_bar():
    card = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, ["f1", "mcc"])
    ways = card.all_ways()
    assert list(ways) == [
        "pooled",
        "mean",
        "mean_of_defined",
        "precision_recall",
        "precision_recall_of_defined",
    ]
    assert ways["pooled"] == card
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
    assert card[1].reason == (
        "recall has no value in folds 2 and 3 (no positive samples); pooled counts have one "
        "(aggregate='pooled')"
    )
    assert [(one.fold, one.condition) for one in card.undefined_folds if one.measure == "recall"] == [
        (2, "P > 0"),
        (3, "P > 0"),
    ]
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


def refused(said, *arguments, **options):
    with pytest.raises(ValueError, match=said) as found:
        cb.evaluate_folds(*arguments, **options)
    assert "\n" not in str(found.value)


def test_bad_folds_are_refused_in_a_sentence():
    refused("folds and y_true must have the same length; found 119 and 120 samples", Y_TRUE, GOOD, FOLD[1:])
    refused("folds holds one fold; cross-validation has two or more", Y_TRUE, GOOD, np.zeros(120, dtype=int))
    refused("folds holds one split", Y_TRUE, GOOD, [(np.arange(60), np.arange(60, 120))])
    refused("found a splitter: pass cv.split", Y_TRUE, GOOD, KFold(4))
    repeated = RepeatedKFold(n_splits=3, n_repeats=2, random_state=0).split(Y_TRUE)
    refused("more than once .*judge each repeat by itself", Y_TRUE, GOOD, repeated)
    empty = [(np.arange(60), np.arange(60, 120)), (np.arange(60), np.array([], dtype=int))]
    refused("the test set of split 2 has no samples", Y_TRUE, GOOD, empty)
    beyond = [(np.arange(60), np.arange(60, 120)), (np.arange(60), np.array([0, 120]))]
    refused("split 2 tests sample 120, but y_true has samples 0 to 119", Y_TRUE, GOOD, beyond)
    refused("folds has 1 missing value", Y_TRUE, GOOD, [None, *FOLD[1:].tolist()])


def test_bad_counts_are_refused_in_a_sentence():
    def no(said, counts, **options):
        with pytest.raises(ValueError, match=said):
            cb.evaluate_fold_counts(counts, "f1", **options)

    no("fold 2 has no samples", cb.Counts(tp=[1, 0], fp=[1, 0], fn=[1, 0], tn=[1, 0]))
    no("two or more folds; found shape", cb.Counts(tp=1, fp=1, fn=1, tn=1))
    no("two or more folds; found shape", cb.Counts(tp=[1], fp=[1], fn=[1], tn=[1]))
    no("counts holds no model", {})
    one, other = cb.Counts(tp=[1, 1], fp=1, fn=1, tn=1), cb.Counts(tp=[1, 2], fp=1, fn=1, tn=1)
    no("'b' and 'a' differ in their class sizes", {"a": one, "b": other})
    no("name each of the 2 folds; found 3 names", one, folds="abc")
    no("aggregate must be one of 'pooled', .*; found 'median'", one, aggregate="median")


def test_measures_that_are_no_functions_of_precision_and_recall_are_named():
    counts = cb.Counts(tp=[1, 1], fp=1, fn=1, tn=1)
    said = r"mcc and npv are no functions of these two; recall, .* f1, f2"
    with pytest.raises(ValueError, match=said) as found:
        cb.evaluate_fold_counts(counts, ["f1", "mcc", "npv"], aggregate="precision_recall")
    assert "Use aggregate='pooled' or 'mean'." in str(found.value)


def test_a_label_of_one_fold_alone_is_a_third_class():
    labels = Y_TRUE.copy()
    labels[5] = 2
    assert "of 3 classes" in str(cb.evaluate_folds(labels, GOOD, FOLD, "accuracy", intervals=False))
    refused(
        "measure 'precision' is an average over many classes|three labels", labels, GOOD, FOLD, "precision"
    )


def test_your_own_measure_is_pooled_and_averaged():
    mine = cb.Measure("net", lambda tp, fp, fn, tn: (tp - fp) / (tp + fn + 0 * tn), greater_is_better=True)
    pooled = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, mine)
    mean = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, mine, aggregate="mean")
    assert pooled[0].outcome == mean[0].outcome == "clears"
    assert mean[0].score == pytest.approx(np.mean(by_hand(GOOD, mine)))


@pytest.mark.parametrize("aggregate", ["pooled", "mean", "mean_of_defined"])
def test_the_whole_catalogue_is_combined(aggregate):
    with np.errstate(all="raise", under="ignore"):
        card = cb.evaluate_folds(Y_TRUE, MODELS, FOLD, "all", aggregate=aggregate)
    if aggregate == "mean":
        for verdict in card:
            hand = np.mean(by_hand(MODELS[verdict.model], verdict.measure.name))
            if verdict.measure.in_empty_fold is None:
                assert verdict.score == pytest.approx(hand, nan_ok=True)
    judged = card.columns["outcome"] != "undefined"
    assert judged.mean() > 0.75
    assert all(verdict.reason for verdict in card if verdict.outcome == "undefined")


@pytest.mark.parametrize(
    "name", ["f1", "f2", "precision", "recall", "fdr", "fnr", "fowlkes_mallows", "threat_score"]
)
def test_a_pair_of_precision_and_recall_is_read_back(name):
    rng = np.random.default_rng(0)
    tp, fp, fn = rng.integers(0, 30, (3, 200))
    fp[tp == 0] += 1
    fn[tp == 0] += 1
    measure = cb.get_measure(name)
    found = from_pair(measure, tp / (tp + fp), tp / (tp + fn))
    np.testing.assert_allclose(found, measure(tp=tp, fp=fp, fn=fn, tn=0 * tp), rtol=1e-13, atol=1e-15)
    alone = {"precision": (0.7, 0.0, 0.7), "fdr": (1.0, 0.0, 0.0), "recall": (0.0, 0.4, 0.4)}
    if name in alone:  # a precision beside no recall is not lost
        *both, value = alone[name]
        assert float(from_pair(measure, *both)) == pytest.approx(value)


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


def test_what_cannot_be_listed_is_drawn_and_says_so():
    card = cb.evaluate_fold_counts(LARGER, "fowlkes_mallows", aggregate="precision_recall")
    assert card[0].p_value_blind == 1 / 10_000
    assert card[0].p_blind_draws == 9_999
    assert "9,999 permutations of the labels within folds" in card[0].reason


def test_mean_precision_and_recall_have_the_t_test_of_the_jackknife_s_pseudo_values():
    card = cb.evaluate_fold_counts(LARGER, "f1", aggregate="precision_recall")

    def f1(kept):
        precision = np.mean(LARGER.tp[kept] / (LARGER.tp[kept] + LARGER.fp[kept]))
        recall = np.mean(LARGER.tp[kept] / (LARGER.tp[kept] + LARGER.fn[kept]))
        return 2 * precision * recall / (precision + recall)

    folds = np.arange(10)
    pseudo = np.array([10 * f1(folds) - 9 * f1(folds[folds != fold]) for fold in folds])
    error = math.sqrt(1 / 10 + 1 / 9) * pseudo.std(ddof=1)
    t = (f1(folds) - card[0].baseline.value) / error
    assert card[0].p_value == pytest.approx(2 * stats.t.sf(abs(t), 9), rel=1e-9)
    half = stats.t.ppf(0.975, 9) * error
    assert [card[0].low, card[0].high] == pytest.approx([f1(folds) - half, f1(folds) + half], rel=1e-9)
    assert "corrected resampled t-test" in card[0].reason


def test_a_p_value_of_pooled_counts_is_that_of_one_test_set_and_says_so():
    card = cb.evaluate_fold_counts(LARGER, ["f1", "mcc", "accuracy"])
    whole = LARGER.sum()
    for verdict, one in zip(card, cb.evaluate_counts(whole, ["f1", "mcc", "accuracy"]), strict=True):
        assert (verdict.score, verdict.baseline.value) == (one.score, one.baseline.value)
        assert verdict.p_value == one.p_value
        assert "takes the pooled counts for one test set, which is approximate" in verdict.reason


@pytest.mark.parametrize("aggregate", ["mean", "mean_of_defined"])
@pytest.mark.parametrize("name", ["f1", "mcc", "accuracy", "fdr"])
def test_a_p_value_of_a_mean_is_the_corrected_resampled_t(name, aggregate):
    """Nadeau and Bengio 2003: variance (1/J + test/train) s^2, where of J folds test/train is 1/(J - 1)."""
    card = cb.evaluate_fold_counts(LARGER, name, aggregate=aggregate)
    scores = np.array([cb.get_measure(name)(LARGER[fold]) for fold in range(10)])
    error = np.sqrt((1 / 10 + 1 / 9) * np.var(scores, ddof=1))
    distance = (scores.mean() - card[0].baseline.value) / error
    assert card[0].p_value == pytest.approx(2 * stats.t.sf(abs(distance), 9), rel=1e-9)
    half = stats.t.ppf(0.975, 9) * error
    assert (card[0].low, card[0].high) == pytest.approx(
        (scores.mean() - half, scores.mean() + half), rel=1e-9
    )


def test_folds_that_all_score_the_same_are_judged_by_their_pooled_counts_if_these_always_score_it_too():
    counts = cb.Counts(tp=[4, 3], fp=[1, 0], fn=[1, 2], tn=[4, 5])
    verdict = cb.evaluate_fold_counts(counts, "accuracy", aggregate="mean")[0]
    pooled = cb.evaluate_fold_counts(counts, "accuracy")[0]
    assert (verdict.p_value, verdict.low, verdict.high) == (pooled.p_value, pooled.low, pooled.high)
    assert "takes the pooled counts for one test set, which is approximate" in verdict.reason
    unlike = cb.Counts(tp=[4, 8], fp=[0, 0], fn=[1, 2], tn=[5, 10])
    for name, folds in (("f1", cb.Counts(tp=[4, 4], fp=[0, 0], fn=[1, 1], tn=[5, 5])), ("accuracy", unlike)):
        verdict = cb.evaluate_fold_counts(folds, name, aggregate="mean")[0]
        assert np.isnan([verdict.p_value, verdict.low, verdict.high]).all()
        assert "p_value is not known where all folds score the same though some sample" in verdict.reason


def test_where_pooled_counts_have_no_value_either_that_is_said():
    nothing = cb.Counts(tp=[0, 0, 0], fp=[0, 0, 0], fn=[2, 3, 1], tn=[8, 7, 9])
    some = cb.Counts(tp=[2, 0, 1], fp=[0, 0, 1], fn=[0, 3, 0], tn=[8, 7, 8])

    def said(counts, measures, **options):
        return " ".join(str(cb.evaluate_fold_counts(counts, measures, **options)).split())

    models = {"blind": nothing, "some": some}
    both = said(models, ["f1", "mcc"])
    assert "F1 and MCC of blind in every fold (nothing predicted positive)" in both
    assert "F1 and MCC of some in fold 2 (nothing predicted positive)" in both
    assert "Pooled counts give MCC of blind no value either." in both
    assert "Pooled counts have a value all the same." in said(some, ["f1", "mcc"])
    mean = cb.evaluate_fold_counts(models, "mcc", aggregate="mean")
    assert mean[0].reason == "MCC has no value in any fold (nothing predicted positive)"
    assert mean[1].reason == (
        "MCC has no value in fold 2 (nothing predicted positive); pooled counts have one (aggregate='pooled')"
    )
    assert "F scores count 0 there." in said(some, "f1", aggregate="mean")
    assert "They have no mean over folds" in said(some, "mcc", aggregate="mean")


@pytest.mark.parametrize("given", ["False", "yes", float("nan"), 1, 0, None, [True]])
def test_fold_aware_is_a_truth_value_and_no_word_for_one(given):
    counts = cb.Counts(tp=[3, 4], fp=[0, 1], fn=[0, 0], tn=[3, 3])
    for refused in (
        lambda: cb.evaluate_fold_counts(counts, "f1", fold_aware=given),
        lambda: cb.evaluate_folds(Y_TRUE, GOOD, FOLD, "f1", fold_aware=given),
    ):
        with pytest.raises(ValueError, match="fold_aware must be True or False; found "):
            refused()
    truth = cb.evaluate_fold_counts(counts, "f1", fold_aware=np.True_)
    assert truth[0].baseline == cb.evaluate_fold_counts(counts, "f1", fold_aware=True)[0].baseline


def test_wherever_blind_p_values_of_folds_are_given_it_is_said_what_they_do_not_cover():
    frame = pd.DataFrame({"y": Y_TRUE, "m": GOOD, "fold": FOLD})
    counts = cb.evaluate_folds(Y_TRUE, GOOD, FOLD, "f1").fold_counts[0]
    for card in (
        cb.evaluate_folds(Y_TRUE, GOOD, FOLD, "f1"),
        cb.evaluate_folds(Y_TRUE, GOOD, FOLD, "f1").all_ways()["mean"],
        cb.evaluate_fold_counts(counts, "f1", aggregate="precision_recall"),
        cb.evaluate_frame(frame, "y", "m", fold="fold", measures="f1"),
        cb.evaluate_scores(Y_TRUE, RNG.random(120), "roc_auc", folds=FOLD),
    ):
        said = [note for note in card.notes if "a learner that saw the labels of the other folds" in note]
        assert said == [AS_GIVEN]
    silent = cb.evaluate_folds(Y_TRUE, GOOD, FOLD, "f1", intervals=False)
    assert AS_GIVEN not in silent.notes
