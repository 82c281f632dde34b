"""How time grows with the size of a population, and with the number of populations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks._case import Case, Result, Section
from benchmarks._inputs import digits, forget_bars, matrices
from benchmarks.dutchdraw import SEARCHED, few_positives, ours_for, theirs_for
from clearbar.formatting._palette import BELOW, CLEARS, CLEARS_ON_DARK

SIZE_BARS = "bars of the six default measures"
SIZE_P = "six blind p-values"
SIZE_OLD = "bar of G-mean, from labels"
MANY_BARS = "six bars each"
MANY_ALL = "six bars and skills each"


def _cases(*, quick: bool) -> Sequence[Case]:
    totals = [10**power for power in range(2, 13, 5 if quick else 1)]
    numbers = [10**power for power in range(4 if quick else 7)]
    old = (100, 200) if quick else (100, 200, 500)
    return [
        *(_one(SIZE_BARS, total, _bars) for total in totals),
        *(_one(SIZE_P, total, _p_values) for total in totals),
        *(_older(total) for total in old),
        *(_many(MANY_BARS, number, _many_bars) for number in numbers),
        *(_many(MANY_ALL, number, _many_judged) for number in numbers),
    ]


def _one(title: str, total: int, work: Any) -> Case:
    return Case(
        title, f"M = {digits(total)}", lambda: (total, 3 * total // 10, 2 * total // 5), work, x=total
    )


def _bars(margins: Any) -> Any:
    import clearbar as cb
    from clearbar.catalogue import KINDS

    forget_bars()
    return [cb.baseline(cb.Population(*margins[:2]), name) for name in KINDS["binary"].default]


def _p_values(margins: Any) -> Any:
    import clearbar as cb
    from clearbar.catalogue import KINDS

    m, p, k = margins
    tp = k * p // m + round((k * (p / m) * (1 - p / m)) ** 0.5)
    counts, draw = cb.Counts(tp=tp, fp=k - tp, fn=p - tp, tn=m - p - k + tp), cb.Draw(cb.Population(m, p), k)
    return [draw.distribution(name).tail(cb.get_measure(name)(counts)) for name in KINDS["binary"].default]


def _older(total: int) -> Case:
    """Show the older package's search beside ours, its sleep taken out."""
    given = lambda: few_positives(total)  # noqa: E731 - as everywhere
    theirs = theirs_for(SEARCHED, awake=True)
    return Case(
        SIZE_OLD,
        f"M = {digits(total)}",
        given,
        ours_for(SEARCHED),
        theirs,
        "DutchDraw, no sleep",
        repeats=3,
        x=total,
    )


def _many(title: str, number: int, work: Any) -> Case:
    size = f"{digits(number)} population{'s' * (number > 1)}"
    return Case(title, size, lambda: matrices(number), work, per=number, x=number)


def _many_bars(cells: Any) -> Any:
    import clearbar as cb
    from clearbar.catalogue import KINDS

    population = cb.Counts(**cells).population
    return [cb.baseline(population, name) for name in KINDS["binary"].default]


def _many_judged(cells: Any) -> Any:
    import clearbar as cb

    return cb.evaluate_counts(cb.Counts(**cells), intervals=False)


STYLE = {
    SIZE_BARS: (CLEARS, "o", "clearbar: six bars"),
    SIZE_P: (CLEARS_ON_DARK, "s", "clearbar: six blind p-values"),
    SIZE_OLD: (BELOW, "^", "DutchDraw: bar of G-mean alone\n(its sleep taken out)"),
    MANY_BARS: (CLEARS, "o", "six bars each"),
    MANY_ALL: (CLEARS_ON_DARK, "s", "six bars\nand skills each"),
}
"""Markers are for those who print in grey."""


def plot(rows: Sequence[tuple[Case, Result]], path: Path) -> None:
    """Draw time against size, both on logarithmic scales."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
    for axes, titles in ((left, (SIZE_BARS, SIZE_P, SIZE_OLD)), (right, (MANY_BARS, MANY_ALL))):
        for title in titles:
            colour, marker, label = STYLE[title]
            points = [(case.x, _shown(result)) for case, result in rows if case.title == title]
            if points:
                x, seconds = zip(*points, strict=True)
                middle = [median(times) for times in seconds]
                axes.plot(x, middle, color=colour, marker=marker, markersize=5, lw=1.8, label=label)
                low, high = ([pick(times) for times in seconds] for pick in (min, max))
                axes.fill_between(x, low, high, color=colour, alpha=0.18, lw=0)
        axes.set(xscale="log", yscale="log")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, fontsize=9)
    left.set(xlabel="samples M in one population", ylabel="seconds", title="One population of any size")
    right.set(xlabel="populations", ylabel="seconds in all", title="Many populations at once")
    left.set_xticks(np.logspace(2, 12, 6))
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _shown(result: Result) -> list[float]:
    return result.ours.seconds if result.theirs is None else result.theirs.seconds


SECTION = Section(
    "growth",
    "Growth",
    "![Time against the size of a population and against their number](benchmarks.png)\n\n"
    "Lines are medians, bands the spread. On the left P = 0.3 M and k = 0.4 M. On the right populations of "
    "100 to a million samples, nearly all different; in the table times are per population.",
    _cases,
    packages=("DutchDraw",),
)
