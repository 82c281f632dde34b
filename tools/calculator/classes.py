"""What the page knows of the measures of more than two classes, and which it leaves to the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tools.calculator.arrays import ArrayTranslator
from tools.calculator.translate import NotTranslatedError, literal

import clearbar as cb
from clearbar.core.errors import visible
from clearbar.notebook import definition

SIZES = cb.ClassSizes({"a": 5, "b": 3, "c": 2})
"""Perfect predictions score the same whatever the sizes; these are as good as others."""


def many() -> tuple[str, list[str]]:
    """Return the measures whose bars have a translation as `classMeasures`, and the labels of all others."""
    translator = ArrayTranslator()
    written, without = [], []
    for measure in (*cb.measures("multiclass"), *cb.measures("probabilities")):
        before = dict(translator.helpers)
        try:
            written.append(f"  {literal(measure.name)}: {_record(translator, measure)}")
        except NotTranslatedError:
            translator.helpers = before
            without.append(visible(measure.label))
    helpers = [f"const {name} = {text};" for name, text in translator.helpers.items()]
    listed = (
        "const classMeasures = (() => {\n"
        + "\n".join(helpers)
        + "\nreturn {\n"
        + ",\n".join(written)
        + "\n};\n})();"
    )
    return (Path(__file__).parent / "arrays.js").read_text("utf-8") + listed, without


def _record(translator: ArrayTranslator, measure: Any) -> str:
    bar = cb.baseline_multiclass(SIZES, measure)
    known = {
        "title": visible(measure.label), "label": visible(measure.label), "bounds": measure.bounds,
        "greater": measure.greater_is_better, "question": measure.question, "caution": measure.caution,
        "names": "", "group": "Measures of more than two classes", "math": definition(measure),
        "perfect": bar.best_possible,
    }  # fmt: skip
    parts = {name: literal(value) for name, value in known.items()}
    # classes that cannot be told apart: what 0/0 counts as is the package's default
    parts["bar"] = f"(sizes) => ({translator.function(measure.optimum)})(sizes, 0)"
    return "{" + ", ".join(f"{name}: {text}" for name, text in parts.items()) + "}"
