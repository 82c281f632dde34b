"""Odds and likelihood ratios, and what is made of them."""

from __future__ import annotations

import math
from math import inf
from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant, log_ratio
from clearbar.catalogue._declare import measure

_EMPTY_CELL = "One empty cell decides it: with a single predicted negative it is always 1 or -1."
_DEEKS = "Deeks & Altman, Diagnostic tests 4: likelihood ratios, BMJ 329, 2004"


@measure(
    question="How much higher are the odds of an alarm for a positive than for a negative?",
    aliases="DOR, odds ratio",
    formula=r"\frac{TP\,TN}{FP\,FN}",
    bounds=(0, inf),
    source="Glas, Lijmer, Prins, Bonsel & Bossuyt, The diagnostic odds ratio: a single indicator "
    "of test performance, Journal of Clinical Epidemiology 56(11), 2003",
    domain=("FP > 0", "FN > 0"),
    facts="smooth, better_with_tp",
)
def diagnostic_odds_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp * tn) / (fp * fn)


@measure(
    question="How much higher are the log odds of an alarm for a positive than for a negative?",
    aliases="log DOR, log diagnostic odds ratio, LOR",
    symbol=r"\ln\mathrm{DOR}",
    formula=r"\ln\frac{TP\,TN}{FP\,FN}",
    bounds=(-inf, inf),
    source="Woolf, On estimating the relation between blood group and disease, Annals of Human "
    "Genetics 19(4), 1955",
    domain=("TP > 0", "FP > 0", "FN > 0", "TN > 0"),
    facts="smooth, better_with_tp",
)
def log_odds_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return log_ratio(tp, fp, fn, tn)


@measure(
    question="How far do concordant pairs outnumber discordant ones?",
    label="Yule's Q",
    aliases="Q, ORSS, odds ratio skill score",
    symbol=r"Q",
    formula=r"\frac{TP\,TN - FP\,FN}{TP\,TN + FP\,FN}",
    bounds=(-1, 1),
    source="Yule, On the association of attributes in statistics, Philosophical Transactions of "
    "the Royal Society A 194, 1900",
    domain=("P > 0", "N > 0", "k > 0", "k < M"),
    caution=_EMPTY_CELL,
    facts="smooth, better_with_tp, worse_with_fp",
)
def yule_q(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return determinant(tp, fp, fn, tn) / (tp * tn + fp * fn)


@measure(
    question="What would informedness be in the table of the same odds ratio with even margins?",
    label="Yule's Y",
    aliases="coefficient of colligation, colligation",
    symbol=r"Y",
    formula=r"\frac{\sqrt{TP\,TN} - \sqrt{FP\,FN}}{\sqrt{TP\,TN} + \sqrt{FP\,FN}}",
    bounds=(-1, 1),
    source="Yule, On the methods of measuring association between two attributes, Journal of the "
    "Royal Statistical Society 75(6), 1912",
    domain=("P > 0", "N > 0", "k > 0", "k < M"),
    caution=_EMPTY_CELL,
    facts="smooth, better_with_tp, worse_with_fp",
)
def yule_y(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    right, wrong = tp * tn, fp * fn
    return determinant(tp, fp, fn, tn) / (right + wrong + 2 * np.sqrt(right * wrong))


@measure(
    question="By which factor does a positive prediction raise the odds of a positive?",
    aliases="PLR, LR+, likelihood ratio positive",
    symbol=r"\mathrm{LR}_{+}",
    formula=r"\frac{TP/P}{FP/N}",
    bounds=(0, inf),
    source=_DEEKS,
    domain=("P > 0", "FP > 0"),
    facts="smooth, better_with_tp",
)
def positive_likelihood_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp * (fp + tn) / (fp * (tp + fn))


@measure(
    question="By which factor does a negative prediction lower the odds of a positive?",
    aliases="NLR, LR−, likelihood ratio negative",
    symbol=r"\mathrm{LR}_{-}",
    formula=r"\frac{FN/P}{TN/N}",
    bounds=(0, inf),
    greater_is_better=False,
    source=_DEEKS,
    domain=("P > 0", "TN > 0"),
    facts="smooth, better_with_tp",
)
def negative_likelihood_ratio(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fn * (fp + tn) / (tn * (tp + fn))


@measure(
    question="How many standard deviations of a logistic curve lie between the two classes?",
    aliases="DP, test effectiveness",
    formula=r"\frac{\sqrt{3}}{\pi}\,\ln\frac{TP\,TN}{FP\,FN}",
    bounds=(-inf, inf),
    source="Blakeley, Oddone, Hasselblad, Simel & Matchar, Noninvasive carotid artery testing: a "
    "meta-analytic review, Annals of Internal Medicine 122(5), 1995",
    domain=("TP > 0", "FP > 0", "FN > 0", "TN > 0"),
    caution="The logarithm is the natural one, as in its source; pycm takes the decimal one.",
    facts="smooth, better_with_tp",
)
def discriminant_power(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return _SQRT_3_OVER_PI * log_ratio(tp, fp, fn, tn)


_SQRT_3_OVER_PI = math.sqrt(3) / math.pi
