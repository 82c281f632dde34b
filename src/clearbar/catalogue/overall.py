"""Measures of the whole table: how much of everything is right."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant
from clearbar.catalogue._declare import family, measure
from clearbar.catalogue._entry import Range
from clearbar.catalogue._sources import DUTCH_DRAW, POWERS

_BRODERSEN = (
    "Brodersen, Ong, Stephan & Buhmann, The balanced accuracy and its posterior distribution, ICPR, 2010"
)


@measure(
    question="Which share of the predictions is right?",
    aliases="ACC, accuracy_score, fraction correct, proportion correct, Rand, simple matching",
    formula=r"\frac{TP + TN}{M}",
    bounds=(0, 1),
    source=DUTCH_DRAW,
    domain=("always",),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp",
)
def accuracy(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp + tn) / (tp + fp + fn + tn)


@measure(
    question="Which share of the predictions is wrong?",
    aliases="ERR, zero_one_loss, hamming_loss, misclassification rate",
    formula=r"\frac{FP + FN}{M}",
    bounds=(0, 1),
    greater_is_better=False,
    source=POWERS,
    domain=("always",),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp",
)
def error_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (fp + fn) / (tp + fp + fn + tn)


@measure(
    question="Which share of each class is right, on average?",
    aliases="BACC, bal_accuracy, balanced_accuracy_score, single threshold AUC, macro recall",
    formula=r"\frac{1}{2}\left(\frac{TP}{P} + \frac{TN}{N}\right)",
    bounds=(0, 1),
    source=_BRODERSEN,
    domain=("P > 0", "N > 0"),
    constant=0.5,
    facts="affine, better_with_tp, worse_with_fp",
)
def balanced_accuracy(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp / (tp + fn) + tn / (fp + tn)) / 2


@measure(
    question="Which share of each class is wrong, on average?",
    aliases="BER, HTER, half total error rate",
    formula=r"\frac{1}{2}\left(\frac{FN}{P} + \frac{FP}{N}\right)",
    bounds=(0, 1),
    greater_is_better=False,
    source=_BRODERSEN,
    domain=("P > 0", "N > 0"),
    constant=0.5,
    facts="affine, better_with_tp, worse_with_fp",
)
def balanced_error_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (fn / (tp + fn) + fp / (fp + tn)) / 2


@family(
    question="Which share of each class is right, when the positives carry the weight w?",
    listed={"w": 0.7},
    allowed={"w": Range(high=1)},
    aliases="weighted balanced accuracy",
    symbol=lambda w: rf"\mathrm{{WACC}}_{{{float(w):g}}}",
    formula=r"w\,\frac{TP}{P} + (1 - w)\,\frac{TN}{N}",
    bounds=(0, 1),
    source="Grandini, Bagli & Visani, Metrics for multi-class classification: an overview, "
    "arXiv:2008.05756, 2020",
    domain=("P > 0", "N > 0"),
    shape=lambda w: "constant" if w == Fraction(1, 2) else "monotone",
    constant=0.5,
    facts="affine, better_with_tp, worse_with_fp",
)
def weighted_accuracy(tp: Any, fp: Any, fn: Any, tn: Any, *, w: Any) -> Any:
    return w * (tp / (tp + fn)) + (1 - w) * (tn / (fp + tn))


@measure(
    question="How much more often does an alarm ring for a positive than for a negative?",
    aliases="BM, bookmaker informedness, Youden's J statistic, Youden’s J, Youden J, Youden index, "
    "J, j_index, TSS, true skill statistic, Peirce skill score, PSS, Hanssen-Kuipers, "
    "Hanssen-Kuipers discriminant, KSS, delta P prime, adjusted balanced accuracy, bookmaker",
    symbol=r"J",
    formula=r"\frac{TP}{P} + \frac{TN}{N} - 1",
    bounds=(-1, 1),
    source="Youden, Index for rating diagnostic tests, Cancer 3(1), 1950",
    domain=("P > 0", "N > 0"),
    constant=0,
    facts="affine, better_with_tp, worse_with_fp",
)
def informedness(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return determinant(tp, fp, fn, tn) / ((tp + fn) * (fp + tn))


@measure(
    question="How much more often is a predicted positive positive than a predicted negative?",
    aliases="MK, delta P, Clayton skill score, CSS, predictive summary index",
    formula=r"\frac{TP}{k} + \frac{TN}{M - k} - 1",
    bounds=(-1, 1),
    source=POWERS,
    domain=("k > 0", "k < M"),
    constant=0,
    facts="affine, better_with_tp, worse_with_fp",
)
def markedness(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return determinant(tp, fp, fn, tn) / ((tp + fp) * (fn + tn))


@measure(
    question="How strongly do labels and predictions correlate?",
    label="MCC",
    aliases="matthews_corrcoef, Matthews correlation coefficient, Matthews, Matthew, phi, "
    "phi coefficient, Yule phi, Doolittle root",
    formula=r"\frac{TP\,TN - FP\,FN}{\sqrt{P\,N\,k\,(M - k)}}",
    bounds=(-1, 1),
    source="Matthews, Comparison of the predicted and observed secondary structure of T4 phage "
    "lysozyme, Biochimica et Biophysica Acta 405(2), 1975",
    domain=("P > 0", "N > 0", "k > 0", "k < M"),
    constant=0,
    facts="affine, better_with_tp, worse_with_fp",
)
def mcc(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    margins = ((tp + fn) * (fp + tn)) * ((tp + fp) * (fn + tn))
    return determinant(tp, fp, fn, tn) / np.sqrt(margins)
