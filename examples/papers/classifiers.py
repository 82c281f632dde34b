"""Table 5 of the journal: five classifiers on the Wisconsin data, and on Cleveland's where it is at hand.

    python -m examples.papers.classifiers [--heart processed.cleveland.data]

scikit-learn's defaults, trained on nine tenths at a time, the tests pooled. The paper's own splits are
not known, so that scores differ from the printed ones; the bars do not depend on them but through the
class sizes. The heart data are those of the UCI repository, of which no copy is shipped: 303 rows of 14
values, the last of them above 0 for the sick; "?" is filled with the column's median.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from importlib import resources
from pathlib import Path

import numpy as np
from examples.journal_demo import classifiers

import clearbar as cb

MEASURES = ["f1", "accuracy", "g_mean", "mcc", "precision"]


def wisconsin() -> str:
    """Judge the shipped predictions, which examples/journal_demo.py made."""
    text = (resources.files("clearbar") / "_demo" / "wisconsin.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    columns = {
        name: np.array([int(row[name]) for row in rows])
        for name in rows[0]
        if name not in {"dataset", "split"}
    }
    return judged("Wisconsin Breast Cancer", columns.pop("y_true"), columns)


def heart(path: Path, splits: int = 10) -> str:
    """Train on the file's patients, and judge."""
    from sklearn.model_selection import train_test_split

    table = np.genfromtxt(path, delimiter=",", missing_values="?")
    features, labels = table[:, :-1], (table[:, -1] > 0).astype(int)
    features = np.where(np.isnan(features), np.nanmedian(features, axis=0), features)
    truths, predictions = [], {}
    for split in range(splits):
        train, test, y_train, y_test = train_test_split(features, labels, test_size=0.1, random_state=split)
        truths.append(y_test)
        for name, model in classifiers(split):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # some stop at their default limit, as in the paper
                predictions.setdefault(name, []).append(model.fit(train, y_train).predict(test))
    models = {name: np.concatenate(parts) for name, parts in predictions.items()}
    return judged("Cleveland Heart Disease", np.concatenate(truths), models)


def judged(title: str, y_true: np.ndarray, models: dict[str, np.ndarray]) -> str:
    """Return the scorecard below a title."""
    return f"{title}\n{cb.evaluate(y_true, models, MEASURES)}"


def table() -> str:
    """Return the table of the shipped data."""
    return wisconsin()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The journal's Table 5, anew.")
    parser.add_argument("--heart", type=Path, help="the file processed.cleveland.data")
    options = parser.parse_args()
    print(wisconsin())
    if options.heart:
        print("\n" + heart(options.heart))
