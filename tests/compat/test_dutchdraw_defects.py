"""The 42 defects of the older package, one test each, in the order of the migration page."""

import inspect
import itertools
import math
import re
import time
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import clearbar as cb
from clearbar.compat import dutchdraw as dd

Y = [1, 1, 1, 0, 0, 0, 0, 0]
PREDICTED = [1, 1, 0, 1, 0, 0, 0, 0]
LINEAR = [key for key in dd.measure_dictionary if key not in {"G2", "TS", "PT"}]
PAGE = Path(__file__).parents[2] / "docs" / "dutchdraw_defects.md"


def best(y_true, measure, end="max", **options):
    found = dd.optimized_baseline_statistics(y_true, measure, **options)
    return found[f"{end.title()} Expected Value"], found[f"Arg{end} Expected Value"]


def shares(m, first, last):
    return [k / m for k in range(first, last + 1)]


def moments(formula, m, p, k):
    """Return mean and variance over all ways to draw k of m, in fractions."""
    tables = [sum(i < p for i in drawn) for drawn in itertools.combinations(range(m), k)]
    values = [formula(tp) for tp in tables]
    mean = sum(values) / len(values)
    return float(mean), float(sum((value - mean) ** 2 for value in values) / len(values))


@pytest.mark.parametrize("kind", [lambda y: np.array(y, bool), lambda y: [bool(label) for label in y]])
def test_01_02_truth_values(kind):
    found = dd.measure_score(kind(Y), kind(PREDICTED), "TP")
    assert (found, type(found)) == (2, int)
    assert dd.measure_score(kind(Y), kind(PREDICTED), "ACC") == 0.75


@pytest.mark.parametrize("measure", ["FBETA", "MCC"])
def test_03_05_many_samples(measure):
    """Truth values that overflowed, and products of counts that did."""
    y_true, y_pred = np.random.default_rng(0).integers(0, 2, (2, 200_000))
    found = dd.measure_score(y_true == 1, y_pred == 1, measure)
    assert found == dd.measure_score(y_true, y_pred, measure)
    expected = np.corrcoef(y_true, y_pred)[0, 1] if measure == "MCC" else metrics.f1_score(y_true, y_pred)
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("m", "p"), [(200_000, 100_000), (120_000, 60_000), (1_000_000, 100_000)])
def test_04_06_mcc_of_perfect_predictions(m, p):
    y = np.repeat([1, 0], [p, m - p])
    assert dd.measure_score(y, y, "MCC") == 1


@pytest.mark.parametrize(
    ("y_true", "y_pred"),
    [([-1, 1], [-1, 1]), ([0, 2], [0, 2]), ([0, 0.5], [0, 0.5]), ([1, 1], [1, -1]), (["a", "b"], ["a", "a"])],
)
def test_07_to_09_other_labels(y_true, y_pred):
    with pytest.raises(ValueError, match=r"^y_(true|pred) ") as caught:
        dd.measure_score(y_true, y_pred, "ACC")
    assert "pos_label=" not in str(caught.value)
    for function in (dd.optimized_baseline_statistics, dd.baseline_functions):
        with pytest.raises(ValueError, match="y_true"):
            function([*y_true, -1], "ACC")
    with pytest.raises(ValueError, match="y_true"):
        dd.classifier([*y_true, -1], 0.5)


EXACT = {"TS": lambda tp: Fraction(tp, 3 + 4 - tp), "G2": lambda tp: math.sqrt(tp / 3 * (5 - 4 + tp) / 5)}


@pytest.mark.parametrize(("measure", "variance"), [("TS", 0.03278), ("G2", 0.04421)])
def test_11_12_variance_of_ts_and_g2(measure, variance):
    found = dd.baseline_functions_given_theta(0.5, Y, measure)
    assert (found["Mean"], found["Variance"]) == pytest.approx(moments(EXACT[measure], 8, 3, 4), rel=1e-13)
    assert dd.baseline_functions(Y, measure)["Variance Function"](0.5) == pytest.approx(variance, abs=5e-6)


