"""Forecast verification, odds and likelihood ratios."""

from __future__ import annotations

import math
from math import inf
from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant, log_ratio, log_share
from clearbar.catalogue._declare import EVERYTHING_POSITIVE, EXTREMES, measure

_FEW_NEGATIVE_CALLS = (
    "It is near 1 as soon as no positive is missed: calling all but one sample positive almost reaches it."
)


def _closest(plain: Any, close: Any, scale: Any) -> Any:
    """Choose between two forms of one number: the plain one cancels when it is small."""
    return np.where(np.abs(plain) < np.abs(scale) / 2, close, plain)


@measure(
    question="How much overlap is there beyond that of random hits?",
    aliases="ETS, Gilbert skill score, GSS",
    formula=r"\frac{TP - R}{TP + FP + FN - R},\ R = \frac{P\,k}{M}",
    bounds=(-1 / 3, 1),
    source="Schaefer, The critical success index as an indicator of warning skill, Weather and "
    "Forecasting 5(4), 1990",
    domain=("P + k > 0", "N + (M - k) > 0"),
    caution="Its bar is above 0 although its name says equitable: it is not linear in TP.",
    facts="smooth, better_with_tp, worse_with_fp",
)
def equitable_threat_score(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    d = determinant(tp, fp, fn, tn)
    return d / (d + (tp + fp + fn + tn) * (fp + fn))


@measure(
    question="How much more frequent are positives among the samples predicted positive than overall?",
    aliases="lift score, LS, interest",
    symbol=r"\mathrm{lift}",
    formula=r"\frac{M\,TP}{P\,k}",
    bounds=(0, inf),
    source="Brin, Motwani, Ullman & Tsur, Dynamic itemset counting and implication rules for "
    "market basket data, SIGMOD, 1997",
    domain=("P > 0", "k > 0"),
    constant=1,
    facts="affine, better_with_tp, worse_with_fp",
)
def lift(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp * (tp + fp + fn + tn) / ((tp + fp) * (tp + fn))


# (ln a - ln h)/ln h instead of ln a/ln h - 1: at TP = 0 it has no value rather than a wrong one.
@measure(
    question="How slowly do hits vanish as events become rarer?",
    label="EDS",
    aliases="extreme dependency score",
    formula=r"\frac{2\,\ln(P/M)}{\ln(TP/M)} - 1",
    bounds=(-1, 1),
    source="Stephenson, Casati, Ferro & Wilson, The extreme dependency score: a non-vanishing "
    "measure for forecasts of rare events, Meteorological Applications 15(1), 2008",
    domain=("TP > 0", "N + (M - k) > 0"),
    caution=EVERYTHING_POSITIVE,
    facts="smooth, better_with_tp, worse_with_fp",
)
def eds(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    positives, total = tp + fn, tp + fp + fn + tn
    hits = log_share(tp, fp + fn + tn)
    ahead = 2 * log_share(positives, fp + tn) - hits
    return _closest(ahead, -log_ratio(tp, positives, positives, total), hits) / hits


@measure(
    question="How slowly do hits vanish as events become rarer, without a reward for overforecasting?",
    label="SEDS",
    aliases="symmetric extreme dependency score, symmetric EDS",
    formula=r"\frac{\ln(k/M) + \ln(P/M)}{\ln(TP/M)} - 1",
    bounds=(-1, 1),
    source="Hogan, O'Connor & Illingworth, Verification of cloud-fraction forecasts, Quarterly "
    "Journal of the Royal Meteorological Society 135, 2009",
    domain=("TP > 0", "N + (M - k) > 0"),
    facts="smooth, better_with_tp, worse_with_fp",
)
def seds(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    hits = log_share(tp, fp + fn + tn)
    ahead = log_share(tp + fn, fp + tn) + log_share(tp + fp, fn + tn) - hits
    close = -log_ratio(tp, tp + fp, tp + fn, tp + fp + fn + tn)
    return _closest(ahead, close, hits) / hits


@measure(
    question="How much slower do hits vanish than false alarms as events become rarer?",
    label="EDI",
    aliases="extremal dependence index",
    formula=r"\frac{\ln F - \ln H}{\ln F + \ln H},\ F = \frac{FP}{N},\ H = \frac{TP}{P}",
    bounds=(-1, 1),
    source=EXTREMES,
    domain=("TP > 0", "FP > 0", "k < M"),
    caution=_FEW_NEGATIVE_CALLS,
    facts="smooth, better_with_tp",
)
def edi(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    alarms, hits = log_share(fp, tn), log_share(tp, fn)
    ahead, total = alarms - hits, alarms + hits
    close = log_ratio(fp, fp + tn, tp, tp + fn)
    return _closest(ahead, close, total) / total


@measure(
    question="How much slower do hits vanish than false alarms, whatever the share of alarms?",
    label="SEDI",
    aliases="symmetric extremal dependence index, symmetric EDI",
    formula=r"\frac{\ln F - \ln H - \ln(1 - F) + \ln(1 - H)}"
    r"{\ln F + \ln H + \ln(1 - F) + \ln(1 - H)},\ F = \frac{FP}{N},\ H = \frac{TP}{P}",
    bounds=(-1, 1),
    source=EXTREMES,
    domain=("TP > 0", "FP > 0", "FN > 0", "TN > 0"),
    facts="smooth, better_with_tp",
)
def sedi(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    total = log_share(fp, tn) + log_share(tp, fn) + log_share(tn, fp) + log_share(fn, tp)
    return -log_ratio(tp, fp, fn, tn) / total


# The textbook form (sqrt(TPR FPR) - FPR)/(TPR - FPR) is 0/0 where TPR = FPR; this one is not.
@measure(
    question="Below which prevalence does a positive prediction lose its worth?",
    aliases="PT, phi_e, φe",
    symbol=r"\phi_e",
    formula=r"\frac{\sqrt{FP/N}}{\sqrt{TP/P} + \sqrt{FP/N}}",
    bounds=(0, 1),
    greater_is_better=False,
    source="Balayla, Prevalence threshold (φe) and the geometry of screening curves, PLOS ONE 15(10), 2020",
    domain=("P > 0", "N > 0", "k > 0"),
    facts="smooth, better_with_tp, worse_with_fp",
)
def prevalence_threshold(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    alarms = np.sqrt(fp * (tp + fn))
    return alarms / (np.sqrt(tp * (fp + tn)) + alarms)


_EMPTY_CELL = "One empty cell decides it: with a single predicted negative it is always 1 or -1."
_DEEKS = "Deeks & Altman, Diagnostic tests 4: likelihood ratios, BMJ 329, 2004"


@measure(
    question="How much higher are the odds of an alarm for a positive than for a negative?",
    aliases="DOR, odds ratio, OR",
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
