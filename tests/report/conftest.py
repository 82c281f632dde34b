import numpy as np
import pandas as pd
import pytest
from tests.report.browser import browser  # noqa: F401 - a fixture

import clearbar as cb

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "attribute": '"><img src=x onerror=alert(1)>',
    "formula": '=HYPERLINK("http://x.org","click")',
    "right to left": "שלום עולם",
    "override": "\u202eevil\u2066",
    "emoji": "😀👩‍👩‍👧",
    "template": "{{ 7*7 }}{% raw %}${7*7}",
    "closing": "</style></script></title>--><b>",
    "control": "red\x1b[31m\x00\r\nline\u2028",
    "surrogate": "\ud800",
    "blanks": "  two  blanks  ",
    "long": "x" * 10_000,
}


def predictions(samples, models, *, seed=1, share=0.35):
    """Labels and predictions of models that look at the truth less and less."""
    rng = np.random.default_rng(seed)
    y = rng.random(samples) < share
    guesses = {
        name: np.where(rng.random(samples) < at / max(len(models) - 1, 1), rng.random(samples) < share, y)
        for at, name in enumerate(models)
    }
    return y, guesses


@pytest.fixture(scope="session")
def card():
    y = np.array([1] * 18 + [0] * 13)
    careless, careful = y.copy(), y.copy()
    careless[[0, 1, 2, 3, 4, 18, 19, 20, 21, 22]] ^= 1
    careful[[0, 1, 2, 3, 18, 19, 20]] ^= 1
    by = np.array(["north", "south", "west"])[np.arange(31) % 3]
    measures = ["f1", "accuracy", "g_mean", "mcc", "recall", "error_rate", "diagnostic_odds_ratio"]
    return cb.evaluate(y, {"careless": careless, "careful": careful}, measures, by=by)


@pytest.fixture(scope="session")
def tasks():
    """Two models that answered two tasks."""
    rng, rows = np.random.default_rng(4), []
    for task, number, options in (("arc", 40, 4), ("safe", 25, 2)):
        gold = rng.integers(options, size=number)
        for model, share in (("large", 0.7), ("small", 0.1)):
            answer = np.where(rng.random(number) < share, gold, rng.integers(options, size=number))
            rows += [(model, task, at, gold[at], answer[at], options) for at in range(number)]
    table = pd.DataFrame(rows, columns=["model", "task", "item", "gold", "answer", "options"])
    named = {"model": "model", "by": "task", "item": "item", "options": "options", "kind": "multiclass"}
    return cb.evaluate_frame(table, "gold", "answer", **named)


def newer_cards(tasks):
    """Return scorecards of many classes, sets of labels, numbers, classes one by one, and tasks."""
    rng = np.random.default_rng(2)
    matrix = np.diag(np.arange(12, 3, -1)) + rng.integers(0, 3, (9, 9))
    classes = {"net": cb.ConfusionMatrix(matrix, labels=[f"kind {at}" for at in range(9)])}
    sets = rng.random((60, 4)) < [0.6, 0.4, 0.3, 0.1]
    called = {
        name: np.where(rng.random(sets.shape) < share, sets, False)
        for name, share in (("a", 0.9), ("b", 0.3))
    }
    y = rng.normal(size=60)
    accuracy = cb.evaluate_multiclass(classes, measures="accuracy", intervals=False)
    return {
        "classes": cb.evaluate_multiclass(classes, measures=["accuracy", "f1_macro"], intervals=False),
        "one by one": accuracy.per_class(["f1", "mcc"]),
        "labels": cb.evaluate_multilabel(sets, called, intervals=False),
        "numbers": cb.evaluate_regression(
            y, {"near": y / 2, "far": -y}, ["mae", "r2", "mse"], intervals=False
        ),
        "tasks": tasks,
    }


def hostile_card():
    """Every name is one that a careless page would obey."""
    counts = cb.Counts(tp=[14, 3], fp=[3, 1], fn=[4, 2], tn=[10, 9])
    names = list(HOSTILE.values())
    measures = [
        cb.Measure(f"own {at}", lambda tp, fp, fn, tn: tp - fp, greater_is_better=True, label=label)  # noqa: ARG005
        for at, label in enumerate((names[0], HOSTILE["blanks"]))
    ]
    slices = [names[1], HOSTILE["blanks"]]
    return cb.evaluate_counts(dict.fromkeys(names, counts), ["f1", *measures], groups=slices)


@pytest.fixture(scope="session")
def pages(tmp_path_factory, card, tasks):
    """Reports of every shape, as files."""
    folder = tmp_path_factory.mktemp("pages")
    y, guesses = predictions(400, [f"m{at}" for at in range(9)])
    counts = cb.Counts(tp=[30, 12, 4], fp=[6, 9, 1], fn=[5, 10, 0], tn=[40, 8, 15])
    cards = {
        "usual": card,
        "long": cb.evaluate(y, guesses, ["f1", "mcc", "recall"], by=np.arange(400) % 4),
        "runs": cb.evaluate(y, np.stack(list(guesses.values())[:3]), ["mcc", "accuracy", "f1"]),
        "no whole": cb.evaluate_counts(counts, ["f1", "mcc"], groups=["A", "B", "C"]),
        "hostile": hostile_card(),
        "folds": cb.evaluate_folds(y, {"m1": guesses["m1"]}, np.arange(400) % 3, ["f1", "mcc"]),
        "scores": cb.evaluate_scores(y[:60], np.round(0.7 * y[:60] + np.linspace(0, 0.3, 60), 3)),
    }
    cards |= newer_cards(tasks)
    for name, one in cards.items():
        one.to_html(folder / f"{name}.html", call="clearbar evaluate predictions.csv --y-true y")
    return {name: folder / f"{name}.html" for name in cards}
