"""Counts and rates: shares of the positives, of the negatives, of the predictions or of all samples."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any

from clearbar.catalogue._declare import (
    DUTCH_DRAW,
    EVERYTHING_NEGATIVE,
    EVERYTHING_POSITIVE,
    KUHN,
    WILKS,
    measure,
)

# A cell, or its share of a class: all of them have these facts.
cell_or_rate = partial(
    measure, source=DUTCH_DRAW, shape="monotone", facts="affine, better_with_tp, worse_with_fp"
)


@cell_or_rate(
    question="How many positives were found?",
    label="TP",
    aliases="true positives, hits, true positive",
    formula=r"TP",
    bounds=(0, inf),
    domain=("always",),
    caution=EVERYTHING_POSITIVE,
)
def tp(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp


@cell_or_rate(
    question="How many negatives were left alone?",
    label="TN",
    aliases="true negatives, correct rejections, true negative",
    formula=r"TN",
    bounds=(0, inf),
    domain=("always",),
    caution=EVERYTHING_NEGATIVE,
)
def tn(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tn


@cell_or_rate(
    question="How many negatives raised an alarm?",
    label="FP",
    aliases="false positives, false alarms, type I errors, false positive",
    formula=r"FP",
    bounds=(0, inf),
    greater_is_better=False,
    domain=("always",),
    caution=EVERYTHING_NEGATIVE,
)
def fp(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fp


@cell_or_rate(
    question="How many positives were missed?",
    label="FN",
    aliases="false negatives, misses, type II errors, false negative",
    formula=r"FN",
    bounds=(0, inf),
    greater_is_better=False,
    domain=("always",),
    caution=EVERYTHING_POSITIVE,
)
def fn(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fn


@measure(
    question="Which share of the positives was found?",
    aliases="TPR, true positive rate, sensitivity, sens, hit rate, POD, probability of detection, "
    "detection probability, recall_score, sensitivity_score, R",
    formula=r"\frac{TP}{P}",
    bounds=(0, 1),
    source=DUTCH_DRAW,
    domain=("P > 0",),
    shape="monotone",
    caution=EVERYTHING_POSITIVE,
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def recall(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / (tp + fn)


@cell_or_rate(
    question="Which share of the negatives was left alone?",
    aliases="TNR, true negative rate, selectivity, spec, specificity_score",
    formula=r"\frac{TN}{N}",
    bounds=(0, 1),
    domain=("N > 0",),
    caution=EVERYTHING_NEGATIVE,
)
def specificity(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tn / (fp + tn)


@cell_or_rate(
    question="Which share of the negatives raised an alarm?",
    label="FPR",
    aliases="false positive rate, fall-out, POFD, false alarm rate, type I error rate",
    formula=r"\frac{FP}{N}",
    bounds=(0, 1),
    greater_is_better=False,
    domain=("N > 0",),
    caution=EVERYTHING_NEGATIVE,
)
def fpr(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fp / (fp + tn)


@measure(
    question="Which share of the positives was missed?",
    label="FNR",
    aliases="false negative rate, miss rate, type II error rate",
    formula=r"\frac{FN}{P}",
    bounds=(0, 1),
    greater_is_better=False,
    source=DUTCH_DRAW,
    domain=("P > 0",),
    shape="monotone",
    caution=EVERYTHING_POSITIVE,
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def fnr(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fn / (tp + fn)


@measure(
    question="Which share of the samples is positive?",
    aliases="base rate",
    symbol=r"\pi",
    formula=r"\frac{P}{M}",
    bounds=(0, 1),
    greater_is_better=None,
    source=KUHN,
    domain=("always",),
    constant=lambda total, positives: positives / total,
    caution="It describes the labels, not the predictions.",
    facts="affine",
)
def prevalence(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp + fn) / (tp + fp + fn + tn)


@measure(
    question="Which share of the samples was predicted positive?",
    aliases="PPR, detection prevalence, selection rate, forecast rate, TOPR",
    symbol=r"\hat\pi",
    formula=r"\frac{k}{M}",
    bounds=(0, 1),
    greater_is_better=None,
    source=KUHN,
    domain=("always",),
    shape="monotone",
    caution="It counts predictions without asking whether they are right.",
    facts="affine",
)
def predicted_positive_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp + fp) / (tp + fp + fn + tn)


@measure(
    question="How many samples were predicted positive per positive?",
    aliases="bias score, frequency bias score, FBIAS",
    symbol=r"B",
    formula=r"\frac{k}{P}",
    bounds=(0, inf),
    greater_is_better=None,
    source=WILKS,
    domain=("P > 0",),
    shape="monotone",
    caution="Its target is 1, between its ends, and it does not ask whether predictions are right.",
    facts="affine",
)
def frequency_bias(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return (tp + fp) / (tp + fn)


@measure(
    question="Which share of all samples are positives that were found?",
    aliases="Russell-Rao, Russell Rao",
    symbol=r"\mathrm{DR}",
    formula=r"\frac{TP}{M}",
    bounds=(0, 1),
    source="Russell & Rao, On habitat and association of species of anopheline larvae in "
    "south-eastern Madras, Journal of the Malaria Institute of India 3, 1940",
    domain=("always",),
    shape="monotone",
    caution=EVERYTHING_POSITIVE,
    facts="affine, better_with_tp, worse_with_fp",
)
def detection_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / (tp + fp + fn + tn)


@measure(
    question="Which share of the samples predicted positive is positive?",
    aliases="PPV, positive predictive value, pos pred value, success ratio, precision_score",
    formula=r"\frac{TP}{k}",
    bounds=(0, 1),
    source=DUTCH_DRAW,
    domain=("k > 0",),
    constant=lambda total, positives: positives / total,
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def precision(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / (tp + fp)


@measure(
    question="Which share of the samples predicted negative is negative?",
    label="NPV",
    aliases="negative predictive value, neg pred value",
    formula=r"\frac{TN}{M - k}",
    bounds=(0, 1),
    source=DUTCH_DRAW,
    domain=("k < M",),
    constant=lambda total, positives: (total - positives) / total,
    facts="affine, better_with_tp, worse_with_fp",
)
def npv(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tn / (fn + tn)


@measure(
    question="Which share of the samples predicted positive is negative?",
    label="FDR",
    aliases="false discovery rate, false alarm ratio",
    formula=r"\frac{FP}{k}",
    bounds=(0, 1),
    greater_is_better=False,
    source=DUTCH_DRAW,
    domain=("k > 0",),
    constant=lambda total, positives: (total - positives) / total,
    facts="affine, better_with_tp, worse_with_fp, concave_in_precision",
)
def fdr(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fp / (tp + fp)


@measure(
    question="Which share of the samples predicted negative is positive?",
    aliases="FOR, FOMR",
    formula=r"\frac{FN}{M - k}",
    bounds=(0, 1),
    greater_is_better=False,
    source=DUTCH_DRAW,
    domain=("k < M",),
    constant=lambda total, positives: positives / total,
    facts="affine, better_with_tp, worse_with_fp",
)
def false_omission_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fn / (fn + tn)