def test_13_to_16_values_and_ties():
    assert dd.baseline_functions([1] * 3 + [0] * 3, "G2")["Distribution"](0.0, 0.5) == pytest.approx(0.05)
    assert best(Y, "FBETA", "min") == (0, [0])
    assert dd.baseline_functions(Y, "FBETA")["Expectation Function"](0) == 0
    assert best([1, 0, 0, 0], "TS") == (0.25, [0.25, 0.5, 0.75, 1])
    assert best(Y, "FBETA", "max", beta=0) == best(Y, "FBETA", "min", beta=0) == (0.375, shares(8, 1, 8))
    assert dd.measure_score(Y, PREDICTED, "FBETA", beta=0) == 2 / 3


@pytest.mark.parametrize("beta", [-1, math.nan, "2", None])
def test_17_impossible_beta(beta):
    for call in (
        lambda: dd.baseline_functions(Y, "FBETA", beta=beta),
        lambda: dd.optimized_baseline_statistics(Y, "FBETA", beta=beta),
        lambda: dd.classifier(Y, "max", "FBETA", beta=beta),
    ):
        with pytest.raises(ValueError, match=r"^beta must be a number from 0 up"):
            call()


@pytest.mark.parametrize("theta", [1.5, -0.1, math.nan, "0.5"])
@pytest.mark.parametrize("measure", ["TS", "ACC"])
def test_18_impossible_theta(measure, theta):
    functions = dd.baseline_functions(Y, measure)
    for name, function in functions.items():
        with pytest.raises(ValueError, match="theta must be a share from 0 to 1"):
            function(*([0.2] if name == "Distribution" else []), theta)
    with pytest.raises(ValueError, match="theta"):
        dd.classifier(Y, theta, measure)


def test_19_length_of_a_prediction():
    for m, theta in itertools.product(range(1, 12), (0.5, 0.25, 1 / 3, 0.0, 1.0)):
        found = dd.classifier([0, 1] * m, theta, "TP"), dd.classifier([0] * m, theta, "TP")
        assert [len(y) for y in found] == [2 * m, m]
        assert [sum(y) for y in found] == [math.floor(2 * m * theta + 0.5), math.floor(m * theta + 0.5)]


def test_20_random_positions():
    y_true = [0, 1] * 5
    drawn = [tuple(dd.classifier(y_true, 0.5, "TP", random_state=seed)) for seed in range(400)]
    assert all(set(each) == {0, 1} and sum(each) == 5 for each in drawn)
    assert len(set(drawn)) > 150  # of 252
    assert all(120 < sum(column) < 280 for column in zip(*drawn, strict=True))
    assert drawn[0] == tuple(dd.classifier(y_true, 0.5, "TP", random_state=np.random.default_rng(0)))
    assert [type(label) for label in drawn[0]] == [int] * 10


def test_21_aliases_in_the_classifier():
    options = {"P_known": False, "E_P_x_E_N": "<"}
    names = ("ACC", "ACCURACY", "acc", "Accuracy")
    assert [dd.classifier([1, 1, 1, 0], "max", name, **options) for name in names] == [[0, 0, 0, 0]] * 4


@pytest.mark.parametrize(
    ("measure", "known"), [("ACC", (True, False)), ("FM", (False, False)), ("G2", (True, False))]
)
def test_22_23_flags_are_heeded(measure, known):
    calls = (
        lambda: dd.baseline(Y, measure, "optimal", *known),
        lambda: dd.baseline(Y, measure, "all", *known),
        lambda: dd.baseline(Y, measure, 0.5, *known),
        lambda: dd.baseline_functions(Y, measure, M_known=known[0], P_known=known[1]),
        lambda: dd.baseline_functions_given_theta(0.5, Y, measure, M_known=known[0], P_known=known[1]),
        lambda: dd.optimized_baseline_statistics(Y, measure, M_known=known[0], P_known=known[1]),
    )
    for call in calls:
        with pytest.raises(ValueError, match=r"depend on .* cannot be used with M_known="):
            call()


