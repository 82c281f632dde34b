"""Predicted numbers, judged: p-values, intervals, slices, clusters, one column, and how they are read."""

import numpy as np
import pytest

import clearbar as cb

RNG = np.random.default_rng(7)
SIZE = 60
FEATURE = RNG.normal(size=SIZE)
Y = np.exp(FEATURE / 2 + RNG.normal(size=SIZE) / 2)
MODELS = {"good": np.exp(FEATURE / 2), "noise": np.exp(RNG.normal(size=SIZE) / 3), "constant": np.ones(SIZE)}


@pytest.fixture(scope="module")
def card():
    return cb.evaluate(Y, MODELS, ["mae", "rmse", "r2", "pearson"])


def test_the_front_door_knows_measures_of_numbers(card):
    assert card == cb.evaluate_regression(Y, MODELS, ["mae", "neg_root_mean_squared_error", "r2", "pearson"])
    assert cb.evaluate_regression(Y, MODELS["good"])[2].measure.name == "r2"
    assert cb.score(Y, MODELS["good"], "neg_mean_absolute_error") == np.abs(Y - MODELS["good"]).mean()
    with pytest.warns(cb.UndefinedMeasureWarning, match="r has no value here: its predictions are all the"):
        assert np.isnan(cb.score(Y, np.ones(SIZE), "pearson"))


def test_scores_are_held_against_the_best_constants(card):
    by_name = {(v.model, v.measure.name): v for v in card}
    good, bad = by_name["good", "mae"], by_name["noise", "mae"]
    assert good.score == pytest.approx(np.abs(Y - MODELS["good"]).mean())
    assert good.baseline.value == pytest.approx(np.abs(Y - np.median(Y)).mean())
    assert (good.outcome, good.sure, bad.outcome) == ("clears", True, "fails")
    assert good.skill == pytest.approx(1 - good.score / good.baseline.value)
    assert -1 <= bad.skill < 0
    assert by_name["good", "r2"].skill == pytest.approx(by_name["good", "r2"].score)
    undefined = by_name["constant", "pearson"]
    assert (undefined.outcome, undefined.sure) == ("undefined", False)
    assert "its predictions are all the same" in undefined.reason


def test_where_the_bar_is_the_same_in_all_resamples_it_is_outside_of_the_interval_if_p_is_small(card):
    """R² and correlations; the bar of an error moves with the error, so that p is of their distance."""
    seen = set()
    for verdict in card:
        if verdict.outcome == "undefined":
            continue
        assert verdict.low <= verdict.score <= verdict.high
        assert verdict.measure.bounds[0] <= verdict.low
        assert verdict.high <= verdict.measure.bounds[1]
        if verdict.measure.flat is not None:
            outside = not verdict.low <= verdict.baseline.value <= verdict.high
            assert outside == (verdict.p_value <= 0.05)
            seen.add(outside)
    assert seen == {True, False}


def test_units_do_not_matter():
    for scale in (1e-9, 1e9):
        small = cb.evaluate(scale * Y, scale * MODELS["good"], ["mae", "mse", "r2"])
        plain = cb.evaluate(Y, MODELS["good"], ["mae", "mse", "r2"])
        for a, b in zip(small, plain, strict=True):
            assert (a.p_value_blind, a.outcome) == (b.p_value_blind, b.outcome)
            assert (a.p_value, a.skill) == pytest.approx((b.p_value, b.skill), rel=1e-3)


def test_perfect_predictions_clear_surely_and_how_surely_depends_on_their_number():
    few, many = (cb.evaluate(Y[:n], Y[:n], ["mae", "r2", "spearman"]) for n in (8, 60))
    assert all(row.skill == 1 and row.sure for row in many)
    assert all(v.p_value <= w.p_value for v, w in zip(many, few, strict=True))
    assert few[1].low < 1


def test_a_slice_without_spread_says_so():
    y, f = np.r_[np.ones(6), Y[:12]], np.r_[np.arange(6.0), Y[:12]]
    card = cb.evaluate(y, f, ["r2", "mse"], by=["flat"] * 6 + ["other"] * 12)
    r2, mse = (row for row in card if row.group == "flat")
    assert (r2.outcome, mse.outcome) == ("undefined", "unbeatable")
    assert r2.reason == "R² has no value here: all targets are the same"


def test_clusters_are_drawn_and_moved_as_wholes():
    names = np.repeat(np.arange(20), 3)
    feature = np.repeat(RNG.normal(size=20), 3)
    y = feature + RNG.normal(size=SIZE) / 10
    alone = cb.evaluate(y, feature, ["mae", "r2"])
    together = cb.evaluate(y, feature, ["mae", "r2"], clusters=names)
    for one, whole in zip(alone, together, strict=True):
        assert whole.score == one.score
        assert whole.high - whole.low > one.high - one.low
        assert "20 groups" in whole.reason
        assert "whole groups" in whole.reason


