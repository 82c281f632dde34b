"""What is refused, in one sentence: the rule, what was found, and what to do; what is given is used."""

# ruff: noqa: ARG005 - a formula takes the whole table

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import clearbar as cb
from clearbar.sklearn import cross_evaluate
from clearbar.testing import assert_clears

pytestmark = pytest.mark.quick

ONES = {"tp": 1, "fp": 1, "fn": 1, "tn": 1}
WHOLE = {
    **{name: lambda x, name=name: cb.Counts(**(ONES | {name: x})) for name in ONES},
    "total": lambda x: cb.Population(x, 0),
    "positives": lambda x: cb.Population(10, x),
}
MASKED = np.ma.array([3, 4], mask=[False, True])
NOT_WHOLE = [-1, 2.5, math.nan, -math.inf, "3", None, True, 2**53 + 1, [1.5], 1j, np.ma.masked, MASKED]


@pytest.mark.parametrize(("name", "door"), WHOLE.items())
def test_counts_and_class_sizes_must_be_whole_numbers(name, door):
    for value in NOT_WHOLE:
        said = "must hold whole numbers from 0 .*; found "
        if name == "positives" and value is None:  # as where it is left out
            said = "is missing: give either their number or, as prevalence, their share"
        with pytest.raises(ValueError, match=f"^{name} {said}"):
            door(value)


@pytest.mark.parametrize("value", [3.0, np.uint64(3), np.float32(3), np.ma.array(3)])
def test_whole_numbers_of_any_type_are_taken(value):
    assert cb.Population(value, value) == cb.Population(3, 3)
    assert cb.Counts(tp=value, fp=0, fn=value, tn=0) == cb.Counts(tp=3, fp=0, fn=3, tn=0)


def test_no_more_positives_than_samples():
    message = r"^positives must not exceed total; found positives=11 with total=10\.$"
    for total, positives in ((10, 11), ([20, 10, 5], [11, 11, 11])):
        with pytest.raises(ValueError, match=message):
            cb.Population(total, positives)


def test_a_population_has_samples():
    with pytest.raises(ValueError, match=r"^total must be at least 1: a population without samples has"):
        cb.Population(0, 0)


def test_counts_beyond_what_floats_can_tell_apart_are_refused():
    with pytest.raises(ValueError, match=r"must not exceed 2\*\*5[0-9] samples"):
        cb.Counts(tp=2**52, fp=2**52, fn=2**52, tn=2**52)


@pytest.mark.parametrize("what", [lambda x: x[0], len])
def test_one_is_not_several(what):
    for value in (cb.Population(10, 3), cb.Counts(tp=1, fp=2, fn=3, tn=4)):
        with pytest.raises(TypeError, match="not an array of them"):
            what(value)


def test_a_user_measure_undefined_everywhere_has_a_reason():
    measure = cb.Measure("never", lambda tp, fp, fn, tn: tp * np.nan, greater_is_better=True)
    bar = cb.baseline(cb.Population(10, 3), measure)
    assert math.isnan(bar.value)
    assert "never" in bar.reason
    verdict = bar.judge(0.5)
    assert verdict.outcome == "undefined"
    assert verdict.reason == bar.reason


def test_one_of_anything_is_true():
    """`if bar:` asks whether there is one, not how many."""
    population = cb.Population(10, 3)
    assert population
    assert cb.Counts(tp=0, fp=0, fn=0, tn=0)
    assert cb.baseline(population, "f1")


NO_NUMBER = ["high", b"1", None, True, np.True_, np.array("0.7"), np.ma.masked, 1j, lambda: 0.5]
SIZES = cb.Population(20, 6)
BAR = cb.baseline(SIZES, "f1")
NULL = cb.Draw(SIZES, 6).distribution("f1")


