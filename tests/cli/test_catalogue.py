"""``clearbar measures``, ``clearbar explain`` and ``clearbar demo``."""

import json
import math

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
