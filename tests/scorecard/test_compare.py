"""Two models against each other: exchanged predictions, intervals, equivalence, and what is said."""

import math
import warnings
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import clearbar as cb
from clearbar.inference.exchange import exchange, mcnemar
from clearbar.inference.units import Groups, Units
from clearbar.scorecard._compare import _p_equivalent


@pytest.mark.parametrize(("one", "other"), [(0, 0), (1, 0), (5, 5), (40, 31), (900, 1), (1501, 1500)])
def test_mcnemar_is_the_exact_sum(one, other):
    n = one + other
    twice = Fraction(2 * sum(math.comb(n, i) for i in range(min(one, other) + 1)), 2**n)
    assert mcnemar(one, other) == pytest.approx(float(min(Fraction(1), twice)), rel=1e-11, abs=1e-300)


def test_measures_without_an_order_look_at_every_swap():
    own = cb.Measure("root", lambda tp, fp, *_: np.sqrt(tp) - np.sqrt(fp), greater_is_better=True)
    same = cb.Measure("same", lambda tp, fp, fn, tn: tp / (tp + fn) - fp / (fp + tn), greater_is_better=True)
    rng = np.random.default_rng(2)
    y, coin = rng.integers(0, 2, (2, 60))
    models = {"a": np.where(rng.random(60) < 0.8, y, 1 - y), "b": coin}
    card = cb.evaluate(y, models, [own, same, "informedness"], intervals=False)
    p = [card.compare("a", "b", measure, null="exchangeable").p_value for measure in card.measures]
    assert p[1] == pytest.approx(p[2])
    assert 0 < p[0] < 1


@pytest.fixture(scope="module")
def card():
    rng = np.random.default_rng(3)
    y_true = (rng.random(600) < 0.4).astype(int)

    def model(right):
        return np.where(rng.random(600) < right, y_true, 1 - y_true)

    good = model(0.85)
    twin = good.copy()
    twin[[3, 50, 77, 90]] = 1 - twin[[3, 50, 77, 90]]
    models = {"good": good, "poor": model(0.7), "twin": twin, "silent": np.zeros(600, dtype=int)}
    return cb.evaluate(y_true, models, ["f1", "mcc", "fnr"], intervals=False)


def test_a_comparison_holds_numbers_and_says_what_may_be_concluded(card):
    found = card.compare("good", "poor", "f1", margin=0.01)
    scores = dict(zip(card.models, card.columns["score"][:, 0, 0], strict=True))
    assert found.scores == (scores["good"], scores["poor"])
    assert found.score_difference == scores["good"] - scores["poor"]
    assert (found.conclusion, found.better, found.test) == ("better", "good", "equal_scores")
    assert 0 < found.low < found.score_difference < found.high
    assert str(found).startswith(f"good is better than poor by {found.score_difference:.3f} in F1 (")
    assert found.to_dict()["conclusion"] == "better"
    other = card.compare("poor", "good", "F1")
    assert (other.conclusion, other.better, other.p_value) == ("worse", "good", found.p_value)
    assert str(other).startswith("good is better than poor by ")
    loss = card.compare("good", "poor", "fnr")
    assert loss.score_difference < 0
    assert loss.better == "good"


def test_what_cannot_be_told_apart_may_be_equivalent_undecided_or_without_a_score(card):
    found = card.compare("good", "twin", "f1", margin=0.05)
    assert (found.conclusion, found.better) == ("equivalent", None)
    assert "equally good in F1: the difference is below the margin of 0.05 (p" in str(found)
    close = card.compare("good", "twin", "f1", margin=0.001)
    assert close.conclusion == "undecided"
    assert close.p_equivalent > 0.3
    assert "shown in F1 (p = " in str(close)
    silent = card.compare("good", "silent", "mcc")
    assert math.isnan(silent.p_value)
    assert str(silent) == "good and silent cannot be compared in MCC: a score has no value"


@pytest.mark.parametrize("ends", [(0.01, math.nan), (math.nan, 0.01)])
@pytest.mark.parametrize("difference", [0.0, 0.2])
def test_nothing_is_equivalent_where_one_end_of_the_margin_is_unknown(ends, difference):
    paired = SimpleNamespace(beyond=lambda end: ends[int(end > 0)])
    assert math.isnan(_p_equivalent(paired, 0.1, difference))


