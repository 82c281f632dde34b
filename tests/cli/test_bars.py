"""``clearbar baseline``."""

import json

import pytest

import clearbar as cb
from clearbar.evaluation.options import DEFAULT_MEASURES
from clearbar.problems.scores import score_measures

pytestmark = pytest.mark.quick

SIZES = ("--total", 303, "--positives", 139)
HEART = cb.Population(303, 139)


def test_baseline_shows_the_six_common_bars(run):
    code, out, err = run("baseline", *SIZES)
    assert (code, err) == (0, "")
    first, empty, _, *rows = out.splitlines()
    assert first == "303 samples, 139 positive (45.9 %)."
    assert empty == ""
    assert len(rows) == len(DEFAULT_MEASURES) == 6
    assert "F1                 0.629        1  predict all 303 positive" in rows
    assert "balanced accuracy  0.500        1  predict any number of positives" in rows


def test_measures_are_named_once_or_again_or_all(run):
    together = run("baseline", *SIZES, "--measure", "f1", "MCC")
    assert together == run("baseline", *SIZES, "--measure", "f1", "--measure", "mcc")
    _, out, _ = run("baseline", *SIZES, "--measure", "f1", "all", "--json")
    document = json.loads(out, parse_constant=pytest.fail)
    assert len(document["baselines"]) > 70


def test_what_cannot_be_beaten_or_has_no_bar_says_so(run):
    _, out, _ = run("baseline", *SIZES, "--measure", "recall", "dor", "prevalence")
    recall, ratio, prevalence = out.splitlines()[3:]
    assert recall.endswith("predict all 303 positive; cannot be beaten")
    assert "no bar: " in ratio
    assert "--undefined worst or --undefined 0" in ratio
    assert prevalence.endswith("no bar: prevalence has no better end, so nothing can clear it")


def test_json_holds_the_numbers_of_the_library(run):
    _, out, _ = run("baseline", "--total", "1,000", "--positives", "1_0", "--json", "--undefined", "worst")
    document = json.loads(out, parse_constant=pytest.fail)
    assert (document["total"], document["positives"], document["undefined"]) == (1000, 10, "worst")
    for entry, name in zip(document["baselines"], DEFAULT_MEASURES, strict=True):
        bar = cb.baseline(cb.Population(1000, 10), name, undefined="worst")
        assert entry["bar"] == bar.value
        assert entry["best_possible"] == bar.best_possible
        assert entry["worst_draw"] == bar.worst.value
        ranges = tuple(range(first, last + 1) for first, last in entry["predicted_positives"])
        assert ranges == bar.best.predicted_positives


def test_a_score_is_judged(run):
    code, out, _ = run("baseline", *SIZES, "--measure", "f1", "--score", "0.60")
    verdict, least = out.splitlines()
    assert code == 0
    assert (
        verdict
        == 'F1 0.600 is below the bar 0.629 (always answering "positive"), perhaps by chance; skill −0.05.'
    )
    assert least == "F1 must reach 0.7038 to rule out chance (p ≤ 0.05)."
    _, out, _ = run("baseline", *SIZES, "--measure", "f1", "--score", 0.72, "--json")
    found = json.loads(out)["verdict"]
    expected = cb.baseline(HEART, "f1").judge("0.72")
    assert found["outcome"] == expected.outcome == "clears"
    assert found["sure"] is expected.sure is True
    for name in ("skill", "p_value", "p_value_blind", "p_corrected"):
        assert found[name] == getattr(expected, name), name
    assert found["clearing_score"] == cb.baseline(HEART, "f1").clearing_score(0.05)


SMALL = ("--total", 40, "--positives", 18)
FEW = cb.Population(40, 18)


def test_a_score_has_the_decimals_that_were_typed(run):
    """0.850 may have been 0.8495; 0.85 may have been 0.845, and 0.6 may have been above or below the bar."""
    words = ("baseline", *SMALL, "--measure", "f1", "--json", "--score")
    p_values = {}
    for typed, printed in {"0.850": "0.850", "0.85": "0.85", "8.50e-1": "0.850"}.items():
        p_values[typed] = json.loads(run(*words, typed)[1])["verdict"]["p_value"]
        assert p_values[typed] == cb.baseline(FEW, "f1").judge(printed).p_value
    assert p_values["0.850"] == p_values["8.50e-1"] < p_values["0.85"]
    found = json.loads(run(*words, "0.6")[1])["verdict"]
    assert (found["outcome"], found["sure"]) == ("undefined", False)
    assert "too close to tell from 1 decimal: from 0.55 to 0.65 it fails and clears" in found["reason"]
    out = run(*words[:-2], "--score", "0.6")[1]
    assert out.endswith(
        "fails and clears.\nType more of its decimals after --score, even if they are zeros.\n"
    )
    low = json.loads(run("baseline", *SMALL, "--measure", "mcc", "--json", "--score", "−0.250")[1])
    assert low["verdict"]["score"] == -0.25


@pytest.mark.parametrize(("alpha", "sure"), [(0.05, True), (0.001, False)])
def test_the_sentence_about_a_score_is_for_the_alpha_that_is_asked(run, alpha, sure):
    words = ("baseline", *SMALL, "--measure", "f1", "--score", "0.850", "--alpha", alpha)
    sentence = run(*words)[1].splitlines()[0]
    p = cb.baseline(FEW, "f1").judge("0.850").p_corrected
    assert 0.001 < p < 0.05
    assert ("clears the bar" in sentence) is sure
    assert (f"could be chance (p = {p:.2g}; needs p ≤ {alpha:g})" in sentence) is not sure
    assert json.loads(run(*words, "--json")[1])["verdict"]["sure"] is sure


