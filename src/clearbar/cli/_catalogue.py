"""``clearbar measures`` and ``clearbar explain``."""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from typing import Any

from clearbar.catalogue import KINDS, get_measure
from clearbar.catalogue import measures as catalogue
from clearbar.cli._bars import class_sizes_typed
from clearbar.cli._errors import reason_in_options
from clearbar.cli._output import Parts, Reply, answered, pages
from clearbar.core.classes import ClassSizes
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.formatting import Screen, Table, plain_formula
from clearbar.notebook import facts
from clearbar.problems.binary import baseline

_LETTERS = {
    "binary": "(M samples, P positive, N negative, k predicted positive)",
    "scores": "(M samples, P positive, N negative; y, s, p: a sample's label, score, probability)",
    "regression": "(M samples; y, f: a sample's target and its prediction)",
    "multiclass": "(M samples of K classes; n_j of class j, k_j called so, C_jj both; T right in all)",
    "probabilities": "(M samples of K classes; n_a of class a; p_ij, s_ij: probabilities, scores of class j)",
    "multilabel": "(M samples; y_i, y'_i: the sets of labels of a sample, true and called)",
}
_WHERE = "in Python and for baseline and explain (any parameter in place of those shown)"
_BETTER = {True: "higher", False: "lower", None: "neither"}
MOST_WIDE = 100  # columns that an explanation fills: longer lines are hard to read
# Class sizes for a reader who gives none: one on each side of even.
_EXAMPLES = (Population(100, 30), Population(100, 70))

_EXAMPLE_OF_KIND: dict[str, tuple[str, Any]] = {
    "regression": ("targets 1, 2, 3, 5 and 9", [1, 2, 3, 5, 9]),
    "multiclass": ("classes a, b and c with 50, 30 and 20 samples", ClassSizes({"a": 50, "b": 30, "c": 20})),
    "probabilities": (
        "classes a, b and c with 50, 30 and 20 samples",
        ClassSizes({"a": 50, "b": 30, "c": 20}),
    ),
    "multilabel": (
        "samples with labels a; a and b; c; a and c; a",
        [{"a"}, {"a", "b"}, {"c"}, {"a", "c"}, {"a"}],
    ),
}
"""Likewise the labels for measures of the other kinds, and what they are called."""


def measures(options: argparse.Namespace, screen: Screen) -> Reply:
    listed_by_kind = {kind: catalogue(kind) for kind in KINDS if catalogue(kind)}
    parts: Parts = []
    for kind, several in listed_by_kind.items():
        parts += [f"Of {KINDS[kind].judges}, {_WHERE}:"] if parts else []
        rows = ((entry.name, _BETTER[entry.greater_is_better], entry.question) for entry in several)
        parts.append(Table.of(("left", "left", "left"), ("measure", "better", "question"), rows))
    parts.append("clearbar explain NAME tells more about one.")
    facts = [_facts(measure) for several in listed_by_kind.values() for measure in several]

    def text() -> str:
        return "\n\n".join(
            screen.line(part) if isinstance(part, str) else screen.table(part) for part in parts
        )

    return answered(options, text=text, json=lambda: facts, csv=lambda: facts, **pages(lambda: parts))


def _facts(measure: Any) -> dict[str, Any]:
    """Return what the catalogue says, as JSON can hold it; null where a fact is of other kinds."""
    domain, requires = getattr(measure, "domain", None), getattr(measure, "requires", None)
    return {
        "name": measure.name,
        "judges": KINDS[measure.kind].judges,
        "label": measure.label,
        "aliases": list(measure.aliases),
        "question": measure.question,
        "symbol": getattr(measure, "symbol", None),
        "formula": measure.formula,
        "bounds": [bound if math.isfinite(bound) else None for bound in measure.bounds],
        "greater_is_better": measure.greater_is_better,
        "domain": domain and str(domain),
        "requires": domain and str(requires or domain),
        "affine": getattr(measure, "affine", None),
        "smooth": getattr(measure, "smooth", None),
        "family": measure.family or None,
        "parameters": dict(measure.parameters),
        "caution": measure.caution,
        "source": measure.source,
    }


def explain(options: argparse.Namespace, screen: Screen) -> Reply:
    """Explain a measure, with class sizes also its bar."""
    name = " ".join(options.measure)
    measure = get_measure(name)
    sizes = class_sizes_typed(options)
    bar = _examples(measure, name, options) if sizes is None else _bar(measure, sizes, options)
    title = measure.label if measure.label.casefold() == measure.name else f"{measure.label} ({measure.name})"
    screen = replace(screen, width=min(screen.columns, MOST_WIDE))
    parts = [screen.sentence(title, "strong"), screen.sentence(measure.question), "", *_wrapped(bar, screen)]
    return Reply("\n".join([*parts, "", *_wrapped(_card(measure, screen), screen)]))


def _bar(measure: Any, population: Population, options: argparse.Namespace) -> list[tuple[str, str]]:
    from clearbar.scorecard import explain_bar

    bar = baseline(population, measure, undefined=options.undefined)
    _, *lines = explain_bar(bar, reason_in_options(bar.reason)).splitlines()
    return [("", line) for line in lines if line != measure.caution]  # which stands among the facts


def _examples(measure: Any, name: str, options: argparse.Namespace) -> list[tuple[str, str]]:
    if measure.kind in _EXAMPLE_OF_KIND:
        return [("", _example(measure))]
    bars = [baseline(population, measure, undefined=options.undefined) for population in _EXAMPLES]
    if any(math.isnan(float(bar.value)) for bar in bars):
        return [("", f"There is no bar: {reason_in_options(bars[0].reason)}.")]
    sentences = [f"With {bar.population.positives} of 100 positive: {bar}." for bar in bars]
    sentences += map(_example, _of_many_classes(name, measure.name))
    sentences.append("For your own class sizes add --total M --positives P.")
    return [("", line) for line in sentences]


def _of_many_classes(*names: str) -> list[Any]:
    """Return the measure of many classes that has one of these names, if there is one."""
    for name in names:
        try:
            return [get_measure(name, "multiclass")]
        except ValueError:
            continue
    return []


def _example(measure: Any) -> str:
    """Return the bar for the example of a kind other than two classes."""
    words, labels = _EXAMPLE_OF_KIND[measure.kind]
    return f"Of {words}: {baseline(labels, measure)}."


def _card(measure: Any, screen: Screen) -> list[tuple[str, str]]:
    """Return the facts, each with its heading."""
    given = listed(f"{name} = {value:g}" for name, value in measure.parameters.items())
    return [
        ("formula", plain_formula(measure.formula, screen.encoding) + (f", with {given}" if given else "")),
        ("", _LETTERS.get(measure.kind, "")),
        *facts(measure),
    ]


def _wrapped(facts: list[tuple[str, str]], screen: Screen) -> list[str]:
    slot = max(len(name) for name, _ in facts) + 2 if any(name for name, _ in facts) else 0
    return [screen.sentence(text, first=f"{name:{slot}}") for name, text in facts]
