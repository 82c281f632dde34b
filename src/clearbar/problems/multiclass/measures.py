"""Measures of many classes, under scikit-learn's names: each a formula, its facts, and its bar."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import Entry, Family, Range, Refused, register
from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.multiclass import _optimum as best
from clearbar.problems.multiclass._optimum import Optimum
from clearbar.problems.multiclass._tables import Tables

Formula = Callable[[Tables, float], FloatArray]
Search = Callable[[IntArray, float], Optimum]


@dataclass(frozen=True, eq=False, repr=False)
class ClassMeasure(Entry):
    """A measure of predictions of any number of classes, with the facts of its bar.

    Parameters
    ----------
    name : str
        Canonical name.
    function : callable
        ``function(tables, zero_division)``: the value of confusion matrices, nan where there is none.
    optimum : callable
        ``optimum(sizes, zero_division)``: what the best and the worst blind predictions expect, an `Optimum`.
    greater_is_better : bool
        False for a loss.
    counts_right : bool
        Whether it is the share of samples that are right, or wrong: then the test of its bar is certified.
    rises_with_right : bool
        Whether at fixed margins it depends only on how many samples are right, and is the better the more.
    named_classes : int
        How many classes scores may name for a sample; 0 where predicted labels are judged.
    weights : callable, optional
        ``weights(tables)``: what each hit of a class adds at fixed margins, where that is all it depends on.
    bounds, label, aliases, formula, question, caution, source
        For readers, as for `Measure`.
    """

    kind: ClassVar[str] = "multiclass"

    function: Formula
    optimum: Search = field(kw_only=True)
    counts_right: bool = field(default=False, kw_only=True)
    rises_with_right: bool = field(default=False, kw_only=True)
    weights: Callable[[Tables], Any] | None = field(default=None, kw_only=True)
    named_classes: int = field(default=0, kw_only=True)

    def __call__(self, tables: Tables, zero_division: float = 0.0) -> FloatArray:
        """Return the value of each table; nan where there is none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.asarray(self.function(tables, zero_division), dtype=np.float64)
        return np.where(np.isfinite(value), value, np.nan)


def _share(top: FloatArray, bottom: FloatArray, empty: float) -> FloatArray:
    return np.where(bottom == 0, empty, top / np.where(bottom == 0, 1.0, bottom))


def precisions(tables: Tables, empty: float) -> FloatArray:
    """Return the precision of each class; `empty` where it is never predicted."""
    return _share(tables.hits, tables.predicted, empty)


def recalls(tables: Tables, empty: float) -> FloatArray:
    """Return the recall of each class; `empty` where it has no sample."""
    return _share(tables.hits, tables.sizes, empty)


def fbetas(tables: Tables, empty: float, beta: float) -> FloatArray:
    """Return F-beta of each class; `empty` where it neither occurs nor is predicted."""
    square = beta * beta
    return _share((1 + square) * tables.hits, square * tables.sizes + tables.predicted, empty)


def jaccards(tables: Tables, empty: float) -> FloatArray:
    """Return the Jaccard index of each class; `empty` where it neither occurs nor is predicted."""
    return _share(tables.hits, tables.sizes + tables.predicted - tables.hits, empty)


def fowlkes_mallows(tables: Tables, empty: float) -> FloatArray:
    """Return the geometric mean of precision and recall of each class; `empty` where one has none."""
    return _share(tables.hits, np.sqrt(tables.sizes * tables.predicted), empty)


def specificities(tables: Tables, empty: float) -> FloatArray:
    """Return the share of the samples of other classes that are not called each class."""
    others = tables.total[..., None] - tables.sizes
    return _share(others - tables.predicted + tables.hits, others, empty)


def macro(values: FloatArray) -> FloatArray:
    """Return the plain mean over the classes that have a value."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=-1) / known.sum(axis=-1))


def weighted(values: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return the mean over the classes that have a value, weighted by their samples."""
    weights = np.where(np.isnan(values), 0.0, sizes)
    return np.asarray((np.where(weights > 0, values, 0.0) * weights).sum(axis=-1) / weights.sum(axis=-1))


def _accuracy(tables: Tables, _empty: float) -> FloatArray:
    return np.asarray(tables.right / tables.total)


def _error(tables: Tables, _empty: float) -> FloatArray:
    return np.asarray((tables.total - tables.right) / tables.total)


def _balanced(tables: Tables, _empty: float) -> FloatArray:
    return macro(recalls(tables, math.nan))


def _adjusted(tables: Tables, _empty: float) -> FloatArray:
    chance = 1 / (tables.sizes > 0).sum(axis=-1)
    return np.asarray((_balanced(tables, math.nan) - chance) / (1 - chance))


def _f1_of_averages(tables: Tables, empty: float) -> FloatArray:
    precision, recall = macro(precisions(tables, empty)), macro(recalls(tables, empty))
    return _share(2 * precision * recall, precision + recall, 0.0)