def test_the_least_clearing_score_depends_on_alpha(run):
    words = ("baseline", *SMALL, "--measure", "mcc", "--score", 0, "--json")
    loose, strict = (json.loads(run(*words, "--alpha", alpha)[1]) for alpha in (0.05, 0.001))
    assert 0 < loose["verdict"]["clearing_score"] < strict["verdict"]["clearing_score"]
    assert strict["verdict"]["outcome"] == "ties"


def test_a_loss_has_a_greatest_clearing_score(run):
    _, out, _ = run("baseline", *SIZES, "--measure", "error_rate", "--score", 0.2)
    assert "error rate 0.200 clears the bar 0.459" in out
    assert "error rate must be at most 0.3993 to rule out chance (p ≤ 0.05)." in out


def test_a_score_that_nothing_can_be_said_about(run):
    code, out, _ = run("baseline", *SIZES, "--measure", "recall", "--score", 0.7)
    assert code == 0
    assert "best possible score" in out
    assert out.count("\n") == 1
    _, out, _ = run("baseline", "--total", 2, "--positives", 1, "--measure", "mcc", "--score", 1)
    assert "No MCC on these labels rules out chance: none has p at most 0.05." in out
    _, out, _ = run("baseline", "--total", 2, "--positives", 1, "--measure", "mcc", "--score", 1, "--json")
    assert json.loads(out)["verdict"]["clearing_score"] is None


def test_what_is_wrong_is_said_in_a_line(refused):
    one = "--score is a score on one measure; name it, as in --measure f1 --score 0.72."
    assert refused("baseline", *SIZES, "--score", 0.7) == one
    assert refused("baseline", *SIZES, "--measure", "f1", "mcc", "--score", 0.7) == one
    found = refused("baseline", *SIZES, "--measure", "f1", "--score", 72)
    assert found == "--score 72 is no F1, which runs from 0 to 1. Did you mean --score 0.72?"
    assert refused("baseline", *SIZES, "--measure", "mcc", "--score", -2) == (
        "--score -2 is no MCC, which runs from -1 to 1."
    )
    assert refused("baseline", "--total", 10, "--positives", 11) == (
        "positives must not exceed total; found positives=11 with total=10."
    )
    assert refused("baseline", "--total", 0, "--positives", 0).startswith("total must be at least 1")
    assert refused("baseline", "--total", 10, "--positives", -1).startswith(
        "positives must hold whole numbers"
    )
    assert refused("baseline", *SIZES, "--measure", "mc").startswith("unknown measure 'mc'. Did you mean")
    assert "nothing is natural here" in refused("baseline", *SIZES, "--measure", "tversky")


def test_a_measure_s_remedy_is_one_to_type(refused):
    sizes = ("baseline", "--total", "31", "--positives", "18", "--measure")
    assert refused(*sizes, "tversky").endswith("For example --measure 'tversky(alpha=0.3, beta=0.7)'.")
    found = refused(*sizes, "f1,mcc")
    assert found == "--measure 'f1,mcc': separate names with spaces, as in --measure f1 mcc."


def test_measures_of_scores_have_bars_on_the_command_line_too(run):
    sizes = ("--total", 100, "--positives", 10)
    code, out, err = run("baseline", *sizes, "--measure", "average_precision", "f1", "roc_auc")
    assert (code, err) == (0, "")
    rows = [" ".join(row.split()) for row in out.splitlines()[3:]]
    assert rows[0] == "average precision 0.138 1 rank the 100 samples at random"
    assert rows[1].startswith("F1 0.182 1 predict all 100 positive")
    assert rows[2] == "ROC AUC 0.500 1 give all samples the same score"
    code, out, _ = run("baseline", *sizes, "--measure", "roc_auc", "--score", 0.8, "--json")
    document = json.loads(out, parse_constant=pytest.fail)
    assert code == 0
    assert document["verdict"]["outcome"] == "clears"
    assert document["baselines"][0]["predicted_positives"] == []
    code, out, _ = run("baseline", *sizes, "--measure", "roc_auc", "--score", 0.8)
    assert "ROC AUC 0.800 is above the bar 0.500, but a bare score does not tell how surely" in out
    p = cb.baseline(cb.Population(100, 10), "roc_auc").judge("0.8").p_value_blind
    assert f"Answers that ignore the features reach it with p ≤ {p:.2g}. How surely" in out
    code, _, err = run("baseline", *sizes, "--measure", "pr_auc")
    assert code == 2
    assert "Use average_precision" in err


def test_a_measure_of_scores_is_explained(run):
    code, out, err = run("explain", "roc_auc", "--total", 100, "--positives", 10)
    assert (code, err) == (0, "")
    text = " ".join(out.split())
    assert text.startswith("ROC AUC (roc_auc) How likely is a positive sample scored above a negative one?")
    assert "gives all samples the same score and scores 0.500 every time" in text
    assert "Mann and Whitney" in text


@pytest.mark.parametrize("measure", score_measures(), ids=str)
def test_every_measure_of_scores_is_explained(run, measure):
    code, out, err = run("explain", measure.name)
    assert (code, err) == (0, "")
    assert measure.question in " ".join(out.split())