def test_a_column_s_bar_is_higher_and_targets_move_within_it():
    """A model that knows the site alone clears the bar, and not that of predictions that see the site."""
    generator = np.random.default_rng(3)
    site = np.repeat(["a", "b", "c"], 40)
    level = np.repeat([1.0, 3.0, 8.0], 40)
    feature = generator.normal(size=120)
    y = level + feature + generator.normal(size=120)
    models = {"site": level + 0.3, "both": level + feature}
    plain = cb.evaluate_regression(y, models, "mse")
    given = cb.evaluate_regression(y, models, "mse", given=site)
    assert [v.sure for v in plain] == [True, True]
    assert [v.sure for v in given] == [False, True]
    assert given[0].p_value_blind == 1
    assert "within the groups of the column" in given[1].reason
    assert given[0].score == pytest.approx(plain[0].score)
    assert given[0].baseline.value < plain[0].baseline.value
    assert "would take 1.7 % of the variance" in str(given)


def test_few_samples_the_largest_error_and_a_constant_tell_little_and_say_why():
    largest = cb.evaluate(Y, Y, "max_error")[0]
    assert (largest.outcome, largest.sure) == ("clears", False)
    assert np.isnan(largest.p_value)
    assert largest.p_value_blind < 0.05
    assert "no larger error than the largest that was seen" in largest.reason
    few = cb.evaluate(Y[:4], Y[:4], "mse")[0]
    assert np.isnan(few.p_value)
    assert "at least 5 samples" in few.reason
    assert cb.evaluate(Y, np.ones(SIZE), "mae")[0].p_value_blind == 1


def test_what_else_is_on_the_card_and_the_order_of_rows_decide_nothing_even_where_targets_are_tied():
    generator = np.random.default_rng(9)
    y = generator.integers(0, 4, 40).astype(float)
    f, g = y + generator.normal(size=(2, 40))
    order = generator.permutation(40)
    (alone,) = cb.evaluate_regression(y, {"f": f}, "mae")
    beside = cb.evaluate_regression(y[order], {"g": g[order], "f": f[order]}, ["r2", "mae"])
    other = next(row for row in beside if (row.model, row.measure.name) == ("f", "mae"))
    assert (alone.p_value, alone.low, alone.p_value_blind) == pytest.approx(
        (other.p_value, other.low, other.p_value_blind), rel=1e-9
    )


def test_two_models_are_compared():
    y = RNG.normal(size=80)
    models = {"near": y + RNG.normal(size=80) / 5, "far": y + RNG.normal(size=80), "same": np.zeros(80)}
    models["same"] = models["near"].copy()
    card = cb.evaluate(y, models, ["mae", "max_error"], intervals=False)
    assert str(card.compare("near", "far", "mae")).startswith("near is better than far by")
    assert card.compare("near", "same", "mae").p_value == 1
    assert "no larger error" in str(card.compare("near", "far", "max_error").note)
    whole = cb.evaluate(y, models, "mae", clusters=np.arange(80) // 4, intervals=False)
    assert whole.compare("near", "far", "mae").p_value < 0.01


SITE = np.arange(SIZE) % 5


@pytest.mark.parametrize(
    ("given", "options", "sentence"),
    [
        (([1, 2], [1]), {}, "y_true and y_pred must have the same length; found 2 and 1 samples."),
        (([1], [1]), {}, "y_true must hold at least 2 numbers"),
        (([1, np.nan], [1, 2]), {}, r"y_true has a number that is nan or infinite \(first at"),
        ((["a", "b"], [1, 2]), {}, "y_true must hold numbers, a number per sample; found text"),
        (([1, 2], np.eye(2)), {}, "y_pred must be one-dimensional"),
        (([1, 0.0, 0], [1, 2, 3], "mape"), {}, "mape needs y_true without zeros; found 0.0 at position 1"),
        (([1, 2.0], [0, 2], "gamma"), {}, "mean_gamma_deviance needs y_pred above 0; found 0.0 at"),
        (([1, 2.0], [-3, 2], "msle"), {}, "msle needs y_pred above −1; found -3.0"),
        (([1, 2], [1, 2], "tweedie(power=0.5)"), {}, "power must be 0, or from 1 to 3; found 0.5"),
        (([1, 2], [1, 2], "smape"), {}, "several formulas go by this name"),
        (([1, 2], [1, 2], "f1"), {}, "'f1' judges labels, not numbers"),
        ((Y, Y, "spearman"), {"given": SITE}, "not so of Spearman's ρ. Use mse, mae or r2"),
        ((Y, Y), {"given": SITE, "clusters": SITE}, "given and clusters cannot be combined"),
    ],
)
def test_bad_input_gets_one_sentence(given, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        cb.evaluate_regression(*given, **options)


@pytest.mark.parametrize(
    ("measures", "options", "sentence"),
    [
        (["mse", "f1"], {}, r"mixes measures of numbers \(mse\) and of labels \(f1\)"),
        ("mse", {"undefined": "worst"}, "undefined='worst' is not for numbers"),
        ("mse", {"pos_label": 1}, "pos_label=1 is not for numbers"),
    ],
)
def test_what_is_of_labels_is_refused(measures, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        cb.evaluate(Y, MODELS, measures, **options)