@pytest.mark.parametrize("y_true", [[0, 0], [1, 1]])
@pytest.mark.parametrize("measure", ["TPR", "TNR", "FM", "MCC"])
def test_24_undefined_optima(measure, y_true):
    if (measure in {"TPR", "FM"} and y_true[0]) or (measure == "TNR" and not y_true[0]):
        assert not math.isnan(best(y_true, measure)[0])
        return
    with pytest.warns(cb.UndefinedMeasureWarning, match=r"has no bar here: it needs .*[PN] > 0"):
        found = dd.optimized_baseline_statistics(y_true, measure)
    assert [str(value) for value in found.values()] == ["nan", "[]", "nan", "[]"]


@pytest.mark.parametrize("function", [dd.optimized_baseline_statistics, dd.baseline])
def test_24_the_warning_names_the_line_of_the_caller(function):
    with pytest.warns(cb.UndefinedMeasureWarning) as caught:
        function([0, 0], "TPR")
    assert [warning.filename for warning in caught] == [__file__]


def test_24_functions_of_theta_refuse_where_there_is_no_value():
    for y_true, measure, theta in (([0, 0], "TS", 0), ([0, 0], "TPR", 0.5), (Y, "PPV", 0.01), (Y, "NPV", 1)):
        functions = dd.baseline_functions(y_true, measure)
        for name, function in functions.items():
            with pytest.raises(ValueError, match=r"has no value with \d of \d samples predicted positive"):
                function(*([0.2] if name == "Distribution" else []), theta)
        with pytest.raises(ValueError, match="has no value"):
            dd.baseline_functions_given_theta(theta, y_true, measure)


def test_25_26_ties_with_one_class():
    assert best([1, 1, 1], "KAPPA") == (0, shares(3, 0, 2))
    assert best([0, 0, 0], "KAPPA") == (0, shares(3, 1, 3))
    for measure, label in (("TP", 0), ("FN", 0), ("TN", 1), ("FP", 1)):
        for end in ("max", "min"):
            assert best([label] * 3, measure, end) == (0, shares(3, 0, 3))


def test_27_fast_expectation_of_f_beta():
    assert dd.baseline_functions(Y, "FBETA")["Fast Expectation Function"](0.5) == pytest.approx(3 / 7)


@pytest.mark.parametrize("measure", LINEAR)
def test_28_31_distribution_and_domain_of_linear_measures(measure):
    functions = dd.baseline_functions(Y, measure)
    domain = functions["Domain"](0.5)
    masses = [functions["Distribution"](y, 0.5) for y in domain]
    assert sorted(masses) == pytest.approx(sorted([1 / 14, 6 / 14, 6 / 14, 1 / 14]))
    tables = [{"tp": tp, "fp": 4 - tp, "fn": 3 - tp, "tn": 1 + tp} for tp in range(4)]
    assert domain == pytest.approx([cb.get_measure(measure)(**table) for table in tables], abs=1e-15)
    assert isinstance(domain, list)


def test_28_30_examples():
    for measure, y, mass in (("ACC", 0.375, 3 / 7), ("TP", 2, 3 / 7), ("TP", 0.0, 1 / 14)):  # 29: beyond 1
        assert dd.baseline_functions(Y, measure)["Distribution"](y=y, theta=0.5) == pytest.approx(mass)


@pytest.mark.parametrize("measure", ["TP", "ACC", "PPV", "FBETA"])
def test_32_variance_of_one_sample(measure):
    assert dd.baseline_functions([1], measure)["Variance Function"](1) == 0


