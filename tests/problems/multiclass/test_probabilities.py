"""Probabilities of many classes: scikit-learn's values, bars and p-values over all orders, comparisons."""

import math
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

import clearbar as cb
from clearbar.catalogue import get_measure
from clearbar.inference.units import Units
from clearbar.problems.losses import Losses
from clearbar.problems.multiclass.columns import ColumnUnits
from clearbar.sklearn import baseline_scorer, cross_evaluate, skill_scorer

LOSSES = ("log_loss", "brier_score", "rps")
AUCS = ("roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted")
LABELS = np.array(list("abcd"))


def data(samples=150, classes=4, seed=0, skill=1.0):
    rng = np.random.default_rng(seed)
    truth = rng.choice(classes, samples, p=np.arange(classes, 0, -1) / sum(range(classes + 1)))
    scores = rng.normal(size=(samples, classes)).round(1)  # with ties
    scores[np.arange(samples), truth] += skill
    shares = np.exp(scores)
    return LABELS[truth], shares / shares.sum(axis=1, keepdims=True)


TRUTH, P = data()


def by_others(truth, p, labels=LABELS):
    hit = (truth[:, None] == labels[: p.shape[1]]).astype(float)
    ways = [("ovr", "macro"), ("ovr", "weighted"), ("ovo", "macro"), ("ovo", "weighted")]
    aucs = [metrics.roc_auc_score(truth, p, multi_class=how, average=way) for how, way in ways]
    ranked = ((p.cumsum(axis=1) - hit.cumsum(axis=1)) ** 2).sum(axis=1).mean()
    return [metrics.log_loss(truth, p), ((p - hit) ** 2).sum(axis=1).mean(), ranked, *aucs]


def test_scores_are_those_of_scikit_learn():
    card = cb.evaluate_multiclass(TRUTH, P, [*LOSSES, *AUCS], by=np.arange(150) % 2)
    for group, rows in {None: slice(None), 0: slice(0, None, 2), 1: slice(1, None, 2)}.items():
        own = [verdict.score for verdict in card if verdict.group == group]
        assert own == pytest.approx(by_others(TRUTH[rows], P[rows]), abs=1e-14)
    assert all(verdict.sure for verdict in card if verdict.group is None)
    other = cb.evaluate(TRUTH, P[:, ::-1], LOSSES, labels=list("dcba"), intervals=False)
    assert [verdict.score for verdict in other] == pytest.approx(by_others(TRUTH, P)[:3])


def test_no_other_measure_on_the_card_changes_a_number():
    columns = ["p_value", "p_value_blind", "low", "high", "p_draws", "p_blind_draws"]
    weak = data(60, 3, skill=0.4)
    whole = cb.evaluate(*weak, [*LOSSES, *AUCS]).to_frame().set_index("measure")[columns]
    for measure in ("log_loss", "roc_auc_ovo"):
        (row,) = cb.evaluate(*weak, measure).to_frame()[columns].to_numpy()
        assert row.tolist() == whole.loc[measure].tolist()


def test_where_p_is_unknown_nothing_is_said_of_what_draws_resolve():
    truth, shares = np.repeat(LABELS[:3], (30, 30, 3)), np.eye(3).repeat((30, 30, 3), axis=0)
    (row,) = cb.evaluate(truth, shares, "roc_auc_ovr", labels=LABELS[:3])
    assert math.isnan(row.p_value)
    assert not row.p_is_bound
    assert "resolvable" not in row.reason


@pytest.mark.quick
def test_classes_are_named_where_there_are_more_than_two():
    with pytest.raises(ValueError, match="labels names more than two classes, of which there are two here"):
        cb.evaluate([0, 1] * 5, [0, 1] * 5, "f1", labels=[0, 1])


@pytest.mark.quick
@pytest.mark.parametrize(
    ("counts", "log_loss", "brier", "rps"),
    [
        ([1, 1], 0.6931471805599453, 1 / 2, 1 / 4),
        ([5, 3, 2], 1.0296530140645737, 31 / 50, 41 / 100),
        ([10, 10, 10], 1.0986122886681096, 2 / 3, 4 / 9),
        ([492, 729], 0.6741890456516324, 79704 / 165649, 39852 / 165649),
        ([2, 2, 1], 1.0549201679861442, 16 / 25, 2 / 5),
        ([100, 1, 1], 0.11010008192339721, 67 / 1734, 301 / 10404),
        ([4], 0.0, 0.0, 0.0),
    ],
)
def test_bars_are_entropies_and_their_kin(counts, log_loss, brier, rps):
    sizes = cb.ClassSizes(dict(enumerate(counts)))
    values = [float(cb.baseline(sizes, name)) for name in LOSSES]
    assert values == pytest.approx([log_loss, brier, rps], rel=1e-14)
    truth = np.repeat(np.arange(len(counts)), counts)
    shares = np.tile(np.array(counts) / sum(counts), (len(truth), 1))
    card = cb.evaluate_multiclass(truth, shares, LOSSES, intervals=False)
    assert {verdict.outcome for verdict in card} == ({"ties"} if len(counts) > 1 else {"unbeatable"})
    if counts == [5, 3, 2]:  # the shares of a split that is one sample off are the same recipe
        shares += np.array([-0.1, 0.1, 0])
        assert cb.evaluate_multiclass(truth, shares, "log_loss", intervals=False)[0].outcome == "ties"


