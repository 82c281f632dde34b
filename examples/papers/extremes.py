"""Table 4 of the Dutch Draw papers: the largest and smallest expectation of each measure, and their k.

    python -m examples.papers.extremes

Each row as printed, errata apart, against clearbar's bars: all class sizes of up to ten samples, among them
those of one class alone, and some of up to 10^12.

E. P. van de Bijl et al., The Dutch Draw (arXiv 2203.13084; Journal of Applied Probability 2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from examples.papers._beside import Row, cases_that_differ, shown

import clearbar as cb

TITLE = "Table 4: the largest and smallest expectation, and where"
CLOSE = 1e-12
SIZES = [(m, p) for m in range(1, 11) for p in range(m + 1)]
SIZES += [(303, 139), (306, 153), (10**6, 1), (10**12, 5), (10**12, 10**12 - 1)]

Number = Fraction | float
End = tuple[Number, int, int]
"""An expectation, and the first and last k that have it."""
Ends = Callable[[int, int], tuple[End, End] | None]
"""The largest and the smallest for M and P; None where no draw has a value."""


def constant(value: Callable[[int, int], Number], first: int = 0, before: int = 0, least: int = 0) -> Ends:
    """Every k from `first` to M - `before` expects the same; `least` samples of both classes are needed."""

    def ends(m: int, p: int) -> tuple[End, End] | None:
        end = value(m, p), first, m - before
        return (end, end) if first <= m - before and min(p, m - p) >= least else None

    return ends


def at_ends(
    all_positive: Callable[[int, int], Number],
    none_positive: Callable[[int, int], Number],
    positives: int = 0,
    negatives: int = 0,
) -> Ends:
    """The extremes are at k = M and k = 0; every k where both are the same."""

    def ends(m: int, p: int) -> tuple[End, End] | None:
        if p < positives or m - p < negatives:
            return None
        both = [(all_positive(m, p), m, m), (none_positive(m, p), 0, 0)]
        if both[0][0] == both[1][0]:
            both = [(both[0][0], 0, m)] * 2
        return max(both), min(both)

    return ends


def f_score(weight: int) -> Ends:
    """Largest at k = M, smallest at k = 1, with P."""
    return lambda m, p: (
        (
            (Fraction((1 + weight) * p, weight * p + m), m, m),
            (Fraction((1 + weight) * p, m * (weight * p + 1)), 1, 1),
        )
        if p
        else None
    )


def kappa(m: int, p: int) -> tuple[End, End]:
    """0 at every k, but for the two at which it is 0/0."""
    end = 0, int(p == 0), m - (p == m)
    return end, end


def fowlkes_mallows(m: int, p: int) -> tuple[End, End] | None:
    """Largest at k = M, smallest at k = 1."""
    return ((math.sqrt(p / m), m, m), (math.sqrt(p) / m, 1, 1)) if p else None


def threat_score(m: int, p: int) -> tuple[End, End] | None:
    """Largest at k = M, with one positive at every k from 1 on; 0 at k = 0."""
    return ((Fraction(p, m), 1 if p == 1 else m, m), (0, 0, 0)) if p else None


def nothing(*_: int) -> int:
    """Return 0."""
    return 0


def share(m: int, p: int) -> Fraction:
    """Return P / M."""
    return Fraction(p, m)


def other_share(m: int, p: int) -> Fraction:
    """Return N / M."""
    return Fraction(m - p, m)


EXTREMES: dict[str, Ends] = {
    "tp": at_ends(lambda m, p: p, nothing),
    "tn": at_ends(nothing, lambda m, p: m - p),
    "fn": at_ends(nothing, lambda m, p: p),
    "fp": at_ends(lambda m, p: m - p, nothing),
    "recall": at_ends(lambda m, p: 1, nothing, positives=1),
    "specificity": at_ends(nothing, lambda m, p: 1, negatives=1),
    "fnr": at_ends(nothing, lambda m, p: 1, positives=1),
    "fpr": at_ends(lambda m, p: 1, nothing, negatives=1),
    "precision": constant(share, first=1),
    "npv": constant(other_share, before=1),
    "fdr": constant(other_share, first=1),
    "false_omission_rate": constant(share, before=1),
    "f1": f_score(1),
    "f2": f_score(4),
    "informedness": constant(nothing, least=1),
    "markedness": constant(nothing, first=1, before=1),
    "accuracy": at_ends(share, other_share),
    "balanced_accuracy": constant(lambda m, p: Fraction(1, 2), least=1),
    "mcc": constant(nothing, first=1, before=1, least=1),
    "kappa": kappa,
    "fowlkes_mallows": fowlkes_mallows,
    "threat_score": threat_score,
}
NOTES = {
    "kappa": "erratum: at P = 0 all k are printed, k = 0 among them",
    "threat_score": "erratum: arXiv lacks P = 1, where all k from 1 on are best",
}


def comes_out(name: str, m: int, p: int) -> bool:
    """Tell whether a bar has the values of Table 4 at the k of Table 4."""
    bar, ends = cb.baseline(cb.Population(m, p), name), EXTREMES[name](m, p)
    if ends is None:
        return bar.max.predicted_positives == bar.min.predicted_positives == ()
    for side, (value, first, last) in zip((bar.max, bar.min), ends, strict=True):
        where = side.predicted_positives
        if m > 10**6 and not bar.measure.affine:  # one range that is within 1e-12 of the best
            where = (range(first, last + 1),) if len(where) == 1 and first in where[0] else ()
        if where != (range(first, last + 1),) or not math.isclose(side.value, value, rel_tol=CLOSE):
            return False
    return True


def rows() -> Iterator[Row]:
    """Compare each row at all class sizes."""
    for name in EXTREMES:
        wrong = sum(not comes_out(name, *sizes) for sizes in SIZES)
        yield Row(cb.get_measure(name).label, str(len(SIZES)), str(wrong), NOTES.get(name, " "))


def difference(_: str) -> str:
    """Return at how many class sizes a row differs."""
    return cases_that_differ(rows(), "bars")


def table() -> str:
    """Return the table as it is shown."""
    return shown(TITLE, rows(), ("measure", "class sizes", "that differ"))


if __name__ == "__main__":
    print(table())
