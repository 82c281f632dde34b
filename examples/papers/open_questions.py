"""What the papers left open, as far as it can be counted.

    python -m examples.papers.open_questions

Each line is a claim of docs/open_questions.md, tried on every case up to a size.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

import numpy as np
from examples.papers._beside import Row, cases_that_differ, shown

import clearbar as cb

TITLE = "What the papers left open: cases tried, and cases in which the claim fails"


def expected(measure: str, total: int, positives: int) -> np.ndarray:
    """Return the expectation for every k."""
    return np.asarray(cb.baseline(cb.Population(total, positives), measure).curve()[1])


def conjecture(most: int) -> Row:
    """The journal's: the best share of positives of G-mean is at least 1/2 where positives are the rarer."""
    tried = failed = 0
    for total in range(2, most + 1):
        positives = np.arange(1, (total + 1) // 2)
        if positives.size:
            bars = cb.baseline(cb.Population(np.full(positives.shape, total), positives), "g_mean")
            tried += positives.size
            failed += int(np.sum(2 * bars.max.predicted_positives < total))
    return Row(f"G-mean: θ* ≥ 1/2 where P < N (M ≤ {most})", f"{tried:,}", str(failed), " ")


def concave(measure: str, most: int) -> Row:
    """The expectation is concave in k."""
    tried = failed = 0
    for total in range(3, most + 1):
        for positives in range(1, total):
            bends = np.diff(expected(measure, total, positives), 2)
            tried += bends.size
            failed += int(np.sum(bends > 1e-12))
    label = cb.get_measure(measure).label
    return Row(f"{label}: its expectation is concave in k (M ≤ {most})", f"{tried:,}", str(failed), " ")


def constant_is_best(measure: str, most: int) -> Row:
    """Of three classes, calling everything one class expects most."""
    tried = failed = 0
    for sizes in product(range(1, most), repeat=3):
        if sum(sizes) <= most and sizes == tuple(sorted(sizes, reverse=True)):
            bar = cb.baseline(cb.ClassSizes(dict(zip("ABC", sizes, strict=True))), measure)
            tried += 1
            failed += best_constant(measure, sizes) < float(bar.value) - 1e-12
    label = cb.get_measure(measure, "multiclass").label
    return Row(
        f"three classes, {label}: one class for all is best (M ≤ {most})", str(tried), str(failed), " "
    )


def best_constant(measure: str, sizes: tuple[int, ...]) -> float:
    """Return the most that one class for all samples scores."""
    names = "ABC"
    scores = []
    for answer in range(len(sizes)):
        matrix = np.zeros((len(sizes), len(sizes)), dtype=int)
        matrix[:, answer] = sizes
        card = cb.evaluate_multiclass(
            cb.ConfusionMatrix(matrix, labels=list(names[: len(sizes)])), measures=[measure], intervals=False
        )
        scores.append(card[0].score)
    return max(score for score in scores if math.isfinite(score))


def average_precision(most: int) -> Row:
    """A random ranking without ties expects (P-1)/(M-1) + N H(M)/(M(M-1)): counted over all rankings."""
    tried = failed = 0
    for total in range(2, most + 1):
        for positives in range(1, total):
            hits = [bits for bits in product([0, 1], repeat=total) if sum(bits) == positives]
            values = [
                sum(Fraction(sum(bits[: i + 1]), i + 1) for i in range(total) if bits[i]) / positives
                for bits in hits
            ]
            bar = cb.baseline(cb.Population(total, positives), "average_precision").value
            tried += 1
            failed += abs(float(sum(values) / len(values)) - float(bar)) > 1e-12
    return Row(f"average precision: the bar is a random ranking's (M ≤ {most})", str(tried), str(failed), " ")


def told_after_each(most: int) -> Row:
    """With m labels of both classes, told after each guess, m + 4^m / (2 binom(2m, m)) - 1/2 are right."""
    right = {(p, n): Fraction(max(p, n)) for p in range(most + 1) for n in range(most + 1) if not p * n}
    for p, n in product(range(1, most + 1), repeat=2):
        right[p, n] = (max(p, n) + p * right[p - 1, n] + n * right[p, n - 1]) / (p + n)
    claimed = {m: m + Fraction(4**m, 2 * math.comb(2 * m, m)) - Fraction(1, 2) for m in range(1, most + 1)}
    failed = sum(right[m, m] != value or value <= m for m, value in claimed.items())
    return Row(f"labels told after each guess: more than the bar (m ≤ {most})", str(most), str(failed), " ")


def median_distance(largest: dict[int, int]) -> Row:
    """No predictions have a smaller mean median distance, over all orders, than the best constant."""
    tried = failed = 0
    for size, top in largest.items():
        predicted = np.array(list(combinations_with_replacement(range(2 * top + 1), size)))
        constant = np.ptp(predicted, axis=1) == 0
        orders = predicted[:, np.array(list(permutations(range(size))))]
        for targets in combinations_with_replacement(range(0, 2 * top + 1, 2), size):
            distances = np.sort(np.abs(orders - np.array(targets)), axis=-1)
            twice_median = (distances[..., (size - 1) // 2] + distances[..., size // 2]).sum(axis=1)
            tried += len(predicted)
            failed += int(np.sum(twice_median < twice_median[constant].min()))
    sizes = f"{min(largest)} to {max(largest)} values"
    return Row(f"median absolute error: a constant is best ({sizes})", f"{tried:,}", str(failed), " ")


def rows(full: bool = False) -> Iterator[Row]:  # noqa: FBT001, FBT002 - in full, or quick
    """Try every claim."""
    yield conjecture(300 if full else 60)
    yield concave("g_mean", 60 if full else 20)
    yield concave("threat_score", 60 if full else 20)
    yield constant_is_best("accuracy", 12 if full else 8)
    yield constant_is_best("f1_macro", 12 if full else 8)
    yield average_precision(12 if full else 8)
    yield told_after_each(12)
    yield median_distance({3: 6, 4: 5, 5: 4, 6: 3, 7: 1} if full else {3: 3, 4: 2, 5: 2})


def difference(item: str) -> str:
    """Return in how many cases the claims of an item fail."""
    return cases_that_differ((row for row in rows() if row.what.startswith(item)), "cases")


def table(full: bool = False) -> str:  # noqa: FBT001, FBT002 - in full, or quick
    """Return the table as it is shown."""
    return shown(TITLE, rows(full), ("claim", "cases", "fail"))


if __name__ == "__main__":
    print(table(full=True))
