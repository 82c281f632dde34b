"""Against pycm: the whole table of measures from labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks._case import Case, Section
from benchmarks._inputs import digits, labels

SAME = {
    "TPR": "recall",
    "TNR": "specificity",
    "PPV": "precision",
    "NPV": "npv",
    "ACC": "accuracy",
    "F1": "f1",
    "F2": "f2",
    "MCC": "mcc",
    "BM": "informedness",
    "MK": "markedness",
    "G": "fowlkes_mallows",
    "GM": "g_mean",
    "J": "threat_score",
    "DOR": "diagnostic_odds_ratio",
    "Q": "yule_q",
    "OP": "optimized_precision",
    "AGM": "adjusted_geometric_mean",
    "ICSI": "icsi",
}
"""Measures that both have, under their names."""


MORE = "six bars, skills and p-values"


def _cases(*, quick: bool) -> Sequence[Case]:
    sizes = (10**4,) if quick else (10**4, 10**5, 10**6)
    return [
        *(_case("all scores", size, _scores) for size in sizes),
        *(_case(f"all scores, {MORE}", size, _judged, f"the {MORE} are ours alone") for size in sizes),
    ]


def _scores(given: Any) -> dict[str, float]:
    import clearbar as cb

    counts = cb.count(*given)
    return {measure.name: measure(counts) for measure in cb.measures()}


def _judged(given: Any) -> dict[str, float]:
    import clearbar as cb

    counts = cb.count(*given)
    cb.evaluate_counts(counts)
    return {measure.name: measure(counts) for measure in cb.measures()}


def _pycm(given: Any) -> Any:
    from pycm import ConfusionMatrix

    matrix = ConfusionMatrix(*given)
    return {name: values[1] for name, values in matrix.class_stat.items()}, matrix.overall_stat


def _case(title: str, size: int, ours: Any, remark: str = "") -> Case:
    def agree(_: Any, a: Any, b: Any) -> str:
        for its, name in SAME.items():
            np.testing.assert_allclose(float(a[name]), float(b[0][its]), rtol=1e-9, err_msg=name)
        theirs = f"there {len(b[0])} for each class and {len(b[1])} for both"
        return f"{len(a)} measures here; {theirs}; {len(SAME)} compared"

    return Case(
        title, f"{digits(size)} samples", lambda: labels(size), ours, _pycm, "pycm", agree, remark=remark
    )


SECTION = Section(
    "pycm_table",
    "pycm: the whole table",
    "Every measure that each side knows, from labels. The second block lets this side also find the bars, "
    "skills and p-values of the six default measures, for which pycm has no counterpart.",
    _cases,
    packages=("pycm",),
)
