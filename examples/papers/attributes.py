"""Example 6 and Table 7 of the journal: forty attributes of CelebA's faces, each with a bar of its own.

    python -m examples.papers.attributes [--file predictions.csv]

The bars are those of the 19,962 faces of the test part, whose counts stand in atlas/test_sets.csv. A file of
predictions has two columns for each attribute, NAME and NAME_predicted, of zeros and ones.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from tools import atlas

import clearbar as cb

Tasks = dict[str, tuple[np.ndarray, np.ndarray]]
PREFIX = "CelebA: "


def bars() -> dict[str, tuple[int, float, float]]:
    """Return of each attribute how many faces have it, and the bars of accuracy and F1."""
    by_name = {}
    for one in atlas.read():
        if one.name.startswith(PREFIX):
            population = cb.Population(sum(one.sizes), one.sizes[0])
            accuracy, f1 = (float(cb.baseline(population, name).value) for name in ("accuracy", "f1"))
            by_name[one.name.removeprefix(PREFIX)] = one.sizes[0], accuracy, f1
    return by_name


def table() -> str:
    """Return the bars of all attributes."""
    lines = [
        f"{name:20}{count:7,}{accuracy:10.4f}{f1:8.4f}" for name, (count, accuracy, f1) in bars().items()
    ]
    return "\n".join(["CelebA, test: 19,962 faces", f"{'':20}{'have it':>7}  accuracy      F1", *lines])


def read(path: Path) -> Tasks:
    """Return the attributes of a file."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in rows[0] if f"{name}_predicted" in rows[0]]
    column = {name: np.array([row[name] == "1" for row in rows]) for name in rows[0]}
    return {name: (column[name], column[f"{name}_predicted"]) for name in names}


def told(tasks: Tasks) -> str:
    """Judge every attribute by two measures, the worst first."""
    counts = [cb.count(y_true, y_pred) for y_true, y_pred in tasks.values()]
    every = cb.Counts(
        **{name: [getattr(cells, name) for cells in counts] for name in ("tp", "fp", "fn", "tn")}
    )
    card = cb.evaluate_counts(every, ["accuracy", "f1"], groups=list(tasks))
    missed = {
        name: sum(row.outcome == "fails" for row in card if row.measure.name == name)
        for name in ("accuracy", "f1")
    }
    lines = [f"{number} of {len(tasks)} attributes miss the bar of {name}" for name, number in missed.items()]
    return "\n".join([*lines, *(str(row) for row in card.worst(3))])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Attributes below their bars.")
    parser.add_argument("--file", type=Path, help="a CSV of predictions")
    options = parser.parse_args()
    print(told(read(options.file)) if options.file else table())
