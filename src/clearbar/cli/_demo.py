"""``clearbar demo``: five classifiers on two data sets, whose predictions are shipped."""

from __future__ import annotations

import argparse
import csv
from importlib import resources

from clearbar.cli._parser import UsageError
from clearbar.cli._screen import Answer
from clearbar.core._saving import save
from clearbar.evaluation import evaluate
from clearbar.formatting import Screen, visible

_TITLES = {
    "diabetes": "Diabetes: progression above the median",
    "wisconsin": "Wisconsin breast cancer: malignant",
}
_NO_MODELS = ("dataset", "split", "y_true")

_OPENING = (
    "Five classifiers with scikit-learn's default settings, on the test samples of ten random splits. The "
    "bar is the best that a classifier can expect which never looks at a feature. Who clears it?"
)
_CLOSING = "Now your own file, with a column of true labels and one or more of predictions:"
_COMMAND = "clearbar evaluate FILE --y-true COLUMN --y-pred COLUMN"


def demo(options: argparse.Namespace, screen: Screen) -> Answer:
    """Judge the shipped predictions."""
    if options.csv is not None:
        return Answer(_saved(options.csv))
    parts = [screen.sentence(_OPENING)]
    for name, title in _TITLES.items():
        columns = _columns(name)
        models = {model: column for model, column in columns.items() if model not in _NO_MODELS}
        card = evaluate(columns["y_true"], models)
        heading = f"{screen.sentence(title, 'strong')}\n{'=' * min(len(title), screen.columns)}"
        parts.append(f"{heading}\n{card.to_text(**screen.options)}")
    return Answer("\n\n".join([*parts, screen.sentence(_CLOSING), screen.sentence(_COMMAND, first="    ")]))


def _saved(path: str) -> str:
    """Write the predictions on the first data set to a new file."""
    text = _text("diabetes")
    try:
        save(text, path)
    except FileExistsError:
        raise UsageError(f"{path} is there already; give --csv another name.") from None
    rows = len(text.splitlines()) - 1
    return f"{rows:,} predictions of five classifiers are in {visible(path)}, the true labels in y_true."


def _text(name: str) -> str:
    return (resources.files("clearbar") / "_demo" / f"{name}.csv").read_text(encoding="utf-8")


def _columns(name: str) -> dict[str, list[int]]:
    """Read a shipped file; the labels in it are whole numbers."""
    header, *rows = csv.reader(_text(name).splitlines())
    return {
        column: [int(value) for value in values]
        for column, values in zip(header, zip(*rows, strict=True), strict=True)
        if column != "dataset"
    }
