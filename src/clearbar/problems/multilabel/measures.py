"""Measures of sets of labels, under scikit-learn's names: each a formula, its facts, and its bar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import Entry, Refused, register
from clearbar.core._typing import FloatArray
from clearbar.core.label_sets import LabelSets
from clearbar.problems.multiclass.measures import fbeta_families, macro, share
from clearbar.problems.multilabel import optima
from clearbar.problems.multilabel.optima import LabelOptimum

# What is added up over samples; where a measure looks at each label, the samples that have it, that are
# called it, and both, labels being the last axis.
Sums = tuple[Any, ...]

Terms = Callable[[Any, Any, Any, float, int], Sums]


@dataclass(frozen=True, eq=False, repr=False)
class LabelMeasure(Entry):
    """A measure of sets of labels, with the facts of its bar: ``function(sums, zero_division)``.

    The optimum, of the true sets and what 0/0 counts as, is what the best and worst blind predictions expect.
    """

    kind: ClassVar[str] = "multilabel"

    function: Callable[[Sums, float], Any]
    terms: Terms | None = field(default=None, kw_only=True)  # of a sample; None where each label is read
    optimum: Callable[[LabelSets, float], LabelOptimum] = field(kw_only=True)
    counts_right: bool = field(default=False, kw_only=True)  # the share that is right, or wrong: certified

    def __call__(self, sums: Sums, zero_division: float = 0.0) -> FloatArray:
        """Return the value of sums over samples; nan where there is none."""
        return self.finite(sums, zero_division)

    def of_sums(self, sums: FloatArray, zero_division: float) -> FloatArray:
        """Return the value of sums whose last axis holds all that the measure reads."""
        parts = np.split(sums, 3, axis=-1) if self.terms is None else np.moveaxis(sums, -1, 0)
        return self(tuple(parts), zero_division)


def _precision(true: Any, called: Any, both: Any, empty: float) -> FloatArray:
    return share(both, called, empty)


def _recall(true: Any, called: Any, both: Any, empty: float) -> FloatArray:
    return share(both, true, empty)


def _jaccard(true: Any, called: Any, both: Any, empty: float) -> FloatArray:
    return share(both, true + called - both, empty)


def _fbeta(square: float) -> Callable[..., FloatArray]:
    return lambda true, called, both, empty: share((1 + square) * both, square * true + called, empty)


def weighted(values: FloatArray, sizes: Any) -> FloatArray:
    """Return the mean over the labels that have a value, by their samples; the plain one if none occurs."""
    weights = np.where(np.isnan(values), 0.0, sizes)
    total = weights.sum(axis=-1)
    mean = (np.where(weights > 0, values, 0.0) * weights).sum(axis=-1) / np.where(total > 0, total, 1.0)
    return np.where(total > 0, mean, macro(values))


def _mean(sums: Sums, _empty: float) -> FloatArray:
    return np.asarray(sums[0] / sums[1])


def _counted(true: Any, called: Any, both: Any, _empty: float, _labels: int) -> Sums:
    return true, called, both


def _right(true: Any, called: Any, both: Any, _empty: float, _labels: int) -> Sums:
    return (true == both) & (called == both), np.ones_like(both)


def _wrong(true: Any, called: Any, both: Any, _empty: float, _labels: int) -> Sums:
    return (true != both) | (called != both), np.ones_like(both)


def _off(true: Any, called: Any, both: Any, _empty: float, labels: int) -> Sums:
    return true + called - 2 * both, np.full_like(both, labels)


def _of_each_sample(formula: Callable[..., FloatArray]) -> Terms:
    def terms(true: Any, called: Any, both: Any, empty: float, _labels: int) -> Sums:
        values = formula(true, called, both, empty)
        valued = ~np.isnan(values)
        return np.where(valued, values, 0.0), valued

    return terms


_ZHANG = "Zhang and Zhou, IEEE Transactions on Knowledge and Data Engineering 26, 2014"

_WAYS = {
    "micro": "over all labels of all samples together",
    "macro": "on average over labels",
    "weighted": "on average over labels, each weighted by its samples",
    "samples": "on average over samples",
}


def _averaged(
    name: str,
    label: str,
    formula: Callable[..., FloatArray],
    written: str,
    question: str,
    family: str = "",
    parameters: dict[str, float] | None = None,
) -> list[LabelMeasure]:
    """Return one formula averaged in each way that scikit-learn knows."""
    bars = optima.averaged_bars(name, (parameters or {}).get("beta", 1.0))
    functions: dict[str, Callable[[Sums, float], Any]] = {
        "micro": lambda sums, empty: formula(*sums, empty),
        "macro": lambda sums, empty: macro(formula(*sums, empty)),
        "weighted": lambda sums, empty: weighted(formula(*sums, empty), sums[0]),
        "samples": _mean,
    }
    terms = {"micro": _counted, "samples": _of_each_sample(formula)}
    return [
        LabelMeasure(
            f"{name}_{way}",
            functions[way],
            label=f"{way} {label}",
            terms=terms.get(way),
            optimum=bars[way],
            in_catalogue=True,
            parameters=parameters or {},
            family=family and f"{family}_{way}",
            aliases=(f"{way}_{name}", f"{way} {label}", f"{label} {way}"),
            formula=_written(way, written),
            question=f"{question}, {words}?",
            caution="Always answering every label scores 1." if name == "recall" else "",
            source=_ZHANG,
        )
        for way, words in _WAYS.items()
    ]


def _written(way: str, formula: str) -> str:
    sums = {"P": r"\sum_l P_l", "k": r"\sum_l k_l", "T": r"\sum_l T_l"}
    if way == "micro":
        return "".join(sums.get(letter, letter) for letter in formula)
    if way == "samples":
        sets = {"P": "|y_i|", "k": r"|\hat y_i|", "T": r"|y_i \cap \hat y_i|"}
        return r"\frac{1}{M} \sum_i " + "".join(sets.get(letter, letter) for letter in formula)
    of_label = "".join(f"{letter}_l" if letter in sums else letter for letter in formula)
    mean = r"\frac{1}{L} \sum_l " if way == "macro" else r"\sum_l \frac{P_l}{\sum_j P_j} "
    return mean + of_label


@lru_cache(maxsize=256)
def fbeta_measures(beta: float) -> list[LabelMeasure]:
    """Return F-beta averaged in each way."""
    square = beta * beta
    plain = "" if square == 1 else f"{square:g} "
    return _averaged(
        f"f{beta:g}",
        f"F{beta:g}",
        _fbeta(square),
        rf"\frac{{{1 + square:g} T}}{{{plain}P + k}}",
        "How good are precision and recall together",
        "fbeta",
        {"beta": beta},
    )


def _catalogue() -> list[LabelMeasure]:
    entry = partial(LabelMeasure, in_catalogue=True, source=_ZHANG)
    return [
        entry(
            "subset_accuracy",
            _mean,
            label="subset accuracy",
            terms=_right,
            optimum=optima.subset_accuracy_bar,
            counts_right=True,
            aliases=("accuracy", "exact_match", "exact_match_ratio", "acc"),
            formula=r"\frac{1}{M} \sum_i [y_i = \hat y_i]",
            question="What share of the samples has all labels right, and no other?",
            caution="One wrong label of many counts as much as all wrong.",
        ),
        entry(
            "zero_one_loss",
            _mean,
            label="zero-one loss",
            terms=_wrong,
            optimum=partial(optima.subset_accuracy_bar, loss=True),
            counts_right=True,
            greater_is_better=False,
            aliases=("error_rate",),
            formula=r"\frac{1}{M} \sum_i [y_i \ne \hat y_i]",
            question="What share of the samples has a label wrong?",
        ),
        entry(
            "hamming_loss",
            _mean,
            label="Hamming loss",
            terms=_off,
            optimum=optima.hamming_bar,
            greater_is_better=False,
            aliases=("hamming",),
            formula=r"\frac{1}{ML} \sum_i |y_i \mathbin{\triangle} \hat y_i|",
            question="What share of all labels of all samples is wrong?",
            caution="Close to 0 where labels are rare, whatever a model does.",
        ),
        *_averaged(
            "precision", "precision", _precision,
            r"\frac{T}{k}", "What share of the labels called is right",
        ),
        *_averaged(
            "recall", "recall", _recall,
            r"\frac{T}{P}", "What share of the labels is called",
        ),
        *fbeta_measures(1.0),
        *_averaged(
            "jaccard", "Jaccard", _jaccard,
            r"\frac{T}{P + k - T}", "What share of the labels that are there or are called is both",
        ),
    ]  # fmt: skip


_NOT_AVERAGED = tuple(
    Refused(
        name, f"is an average over labels or samples: name {', '.join(f'{name}_{way}' for way in _WAYS)}."
    )
    for name in ("precision", "recall", "f1", "fbeta", "jaccard")
)
_OF_SCORES = Refused(
    "label_ranking_average_precision",
    "judges scores of labels, not sets of them; judge y_score >= threshold by f1_samples or hamming_loss.",
    ("label_ranking_average_precision_score", "lrap", "label_ranking_loss", "coverage_error"),
)

_FAMILIES = fbeta_families("multilabel", tuple(_WAYS), fbeta_measures)

register("multilabel", (*_catalogue(), *_FAMILIES, *_NOT_AVERAGED, _OF_SCORES))