def _jaccard_micro(tables: Tables, _empty: float) -> FloatArray:
    return np.asarray(tables.right / (2 * tables.total - tables.right))


def _kappa(tables: Tables, _empty: float) -> FloatArray:
    chance = tables.by_chance
    return np.asarray((tables.right - chance) / (tables.total - chance))


def _kappa_linear(tables: Tables, _empty: float) -> FloatArray:
    return np.asarray(1 - tables.apart / tables.apart_by_chance)


def _kappa_quadratic(tables: Tables, _empty: float) -> FloatArray:
    return np.asarray(1 - tables.squared / tables.squared_by_chance)


def _mcc(tables: Tables, _empty: float) -> FloatArray:
    square = tables.total**2
    true, called = (square - (side**2).sum(axis=-1) for side in (tables.sizes, tables.predicted))
    # Equal spreads have an exact root of their product, so that perfect predictions score 1.
    spread = np.where(true == called, true, np.sqrt(true) * np.sqrt(called))
    ahead = tables.total * tables.right - (tables.sizes * tables.predicted).sum(axis=-1)
    return np.asarray(np.clip(ahead / spread, -1.0, 1.0))


def _ac1(tables: Tables, _empty: float) -> FloatArray:
    share = (tables.sizes + tables.predicted) / (2 * tables.total[..., None])
    by_chance = (share * (1 - share)).sum(axis=-1) / (share.shape[-1] - 1)
    return np.asarray((tables.right / tables.total - by_chance) / (1 - by_chance))


def _g_mean(tables: Tables, _empty: float) -> FloatArray:
    recall = recalls(tables, math.nan)
    here = tables.sizes > 0
    logs = np.where(here, np.log(np.where(here, recall, 1.0)), 0.0)
    return np.asarray(np.exp(logs.sum(axis=-1) / here.sum(axis=-1)))


def _one_each(tables: Tables) -> FloatArray:
    return np.ones_like(tables.sizes)


_PER_CLASS: dict[str, tuple[Any, ...]] = {
    "precision": (
        precisions,
        "precision",
        r"\frac{C_{jj}}{k_j}",
        "What share of the samples called a class belong to it",
        lambda tables: 1 / tables.predicted,
    ),
    "recall": (
        recalls,
        "recall",
        r"\frac{C_{jj}}{n_j}",
        "What share of a class is called so",
        lambda tables: 1 / tables.sizes,
    ),
    "jaccard": (
        jaccards,
        "Jaccard",
        r"\frac{C_{jj}}{n_j + k_j - C_{jj}}",
        "How much of a class and of what is called so coincides",
        None,
    ),
}
_SOKOLOVA = "Sokolova and Lapalme, Information Processing & Management 45, 2009, Table 3"


def _averaged() -> list[ClassMeasure]:
    """Return precision, recall, F1 and Jaccard, averaged in each way that scikit-learn knows."""
    entries = []
    for name, (of_class, label, formula, question, weight) in _PER_CLASS.items():
        bars = getattr(best, f"{name}_bars")
        entries += _three(name, label, of_class, formula, question, bars, weight)
    entries[3:3] = fbeta_measures(1.0)
    return entries


@lru_cache(maxsize=256)
def fbeta_measures(beta: float) -> list[ClassMeasure]:
    """Return F-beta averaged in each way."""
    square = beta * beta
    return _three(
        f"f{beta:g}",
        f"F{beta:g}",
        lambda tables, empty: fbetas(tables, empty, beta),
        rf"\frac{{{1 + square:g} C_{{jj}}}}{{{square:g} n_j + k_j}}",
        "How good are precision and recall of a class together",
        best.fbeta_bars(beta),
        lambda tables: (1 + square) / (square * tables.sizes + tables.predicted),
        "fbeta",
        {"beta": beta},
    )


def _three(
    name: str,
    label: str,
    of_class: Any,
    formula: str,
    question: str,
    bars: dict[str, Search],
    weight: Callable[[Tables], FloatArray] | None,
    family: str = "",
    parameters: dict[str, float] | None = None,
) -> list[ClassMeasure]:
    micro = _jaccard_micro if name == "jaccard" else _accuracy
    functions: dict[str, Formula] = {
        "micro": micro,
        "macro": lambda tables, empty: macro(of_class(tables, empty)),
        "weighted": lambda tables, empty: weighted(of_class(tables, empty), tables.sizes),
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
    always_accuracy = {"micro": micro is _accuracy, "weighted": name == "recall", "macro": False}
    hits: dict[str, Any] = {
        "micro": None if name == "jaccard" else _one_each,
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
            source=_SOKOLOVA,
            counts_right=always_accuracy[way],
            rises_with_right=way == "micro" or always_accuracy[way],
            weights=hits[way],
        )
        for way in ("micro", "macro", "weighted")
    ]