@pytest.mark.parametrize("classes", [2, 5])
def test_a_constant_that_rules_a_class_out_is_not_off_by_rounding(classes):
    """Of one sample each, such a constant lost so much that twice the loss of the bar was exactly at it."""
    truth, shares = np.arange(classes), np.full((classes, classes), 1 / classes)
    shares[truth, truth] /= 2
    shares[truth, truth - 1] += shares[truth, truth]
    card = cb.evaluate_multiclass(truth, shares, LOSSES, intervals=False)
    assert {verdict.outcome for verdict in card} == {"fails"}
    if classes == 2:
        card = cb.evaluate_scores([1, 0], [0.25, 0.75], ["log_loss", "brier_score"], intervals=False)
        assert {verdict.outcome for verdict in card} == {"fails"}


def test_nothing_blind_beats_the_bar_and_p_values_count_all_orders():
    """Any rows at all, over every order of the labels."""
    truth = np.array([0, 0, 1, 1, 2, 0])
    rng = np.random.default_rng(1)
    rows = rng.dirichlet(np.ones(3), 6).round(1)
    rows /= rows.sum(axis=1, keepdims=True)
    rows[np.arange(6), truth] += 0.4
    rows /= rows.sum(axis=1, keepdims=True)
    orders = np.array(sorted(set(permutations(truth))))
    losses = np.array([by_others(LABELS[order], rows, LABELS[:3]) for order in orders])
    card = cb.evaluate_multiclass(LABELS[truth], rows, [*LOSSES, *AUCS])
    for place, verdict in enumerate(card):
        values, better = losses[:, place], bool(verdict.measure.greater_is_better)
        assert (values.mean() - verdict.baseline.value) * (1 if better else -1) <= 1e-12
        reached = values >= verdict.score - 1e-12 if better else values <= verdict.score + 1e-12
        assert verdict.p_value_blind == pytest.approx(reached.mean(), abs=1e-12)
        if better:
            assert values.mean() == pytest.approx(0.5, abs=1e-12)


def test_neither_rows_nor_names_decide_what_is_drawn():
    order = np.random.default_rng(2).permutation(len(TRUTH))
    names = dict(zip("abcd", "wzxy", strict=True))
    renamed = np.array([names[label] for label in TRUTH])
    measures = ["log_loss", "brier_score", "roc_auc_ovo"]
    wanted = cb.evaluate_multiclass(TRUTH, P, measures)
    columns = P[:, ["wzxy".index(label) for label in "wxyz"]]
    for card in (
        cb.evaluate_multiclass(TRUTH[order], P[order], measures),
        cb.evaluate_multiclass(renamed, columns, measures),
    ):
        for own, other in zip(wanted, card, strict=True):
            numbers = [(v.low, v.high, v.p_value, v.p_value_blind) for v in (own, other)]
            assert numbers[0] == pytest.approx(numbers[1], abs=1e-9)


def test_two_models_are_compared_by_influences_that_small_steps_confirm():
    other = data(seed=5, skill=0.3)[1]
    units = ColumnUnits(np.searchsorted(LABELS, TRUTH), [P, other], joint=True)
    for name in ("log_loss", "roc_auc_ovr_weighted", "roc_auc_ovo"):
        measure = cb.get_measure(name, "probabilities")
        whole = np.ones((1, 150))
        exact, steps = units.slopes(measure, whole)[:, 0], Units.slopes(units, measure, whole)[:, 0]
        for label in range(4):
            rows = units.truth == label
            off = [values[:, rows] - values[:, rows].mean(axis=1, keepdims=True) for values in (exact, steps)]
            assert off[0] == pytest.approx(off[1], abs=1e-8)
        swapped = units.mixed(measure, np.zeros((1, 150)), whole)
        assert swapped == pytest.approx(units.score([measure], whole)[0, 1], abs=1e-12)
    card = cb.evaluate_multiclass(TRUTH, {"a": P, "b": other}, ["log_loss", "roc_auc_ovr"])
    assert [card.compare("a", "b", name).better for name in ("log_loss", "roc_auc_ovr")] == ["a", "a"]
    assert card.compare("a", "b", "log_loss", null="exchangeable").p_value < 0.01
    assert card.ranking("log_loss").rows[0]["model"] == "a"


