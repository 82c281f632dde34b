"""Tables 1 and 2 of the Dutch Draw papers: the definitions of the measures, and where they have no value.

    python -m examples.papers.domains

Each definition of Table 1 is evaluated, in fractions, on every table of up to eight samples. Where it is a
quotient with the denominator 0, it has no value. The condition that clearbar states for its measure must hold
everywhere else; the condition of Table 2 is compared with both.

E. P. van de Bijl et al., The Dutch Draw (arXiv 2203.13084; Journal of Applied Probability 2024).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from examples.papers._beside import Row, rows_that_differ, shown

import clearbar as cb

TITLE = "Tables 1 and 2: tables of 1 to 8 samples on which a definition has no value"

# Table 1, as products and quotients of P, N, k and the four cells: what is divided by. A root is taken of
# some; whether it is 0 does not depend on that.
DENOMINATORS: dict[str, Callable[[int, int, int, int], tuple[Fraction, ...]]] = {
    "tp": lambda tp, fp, fn, tn: (),
    "accuracy": lambda tp, fp, fn, tn: (Fraction(tp + fp + fn + tn),),
    "recall": lambda tp, fp, fn, tn: (Fraction(tp + fn),),
    "specificity": lambda tp, fp, fn, tn: (Fraction(fp + tn),),
    "precision": lambda tp, fp, fn, tn: (Fraction(tp + fp),),
    "npv": lambda tp, fp, fn, tn: (Fraction(fn + tn),),
    "informedness": lambda tp, fp, fn, tn: (Fraction(tp + fn), Fraction(fp + tn)),
    "markedness": lambda tp, fp, fn, tn: (Fraction(tp + fp), Fraction(fn + tn)),
    "balanced_accuracy": lambda tp, fp, fn, tn: (Fraction(tp + fn), Fraction(fp + tn)),
    "mcc": lambda tp, fp, fn, tn: (Fraction((tp + fn) * (fp + tn) * (tp + fp) * (fn + tn)),),
    "kappa": lambda tp, fp, fn, tn: (Fraction((tp + fn) * (fn + tn) + (fp + tn) * (tp + fp)),),
    "fowlkes_mallows": lambda tp, fp, fn, tn: (Fraction((tp + fn) * (tp + fp)),),
    "g_mean": lambda tp, fp, fn, tn: (Fraction((tp + fn) * (fp + tn)),),
    "threat_score": lambda tp, fp, fn, tn: (Fraction(tp + fp + fn),),
    "f1": lambda tp, fp, fn, tn: (Fraction(2 * tp + fp + fn),),
}

# Table 2: the tables that the papers leave out. With P, k, M and the cells at hand.
LEFT_OUT: dict[str, Callable[[int, int, int], bool]] = {
    "tp": lambda m, p, k: False,
    "accuracy": lambda m, p, k: False,
    "recall": lambda m, p, k: p == 0,
    "specificity": lambda m, p, k: p == m,
    "precision": lambda m, p, k: k == 0,
    "npv": lambda m, p, k: k == m,
    "informedness": lambda m, p, k: p in {0, m},
    "markedness": lambda m, p, k: k in {0, m},
    "balanced_accuracy": lambda m, p, k: p in {0, m},
    "mcc": lambda m, p, k: p in {0, m} or k in {0, m},
    "kappa": lambda m, p, k: False,
    "fowlkes_mallows": lambda m, p, k: p == 0 or k == 0,
    "g_mean": lambda m, p, k: p in {0, m},
    "threat_score": lambda m, p, k: p == 0,
    "f1": lambda m, p, k: p == 0 or k == 0,
}

NOTES = {
    "kappa": "erratum: Table 2 says never",
    "threat_score": "at P = k = 0; else it is 0, which is left out",
    "f1": "at P = k = 0; 0 where k = 0 < P, left out",
}


def tables(most: int = 8) -> Iterator[tuple[int, int, int, int]]:
    """Yield all four cells of 1 to `most` samples."""
    for total in range(1, most + 1):
        for positives in range(total + 1):
            for tp in range(positives + 1):
                for fp in range(total - positives + 1):
                    yield tp, fp, positives - tp, total - positives - fp


def rows(most: int = 8) -> Iterator[Row]:
    """Count, for each measure, the tables without a value: by Table 2, and by Table 1 itself."""
    every = list(tables(most))
    for name, denominators in DENOMINATORS.items():
        domain = cb.get_measure(name).domain
        empty = {cells for cells in every if 0 in denominators(*cells)}
        wrong = [cells for cells in every if bool(domain.holds(cells)) == (cells in empty)]
        if wrong:
            raise ValueError(f"{name}: clearbar's condition {domain} is not that of Table 1 on {wrong[0]}")
        printed = sum(LEFT_OUT[name](sum(cells), cells[0] + cells[2], cells[0] + cells[1]) for cells in every)
        yield Row(cb.get_measure(name).label, f"{printed}", f"{len(empty)}", NOTES.get(name, ""))
    # Table 1 has F as the harmonic mean of precision and recall, which both are 0 where TP is.
    harmonic = sum(cells[0] == 0 for cells in every)
    yield Row("F1, harmonic mean", f"{printed}", f"{harmonic}", "erratum: 0/0 wherever TP = 0")


def difference(item: str) -> str:
    """Return how many definitions have values elsewhere than Table 2 says."""
    return rows_that_differ(rows(), item)


def table() -> str:
    """Return the table as it is shown."""
    return shown(TITLE, rows(), ("measure", "left out", "no value"))


if __name__ == "__main__":
    print(table())
