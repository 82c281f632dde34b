"""Example 5 of the journal: accuracy of each of a thousand categories, whose bar is 0.999.

    python -m examples.papers.categories [--file predictions.csv]

With 50 samples of each category, saying "no" every time is right in 999 of 1,000. Which categories miss
that bar, and for how many models at once? Made-up predictions stand for a data set; a file has the true
category in a column `y_true` and each model's in a column of its own.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

import clearbar as cb


def made_up(categories: int, size: int, seed: int = 0) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return labels and three models, right more or less often, category by category."""
    random = np.random.default_rng(seed)
    y_true = np.repeat(np.arange(categories), size)
    ease = random.beta(3, 2, categories)  # what is hard for one is hard for all
    models = {}
    for name, skill in (("small", 0.6), ("middle", 1.0), ("large", 1.6)):
        right = random.random(y_true.size) < ease[y_true] ** (1 / skill)
        models[name] = np.where(right, y_true, random.integers(0, categories, y_true.size))
    return y_true, models


def read(path: Path) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return labels and models of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return columns.pop("y_true"), columns


def told(y_true: np.ndarray, models: dict[str, np.ndarray]) -> str:
    """Say which bars are missed, by how many categories, and by all models at once."""
    below = []
    lines = []
    for name, y_pred in models.items():
        card = cb.evaluate(y_true, y_pred, "accuracy").per_class("accuracy")
        missed = {row.group for row in card if row.outcome == "fails"}
        below.append(missed)
        bars = {round(float(row.baseline.value), 6) for row in card}
        span = f"{min(bars):g}" if len(bars) == 1 else f"{min(bars):g} to {max(bars):g}"
        lines.append(f"{name}: {len(missed)} of {len(card)} categories miss their bar of {span}")
    lines.append(f"missed by all {len(models)} at once: {len(set.intersection(*below))}")
    return "\n".join(lines)


def table(categories: int = 30, size_of_each: int = 20) -> str:
    """Return what is told of made-up predictions."""
    size = f"{categories:,} categories of {size_of_each} samples each, made up"
    return f"{size}\n{told(*made_up(categories, size_of_each))}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Categories below the bar of accuracy.")
    parser.add_argument("--file", type=Path, help="a CSV of predictions")
    options = parser.parse_args()
    print(told(*read(options.file)) if options.file else table(1000, 50))