def test_a_comparison_of_which_nothing_is_known_has_no_p_of_equivalence():
    card = cb.evaluate_scores([0, 1], {"a": [0.3, 0.2], "b": [0.6, 0.7]}, "roc_auc")
    found = card.compare("a", "b", "roc_auc", margin=0.1)
    assert math.isnan(found.p_value)
    assert math.isnan(found.p_equivalent)


def test_what_cannot_be_compared_is_refused(card):
    for margin in (0, "x", math.nan, True):
        with pytest.raises(ValueError, match="margin must be a number above 0"):
            card.compare("good", "poor", "f1", margin=margin)
    with pytest.raises(ValueError, match="over must be 'slices'"):
        card.compare("good", "poor", "f1", over="folds")
    with pytest.raises(ValueError, match="needs two or more"):
        card.compare("good", "poor", "f1", over="slices")
    counts = cb.Counts(tp=14, fp=3, fn=4, tn=10)
    tables = cb.evaluate_counts({"a": counts, "b": counts}, "f1")
    with pytest.raises(ValueError, match="compare needs to know on which samples the models differ"):
        tables.compare("a", "b", "f1")


def test_folds_have_the_corrected_resampled_t_test():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(7)
    y, a = rng.integers(0, 2, (2, 200))
    b = np.where(rng.random(200) < 0.7, y, 1 - y)
    folds = np.arange(200) % 5
    card = cb.evaluate_folds(y, {"a": a, "b": b}, folds, "f1", aggregate="mean")
    found = card.compare("a", "b", "f1")
    difference = card.fold_scores[0, :, 0] - card.fold_scores[1, :, 0]
    error = math.sqrt((1 / 5 + 1 / 4) * difference.var(ddof=1))
    assert found.test == "resampled_t"
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(difference.mean()) / error, 4), rel=1e-9)
    width = stats.t.ppf(0.975, 4) * error
    assert (found.low, found.high) == pytest.approx((difference.mean() - width, difference.mean() + width))


def test_delong_is_that_of_proc():
    """As roc, var and roc.test of pROC 1.18.0 say in R 4.2.2, whose distribution is the normal one."""
    y = [1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 1]
    a = [0.9, 0.2, 0.7, 0.4, 0.5, 0.1, 0.8, 0.4, 0.6, 0.3, 0.6, 0.3]
    b = [0.5, 0.4, 0.9, 0.3, 0.2, 0.6, 0.7, 0.1, 0.4, 0.8, 0.3, 0.2]
    card = cb.evaluate_scores(y, {"a": a, "b": b}, "roc_auc")
    proc = ((29.5 / 36, 0.0161265432098765), (0.625, 0.0303240740740741))
    for model, (auc, variance) in enumerate(proc):
        ((test,),) = card.problem.tests_of(card.measures, [model], 0)
        assert test.auc == pytest.approx(auc, rel=1e-14)
        assert test.error == pytest.approx(math.sqrt(variance) / (auc * (1 - auc)), rel=1e-12)
    pair = card.problem.paired(card.measures[0], 0, 1)
    z = abs(pair.scores[0] - pair.scores[1]) / pair.error
    assert math.erfc(z / math.sqrt(2)) == pytest.approx(0.327935987324033, rel=1e-12)


