"""Forecast verification: skill of rare-event forecasts."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant, log_ratio, log_share
from clearbar.catalogue._declare import EVERYTHING_POSITIVE, measure
from clearbar.catalogue._sources import EXTREMES

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
    question="How much more frequent are positives among the predicted positives than overall?",
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
    ahead, whole = alarms - hits, alarms + hits
    close = log_ratio(fp, fp + tn, tp, tp + fn)
    return _closest(ahead, close, whole) / whole


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
    whole = log_share(fp, tn) + log_share(tp, fn) + log_share(tn, fp) + log_share(fn, tp)
    return -log_ratio(tp, fp, fn, tn) / whole


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
