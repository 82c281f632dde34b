"""Against the package DutchDraw, which this one follows."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks._case import Case, Section, Work
from benchmarks._inputs import digits, forget_bars, labels

NAMES = {
    "TP": "tp",
    "TN": "tn",
    "FP": "fp",
    "FN": "fn",
    "TPR": "recall",
    "TNR": "specificity",
    "FPR": "fpr",
    "FNR": "fnr",
    "PPV": "precision",
    "NPV": "npv",
    "FDR": "fdr",
    "FOR": "for",
    "ACC": "accuracy",
    "BACC": "balanced_accuracy",
    "FBETA": "f1",
    "MCC": "mcc",
    "J": "informedness",
    "MK": "markedness",
    "KAPPA": "kappa",
    "FM": "fowlkes_mallows",
    "G2": "g_mean",
    "TS": "threat_score",
}
"""Its 22 measures, and what they are called here."""

SEARCHED = ("G2",)
CLOSED = tuple(name for name in NAMES if name not in SEARCHED)
CAP = 30.0
"""Seconds after which its search is stopped."""

CHECKED = "here labels are checked and every bar is rounded once from exact fractions, at any size alike"
"""Why a closed form takes longer here where there are few samples."""

PEER = "DutchDraw"


def few_positives(size: int) -> Any:
    """Return labels with 10 % positive: the older search takes in proportion to them."""
    return labels(size, positive=0.1)


def _cases(*, quick: bool) -> Sequence[Case]:
    sizes = (100,) if quick else (100, 1_000)
    closed = [
        _bars("optimal baselines, its 21 closed forms", size, CLOSED)
        for size in (*sizes, *(() if quick else (10**4, 10**5)))
    ]
    together = [
        _bars(
            "optimal baselines, all 22" + (", its sleep taken out" if awake else ""),
            size,
            tuple(NAMES),
            awake=awake,
        )
        for size in sizes
        for awake in ((False, True) if size < 1_000 else (False,))
    ]
    beyond = [] if quick else [_beyond()]
    scored = [_scores(size) for size in ((10**4,) if quick else (10**4, 10**5, 10**6))]
    return [*closed, *together, *beyond, *scored]


def ours_for(names: Sequence[str]) -> Work:
    """Return what finds our bars of these measures, from labels."""

    def bars(inputs: Any) -> Any:
        import clearbar as cb

        forget_bars()
        return [cb.baseline(inputs[0], NAMES[name]) for name in names]

    return bars


def theirs_for(names: Sequence[str], *, awake: bool) -> Work:
    """Return what finds its optima; ``awake`` takes its sleep out."""

    def optima(inputs: Any) -> Any:
        import DutchDraw

        module = DutchDraw.DutchDraw
        kept = module.time
        if awake:
            module.time = SimpleNamespace(sleep=lambda _: None)
        try:
            return [module.optimized_baseline_statistics(inputs[0], name) for name in names]
        finally:
            module.time = kept

    return optima


def _bars(title: str, size: int, names: Sequence[str], *, awake: bool = False) -> Case:
    def agree(_: Any, ours: Any, theirs: Any) -> None:
        for name, bar, statistics in zip(names, ours, theirs, strict=True):
            assert np.isclose(
                float(bar.max.value), statistics["Max Expected Value"], rtol=1e-9, atol=1e-12
            ), name

    return Case(
        title,
        f"M = {digits(size)}",
        lambda: few_positives(size),
        ours_for(names),
        theirs_for(names, awake=awake),
        PEER,
        agree,
        repeats=None if not set(SEARCHED) & set(names) else 3 if size < 1_000 else 1,
        remark="" if set(SEARCHED) & set(names) or size > 1_000 else CHECKED,
    )


def _beyond() -> Case:
    """Ask for what it does not finish, and say how long its own growth makes it."""
    return Case(
        "optimal baseline of G-mean",
        "M = 1e4",
        lambda: few_positives(10**4),
        ours_for(SEARCHED),
        theirs_for(SEARCHED, awake=True),
        PEER,
        lambda *_: _growth(),
        patience=CAP,
    )


def _growth() -> str:
    """Time its search at sizes that it finishes, and extrapolate."""
    search = theirs_for(SEARCHED, awake=True)
    search(few_positives(100))
    sizes, seconds = (500, 1_000), []
    for size in sizes:
        given = few_positives(size)
        start = time.perf_counter()
        search(given)
        seconds.append(time.perf_counter() - start)
    power = math.log2(seconds[1] / seconds[0])
    minutes = seconds[1] * 10**power / 60
    growth = f"its own growth from M = 500 to 1,000, as M^{power:.1f}"
    return f"{growth}, makes it about {minutes:.0f} minutes or more"


def _scores(size: int) -> Case:
    def ours(inputs: Any) -> Any:
        import clearbar as cb

        counts = cb.count(*inputs)
        return [cb.get_measure(name)(counts) for name in NAMES.values()]

    def theirs(inputs: Any) -> Any:
        import DutchDraw

        scores = []
        for name in NAMES:
            try:
                scores.append(DutchDraw.measure_score(*inputs, name))
            except ValueError:
                scores.append(math.nan)
        return scores

    def agree(_: Any, ours: Any, theirs: Any) -> str:
        apart = [
            name for name, a, b in zip(NAMES, ours, theirs, strict=True) if not np.isclose(a, b, rtol=1e-9)
        ]
        assert set(apart) <= {"MCC"}, apart
        return "its MCC overflows: wrong, or an error; the other 21 agree" if apart else ""

    return Case(
        "scores from labels, all 22",
        f"{digits(size)} samples",
        lambda: few_positives(size),
        ours,
        theirs,
        PEER,
        agree,
    )


SECTION = Section(
    "dutchdraw",
    "The package DutchDraw",
    "The older package from PyPI, on the 22 measures that it knows; both sides start from labels, 10 % of "
    "them positive. Its search for the best draw of the G-mean sleeps for two seconds on purpose: it is "
    "shown as it is and with that sleep taken out.",
    _cases,
    packages=("DutchDraw",),
)
