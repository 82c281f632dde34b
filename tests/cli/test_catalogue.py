"""``clearbar measures`` and ``clearbar explain``."""

import json
import math

import pytest

import clearbar as cb
from clearbar.catalogue import KINDS
from clearbar.formatting import plain_formula


def test_measures_lists_the_catalogue_a_line_each(run):
    code, out, err = run("measures")
    assert (code, err) == (0, "")
    head, *rows = out.splitlines()
    assert head.split() == ["measure", "better", "question"]
    for measure, row in zip(cb.measures(), rows, strict=False):
        assert row.startswith(f"{measure.name} ")
        assert row.endswith(measure.question)
    for measure in (measure for kind in KINDS for measure in cb.measures(kind)):
        assert any(row.startswith(f"{measure.name} ") and row.endswith(measure.question) for row in rows)
    assert rows[-1] == "clearbar explain NAME tells more about one."


def test_measures_as_json_is_one_document_with_every_fact(run):
    code, out, err = run("measures", "--json")
    assert (code, err) == (0, "")
    document = json.loads(out, parse_constant=pytest.fail)
    everything = [measure for kind in KINDS for measure in cb.measures(kind)]
    assert [entry["name"] for entry in document] == [measure.name for measure in everything]
    assert {tuple(entry) for entry in document} == {tuple(document[0])}  # one shape
    for kind in KINDS:
        judged = [entry["judges"] for entry in document]
        assert judged.count(KINDS[kind].judges) == len(cb.measures(kind))
    for entry, measure in zip(document, cb.measures(), strict=False):
        assert entry["aliases"] == list(measure.aliases)
        assert entry["formula"] == measure.formula
        assert entry["domain"] == str(measure.domain)
        assert entry["greater_is_better"] is measure.greater_is_better
        expected = [bound if math.isfinite(bound) else None for bound in measure.bounds]
        assert entry["bounds"] == expected


@pytest.mark.parametrize("measure", cb.measures(), ids=str)
def test_explain_works_for_the_whole_catalogue(run, measure):
    for sizes in ((), ("--total", 12, "--positives", 5)):
        code, out, err = run("explain", measure.name, *sizes)
        assert (code, err) == (0, "")
        assert measure.question in " ".join(out.split())
        assert "formula  " in out
        assert "source  " in out
        assert max(map(len, out.splitlines())) <= 80
        # Nothing of LaTeX or of Python's words is left.
        assert not set("\\{}$") & set(out)
        assert "undefined=" not in out


@pytest.mark.parametrize("measure", [*cb.measures("multiclass"), *cb.measures("multilabel")], ids=repr)
def test_explain_works_for_many_classes_and_sets_of_labels(run, measure):
    code, out, err = run("explain", measure.name)
    assert (code, err) == (0, "")
    sets = cb.get_measure(measure.name).kind == "multilabel"
    example = (
        "samples with labels a; a and b; c;" if sets else "classes a, b and c with 50, 30 and 20 samples:"
    )
    assert f"Of {example}" in " ".join(out.split())
    assert not set("\\{}$") & set(out)


def test_explain_tells_the_bar_of_many_classes_beside_that_of_two(run):
    words = " ".join(run("explain", "f1_macro")[1].split())
    assert "F1 macro bar 0.500: predict 30 of 100 positive at random" in words
    assert "macro F1 bar 0.333: label as many samples with each class as it has, at random" in words
    code, out, _ = run("explain", "jaccard_micro", "--total", 10, "--positives", 3)
    assert code == 0
    assert 'labels all 10 samples "negative" and scores 0.538 every time' in " ".join(out.split())


def test_explain_with_class_sizes_says_the_bar_in_a_sentence(run):
    code, out, _ = run("explain", "F1", "--total", 111, "--positives", 56)
    assert code == 0
    words = " ".join(out.split())
    assert (
        "The best feature-blind classifier for F1 predicts all 111 positive and scores 0.671 every time. "
        "Nothing that ignores its input does better on average (Pries et al. 2023)." in words
    )
    assert "formula      2·TP / (2·TP + FP + FN)\n" in out
    assert "its bar      is over the draws with P > 0 and k > 0\n" in out
    assert out.count("How well do precision and recall balance?") == 1


def test_explain_without_class_sizes_gives_examples(run):
    _, out, _ = run("explain", "accuracy")
    assert "With 30 of 100 positive: accuracy bar 0.700: predict none positive." in out
    assert "With 70 of 100 positive: accuracy bar 0.700: predict all 100 positive." in out


def test_explain_takes_names_of_several_words_and_parameters(run):
    assert run("explain", "threat", "score")[1] == run("explain", "CSI")[1]
    assert "beta = 2" in run("explain", "f2")[1]
    assert run("explain", "tversky(alpha=1, beta=0.5)")[1].startswith("Tversky(alpha=1, beta=0.5)\n")


def test_explain_says_where_there_is_no_bar_and_what_to_add(run):
    _, out, _ = run("explain", "dor")
    assert "--undefined worst or --undefined 0 gives" in out
    code, out, _ = run("explain", "dor", "--total", 10, "--positives", 4, "--undefined", "worst")
    assert code == 0
    assert "predicts 4 of 10 positive at random" in " ".join(out.split())


def test_explain_says_what_is_wrong(refused):
    found = refused("explain", "mc")
    assert found.startswith("unknown measure 'mc'. Did you mean 'mcc'")
    assert found.endswith("`clearbar measures` lists all there are.")
    assert "means different things" in refused("explain", "gini")
    both = "--total and --positives go together: a bar needs both."
    assert refused("explain", "f1", "--total", 10) == both
    assert refused("explain", "f1", "--positives", 10) == both
    assert refused("explain", "f1", "--total", 10, "--positives", 11).startswith("positives must not exceed")


@pytest.mark.parametrize(
    ("name", "text", "letters"),
    [
        ("mcc", "(TP·TN - FP·FN) / √(P·N·k·(M - k))", "(TP*TN - FP*FN) / sqrt(P*N*k*(M - k))"),
        ("g_mean", "√((TP / P)·(TN / N))", "sqrt((TP / P)*(TN / N))"),
        ("informedness", "TP / P + TN / N - 1", None),
        ("balanced_accuracy", "½·(TP / P + TN / N)", "1/2*(TP / P + TN / N)"),
        ("bennett_s", "2·((TP + TN) / M) - 1", None),
        ("overlap", "TP / min(P, k)", None),
        ("log_odds_ratio", "ln(TP·TN / (FP·FN))", None),
        ("similarity_index", "1 - (1 / √2)·√((FN / P)² + (FP / N)²)", None),
        ("gwet_ac1", "(p_o - p_e) / (1 - p_e), p_e = 2q(1 - q), q = (P + k) / (2M)", None),
        ("positive_likelihood_ratio", "(TP/P) / (FP/N)", None),
    ],
)
def test_formulas_are_readable_as_text(name, text, letters):
    latex = cb.get_measure(name).formula
    assert plain_formula(latex) == text
    if letters:
        assert plain_formula(latex, "ascii") == letters
    assert plain_formula(latex, "ascii").isascii()
