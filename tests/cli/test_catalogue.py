"""``clearbar measures``, ``explain``, ``demo``, ``compare`` and ``samples``."""

import csv
import io
import json
import math
import re

import numpy as np
import pytest

import clearbar as cb
from clearbar.catalogue import KINDS
from clearbar.cli._completion import _NO_MODELS, _columns
from clearbar.cli._parser import parse

EVERY = [measure for kind in KINDS for measure in cb.measures(kind)]


def test_measures_lists_the_catalogue_a_line_each(run):
    code, out, err = run("measures")
    assert (code, err) == (0, "")
    head, *rows = out.splitlines()
    assert head.split() == ["measure", "better", "question"]
    for measure in EVERY:
        assert any(row.startswith(f"{measure.name} ") and row.endswith(measure.question) for row in rows)
    assert rows[-1] == "clearbar explain NAME tells more about one."


def test_measures_as_json_is_one_document_with_every_fact(run):
    document = json.loads(run("measures", "--json")[1], parse_constant=pytest.fail)
    assert {tuple(entry) for entry in document} == {tuple(document[0])}  # one shape
    for entry, measure in zip(document, EVERY, strict=True):
        facts = ("name", "judges", "formula", "greater_is_better")
        told = (measure.name, KINDS[measure.kind].judges, measure.formula, measure.greater_is_better)
        assert tuple(entry[fact] for fact in facts) == told
        assert entry["aliases"] == list(measure.aliases)
        assert entry["bounds"] == [bound if math.isfinite(bound) else None for bound in measure.bounds]


@pytest.mark.parametrize("measure", EVERY, ids=repr)
def test_explain_works_for_the_whole_catalogue(run, measure):
    """The bar of two classes too, for class sizes and for examples; nothing of LaTeX or of Python is left."""
    sized = [("--total", 12, "--positives", 5)] if measure.kind == "binary" else []
    for sizes in ((), *sized):
        code, out, err = run("explain", measure.name, *sizes)
        assert (code, err) == (0, "")
        assert measure.question in " ".join(out.split()) or measure.kind not in {"binary", "scores"}
        assert "formula  " in out
        assert "source  " in out
        assert max(map(len, out.splitlines())) <= 80
        assert not set("\\{}$") & set(out) or measure.kind == "scores"  # whose formulas have sets
        assert "undefined=" not in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("F1 --total 111 --positives 56", "Nothing that ignores its input does better on average (Pries et"),
        ("accuracy", "With 70 of 100 positive: accuracy bar 0.700: predict all 100 positive."),
        ("f1_macro", "F1 macro bar 0.500: predict 30 of 100 positive at random"),
        ("kappa", "Of classes a, b and c with 50, 30 and 20 samples:"),
        ("subset_accuracy", "Of samples with labels a; a and b; c;"),
        ("jaccard_micro --total 10 --positives 3",
         'labels all 10 samples "negative" and scores 0.538 every time'),
        ("dor --total 10 --positives 4 --undefined worst", "predicts 4 of 10 positive at random"),
        ("roc_auc --total 100 --positives 10",
         "gives all samples the same score and scores 0.500 every time"),
    ],
)  # fmt: skip
def test_explain_says_the_bar_in_a_sentence_with_and_without_class_sizes(run, words, said):
    code, out, _ = run("explain", *words.split())
    assert code == 0
    assert said in " ".join(out.split())


def test_explain_says_what_is_wrong(refused):
    found = refused("explain", "mc")
    assert found.startswith("unknown measure 'mc'. Did you mean 'mcc'")
    assert found.endswith("`clearbar measures` lists all there are.")
    assert "means different things" in refused("explain", "gini")
    for option, lacking in {"--total": "--positives or --prevalence", "--positives": "--total"}.items():
        assert refused("explain", "f1", option, 10).startswith(f"{lacking} is missing: a bar needs")


FAILING = {"diabetes": {"decision_tree"}, "wisconsin": set()}


