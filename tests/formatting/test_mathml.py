"""Formulas as MathML: complete, well formed, and still the formula that the measure computes."""

import math
import re
import xml.etree.ElementTree as ET

import pytest

import clearbar as cb
from clearbar.catalogue import KINDS, measures
from clearbar.formatting import mathml, plain_formula

CATALOGUE = cb.measures()
NOT_COMPUTED = {
    "mutual_information": "a sum over indices",
    "uncertainty_coefficient": "names other measures",
    "adjusted_geometric_mean": "names other measures",
    "adjusted_f": "names other measures",
}


def tree(latex):
    return ET.fromstring(mathml(latex))  # noqa: S314 - our own


@pytest.mark.parametrize("measure", CATALOGUE, ids=lambda measure: measure.name)
def test_every_formula_and_symbol_is_typeset(measure):
    for latex in (measure.symbol, measure.formula):
        root = tree(latex)
        assert root.tag == "math"
        words = re.findall(r"\\mathrm\{([^}]*)\}", latex)
        assert [word for word in words if word not in "".join(root.itertext())] == []
        for kind, tags in ((r"\\frac", ["mfrac"]), (r"\\sqrt", ["msqrt"])):
            assert len(re.findall(kind, latex)) == sum(len(root.findall(f".//{tag}")) for tag in tags)


@pytest.mark.parametrize(
    "measure", [m for m in CATALOGUE if m.name not in NOT_COMPUTED], ids=lambda measure: measure.name
)
def test_the_typeset_formula_is_what_the_measure_computes(measure):
    """Read the page's formula back as a reader would, and compute it."""
    tp, fp, fn, tn = 17, 5, 8, 29
    known = {
        "TP": tp, "FP": fp, "FN": fn, "TN": tn, "P": tp + fn, "N": fp + tn, "M": tp + fp + fn + tn,
        "k": tp + fp, "π": math.pi, "TPR": tp / (tp + fn), "TNR": tn / (fp + tn), "ACC": (tp + tn) / 59,
        "ln": math.log, "log_2": math.log2, "max": max, "min": min, "abs": abs, "sqrt": math.sqrt,
    }  # fmt: skip
    known["p_o"] = known["ACC"]  # the observed agreement is not spelt out
    known |= {
        {"alpha": "α", "beta": "β"}.get(name, name): value for name, value in measure.parameters.items()
    }
    known |= {"c_FN": measure.parameters.get("c_fn"), "c_FP": measure.parameters.get("c_fp")}
    known["p_t"] = 0.5 if "w" in measure.parameters and "p_t" in measure.formula else None
    value = compute(tree(measure.formula), known)
    assert value == pytest.approx(measure(tp=tp, fp=fp, fn=fn, tn=tn), rel=1e-12)


def compute(root, known):
    text = "".join(spelt(child) for child in root)
    main, *definitions = [part for part in re.split(r",;", text) if part]
    for definition in reversed(definitions):
        name, _, formula = definition.partition("=")
        known = {**known, name.strip(): evaluated(formula, known)}
    return evaluated(main, known)


def evaluated(text, known):
    found, previous = "", ""
    for token in re.findall(r"\d+\.?\d*|[^\W\d]\w*|\*\*|\S", text):
        applied = previous in {"ln", "log_2"} and token.isalnum()
        factor = (
            re.search(r"[\w)]$", found) and re.match(r"[\w(]", token) and not callable(known.get(previous))
        )
        found += f"({token})" if applied else f"*{token}" if factor else token
        previous = token
    return eval(found, {"__builtins__": {}}, known)  # noqa: S307 - our own formulas


def spelt(node):  # noqa: PLR0911 - a case per element
    inside = [spelt(child) for child in node]
    text = (node.text or "").replace("−", "-")
    match node.tag:
        case "mfrac":
            return f"(({inside[0]})/({inside[1]}))"
        case "msqrt":
            return f"sqrt({''.join(inside)})"
        case "msup":
            return f"{inside[0]}**({inside[1]})"
        case "msub":
            return f" {inside[0].strip()}_{inside[1].strip()} "
        case "mspace":
            return ";" if node.get("width") == "0.3333em" else " "
        case "mi":
            return f" {text} "
        case "mrow" if [child.text for child in node if child.tag == "mo"][:1] == ["|"]:
            return f"abs({''.join(inside[1:-1])})"
        case _:
            return text + "".join(inside)


@pytest.mark.parametrize("kind", KINDS)
def test_every_formula_of_every_kind_is_typeset_and_readable_as_text(kind):
    for measure in measures(kind):
        assert not mathml(measure.formula).startswith("<code>"), measure.name
        assert "\\" not in plain_formula(measure.formula), measure.name


@pytest.mark.parametrize("latex", ["{", "}", r"\frac{1}", "x^", "x^^2", r"\left(", "{" * 500 + "}" * 500, ""])
def test_what_cannot_be_read_stays_as_it_is_written_in_text_too(latex):
    assert plain_formula(latex) == latex


def test_sets_and_brackets_of_any_size():
    root = tree(r"\Bigl(\frac{|y \cap \hat y|}{y \mathbin{\triangle} z}\Bigr)^2")
    assert "".join(root.itertext()) == "(|y∩y^|y△z)2"
    assert plain_formula(r"\Bigl(\frac{|y \cap \hat y|}{2}\Bigr)^2") == "(|y and y'| / 2)²"
