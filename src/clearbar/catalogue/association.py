"""Association and information: how much labels and predictions tell about each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.catalogue import _differences as differences
from clearbar.catalogue import _ratio_differences as ratios
from clearbar.catalogue._arithmetic import LN_2, determinant, log_ratio, log_share, surprise
from clearbar.catalogue._constants import one_per_other_sample, samples_per_other_sample
from clearbar.catalogue._declare import measure
from clearbar.catalogue._domain import (
    has_negatives,
    has_positives,
    predicts_negatives,
    predicts_positives,
    some_other_than_fn,
    some_other_than_fp,
    some_tp,
)

_INF = float("inf")
_TWO_SIDED = (
    "It rewards predictions that are worse than chance as much as better ones, and its bar is above "
    "0: in a finite sample even blind predictions are associated with the labels."
)
_LAMBDA = "Goodman & Kruskal, Measures of association for cross classifications, J. ASA 49(268), 1954"


@measure(
    question="How many bits does a positive prediction tell about a positive?",
    aliases=("IS", "log2 lift"),
    symbol=r"\mathrm{IS}",
    formula=r"\log_2\frac{M\,TP}{P\,k}",
    bounds=(-_INF, _INF),
    source="Kononenko & Bratko, Information-based evaluation criterion for classifier's "
    "performance, Machine Learning 6(1), 1991",
    affine=False,
    smooth=True,
    domain=some_tp,
    better_with_tp=True,
    worse_with_fp=True,
    difference=ratios.information_score_difference,
)
def information_score(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return log_ratio(tp, tp + fp, tp + fn, tp + fp + fn + tn) / LN_2


def _information(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """Return M times the mutual information in nats, as a sum of four terms that are not negative."""
    total = tp + fp + fn + tn
    excess = determinant(tp, fp, fn, tn) / total
    return (
        surprise(tp, (tp + fn) * (tp + fp) / total, excess)
        + surprise(fp, (fp + tn) * (tp + fp) / total, -excess)
        + surprise(fn, (tp + fn) * (fn + tn) / total, -excess)
        + surprise(tn, (fp + tn) * (fn + tn) / total, excess)
    )


# Convex in TP: a sum of x ln x over the four cells, each linear in TP, and of what the margins fix.
@measure(
    question="How many bits do predictions tell about labels?",
    aliases=("MI",),
    symbol=r"I",
    formula=r"\sum_{i,j} p_{ij}\,\log_2\frac{p_{ij}}{p_{i\cdot}\,p_{\cdot j}}",
    source="Shannon, A mathematical theory of communication, Bell System Technical Journal 27, 1948",
    affine=False,
    smooth=True,
    convex_in_tp=True,
    caution=_TWO_SIDED,
    difference=ratios.mutual_information_difference,
)
def mutual_information(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    bits = _information(tp, fp, fn, tn) / ((tp + fp + fn + tn) * LN_2)
    return np.minimum(bits, 1.0)  # not 1 + rounding


# Convex in TP, as mutual information is: the entropy of the labels is fixed.
@measure(
    question="Which share of the labels' entropy do predictions take away?",
    aliases=("Theil's U", "Theil U", "normalised mutual information", "proficiency"),
    symbol=r"U",
    formula=r"\frac{I}{H(Y)}",
    source="Theil, On the estimation of relationships involving qualitative variables, American "
    "Journal of Sociology 76(1), 1970",
    affine=False,
    smooth=True,
    domain=has_positives & has_negatives,
    convex_in_tp=True,
    caution=_TWO_SIDED,
    difference=ratios.uncertainty_coefficient_difference,
)
def uncertainty_coefficient(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    entropy = positives * log_share(positives, negatives) + negatives * log_share(negatives, positives)
    return np.minimum(_information(tp, fp, fn, tn) / -entropy, 1.0)  # not 1 + rounding


# Convex in TP: the square of a linear function over margins.
@measure(
    question="How far is the table from independence, in units that grow with the sample?",
    label="chi-squared",
    aliases=("chi-squared", "chi square", "χ²"),
    symbol=r"\chi^2",
    formula=r"\frac{M\,(TP\,TN - FP\,FN)^2}{P\,N\,k\,(M - k)}",
    bounds=(0, _INF),
    source="Pearson, On the criterion that a given system of deviations is such that it can be "
    "reasonably supposed to have arisen from random sampling, Philosophical Magazine 50, 1900",
    affine=False,
    smooth=True,
    domain=has_positives & has_negatives & predicts_positives & predicts_negatives,
    shape="constant",
    constant=samples_per_other_sample,
    difference=differences.chi2_difference,
    convex_in_tp=True,
    caution=_TWO_SIDED,
)
def chi2(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    d = determinant(tp, fp, fn, tn)
    total = tp + fp + fn + tn
    return total * ((d / ((tp + fn) * (fp + tn))) * (d / ((tp + fp) * (fn + tn))))


# Convex in TP: the square of a linear function over margins.
@measure(
    question="Which share of the labels' variance do predictions explain?",
    label="phi-squared",
    aliases=("phi2", "MCC squared", "Doolittle", "φ²"),
    symbol=r"\phi^2",
    formula=r"\frac{(TP\,TN - FP\,FN)^2}{P\,N\,k\,(M - k)}",
    source="Goodman & Kruskal, Measures of association for cross classifications II, J. ASA "
    "54(285), 1959 (on Doolittle, 1885)",
    affine=False,
    smooth=True,
    domain=has_positives & has_negatives & predicts_positives & predicts_negatives,
    shape="constant",
    constant=one_per_other_sample,
    difference=differences.phi_squared_difference,
    convex_in_tp=True,
    caution=_TWO_SIDED,
)
def phi_squared(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    d = determinant(tp, fp, fn, tn)
    return (d / ((tp + fn) * (fp + tn))) * (d / ((tp + fp) * (fn + tn)))


# Convex in TP: a sum of maxima of linear functions over margins.
@measure(
    question="How many fewer errors does one make in guessing the predictions when the labels are known?",
    label="lambda of the predictions",
    aliases=("lambda pred", "lambda B", "Goodman-Kruskal lambda of the predictions"),
    symbol=r"\lambda_{\hat Y}",
    formula=r"\frac{\max(TP, FN) + \max(FP, TN) - \max(k, M - k)}{M - \max(k, M - k)}",
    source=_LAMBDA,
    affine=False,
    domain=predicts_positives & predicts_negatives,
    convex_in_tp=True,
    caution=_TWO_SIDED,
    difference=ratios.gk_lambda_pred_difference,
)
def gk_lambda_pred(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    larger = np.maximum(tp + fp, fn + tn)
    return (np.maximum(tp, fn) + np.maximum(fp, tn) - larger) / (tp + fp + fn + tn - larger)


# Convex in TP: a sum of maxima of linear functions over margins.
@measure(
    question="How many fewer errors does one make in guessing the labels when the predictions are known?",
    label="lambda of the labels",
    aliases=("lambda true", "lambda A", "Goodman-Kruskal lambda", "Goodman-Kruskal lambda of the labels"),
    symbol=r"\lambda_{Y}",
    formula=r"\frac{\max(TP, FP) + \max(FN, TN) - \max(P, N)}{M - \max(P, N)}",
    source=_LAMBDA,
    affine=False,
    domain=has_positives & has_negatives,
    convex_in_tp=True,
    caution=_TWO_SIDED,
    difference=ratios.gk_lambda_true_difference,
)
def gk_lambda_true(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    larger = np.maximum(tp + fn, fp + tn)
    return (np.maximum(tp, fp) + np.maximum(fn, tn) - larger) / (tp + fp + fn + tn - larger)


@measure(
    question="Which share of the area of chance agreement do the squares of the right predictions fill?",
    label="Bangdiwala's B",
    aliases=("Bangdiwala's B", "Bangdiwala"),
    symbol=r"B_B",
    formula=r"\frac{TP^2 + TN^2}{P\,k + N\,(M - k)}",
    source="Shankar & Bangdiwala, Observer agreement paradoxes in 2x2 tables: comparison of "
    "agreement measures, BMC Medical Research Methodology 14, 2014",
    affine=False,
    smooth=True,
    domain=some_other_than_fn & some_other_than_fp,
    better_with_tp=True,
    difference=ratios.bangdiwala_b_difference,
)
def bangdiwala_b(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp * tp + tn * tn) / ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn))
