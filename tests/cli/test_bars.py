"""``clearbar baseline``."""

import json

import pytest

import clearbar as cb
from clearbar.catalogue import KINDS
from clearbar.formatting import p_value_text

pytestmark = pytest.mark.quick

SIZES = ("baseline", "--total", 303, "--positives", 139)
SMALL = ("baseline", "--total", 40, "--positives", 18)
FEW = cb.Population(40, 18)


@pytest.fixture
def found(run):
    """Run what succeeds with ``--json``; return the document."""
    return lambda *words: json.loads(run(*words, "--json")[1], parse_constant=pytest.fail)


def test_baseline_shows_the_six_common_bars(run):
    code, out, err = run(*SIZES)
    assert (code, err) == (0, "")
    first, empty, _, *rows = out.splitlines()
    assert (first, empty) == ("303 samples, 139 positive (45.9 %).", "")
    assert len(rows) == len(KINDS["binary"].default) == 6
    assert "F1                 0.629        1  predict all 303 positive" in rows
    assert "balanced accuracy  0.500        1  predict any number of positives" in rows


def test_measures_are_named_once_or_again_or_all(run, found):
    together = run(*SIZES, "--measure", "f1", "MCC")
    assert together == run(*SIZES, "--measure", "f1", "--measure", "mcc")
    assert len(found(*SIZES, "--measure", "f1", "all")["baselines"]) > 70


def test_what_cannot_be_beaten_or_has_no_bar_says_so(run):
    _, out, _ = run(*SIZES, "--measure", "recall", "prevalence")
    recall, prevalence = out.splitlines()[3:]
    assert recall.endswith("predict all 303 positive; cannot be beaten")
    assert prevalence.endswith("no bar: prevalence has no better end, so nothing can clear it")


def test_json_holds_the_numbers_of_the_library(found):
    document = found("baseline", "--total", "1,000", "--positives", "1_0", "--undefined", "worst")
    assert (document["total"], document["positives"], document["undefined"]) == (1000, 10, "worst")
    for entry, name in zip(document["baselines"], KINDS["binary"].default, strict=True):
        bar = cb.baseline(cb.Population(1000, 10), name, undefined="worst")
        numbers = bar.value, bar.best_possible, bar.worst.value
        assert (entry["bar"], entry["best_possible"], entry["worst_draw"]) == numbers
        ranges = tuple(range(first, last + 1) for first, last in entry["predicted_positives"])
        assert ranges == bar.best.predicted_positives


def test_a_score_is_judged(run, found):
    code, out, _ = run(*SIZES, "--measure", "f1", "--score", "0.60")
    assert code == 0
    assert out.splitlines() == [
        'F1 0.600 is below the bar 0.629 (always answering "positive"), perhaps by chance; skill −0.05.',
        "F1 must reach 0.7038 to rule out chance (p ≤ 0.05).",
    ]
    verdict = found(*SIZES, "--measure", "f1", "--score", 0.72)["verdict"]
    bar = cb.baseline(cb.Population(303, 139), "f1")
    for name in ("outcome", "sure", "skill", "p_value", "p_value_blind", "p_corrected"):
        assert verdict[name] == getattr(bar.judge("0.72"), name), name
    assert verdict["clearing_score"] == bar.clearing_score(0.05)


