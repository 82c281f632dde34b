"""Accuracy and agreement: how much of everything is right, and how much of it beyond chance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant
from clearbar.catalogue._declare import DUTCH_DRAW, POWERS, family, measure
from clearbar.catalogue._entry import Range

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
    "Hanssen-Kuipers discriminant, KSS, delta P prime, ΔP′, adjusted balanced accuracy, bookmaker",
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
    aliases="MK, delta P, ΔP, Clayton skill score, CSS, predictive summary index",
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


@measure(
    question="How much of the agreement that chance leaves open is reached?",
    label="Cohen's kappa",
    aliases="cohen_kappa, Cohen, Cohen κ, cohen_kappa_score, kap, Heidke skill score, HSS",
    symbol=r"\kappa",
    formula=r"\frac{2\,(TP\,TN - FP\,FN)}{k\,N + P\,(M - k)}",
    bounds=(-1, 1),
    source="Cohen, A coefficient of agreement for nominal scales, Educational and Psychological "
    "Measurement 20(1), 1960",
    domain=("P + k > 0", "N + (M - k) > 0"),
    constant=0,
    facts="affine, better_with_tp, worse_with_fp",
)
def kappa(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    chance = (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    return 2 * determinant(tp, fp, fn, tn) / chance


# E is minus a convex function of s = (P + k)/M: with c = 2P/M it is
# -(c - s)^2/(s (2 - s)) = -(c - s)^2 (1/s + 1/(2 - s))/2, and a square over a positive linear
# function is convex. It is strictly convex for 0 < P < M and strictly monotone at P = 0, P = M.
@measure(
    question="How much agreement is there beyond that of two judges with one common rate?",
    label="Scott's pi",
    symbol=r"\pi_S",
    formula=r"\frac{4\,TP\,TN - (FP + FN)^2}{(P + k)\,(2M - P - k)}",
    bounds=(-1, 1),
    source="Scott, Reliability of content analysis: the case of nominal scale coding, Public "
    "Opinion Quarterly 19(3), 1955",
    domain=("P + k > 0", "N + (M - k) > 0"),
    shape="peak",
    facts="affine, better_with_tp, worse_with_fp",
)
def scott_pi(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    wrong = fp + fn
    return determinant(2 * tp, wrong, wrong, 2 * tn) / ((2 * tp + wrong) * (2 * tn + wrong))


# E = 1 - L/C with the expected number of errors L >= 0, linear in k, and C > 0 strictly convex in k.
# L/C = c means L - c C = 0, which a strictly concave function solves at most twice: L/C never goes
# down and up again, so E never goes up and down again, and no value is taken three times.
@measure(
    question="How much agreement is there beyond that on the hard cases?",
    label="Gwet's AC1",
    aliases="AC1, Gwet",
    symbol=r"\mathrm{AC}_1",
    formula=r"\frac{p_o - p_e}{1 - p_e},\ p_e = 2q(1 - q),\ q = \frac{P + k}{2M}",
    bounds=(-1, 1),
    source="Gwet, Computing inter-rater reliability and its variance in the presence of high "
    "agreement, British Journal of Mathematical and Statistical Psychology 61(1), 2008",
    domain=("always",),
    shape="valley",
    facts="affine, better_with_tp, worse_with_fp",
)
def gwet_ac1(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    wrong = fp + fn
    right, square = 4 * (tp * tp + tn * tn), 2 * wrong * wrong
    return (right - square) / (right + 4 * wrong * (tp + tn) + square)


@measure(
    question="How much better than a coin is the agreement?",
    label="Bennett's S",
    aliases="PABAK, S, Brennan-Prediger, S score",
    symbol=r"S",
    formula=r"2\,\frac{TP + TN}{M} - 1",
    bounds=(-1, 1),
    source="Bennett, Alpert & Goldstein, Communications through limited-response questioning, "
    "Public Opinion Quarterly 18(3), 1954",
    domain=("always",),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp",
)
def bennett_s(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp + tn - fp - fn) / (tp + fp + fn + tn)
