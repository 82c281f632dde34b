"""What the page knows of the measures of two classes: formulas, facts and conditions, as JavaScript."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from typing import Any

from tools.calculator.translate import Translator, facts, literal

import clearbar as cb
from clearbar.catalogue import Family, Range, _domain
from clearbar.catalogue._registry import entries
from clearbar.core.errors import visible
from clearbar.formatting import mathml
from clearbar.inference.level_curves import is_ordered
from clearbar.notebook import definition

DERIVED = ("label", "bounds", "affine", "shape", "domain")
"""Facts that may follow from the parameters of a family."""

NAMES_SHOWN = 4
"""Other names of a measure in the list of measures."""


def binary() -> str:
    """Return the measures of two classes as the object `measures`, and what they need."""
    translator = Translator()
    families = {entry.entry.name: entry for entry in entries() if isinstance(entry, Family)}
    written = [
        f"  {literal(_key(one, families))}: {_record(translator, one, families.get(one.name))}"
        for one in cb.measures()
    ]
    helpers = [f"const {name} = {text};" for name, text in translator.helpers.items()]
    conditions = _conditions()
    return "\n".join([
        *helpers,
        f"const conditions = {conditions};",
        "const measures = {\n" + ",\n".join(written) + "\n};",
    ])  # fmt: skip


def _key(measure: Any, families: Mapping[str, Any]) -> str:
    """Return the name by which a question calls a measure: that of a family without parameters."""
    return measure.family if measure.name in families else measure.name


def _record(translator: Translator, measure: Any, family: Any) -> str:
    """Return one measure; what follows from parameters is a function of them."""
    given = tuple(measure.parameters)
    own = {
        "title": visible(measure.label), "label": visible(measure.label), "bounds": measure.bounds,
        "affine": bool(measure.affine), "shape": measure.shape,
        "domain": [one.text for one in measure.domain.conjuncts],
        "requires": [one.text for one in measure.requires.conjuncts] if measure.requires else [],
        "smooth": measure.smooth, "ordered": is_ordered(measure), "greater": measure.greater_is_better,
        "question": measure.question,
        "caution": measure.caution, "names": ", ".join(measure.aliases[:NAMES_SHOWN]),
        "group": _group(measure), "math": definition(measure),
    }  # fmt: skip
    parts = {name: literal(value) for name, value in own.items()}
    stated = facts(measure.function)
    if measure.shape == "constant" or "constant" in stated:
        parts["constant"] = _constant(translator, measure, stated["constant"])
    if family is not None:
        parts["label"] = parts["title"] = literal(visible(measure.label.partition("(")[0]))
        parts |= {"parameters": parameters(family), "math": literal(mathml(measure.formula, block=True))}
        derived = {name: stated[name] for name in DERIVED if name in stated and _is_function(stated[name])}
        for name, node in derived.items():
            parts[name] = _of_parameters(translator, measure.function, node, given)
    parts["value"] = translator.function(measure.function, by_name=given)
    return "{" + ", ".join(f"{name}: {text}" for name, text in parts.items()) + "}"


def _group(measure: Any) -> str:
    """Return what the file is about in which a measure stands: the title of its part of the list."""
    return str(inspect.getmodule(measure.function).__doc__).partition("\n")[0].partition(":")[0].rstrip(".")


def _is_function(node: ast.expr) -> bool:
    return isinstance(node, (ast.Lambda, ast.Name))


def _of_parameters(translator: Translator, function: Any, node: ast.expr, given: tuple[str, ...]) -> str:
    """Return a fact that follows from the parameters: a lambda, or the name of a function of the file."""
    if isinstance(node, ast.Lambda):
        return translator.function(function, node, by_name=given)
    name = translator.helper(function.__globals__[ast.unparse(node)])
    return f"({{ {', '.join(given)} }}) => {name}({', '.join(given)})"


def _constant(translator: Translator, measure: Any, node: ast.expr) -> str:
    """Return what every draw expects, as a function of the numbers of samples and positives."""
    if isinstance(node, ast.Lambda):
        return translator.function(measure.function, node)
    return f"() => {literal(ast.literal_eval(node))}"


def parameters(family: Any) -> str:
    """Return for each parameter of a family the value it is listed with, and the numbers it may be."""
    return "{" + ", ".join(f"{name}: {_range(family, name)}" for name in family.listed) + "}"


def _range(family: Any, name: str) -> str:
    allowed = family.allowed.get(name, Range())
    known = {"value": family.listed[name], "low": allowed.low, "high": allowed.high}
    known |= {"above": allowed.above, "whole": allowed.whole}
    return f"{{{', '.join(f'{key}: {literal(value)}' for key, value in known.items())}}}"


def _conditions() -> str:
    """Return the numbers of predicted positives at which each condition holds for every outcome."""
    translator = Translator()
    tree = ast.parse(inspect.getsource(_domain))
    calls = [
        one
        for one in ast.walk(tree)
        if isinstance(one, ast.Call) and ast.unparse(one.func) == "Condition" and len(one.args) == 3
        and isinstance(one.args[2], ast.Lambda)
    ]  # fmt: skip
    written = []
    for call in calls:
        spans = translator.function(_domain.always.spans, call.args[2])
        written.append(f"{literal(ast.literal_eval(call.args[0]))}: {spans}")
    helpers = " ".join(f"const {name} = {text};" for name, text in translator.helpers.items())
    return "(() => { " + helpers + " return {\n  " + ",\n  ".join(written) + "\n}; })()"
