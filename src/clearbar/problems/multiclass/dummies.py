"""Expected scores of scikit-learn's dummies on more than two classes, beside the bar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core.classes import ClassSizes
from clearbar.core.errors import shown
from clearbar.formatting import Table, plural
from clearbar.inference.binomial import log_pmf
from clearbar.null import coin_score
from clearbar.problems.binary.dummies import Dummies, Dummy
from clearbar.problems.multiclass.bars import baseline_multiclass
from clearbar.problems.multiclass.measures import ClassMeasure
from clearbar.problems.multiclass.tables import Tables

# What a measure of each class is called against the rest.
OF_CLASS = {
    "precision": "precision",
    "recall": "recall",
    "jaccard": "threat_score",
    "specificity": "specificity",
    "fowlkes_mallows": "fowlkes_mallows",
}

CHANCE_CORRECTED = {"mcc", "kappa", "kappa_linear", "kappa_quadratic"}

UNKNOWN = "what it expects has no closed form"


@dataclass(frozen=True, eq=False)
class ClassDummies(Dummies):
    """The expected scores of all dummies on more than two classes, beside the bar that none exceeds."""

    def coin(self, chance: float) -> Dummy:
        """Refuse: a coin calls samples one of two classes."""
        raise ValueError("coin is for two classes; of more a dummy has a share for each.")

    def _sizes(self) -> str:
        population: Any = self.population
        return f"{plural(int(population.total), 'sample')} of {len(population.labels):,} classes."

    def _table(self) -> Table:
        table = super()._table()  # without the one chance that a coin of two classes has
        header, rows = (tuple(line[:1] + line[2:] for line in lines) for lines in (table.header, table.rows))
        return Table(table.columns[:1] + table.columns[2:], header, rows)


def dummies_multiclass(y_true: Any, measure: Any, *, prevalence: Any = None) -> ClassDummies:
    """Return what every strategy of scikit-learn's ``DummyClassifier`` expects on more than two classes."""
    # A sample is called each class with a share of its own. Against the rest each class is a coin (Pries et
    # al., Statistica Neerlandica 2023), so that averages over classes are averages of coins; samples of
    # different classes are called independently, so that their recalls are independent.
    entry = get_measure(measure, "multiclass")
    if prevalence is not None:
        raise ValueError(f"prevalence is for two classes; found {shown(prevalence)}.")
    if entry.named_classes:
        raise ValueError(f"{entry.name} judges a score of each class, which dummies do not give.")
    sizes = y_true if isinstance(y_true, ClassSizes) else ClassSizes.from_labels(y_true)
    bar: Any = baseline_multiclass(sizes, entry)
    counts, classes = sizes.counts, len(sizes)
    always = [_of_one_class(entry, counts, code) for code in range(classes)]
    usual = always[int(np.argmax(counts))]
    rows: list[tuple[str, float | None]] = [("most_frequent", usual), ("prior", usual)]
    rows += [("stratified", _expected(entry, counts, counts / counts.sum()))]
    rows += [("uniform", _expected(entry, counts, np.full(classes, 1 / classes)))]
    rows += [(f"constant ({label})", value) for label, value in zip(sizes.labels, always, strict=True)]
    return ClassDummies(bar, tuple(_dummy(name, value) for name, value in rows))


def _dummy(strategy: str, value: float | None) -> Dummy:
    if value is None:
        return Dummy(strategy, math.nan, math.nan, UNKNOWN)
    return Dummy(strategy, math.nan, value, "no prediction has a value" if math.isnan(value) else "")


def _of_one_class(measure: ClassMeasure, sizes: IntArray, code: int) -> float:
    """Return the score of calling all samples one class."""
    called, hits = np.zeros(len(sizes)), np.zeros(len(sizes))
    called[code], hits[code] = sizes.sum(), sizes[code]
    step = np.abs(np.arange(len(sizes)) - code).astype(np.float64)
    return float(measure(Tables(sizes.astype(np.float64), called, hits, sizes @ step, sizes @ step**2), 0.0))


def _expected(measure: ClassMeasure, sizes: IntArray, shares: FloatArray) -> float | None:
    """Return the expected score where each sample is called a class with these shares; None if not known."""
    total, here = int(sizes.sum()), sizes > 0
    classes = int(here.sum())
    name, _, way = measure.name.rpartition("_")
    balanced = float(shares[here].mean())
    if measure.name in CHANCE_CORRECTED:
        return 0.0 if classes > 1 else math.nan
    if measure.name in {"balanced_accuracy", "adjusted_balanced_accuracy"}:
        plain = measure.name == "balanced_accuracy"
        return (
            balanced if plain else (balanced - 1 / classes) / (1 - 1 / classes) if classes > 1 else math.nan
        )
    if measure.name == "g_mean":
        roots = zip(sizes[here].tolist(), shares[here].tolist(), strict=True)
        return math.prod(_root(size, share, classes) for size, share in roots)
    if measure.counts_right or (way == "micro" and name != "jaccard"):
        right = float(sizes @ shares) / total
        return right if measure.greater_is_better else 1 - right
    return _averaged(measure, sizes, shares) if way in {"macro", "weighted"} else None


def _averaged(measure: ClassMeasure, sizes: IntArray, shares: FloatArray) -> float:
    """Return the average over classes of what each, against the rest, expects of a coin."""
    total = int(sizes.sum())
    name, _, way = measure.name.rpartition("_")
    of_class = get_measure("fbeta" if measure.parameters else OF_CLASS[name], "binary", **measure.parameters)
    coins = [
        coin_score(of_class, total, size, share, fill=0.0).mean
        for size, share in zip(sizes.tolist(), shares.tolist(), strict=True)
    ]
    return float(np.mean(coins) if way == "macro" else sizes @ np.array(coins) / total)


def _root(size: int, share: float, classes: int) -> float:
    """Return the expected root of the share of a class that is called so: E[(C/n)^(1/K)]."""
    if share == 0:
        return 0.0
    if share == 1:
        return 1.0
    counts = np.arange(1, size + 1, dtype=np.float64)
    weights = np.exp(log_pmf(counts, np.full(1, float(size)), np.full(1, share)))
    return float(weights @ (counts / size) ** (1 / classes))
