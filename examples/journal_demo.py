"""Tell which of five classifiers clear the bar on two data sets.

    python examples/journal_demo.py [--output FOLDER]

Trains the classifiers of the journal paper's Table 5, with scikit-learn's defaults, on two data
sets that scikit-learn ships. Each sample is predicted once, by models trained on nine tenths of
the others; the predictions are pooled, and there is one bar.
Then it writes the predictions to CSV files and shows the command that judges such a file.
"""

import argparse
import csv
import shlex
import shutil
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import clearbar as cb

SPLITS = 10
MODELS = (
    "decision_tree",
    "k_nearest_neighbours",
    "logistic_regression",
    "random_forest",
    "naive_bayes",
)
SHIPPED = Path(__file__).resolve().parent.parent / "src" / "clearbar" / "_demo"

Rows = dict[str, list]


def diabetes() -> tuple[np.ndarray, np.ndarray]:
    """Return features, and whether the disease progressed more than in the median patient."""
    features, progression = load_diabetes(return_X_y=True)
    return features, (progression > np.median(progression)).astype(int)


def wisconsin() -> tuple[np.ndarray, np.ndarray]:
    """Return features, and whether the tumour is malignant, which scikit-learn labels 0."""
    features, benign = load_breast_cancer(return_X_y=True)
    return features, 1 - benign


DATASETS = {
    "diabetes": ("Diabetes: progression above the median", diabetes),
    "wisconsin": ("Wisconsin breast cancer: malignant", wisconsin),
}


def classifiers(seed: int) -> Iterator[tuple[str, ClassifierMixin]]:
    """Yield the five classifiers, untrained; what they leave to chance follows the split's seed."""
    yield "decision_tree", DecisionTreeClassifier(random_state=seed)
    yield "k_nearest_neighbours", KNeighborsClassifier()
    yield "logistic_regression", LogisticRegression()
    yield "random_forest", RandomForestClassifier(random_state=seed)
    yield "naive_bayes", GaussianNB()


def predict(dataset: str) -> tuple[Rows, Counter]:
    """Predict each tenth with models that were trained on the other nine.

    Also count, for each model, the splits in which its optimiser stopped at its default limit.
    """
    features, labels = DATASETS[dataset][1]()
    rows: Rows = {name: [] for name in ("dataset", "split", "y_true", *MODELS)}
    stopped: Counter = Counter()
    tenths = KFold(SPLITS, shuffle=True, random_state=0).split(features)
    for split, (train, test) in enumerate(tenths):
        rows["dataset"] += [dataset] * len(test)
        rows["split"] += [split] * len(test)
        rows["y_true"] += labels[test].tolist()
        for name, model in classifiers(split):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                rows[name] += model.fit(features[train], labels[train]).predict(features[test]).tolist()
            stopped[name] += any(issubclass(it.category, ConvergenceWarning) for it in caught)
            for it in caught:
                # Convergence is told in one sentence below; anything else is passed on as it came.
                if not issubclass(it.category, ConvergenceWarning):
                    warnings.warn_explicit(it.message, it.category, it.filename, it.lineno)
    return rows, stopped


def write(rows: Rows, path: Path) -> None:
    """Write the rows as CSV, with the same bytes on every system."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows)
        writer.writerows(zip(*rows.values(), strict=True))


def command(path: Path) -> str:
    """Return the command line that judges the file, as it can be typed here."""
    program = "clearbar"
    if shutil.which(program) is None:
        beside = Path(sys.executable).parent / program
        here = Path.cwd()
        program = str(beside.relative_to(here) if beside.is_relative_to(here) else beside)
    words = [program, "evaluate", str(path), "--y-true", "y_true"]
    words += [word for name in MODELS for word in ("--y-pred", name)]
    return shlex.join(words)


def main() -> None:
    """Train, judge, print; write the predictions."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("demo_output"), metavar="FOLDER")
    parser.add_argument(
        "--write-shipped",
        action="store_true",
        help="renew the predictions that the package ships for `clearbar demo`, and stop",
    )
    options = parser.parse_args()
    folder = SHIPPED if options.write_shipped else options.output
    paths = []
    for dataset, (title, _) in DATASETS.items():
        rows, stopped = predict(dataset)
        paths.append(folder / f"{dataset}.csv")
        write(rows, paths[-1])
        if options.write_shipped:
            continue
        print(f"\n{title}\n{'=' * len(title)}")
        for name, splits in stopped.items():
            if splits:
                print(
                    f"({name}, on unscaled features, reached its default limit of iterations "
                    f"in {splits} of {SPLITS} splits; it is judged as it is.)"
                )
        print(cb.evaluate(rows["y_true"], {name: rows[name] for name in MODELS}))
    if options.write_shipped:
        return
    print("\nThe predictions are in", " and ".join(map(str, paths)) + ".")
    print("To judge such a file from the command line:\n")
    print(f"    {command(paths[0])}")


if __name__ == "__main__":
    main()