def card(name):
    columns = _columns(name)
    models = {model: column for model, column in columns.items() if model not in _NO_MODELS}
    return cb.evaluate(columns["y_true"], models)


def test_demo_prints_a_scorecard_for_each_data_set_and_a_command(run):
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    assert out.index("Diabetes: progression above the median\n====") < out.index("Wisconsin breast cancer")
    for name in FAILING:
        assert card(name).to_text() in out
    assert out.count("✗ below the bar") == 1
    assert out.splitlines()[-1].strip() == "clearbar evaluate FILE --y-true COLUMN --y-pred COLUMN"
    assert parse(out.splitlines()[-1].split()[1:]).files == ["FILE"]


def test_demo_writes_a_file_to_try_the_other_commands_on_and_overwrites_none(run, refused, tmp_path):
    path = tmp_path / "predictions.csv"
    code, out, _ = run("demo", "--csv", str(path))
    assert (code, out.split(" are in ")[0]) == (0, "442 predictions of five classifiers")
    assert run("evaluate", str(path), "--y-true", "y_true", "--y-pred", "naive_bayes")[0] == 0
    assert refused("demo", "--csv", str(path)).endswith("is there already; give --csv another name.")


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


BOTH = ("preds.csv", "--y-true", "y", "--y-pred", "tree", "coin", "--measure", "f1", "mcc")
COMMANDS = {
    "measures": ("measures",),
    "baseline": ("baseline", "--total", "303", "--positives", "139"),
    "judged": ("baseline", "--total", "303", "--positives", "139", "--measure", "f1", "--score", "0.72"),
    "evaluate": ("evaluate", *BOTH),
    "slices": ("evaluate", *BOTH, "--by", "country", "--slices"),
    "check": ("check", *BOTH),
    "compare": ("compare", *BOTH),
    "samples": ("samples", "--measure=mcc", "--prevalence=0.5", "--sensitivity=0.95", "--specificity=0.95"),
}


def rows_of(document):
    """The rows of a JSON document, wherever they stand."""
    if isinstance(document, list):
        return document
    named = ("verdict", "baselines", "slices", "comparisons", "samples", "rows")
    found = next(document[name] for name in named if name in document)
    return found if isinstance(found, list) else [found]


@pytest.mark.parametrize("name", COMMANDS)
def test_comma_separated_values_are_the_rows_of_the_document(folder, run, name):
    code, out, err = run(*COMMANDS[name], "--csv")
    assert err == ""
    same, document, _ = run(*COMMANDS[name], "--json")
    wanted = rows_of(json.loads(document))
    found = list(csv.DictReader(io.StringIO(out)))
    assert len(found) == len(wanted)
    for own, row in zip(found, wanted, strict=True):
        for key in own.keys() & row.keys():
            value = json.dumps(row[key]) if isinstance(row[key], (list, dict)) else row[key]
            assert own[key].lstrip("'") == ("" if value is None else str(value).lstrip("'")), key
    assert code == same


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_pages_hold_the_numbers_of_the_screen(folder, run, name):
    markdown, latex = (run(*COMMANDS[name], f"--{kind}")[1] for kind in ("markdown", "latex"))
    assert latex.startswith("% \\usepackage{booktabs}\n")
    assert latex.count("\\begin{tabular}") == latex.count("\\end{tabular}")
    assert ("| :-- |" in markdown) == ("\\toprule" in latex) == (name != "judged")
    numbers = set(re.findall(r"\b0\.\d{3}\b", run(*COMMANDS[name])[1]))
    plain = re.sub(r"\\phantom\{[^}]*\}", "", latex)
    if name not in {"check", "compare"}:  # whose screens say in sentences what stands in columns here
        assert numbers <= set(re.findall(r"\b0\.\d{3}\b", markdown))
        assert numbers <= set(re.findall(r"\b0\.\d{3}\b", plain))


def test_two_formats_at_once_are_refused_before_anything_is_read(refused):
    said = "--markdown and --latex cannot be combined; leave out one of them."
    assert refused("evaluate", "nothing.csv", "--latex", "--markdown") == said
