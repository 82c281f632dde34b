"""How a measure is named and found."""

from __future__ import annotations

import pytest

from clearbar.catalogue import Family, default_catalogue, get_measure, measures
from clearbar.catalogue._registry import entries

pytestmark = pytest.mark.quick

# What DutchDraw 0.0.2 accepts: its measure_dictionary, complete.
OLDER_PACKAGE = {
    "tp": ["TP"],
    "tn": ["TN"],
    "fp": ["FP"],
    "fn": ["FN"],
    "recall": ["TPR"],
    "specificity": ["TNR"],
    "fpr": ["FPR"],
    "fnr": ["FNR"],
    "precision": ["PPV"],
    "npv": ["NPV"],
    "fdr": ["FDR"],
    "false_omission_rate": ["FOR"],
    "accuracy": ["ACC", "ACCURACY"],
    "balanced_accuracy": ["BACC", "BALANCED ACCURACY"],
    "f1": ["FBETA", "FSCORE", "F", "F BETA", "F BETA SCORE", "FBETA SCORE"],
    "mcc": ["MCC", "MATTHEW", "MATTHEWS CORRELATION COEFFICIENT"],
    "informedness": ["BM", "BOOKMAKER INFORMEDNESS", "INFORMEDNESS", "YOUDEN’S J STATISTIC", "J"],
    "markedness": ["MARKEDNESS", "MK"],
    "kappa": ["COHEN", "COHENS KAPPA", "KAPPA"],
    "fowlkes_mallows": [
        "GMEAN1",
        "G MEAN 1",
        "G1",
        "FOWLKES-MALLOWS",
        "FOWLKES MALLOWS",
        "FOWLKES",
        "MALLOWS",
        "FM",
    ],
    "g_mean": ["GMEAN2", "G MEAN 2", "G2"],
    "threat_score": ["THREAT SCORE", "CRITICAL SUCCES INDEX", "TS", "CSI"],
}