def test_front_doors_agree():
    names = ["log_loss", "roc_auc_ovr"]
    wanted = cb.evaluate_multiclass(TRUTH, P, names)
    frame = pd.DataFrame(P, columns=list("pqrs")).assign(y=TRUTH)
    tables = cb.evaluate_frame(frame, "y", y_score=list("srqp"), labels=list("dcba"), measures=names)
    for card in (cb.evaluate(TRUTH, P, names), tables):
        assert [v.p_value for v in card] == pytest.approx([v.p_value for v in wanted])
        assert [v.score for v in card] == pytest.approx([v.score for v in wanted])
    assert cb.score(TRUTH, P, "log_loss") == wanted[0].score
    assert [m.name for m in cb.evaluate_multiclass(TRUTH, P).measures] == [
        "log_loss", "brier_score", "roc_auc_ovr"
    ]  # fmt: skip
    clustered = cb.evaluate_multiclass(TRUTH, P, names, clusters=np.arange(150) // 3)
    assert [v.score for v in clustered] == [v.score for v in wanted]
    assert "50 groups" in " ".join(clustered.notes)
    assert clustered[1].sure
    assert wanted[0].p_value < clustered[0].p_value < 1  # three samples that may all lose the most


def test_a_learner_is_scored_fold_by_fold():
    rng = np.random.default_rng(3)
    truth = np.repeat(["lo", "mid", "hi"], 40)
    features = rng.normal(size=(120, 2)) + (truth == "hi")[:, None]
    model, folds = LogisticRegression(), StratifiedKFold(4)
    for name, scorer in {"log_loss": "neg_log_loss", "roc_auc_ovr": "roc_auc_ovr"}.items():
        theirs = np.abs(cross_val_score(model, features, truth, cv=folds, scoring=scorer))
        card = cross_evaluate(model, features, truth, cv=folds, measures=name)
        assert card[0].score == pytest.approx(theirs.mean())
        skill, bar = (
            cross_val_score(model, features, truth, cv=folds, scoring=make(name))
            for make in (skill_scorer, baseline_scorer)
        )
        end = 1.0 if name == "roc_auc_ovr" else 0.0
        assert skill == pytest.approx((theirs - np.abs(bar)) / (end - np.abs(bar)))
        assert card[0].baseline.value == pytest.approx(np.abs(bar).mean())


def refused(*given, **named):
    with pytest.raises(ValueError) as found:
        cb.evaluate_multiclass(*given, **named)
    return str(found.value)


def test_what_cannot_be_judged_is_a_sentence():
    assert "found a sum of 2 in row 0. Divide each row by its sum" in refused(TRUTH, 2 * P, "log_loss")
    wrong = P.copy()
    wrong[7, 0] -= 1.0
    wrong[7, 1] += 1.0
    assert "found a negative number in row 7" in refused(TRUTH, wrong, ["rps", "roc_auc_ovr"])
    assert cb.evaluate_multiclass(TRUTH, 2 * P, "roc_auc_ovr", intervals=False)  # scores will do
    wide = np.column_stack([P, P[:, 0]])
    assert refused(TRUTH, wide, "log_loss").endswith(
        "found shape (150, 5). Name all classes, in the order of the columns, with labels."
    )
    assert "missing values" in refused(TRUTH, P * math.nan, "brier_score")
    assert "must be a matrix of scores" in refused(TRUTH, TRUTH, "log_loss")
    with pytest.raises(ValueError, match="judge each kind in a call of its own"):
        cb.evaluate(TRUTH, P, ["roc_auc_ovr", "f1_macro"])
    lone = np.append(TRUTH, "e"), np.vstack([np.column_stack([P, np.zeros(150)]), np.eye(5)[4]])
    card = cb.evaluate_multiclass(*lone, ["log_loss", "roc_auc_ovo"])
    assert not math.isnan(card[0].p_value)
    assert "1 of the classes that occur have fewer than 5 samples" in card[1].reason
    absent = cb.evaluate_multiclass(
        TRUTH, np.column_stack([P, np.zeros(150)]), "roc_auc_ovr", labels=list("abcde")
    )
    assert (absent[0].outcome, str(absent[0].reason)) == (
        "undefined",
        "one-vs-rest AUC has no value here: a class has no sample",
    )


@pytest.mark.parametrize("name", ["log_loss", "brier_score", "rps"])
def test_what_each_class_would_lose_is_what_it_loses_where_it_is_true(name):
    measure = get_measure(name, "probabilities")
    table = measure.function(P, None)
    for label in range(P.shape[1]):
        assert table[:, label] == pytest.approx(measure.function(P, np.full(len(P), label)), rel=1e-12)
        assert table.min() >= -1e-12
    most = measure.most(P.shape[1])
    assert most is None or table.max() <= most


@pytest.mark.parametrize("name", ["log_loss", "brier_score", "rps"])
def test_losses_that_were_not_seen_are_supposed(name):
    """Of 30 samples that lose next to nothing, up to 12 % may lose the most: then none is seen in 2.5 %."""
    measure, truth = get_measure(name, "probabilities"), np.arange(30) % 3
    sure = np.where(np.eye(3)[truth] == 1, 1 - 2e-4, 1e-4)
    verdict = cb.evaluate_multiclass(truth, sure, name)[0]
    most = -np.log(1e-4) if name == "log_loss" else 2.0
    assert verdict.high == pytest.approx(most * (1 - 0.025 ** (1 / 30)), rel=0.01)
    said = "p_value supposes that any sample, seen or not, loses at most 9.21, the largest loss that these"
    said = (
        said if name == "log_loss" else "p_value takes losses for independent, of any distribution up to 2 "
    )
    assert str(verdict.reason).startswith(said)
    assert measure.most(3) == (None if name == "log_loss" else 2.0)


def test_a_constant_that_is_the_share_of_the_classes_has_no_spread():
    truth = np.repeat([0, 1, 2], [18, 1, 1])
    shares = np.tile([0.9, 0.05, 0.05], (20, 1))
    for verdict in cb.evaluate_multiclass(truth, shares, ["log_loss", "brier_score"]):
        assert verdict.outcome == "ties"
        assert verdict.p_value == 1


def test_overconfident_models_whose_true_log_loss_is_the_bar_hardly_ever_clear_it():
    """On 20 samples of equal classes 31 % of BCa intervals missed the truth."""
    rng, clears = np.random.default_rng(0), 0
    power = 3.5  # of posterior probabilities, at which three classes 1.5 apart lose about log 3
    for _ in range(60):
        truth = np.repeat([0, 1, 2], [7, 7, 6])
        logits = 1.5 * power * (rng.normal(size=(20, 3)) + 1.5 * np.eye(3)[truth])
        given = np.exp(logits - logits.max(axis=1, keepdims=True))
        given /= given.sum(axis=1, keepdims=True)
        clears += cb.evaluate_multiclass(truth, given, "log_loss")[0].p_value <= 0.05
    assert clears <= 3


def test_what_a_class_of_one_sample_loses_is_no_expected_loss():
    """Sure answers, right in half of 60 classes of a sample each: 37 % of intervals missed the truth."""
    rng, missed = np.random.default_rng(0), 0
    truth, least = np.r_[np.zeros(20, dtype=int), 1:61], 1e-4
    right, wrong = -math.log(1 - 60 * least), -math.log(least)
    true = (50 * right + 30 * wrong) / 80
    for _ in range(60):
        answers = np.where(rng.random(80) < 0.5, truth, 0)
        sure = np.where(answers[:, None] == np.arange(61), 1 - 60 * least, least)
        verdict = cb.evaluate_multiclass(truth, sure, "log_loss")[0]
        missed += not verdict.low <= true <= verdict.high
    assert missed <= 6  # of an error rate of 5 %, more in 3 % of such runs


def test_a_sample_of_any_class_may_lose_what_the_note_names():
    truth = np.repeat([0, 1], [45, 5])
    given = np.tile([0.9, 0.1], (50, 1))
    given[0] = [1 - 1e-4, 1e-4]
    losses = -np.log(given)
    test = Losses.of(losses, given, truth, None).test(truth, None)
    assert f"at most {-math.log(1e-4):.3g}," in str(test.note)
    expected = [sum(p * -math.log(p) for p in column) / sum(column) for column in given.T.tolist()]
    above = [-math.log(1e-4) - expected[0], 0.9 * expected[0] + 0.1 * expected[1]]
    assert test.line([1.0]) == pytest.approx(sum(above), rel=1e-12)
    assert test.score == pytest.approx(losses[np.arange(50), truth].mean(), rel=1e-12)


def test_samples_of_a_single_class_do_not_tell_how_much_others_may_lose():
    """Nearly sure of the right class in all 30 samples: as bold an answer may be wrong."""
    given = np.tile([1 - 2e-4, 1e-4, 1e-4], (30, 1))
    given[:, 0] += 1e-6 * np.arange(30)
    given[:, 1] -= 1e-6 * np.arange(30)
    test = Losses.of(-np.log(given), given, np.zeros(30, dtype=int), None).test(np.zeros(30, dtype=int), None)
    _, high = test.interval(0.95, (0.0, math.inf))
    assert high > (1 - 0.025 ** (1 / 30)) * -math.log(1e-4)
    verdict = cb.evaluate_multiclass(["a"] * 30, given, "log_loss", labels=["a", "b", "c"])[0]
    assert verdict.high == pytest.approx(high, rel=1e-9)
