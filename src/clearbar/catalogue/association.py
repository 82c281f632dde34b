"""Association and information: how much labels and predictions tell about each other."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import LN_2, determinant, log_ratio, log_share, surprise
from clearbar.catalogue._declare import measure

_TWO_SIDED = (
    "It rewards predictions that are worse than chance as much as better ones, and its bar is above "
    "0: in a finite sample even blind predictions are associated with the labels."
)
_LAMBDA = "Goodman & Kruskal, Measures of association for cross classifications, J. ASA 49(268), 1954"


@measure(
    question="How many bits does a positive prediction tell about a positive?",
    aliases="IS, log2 lift",
    formula=r"\log_2\frac{M\,TP}{P\,k}",
    bounds=(-inf, inf),
    source="Kononenko & Bratko, Information-based evaluation criterion for classifier's "
    "performance, Machine Learning 6(1), 1991",
    domain=("TP > 0",),
    facts="smooth, better_with_tp, worse_with_fp",
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
    aliases="MI",
    symbol=r"I",
    formula=r"\sum_{i,j} p_{ij}\,\log_2\frac{p_{ij}}{p_{i\cdot}\,p_{\cdot j}}",
    bounds=(0, 1),
    source="Shannon, A mathematical theory of communication, Bell System Technical Journal 27, 1948",
    domain=("always",),
    caution=_TWO_SIDED,
    facts="smooth, convex_in_tp",
)
def mutual_information(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    bits = _information(tp, fp, fn, tn) / ((tp + fp + fn + tn) * LN_2)
    return np.minimum(bits, 1.0)  # not 1 + rounding


# Convex in TP, as mutual information is: the entropy of the labels is fixed.
@measure(
    question="Which share of the labels' entropy do predictions take away?",
    aliases="Theil's U, Theil U, normalised mutual information, proficiency",
    symbol=r"U",
    formula=r"\frac{I}{H(Y)}",
    bounds=(0, 1),
    source="Theil, On the estimation of relationships involving qualitative variables, American "
    "Journal of Sociology 76(1), 1970",
    domain=("P > 0", "N > 0"),
    caution=_TWO_SIDED,
    facts="smooth, convex_in_tp",
)
def uncertainty_coefficient(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    positives, negatives = tp + fn, fp + tn
    entropy = positives * log_share(positives, negatives) + negatives * log_share(negatives, positives)
    return np.minimum(_information(tp, fp, fn, tn) / -entropy, 1.0)  # not 1 + rounding


# Convex in TP: the square of a linear function over margins.
@measure(
    question="How far is the table from independence, in units that grow with the sample?",
    label="chi-squared",
    aliases="chi square, χ²",
    symbol=r"\chi^2",
    formula=r"\frac{M\,(TP\,TN - FP\,FN)^2}{P\,N\,k\,(M - k)}",
    bounds=(0, inf),
    source="Pearson, On the criterion that a given system of deviations is such that it can be "
    "reasonably supposed to have arisen from random sampling, Philosophical Magazine 50, 1900",
    domain=("P > 0", "N > 0", "k > 0", "k < M"),
    constant=lambda total, _positives: total / np.maximum(total - 1, 1),
    caution=_TWO_SIDED,
    facts="smooth, convex_in_tp",
)
def chi2(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    d = determinant(tp, fp, fn, tn)
    total = tp + fp + fn + tn
    return total * ((d / ((tp + fn) * (fp + tn))) * (d / ((tp + fp) * (fn + tn))))


# Convex in TP: the square of a linear function over margins.
@measure(
    question="Which share of the labels' variance do predictions explain?",
    label="phi-squared",
    aliases="phi2, MCC squared, Doolittle, φ²",
    symbol=r"\phi^2",
    formula=r"\frac{(TP\,TN - FP\,FN)^2}{P\,N\,k\,(M - k)}",
    bounds=(0, 1),
    source="Goodman & Kruskal, Measures of association for cross classifications II, J. ASA "
    "54(285), 1959 (on Doolittle, 1885)",
    domain=("P > 0", "N > 0", "k > 0", "k < M"),
    constant=lambda total, _positives: 1 / np.maximum(total - 1, 1),
    caution=_TWO_SIDED,
    facts="smooth, convex_in_tp",
)
def phi_squared(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    d = determinant(tp, fp, fn, tn)
    return (d / ((tp + fn) * (fp + tn))) * (d / ((tp + fp) * (fn + tn)))


# Convex in TP: a sum of maxima of linear functions over margins.
@measure(
    question="How many fewer errors does one make in guessing the predictions when the labels are known?",
    label="lambda of the predictions",
    aliases="lambda pred, lambda B, Goodman-Kruskal lambda of the predictions",
    symbol=r"\lambda_{\hat Y}",
    formula=r"\frac{\max(TP, FN) + \max(FP, TN) - \max(k, M - k)}{M - \max(k, M - k)}",
    bounds=(0, 1),
    source=_LAMBDA,
    domain=("k > 0", "k < M"),
    caution=_TWO_SIDED,
    facts="convex_in_tp",
)
def gk_lambda_pred(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    larger = np.maximum(tp + fp, fn + tn)
    return (np.maximum(tp, fn) + np.maximum(fp, tn) - larger) / (tp + fp + fn + tn - larger)


# Convex in TP: a sum of maxima of linear functions over margins.
@measure(
    question="How many fewer errors does one make in guessing the labels when the predictions are known?",
    label="lambda of the labels",
    aliases="lambda true, lambda A, Goodman-Kruskal lambda, Goodman-Kruskal lambda of the labels",
    symbol=r"\lambda_{Y}",
    formula=r"\frac{\max(TP, FP) + \max(FN, TN) - \max(P, N)}{M - \max(P, N)}",
    bounds=(0, 1),
    source=_LAMBDA,
    domain=("P > 0", "N > 0"),
    caution=_TWO_SIDED,
    facts="convex_in_tp",
)
def gk_lambda_true(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    larger = np.maximum(tp + fn, fp + tn)
    return (np.maximum(tp, fp) + np.maximum(fn, tn) - larger) / (tp + fp + fn + tn - larger)


@measure(
    question="Which share of the area of chance agreement do the squares of the right predictions fill?",
    label="Bangdiwala's B",
    aliases="Bangdiwala",
    symbol=r"B_B",
    formula=r"\frac{TP^2 + TN^2}{P\,k + N\,(M - k)}",
    bounds=(0, 1),
    source="Shankar & Bangdiwala, Observer agreement paradoxes in 2x2 tables: comparison of "
    "agreement measures, BMC Medical Research Methodology 14, 2014",
    domain=("FN < M", "FP < M"),
    facts="smooth, better_with_tp",
)
def bangdiwala_b(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp * tp + tn * tn) / ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn))
