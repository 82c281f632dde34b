"""Draw docs/_static/social_card.png, what other sites show beside a link to ours.

python tools/social_card.py
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np

import clearbar as cb

mpl.use("Agg")

CARD = Path(__file__).resolve().parent.parent / "docs" / "_static" / "social_card.png"
CLEARS, BELOW, INK, SOFT = "#0072B2", "#D55E00", "#1b1d21", "#50555f"


def main() -> None:
    """Draw expected F1 over every number of predicted positives, the bar at its end and a model below."""
    from matplotlib import pyplot as plt

    population = cb.Population(total=31, positives=18)
    predicted = np.arange(population.total + 1)
    expected = [cb.Draw(population, int(k)).distribution("f1").mean() for k in predicted]
    bar = float(cb.baseline(population, "f1"))
    plt.rcParams["font.family"] = "DejaVu Sans"
    figure = plt.figure(figsize=(12, 6.3), dpi=100)
    figure.text(0.06, 0.83, "Is F1 = 0.72 good?", size=46, weight="bold", color=INK)
    words = "Always answering “positive” scores 0.735 on the same labels."
    figure.text(0.06, 0.74, words, size=23, color=SOFT)
    axes = figure.add_axes((0.06, 0.16, 0.88, 0.5))
    axes.plot(predicted, expected, color=CLEARS, linewidth=4)
    axes.axhline(bar, color=INK, linewidth=2.5, linestyle=(0, (5, 3)))
    axes.text(31, bar + 0.04, f"the bar: {bar:.3f}", size=24, ha="right", weight="bold", color=INK)
    axes.plot(9, 0.72, "x", color=BELOW, markersize=16, markeredgewidth=4)
    axes.text(9, 0.58, "your model: 0.72", size=20, ha="center", color=INK)
    axes.set(xlim=(0, 31), ylim=(0, 1), xticks=[], yticks=[])
    axes.spines[["top", "right"]].set_visible(False)
    figure.text(0.06, 0.05, "clearbar", size=26, weight="bold", color=CLEARS)
    figure.text(0.225, 0.052, "the bar of any measure, and whether your model clears it", size=20, color=SOFT)
    figure.savefig(CARD)
    print(f"{CARD.name}: {CARD.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
