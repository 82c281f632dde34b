"""``clearbar check``: the gate for a build."""

import json

import pytest

import clearbar as cb
from clearbar.cli import _gate, main

PREDS = ("check", "preds.csv", "--y-true", "y", "--y-pred")


def test_every_model_clears(folder, run):
    code, out, err = run(*PREDS, "tree")
    verdict, closing = out.splitlines()
    assert (code, err) == (0, "")
    assert verdict.startswith("✓ tree: MCC 0.532 clears the bar 0 ")
    assert closing == "1 of 1 model clears.  exit 0"


def test_one_model_fails_and_comes_first(folder, run):
    code, out, err = run(*PREDS, "tree", "coin", "--measure", "f1")
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "✗ coin: F1 0.495 does not clear the bar 0.671 (predict all 200 positive); skill −0.27; p = 1",
        "✓ tree: F1 0.777 clears the bar 0.671 (predict all 200 positive); skill +0.32; p = 2.3e-13",
        "1 of 2 models fails.  exit 1",
    ]


def test_models_are_counted_not_verdicts(folder, run):
    out = run(*PREDS, "coin", "--measure", "f1", "threat_score")[1]
    assert out.count("✗") == 2
    assert out.endswith("\n1 of 1 model fails.  exit 1\n")


def test_alpha_asks_for_more_than_clearing(folder, run):
    code, out, _ = run(*PREDS, "coin")
    assert code == 0
    assert out.splitlines()[1] == (
        "(1 of 1 clears its bar no more surely than a lucky guess, p > 0.05; --alpha 0.05 would fail it.)"
    )
    code, out, _ = run(*PREDS, "tree", "coin", "--alpha", "0.05")
    assert code == 1
    assert out.startswith("✗ coin: MCC 0.041 clears the bar 0 ")
    assert out.splitlines()[0].endswith("; p = 0.51, not below --alpha 0.05")
    assert out.splitlines()[1].startswith("✓ tree")
    assert run(*PREDS, "tree", "--alpha", "1e-13")[0] == 0
    assert run(*PREDS, "tree", "--alpha", "1e-14")[0] == 1


def test_alpha_is_compared_with_the_p_value_of_the_luckiest_guess(folder, run):
    precision = (*PREDS, "tree", "--measure", "precision")
    row = json.loads(run(*precision, "--json")[1])["rows"][0]
    assert row["p_value_blind"] < 0.001
    assert row["p_value"] > 0.05
    assert run(*precision, "--alpha", "0.05")[0] == 1
    assert run(*precision, "--alpha", row["p_value"])[0] == 1, "p must be below alpha"
    assert run(*precision, "--alpha", row["p_value"] * 1.001)[0] == 0


def test_ties_and_undefined_fail(folder, run):
    (folder / "tie.csv").write_text("y,a,b\n1,1,1\n0,1,1\n1,1,1\n0,1,0\n", encoding="utf-8")
    code, out, _ = run("check", "tie.csv", "--y-true", "y", "--y-pred", "a", "--measure", "f1")
    assert code == 1
    assert out.startswith("✗ a: F1 0.667 ties with the bar 0.667 (predict all 4 positive)")
    code, out, _ = run("check", "tie.csv", "--y-true", "y", "--y-pred", "a", "b")
    assert code == 1
    assert out.startswith("✗ a: MCC cannot be judged: ")
    assert out.endswith("1 of 2 models fails.  exit 1\n")
    code, out, _ = run(*PREDS, "tree", "--measure", "dor")
    assert code == 1
    assert "--undefined worst or --undefined 0" in out
    assert run(*PREDS, "tree", "--measure", "dor", "--undefined", "0")[0] == 0
    assert run(*PREDS, "tree", "--measure", "prevalence")[0] == 1


def test_a_bar_that_cannot_be_beaten_is_a_mistake_in_the_command(folder, refused):
    assert refused(*PREDS, "tree", "--measure", "recall") == (
        "the recall bar cannot be beaten: a guess already has the best possible score. "
        "Leave it out, or judge by one that can tell, such as --measure mcc."
    )
    assert refused(*PREDS, "coin", "--measure", "f1", "recall", "specificity", "--json").startswith(
        "the recall and specificity bars cannot be beaten: a guess already has the best possible score. Leave them"  # noqa: E501
    )
    (folder / "one.csv").write_text("y,a,g\n1,1,x\n1,0,x\n1,1,y\n0,1,y\n", encoding="utf-8")
    sliced = ("check", "one.csv", "--y-true", "y", "--y-pred", "a", "--measure", "accuracy", "--by", "g")
    assert refused(*sliced) == (
        "the accuracy bar cannot be beaten: the true labels in x are all of one class. "
        "Judge on samples of both classes. --min-support N leaves small slices out."
    )


