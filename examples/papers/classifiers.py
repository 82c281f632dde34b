"""Example 4 and Table 5 of the journal, Section 4.1 and Figure 2 of arXiv: classifiers of heart disease.

    python -m examples.papers.classifiers [--heart processed.cleveland.data]

The papers name no split. One that gives what they print: Cleveland heart disease of the UCI repository (303
rows of 14 values, the last of them above 0 for the sick), "?" filled with the column's mean, scikit-learn's
`train_test_split(test_size=0.1, random_state=42)` and its classifiers by default, with the same seed.
cleveland.csv beside this script holds the labels of the 31 patients tested and what each classifier predicts;
--heart makes them anew from the data. They were made with scikit-learn 1.9.1 from
github.com/Davi-SB/Heart-Disease-Predictor@be69fab, data/processed.cleveland.csv.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from examples.journal_demo import classifiers
from examples.papers._beside import Row, largest_difference, shown

import clearbar as cb

MEASURES = ["f1", "fowlkes_mallows", "threat_score", "accuracy", "g_mean", "mcc"]
SEED = 42
SHIPPED = Path(__file__).with_name("cleveland.csv")
TITLE = "Cleveland Heart Disease: F1"
PRINTED = {"decision_tree": "0.727", "k_nearest_neighbours": "0.710"}

Columns = dict[str, np.ndarray]


def predictions(path: Path = SHIPPED) -> Columns:
    """Return the shipped labels and predictions."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: np.array([int(row[name]) for row in rows]) for name in rows[0]}


def predict(data: Path) -> Columns:
    """Return the labels of the patients tested, and the predictions of classifiers trained on the others."""
    from sklearn.model_selection import train_test_split

    table = np.genfromtxt(data, delimiter=",", missing_values="?")
    features, labels = table[:, :-1], (table[:, -1] > 0).astype(int)
    features = np.where(np.isnan(features), np.nanmean(features, axis=0), features)
    train, test, y_train, y_test = train_test_split(features, labels, test_size=0.1, random_state=SEED)
    columns = {"y_true": y_test}
    for name, model in classifiers(SEED):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # logistic regression stops at its default limit
            columns[name] = model.fit(train, y_train).predict(test)
    return columns


def card(columns: Columns | None = None) -> cb.Scorecard:
    """Judge them."""
    models = predictions() if columns is None else dict(columns)
    return cb.evaluate(models.pop("y_true"), models, MEASURES)


def rows() -> Iterator[Row]:
    """Put what the papers print beside what comes out."""
    verdicts = {verdict.model: verdict for verdict in card() if verdict.measure.name == "f1"}
    bar = verdicts["decision_tree"].baseline
    yield Row("bar", "0.735", f"{bar.value:.3f}", "36/49: 18 of 31 positive")
    for name, printed in PRINTED.items():
        yield Row(name.replace("_", " "), printed, f"{verdicts[name].score:.3f}")
    best = max(verdicts.values(), key=lambda verdict: verdict.score)
    note = f"differs: {verdicts['logistic_regression'].score:.3f} here; the forest's seed decides"
    yield Row("the best", "logistic regression", f"{best.model.replace('_', ' ')} {best.score:.3f}", note)


def difference(item: str) -> str:
    """Return the largest difference from print."""
    return largest_difference(list(rows())[:-1], item)


def table() -> str:
    """Return what is printed, then the scorecard."""
    return f"{shown(TITLE, rows())}\n\n{card()}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The papers' classifiers of heart disease, anew.")
    parser.add_argument("--heart", type=Path, help="the file processed.cleveland.data: train anew on it")
    options = parser.parse_args()
    print(card(predict(options.heart)) if options.heart else table())
