"""The four cells themselves."""

from __future__ import annotations

from typing import Any

from clearbar.catalogue._declare import measure
from clearbar.catalogue._sources import DUTCH_DRAW

_EVERYTHING_POSITIVE = "Predicting everything positive reaches the best value."
_EVERYTHING_NEGATIVE = "Predicting everything negative reaches the best value."


@measure(
    question="How many positives were found?",
    label="TP",
    aliases=("true positives", "hits", "true positive"),
    symbol=r"\mathrm{TP}",
    formula=r"TP",
    bounds=(0, float("inf")),
    source=DUTCH_DRAW,
    shape="monotone",
    better_with_tp=True,
    worse_with_fp=True,
    caution=_EVERYTHING_POSITIVE,
)
def tp(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp


@measure(
    question="How many negatives were left alone?",
    label="TN",
    aliases=("true negatives", "correct rejections", "true negative"),
    symbol=r"\mathrm{TN}",
    formula=r"TN",
    bounds=(0, float("inf")),
    source=DUTCH_DRAW,
    shape="monotone",
    better_with_tp=True,
    worse_with_fp=True,
    caution=_EVERYTHING_NEGATIVE,
)
def tn(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tn


@measure(
    question="How many negatives raised an alarm?",
    label="FP",
    aliases=("false positives", "false alarms", "type I errors", "false positive"),
    symbol=r"\mathrm{FP}",
    formula=r"FP",
    bounds=(0, float("inf")),
    greater_is_better=False,
    source=DUTCH_DRAW,
    shape="monotone",
    better_with_tp=True,
    worse_with_fp=True,
    caution=_EVERYTHING_NEGATIVE,
)
def fp(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fp


@measure(
    question="How many positives were missed?",
    label="FN",
    aliases=("false negatives", "misses", "type II errors", "false negative"),
    symbol=r"\mathrm{FN}",
    formula=r"FN",
    bounds=(0, float("inf")),
    greater_is_better=False,
    source=DUTCH_DRAW,
    shape="monotone",
    better_with_tp=True,
    worse_with_fp=True,
    caution=_EVERYTHING_POSITIVE,
)
def fn(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fn