def test_two_aucs_have_the_degrees_of_freedom_of_the_smaller_class():
    """Satterthwaite's, from placements by all pairs."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [4, 60])
    a, b = (np.round(y + rng.normal(size=64), 1) for _ in range(2))
    found = cb.evaluate_scores(y, {"a": a, "b": b}, "roc_auc").compare("a", "b", "roc_auc")
    wins = [np.sign(f[y == 1][:, None] - f[y == 0]) / 2 + 0.5 for f in (a, b)]
    parts = [(wins[0] - wins[1]).mean(axis=axis) for axis in (1, 0)]
    shares = [part.var(ddof=1) / len(part) for part in parts]
    degrees = sum(shares) ** 2 / (shares[0] ** 2 / 3 + shares[1] ** 2 / 59)
    half = stats.t.ppf(0.975, degrees) * math.sqrt(sum(shares))
    assert found.p_value == pytest.approx(
        2 * stats.t.sf(abs(found.score_difference) / math.sqrt(sum(shares)), degrees), rel=1e-9
    )
    assert (found.low, found.high) == pytest.approx(
        (found.score_difference - half, found.score_difference + half), rel=1e-9
    )


def test_equal_aucs_on_five_positives_are_seldom_told_apart():
    """Positives near together and far apart; by a normal z 17 % of the pairs are."""
    rng, refuted = np.random.default_rng(9), 0
    y = np.repeat([1, 0], [5, 200])
    at = 0.8416212335729143 * math.sqrt(2), 0.8416212335729143 * math.sqrt(10)  # both have an AUC of 0.8
    for _ in range(200):
        one, other = rng.normal(size=(2, 205))
        models = {"a": one + at[0] * y, "b": np.where(y == 1, at[1] + 3 * other, other)}
        card = cb.evaluate_scores(y, models, "roc_auc", intervals=False)
        refuted += card.problem.paired(card.measures[0], 0, 1).p_value <= 0.05
    assert refuted <= 24


def test_whole_groups_of_many_samples_are_swapped_a_few_at_a_time():
    """Eighteen groups have 2**18 swaps: of a million samples so many are never scored, nor held together."""
    rows = []

    class Swapped(Units):
        multiplicity = np.ones(18, dtype=np.int64)

        def __init__(self, samples):
            self.samples, self.clusters = samples, Groups(np.arange(18)) if samples else None

        def mixed(self, measure, first, second):  # noqa: ARG002 - the second's score is 0
            rows.append(len(first))
            return first @ np.arange(1, 19) / 18

        def differ(self):
            return np.ones(18, dtype=bool)

    p_value, _, note = exchange(Swapped(0), None)
    assert (p_value, note) == (2 / 2**18, "")
    rows.clear()
    p_value, _, note = exchange(Swapped(1_000_000), None)
    assert "random swaps" in str(note)
    assert max(rows) * 1_000_000 <= 2**22
    assert p_value == 1 / 1000


def test_twins_differ_on_no_sample_and_are_told_so():
    y, guess = np.arange(60) % 2, (np.arange(60) % 5 < 3).astype(int)
    cards = {
        "f1": cb.evaluate(y, {"a": guess, "b": guess.copy()}, "f1"),
        "roc_auc": cb.evaluate(y, {"a": guess / 2, "b": 3 * guess - 7.0}, "roc_auc"),
        "f1_macro": cb.evaluate(np.arange(60) % 3, {"a": guess, "b": guess.copy()}, "f1_macro"),
        "mae": cb.evaluate(y, {"a": guess / 2, "b": guess / 2}, "mae"),
    }
    for name, card in cards.items():
        found = card.compare("a", "b", name)
        assert (found.same, found.p_value) == (True, 1)
        label = found.measure.label
        assert str(found) == f"a and b differ on no sample, so that {label} cannot tell them apart"
    within = cards["f1"].compare("a", "b", "f1", margin=0.3)
    assert within.conclusion == "equivalent"
    assert str(within).endswith("apart; the difference is below the margin of 0.3 (p = 0.00010)")
    assert not cb.evaluate(y, {"a": guess, "b": 1 - guess}, "f1").compare("a", "b", "f1").same


@pytest.mark.slow
def test_many_groups_of_numbers_have_p_values_far_below_a_thousandth():
    rng = np.random.default_rng(9)
    y = rng.normal(size=2_000)
    models = {"a": y + rng.normal(size=2_000), "b": y + 1.4 * rng.normal(size=2_000)}
    card = cb.evaluate(y, models, "mse", clusters=np.arange(2_000) // 25, intervals=False)
    found = card.compare("a", "b", "mse", null="exchangeable")
    assert found.p_value == 1 / 100_000
    assert found.note == "p_value is from 99,999 random swaps, of which none has a difference as large"


def assert_turned(other, one):
    assert one.low < one.high
    assert (other.low, other.high) == (-one.high, -one.low)
    assert other.scores == one.scores[::-1]
    assert other.skill_difference == -one.skill_difference
    assert (other.p_value, other.p_equivalent) == (one.p_value, one.p_equivalent)
    assert (other.only_a_right, other.only_b_right) == (one.only_b_right, one.only_a_right)
    assert (other.test, other.note, other.same) == (one.test, one.note, one.same)


@pytest.mark.parametrize("name", ["f1", "equal f1", "fnr", "slices", "mae"])
def test_the_other_way_round_everything_has_the_other_sign(name):
    rng = np.random.default_rng(11)
    y = rng.integers(0, 2, 90)
    labels = {
        m: np.where(rng.random(90) < right, y, 1 - y) for m, right in zip("ab", (0.6, 0.8), strict=True)
    }
    noisy = {m: y + rng.normal(0, width, 90) for m, width in zip("ab", (1, 2), strict=True)}
    models = noisy if name in {"average_precision", "mae"} else labels
    more, over = {}, {}
    if name == "slices":
        more, over = {"by": np.arange(90) % 9}, {"over": "slices"}
    if name == "equal f1":
        models = {"a": y.copy(), "b": y.copy()}
        for model, two in zip("ab", (0, 1), strict=True):
            models[model][[np.flatnonzero(y)[two], np.flatnonzero(y == 0)[two]]] ^= 1
    measure = {"slices": "accuracy"}.get(name, name.removeprefix("equal "))
    y = y / 3 if name == "mae" else y
    card = cb.evaluate(y, models, measure, intervals=False, **more)
    turned = cb.evaluate(y, {model: models[model] for model in "ba"}, measure, intervals=False, **more)
    one = card.compare("a", "b", measure, margin=0.1, **over)
    assert (one.score_difference == 0) == (name == "equal f1")
    for other in (own.compare("b", "a", measure, margin=0.1, **over) for own in (card, turned)):
        assert_turned(other, one)


def test_a_class_of_one_sample_is_compared_without_a_warning():
    y = (np.arange(30) == 3).astype(int)
    a, b = (y | (np.arange(30) % 5 == 0)), np.arange(30) % 3
    card = cb.evaluate(y, {"a": a, "b": b == 0}, "f1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        card.compare("a", "b", "f1")


RNG = np.random.default_rng(0)
SETS = [set(np.flatnonzero(RNG.random(4) < 0.4).tolist()) | {0} for _ in range(40)]


@pytest.mark.parametrize("measure", ["f1_micro", "f1_macro"])
def test_all_right_against_nothing_right_is_told_apart(measure):
    """Rounding was taken for spread (interval 1 to 1), or no failures reached 0 (p = 1)."""
    card = cb.evaluate_multilabel(SETS, {"a": SETS, "b": [set() for _ in SETS]}, measure)
    found = card.compare("a", "b", measure)
    assert found.better == "a"
    assert found.low < 0.99
    assert "supposed" in found.note


def test_an_error_that_is_never_there_has_slopes_without_a_warning():
    y = RNG.normal(size=30)
    card = cb.evaluate_regression(y, {"a": y, "b": y + 1}, "rmse")
    found = card.compare("a", "b", "rmse")  # warnings are errors here
    assert "supposed" in found.note
    assert card.ranking().p_values[0, 1] == found.p_value < 0.2


def test_a_model_without_a_score_has_none_in_a_comparison():
    """Rounding made it a number: 1.000000003 apart in Pearson's r."""
    y = RNG.normal(size=30)
    found = cb.evaluate_regression(y, {"a": y + 0.1, "b": 0 * y}, "pearson").compare("a", "b", "pearson")
    assert math.isnan(found.scores[1])
    assert found.conclusion == "undefined"
    assert found.test == ""
    assert str(found).endswith("a score has no value")


def test_slices_that_all_differ_by_the_same_do_not_tell_how_sure_it_is():
    y = np.array([1, 0] * 20)
    card = cb.evaluate(y, {"a": y, "b": 1 - y}, "f1", by=np.arange(40) // 8)
    found = card.compare("a", "b", "f1", over="slices")
    assert math.isnan(found.p_value)
    assert found.better is None
    assert "the difference is the same in every unit" in str(found)


@pytest.mark.parametrize("what", [pytest.param("many classes", marks=pytest.mark.slow), "clusters", "runs"])
def test_a_model_that_predicts_one_class_is_compared(what):
    rng = np.random.default_rng(1)
    classes = 13 if what == "many classes" else 3
    y = np.arange(24 * classes) % classes
    shape = (2, len(y)) if what == "runs" else len(y)
    good = np.where(rng.random(shape) < 0.8, y, rng.integers(0, classes, shape))
    more = {"clusters": np.arange(len(y)) // 4} if what == "clusters" else {}
    card = cb.evaluate_multiclass(y, {"good": good, "one": 0 * good}, ["f1_macro", "mcc"], **more)
    assert card.compare("good", "one", "f1_macro").better == "good"
    assert card.compare("good", "one", "mcc").conclusion == "undefined"
