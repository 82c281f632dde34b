"""F scores and overlap coefficients: how well two sets of positives coincide."""

from __future__ import annotations

from typing import Any

import numpy as np

from clearbar.measures._domain import has_positives, involves_positives, predicts_positives
from clearbar.measures._entry import family, measure

_RIJSBERGEN = "van Rijsbergen, Information Retrieval, 1979, ch. 7"


@measure(
    aliases=("f1_score", "F-score", "Dice", "Sørensen", "F1 measure"),
    symbol=r"F_1",
    formula=r"\frac{2\,TP}{2\,TP + FP + FN}",
    source=_RIJSBERGEN,
    domain=involves_positives,
    requires=has_positives & predicts_positives,
    shape="monotone",
    better_with_tp=True,
    worse_with_fp=True,
)
def f1(tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
    """How well do precision and recall balance?"""
    return 2 * tp / (2 * tp + fp + fn)


@family(
    listed={"beta": 2},
    default={"beta": 1},
    allowed={"beta": (0, np.inf, True)},
    label=lambda beta: f"f{beta:.12g}",
    aliases=("FBETA",),
    symbol=lambda beta: rf"F_{{{float(beta):g}}}",
    formula=r"\frac{(1+\beta^2)\,TP}{(1+\beta^2)\,TP + \beta^2\,FN + FP}",
    source=_RIJSBERGEN,
    domain=involves_positives,
    requires=has_positives & predicts_positives,
    shape="monotone",
    better_with_tp=True,
    worse_with_fp=True,
)
def fbeta(tp: Any, fp: Any, fn: Any, tn: Any, *, beta: Any) -> Any:
    """How well do precision and recall balance when recall weighs beta times as much?"""
    square = beta * beta
    return (1 + square) * tp / ((1 + square) * tp + square * fn + fp)
