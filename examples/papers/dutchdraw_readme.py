"""What the README of the older package, DutchDraw, prints and draws.

    python -m examples.papers.dutchdraw_readme

Its picture of a variance shows the mean of squares, which is 1/4 at its highest. The variance is that less
the square of the mean, thousands of times smaller.

https://github.com/joris-pries/DutchDraw, README.md at f9b7612.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from examples.papers._beside import Row, largest_difference, shown

import clearbar as cb

TITLE = "DutchDraw's README"


def labels() -> tuple[list[int], list[int]]:
    """Return the README's true labels and predictions."""
    chance = random.Random(123)  # noqa: S311 - the README's own labels
    predicted, true = (chance.choices((0, 1), k=10_000, weights=(0.9, 0.1)) for _ in range(2))
    return true, predicted


def rows() -> Iterator[Row]:
    """Put each number beside what comes out; of the pictures their highest points."""
    y_true, y_pred = labels()
    population = cb.Population(len(y_true), sum(y_true))
    half = cb.Draw(population, population.total // 2)
    counts = cb.count(y_true, y_pred)
    yield Row("markedness", "0.0061", f"{cb.get_measure('markedness')(counts):.4f}")
    yield Row("F2", "0.1053", f"{cb.get_measure('f2')(counts):.4f}")
    f2, g_mean = half.distribution("f2"), half.distribution("g_mean")
    yield Row("expected F2 at θ = 1/2", "0.2829", f"{f2.mean():.4f}")
    yield Row("its variance", "0.0001", f"{f2.var():.4f}")
    bar = cb.baseline(population, "f2")
    note = f"erratum: the call has beta = 1, and {cb.baseline(population, 'f1').value:.4f} is F1's"
    yield Row("optimal baseline F2", "0.1874", f"{bar.max.value:.4f}", note)
    yield Row("its θ*", "1", f"{bar.max.theta_star[0][0]:g}")
    note = "erratum: arXiv's Table 4 leaves k = 0 out, and k = 1 expects this"
    yield Row("smallest F1", "0.0000", f"{cb.baseline(population, 'f1').min.value:.4f}", note)
    yield Row("picture, expected G-mean: highest", "0.50", f"{g_mean.mean():.2f}")
    mean_of_squares = g_mean.var() + g_mean.mean() ** 2
    yield Row("picture, variance at θ = 1/2", "0.25", f"{g_mean.var():.7f}", "erratum: it shows E[G-mean²]")
    yield Row("picture, variance: E[G-mean²]", "0.25", f"{mean_of_squares:.2f}")
    chances = g_mean.atoms()[1]
    yield Row("picture, probabilities at θ = 1/2: highest", "0.026", f"{np.max(chances):.3f}")


def difference(item: str) -> str:
    """Return the largest difference from print."""
    return largest_difference(rows(), item)


def table() -> str:
    """Return the table as it is shown."""
    return shown(TITLE, rows())


def figure(shares: int = 101) -> Any:
    """Draw expectation, variance and probabilities of G-mean, and what the README calls a variance."""
    y_true, _ = labels()
    population = cb.Population(len(y_true), sum(y_true))
    theta = np.linspace(0, 1, shares)
    draws = [cb.Draw(population, round(population.total * share)).distribution("g_mean") for share in theta]
    mean, variance = np.array([(draw.mean(), draw.var()) for draw in draws]).T
    drawing, axes = plt.subplots(2, 2, figsize=(7, 5), layout="constrained")
    values, chances = draws[shares // 2].atoms()
    for ax, x, y, what in (
        (axes[0, 0], theta, mean, "expected G-mean"),
        (axes[0, 1], theta, variance, "variance"),
        (axes[1, 0], theta, variance + mean**2, '"variance": E[G-mean²]'),
        (axes[1, 1], values, chances, "probability at θ = 1/2"),
    ):
        ax.plot(x, y)
        ax.set(xlabel="θ" if x is theta else "G-mean", ylabel=what)
    return drawing


if __name__ == "__main__":
    print(table())
