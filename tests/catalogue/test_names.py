"""How a measure is named and found."""

import pytest

from clearbar.catalogue import Family, default_catalogue, get_measure, measures
from clearbar.catalogue._registry import entries
from clearbar.compat.dutchdraw import measure_dictionary

pytestmark = pytest.mark.quick

# What users of DutchDraw may expect and it refuses, the field's other names, and scikit-learn's scorers.
OTHER_NAMES = {
    "recall": ["sensitivity", "sens", "TPR"],
    "threat_score": ["CRITICAL SUCCESS INDEX", "jaccard", "iou", "csi"],
    "informedness": ["Youden's J statistic", "youden_j", "j_index", "J", "BM"],
    "g_mean": ["geometric_mean", "geometric_mean_score"],
    "mcc": ["matthews_corrcoef"],
    "markedness": ["delta P", "ΔP"],
    "diagnostic_odds_ratio": ["DOR", "or"],
    "kappa": ["Cohen κ", "COHEN'S KAPPA", "cohen_kappa", "kap", "Heidke skill score"],
    "error_rate": ["zero_one_loss", "neg_error_rate"],
    "negative_likelihood_ratio": ["neg_negative_likelihood_ratio"],
    "jaccard_macro": ["mean IoU"],
    "f1": ["F1", "Sørensen", "f1_score", "fbeta", "fbeta(beta=1)", "f 1.0", "F-1 measure"],
    "f0.5": ["F0.5", "f.5"],
    "tversky(alpha=0.3, beta=0.7)": ["tversky(alpha=0.3, beta=0.7)", "TI(beta=.7, alpha=.3)"],
}


@pytest.mark.parametrize("kind", ["binary", "scores"])
def test_measures_have_different_names(kind):
    names = [measure.name for measure in measures(kind)]
    assert len(names) == len(set(names)) > 20


def test_every_measure_says_what_it_asks_how_it_is_written_and_where_it_is_from():
    for measure in measures():
        assert measure.question.endswith("?"), measure.name
        assert measure.symbol, measure.name
        assert measure.formula, measure.name
        assert any(mark.isdigit() for mark in measure.source), measure.name  # a year


def test_every_name_and_alias_finds_its_own_entry_however_it_is_spelt():
    for entry in entries():
        parameters = entry.listed if isinstance(entry, Family) else {}
        expected = entry.entry if isinstance(entry, Family) else entry
        for name in (entry.name, *entry.aliases):
            for spelt in (name, name.upper(), name.replace("_", "-"), f" {name.replace(' ', '_')} "):
                assert get_measure(spelt, **parameters) == expected, spelt


@pytest.mark.parametrize(("expected", "names"), [*measure_dictionary.items(), *OTHER_NAMES.items()])
def test_names_of_the_older_package_and_of_the_field_resolve(expected, names):
    expected = get_measure(expected).name
    assert {get_measure(name).name for name in names} == {expected}
    assert {get_measure(name) for name in names} == {get_measure(expected)}


@pytest.mark.parametrize("name", ["gini", "bias", "False-Alarm", "G"])
def test_a_name_with_two_meanings_is_an_error_that_lists_them(name):
    with pytest.raises(ValueError, match=r"means different things to different people\. Choose "):
        get_measure(name)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("recal", r"unknown measure 'recal'\. Did you mean 'recall'.*measures\(\) lists all \d+\.$"),
        ("rhubarb", r"unknown measure 'rhubarb'\. clearbar\.measures\(\) lists all"),
        ("neg_accuracy", "unknown measure 'neg_accuracy'"),  # not a loss
        (3, "must be a name or a Measure; found 3"),
    ],
)
def test_an_unknown_name_offers_the_nearest_ones_if_any_are_near(typed, said):
    with pytest.raises(ValueError, match=said):
        get_measure(typed)


def test_a_measure_is_refused_where_another_kind_is_judged():
    for measure in ("roc_auc", get_measure("roc_auc")):
        with pytest.raises(
            ValueError, match=r"'roc_auc' judges scores, not two columns of labels; use clear"
        ):
            get_measure(measure, "binary")
    with pytest.raises(
        ValueError, match=r"'f1' judges labels, not scores; .*, or max_f1 for the best thresh"
    ):
        get_measure(get_measure("f1"), "scores")
    with pytest.raises(ValueError, match=r"kind must be one of 'binary', 'scores', .*; found 'label'"):
        get_measure("f1", "label")


def test_families_without_a_natural_parameter_must_be_told_it_and_are_not_in_all():
    left_out = {measure.family for measure in set(measures()) - set(default_catalogue())}
    assert left_out >= {
        "weighted_accuracy",
        "tversky",
        "net_benefit",
        "standardized_net_benefit",
        "expected_cost",
    }
    for name in left_out:
        with pytest.raises(ValueError, match=rf"{name} needs .* For example get_measure\('{name}'"):
            get_measure(name)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("fbeta", {"beta": 0}, "beta must be a number greater than 0; found 0 for fbeta"),
        ("fbeta", {"b": 2}, r"fbeta takes beta; found b. Write fbeta\(beta=2\)"),
        ("accuracy", {"beta": 2}, "accuracy takes no parameters; found beta"),
        ("tversky(alpha)", {}, "could not be read; write it like"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(name, parameters, message):
    with pytest.raises(ValueError, match=message):
        get_measure(name, **parameters)


def test_labels_differ_and_are_short():
    labels = [measure.label for measure in measures()]
    assert len(set(labels)) == len(labels)
    assert max(len(label.partition("(")[0]) for label in labels) <= 25
    assert not any("_" in label.partition("(")[0] for label in labels)
    tversky = get_measure("tversky", alpha=1, beta=0.5)
    assert tversky.label == "Tversky(alpha=1, beta=0.5)"
