"""Redraw the figures of the Dutch Draw papers that show expected scores against theta.

    python examples/papers/dutch_draw_figures.py [--output FOLDER]

Figure 1 of Statistica Neerlandica: the expected G-mean of draws from 5 positive and 45 negative
samples, the band that holds ninety in a hundred draws, the optimum at theta* = 0.54, and a model.

Figure 2 of the Journal of Applied Probability: the expected G-mean of draws from 50 samples against
theta, and its optimum, as the number of positive samples varies.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

import clearbar as cb
from clearbar.plots import ExpectationDisplay

POSITIVES = (1, 2, 5, 10, 25, 40, 45, 48, 49)


def figure_1() -> Any:
    """Expected G-mean at P = 5, N = 45, with band, optimum and a model."""
    model = cb.Counts(tp=4, fp=9, fn=1, tn=36)
    return ExpectationDisplay.from_counts(model, "g_mean", name="a model").figure_


def figure_2() -> Any:
    """Expected G-mean of 50 samples, for some numbers of positive ones."""
    figure, axes = plt.subplots(3, 3, figsize=(6.4, 5.6), sharex=True, sharey=True, layout="constrained")
    for ax, positives in zip(axes.flat, POSITIVES, strict=True):
        bar = cb.baseline(cb.Population(50, positives), "g_mean")
        display = ExpectationDisplay.from_baseline(bar, ax=ax, legend=False)
        shares = " or ".join(f"{low:.2f}" for low, _ in bar.max.theta_star)
        ax.set_title(f"P = {positives}, θ* = {shares}", fontsize=display.ax_.xaxis.label.get_fontsize())
        ax.label_outer()
        ax.set_xlabel("θ" if ax.get_subplotspec().is_last_row() else "")
    return figure


def main() -> None:
    """Write both figures."""
    parser = argparse.ArgumentParser(description="Redraw figures of the Dutch Draw papers.")
    parser.add_argument("--output", type=Path, default=Path("demo_output"), help="folder for the figures")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in (("statistica_neerlandica_figure_1", figure_1), ("journal_figure_2", figure_2)):
        figure = make()
        for ending in ("pdf", "png"):
            path = folder / f"{name}.{ending}"
            figure.savefig(path, dpi=200)
            print(path)
        plt.close(figure)


if __name__ == "__main__":
    main()