@pytest.mark.parametrize(
    ("name", "door"),
    [
        ("score", BAR.judge),
        ("score", lambda x: cb.p_value(x, SIZES, "f1")),
        ("score", cb.baseline(SIZES, "roc_auc").judge),
        ("confidence", NULL.interval),
        ("alpha", BAR.clearing_score),
        ("theta", lambda x: cb.Draw.from_theta(SIZES, x)),
        ("undefined", lambda x: cb.baseline(SIZES, "f1", undefined=x)),
        ("beta", lambda x: cb.get_measure("fbeta", beta=x)),
    ],
)
def test_one_number_is_asked_for_at_one_door(name, door):
    for value in (*NO_NUMBER, [0.5]):
        with pytest.raises(ValueError, match=rf"^{name} must be .*; found "):
            door(value)


@pytest.mark.parametrize(
    ("name", "door"),
    [
        ("score", lambda x: cb.skill(x, BAR)),
        *(("x", getattr(NULL, verb)) for verb in ("pmf", "logpmf", "cdf", "sf", "logsf", "tail", "logtail")),
        ("q", NULL.ppf),
        ("theta", BAR.expectation),
        ("tp", lambda x: cb.get_measure("f1")(tp=[None] if x is None else x, fp=1, fn=1, tn=1)),
    ],
)
def test_arrays_of_numbers_are_asked_for_at_the_same_door(name, door):
    for value in (*NO_NUMBER, [0.5, None], [0.5, "a"], ["1"], MASKED):
        with pytest.raises(ValueError, match=rf"^{name} must be .*; found ") as refused:
            door(value)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("value", [Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.array(0.5)], ids=repr)
def test_numbers_of_any_type_are_numbers(value):
    assert cb.skill(value, BAR) == cb.skill(0.5, BAR)
    assert NULL.tail(value) == NULL.tail(0.5)
    assert BAR.judge(value) == BAR.judge(0.5)


HUNDRED = cb.Population(100, 40)
LABELS = ["ham"] * 60 + ["spam"] * 40
RATES = {"sensitivity": 0.8, "specificity": 0.9}
CARD = cb.evaluate([0, 1] * 10, [0, 1] * 10, "f1")


@pytest.mark.parametrize(
    "call",
    [
        lambda y, label: cb.power(y, "f1", **RATES, pos_label=label),
        lambda y, label: cb.baseline(y, "f1", pos_label=label).value,
        lambda y, label: cb.baseline(y, "roc_auc", pos_label=label).value,
        lambda y, label: cb.baseline_scores(y, "log_loss", pos_label=label).value,
        lambda y, label: cb.p_value(0.5, y, "f1", pos_label=label),
        lambda y, label: cb.dutch_scaler(0.8, y, "f1", pos_label=label),
        lambda y, label: (
            str(cb.dummies(y, "f1", pos_label=label))
            .replace("spam", "positive")
            .replace("ham", "negative")
            .split()
        ),
    ],
)
def test_a_positive_label_is_for_labels(call):
    assert call(LABELS, "spam") == call(HUNDRED, None)
    with pytest.raises(
        ValueError, match=r"^pos_label='spam' is for labels; a Population has none, leave it out"
    ):
        call(HUNDRED, "spam")


@pytest.mark.parametrize("indent", ["abc", -1, 1.5, True])
def test_blanks_of_a_document_are_a_number(indent):
    with pytest.raises(ValueError, match=r"^indent must be a whole number from 0 up, or None; found "):
        CARD.to_json(indent)
    assert CARD.to_json(np.int64(2)).startswith('{\n  "')


@pytest.mark.parametrize("text", [b"5", "5"])
def test_bytes_and_text_are_no_numbers(text):
    mixed = np.empty(3, dtype=object)
    mixed[:] = [1, text, 3]
    for call in (
        lambda: cb.evaluate_regression(mixed, [1, 2, 3], "mae"),
        lambda: cb.evaluate_regression([1, 2, 3], mixed, "mae"),
        lambda: cb.evaluate_scores([0, 1, 1], mixed, "roc_auc"),
        lambda: cb.count([0, 1, 1], [0, 1, 1], sample_weight=mixed),
        lambda: cb.Counts(tp=mixed, fp=1, fn=1, tn=1),
        lambda: cb.evaluate_multiclass([0, 1, 2], np.stack([mixed] * 3), "top_2_accuracy"),
    ):
        with pytest.raises(ValueError, match=r"must (hold (whole )?numbers|be a matrix of scores)"):
            call()


