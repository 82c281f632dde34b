"""What commands find, as Markdown, LaTeX, comma-separated values and JSON: the same numbers."""

import csv
import io
import json
import re

import pytest

import clearbar as cb

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


def as_text(value):
    """A value as comma-separated values hold it."""
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, (list, dict)) else str(value)


@pytest.mark.parametrize("name", COMMANDS)
def test_comma_separated_values_are_the_rows_of_the_document(folder, run, name):
    code, out, err = run(*COMMANDS[name], "--csv")
    assert err == ""
    wanted = rows_of(json.loads(run(*COMMANDS[name], "--json")[1]))
    found = list(csv.DictReader(io.StringIO(out)))
    assert len(found) == len(wanted)
    for own, row in zip(found, wanted, strict=True):
        for key in own.keys() & row.keys():
            assert own[key].lstrip("'") == as_text(row[key]).lstrip("'"), key
    assert code == run(*COMMANDS[name])[0]


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


def test_a_ranking_has_a_line_per_model(folder, run):
    words = (
        "compare",
        "preds.csv",
        "--y-true",
        "y",
        "--y-pred",
        "tree",
        "coin",
        "country3",
        "--measure",
        "f1",
    )
    text = (folder / "preds.csv").read_text(encoding="utf-8").splitlines()
    lines = [text[0] + ",country3", *(f"{line},{line.split(',')[0]}" for line in text[1:])]
    (folder / "preds.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = list(csv.DictReader(io.StringIO(run(*words, "--csv")[1])))
    assert [row["model"] for row in found] == ["country3", "tree", "coin"]
    assert found[0]["score"] == "1.0"
    assert "| country3 | 1 |" in run(*words, "--markdown")[1]


@pytest.mark.parametrize("pair", [("json", "csv"), ("markdown", "latex")])
def test_two_formats_at_once_are_refused_before_anything_is_read(refused, pair):
    first, second = pair
    words = ("evaluate", "nothing.csv", f"--{second}", f"--{first}")
    assert refused(*words) == f"--{first} and --{second} cannot be combined; leave out one of them."


def test_a_leaderboard_has_latex_too():
    counts = {
        "old_one": cb.Counts(tp=[30, 12], fp=[6, 9], fn=[5, 10], tn=[40, 8]),
        "new": cb.Counts(tp=[33, 20], fp=[4, 3], fn=[2, 2], tn=[42, 14]),
    }
    board = cb.evaluate_counts(counts, "mcc", groups=[None, "nl"], intervals=False).leaderboard()
    page = board.to_latex()
    assert "\nnew & 0.851 & 0.739 \\\\\nold\\_one & 0.724 & 0.016 \\\\\nbar & 0" in page
