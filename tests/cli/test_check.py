"""``clearbar check``: the gate for a build."""

import json
import re

import pandas as pd
import pytest
import scipy.stats

import clearbar as cb
from clearbar.cli import _files, _gate
from clearbar.cli._gate import Gate
from clearbar.cli._parser import parse

PREDS = ("check", "preds.csv", "--y-true", "y", "--y-pred")


@pytest.fixture
def checked(folder, run):
    """Check; return the exit code and the lines, without the digits of p."""

    def checked(*words):
        code, out, err = run(*words)
        assert err == ""
        assert out.endswith(f"  exit {code}\n")
        return code, re.sub(r"p [<=] [\d.e-]+", "p = …", out).splitlines()

    return checked


CLEARS = "1 of 1 model clears.  exit 0"


def test_what_fails_comes_first_then_what_could_be_chance_then_what_clears_in_a_column(folder, checked):
    assert checked(*PREDS, "tree") == (0, ["✓ tree  MCC 0.532 clears the bar 0 (p = …)", CLEARS])
    assert checked(*PREDS, "tree", "coin", "--measure", "f1") == (1, [
        '✗ coin  F1 0.495 is below the bar 0.671 (always answering "positive")',
        "✓ tree  F1 0.777 clears the bar 0.671 (p = …)",
        "(p is corrected for 2 models.)",
        "1 of 2 models fails.  exit 1",
    ])  # fmt: skip
    rows = ["y,forest,knn,t", *["1,1,0,1"] * 9, *["0,0,1,0"] * 5, *["0,0,0,1"] * 4, "1,1,1,0"]
    (folder / "three.csv").write_text("\n".join(rows), encoding="utf-8")
    # Phi of (9, 4, 1, 5) is 41 / sqrt(13 * 10 * 9 * 6), and knn calls everything the other way round.
    _, (below, chance, clear, *_) = checked(
        "check", "three.csv", "--y-true", "y", "--y-pred", "forest", "knn", "t"
    )
    assert below.startswith("✗ knn     MCC −0.489 is below the bar 0 (predict any number of positives")
    assert chance == "? t       MCC 0.489 is above the bar 0, but it could be chance (p = …; needs p ≤ 0.05)"
    assert clear.startswith("✓ forest  MCC 1 clears the bar 0 (p = ")


@pytest.mark.parametrize("by", [None, "country"])
def test_the_gate_and_the_scorecard_never_disagree(folder, by):
    words = [*PREDS, "tree", "coin", "--measure", "f1", "mcc", "accuracy", *(["--by", by] if by else [])]
    card = _files.judged_table(parse(words), ["f1", "mcc", "accuracy"])
    table = pd.read_csv(folder / "preds.csv")
    expected = cb.evaluate_frame(table, "y", ["tree", "coin"], measures=["f1", "mcc", "accuracy"], by=by)
    assert card == expected
    for alpha in (0.05, 0.001, 0.9):
        sure = (expected.columns["outcome"] == "clears") & (expected.columns["p_corrected"] <= alpha)
        assert Gate(card, alpha).passes.tolist() == sure.reshape(-1).tolist()
    assert Gate(card, 0.05).passes.tolist() == [verdict.sure for verdict in expected]


def test_alpha_none_asks_for_the_score_alone(checked):
    above = "coin  MCC 0.041 is above the bar 0, but it could be chance (p = …"
    code, lines = checked(*PREDS, "coin")
    assert (code, lines[0]) == (1, f"? {above}; needs p ≤ 0.05)")
    code, lines = checked(*PREDS, "coin", "--alpha", "none")
    assert code == 0
    assert lines[0].startswith(f"✓ {above}")
    assert lines[1] == "(1 of 1 is above its bar, but it could be chance; --alpha 0.05 would fail it.)"


def test_alpha_is_compared_with_the_larger_of_both_p_values_corrected_for_the_models(folder, run, checked):
    row = json.loads(run(*PREDS, "tree", "--measure", "f1", "--json")[1])["rows"][0]
    fisher = scipy.stats.fisher_exact([[82, 28], [19, 71]], alternative="greater").pvalue
    assert row["p_value_blind"] == pytest.approx(fisher, rel=1e-9)
    assert row["p_value"] > row["p_value_blind"]
    for models, factor in [(("tree",), 1), (("tree", "coin"), 2)]:
        for share, mark in ((1.001, "✓"), (0.999, "?")):
            alpha = row["p_value"] * factor * share
            _, lines = checked(*PREDS, *models, "--measure", "f1", "--alpha", alpha)
            assert [line[0] for line in lines if line[2:].startswith("tree")] == [mark]


def test_ties_and_undefined_fail(folder, run, checked):
    (folder / "tie.csv").write_text("y,a,b\n1,1,1\n0,1,1\n1,1,1\n0,1,0\n", encoding="utf-8")
    tie = ("check", "tie.csv", "--y-true", "y", "--y-pred", "a")
    code, lines = checked(*tie, "--measure", "f1")
    tied = '✗ a  F1 0.667 is exactly at the bar 0.667 (always answering "positive")'
    assert (code, lines[0]) == (1, tied)
    code, lines = checked(*tie, "b")
    assert (code, lines[-1]) == (1, "2 of 2 models fail.  exit 1")
    assert lines[0].startswith("✗ a  MCC has no value here: ")
    assert lines[1] == "? b  MCC 0.577 is above the bar 0, but it could be chance"
    code, lines = checked(*PREDS, "tree", "--measure", "dor")
    assert (code, "--undefined worst or --undefined 0" in lines[0]) == (1, True)
    assert run(*PREDS, "tree", "--measure", "dor", "--undefined", "0")[0] == 0
    assert run(*PREDS, "tree", "--measure", "prevalence")[0] == 1


