"""The four cells themselves."""

from __future__ import annotations

from math import inf
from typing import Any

from clearbar.catalogue._declare import EVERYTHING_NEGATIVE, EVERYTHING_POSITIVE, measure
from clearbar.catalogue._sources import DUTCH_DRAW


@measure(
    question="How many positives were found?",
    label="TP",
    aliases="true positives, hits, true positive",
    formula=r"TP",
    bounds=(0, inf),
    source=DUTCH_DRAW,
    domain=("always",),
    shape="monotone",
    caution=EVERYTHING_POSITIVE,
    facts="affine, better_with_tp, worse_with_fp",
)
def tp(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tp


@measure(
    question="How many negatives were left alone?",
    label="TN",
    aliases="true negatives, correct rejections, true negative",
    formula=r"TN",
    bounds=(0, inf),
    source=DUTCH_DRAW,
    domain=("always",),
    shape="monotone",
    caution=EVERYTHING_NEGATIVE,
    facts="affine, better_with_tp, worse_with_fp",
)
def tn(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return tn


@measure(
    question="How many negatives raised an alarm?",
    label="FP",
    aliases="false positives, false alarms, type I errors, false positive",
    formula=r"FP",
    bounds=(0, inf),
    greater_is_better=False,
    source=DUTCH_DRAW,
    domain=("always",),
    shape="monotone",
    caution=EVERYTHING_NEGATIVE,
    facts="affine, better_with_tp, worse_with_fp",
)
def fp(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fp


@measure(
    question="How many positives were missed?",
    label="FN",
    aliases="false negatives, misses, type II errors, false negative",
    formula=r"FN",
    bounds=(0, inf),
    greater_is_better=False,
    source=DUTCH_DRAW,
    domain=("always",),
    shape="monotone",
    caution=EVERYTHING_POSITIVE,
    facts="affine, better_with_tp, worse_with_fp",
)
def fn(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    return fn
