"""How surely: p-values and intervals of true scores, beside the tests and intervals that others have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks._case import Case, Section
from benchmarks._inputs import digits, labels, slices

SHARES = 0.23, 0.12, 0.09, 0.56
"""Of tp, fp, fn and tn: a model that clears most bars, and is far from perfect."""

TRACED = "optimized_precision"
"""A measure whose level lines are traced, for it does not always rise in TP and fall in FP."""


def _cases(*, quick: bool) -> Sequence[Case]:
    sizes = (100,) if quick else (100, 10**4, 10**6, 10**12)
    return [
        *(_boschloo(total) for total in ((30,) if quick else (30, 100, 300))),
        *(_interval(name, total, *peer) for name, peer in PEERS.items() for total in sizes[:2]),
        *(_auc(total) for total in sizes[:2]),
        *(_scorecard(total, intervals=False) for total in sizes),
        *(_scorecard(total, intervals=True) for total in sizes),
        _slices(100 if quick else 10**4),
        _traced(10**4),
        _bootstrap_of_scores(10**2 if quick else 10**4),
    ]


def _cells(total: int) -> dict[str, int]:
    tp, fp, fn, _ = (round(share * total) for share in SHARES)
    return {"tp": tp, "fp": fp, "fn": fn, "tn": total - tp - fp - fn}


def _judged(name: str, total: int) -> Any:
    import clearbar as cb

    return cb.evaluate_counts(cb.Counts(**_cells(total)), name)[0]


def _boschloo(total: int) -> Case:
    """Compare the p of MCC, whose bar is where both rates are alike, with Boschloo's exact test of that."""

    def theirs(_: Any) -> float:
        from scipy.stats import boschloo_exact

        cells = _cells(total)
        table = [[cells["tp"], cells["fp"]], [cells["fn"], cells["tn"]]]
        return float(boschloo_exact(table, alternative="two-sided").pvalue)

    def agree(_: Any, ours: float, other: float) -> str:
        assert (ours < 0.05) == (other < 0.05)
        return (
            f"two exact tests of one hypothesis that order tables differently: p {ours:.2g} and {other:.2g}; "
            "the bar, the skill and the blind p-value come with ours"
        )

    title = "is the true MCC above 0?"
    return Case(
        title, f"M = {digits(total)}", lambda: None, lambda _: _judged("mcc", total).p_value, theirs,
        "boschloo_exact", agree,
    )  # fmt: skip


def _clopper_pearson(total: int) -> Callable[[Any], tuple[float, float]]:
    def theirs(_: Any) -> tuple[float, float]:
        from statsmodels.stats.proportion import proportion_confint

        cells = _cells(total)
        low, high = proportion_confint(cells["tp"], cells["tp"] + cells["fn"], method="beta")
        return float(low), float(high)

    return theirs


def _two_proportions(total: int) -> Callable[[Any], tuple[float, float]]:
    def theirs(_: Any) -> tuple[float, float]:
        from statsmodels.stats.proportion import confint_proportions_2indep

        tp, fp, fn, tn = _cells(total).values()
        low, high = confint_proportions_2indep(tp, tp + fn, fp, fp + tn, method="score")
        return float(low), float(high)

    return theirs


def _takahashi(_: int) -> Callable[[Any], tuple[float, float]]:
    def theirs(given: Any) -> tuple[float, float]:
        from confidenceinterval import f1_score

        low, high = f1_score(*given, average="binary")[1]
        return float(low), float(high)

    return theirs


PEERS = {
    "recall": (_clopper_pearson, "statsmodels", "Clopper and Pearson's, a quantile of the beta distribution"),
    "informedness": (
        _two_proportions,
        "statsmodels",
        "Miettinen and Nurminen's score interval, an approximation",
    ),
    "f1": (_takahashi, "confidenceinterval", "Takahashi's, a normal approximation"),
}
"""Who else has an interval of a measure, and which."""


def _interval(name: str, total: int, make: Any, peer: str, method: str) -> Case:
    def inputs() -> Any:
        cells = list(_cells(total).values())
        return np.repeat([1, 0, 1, 0], cells), np.repeat([1, 1, 0, 0], cells)

    def ours(_: Any) -> tuple[float, float]:
        row = _judged(name, total)
        return row.low, row.high

    def agree(_: Any, mine: tuple[float, float], other: tuple[float, float]) -> str:
        assert np.allclose(mine, other, atol=0.5 / total**0.5)
        shown = " and ".join(f"{low:.4f} – {high:.4f}" for low, high in (mine, other))
        return f"{shown}; theirs is {method}; ours is exact, with both p-values"

    return Case(f"95 % interval of {name}", f"M = {digits(total)}", inputs, ours, make(total), peer, agree)


