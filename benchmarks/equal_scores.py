"""How often two models of the same true score are told apart, where that is worst; power; coverage.

python -m benchmarks.equal_scores [--part scan power coverage classes] [--measures f1 mcc] [--sizes 10,40]

Tables are drawn at equal true scores: class sizes, rates and whether both models fail on the same samples are
chosen at random, and the worst of them are drawn again.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

import clearbar as cb
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.inference.equal_scores import EqualScores
from clearbar.inference.exchange import mcnemar
from clearbar.inference.multinomials import Cells
from clearbar.problems.binary.pairs import Discord, Pairs, cells_of, exchange_p_value
from clearbar.problems.multiclass import ClassMeasure, Tables
from clearbar.problems.multiclass.problem import class_cells

MEASURES = ("f1", "precision", "npv", "cohen_kappa", "mcc", "g_mean", "recall", "accuracy")
SIZES = ((10, 40), (20, 20), (50, 150), (100, 100), (100, 900), (200, 800))
TOGETHER = ("nested", "independent", "opposite")
LEVEL = 0.05


class Setting(NamedTuple):
    """A point of the null hypothesis, or beside it."""

    measure: str
    sizes: tuple[int, int]
    a: tuple[float, float]  # the shares of positives and of negatives that a model calls positive
    b: tuple[float, float]
    together: str

    def __str__(self) -> str:
        rates = " and ".join(f"({tp:.2f}, {fp:.3f})" for tp, fp in (self.a, self.b))
        return f"{self.measure:12} {self.sizes[0]} + {self.sizes[1]:<4} {rates} {self.together}"

    @property
    def shares(self) -> list[FloatArray]:
        """The shares of both, only a, only b and neither, in each class."""
        least = {"nested": np.minimum, "independent": np.multiply, "opposite": lambda a, b: max(a + b - 1, 0)}
        shares = []
        for a, b in zip(self.a, self.b, strict=True):
            both = float(least[self.together](a, b))
            shares.append(np.maximum([both, a - both, b - both, 1 - a - b + both], 0.0))
        return shares

    def tables(self, number: int, generator: np.random.Generator) -> IntArray:
        """Draw tables, a row each."""
        parts = zip(self.sizes, self.shares, strict=True)
        return np.concatenate([generator.multinomial(n, p / p.sum(), size=number) for n, p in parts], axis=1)

    def score(self, rates: tuple[float, float]) -> float:
        """The true score of a model."""
        tp, fp = (size * rate for size, rate in zip(self.sizes, rates, strict=True))
        return float(cb.get_measure(self.measure).values(tp, fp, self.sizes[0] - tp, self.sizes[1] - fp))


def equal(setting: Setting) -> Setting | None:
    """Move b's rate on negatives (for recall, on positives) until both scores are the same."""
    if setting.measure == "recall":
        return setting._replace(b=(setting.a[0], setting.b[1]))
    wanted, low, high = setting.score(setting.a), 1e-6, 1 - 1e-6
    if not setting.score((setting.b[0], low)) >= wanted >= setting.score((setting.b[0], high)):
        return None
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if setting.score((setting.b[0], middle)) >= wanted else (low, middle)
    return setting._replace(b=(setting.b[0], low))


