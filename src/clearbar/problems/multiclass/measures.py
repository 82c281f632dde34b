"""Measures of many classes, under scikit-learn's names: each a formula, its facts and its bar.

A formula takes `Tables` and what 0/0 counts as; a class without a value is nan, and left out of means.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import Entry, Family, Range, Refused, register
from clearbar.core._typing import FloatArray, IntArray
from clearbar.problems.multiclass import joint, optima
from clearbar.problems.multiclass.optima import ClassOptimum
from clearbar.problems.multiclass.tables import Tables

Formula = Callable[[Tables, float], FloatArray]
Search = Callable[[IntArray, float], ClassOptimum]

SOKOLOVA = "Sokolova and Lapalme, Information Processing & Management 45, 2009, Table 3"


@dataclass(frozen=True, eq=False, repr=False)
class ClassMeasure(Entry):
    """A measure of predictions of any number of classes: ``function(tables, zero_division)``.

    The optimum, of class sizes and what 0/0 counts as, is what the best and worst blind predictions expect.
    """

    kind: ClassVar[str] = "multiclass"

    function: Formula
    optimum: Search = field(kw_only=True)
    counts_right: bool = field(default=False, kw_only=True)  # the share that is right, or wrong: certified
    rises_with_right: bool = field(default=False, kw_only=True)  # at fixed margins, and reads no more of it
    weights: Callable[[Tables], Any] | None = field(default=None, kw_only=True)
    """What each hit of a class adds at fixed margins, where that is all it depends on."""
    named_classes: int = field(default=0, kw_only=True)  # for each sample; 0 where labels are judged
    ordered: bool = field(default=False, kw_only=True)  # whether it takes the classes in their order
    of_two: str = field(default="", kw_only=True)
    """The measure of two classes that it is where there are two, whichever is positive."""
    at_zero: str = field(default="", kw_only=True)
    """The measure that is 0 at the same rates, and so has the same test at a bar of 0."""

    def __call__(self, tables: Tables, zero_division: float = 0.0) -> FloatArray:
        """Return the value of each table; nan where there is none."""
        return self.finite(tables, zero_division)


def share(top: Any, bottom: Any, empty: float) -> FloatArray:
    """Return the ratio of two numbers; `empty` where the second is 0."""
    return np.where(bottom == 0, empty, top / np.where(bottom == 0, 1.0, bottom))


def macro(values: FloatArray) -> FloatArray:
    """Return the plain mean over the classes, or labels, that have a value."""
    valued = ~np.isnan(values)
    return np.asarray(np.where(valued, values, 0.0).sum(axis=-1) / valued.sum(axis=-1))


def _weighted(values: FloatArray, sizes: FloatArray) -> FloatArray:
    weights = np.where(np.isnan(values), 0.0, sizes)
    return np.asarray((np.where(weights > 0, values, 0.0) * weights).sum(axis=-1) / weights.sum(axis=-1))


def _precisions(t: Tables, empty: float) -> FloatArray:
    return share(t.hits, t.predicted, empty)


def _recalls(t: Tables, empty: float) -> FloatArray:
    return share(t.hits, t.sizes, empty)


def _jaccards(t: Tables, empty: float) -> FloatArray:
    return share(t.hits, t.sizes + t.predicted - t.hits, empty)


def _specificities(t: Tables, empty: float) -> FloatArray:
    others = t.total[..., None] - t.sizes
    return share(others - t.predicted + t.hits, others, empty)


def _accuracy(t: Tables, _empty: float = 0.0) -> FloatArray:
    return np.asarray(t.right / t.total)


def _error(t: Tables, _empty: float) -> FloatArray:
    return np.asarray((t.total - t.right) / t.total)


def _balanced(t: Tables, _empty: float = 0.0) -> FloatArray:
    return macro(_recalls(t, math.nan))


def _adjusted(t: Tables, _empty: float) -> FloatArray:
    chance = 1 / (t.sizes > 0).sum(axis=-1)
    return np.asarray((_balanced(t) - chance) / (1 - chance))


def _f1_of_averages(t: Tables, empty: float) -> FloatArray:
    precision, recall = macro(_precisions(t, empty)), macro(_recalls(t, empty))
    return share(2 * precision * recall, precision + recall, 0.0)


def _kappa(t: Tables, _empty: float) -> FloatArray:
    chance = (t.sizes * t.predicted).sum(axis=-1) / t.total
    return np.asarray((t.right - chance) / (t.total - chance))


def _kappa_linear(t: Tables, _empty: float) -> FloatArray:
    # |i - j| is the number of cuts between two classes that separate i from j.
    total = t.total[..., None]
    true, called = (np.cumsum(margin, axis=-1)[..., :-1] for margin in (t.sizes, t.predicted))
    chance = (true * (total - called) + called * (total - true)).sum(axis=-1) / t.total
    return np.asarray(1 - t.apart / chance)


def _kappa_quadratic(t: Tables, _empty: float) -> FloatArray:
    places = np.arange(t.sizes.shape[-1])
    both = (t.sizes @ places) * (t.predicted @ places) / t.total
    return np.asarray(1 - t.squared / (t.sizes @ places**2 + t.predicted @ places**2 - 2 * both))


def _mcc(t: Tables, _empty: float) -> FloatArray:
    square = t.total**2
    true, called = (square - (margin**2).sum(axis=-1) for margin in (t.sizes, t.predicted))
    # Equal spreads have an exact root of their product, so that perfect predictions score 1.
    spread = np.where(true == called, true, np.sqrt(true) * np.sqrt(called))
    ahead = t.total * t.right - (t.sizes * t.predicted).sum(axis=-1)
    return np.asarray(np.clip(ahead / spread, -1.0, 1.0))


def _ac1(t: Tables, _empty: float) -> FloatArray:
    shares = (t.sizes + t.predicted) / (2 * t.total[..., None])
    chance = (shares * (1 - shares)).sum(axis=-1) / (shares.shape[-1] - 1)
    return np.asarray((t.right / t.total - chance) / (1 - chance))


def _g_mean(t: Tables, _empty: float) -> FloatArray:
    occurs = t.sizes > 0
    logs = np.where(occurs, np.log(np.where(occurs, _recalls(t, math.nan), 1.0)), 0.0)
    return np.asarray(np.exp(logs.sum(axis=-1) / occurs.sum(axis=-1)))


def _one_each(t: Tables) -> FloatArray:
    return np.ones_like(t.sizes)


_WAYS = {
    "micro": "over all samples together",
    "macro": "on average over classes",
    "weighted": "on average over classes, each weighted by its samples",
}

# The measures of two classes that averages are where there are two, both of which occur.
_OF_TWO = {name: name for name in ("f1_macro", "f1_weighted", "jaccard_macro")} | {
    "recall_macro": "balanced_accuracy"
}


def _averaged(
    name: str,
    label: str,
    of_class: Formula,
    formula: str,
    question: str,
    bars: Mapping[str, Search],
    weight: Callable[[Tables], FloatArray] | None,
    family: str = "",
    parameters: dict[str, float] | None = None,
) -> list[ClassMeasure]:
    """Return what each class scores, averaged in each way that scikit-learn knows."""
    functions: dict[str, Formula] = {
        "micro": _accuracy,
        "macro": lambda t, empty: macro(of_class(t, empty)),
        "weighted": lambda t, empty: _weighted(of_class(t, empty), t.sizes),
    }
    written = {
        "micro": r"\frac{T}{M}",
        "macro": rf"\frac{{1}}{{K}} \sum_j {formula}",
        "weighted": rf"\sum_j \frac{{n_j}}{{M}} {formula}",
    }
    hits: dict[str, Any] = {"micro": _one_each, "macro": weight}
    hits["weighted"] = None if weight is None else lambda t: weight(t) * t.sizes
    accuracy = {"micro", "weighted"} if name == "recall" else {"micro"}
    if name == "jaccard":
        functions["micro"], written["micro"] = (
            lambda t, _: t.right / (2 * t.total - t.right),
            r"\frac{T}{2M - T}",
        )
        hits["micro"], accuracy = None, set()
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
            question=f"{question}, {words}?",
            caution="Equals accuracy where every class is counted." if way in accuracy else "",
            source=SOKOLOVA,
            counts_right=way in accuracy,
            of_two="accuracy" if way in accuracy else _OF_TWO.get(f"{name}_{way}", ""),
            rises_with_right=way == "micro" or way in accuracy,
            weights=hits[way],
        )
        for way, words in _WAYS.items()
    ]


@lru_cache(maxsize=256)
def _fbeta_measures(beta: float) -> list[ClassMeasure]:
    square = beta * beta
    factor = "" if square == 1 else f"{square:g} "
    return _averaged(
        f"f{beta:g}",
        f"F{beta:g}",
        lambda t, empty: share((1 + square) * t.hits, square * t.sizes + t.predicted, empty),
        rf"\frac{{{1 + square:g} C_{{jj}}}}{{{factor}n_j + k_j}}",
        "How good are precision and recall of a class together",
        optima.fbeta_bars(beta),
        lambda t: (1 + square) / (square * t.sizes + t.predicted),
        "fbeta",
        {"beta": beta},
    )


def fbeta_families(
    kind: str, ways: Sequence[str], measures: Callable[[float], Sequence[Any]]
) -> list[Family]:
    """Return the family of F-beta averaged in each way; `measures` gives those of a beta, in that order."""

    def family(place: int, way: str) -> Family:
        return Family(
            f"fbeta_{way}",
            lambda beta: measures(beta)[place],
            {"beta": 2},
            kind,
            aliases=(f"{way}_fbeta",),
            default={"beta": 1},
            allowed={"beta": Range(0, above=True)},
            short=rf"(?:f(?P<beta>\d+(?:\.\d+)?){way})",
        )

    return [family(place, way) for place, way in enumerate(ways)]


def _catalogue() -> list[ClassMeasure]:
    entry = partial(ClassMeasure, in_catalogue=True)
    by_hits: dict[str, Any] = {"rises_with_right": True, "weights": _one_each}
    wrong = partial(
        entry,
        function=_error,
        optimum=optima.error_bar,
        counts_right=True,
        of_two="error_rate",
        greater_is_better=False,
        formula=r"1 - \frac{T}{M}",
        source=SOKOLOVA,
        **by_hits,
    )
    return [
        entry(
            "accuracy",
            _accuracy,
            label="accuracy",
            optimum=optima.accuracy_bar,
            of_two="accuracy",
            **by_hits,
            aliases=("acc",),
            counts_right=True,
            formula=r"\frac{T}{M}",
            question="What share of the predictions is right?",
            caution="High where one class is large, whatever a model does.",
            source=SOKOLOVA,
        ),
        entry(
            "balanced_accuracy",
            _balanced,
            label="balanced accuracy",
            optimum=optima.balanced_accuracy_bar,
            of_two="balanced_accuracy",
            weights=lambda t: 1 / t.sizes,
            formula=r"\frac{1}{K} \sum_j \frac{C_{jj}}{n_j}",
            aliases=("bacc", "uar"),
            question="What share of a class is called so, on average over classes that occur?",
            source="Mosley, Iowa State University, 2013",
        ),
        entry(
            "adjusted_balanced_accuracy",
            _adjusted,
            label="adjusted balanced accuracy",
            optimum=optima.adjusted_balanced_accuracy_bar,
            of_two="informedness",
            weights=lambda t: 1 / t.sizes,
            bounds=(-1.0, 1.0),
            formula=r"\frac{\mathrm{BA} - 1/K}{1 - 1/K}",
            question="How far is balanced accuracy from that of one class for all to perfect?",
            source="scikit-learn, balanced_accuracy_score, adjusted=True",
        ),
        *_averaged(
            "precision", "precision", _precisions, r"\frac{C_{jj}}{k_j}",
            "What share of the samples called a class belong to it",
            optima.precision_bars, lambda t: 1 / t.predicted,
        ),
        *_fbeta_measures(1.0),
        *_averaged(
            "recall", "recall", _recalls, r"\frac{C_{jj}}{n_j}", "What share of a class is called so",
            optima.recall_bars, lambda t: 1 / t.sizes,
        ),
        *_averaged(
            "jaccard", "Jaccard", _jaccards, r"\frac{C_{jj}}{n_j + k_j - C_{jj}}",
            "How much of a class and of what is called so coincides",
            optima.jaccard_bars | {"micro": joint.micro_jaccard_bar}, None,
        ),
        entry(
            "f1_of_averages",
            _f1_of_averages,
            label="F1 of averages",
            optimum=optima.f1_of_averages_bar,
            formula=r"\frac{2 \bar p \bar r}{\bar p + \bar r}",
            aliases=("macro_f1_of_averages",),
            question="How good are mean precision and mean recall together?",
            caution="Never below macro F1, the mean of F1s; two papers that say macro-F1 may mean either.",
            source=f"{SOKOLOVA}; Opitz and Burst, arXiv:1911.03347",
        ),
        entry(
            "specificity_macro",
            lambda t, empty: macro(_specificities(t, empty)),
            label="macro specificity",
            optimum=optima.specificity_bar,
            of_two="balanced_accuracy",
            weights=lambda t: 1 / (t.total - t.sizes),
            aliases=("tnr_macro", "macro_specificity"),
            formula=r"\frac{1}{K} \sum_j \frac{M - n_j - k_j + C_{jj}}{M - n_j}",
            question="What share of the samples of other classes is not called a class, on average?",
            caution="Close to 1 for many classes, whatever a model does.",
            source=SOKOLOVA,
        ),
        entry(
            "fowlkes_mallows_macro",
            lambda t, empty: macro(share(t.hits, np.sqrt(t.sizes * t.predicted), empty)),
            label="macro Fowlkes-Mallows",
            optimum=optima.fowlkes_mallows_bar,
            weights=lambda t: 1 / np.sqrt(t.sizes * t.predicted),
            formula=r"\frac{1}{K} \sum_j \frac{C_{jj}}{\sqrt{n_j k_j}}",
            aliases=("fm_macro",),
            question="What is the geometric mean of precision and recall of a class, on average?",
            source="Fowlkes and Mallows, J. Amer. Statist. Assoc. 78, 1983",
        ),
        entry(
            "g_mean",
            _g_mean,
            label="G-mean",
            optimum=joint.g_mean_bar,
            of_two="g_mean",
            aliases=("geometric_mean_score", "geometric_mean"),
            formula=r"\Bigl(\prod_j \frac{C_{jj}}{n_j}\Bigr)^{1/K}",
            question="What is the geometric mean of the recalls of the classes?",
            caution="0 as soon as one class is never recognised.",
            source="Sun, Kamel and Wang, ICDM 2006",
        ),
        entry(
            "mcc",
            _mcc,
            label="MCC",
            optimum=optima.chance_corrected_bar,
            of_two="mcc",
            at_zero="kappa",
            **by_hits,
            bounds=(-1.0, 1.0),
            aliases=("matthews_corrcoef", "r_k", "matthews"),
            formula=r"\frac{M T - \sum_j n_j k_j}{\sqrt{(M^2 - \sum_j n_j^2)(M^2 - \sum_j k_j^2)}}",
            question="How strongly are true and predicted classes correlated?",
            source="Gorodkin, Computational Biology and Chemistry 28, 2004",
        ),
        entry(
            "kappa",
            _kappa,
            label="kappa",
            optimum=optima.kappa_bar,
            of_two="kappa",
            **by_hits,
            bounds=(-1.0, 1.0),
            aliases=("cohen_kappa", "cohen_kappa_score", "kap"),
            formula=r"\frac{T - E}{M - E}, \quad E = \frac{1}{M} \sum_j n_j k_j",
            question="How much of the agreement beyond chance is there?",
            source="Cohen, Educational and Psychological Measurement 20, 1960",
        ),
        entry(
            "kappa_linear",
            _kappa_linear,
            label="linear kappa",
            optimum=optima.kappa_bar,
            of_two="kappa",
            ordered=True,
            bounds=(-1.0, 1.0),
            aliases=("linear_kappa", "linear_weighted_kappa"),
            formula=r"1 - \frac{\sum_{ij} |i-j| C_{ij}}{\sum_{ij} |i-j| n_i k_j / M}",
            question="How much agreement beyond chance is there on ordered classes, by steps?",
            caution="Takes the classes in their order.",
            source="Cohen, Psychological Bulletin 70, 1968",
        ),
        entry(
            "kappa_quadratic",
            _kappa_quadratic,
            label="quadratic kappa",
            optimum=optima.kappa_bar,
            of_two="kappa",
            ordered=True,
            bounds=(-1.0, 1.0),
            aliases=("quadratic_kappa", "qwk", "quadratic_weighted_kappa"),
            formula=r"1 - \frac{\sum_{ij} (i-j)^2 C_{ij}}{\sum_{ij} (i-j)^2 n_i k_j / M}",
            question="How much agreement beyond chance is there on ordered classes, by squared steps?",
            caution="Takes the classes in their order.",
            source="Cohen, Psychological Bulletin 70, 1968",
        ),
        entry(
            "gwet_ac1",
            _ac1,
            label="Gwet's AC1",
            optimum=optima.ac1_bar,
            of_two="gwet_ac1",
            **by_hits,
            bounds=(-1.0, 1.0),
            aliases=("ac1",),
            formula=r"\frac{T/M - e}{1 - e}, \quad e = \frac{1}{K-1} \sum_j \pi_j (1 - \pi_j), "
            r"\quad \pi_j = \frac{n_j + k_j}{2M}",
            question="How much of the agreement beyond chance is there, if classes are guessed rarely?",
            caution="Its bar is far above 0 where one class is large.",
            source="Gwet, British J. Math. Stat. Psychology 61, 2008",
        ),
        wrong(
            "zero_one_loss",
            label="zero-one loss",
            aliases=("error_rate", "misclassification_rate"),
            question="What share of the predictions is wrong?",
        ),
        wrong("hamming_loss", label="Hamming loss", question="What share of the labels is wrong?"),
    ]  # fmt: skip


@lru_cache(maxsize=256)
def top_k_measure(k: int) -> ClassMeasure:
    """Return top-k accuracy; its tables count a sample as a hit if its class is among the first k."""
    return ClassMeasure(
        f"top_{k}_accuracy",
        _accuracy,
        label=f"top-{k} accuracy",
        optimum=optima.top_k_bar(k),
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

_FAMILIES = fbeta_families("multiclass", tuple(_WAYS), _fbeta_measures)

register("multiclass", (*_catalogue(), *_FAMILIES, _TOP_K, *_REFUSED))
