"""Example 6 of the journal: forty attributes of a picture, each with a bar of its own.

    python -m examples.papers.attributes [--file predictions.csv]

A model that is right in 0.90 of the cases for every attribute is far above the bar of one that half of the
faces have, and below that of one in twenty. Made-up predictions stand for a data set; a file has two columns
for each attribute, NAME and NAME_predicted, of zeros and ones.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

import clearbar as cb

Tasks = dict[str, tuple[np.ndarray, np.ndarray]]


def made_up(attributes: int, faces: int, seed: int = 0) -> Tasks:
    """Return truths and predictions that are right in nine of ten cases, of attributes rare and frequent."""
    random = np.random.default_rng(seed)
    shares = np.linspace(0.02, 0.8, attributes)
    tasks = {}
    for number, share in enumerate(shares):
        y_true = random.random(faces) < share
        wrong = random.random(faces) < 0.1
        tasks[f"attribute {number:02} ({share:.0%})"] = (y_true, y_true ^ wrong)
    return tasks


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


def table(attributes: int = 40, faces: int = 2000) -> str:
    """Return what is told of made-up predictions."""
    size = f"{attributes} attributes of {faces:,} faces, made up: nine of ten answers are right"
    return f"{size}\n{told(made_up(attributes, faces))}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Attributes below their bars.")
    parser.add_argument("--file", type=Path, help="a CSV of predictions")
    options = parser.parse_args()
    print(told(read(options.file)) if options.file else table())
