"""Costs, benefits and gains: errors with prices, and what is left of the bar."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from clearbar.catalogue._arithmetic import determinant
from clearbar.catalogue._declare import EVERYTHING_POSITIVE, GAINS, WILKS, family, measure


@family(
    question="How many more positives are treated per sample, when w of them pay for a false alarm?",
    listed={"w": 1},
    aliases="NB, decision curve net benefit",
    symbol=lambda w: rf"\mathrm{{NB}}_{{{float(w):g}}}",
    formula=r"\frac{TP - w\,FP}{M},\ w = \frac{p_t}{1 - p_t}",
    bounds=lambda w: (-float(w), 1),
    source="Vickers & Elkin, Decision curve analysis: a novel method for evaluating prediction "
    "models, Medical Decision Making 26(6), 2006",
    domain=("always",),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp",
)
def net_benefit(tp: Any, fp: Any, fn: Any, tn: Any, *, w: Any) -> Any:
    return (tp - w * fp) / (tp + fp + fn + tn)


@family(
    question="Which share of the greatest possible net benefit is reached?",
    listed={"w": 1},
    aliases="sNB, relative utility",
    symbol=lambda w: rf"\mathrm{{sNB}}_{{{float(w):g}}}",
    formula=r"\frac{TP - w\,FP}{P},\ w = \frac{p_t}{1 - p_t}",
    bounds=(-inf, 1),
    source="Baker, Cook, Vickers & Kramer, Using relative utility curves to evaluate risk "
    "prediction, Journal of the Royal Statistical Society A 172(4), 2009",
    domain=("P > 0",),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp",
)
def standardized_net_benefit(tp: Any, fp: Any, fn: Any, tn: Any, *, w: Any) -> Any:
    return (tp - w * fp) / (tp + fn)


@family(
    question="What does a sample cost when misses and false alarms have prices?",
    listed={"c_fn": 5, "c_fp": 1},
    aliases="cost matrix loss, cost",
    symbol=lambda c_fn, c_fp: rf"\mathrm{{cost}}_{{{float(c_fn):g}:{float(c_fp):g}}}",
    formula=r"\frac{c_{FN}\,FN + c_{FP}\,FP}{M}",
    bounds=lambda c_fn, c_fp: (0, float(max(c_fn, c_fp)) or inf),
    greater_is_better=False,
    source="Elkan, The foundations of cost-sensitive learning, IJCAI, 2001",
    domain=("always",),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp",
)
def expected_cost(tp: Any, fp: Any, fn: Any, tn: Any, *, c_fn: Any, c_fp: Any) -> Any:
    return (c_fn * fn + c_fp * fp) / (tp + fp + fn + tn)


@measure(
    question="How much of the way from the prevalence to 1 does precision go, on a harmonic scale?",
    aliases="precG, prec gain",
    symbol=r"\mathrm{precG}",
    formula=r"1 - \frac{P}{N}\,\frac{FP}{TP}",
    bounds=(-inf, 1),
    source=GAINS,
    domain=("TP > 0", "N > 0"),
    facts="smooth, better_with_tp, worse_with_fp",
)
def precision_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return determinant(tp, fp, fn, tn) / (tp * (fp + tn))


@measure(
    question="How much of the way from the prevalence to 1 does recall go, on a harmonic scale?",
    aliases="recG, rec gain",
    symbol=r"\mathrm{recG}",
    formula=r"1 - \frac{P}{N}\,\frac{FN}{TP}",
    bounds=(-inf, 1),
    source=GAINS,
    domain=("TP > 0", "N > 0"),
    caution=EVERYTHING_POSITIVE,
    facts="smooth, better_with_tp, worse_with_fp",
)
def recall_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    negatives = fp + tn
    return determinant(tp, fn, tp + fn, negatives) / (tp * negatives)


@measure(
    question="How much of the way from the prevalence to 1 does F1 go, on a harmonic scale?",
    label="F1 gain",
    aliases="FG1, F1 gain score",
    symbol=r"\mathrm{FG}_1",
    formula=r"1 - \frac{P}{N}\,\frac{FP + FN}{2\,TP}",
    bounds=(-inf, 1),
    source=GAINS,
    domain=("TP > 0", "N > 0"),
    caution="Predicting everything positive already reaches 1/2.",
    facts="smooth, better_with_tp, worse_with_fp",
)
def f1_gain(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    twice, negatives = 2 * tp, fp + tn
    return determinant(twice, fp + fn, tp + fn, negatives) / (twice * negatives)


@measure(
    question="Which share of the errors of always predicting the larger class is avoided?",
    aliases="accuracy skill score, proportional reduction in error",
    symbol=r"\mathrm{SS}_{\mathrm{ACC}}",
    formula=r"\frac{ACC - NIR}{1 - NIR},\ NIR = \frac{\max(P, N)}{M}",
    bounds=(-inf, 1),
    source=WILKS,
    domain=("P > 0", "N > 0"),
    shape="monotone",
    facts="affine, better_with_tp, worse_with_fp",
)
def accuracy_skill(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    smaller = np.minimum(tp + fn, fp + tn)
    return (smaller - fp - fn) / smaller