def test_a_bar_that_cannot_be_beaten_is_a_mistake_in_the_command(folder, refused):
    best = "cannot be beaten: the best draw already has the best possible score. Leave"
    said = "it out, or judge by one that can tell, such as --measure mcc."
    assert refused(*PREDS, "tree", "--measure", "recall") == f"the recall bar {best} {said}"
    both = refused(*PREDS, "coin", "--measure", "f1", "recall", "specificity", "--json")
    assert both.startswith(f"the recall and specificity bars {best} them")
    (folder / "one.csv").write_text("y,a,g\n1,1,x\n1,0,x\n1,1,y\n0,1,y\n", encoding="utf-8")
    sliced = ("check", "one.csv", "--y-true", "y", "--y-pred", "a", "--measure", "accuracy", "--by", "g")
    assert refused(*sliced) == (
        "the accuracy bar cannot be beaten: the true labels in x are all of one class. "
        "Judge on samples of both classes. --min-support N leaves small slices out."
    )


def test_every_slice_must_clear_and_a_log_has_an_end(checked, monkeypatch):
    code, lines = checked(*PREDS, "tree", "--by", "country", "--measure", "f1")
    assert (code, lines[-1]) == (1, "1 of 1 model fails.  exit 1")
    assert lines[0].startswith("? tree in fr  F1 0.762 is above the bar 0.636, but it could be chance")
    code, lines = checked(*PREDS, "tree", "--by", "country")
    assert [line.split("  ")[0] for line in lines[:4]] == [
        "✓ tree", "✓ tree in de", "✓ tree in fr", "✓ tree in nl"
    ]  # fmt: skip
    corrected = ["(p is corrected for 3 slices.)", CLEARS]
    assert lines[4:] == corrected
    monkeypatch.setattr(_gate, "MOST_LINES", 2)
    assert checked(*PREDS, "tree", "--by", "country")[1][2:] == ["✓ 2 more", *corrected]


def test_json_says_what_passes_and_why_not(folder, run):
    code, out, err = run(*PREDS, "tree", "coin", "--measure", "f1", "mcc", "--json")
    document = json.loads(out, parse_constant=pytest.fail)
    assert (code, err, document["clearbar"]) == (1, "", cb.__version__)
    assert (document["passes"], document["exit_code"], document["alpha"]) == (False, 1, 0.05)
    assert [(row["model"], row["measure"], row["passes"]) for row in document["rows"]] == [
        ("tree", "f1", True), ("tree", "mcc", True), ("coin", "f1", False), ("coin", "mcc", False),
    ]  # fmt: skip
    failing, unsure = document["failing"]
    assert (failing["model"], failing["group"], failing["measure"]) == ("coin", None, "f1")
    assert failing["why"] == 'coin: F1 0.495 is below the bar 0.671 (always answering "positive")'
    assert unsure["why"].startswith("coin: MCC 0.041 is above the bar 0, but it could be chance (p = 0.")


def test_a_summary_is_added_to_what_a_build_server_shows(folder, run):
    (folder / "summary.md").write_text("# The build\n", encoding="utf-8")
    assert run(*PREDS, "tree", "coin", "--measure", "f1", "--summary", "summary.md")[0] == 1
    first = (folder / "summary.md").read_text(encoding="utf-8")
    assert first.startswith(
        "# The build\n\n### ✗ clearbar: 1 of 2 models fails.\n\n- coin: F1 0.495 is below the bar 0.671"
    )
    assert "| F1 | 0.671 |" in first
    assert run(*PREDS, "tree", "--summary", "summary.md")[0] == 0
    both = (folder / "summary.md").read_text(encoding="utf-8")
    assert both.startswith(first)
    assert "\n\n### ✓ clearbar: 1 of 1 model clears.\n" in both
    assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []


def test_what_is_wrong_is_told_before_anything_is_read_and_changes_no_summary(folder, refused):
    (folder / "out").mkdir()
    assert refused("check", "nope.csv", "--summary", "no/summary.md").startswith("there is no folder")
    assert refused(*PREDS, "tree", "--summary", "out").endswith("summary.md.")
    (folder / "bytes.md").write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in refused(*PREDS, "tree", "--summary", "bytes.md")
    assert (folder / "bytes.md").read_bytes() == b"\xff\xfe"
    assert refused(*PREDS, "tree", "--html", "x.html").startswith("check has no option --html.")


@pytest.mark.parametrize("words", [["--y-true=y", "--help"], ["p.csv", "-h"], ["--help", "--nonsense"]])
def test_help_judges_no_model_and_so_passes_only_alone(words, run):
    code, _, err = run("check", *words)
    assert code == 2
    assert err == "clearbar: --help judges no model, so that this check fails; leave it out.\n"
    assert run("evaluate", *words)[0] == run("check", "--help")[0] == 0
