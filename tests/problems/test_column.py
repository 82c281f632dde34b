"""Bars of predictions that see one column: every allocation, in exact fractions."""

import numpy as np
import pytest
from tests.oracle.folds import expectations

import clearbar as cb

DESIGNS = [((3, 1), (4, 3)), ((2, 1), (3, 0), (2, 2)), ((5, 1), (3, 2)), ((1, 1), (4, 1), (3, 1))]


def columns(design):
    labels = [int(i < positives) for total, positives in design for i in range(total)]
    return np.array(labels), np.repeat(list("abc")[: len(design)], [total for total, _ in design])


@pytest.mark.parametrize("design", DESIGNS, ids=str)
@pytest.mark.parametrize("name", ["accuracy", "f1", "precision", "informedness", "threat_score"])
def test_no_allocation_expects_more(name, design):
    labels, column = columns(design)
    bar = cb.baseline(labels, name, given=column)
    assert bar.value == pytest.approx(float(max(expectations(name, design, "pooled").values())), rel=1e-12)
    assert bar.certified
    assert bar.value >= float(cb.baseline(labels, name).value) - 1e-12


def test_the_bar_says_what_to_do():
    bar = cb.baseline([1, 1, 1, 0, 1, 0, 0, 0], "accuracy", given=list("aaaabbbb"))
    assert str(bar) == "accuracy bar 0.750: predict all 4 positive in group a, none elsewhere"
    assert "sees only this column" in bar.claim
    verdict = bar.judge(1.0)
    assert (verdict.outcome, verdict.sure) == ("clears", False)
    assert "without the predictions" in verdict.reason


def test_a_model_that_knows_the_site_alone_does_not_clear_a_bar_that_sees_it():
    generator = np.random.default_rng(4)
    site = generator.integers(0, 3, 600)
    feature = generator.normal(size=600)
    labels = feature + np.array([-1.5, 0.0, 1.5])[site] + generator.normal(size=600) / 2 > 0
    models = {"site": site > 0, "both": feature + np.array([-1.5, 0.0, 1.5])[site] > 0}
    names = ["accuracy", "f1", "mcc"]
    plain, given = cb.evaluate(labels, models, names), cb.evaluate(labels, models, names, given=site)
    assert all(verdict.sure for verdict in plain)
    assert [v.outcome for v in given][:2] == ["ties", "ties"]
    assert not any(v.sure for v in given if v.model == "site")
    assert all(v.sure for v in given if v.model == "both")
    assert given[0].p_value_blind == 1
    assert [(v.score, v.low, v.high) for v in plain] == [(v.score, v.low, v.high) for v in given]
    assert "The bars see a column of 3 values" in str(given)
    assert "in groups 1 and 2, none elsewhere" in str(given)
    with pytest.raises(ValueError, match="best_of does not know of the column"):
        given.best_of("f1")


ONLY = "given is for measures of two classes and of numbers"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"by": list("aabb")}, "given and by cannot be combined"),
        ({"measures": "roc_auc"}, ONLY),
        ({"given": [1, 2]}, "given and y_true must have the same length"),
        ({"given": [0.1, 0.25, 0.3, 2.0]}, "given holds 4 different numbers for 4 .* numpy.digitize"),
        ({"y_true": [0, 1, 2, 1]}, "given takes labels of two classes, or numbers, and y_true holds more"),
        ({"given": [1, None, 2, 2]}, "given has 1 missing value .* a value of their own"),
        ({"y_pred": np.zeros((2, 4), int)}, "given takes one prediction per sample and model"),
    ],
)
def test_what_cannot_be_combined_is_told_so(options, sentence):
    call = {"y_true": [0, 1, 0, 1], "y_pred": [0, 1, 1, 1], "measures": "f1", "given": list("abab")} | options
    with pytest.raises(ValueError, match=sentence):
        cb.evaluate(**call)


@pytest.mark.parametrize(
    ("labels", "measure", "sentence"),
    [
        (np.eye(3, dtype=int), "f1_samples", ONLY),
        ([0, 1, 2], "accuracy", "y_true holds more classes; leave given out"),
        (cb.Population(3, 1), "f1", "given needs the labels themselves"),
    ],
)
def test_bars_of_other_kinds_see_no_column(labels, measure, sentence):
    with pytest.raises(ValueError, match=sentence):
        cb.baseline(labels, measure, given=[1, 1, 2])


RNG = np.random.default_rng(3)
Y = RNG.normal(size=146)


def test_a_continuous_column_is_refused_in_one_sentence():
    """60 numbers in 146 samples that know nothing of the targets took 41 % of the variance."""
    column = RNG.permutation(np.resize(np.arange(60) + 0.5, 146))
    with pytest.raises(ValueError, match=r"^given holds 60 different numbers for 146 .* 40\.7 % of a "):
        cb.evaluate_regression(Y, Y + 1, "r2", given=column)
    with pytest.raises(ValueError, match="high by chance alone"):
        cb.evaluate(Y > 0, Y > 1, "accuracy", given=column.astype(int).astype(str))
    bins = np.digitize(column, np.quantile(column, [0.25, 0.5, 0.75]))
    assert cb.baseline_regression(Y, "r2", given=bins).value < 0.1


def test_a_slice_with_too_few_samples_for_the_column_has_no_bar():
    where = np.where(np.arange(146) < 120, "large", "small")
    card = cb.evaluate_regression(Y, Y + 0.1, "mae", given=np.resize(np.arange(12), 146), by=where)
    assert {v.group: v.outcome for v in card} == {None: "clears", "large": "clears", "small": "undefined"}
    reason = next(v.reason for v in card if v.group == "small")
    assert reason == "MAE has no bar here: the column has 12 values for 26 samples, and needs ten for each"