def _scores(total: int) -> tuple[Any, Any]:
    truth, _ = labels(total)
    return truth, truth + np.random.default_rng(1).normal(size=total)


def _auc(total: int) -> Case:
    def ours(given: Any) -> tuple[float, float]:
        import clearbar as cb

        row = cb.evaluate_scores(*given, "roc_auc")[0]
        return row.low, row.high

    def theirs(given: Any) -> tuple[float, float]:
        from confidenceinterval import roc_auc_score

        low, high = roc_auc_score(*given)[1]
        return float(low), float(high)

    def agree(_: Any, mine: tuple[float, float], other: tuple[float, float]) -> str:
        assert np.allclose(mine, other, atol=0.5 / total**0.5)
        shown = " and ".join(f"{low:.4f} – {high:.4f}" for low, high in (mine, other))
        return f"{shown}; both DeLong's, ours on the logit scale, with both p-values"

    return Case(
        "95 % interval of ROC AUC", f"M = {digits(total)}", lambda: _scores(total), ours, theirs,
        "confidenceinterval", agree,
    )  # fmt: skip


def _scorecard(total: int, *, intervals: bool) -> Case:
    def ours(_: Any) -> Any:
        import clearbar as cb

        card = cb.evaluate_counts(cb.Counts(**_cells(total)))
        return [(row.p_value, row.p_value_blind, row.low if intervals else None) for row in card]

    what = "both p-values and intervals" if intervals else "both p-values"
    most = 250 if intervals else 50
    return Case(
        f"six default measures, {what}", f"M = {digits(total)}", lambda: None, ours,
        target=f"target: at most {most} ms",
    )  # fmt: skip


def _slices(number: int) -> Case:
    def inputs() -> Any:
        import clearbar as cb

        return cb.Counts(**slices(number))

    def ours(counts: Any) -> Any:
        import clearbar as cb

        return cb.evaluate_counts(counts)

    def agree(counts: Any, card: Any, _: Any) -> str:
        import clearbar as cb

        for i in range(0, number, number // 10):
            alone = cb.evaluate_counts(counts[i])
            for name in ("p_value", "p_value_blind"):
                got, want = card.columns[name][0, i], alone.columns[name][0, 0]
                assert np.allclose(got, want, rtol=1e-9, atol=0, equal_nan=True), name
        return f"{len(card):,} verdicts"

    title = "six default measures, both p-values, slices of 60 to 200 samples"
    return Case(
        title, f"{digits(number)} slices", inputs, ours, agree=agree, target="target: at most 15 s",
        remark=(
            "two fifths of it sum tails, a quarter finds where they end, an eighth the curves of bars; "
            "three fifths are tests against bars, the rest whether worse bars are refuted as well"
        ),
    )  # fmt: skip


def _traced(total: int) -> Case:
    def ours(_: Any) -> tuple[float, float]:
        row = _judged(TRACED, total)
        return row.low, row.high

    title = f"95 % interval of {TRACED}, whose level lines are traced"
    return Case(title, f"M = {digits(total)}", lambda: None, ours, target="target: at most 50 ms")


def _bootstrap_of_scores(total: int) -> Case:
    def ours(given: Any) -> tuple[float, float]:
        import clearbar as cb

        row = cb.evaluate_scores(*given, "average_precision")[0]
        return row.low, row.high

    return Case(
        "95 % interval of average precision, by resampling", f"M = {digits(total)}", lambda: _scores(total),
        ours, target="target: at most 1 s",
    )  # fmt: skip


SECTION = Section(
    "verdicts",
    "How surely",
    """\
p-values of the true score and of labels in random order, and intervals of the true score. The others have a
test or an interval for one measure each; ours are one test for every measure. How often resampled and
approximate intervals hold the true score is simulated by `benchmarks/coverage_scores.py`, and stands in
[scores.md](scores.md).""",
    _cases,
    packages=("scipy.stats", "statsmodels.stats.proportion", "confidenceinterval"),
)