def test_33_no_draw_to_take():
    with pytest.raises(ValueError, match="no draw to take: mcc has a value at none"):
        dd.classifier([1], "max", "MCC")
    for measure in ("MCC", "MK"):
        with pytest.raises(ValueError, match=r"of a single sample m\w+ has no value"):
            dd.classifier([1], "max", measure, P_known=False)


def test_34_g2_of_one_class():
    with pytest.warns(cb.UndefinedMeasureWarning, match="g_mean has no bar"):
        assert math.isnan(best([1, 1, 1], "G2")[0])


def test_35_infinite_beta():
    """The limit, TPR."""
    assert dd.measure_score(Y, PREDICTED, "FBETA", beta=math.inf) == dd.measure_score(Y, PREDICTED, "TPR")
    assert best(Y, "FBETA", beta=math.inf) == best(Y, "TPR")
    assert dd.baseline_functions(Y, "FBETA", math.inf)["Expectation Function"](0.5) == 0.5


def test_36_arguments_of_the_classifier():
    assert dd.classifier(Y, 1, "ACC") == [1] * 8
    assert dd.classifier(Y, 0) == [0] * 8
    assert dd.classifier(Y, "max", "acc") == dd.classifier(Y) == [0] * 8
    assert sum(dd.classifier(Y, np.float32(0.5))) == 4


def test_37_columns():
    y = pd.Series(np.ones(300, dtype=np.uint8))
    assert dd.measure_score(y, y, "TP") == 300
    assert best(y, "TP") == (300, [1])


def test_10_38_39_messages_about_labels_and_lengths():
    with pytest.raises(ValueError, match="y_true"):  # 10
        dd.optimized_baseline_statistics([0, math.nan, 0], "ACC")
    for y_true, said in (([0, 1, 2], "three"), ([0, 1, math.nan], "missing"), ([], "no samples")):
        with pytest.raises(ValueError, match=rf"^y_true .*{said}"):
            dd.measure_score(y_true, y_true, "ACC")
    with pytest.raises(ValueError, match="y_true and y_pred must have the same length; found 3 and 2"):
        dd.measure_score([1, 0, 1], [1, 0], "ACC")


def test_40_names():
    for name, key in {
        "COHEN'S KAPPA": "KAPPA",
        "CRITICAL SUCCESS INDEX": "TS",
        "CRITICAL SUCCES INDEX": "TS",
        "YOUDEN'S J STATISTIC": "J",
        "F1": "FBETA",
    }.items():
        assert dd.measure_score(Y, PREDICTED, name) == dd.measure_score(Y, PREDICTED, key)
    with pytest.raises(ValueError, match="carries its own beta"):
        dd.measure_score(Y, PREDICTED, "F1", beta=2)
    with pytest.raises(ValueError, match=r"unknown measure 'sensitivty'.*sensitivity"):
        dd.measure_score(Y, PREDICTED, "sensitivty")
    with pytest.raises(ValueError, match="name a measure"):
        dd.baseline(Y)


def test_41_zero_denominators():
    with pytest.warns(cb.UndefinedMeasureWarning, match=r"precision has no value here: it needs k > 0"):
        assert math.isnan(dd.measure_score(Y, [0] * 8, "PPV"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert dd.measure_score(Y, [0] * 8, "FBETA") == 0


def test_42_optimum_of_g2(capsys, monkeypatch):
    def slept(seconds):
        raise AssertionError(seconds)

    monkeypatch.setattr(time, "sleep", slept)
    value, draws = best(np.repeat([1, 0], [1034, 8966]), "G2")
    assert draws == [0.5001]
    assert value == pytest.approx(0.49995755, abs=1e-8)
    assert capsys.readouterr() == ("", "")
    assert "KeyboardInterrupt" not in inspect.getsource(dd)


def test_the_page_lists_all_of_them():
    numbers = re.findall(r"^\| *(\d+) *\|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(number) for number in numbers] == list(range(1, 43))
