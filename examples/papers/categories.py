"""Example 5 and Table 6 of the journal: accuracy of each of a thousand categories, whose bar is 0.999.

    python -m examples.papers.categories [--file predictions.csv]

A category of 50 samples among 50,000: saying "no" every time is right in 999 of 1,000. A model clears that
bar where it makes fewer than 50 errors, samples missed and false alarms together. The paper's 24 categories
that all models miss are not named here: they follow from predictions that are not public with it. A file of
predictions has the true category in a column `y_true` and each model's in a column of its own.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from examples.papers._beside import Row, largest_difference, shown
from tools import atlas

import clearbar as cb

TITLE = "Example 5: a category of the ImageNet validation set"


def rows() -> Iterator[Row]:
    """Put the printed bar beside that of the class sizes, and say what clears it."""
    (sizes,) = (one.sizes for one in atlas.read() if one.name.startswith("ImageNet"))
    total, size = sum(sizes), sizes[0]
    bar = cb.baseline(cb.Population(total, size), "accuracy").value
    yield Row("bar of accuracy", "0.999", f"{bar:.3f}", f"{len(sizes):,} categories of {size}")
    most = max(errors for errors in range(total) if (total - errors) / total > bar)
    yield Row("errors that clear it, at most", "", str(most))


def difference(item: str) -> str:
    """Return the largest difference from print."""
    return largest_difference(list(rows())[:1], item)


def table() -> str:
    """Return the table as it is shown."""
    return shown(TITLE, rows())


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
    by_all = sorted(set.intersection(*below))
    lines.append(
        f"missed by all {len(models)} at once: {len(by_all)}{': ' if by_all else ''}{', '.join(by_all)}"
    )
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Categories below the bar of accuracy.")
    parser.add_argument("--file", type=Path, help="a CSV of predictions")
    options = parser.parse_args()
    print(told(*read(options.file)) if options.file else table())
