"""Precision, recall, F and Jaccard of each class, averaged in each way that scikit-learn knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from clearbar.catalogue import Family, Range
from clearbar.core._typing import FloatArray
from clearbar.problems.multiclass import _formulas as of
from clearbar.problems.multiclass._greedy import fbeta_bars, jaccard_bars
from clearbar.problems.multiclass._measure import ClassMeasure, Formula, Search
from clearbar.problems.multiclass._optimum import precision_bars, recall_bars
from clearbar.problems.multiclass._tables import Tables

SOKOLOVA = "Sokolova and Lapalme, Information Processing & Management 45, 2009, Table 3"

WAYS = ("micro", "macro", "weighted")

TWO = {name: name for name in ("f1_macro", "f1_weighted", "jaccard_macro")} | {
    "recall_macro": "balanced_accuracy"
}
"""The measures of two classes that averages are where there are two, both of which occur."""


def one_each(tables: Tables) -> FloatArray:
    """Let each hit add the same."""
    return np.ones_like(tables.sizes)


def averaged() -> list[ClassMeasure]:
    """Return precision, F1, recall and Jaccard, averaged in each way that scikit-learn knows."""
    return [
        *_three(
            "precision",
            "precision",
            of.precisions,
            r"\frac{C_{jj}}{k_j}",
            "What share of the samples called a class belong to it",
            precision_bars,
            lambda tables: 1 / tables.predicted,
        ),
        *fbeta_measures(1.0),
        *_three(
            "recall",
            "recall",
            of.recalls,
            r"\frac{C_{jj}}{n_j}",
            "What share of a class is called so",
            recall_bars,
            lambda tables: 1 / tables.sizes,
        ),
        *_three(
            "jaccard",
            "Jaccard",
            of.jaccards,
            r"\frac{C_{jj}}{n_j + k_j - C_{jj}}",
            "How much of a class and of what is called so coincides",
            jaccard_bars,
            None,
        ),
    ]


@lru_cache(maxsize=256)
def fbeta_measures(beta: float) -> list[ClassMeasure]:
    """Return F-beta averaged in each way."""
    square = beta * beta
    own = "" if square == 1 else f"{square:g} "
    return _three(
        f"f{beta:g}",
        f"F{beta:g}",
        lambda tables, empty: of.fbetas(tables, empty, beta),
        rf"\frac{{{1 + square:g} C_{{jj}}}}{{{own}n_j + k_j}}",
        "How good are precision and recall of a class together",
        fbeta_bars(beta),
        lambda tables: (1 + square) / (square * tables.sizes + tables.predicted),
        "fbeta",
        {"beta": beta},
    )


def fbeta_families(
    kind: str, ways: Sequence[str], measures: Callable[[float], Sequence[Any]]
) -> list[Family]:
    """Return the family of F-beta averaged in each way; `measures` gives those of a beta, in that order."""

    def family(at: int, way: str) -> Family:
        return Family(
            f"fbeta_{way}",
            lambda beta: measures(beta)[at],
            {"beta": 2},
            kind,
            aliases=(f"{way}_fbeta",),
            default={"beta": 1},
            allowed={"beta": Range(0, above=True)},
            short=rf"(?:f(?P<beta>\d+(?:\.\d+)?){way})",
        )

    return [family(at, way) for at, way in enumerate(ways)]


def _three(
    name: str,
    label: str,
    of_class: Any,
    formula: str,
    question: str,
    bars: Mapping[str, Search],
    weight: Callable[[Tables], FloatArray] | None,
    family: str = "",
    parameters: dict[str, float] | None = None,
) -> list[ClassMeasure]:
    micro = of.jaccard_micro if name == "jaccard" else of.accuracy
    functions: dict[str, Formula] = {
        "micro": micro,
        "macro": lambda tables, empty: of.macro(of_class(tables, empty)),
        "weighted": lambda tables, empty: of.weighted(of_class(tables, empty), tables.sizes),
    }
    means = {
        "micro": "over all samples together",
        "macro": "on average over classes",
        "weighted": "on average over classes, each weighted by its samples",
    }
    written = {
        "micro": r"\frac{T}{2M - T}" if name == "jaccard" else r"\frac{T}{M}",
        "macro": rf"\frac{{1}}{{K}} \sum_j {formula}",
        "weighted": rf"\sum_j \frac{{n_j}}{{M}} {formula}",
    }
    always_accuracy = {"micro": micro is of.accuracy, "weighted": name == "recall", "macro": False}
    of_two = {
        way: "accuracy" if same else TWO.get(f"{name}_{way}", "") for way, same in always_accuracy.items()
    }
    hits: dict[str, Any] = {
        "micro": None if name == "jaccard" else one_each,
        "macro": weight,
        "weighted": None if weight is None else lambda tables: weight(tables) * tables.sizes,
    }
    return [
        ClassMeasure(
            f"{name}_{way}",
            functions[way],
            label=f"{way} {label}",
            optimum=bars[way],
            in_catalogue=True,
            parameters=parameters or {},
            family=family and f"{family}_{way}",
            aliases=(f"{way}_{name}", f"{way} {label}", f"{label} {way}"),
            formula=written[way],
            question=f"{question}, {means[way]}?",
            caution="Equals accuracy where every class is counted." if always_accuracy[way] else "",
            source=SOKOLOVA,
            counts_right=always_accuracy[way],
            of_two=of_two[way],
            rises_with_right=way == "micro" or always_accuracy[way],
            weights=hits[way],
        )
        for way in WAYS
    ]