def test_a_score_has_the_decimals_that_were_typed(run, found):
    """0.850 may have been 0.8495; 0.85 may have been 0.845, and 0.6 may have been above or below the bar."""
    words, p_values = (*SMALL, "--measure", "f1", "--score"), {}
    for typed, printed in {"0.850": "0.850", "0.85": "0.85", "8.50e-1": "0.850"}.items():
        p_values[typed] = found(*words, typed)["verdict"]["p_value"]
        assert p_values[typed] == cb.baseline(FEW, "f1").judge(printed).p_value
    assert p_values["0.850"] == p_values["8.50e-1"] < p_values["0.85"]
    verdict = found(*words, "0.6")["verdict"]
    assert (verdict["outcome"], verdict["sure"]) == ("undefined", False)
    assert "too close to tell from 1 decimal: from 0.55 to 0.65 it fails and clears" in verdict["reason"]
    more = "fails and clears.\nType more of its decimals after --score, even if they are zeros.\n"
    assert run(*words, "0.6")[1].endswith(more)
    assert found(*SMALL, "--measure", "mcc", "--score", "−0.250")["verdict"]["score"] == -0.25


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*SIZES, "--measure", "error_rate", "--score", 0.2),
         "error rate must be at most 0.3993 to rule out chance (p ≤ 0.05)."),
        (("baseline", "--total", 2, "--positives", 1, "--measure", "mcc", "--score", 1),
         "No MCC on these labels rules out chance: none has p at most 0.05."),
        (("baseline", "--total", 100, "--positives", 10, "--measure", "roc_auc", "--score", 0.8),
         "ROC AUC 0.800 is above the bar 0.500, but a bare score does not tell how surely"),
    ],
)  # fmt: skip
def test_what_a_score_must_reach_is_told_where_there_is_such_a_score(run, words, said):
    assert said in run(*words)[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--score 0.7", "--score is a score on one measure; name it, as in --measure f1 --score 0.72."),
        ("--measure f1 --score 72",
         "--score 72 is no F1, which runs from 0 to 1. Did you mean --score 0.72?"),
        ("--positives 304", "positives must not exceed total; found positives=304 with total=303."),
        ("--measure tversky", "For example --measure 'tversky(alpha=0.3, beta=0.7)'."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_a_line(refused, words, said):
    assert said in refused(*SIZES, *words.split())


def test_cells_are_judged_as_counts_and_a_score_on_a_prevalence_as_on_its_positives(run, found, refused):
    cells = ("--tp", 15, "--fp", 6, "--fn", 3, "--tn", 7)
    card = cb.evaluate_counts(cb.Counts(tp=15, fp=6, fn=3, tn=7), ["f1", "mcc"])
    assert found("judge", *cells, "--measure", "f1", "mcc")["rows"] == card.to_dict()["rows"]
    score = ("--measure", "f1", "--score", "0.72")
    assert run("judge", "--total", 303, "--prevalence", "45.9%", *score) == run(*SIZES, *score)
    assert refused("judge", "--tp", 15, "--tn", 7) == (
        "--fp and --fn are missing: a confusion matrix has four cells."
    )
    assert refused("judge", *cells, "--score", 0.7) == "--score is told by the cells; leave it out."
    assert refused("judge", "--total", 303).startswith("name --tp, --fp, --fn and --tn, or")
    assert refused("baseline").startswith("name the class sizes with --total and --positives, or")
    assert refused(*SIZES, "--prevalence", 0.3).startswith("--positives and --prevalence say the same")
    assert refused("baseline", "--total", 9, "--prevalence", 45.9) == (
        "--prevalence must be a share from 0 to 1, such as 0.459 or \"45.9 %\"; found '45.9'."
    )


def test_a_pass_rate_is_judged_as_in_the_library(found, refused):
    card = cb.rate(83, 100, 0.25, confidence_level=0.9)
    words = ("rate", "83/100", "--bar", 0.25, "--confidence-level", 0.9)
    assert found(*words)["rows"] == card.to_dict()["rows"]
    assert refused("rate", 83, "--bar", 0.25).endswith(
        "must be two whole numbers, such as 83/100; found '83'."
    )
    assert refused("rate", "8/5", "--bar", 0.25) == "successes must not exceed total; found 8 of 5."


def test_possible_and_claim_say_what_the_library_says(found, run, refused):
    sizes, scores = ("--total", "303", "--positives", "139"), ("--score", "accuracy=0.8515", "f1=83.27%")
    _, out, _ = run("possible", *sizes, *scores, "--measure", "mcc")
    assert out.startswith("1 table of 303 samples, 139 positive (45.9 %) has accuracy 0.8515 and f1 83.27%:")
    assert "MCC       0.7007   0.7007" in out
    tables = found("possible", *sizes, *scores)
    assert (tables["count"], tables["tables"]) == (1, [{"tp": 112, "fp": 18, "fn": 27, "tn": 146}])
    assert "may be better than" in run("claim", "--total", "1319", "a=0.581", "b=0.567", "c=0.402")[1]
    claim = found("claim", *sizes, "--measure", "recall", "0.9", "0.8")
    assert claim["p_max"] == cb.claim("0.9", "0.8", cb.Population(303, 139), "recall").p_max
    sentence = refused("claim", "--total", 303, "--measure", "f1", "0.9", "0.8")
    assert sentence == "f1 needs the number of positives: add --positives or --prevalence."
    assert refused("claim", "--total", 303, "0.9") == "claim takes two scores or more, the better one first."
    assert refused("possible", *sizes, "--score", "0.9").startswith("--score must be a name and a score")
    twice = refused("possible", *sizes, "--score", "f1=0.9", "f1=0.8")
    assert twice == "--score has f1 twice; give it once."


def test_possible_takes_the_sizes_of_many_classes(found, run, refused):
    scores = ("--score", "accuracy=0.95", "recall_macro=0.30")
    sizes = cb.ClassSizes({"cat": 90, "dog": 5, "3": 5})
    tables = cb.possible_tables(sizes, {"accuracy": "0.95", "recall_macro": "0.30"})
    _, out, _ = run("possible", "--class-sizes", "cat=90", "dog=5", "5", *scores)
    assert " ".join(out.split()) == str(tables)
    document = found("possible", "--class-sizes", "cat=90", "dog=5", "5", *scores)
    assert {name: document[name] for name in tables.to_dict()} == tables.to_dict()
    assert document["classes"] == {"cat": 90, "dog": 5, "3": 5}
    for words, said in (
        (("90", "a"), "--class-sizes must be a whole number; found 'a'."),
        (("90", "-5"), "--class-sizes must be a whole number from 0 up; found '-5'."),
        (("a=90", "a=5"), "--class-sizes has a twice; give it once."),
        (("90",), "--class-sizes takes a size for each class, such as 50 30 20."),
        (("90", "5", "5", "--total", "100"), "--total is told by --class-sizes; leave it out."),
        (("90", "5", "5", "--folds", "5"), "--folds is for two classes; leave it out."),
        (("90", "5", "5", "--measure", "f1"), "--measure is for two classes; leave it out."),
    ):
        assert refused("possible", "--class-sizes", *words, *scores) == said
    assert "only accuracy and recall_macro are" in refused(
        "possible", "--class-sizes", "90", "5", "5", "--score", "f1_macro=0.9"
    )


def test_a_table_of_pairs_has_the_p_by_which_they_are_judged(run):
    _, out, _ = run("claim", "--total", "2,000", "a=1,900", "b=0.90", "c=1,680", "--markdown")
    claims = cb.claim_pairs({"a": 1900, "b": "0.90", "c": 1680}, 2_000)
    ends = [p_value_text(p["a", "b"], 0.05) for p in (claims.p_min, claims.p_max)]
    assert f"| a | b | shown | {ends[0]} | {ends[1]} |" in out.replace("&lt;", "<")
    assert ends[1] != p_value_text(claims.pairs["a", "b"].p_max, 0.05)