# What its users may expect and it refuses, the field's other names, and scikit-learn's scorers.
OTHER_NAMES = {
    "COHEN'S KAPPA": "kappa",
    "CRITICAL SUCCESS INDEX": "threat_score",
    "Youden's J statistic": "informedness",
    "F1": "f1",
    "PT": "prevalence_threshold",
    "TPR": "recall",
    "sensitivity": "recall",
    "sens": "recall",
    "spec": "specificity",
    "PPV": "precision",
    "FOR": "false_omission_rate",
    "jaccard": "threat_score",
    "iou": "threat_score",
    "csi": "threat_score",
    "youden_j": "informedness",
    "J": "informedness",
    "j_index": "informedness",
    "BM": "informedness",
    "geometric_mean": "g_mean",
    "geometric_mean_score": "g_mean",
    "matthews_corrcoef": "mcc",
    "cohen_kappa": "kappa",
    "kap": "kappa",
    "bal_accuracy": "balanced_accuracy",
    "detection prevalence": "predicted_positive_rate",
    "zero_one_loss": "error_rate",
    "neg_negative_likelihood_ratio": "negative_likelihood_ratio",
    "neg_error_rate": "error_rate",
    "neg fpr": "fpr",
    "false alarm rate": "fpr",
    "false alarm ratio": "fdr",
    "false alarms": "fp",
    "Pos Pred Value": "precision",
    "Heidke skill score": "kappa",
    "ETS": "equitable_threat_score",
    "mean IoU": "jaccard_macro",
    "Sørensen": "f1",
    "f1_score": "f1",
    "fbeta": "f1",
    "F2": "f2",
    "f2 score": "f2",
    "F0.5": "f0.5",
    "f.5": "f0.5",
    "fbeta(beta=2)": "f2",
    "fbeta(beta=1)": "f1",
    "f 1.0": "f1",
    "tversky(alpha=0.3, beta=0.7)": "tversky(alpha=0.3, beta=0.7)",
    "TI(beta=.7, alpha=.3)": "tversky(alpha=0.3, beta=0.7)",
    "iba": "iba",
    "IBA(alpha=0.1)": "iba(alpha=0.1)",
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


@pytest.mark.parametrize(("expected", "names"), OLDER_PACKAGE.items(), ids=str)
def test_every_name_of_the_older_package_resolves(expected, names):
    assert {get_measure(name).name for name in names} == {expected}


def test_the_older_package_s_names_of_fbeta_take_its_beta():
    for name in OLDER_PACKAGE["f1"]:
        assert get_measure(name, beta=2).name == "f2"


@pytest.mark.parametrize(("name", "expected"), OTHER_NAMES.items())
def test_other_names_resolve(name, expected):
    assert get_measure(name).name == expected


@pytest.mark.parametrize("name", ["F1", "f1 score", "F1.0", "F-1 measure"])
def test_every_spelling_of_f1_is_the_one_entry(name):
    assert get_measure(name) == get_measure("f1")
    assert get_measure("fbeta", beta=1) == get_measure("f1")


def test_a_measure_is_returned_as_it_is():
    assert get_measure(get_measure("f2")) is not None
    mcc = get_measure("mcc")
    assert get_measure(mcc) is mcc


@pytest.mark.parametrize("name", ["gini", "bias", "false alarm", "False-Alarm", "FAR", "PRE", "G", "lambda"])
def test_a_name_with_two_meanings_is_an_error_that_lists_them(name):
    with pytest.raises(ValueError, match=r"means different things to different people\. Choose "):
        get_measure(name)


def test_an_unknown_name_offers_the_nearest_ones():
    with pytest.raises(
        ValueError,
        match=r"unknown measure 'recal'. Did you mean 'recall'.* clearbar\.measures\(\) lists all \d+\.$",
    ):
        get_measure("recal")
    with pytest.raises(ValueError, match="unknown measure 'neg_accuracy'"):
        get_measure("neg_accuracy")  # not a loss
    with pytest.raises(ValueError, match="must be a name or a Measure; found 3"):
        get_measure(3)


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
        ("fbeta", {"beta": -1}, "beta must be a number greater than 0; found -1"),
        ("fbeta", {"beta": float("inf")}, "beta must be a number greater than 0; found inf"),
        ("fbeta", {"beta": "2"}, "beta must be a number"),
        ("f0", {}, "beta must be a number greater than 0"),
        ("fbeta", {"b": 2}, r"fbeta takes beta; found b. Write fbeta\(beta=2\)"),
        ("weighted_accuracy", {"w": 1.5}, "w must be a number at least 0 and at most 1; found 1.5"),
        ("iba", {"alpha": -0.1}, "alpha must be a number at least 0 and at most 1"),
        ("tversky", {"alpha": 1}, "tversky needs beta"),
        ("tversky", {"alpha": -1, "beta": 1}, "alpha must be a number at least 0"),
        ("net_benefit", {"w": float("nan")}, "w must be a number at least 0; found nan"),
        ("accuracy", {"beta": 2}, "accuracy takes no parameters; found beta"),
        ("tversky(alpha)", {}, "could not be read; write it like"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(name, parameters, message):
    with pytest.raises(ValueError, match=message):
        get_measure(name, **parameters)


LABELS = """
tp TP; fpr FPR; npv NPV; mcc MCC; f1 F1; f2 F2; f0.5 F0.5; f1_macro F1 macro; f1_gain F1 gain
f1_negative F1 (negative class); g_mean G-mean; kappa Cohen's kappa; fowlkes_mallows Fowlkes–Mallows
gwet_ac1 Gwet's AC1; jaccard_negative Jaccard (negative class); sokal_sneath1 Sokal–Sneath 1
rogers_tanimoto Rogers–Tanimoto; braun_blanquet Braun-Blanquet; kulczynski2 Kulczyński 2; yule_q Yule's Q
threat_score threat score; error_rate error rate; balanced_accuracy balanced accuracy; iba IBA
roc_distance ROC distance; chi2 chi-squared; recall recall; iba(alpha=0.1) IBA(alpha=0.1)
"""


@pytest.mark.parametrize(
    ("name", "label"), [entry.split(maxsplit=1) for entry in LABELS.strip().replace("\n", ";").split(";")]
)
def test_a_label_is_the_name_as_a_reader_writes_it(name, label):
    assert get_measure(name).label == label


def test_labels_differ_and_are_short():
    labels = [measure.label for measure in measures()]
    assert len(set(labels)) == len(labels)
    assert max(len(label.partition("(")[0]) for label in labels) <= 25
    assert not any("_" in label.partition("(")[0] for label in labels)
    tversky = get_measure("tversky", alpha=1, beta=0.5)
    assert tversky.label == "Tversky(alpha=1, beta=0.5)"


def test_numpy_numbers_and_whole_floats_are_the_same_parameter():
    np = pytest.importorskip("numpy")
    assert get_measure("fbeta", beta=np.float64(2.0)) == get_measure("f2") == get_measure("fbeta", beta=2)
    assert get_measure("fbeta", beta=1.0) is get_measure("f1")
