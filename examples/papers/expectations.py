"""Table 3 of the Dutch Draw papers: measures that are a line in TP, and their expectations.

    python -m examples.papers.expectations

The slope, intercept and expectation of each row as printed, in fractions: the line against the definition on
every outcome, the expectation against the mean over all draws, counted one by one.

E. P. van de Bijl et al., The Dutch Draw (arXiv 2203.13084; Journal of Applied Probability 2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from examples.papers._beside import Row, cases_that_differ, shown

import clearbar as cb

Formula = Callable[[int, int, Fraction], Fraction]
Line = Callable[[int, int, int], tuple[Fraction | int, Fraction | int]]
TITLE = "Table 3: every draw of 2 to {most} samples"
CLOSE = Fraction(1, 10**14)
"""What a float may be off, and a root of 60 digits."""


def root(number: Fraction | int) -> Fraction:
    """Return a square root."""
    return Fraction(math.sqrt(number))


# The expectation, with theta* = k/M; slope and intercept, with M, P and k.
EXPECTED: dict[str, tuple[str, Formula, Line]] = {
    "tp": ("θ* P", lambda m, p, t: t * p, lambda m, p, k: (1, 0)),
    "tn": ("(1 − θ*) N", lambda m, p, t: (1 - t) * (m - p), lambda m, p, k: (1, m - p - k)),
    "fp": ("θ* N", lambda m, p, t: t * (m - p), lambda m, p, k: (-1, k)),
    "fn": ("(1 − θ*) P", lambda m, p, t: (1 - t) * p, lambda m, p, k: (-1, p)),
    "recall": ("θ*", lambda m, p, t: t, lambda m, p, k: (Fraction(1, p), 0)),
    "specificity": (
        "1 − θ*",
        lambda m, p, t: 1 - t,
        lambda m, p, k: (Fraction(1, m - p), 1 - Fraction(k, m - p)),
    ),
    "fnr": ("1 − θ*", lambda m, p, t: 1 - t, lambda m, p, k: (-Fraction(1, p), 1)),
    "fpr": ("θ*", lambda m, p, t: t, lambda m, p, k: (-Fraction(1, m - p), Fraction(k, m - p))),
    "precision": ("P / M", lambda m, p, t: Fraction(p, m), lambda m, p, k: (Fraction(1, k), 0)),
    "npv": (
        "1 − P / M",
        lambda m, p, t: 1 - Fraction(p, m),
        lambda m, p, k: (Fraction(1, m - k), 1 - Fraction(p, m - k)),
    ),
    "fdr": ("1 − P / M", lambda m, p, t: 1 - Fraction(p, m), lambda m, p, k: (-Fraction(1, k), 1)),
    "false_omission_rate": (
        "P / M",
        lambda m, p, t: Fraction(p, m),
        lambda m, p, k: (-Fraction(1, m - k), Fraction(p, m - k)),
    ),
    "f1": (
        "2 θ* P / (P + M θ*)",
        lambda m, p, t: 2 * t * p / (p + m * t),
        lambda m, p, k: (Fraction(2, p + k), 0),
    ),
    "f2": (
        "5 θ* P / (4 P + M θ*)",
        lambda m, p, t: 5 * t * p / (4 * p + m * t),
        lambda m, p, k: (Fraction(5, 4 * p + k), 0),
    ),
    "informedness": (
        "0",
        lambda m, p, t: Fraction(0),
        lambda m, p, k: (Fraction(1, p) + Fraction(1, m - p), -Fraction(k, m - p)),
    ),
    "markedness": (
        "0",
        lambda m, p, t: Fraction(0),
        lambda m, p, k: (Fraction(1, k) + Fraction(1, m - k), -Fraction(p, m - k)),
    ),
    "accuracy": (
        "((1 − θ*) N + θ* P) / M",
        lambda m, p, t: ((1 - t) * (m - p) + t * p) / m,
        lambda m, p, k: (Fraction(2, m), Fraction(m - p - k, m)),
    ),
    "balanced_accuracy": (
        "1 / 2",
        lambda m, p, t: Fraction(1, 2),
        lambda m, p, k: (Fraction(m, 2 * p * (m - p)), (1 - Fraction(k, m - p)) / 2),
    ),
    "mcc": (
        "0",
        lambda m, p, t: Fraction(0),
        lambda m, p, k: (m / root(p * (m - p) * k * (m - k)), -p * k / root(p * (m - p) * k * (m - k))),
    ),
    "kappa": (
        "0",
        lambda m, p, t: Fraction(0),
        lambda m, p, k: (
            Fraction(2 * m, p * (m - k) + (m - p) * k),
            -Fraction(2 * p * k, p * (m - k) + (m - p) * k),
        ),
    ),
    "fowlkes_mallows": (
        "√(θ* P / M)",
        lambda m, p, t: root(t * p / m),
        lambda m, p, k: (1 / root(p * k), 0),
    ),
}


def mean_by_hand(measure: cb.Measure, line: Line, total: int, positives: int, k: int) -> Fraction | None:
    """Return the mean over all draws of k samples, each counted.

    None where an outcome has no value; an outcome that is not on the line is an error.
    """
    mean, ways = Fraction(0), math.comb(total, k)
    for tp in range(max(0, k - (total - positives)), min(k, positives) + 1):
        cells = tp, k - tp, positives - tp, total - positives - (k - tp)
        if not bool(measure.admissible.holds(cells)):
            return None
        slope, intercept = line(total, positives, k)
        value = Fraction(measure.exactly(*map(Fraction, cells)))
        if abs(value - slope * tp - intercept) > CLOSE:
            raise ValueError(f"{measure.name} is not on the line of Table 3 at {cells}")
        mean += value * math.comb(positives, tp) * math.comb(total - positives, k - tp) / ways
    return mean


def rows(most: int = 9) -> Iterator[Row]:
    """Compare each line and each expectation, everywhere."""
    for name, (printed, formula, line) in EXPECTED.items():
        measure, draws, wrong = cb.get_measure(name), 0, 0
        for total in range(2, most + 1):
            for positives, k in product(range(1, total), range(total + 1)):
                mean = mean_by_hand(measure, line, total, positives, k)
                if mean is not None:
                    draws += 1
                    wrong += abs(mean - formula(total, positives, Fraction(k, total))) > CLOSE
        yield Row(f"{measure.label}: {printed}", str(draws), str(wrong), " ")


def difference(_: str) -> str:
    """Return in how many draws of up to nine samples an expectation differs."""
    return cases_that_differ(rows(), "draws")


def table(most: int = 9) -> str:
    """Return the table as it is shown."""
    return shown(TITLE.format(most=most), rows(most), ("expectation as printed", "draws", "that differ"))


if __name__ == "__main__":
    print(table(12))
