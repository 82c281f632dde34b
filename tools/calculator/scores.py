"""What the page knows of the measures of scores, such as ROC AUC: their bars follow from class sizes too."""

from __future__ import annotations

from typing import Any

from tools.calculator.arrays import ArrayTranslator
from tools.calculator.registry import parameters
from tools.calculator.translate import NotTranslatedError, literal

import clearbar as cb
from clearbar.catalogue import Family
from clearbar.catalogue._registry import entries
from clearbar.core.errors import visible
from clearbar.formatting import mathml
from clearbar.notebook import definition

FACTS = ("expected", "worst", "perfect", "needs")


def ranked() -> tuple[str, list[str]]:
    """Return the measures whose bars have a translation as `scoreMeasures`, and the labels of all others."""
    translator = ArrayTranslator()
    families = {entry.entry.name: entry for entry in entries("scores") if isinstance(entry, Family)}
    written, without = [], []
    for measure in cb.measures("scores"):
        before = dict(translator.helpers)
        try:
            record = _record(translator, measure, families.get(measure.name))
        except NotTranslatedError:
            translator.helpers = before
            without.append(visible(measure.label))
        else:
            key = measure.family if measure.name in families else measure.name
            written.append(f"  {literal(key)}: {record}")
    helpers = [f"const {name} = {text};" for name, text in translator.helpers.items()]
    listed = "\n".join([*helpers, "return {\n" + ",\n".join(written) + "\n};"])
    return f"const scoreMeasures = (() => {{\n{listed}\n}})();", without


def _record(translator: ArrayTranslator, measure: Any, family: Any) -> str:
    label = visible(measure.label)
    known = {
        "title": label, "label": label, "bounds": measure.bounds, "greater": measure.greater_is_better,
        "question": measure.question, "caution": measure.caution, "names": ", ".join(measure.aliases[:3]),
        "group": "Measures of scores", "math": definition(measure),
        "how": " ".join(str(measure.recipe(100, 30)).split()[:2]),
    }  # fmt: skip
    parts = {name: literal(value) for name, value in known.items()}
    if family is not None:
        stem = label.partition("@")[0] + "@"
        parts |= {"title": literal(f"{stem}k"), "label": f"({{ k }}) => {literal(stem)} + k"}
        parts |= {"parameters": parameters(family), "math": literal(mathml(measure.formula, block=True))}
    parts["fixed"] = (
        "{" + ", ".join(f"{name}: {literal(value)}" for name, value in measure.parameters.items()) + "}"
    )
    for name in FACTS:
        if getattr(measure, name) is not None:
            parts[name] = translator.function(getattr(measure, name), by_name=tuple(measure.parameters))
    return "{" + ", ".join(f"{name}: {text}" for name, text in parts.items()) + "}"