def test_numbers_of_other_types_are_numbers():
    mixed = np.array([1, Decimal("2.5"), np.float32(3)], dtype=object)
    assert cb.score(mixed, [1, 2.5, 3], "mae") == 0
    assert cb.score([0, 1, 1], mixed, "roc_auc") == 1


def test_a_p_value_is_small_on_both_sides_and_says_so(capsys):
    from clearbar.cli import main

    bar = cb.baseline(HUNDRED, "f1")
    for score, outcome in ((0.9, "clears"), (0.1, "fails")):
        assert cb.p_value(score, HUNDRED, "f1") < 0.01
        assert bar.judge(score).outcome == outcome
    assert "two-sided" in cb.p_value.__doc__.splitlines()[0]
    assert main(["baseline", "--help"]) == 0
    assert "small far below the bar, too" in " ".join(capsys.readouterr().out.split())


Y = np.tile([1, 0], 10)
X = Y[:, None].astype(float)
TABLE = cb.Counts(tp=8, fp=2, fn=2, tn=8)
F1_BAR = cb.baseline(cb.Population(20, 10), "f1")
GROUPS = np.arange(20) // 2

REFUSED = {
    "a level of 1": (
        lambda: cb.evaluate(Y, Y, confidence_level=1.0),
        "confidence_level must be a number above 0 and at most 0.9999; found 1.0.",
    ),
    "a level in per cent": (
        lambda: cb.evaluate_scores(Y, X[:, 0], confidence_level=95),
        "confidence_level must be a number above 0 and at most 0.9999; found 95.",
    ),
    "too few clusters": (
        lambda: cb.evaluate(Y, Y, clusters=np.arange(20) % 4),
        "clusters must hold at least 5 groups, since whole groups are what is drawn anew; found only 4",
    ),
    "clusters of another length": (
        lambda: cb.evaluate(Y, Y, clusters=GROUPS[:-1]),
        "clusters and y_true must have the same length; found 19 and 20 samples.",
    ),
    "clusters that are missing": (
        lambda: cb.evaluate(Y, Y, clusters=np.where(np.arange(20) == 3, np.nan, GROUPS)),
        "clusters has 1 missing value (at position 3).",
    ),
    "counts with clusters": (
        lambda: cb.evaluate_counts(TABLE, clusters=GROUPS),
        "clusters= is no option here, and counts cannot have them",
    ),
    "18 permutations": (
        lambda: cross_evaluate(DummyClassifier(), X, Y, permutations=18),
        "permutations must be 0 or a whole number from 19 up, since fewer cannot show p = 0.05; found 18.",
    ),
    "more decimals than given": (lambda: F1_BAR.judge(0.7351, decimals=3), "score 0.7351 has more decimals"),
    "text with other decimals": (lambda: F1_BAR.judge("0.73", decimals=3), "score '0.73' has 2 decimals"),
    "a seed in words": (
        lambda: cb.evaluate(Y, Y, "f1", random_state="today"),
        "random_state must be a seed, a numpy Generator or None; found 'today'.",
    ),
    "a gate with a level of 0": (lambda: assert_clears(Y, Y, alpha=0), "alpha must be a probability"),
}


@pytest.mark.parametrize(("ask", "said"), REFUSED.values(), ids=REFUSED)
def test_bad_input_gets_one_sentence(ask, said):
    with pytest.raises((ValueError, TypeError)) as refused:
        ask()
    message = str(refused.value)
    assert message.startswith(said)
    assert "\n" not in message
    assert message.endswith(".")
