"""Predictive values: how far a prediction can be believed."""

from __future__ import annotations

from typing import Any

from clearbar.catalogue._declare import measure
from clearbar.catalogue._sources import DUTCH_DRAW


@measure(
    question="Which share of the predicted positives is positive?",
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
    question="Which share of the predicted negatives is negative?",
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
    question="Which share of the predicted positives is negative?",
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
    question="Which share of the predicted negatives is positive?",
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
