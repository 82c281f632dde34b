"""Tables 3 and 4 of the Dutch Draw papers: expectations, and their largest and smallest values.

    python -m examples.papers.expectations

Every formula as printed, in fractions, against the mean over all draws, counted one by one; and clearbar's
largest and smallest expectation against those of the counted ones.

E. P. van de Bijl et al., The Dutch Draw (arXiv 2203.13084; Journal of Applied Probability 2024).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction

from examples.papers._beside import Row, cases_that_differ, shown

import clearbar as cb

Formula = Callable[[int, int, Fraction], Fraction]
TITLE = "Tables 3 and 4: every draw of 2 to {most} samples; and the largest and smallest"
CLOSE = Fraction(1, 10**14)
"""What a float may be off, and a root of 60 digits."""

# Table 3, the expectation, with theta* = k/M.
EXPECTED: dict[str, tuple[str, Formula]] = {
    "tp": ("θ* P", lambda m, p, t: t * p),
    "tn": ("(1 − θ*) N", lambda m, p, t: (1 - t) * (m - p)),
    "fp": ("θ* N", lambda m, p, t: t * (m - p)),
    "fn": ("(1 − θ*) P", lambda m, p, t: (1 - t) * p),
    "recall": ("θ*", lambda m, p, t: t),
    "specificity": ("1 − θ*", lambda m, p, t: 1 - t),
    "fnr": ("1 − θ*", lambda m, p, t: 1 - t),
    "fpr": ("θ*", lambda m, p, t: t),
    "precision": ("P / M", lambda m, p, t: Fraction(p, m)),
    "npv": ("1 − P / M", lambda m, p, t: 1 - Fraction(p, m)),
    "fdr": ("1 − P / M", lambda m, p, t: 1 - Fraction(p, m)),
    "false_omission_rate": ("P / M", lambda m, p, t: Fraction(p, m)),
    "f1": ("2 θ* P / (P + M θ*)", lambda m, p, t: 2 * t * p / (p + m * t)),
    "f2": ("5 θ* P / (4 P + M θ*)", lambda m, p, t: 5 * t * p / (4 * p + m * t)),
    "informedness": ("0", lambda m, p, t: Fraction(0)),
    "markedness": ("0", lambda m, p, t: Fraction(0)),
    "accuracy": ("((1 − θ*) N + θ* P) / M", lambda m, p, t: ((1 - t) * (m - p) + t * p) / m),
    "balanced_accuracy": ("1 / 2", lambda m, p, t: Fraction(1, 2)),
    "mcc": ("0", lambda m, p, t: Fraction(0)),
    "kappa": ("0", lambda m, p, t: Fraction(0)),
}


def by_hand(measure: cb.Measure, total: int, positives: int, k: int) -> Fraction | None:
    """Return the mean over all draws of k samples, each counted; None where an outcome has no value."""
    mean, ways = Fraction(0), math.comb(total, k)
    for tp in range(max(0, k - (total - positives)), min(k, positives) + 1):
        cells = tp, k - tp, positives - tp, total - positives - (k - tp)
        if not bool(measure.admissible.holds(cells)):
            return None
        weight = math.comb(positives, tp) * math.comb(total - positives, k - tp)
        mean += Fraction(measure.exactly(*map(Fraction, cells))) * weight / ways
    return mean


def rows(most: int = 9) -> Iterator[Row]:
    """Compare each expectation, and the extremes over the draws, everywhere."""
    for name, (printed, formula) in EXPECTED.items():
        measure, draws, wrong = cb.get_measure(name), 0, 0
        for total in range(2, most + 1):
            for positives in range(1, total):
                every = {k: by_hand(measure, total, positives, k) for k in range(total + 1)}
                known = {k: value for k, value in every.items() if value is not None}
                draws += len(known)
                wrong += sum(
                    abs(value - formula(total, positives, Fraction(k, total))) > CLOSE
                    for k, value in known.items()
                )
                bar = cb.baseline(cb.Population(total, positives), name)
                wrong += abs(Fraction(bar.max.value) - max(known.values())) > CLOSE
                wrong += abs(Fraction(bar.min.value) - min(known.values())) > CLOSE
        yield Row(f"{measure.label}: {printed}", str(draws), str(wrong), " ")


def difference(_: str) -> str:
    """Return in how many draws of up to nine samples an expectation differs."""
    return cases_that_differ(rows(), "draws")


def table(most: int = 9) -> str:
    """Return the table as it is shown."""
    return shown(TITLE.format(most=most), rows(most), ("expectation as printed", "draws", "that differ"))


if __name__ == "__main__":
    print(table(12))
