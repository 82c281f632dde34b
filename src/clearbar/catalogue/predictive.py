"""Predictive values: how far a prediction can be believed."""

from __future__ import annotations

from typing import Any

from clearbar.catalogue._constants import share_of_negatives, share_of_positives
from clearbar.catalogue._declare import measure
from clearbar.catalogue._domain import predicts_negatives, predicts_positives
from clearbar.catalogue._sources import DUTCH_DRAW


@measure(
    question="Which share of the predicted positives is positive?",
    aliases=(
        "PPV",
        "positive predictive value",
        "pos pred value",
        "success ratio",
        "precision_score",
    ),
    symbol=r"\mathrm{PPV}",
    formula=r"\frac{TP}{k}",
    source=DUTCH_DRAW,
    domain=predicts_positives,
    shape="constant",
    constant=share_of_positives,
    better_with_tp=True,
    worse_with_fp=True,
)
def precision(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp / (tp + fp)


@measure(
    question="Which share of the predicted negatives is negative?",
    label="NPV",
    aliases=("negative predictive value", "neg pred value"),
    symbol=r"\mathrm{NPV}",
    formula=r"\frac{TN}{M - k}",
    source=DUTCH_DRAW,
    domain=predicts_negatives,
    shape="constant",
    constant=share_of_negatives,
    better_with_tp=True,
    worse_with_fp=True,
)
def npv(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tn / (fn + tn)


@measure(
    question="Which share of the predicted positives is negative?",
    label="FDR",
    aliases=("false discovery rate", "false alarm ratio"),
    symbol=r"\mathrm{FDR}",
    formula=r"\frac{FP}{k}",
    greater_is_better=False,
    source=DUTCH_DRAW,
    domain=predicts_positives,
    shape="constant",
    constant=share_of_negatives,
    better_with_tp=True,
    worse_with_fp=True,
)
def fdr(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fp / (tp + fp)


@measure(
    question="Which share of the predicted negatives is positive?",
    aliases=("FOR", "FOMR"),
    symbol=r"\mathrm{FOR}",
    formula=r"\frac{FN}{M - k}",
    greater_is_better=False,
    source=DUTCH_DRAW,
    domain=predicts_negatives,
    shape="constant",
    constant=share_of_positives,
    better_with_tp=True,
    worse_with_fp=True,
)
def false_omission_rate(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fn / (fn + tn)
