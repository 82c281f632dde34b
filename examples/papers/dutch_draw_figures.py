"""Redraw the figures of the Dutch Draw papers.

    python -m examples.papers.dutch_draw_figures [--output FOLDER]

Figure 1 of Statistica Neerlandica: the expected G-mean of draws from 5 positive and 45 negative
samples, the band that holds ninety in a hundred draws, the optimum at theta* = 0.54, and a model.

Figure 2 of the Journal of Applied Probability: the optimal theta* of G-mean for each number of
positive samples among 50.

Figure 2 of arXiv 2203.13084: five classifiers of heart disease against their bars.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from examples.papers import classifiers
from examples.papers._beside import Row, largest_difference, shown

import clearbar as cb
from clearbar.plots import ExpectationDisplay, ScorecardDisplay

TITLE = "G-mean, as printed and as it comes out"


def optima(total: int = 50) -> dict[int, float]:
    """Return the optimal theta* of G-mean for each number of positives."""
    stars = {p: cb.baseline(cb.Population(total, p), "g_mean").max.theta_star for p in range(1, total)}
    return {positives: first for positives, ((first, _), *_) in stars.items()}


def of_draw(positives: int, total: int, k: int) -> float:
    """Return the expected G-mean of a draw."""
    return float(cb.Draw(cb.Population(total, positives), k).distribution("g_mean").mean())


def rows() -> Iterator[Row]:
    """Put what the papers print of G-mean beside what comes out."""
    best = cb.baseline(cb.Population(10, 9), "g_mean").max
    yield Row("Example, 9 of 10 positive: k = 1, 3/10", "0.3", f"{of_draw(9, 10, 1):g}")
    yield Row(
        "Example, 9 of 10 positive: k = 2, 4√2/15", f"{4 * math.sqrt(2) / 15:.6f}", f"{of_draw(9, 10, 2):.6f}"
    )
    yield Row("Example, 9 of 10 positive: θ*", "0.3", f"{best.theta_star[0][0]:g}")
    figure = cb.baseline(cb.Population(50, 5), "g_mean").max
    yield Row("Stat. Neerl., Figure 1: largest", "0.4877", f"{figure.value:.4f}")
    yield Row("Stat. Neerl., Figure 1: θ*", "0.54", f"{figure.theta_star[0][0]:g}")


def difference(item: str) -> str:
    """Return the largest difference from print."""
    return largest_difference(rows(), item)


def table() -> str:
    """Return all optima below what is printed."""
    stars = list(optima().values())
    lines = [
        " ".join(f"{star:.2f}" for star in stars[first : first + 10]) for first in range(0, len(stars), 10)
    ]
    return "\n".join([shown(TITLE, rows()), "", "Journal, Figure 2: θ* for P = 1 … 49 of 50", *lines])


def figure_1() -> Any:
    """Expected G-mean at P = 5, N = 45, with band, optimum and a model."""
    model = cb.Counts(tp=4, fp=9, fn=1, tn=36)
    return ExpectationDisplay.from_counts(model, "g_mean", name="a model").figure_


def figure_2() -> Any:
    """Optimal theta* of G-mean against the number of positives among 50."""
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    stars = optima()
    axes.plot(list(stars), list(stars.values()), "o", markersize=4)
    axes.axhline(0.5, color="0.6", linewidth=1, zorder=0)
    axes.set(xlabel="P, positive of 50 samples", ylabel="optimal θ*", title="G-mean")
    return figure


def heart_figure() -> Any:
    """Classifiers of heart disease against the bars, as in arXiv's Figure 2."""
    figure, ax = plt.subplots(figsize=(11, 3.6), layout="constrained")
    ScorecardDisplay.from_scorecard(classifiers.card(), ax=ax)
    return figure


FIGURES = {
    "statistica_neerlandica_figure_1": figure_1,
    "journal_figure_2": figure_2,
    "arxiv_figure_2": heart_figure,
}


def save(figures: Mapping[str, Callable[[], Any]], folder: Path) -> None:
    """Draw figures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in figures.items():
        figure = make()
        for ending in ("pdf", "png"):
            figure.savefig(folder / f"{name}.{ending}", dpi=200)
        plt.close(figure)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Redraw figures of the Dutch Draw papers.")
    parser.add_argument("--output", type=Path, default=Path("demo_output"), help="folder for the figures")
    save(FIGURES, parser.parse_args().output)
    print(table())
