"""Which measures have several, but not all, optimal draws? Section 6 of Pries et al., by enumeration.

    python -m examples.papers.optimal_groups [--most 30] [--output optimal_groups.csv]

Every measure of the catalogue that has a better end, at all class sizes of 6 to 30 samples: its expectation
at each k that the bar may use, in fractions (60 digits where it takes roots, floats where it takes
logarithms), and the k at which that is best. The file names each M, P and all those k.

J. Pries et al., The optimal input-independent baseline for binary classification, Statistica Neerlandica,
2023.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np

import clearbar as cb
from clearbar.catalogue._arithmetic import NotExact

LEAST, MOST = 6, 30
CLOSE, CLOSE_FLOATS = Fraction(1, 10**40), Fraction(1, 10**12)
"""What equal sums may differ by: of numbers of 60 digits, and of floats."""


class Group(NamedTuple):
    """Class sizes with several, but not all, optimal draws."""

    measure: str
    total: int
    positives: int
    draws: tuple[int, ...]


def expectations(measure: cb.Measure, total: int, positives: int) -> tuple[dict[int, Fraction], Fraction]:
    """Return the expectation at each k at which every outcome has a value, and what equal ones differ by."""
    means, close = {}, Fraction(0)
    for k in range(total + 1):
        tp = np.arange(max(0, k - total + positives), min(k, positives) + 1)
        cells = tp, k - tp, positives - tp, total - positives - k + tp
        if not np.all(measure.admissible.holds(cells)):
            continue
        try:
            values = [measure.exactly(*map(Fraction, table)) for table in np.transpose(cells).tolist()]
            close = max(close, CLOSE * any(not isinstance(value, Fraction) for value in values))
        except NotExact:
            values, close = measure.values(*cells).tolist(), CLOSE_FLOATS
        ways = [math.comb(positives, hits) * math.comb(total - positives, k - hits) for hits in tp.tolist()]
        means[k] = sum(Fraction(value) * way for value, way in zip(values, ways, strict=True)) / math.comb(
            total, k
        )
    return means, close


def groups(measure: cb.Measure, least: int, most: int) -> Iterator[Group]:
    """Yield the class sizes at which several, but not all, draws are best."""
    choose = max if measure.greater_is_better else min
    for total in range(least, most + 1):
        for positives in range(1, total):
            means, close = expectations(measure, total, positives)
            top = choose(means.values(), default=None)
            best = tuple(k for k, mean in means.items() if abs(mean - top) <= close)
            if 1 < len(best) < len(means):
                yield Group(measure.name, total, positives, best)


def enumerated(least: int = LEAST, most: int = MOST) -> list[Group]:
    """Return them for all measures that have a best end."""
    measures = [measure for measure in cb.measures() if measure.greater_is_better is not None]
    return [group for measure in measures for group in groups(measure, least, most)]


def written(draws: tuple[int, ...]) -> str:
    """Return a set of k: 2, 4 or 3 … 9."""
    if len(draws) > 2 and draws[-1] - draws[0] == len(draws) - 1:
        return f"{draws[0]} … {draws[-1]}"
    return ", ".join(map(str, draws))


def summary(listed: Iterable[Group]) -> Iterator[str]:
    """Yield a line for each measure: at how many class sizes, and the first ones."""
    for name, same in groupby(listed, key=lambda group: group.measure):
        all_of = list(same)
        first = "; ".join(f"{g.total}, {g.positives}: {{{written(g.draws)}}}" for g in all_of[:3])
        balanced = all(group.total == 2 * group.positives for group in all_of)
        alone = all(group.positives == 1 for group in all_of)
        where = "P = N" if balanced else "P = 1" if alone else ""
        yield f"{name:24}{len(all_of):6}  {where:6}{first}".rstrip()


def table(listed: Iterable[Group] | None = None, most: int = MOST) -> str:
    """Return the table as it is shown, by default that of 6 to 8 samples."""
    if listed is None:
        most = 8
        listed = enumerated(most=most)
    sizes = sum(total - 1 for total in range(LEAST, most + 1))
    heads = f"{'measure':24}{'sizes':>6}  {'where':6}M, P: {{k}}, the first three"
    title = f"Several, but not all, optimal draws: of {sizes} class sizes of {LEAST} to {most} samples"
    return "\n".join([title, heads, *summary(listed)])


def write(listed: Iterable[Group], path: Path) -> None:
    """Write all of them."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["measure", "M", "P", "k"])
        writer.writerows([*group[:3], " ".join(map(str, group.draws))] for group in listed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measures with several, but not all, optimal draws.")
    parser.add_argument("--most", type=int, default=MOST, help="samples at most")
    parser.add_argument("--output", type=Path, help="a CSV file for all of them")
    options = parser.parse_args()
    enumeration = enumerated(most=options.most)
    print(table(enumeration, options.most))
    if options.output:
        write(enumeration, options.output)
