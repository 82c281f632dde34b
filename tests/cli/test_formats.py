"""What commands find, as Markdown, LaTeX, comma-separated values and JSON: the same numbers."""

import csv
import io
import json
import re

import pytest

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