def _catalogue() -> list[ClassMeasure]:
    one = partial(ClassMeasure, in_catalogue=True)
    return [
        one(
            "accuracy",
            _accuracy,
            label="accuracy",
            optimum=best.accuracy_bar,
            rises_with_right=True,
            weights=_one_each,
            aliases=("acc",),
            counts_right=True,
            formula=r"\frac{T}{M}",
            question="What share of the predictions is right?",
            caution="High where one class is large, whatever a model does.",
            source=_SOKOLOVA,
        ),
        one(
            "balanced_accuracy",
            _balanced,
            label="balanced accuracy",
            optimum=best.balanced_accuracy_bar,
            weights=lambda t: 1 / t.sizes,
            formula=r"\frac{1}{K} \sum_j \frac{C_{jj}}{n_j}",
            aliases=("bacc", "uar"),
            question="What share of a class is called so, on average over classes that occur?",
            source="Mosley, Iowa State University, 2013",
        ),
        one(
            "adjusted_balanced_accuracy",
            _adjusted,
            label="adjusted balanced accuracy",
            optimum=best.adjusted_balanced_accuracy_bar,
            weights=lambda t: 1 / t.sizes,
            bounds=(-1.0, 1.0),
            formula=r"\frac{\mathrm{BA} - 1/K}{1 - 1/K}",
            question="How far is balanced accuracy from that of one class for all to perfect?",
            source="scikit-learn, balanced_accuracy_score, adjusted=True",
        ),
        *_averaged(),
        one(
            "f1_of_averages",
            _f1_of_averages,
            label="F1 of averages",
            optimum=best.f1_of_averages_bar,
            formula=r"\frac{2 \bar p \bar r}{\bar p + \bar r}",
            aliases=("macro_f1_of_averages",),
            question="How good are mean precision and mean recall together?",
            caution="Never below macro F1, the mean of F1s; two papers that say macro-F1 may mean either.",
            source=f"{_SOKOLOVA}; Opitz and Burst, arXiv:1911.03347",
        ),
        one(
            "specificity_macro",
            lambda t, empty: macro(specificities(t, empty)),
            label="macro specificity",
            optimum=best.specificity_bar,
            weights=lambda t: 1 / (t.total - t.sizes),
            aliases=("tnr_macro", "macro_specificity"),
            formula=r"\frac{1}{K} \sum_j \frac{M - n_j - k_j + C_{jj}}{M - n_j}",
            question="What share of the samples of other classes is not called a class, on average?",
            caution="Close to 1 for many classes, whatever a model does.",
            source=_SOKOLOVA,
        ),
        one(
            "fowlkes_mallows_macro",
            lambda t, empty: macro(fowlkes_mallows(t, empty)),
            label="macro Fowlkes-Mallows",
            optimum=best.fowlkes_mallows_bar,
            weights=lambda t: 1 / np.sqrt(t.sizes * t.predicted),
            formula=r"\frac{1}{K} \sum_j \frac{C_{jj}}{\sqrt{n_j k_j}}",
            aliases=("fm_macro",),
            question="What is the geometric mean of precision and recall of a class, on average?",
            source="Fowlkes and Mallows, J. Amer. Statist. Assoc. 78, 1983",
        ),
        one(
            "g_mean",
            _g_mean,
            label="G-mean",
            optimum=best.g_mean_bar,
            aliases=("geometric_mean_score", "geometric_mean"),
            formula=r"\Bigl(\prod_j \frac{C_{jj}}{n_j}\Bigr)^{1/K}",
            question="What is the geometric mean of the recalls of the classes?",
            caution="0 as soon as one class is never recognised.",
            source="Sun, Kamel and Wang, ICDM 2006",
        ),
        one(
            "mcc",
            _mcc,
            label="MCC",
            optimum=best.chance_corrected_bar,
            rises_with_right=True,
            weights=_one_each,
            bounds=(-1.0, 1.0),
            aliases=("matthews_corrcoef", "r_k", "matthews"),
            formula=r"\frac{M T - \sum_j n_j k_j}{\sqrt{(M^2 - \sum_j n_j^2)(M^2 - \sum_j k_j^2)}}",
            question="How strongly are true and predicted classes correlated?",
            source="Gorodkin, Computational Biology and Chemistry 28, 2004",
        ),
        one(
            "kappa",
            _kappa,
            label="kappa",
            optimum=best.kappa_bar,
            rises_with_right=True,
            weights=_one_each,
            bounds=(-1.0, 1.0),
            aliases=("cohen_kappa", "cohen_kappa_score", "kap"),
            formula=r"\frac{T - E}{M - E}, \quad E = \frac{1}{M} \sum_j n_j k_j",
            question="How much of the agreement beyond chance is there?",
            source="Cohen, Educational and Psychological Measurement 20, 1960",
        ),
        one(
            "kappa_linear",
            _kappa_linear,
            label="linear kappa",
            optimum=best.kappa_bar,
            bounds=(-1.0, 1.0),
            aliases=("linear_kappa", "linear_weighted_kappa"),
            formula=r"1 - \frac{\sum_{ij} |i-j| C_{ij}}{\sum_{ij} |i-j| n_i k_j / M}",
            question="How much agreement beyond chance is there on ordered classes, by steps?",
            caution="Takes the classes in their order.",
            source="Cohen, Psychological Bulletin 70, 1968",
        ),
        one(
            "kappa_quadratic",
            _kappa_quadratic,
            label="quadratic kappa",
            optimum=best.kappa_bar,
            bounds=(-1.0, 1.0),
            aliases=("quadratic_kappa", "qwk", "quadratic_weighted_kappa"),
            formula=r"1 - \frac{\sum_{ij} (i-j)^2 C_{ij}}{\sum_{ij} (i-j)^2 n_i k_j / M}",
            question="How much agreement beyond chance is there on ordered classes, by squared steps?",
            caution="Takes the classes in their order.",
            source="Cohen, Psychological Bulletin 70, 1968",
        ),
        one(
            "gwet_ac1",
            _ac1,
            label="Gwet's AC1",
            optimum=best.ac1_bar,
            rises_with_right=True,
            weights=_one_each,
            bounds=(-1.0, 1.0),
            aliases=("ac1",),
            formula=r"\frac{T/M - e}{1 - e}, \quad e = \frac{1}{K-1} \sum_j \pi_j (1 - \pi_j), "
            r"\quad \pi_j = \frac{n_j + k_j}{2M}",
            question="How much of the agreement beyond chance is there, if classes are guessed rarely?",
            caution="Its bar is far above 0 where one class is large.",
            source="Gwet, British J. Math. Stat. Psychology 61, 2008",
        ),
        one(
            "zero_one_loss",
            _error,
            label="zero-one loss",
            optimum=best.error_bar,
            rises_with_right=True,
            weights=_one_each,
            greater_is_better=False,
            aliases=("error_rate", "misclassification_rate"),
            counts_right=True,
            formula=r"1 - \frac{T}{M}",
            question="What share of the predictions is wrong?",
            source=_SOKOLOVA,
        ),
        one(
            "hamming_loss",
            _error,
            label="Hamming loss",
            optimum=best.error_bar,
            rises_with_right=True,
            weights=_one_each,
            greater_is_better=False,
            counts_right=True,
            formula=r"1 - \frac{T}{M}",
            question="What share of the labels is wrong?",
            source=_SOKOLOVA,
        ),
    ]


