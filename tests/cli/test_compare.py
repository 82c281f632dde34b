"""``clearbar compare`` and ``clearbar samples``."""

import json

import numpy as np
import pytest

import clearbar as cb


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.4).astype(int)
    rights = {"old": 0.75, "new": 0.9, "twin": 0.75}
    columns = {"y": y, **{name: np.where(rng.random(300) < p, y, 1 - y) for name, p in rights.items()}}
    path = tmp_path / "preds.csv"
    rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path, columns


def test_two_models_are_compared_as_the_library_does(table, run):
    path, columns = table
    words = ("compare", path, "--y-true", "y", "--y-pred", "old", "new", "--measure", "f1", "mcc")
    models = {name: columns[name] for name in ("old", "new")}
    card = cb.evaluate(columns["y"], models, ["f1", "mcc"], intervals=False)
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.splitlines() == [str(card.compare("old", "new", measure)) for measure in ("f1", "mcc")]
    found = json.loads(run(*words, "--json", "--margin", "0.3")[1])["comparisons"]
    assert [one["conclusion"] for one in found] == ["worse", "worse"]
    assert found[0]["margin"] == 0.3


def test_more_models_are_ranked(table, run):
    path, _ = table
    words = ("compare", path, "--y-true", "y", "--y-pred", "old", "new", "twin", "--measure", "f1")
    assert run(*words)[1].startswith("new is surely the best of 3 models in F1")
    assert json.loads(run(*words, "--json")[1])["rankings"][0]["best"] == ["new"]


def test_what_cannot_be_compared_is_said(table, refused):
    path, _ = table
    words = ("compare", path, "--y-true", "y", "--y-pred")
    assert refused(*words, "old") == "name two models to compare with --y-pred, or up to 6; found 1."
    scores = ("compare", path, "--y-true", "y", "--y-score", "old")
    assert refused(*scores) == "name two models to compare with --y-score, or more; found 1."
    assert refused(*words, "old", "new", "twin", "--margin", "1") == "--margin is for two models; found 3."
    for typed in ("-1", "0", "nan"):
        message = f"--margin must be a number above 0, the least difference that matters; found '{typed}'."
        assert message in refused(*words, "old", "new", "--margin", typed)


WORDS = ("samples", "--prevalence", "0.5", "--sensitivity", "0.95", "--specificity", "0.95")


def test_it_says_what_the_library_does(run):
    found = cb.samples_needed("mcc", prevalence=0.5, sensitivity=0.95, specificity=0.95)
    code, out, err = run(*WORDS, "--measure", "mcc")
    assert (code, err) == (0, "")
    assert f"MCC: {found} samples, {(found + 1) // 2} of them positive (power 0." in out
    (row,) = json.loads(run(*WORDS, "--measure", "mcc", "--json")[1])["samples"]
    assert (row["samples"], row["standard_error"], row["power"] >= 0.8) == (found, 0.0, True)


def test_what_makes_no_sense_is_said(refused):
    assert "is not above the MCC bar" in refused(*WORDS[:-1], "0.05", "--measure", "mcc")
    assert "--power must be a share from 0 to 1" in refused(*WORDS, "--measure", "mcc", "--power", "2")
    assert "--measure" in refused(*WORDS)


@pytest.mark.slow
def test_a_difference_a_score_and_clusters_are_planned(run):
    rates = ("samples", "--measure", "mcc", "--prevalence", "0.4")
    model = ("--sensitivity", "0.9", "--specificity", "0.9")
    versus = {"sensitivity": 0.7, "specificity": 0.8}
    facts = {"sensitivity": 0.9, "specificity": 0.9, "prevalence": 0.4}
    needed = cb.samples_needed("mcc", **facts, versus=versus)
    other = ("--versus", "0.7", "0.8")
    out = run(*rates, *model, *other)[1]
    assert f"MCC: {needed.low} to {needed.high} samples" in out
    assert "surely differs from one of sensitivity 0.7 and specificity 0.8" in out.replace("\n", " ")
    (row,) = json.loads(run(*rates, *model, *other, "--versus-prevalence", "0.5", "--json")[1])["samples"]
    assert row["samples"] == cb.samples_needed("mcc", **facts, versus={**versus, "prevalence": 0.5})
    assert row["power"] >= 0.78
    clustered = run(*rates, *model, "--cluster-size", "5", "--icc", "0.2")[1]
    assert f"MCC: {cb.samples_needed('mcc', **facts, cluster_size=5, icc=0.2)} samples" in clustered
    ends = cb.samples_needed("mcc", prevalence=0.4, score=0.95)
    said = f"{ends.low} to {ends.high}" if ends.low < ends.high else f"{ends.low}"
    assert f"MCC: {said} samples" in run(*rates, "--score", "0.95")[1]


def test_what_is_of_another_plan_is_refused(refused):
    rates = ("samples", "--measure", "mcc", "--prevalence", "0.4")
    model = ("--sensitivity", "0.9", "--specificity", "0.9")
    assert "--agreement is that of two models" in refused(*rates, *model, "--agreement", "0.9")
    groups = ("--versus", "0.8", "0.8", "--versus-prevalence", "0.3", "--cluster-size", "20")
    assert "--cluster-size must be 1 for a difference of two groups" in refused(*rates, *model, *groups)
    assert "--versus-prevalence is that of another group" in refused(
        *rates, *model, "--versus-prevalence", "0.5"
    )
