"""How often three classes whose true score is the bar clear it: ``python benchmarks/class_tests.py``.

For each measure and class sizes the worst of some rates whose score is the bar is looked for, and looked at
again with fresh draws: how often the p-value of the upper side is at most 0.025. And how often classifiers
that label samples by chance, whatever their class, are a sure clear.
"""

from __future__ import annotations

import argparse

import numpy as np

from clearbar import ConfusionMatrix, baseline_multiclass
from clearbar.catalogue import get_measure
from clearbar.core._typing import FloatArray
from clearbar.inference.rows import Estimated
from clearbar.problems.multiclass import ClassLabels
from clearbar.problems.multiclass.exact import estimates

SIZES = ((6, 6, 6), (12, 4, 3), (20, 5, 3), (30, 30, 30))
MEASURES = ("kappa", "balanced_accuracy", "f1_macro", "f1_weighted", "precision_macro", "g_mean")
ONE_SIDED = 0.025
TOGETHER = 150
"""Tables whose p-values are computed at once."""


def fitted(name: str, sizes: tuple[int, ...]) -> tuple[Estimated, float]:
    """Return the test of a measure at these class sizes, and its bar."""
    matrix, measure = ConfusionMatrix(np.diag(sizes)), get_measure(name, "multiclass")
    return estimates([measure], matrix, 0.0, 0)[0].tables, float(
        baseline_multiclass(matrix.sizes, measure).value
    )


def p_above(test: Estimated, bar: float, tables: FloatArray, draws: int, seed: int) -> FloatArray:
    """Return the p-value of the upper side of each table, from plain draws at its own rates."""
    generator, rows, value = np.random.default_rng(seed), test.rows, test.function.value
    sizes, p = rows.sizes[:, 0].astype(np.int64), np.ones(len(tables))
    for first in range(0, len(tables), TOGETHER):
        own = tables[first : first + TOGETHER]
        far = (value(own) - bar) / rows.spread(test.function, own)
        largest = np.zeros(len(own))
        for rates, found in rows.unfavourable(test.function, np.full(len(own), bar), own):
            drawn = generator.multinomial(sizes, rates, size=(draws, *rates.shape[:-1])).astype(np.float64)
            others = (value(drawn) - bar) / rows.spread(test.function, drawn)
            tails = (~(others < far - 1e-9 * (1 + np.abs(far)))).mean(axis=0)
            largest = np.maximum(largest, np.where(found, tails, 0.0))
        p[first : first + TOGETHER] = largest
    return p


def of_rates(test: Estimated, bar: float, rates: FloatArray, samples: int, seed: int) -> FloatArray:
    """Draw tables at some rates, and return the p-value of the upper side of each; 1 below the bar."""
    sizes = test.rows.sizes[:, 0].astype(np.int64)
    tables = np.random.default_rng(seed).multinomial(sizes, rates, size=(samples, len(sizes)))
    kinds, kind = np.unique(tables.reshape(samples, -1), axis=0, return_inverse=True)
    different = kinds.reshape(-1, *rates.shape).astype(np.float64)
    p = np.ones(len(kinds))
    above = test.function.value(different) > bar + 1e-12
    p[above] = p_above(test, bar, different[above], samples, seed + 1)
    return p[kind.reshape(-1)]


def at_the_bar(test: Estimated, bar: float, number: int) -> FloatArray:
    """Return rates of all kinds whose score is the bar."""
    generator, classes = np.random.default_rng(11), len(test.rows.sizes)
    rates = np.empty((number, classes, classes))
    for at in range(number):
        known = generator.choice([0, 0.3, 0.7, 0.95], size=(classes, 1))
        by_chance = generator.dirichlet(np.full(classes, generator.choice([0.3, 1, 3])), size=classes)
        rates[at] = (1 - known) * by_chance + known * np.eye(classes)
    near, found = test.rows.likeliest(test.function, np.full(number, bar), test.rows.sizes * rates * 8)
    return near[found]


def sure_and_blind(name: str, sizes: tuple[int, ...], samples: int) -> float:
    """Return the largest share of sure clears of classifiers that label by chance."""
    test, bar = fitted(name, sizes)
    measure, shares = get_measure(name, "multiclass"), np.array(sizes) / sum(sizes)
    worst = 0.0
    for chances in (np.full(3, 1 / 3), shares, np.array([0.6, 0.3, 0.1]), np.array([0.1, 0.2, 0.7])):
        rates = np.tile(chances, (3, 1))
        p = of_rates(test, bar, rates, samples, 3)
        tables = np.random.default_rng(3).multinomial(sizes, rates, size=(samples, 3))
        sure = 0
        for table in tables[p <= ONE_SIDED]:
            problem = ClassLabels(("model",), (None,), ((ConfusionMatrix(table),),))
            tail = problem.blind([measure], problem.scores([measure]))
            sure += tail.upper.item() <= 2 * ONE_SIDED
        worst = max(worst, sure / samples)
    return worst


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=12)
    parser.add_argument("--samples", type=int, default=300)
    asked = parser.parse_args()
    for sizes in SIZES:
        for name in MEASURES:
            test, bar = fitted(name, sizes)
            points = at_the_bar(test, bar, asked.points)
            found = [(of_rates(test, bar, one, asked.samples, 5) <= ONE_SIDED).mean() for one in points]
            worst = points[int(np.argmax(found))]
            again = (of_rates(test, bar, worst, 4 * asked.samples, 77) <= ONE_SIDED).mean()
            lucky = sure_and_blind(name, sizes, asked.samples)
            print(f"{sizes} {name}: mean {np.mean(found):.3f}, worst {again:.3f}; blind, sure {lucky:.3f}")


if __name__ == "__main__":
    main()
