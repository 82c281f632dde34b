"""Measures of many classes, under scikit-learn's names: each with its facts and its bar."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

import numpy as np

from clearbar.catalogue import Family, Range, Refused, register
from clearbar.problems.multiclass import _formulas as of
from clearbar.problems.multiclass import _greedy as searched
from clearbar.problems.multiclass import _optimum as best
from clearbar.problems.multiclass._averaged import (
    SOKOLOVA,
    WAYS,
    averaged,
    fbeta_families,
    fbeta_measures,
    one_each,
)
from clearbar.problems.multiclass._g_mean import g_mean_bar
from clearbar.problems.multiclass._measure import ClassMeasure


def _catalogue() -> list[ClassMeasure]:
    one = partial(ClassMeasure, in_catalogue=True)
    by_hits: dict[str, Any] = {"rises_with_right": True, "weights": one_each}
    wrong = partial(
        one,
        function=of.error,
        optimum=best.error_bar,
        counts_right=True,
        of_two="error_rate",
        greater_is_better=False,
        formula=r"1 - \frac{T}{M}",
        source=SOKOLOVA,
        **by_hits,
    )
    return [
        one(
            "accuracy",
            of.accuracy,
            label="accuracy",
            optimum=best.accuracy_bar,
            of_two="accuracy",
            **by_hits,
            aliases=("acc",),
            counts_right=True,
            formula=r"\frac{T}{M}",
            question="What share of the predictions is right?",
            caution="High where one class is large, whatever a model does.",
            source=SOKOLOVA,
        ),
        one(
            "balanced_accuracy",
            of.balanced,
            label="balanced accuracy",
            optimum=best.balanced_accuracy_bar,
            of_two="balanced_accuracy",
            weights=lambda t: 1 / t.sizes,
            formula=r"\frac{1}{K} \sum_j \frac{C_{jj}}{n_j}",
            aliases=("bacc", "uar"),
            question="What share of a class is called so, on average over classes that occur?",
            source="Mosley, Iowa State University, 2013",
        ),
        one(
            "adjusted_balanced_accuracy",
            of.adjusted,
            label="adjusted balanced accuracy",
            optimum=best.adjusted_balanced_accuracy_bar,
            of_two="informedness",
            weights=lambda t: 1 / t.sizes,
            bounds=(-1.0, 1.0),
            formula=r"\frac{\mathrm{BA} - 1/K}{1 - 1/K}",
            question="How far is balanced accuracy from that of one class for all to perfect?",
            source="scikit-learn, balanced_accuracy_score, adjusted=True",
        ),
        *averaged(),
        one(
            "f1_of_averages",
            of.f1_of_averages,
            label="F1 of averages",
            optimum=best.f1_of_averages_bar,
            formula=r"\frac{2 \bar p \bar r}{\bar p + \bar r}",
            aliases=("macro_f1_of_averages",),
            question="How good are mean precision and mean recall together?",
            caution="Never below macro F1, the mean of F1s; two papers that say macro-F1 may mean either.",
            source=f"{SOKOLOVA}; Opitz and Burst, arXiv:1911.03347",
        ),
        one(
            "specificity_macro",
            lambda t, empty: of.macro(of.specificities(t, empty)),
            label="macro specificity",
            optimum=best.specificity_bar,
            of_two="balanced_accuracy",
            weights=lambda t: 1 / (t.total - t.sizes),
            aliases=("tnr_macro", "macro_specificity"),
            formula=r"\frac{1}{K} \sum_j \frac{M - n_j - k_j + C_{jj}}{M - n_j}",
            question="What share of the samples of other classes is not called a class, on average?",
            caution="Close to 1 for many classes, whatever a model does.",
            source=SOKOLOVA,
        ),
        one(
            "fowlkes_mallows_macro",
            lambda t, empty: of.macro(of.fowlkes_mallows(t, empty)),
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
            of.g_mean,
            label="G-mean",
            optimum=g_mean_bar,
            of_two="g_mean",
            aliases=("geometric_mean_score", "geometric_mean"),
            formula=r"\Bigl(\prod_j \frac{C_{jj}}{n_j}\Bigr)^{1/K}",
            question="What is the geometric mean of the recalls of the classes?",
            caution="0 as soon as one class is never recognised.",
            source="Sun, Kamel and Wang, ICDM 2006",
        ),
        one(
            "mcc",
            of.mcc,
            label="MCC",
            optimum=best.chance_corrected_bar,
            of_two="mcc",
            at_zero="kappa",
            **by_hits,
            bounds=(-1.0, 1.0),
            aliases=("matthews_corrcoef", "r_k", "matthews"),
            formula=r"\frac{M T - \sum_j n_j k_j}{\sqrt{(M^2 - \sum_j n_j^2)(M^2 - \sum_j k_j^2)}}",
            question="How strongly are true and predicted classes correlated?",
            source="Gorodkin, Computational Biology and Chemistry 28, 2004",
        ),
        one(
            "kappa",
            of.kappa,
            label="kappa",
            optimum=best.kappa_bar,
            of_two="kappa",
            **by_hits,
            bounds=(-1.0, 1.0),
            aliases=("cohen_kappa", "cohen_kappa_score", "kap"),
            formula=r"\frac{T - E}{M - E}, \quad E = \frac{1}{M} \sum_j n_j k_j",
            question="How much of the agreement beyond chance is there?",
            source="Cohen, Educational and Psychological Measurement 20, 1960",
        ),
        one(
            "kappa_linear",
            of.kappa_linear,
            label="linear kappa",
            optimum=best.kappa_bar,
            of_two="kappa",
            ordered=True,
            bounds=(-1.0, 1.0),
            aliases=("linear_kappa", "linear_weighted_kappa"),
            formula=r"1 - \frac{\sum_{ij} |i-j| C_{ij}}{\sum_{ij} |i-j| n_i k_j / M}",
            question="How much agreement beyond chance is there on ordered classes, by steps?",
            caution="Takes the classes in their order.",
            source="Cohen, Psychological Bulletin 70, 1968",
        ),
        one(
            "kappa_quadratic",
            of.kappa_quadratic,
            label="quadratic kappa",
            optimum=best.kappa_bar,
            of_two="kappa",
            ordered=True,
            bounds=(-1.0, 1.0),
            aliases=("quadratic_kappa", "qwk", "quadratic_weighted_kappa"),
            formula=r"1 - \frac{\sum_{ij} (i-j)^2 C_{ij}}{\sum_{ij} (i-j)^2 n_i k_j / M}",
            question="How much agreement beyond chance is there on ordered classes, by squared steps?",
            caution="Takes the classes in their order.",
            source="Cohen, Psychological Bulletin 70, 1968",
        ),
        one(
            "gwet_ac1",
            of.ac1,
            label="Gwet's AC1",
            optimum=searched.ac1_bar,
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
    ]


@lru_cache(maxsize=256)
def top_k_measure(k: int) -> ClassMeasure:
    """Return top-k accuracy; its tables count a sample as a hit if its class is among the first k."""
    return ClassMeasure(
        f"top_{k}_accuracy",
        of.accuracy,
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

_FAMILIES = fbeta_families("multiclass", WAYS, fbeta_measures)

register("multiclass", (*_catalogue(), *_FAMILIES, _TOP_K, *_REFUSED))