def refuted(
    cells: Cells, counts: IntArray, draws: int, generator: np.random.Generator
) -> tuple[BoolArray, FloatArray]:
    """Return which tables refute equal scores, and z; what is not known refutes nothing."""
    tables, back = np.unique(counts, axis=0, return_inverse=True)
    seen, error = cells.difference(tables.astype(np.float64))
    with np.errstate(all="ignore"):
        z = np.where(seen == 0, 0.0, np.abs(seen) / error)
    shares, found = cells.constrained(tables.astype(np.float64), 0.0)
    p_values = np.ones(len(tables))
    rows = np.flatnonzero(found & (z > 0))
    for number in (draws // 8, draws):  # the second time only where the first says that it matters
        kept = []
        for part in np.array_split(rows, max(1, len(rows) * number // 100_000)):
            if part.size:
                p_values[part] = _p_values(cells, shares[part], z[part], number, generator)
            kept.append(part[p_values[part] < 3 * LEVEL])
        rows = np.concatenate(kept) if kept else rows[:0]
    return (p_values <= LEVEL)[back.ravel()], z[back.ravel()]


def _p_values(
    cells: Cells, shares: FloatArray, z: FloatArray, draws: int, generator: np.random.Generator
) -> FloatArray:
    parts = np.split(shares, cells.strata.starts[1:], axis=1)
    drawn = [
        generator.multinomial(int(size), own / own.sum(axis=1, keepdims=True), size=(draws, len(own)))
        for size, own in zip(cells.sizes, parts, strict=True)
    ]
    seen, error = cells.difference(np.concatenate(drawn, axis=2).astype(np.float64))
    with np.errstate(all="ignore"):
        sizes = np.where(seen == 0, 0.0, np.abs(seen) / error)
    p_values = (1 + (sizes >= z - 1e-9).sum(axis=0)) / (1 + draws)
    return np.where(np.isnan(sizes).mean(axis=0) > 0.1, 1.0, p_values)


class Rates(NamedTuple):
    """How often equal scores are refuted: by the test, by a normal z, and by exchanges of answers."""

    test: float
    normal: float
    exchange: float

    def __str__(self) -> str:
        return f"{self.test:.3f} normal {self.normal:.3f} exchange {self.exchange:.3f}"


def rates(setting: Setting, tables: int, draws: int, generator: np.random.Generator) -> Rates:
    """Draw tables and test them."""
    measure = cb.get_measure(setting.measure)
    counts = setting.tables(tables, generator)
    ours, z = refuted(cells_of(measure, setting.sizes, "exclude"), counts, draws, generator)
    pairs = Discord(*counts[:, [0, 1, 2, 4, 5, 6]].T)
    scored = Pairs(measure, pairs, setting.sizes, "exclude", 0).scored
    columns = [np.asarray(column) for column in pairs]
    swapped = np.array([exchange_p_value(scored, Discord(*row)) for row in np.stack(columns, axis=1)])
    return Rates(float(ours.mean()), float((z >= 1.959964).mean()), float((swapped <= LEVEL).mean()))


def scan(measures: list[str], class_sizes: list[tuple[int, int]], points: int) -> None:
    """Look for the worst equal scores, and draw them again."""
    generator = np.random.default_rng(1)
    for name in measures:
        found = []
        for sizes in class_sizes:
            made: list[Setting] = []
            while len(made) < points:
                a = (generator.uniform(0.2, 0.98), generator.choice([0.01, 0.05, 0.1, 0.3]))
                b = (generator.uniform(0.2, 0.98), generator.uniform(0.02, 0.5))
                setting = equal(Setting(name, sizes, a, b, TOGETHER[len(made) % 3]))
                made += [] if setting is None else [setting]
            found += [(rates(setting, 250, 799, generator), setting) for setting in made]
        sizes_of = np.array([rate for rate, _ in found])
        mean, rough = sizes_of.mean(axis=0), (sizes_of[:, 1] > 0.065).mean()
        print(
            f"{name}: {len(found)} points, mean {mean[0]:.3f}, normal {mean[1]:.3f}, exchange {mean[2]:.3f}",
            flush=True,
        )
        print(f"  normal above 0.065 in {rough:.0%}")
        worst = [*np.argsort(-sizes_of[:, 0])[:3], int(np.argmax(sizes_of[:, 2]))]
        for setting in (found[at][1] for at in worst):
            print(f"  {setting}: {rates(setting, 3_000, 1_999, generator)}", flush=True)


ISSUES = (
    Setting("precision", (100, 100), (0.6, 0.6 * 0.05 / 0.95), (0.9, 0.9 * 0.05 / 0.95), "nested"),
    Setting("precision", (100, 100), (0.3, 0.3 * 0.05 / 0.95), (0.9, 0.9 * 0.05 / 0.95), "nested"),
    Setting("f1", (100, 900), (0.35, 0.109), (1.0, 0.519), "nested"),
    Setting("f1", (100, 900), (0.35, 0.109), (1.0, 0.519), "independent"),
)

POWER = (
    Setting("accuracy", (50, 50), (0.85, 0.15), (0.72, 0.25), "independent"),
    Setting("accuracy", (50, 50), (0.85, 0.15), (0.75, 0.25), "nested"),
    Setting("f1", (50, 150), (0.8, 0.1), (0.7, 0.15), "independent"),
    Setting("mcc", (50, 150), (0.85, 0.05), (0.75, 0.08), "nested"),
    Setting("recall", (50, 150), (0.8, 0.2), (0.7, 0.2), "nested"),
)


def power(settings: tuple[Setting, ...], tables: int) -> None:
    """Print how often different scores are told apart, by McNemar's test too where accuracy is asked for."""
    for setting in settings:
        generator = np.random.default_rng(2)
        found = rates(setting, tables, 1_999, generator)
        counts, back = np.unique(setting.tables(tables, generator), axis=0, return_inverse=True)
        right = [mcnemar(int(n[1] + n[6]), int(n[2] + n[5])) <= LEVEL for n in counts]
        print(f"  {setting}: {found} McNemar {np.mean(np.array(right)[back.ravel()]):.3f}", flush=True)


def held(setting: Setting, tables: int, generator: np.random.Generator) -> float:
    """Return how often the interval holds the true difference."""
    measure = cb.get_measure(setting.measure)
    true = setting.score(setting.a) - setting.score(setting.b)
    cells, inside = cells_of(measure, setting.sizes, "exclude"), []
    for counts in setting.tables(tables, generator):
        low, high = EqualScores(cells, counts, measure.bounds).interval(0.95)
        inside += [] if np.isnan(low) else [low <= true <= high]
    return float(np.mean(inside))


def coverage(points: int, tables: int) -> None:
    """Print how often intervals hold the true difference: random settings, and the worst of them again."""
    generator = np.random.default_rng(3)
    found = []
    for at in range(points):
        a, b = ((generator.uniform(0.3, 0.98), generator.uniform(0.01, 0.5)) for _ in range(2))
        name, sizes = MEASURES[at % len(MEASURES)], SIZES[generator.integers(3)]
        setting = Setting(name, sizes, a, b, TOGETHER[generator.integers(3)])
        found.append((held(setting, tables, generator), setting))
    print(f"mean coverage {np.mean([share for share, _ in found]):.3f} over {points} settings", flush=True)
    for share, setting in sorted(found)[:3]:
        again = held(setting, 3 * tables, generator)
        print(f"  {setting}: {share:.3f}, on fresh tables {again:.3f}", flush=True)


CLASSES = (
    ((40, 40, 40), (0.6, 0.9, 0.9), (0.9, 0.9, 0.6)),
    ((100, 50, 20), (0.9, 0.7, 0.5), (0.7, 0.9, 0.9)),
)
"""Class sizes, and the shares of each class that either model calls right; b's are scaled."""


def classes(tables: int) -> None:
    """Print the same of three classes: what is wrong is called the next class."""
    for name in ("f1_macro", "accuracy", "mcc"):
        measure = cb.get_measure(name, "multiclass")
        for sizes, one, other in CLASSES:
            wanted, low, high = _macro(measure, sizes, np.array(one)), 0.5, 1 / max(other)
            for _ in range(40):
                middle = (low + high) / 2
                above = _macro(measure, sizes, middle * np.array(other)) > wanted
                low, high = (low, middle) if above else (middle, high)
            for together in ("nested", "independent"):
                share = _refuted(measure, sizes, (np.array(one), low * np.array(other)), together, tables)
                print(
                    f"  {name:8} {sizes} {one} and {low:.3f} times {other} {together}: {share:.3f}",
                    flush=True,
                )


def _macro(measure: ClassMeasure, sizes: tuple[int, ...], right: FloatArray) -> float:
    whole = np.array(sizes, dtype=np.float64)
    wrong = whole * (1 - right)
    apart = np.abs(np.arange(len(sizes)) - np.roll(np.arange(len(sizes)), -1)).astype(np.float64)
    called = whole * right + np.roll(wrong, 1)
    return float(measure(Tables(whole, called, whole * right, wrong @ apart, wrong @ apart**2), 0.0))


def _refuted(
    measure: ClassMeasure,
    sizes: tuple[int, ...],
    right: tuple[FloatArray, FloatArray],
    together: str,
    tables: int,
) -> float:
    generator, count = np.random.default_rng(4), 0
    truth, width = np.repeat(np.arange(len(sizes)), sizes), np.array(sizes, dtype=np.float64)
    for _ in range(tables):
        first = generator.random(len(truth))
        places = first, first if together == "nested" else generator.random(len(truth))
        a, b = (
            np.where(place < own[truth], truth, (truth + 1) % len(sizes))
            for place, own in zip(places, right, strict=True)
        )
        times = np.ones(len(truth), dtype=np.int64)
        pair = EqualScores(*class_cells(measure, truth, (a, b), times, width, 0.0), measure.bounds)
        count += pair.z() != 0 and pair.drawn(0.0).p_value(pair.z()) <= LEVEL
    return count / tables


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description="Size and power of the test of equal scores.")
    parser.add_argument("--part", nargs="*", default=["scan", "power", "classes", "coverage"])
    parser.add_argument("--measures", nargs="*", default=list(MEASURES))
    parser.add_argument("--sizes", nargs="*", default=[",".join(map(str, one)) for one in SIZES])
    parser.add_argument("--points", type=int, default=9)
    parser.add_argument("--tables", type=int, default=4_000)
    options = parser.parse_args()
    sizes = [(int(one), int(other)) for one, other in (pair.split(",") for pair in options.sizes)]
    if "scan" in options.part:
        print("equal scores: how often refuted")
        power(ISSUES, options.tables)
        scan(options.measures, sizes, options.points)
    if "power" in options.part:
        print("different scores: how often told apart")
        power(POWER, options.tables)
    if "classes" in options.part:
        print("three classes of equal scores: how often refuted")
        classes(options.tables // 8)
    if "coverage" in options.part:
        coverage(16, 100)


if __name__ == "__main__":
    main()