def test_every_slice_must_clear(folder, run):
    code, out, _ = run(*PREDS, "tree", "--by", "country", "--measure", "f1")
    assert code == 0
    assert [line.split(":")[0] for line in out.splitlines()[:-1]] == [
        "✓ tree", "✓ tree in de", "✓ tree in fr", "✓ tree in nl",
    ]  # fmt: skip
    code, out, _ = run(*PREDS, "tree", "--by", "country", "--measure", "f1", "--alpha", "0.001")
    assert code == 1
    assert out.startswith("✗ tree in nl: ")
    assert out.endswith("1 of 1 model fails.  exit 1\n")


def test_a_log_has_an_end(folder, run, monkeypatch):
    monkeypatch.setattr(_gate, "MOST_LINES", 2)
    out = run(*PREDS, "tree", "--by", "country", "--measure", "f1")[1]
    assert out.splitlines()[2:] == ["✓ 2 more", "1 of 1 model clears.  exit 0"]


def test_json_says_what_passes_and_why_not(folder, run):
    code, out, err = run(*PREDS, "tree", "coin", "--measure", "f1", "mcc", "--json")
    document = json.loads(out, parse_constant=pytest.fail)
    assert (code, err) == (1, "")
    assert (document["passes"], document["exit_code"], document["alpha"]) == (False, 1, None)
    assert [(row["model"], row["measure"], row["passes"]) for row in document["rows"]] == [
        ("tree", "f1", True), ("tree", "mcc", True), ("coin", "f1", False), ("coin", "mcc", True),
    ]  # fmt: skip
    (failing,) = document["failing"]
    assert (failing["model"], failing["group"], failing["measure"]) == ("coin", None, "f1")
    assert failing["why"].startswith("coin: F1 0.495 does not clear")
    assert document["clearbar"] == cb.__version__


def test_bad_data_and_usage_are_told_in_a_line(folder, refused):
    assert refused("check") == "name a file to read: clearbar check FILE --y-true COL --y-pred COL."
    assert refused("check", "nope.csv", "--y-true", "y", "--y-pred", "a") == "there is no file nope.csv."
    assert refused(*PREDS, "score").startswith("column 'score' holds numbers such as")
    assert refused(*PREDS, "tree", "--measure", "mc").startswith("unknown measure 'mc'.")
    assert refused(*PREDS, "tree", "--html", "x.html").startswith("check has no option --html.")


def test_above_ten_thousand_samples_a_missed_bar_shows_no_p_and_a_cleared_one_says_which(tmp_path, capsys):
    lines = [f"1,{int(i >= 2500)}" for i in range(6000)] + [f"0,{int(i < 2500)}" for i in range(6000)]
    (tmp_path / "big.csv").write_text("\n".join(["y,m", *lines]))
    big = [str(tmp_path / "big.csv"), "--y-true", "y", "--y-pred", "m", "--measure", "f1", "mcc"]
    assert main(["check", *big]) == 1
    failing, passing, _ = capsys.readouterr().out.splitlines()
    assert failing.endswith("skill −0.13")
    assert passing.endswith("p < 1e-16 for a guess with as many predicted positive")
    main(["evaluate", *big])
    assert "--p-values both gives the one for every guess" in capsys.readouterr().out


def test_a_summary_is_added_to_what_a_build_server_shows(folder, run):
    (folder / "summary.md").write_text("# The build\n", encoding="utf-8")
    words = (*PREDS, "tree", "coin", "--measure", "f1", "--summary", "summary.md")
    assert run(*words)[0] == 1
    first = (folder / "summary.md").read_text(encoding="utf-8")
    assert first.startswith(
        "# The build\n\n### ✗ clearbar: 1 of 2 models fails.\n\n- coin: F1 0.495 does not"
    )
    assert "| F1 | 0.671 |" in first
    assert run(*PREDS, "tree", "--summary", "summary.md")[0] == 0
    both = (folder / "summary.md").read_text(encoding="utf-8")
    assert both.startswith(first)
    assert "\n\n### ✓ clearbar: 1 of 1 model clears.\n" in both
    assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []


def test_a_summary_that_cannot_be_written_is_told_before_anything_is_read(folder, refused):
    assert refused("check", "nope.csv", "--summary", "no/summary.md").startswith("there is no folder")
    (folder / "bytes.md").write_bytes(b"\xff\xfe")
    assert "is not UTF-8 text" in refused(*PREDS, "tree", "--summary", "bytes.md")
    assert (folder / "bytes.md").read_bytes() == b"\xff\xfe"