@lru_cache(maxsize=256)
def top_k_measure(k: int) -> ClassMeasure:
    """Return top-k accuracy; its tables count a sample as a hit if its class is among the first k."""
    return ClassMeasure(
        f"top_{k}_accuracy",
        _accuracy,
        label=f"top-{k} accuracy",
        optimum=best.top_k_bar(k),
        in_catalogue=True,
        parameters={"k": k},
        family="top_k_accuracy",
        counts_right=True,
        named_classes=k,
        formula=r"\frac{1}{M} \sum_i [y_i \in S_i], \quad |S_i| = k",
        question=f"How often is the true class among the first {k} that scores name?",
        caution="Takes a score of each class, not labels.",
        source="Russakovsky et al., International J. of Computer Vision 115, 2015",
    )


def _family(way: int, name: str) -> Family:
    return Family(
        f"fbeta_{name}",
        lambda beta: fbeta_measures(beta)[way],
        {"beta": 2},
        "multiclass",
        aliases=(f"{name}_fbeta",),
        default={"beta": 1},
        allowed={"beta": Range(0, above=True)},
        short=rf"(?:f(?P<beta>\d+(?:\.\d+)?){name})",
    )


_REFUSED = tuple(
    Refused(
        name, f"is an average over many classes: name {name}_micro, {name}_macro or {name}_weighted.", aliases
    )
    for name, aliases in {
        "precision": ("ppv",),
        "recall": ("sensitivity", "tpr"),
        "f1": ("f_score",),
        "fbeta": (),
        "jaccard": ("threat_score",),
    }.items()
)
_FAMILIES = tuple(_family(at, way) for at, way in enumerate(("micro", "macro", "weighted")))

_TOP_K = Family(
    "top_k_accuracy",
    top_k_measure,
    {"k": 2},
    "multiclass",
    aliases=("top_k_accuracy_score", "top_k"),
    allowed={"k": Range(1, whole=True)},
    short=r"(?:top(?P<k>\d+)(?:accuracy)?)",
    natural=False,
)

register("multiclass", (*_catalogue(), *_FAMILIES, _TOP_K, *_REFUSED))
