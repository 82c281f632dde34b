"""Draw the pictures of the README and of docs from the predictions that clearbar ships.

python tools/figures.py [--output FOLDER]
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.style
import numpy as np
import polars as pl

import clearbar as cb

mpl.use("Agg")

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
MEASURES = ["f1", "threat_score", "accuracy", "g_mean", "mcc", "precision", "fnr"]
PAGES = {"default": "white", "dark_background": "#14181e"}  # what the site's pages are in light and dark
ALIKE = {"split 0", "split 2"}  # slices of about the same score
FEW = ["f1", "accuracy", "mcc", "precision", "fnr"]


def shipped() -> tuple[np.ndarray, dict[str, np.ndarray], np.ndarray]:
    """Return labels, the five models' predictions, and the split, of the diabetes data."""
    text = (resources.files("clearbar") / "_demo" / "diabetes.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    models = [name for name in rows[0] if name not in {"dataset", "split", "y_true"}]
    columns = {name: np.array([int(row[name]) for row in rows]) for name in ("split", "y_true", *models)}
    return columns["y_true"], {name: columns[name] for name in models}, columns["split"]


def scorecard() -> Any:
    """Five models on five measures."""
    y_true, models, _ = shipped()
    return cb.plots.ScorecardDisplay.from_predictions(y_true, models, FEW)


def null() -> Any:
    """The null distribution of one model's F1 on one split."""
    y_true, models, split = shipped()
    first = split == 0
    return cb.plots.NullDisplay.from_predictions(y_true[first], models["naive_bayes"][first], "f1")


def expectation() -> Any:
    """Expected F1 against the share predicted positive, and a model below the bar."""
    y_true, models, _ = shipped()
    return cb.plots.ExpectationDisplay.from_predictions(
        y_true, models["decision_tree"], "f1", name="decision_tree"
    )


def threshold() -> Any:
    """F1 at every threshold of made-up scores on the real labels."""
    y_true, _, _ = shipped()
    scores = y_true + np.random.default_rng(0).normal(0.0, 1.0, len(y_true))
    return cb.plots.ThresholdDisplay.from_predictions(y_true, scores, "f1")


def slices() -> Any:
    """One model's F1 in each of ten splits."""
    y_true, models, split = shipped()
    by = np.array([f"split {one}" for one in split])
    return cb.plots.SlicesDisplay.from_predictions(y_true, models["decision_tree"], by, "f1")


def gaps() -> Any:
    """How far one model's F1 in ten splits lies apart, and what of that is chance."""
    y_true, models, split = shipped()
    by = np.array([f"split {one}" for one in split])
    return cb.plots.GapsDisplay.from_predictions(y_true, models["decision_tree"], "f1", by=by)


def slices_explained() -> Any:
    """The same slices, of which two of about the same score stand out, one above its bar and one below."""
    display = slices()
    ax, standing = display.ax_, dict(zip(display.groups, display.standing, strict=True))
    below = [name for name, stands in standing.items() if stands == "fails"]
    rows = display.points_, display.bars_, display.bands_, display.whiskers_, display.texts_, display.support_
    artists = [pair for row in (*rows, ax.get_yticklabels()) for pair in zip(standing, row, strict=True)]
    for name, artist in [*artists, *zip(below, display.shortfalls_, strict=True)]:
        if name not in ALIKE:
            artist.set_alpha(0.35 * (artist.get_alpha() or 1.0))
    facts = zip(display.groups, display.scores, display.bars, ax.get_yticks(), strict=True)
    for name, score, bar, height in facts:
        if name in ALIKE:
            words = f"F1 {score:.3f}, {'below' if score < bar else 'above'} its bar of {bar:.3f}"
            ax.text(0.28, height, words, fontsize=8, color=mpl.rcParams["text.color"], va="center")
    display.title_.set_text("About the same F1: below the bar in split 0, above it in split 2")
    return display


def skill_map() -> Any:
    """Skill of five models on seven measures."""
    y_true, models, _ = shipped()
    return cb.plots.SkillMapDisplay.from_predictions(y_true, models, MEASURES)


def tasks() -> Any:
    """Three made-up models on four tasks of other class sizes."""
    noise = np.random.default_rng(4)
    task = np.repeat(["arc", "boolq", "hellaswag", "winogrande"], 90)
    most = np.repeat(list("ADBC"), 90)
    right = np.where(noise.random(360) < 0.2, most, noise.choice(list("ABCD"), 360))
    answers = [
        np.where(noise.random(360) < known, right, noise.choice(list("ABCD"), 360))
        for known in (0.5, 0.15, 0.0)
    ]
    columns = {"task": task, "item": np.arange(360), "right": right}
    table = {name: np.tile(column, 3) for name, column in columns.items()}
    table |= {"model": np.repeat(["large", "small", "guess"], 360), "answer": np.concatenate(answers)}
    card = cb.evaluate_frame(pl.DataFrame(table), "right", "answer", model="model", by="task", item="item")
    return cb.plots.TasksDisplay.from_scorecard(card)


def rare() -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return 300 labels, 15 positive, and scores of two models, one of which knows nothing."""
    y_true = np.repeat([1, 0], [15, 285])
    noise = np.random.default_rng(7).normal(size=(2, 300))
    return y_true, {"screening": 1.6 * y_true + noise[0], "guessing": noise[1]}


def roc() -> Any:
    """ROC curves of few positives."""
    return cb.plots.RocDisplay.from_predictions(*rare())


def precision_recall() -> Any:
    """Precision–recall curves of few positives."""
    return cb.plots.PrecisionRecallDisplay.from_predictions(*rare())


def confusion() -> Any:
    """Ten digits, by the upper half of their pictures."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import cross_val_predict
    from sklearn.naive_bayes import GaussianNB

    features, truth = load_digits(return_X_y=True)
    called = cross_val_predict(GaussianNB(), features[:, :32], truth)
    return cb.plots.ConfusionDisplay.from_predictions(truth, called)


def ranking() -> Any:
    """Five models by MCC, and which of them cannot be told apart."""
    y_true, models, _ = shipped()
    return cb.plots.RankingDisplay.from_predictions(y_true, models, "mcc")


def power() -> Any:
    """Power in F1 against the number of samples."""
    return cb.plots.PowerDisplay.from_rates("f1", prevalence=0.3, sensitivity=0.8, specificity=0.9)


def claim() -> Any:
    """The largest p of 0.90 against 0.85 on 300 samples, for each number judged differently."""
    return cb.plots.ClaimDisplay.from_claim(cb.claim("0.90", "0.85", 300))


def false_claim() -> Any:
    """How likely a claim of 0.85 against 0.80 is false, for each agreement of the models."""
    return cb.plots.FalseClaimDisplay.from_claim(cb.claim("0.85", "0.80", 150))


def reliability() -> Any:
    """Probabilities that are too far from one half."""
    noise = np.random.default_rng(3)
    given = noise.random(400)
    happened = (noise.random(400) < 0.25 + 0.5 * given).astype(int)
    return cb.plots.ReliabilityDisplay.from_predictions(happened, given)


FIGURES: dict[str, Callable[[], Any]] = {
    "scorecard": scorecard,
    "null": null,
    "expectation": expectation,
    "threshold": threshold,
    "slices": slices,
    "gaps": gaps,
    "slices_explained": slices_explained,
    "ranking": ranking,
    "skill_map": skill_map,
    "tasks": tasks,
    "roc": roc,
    "precision_recall": precision_recall,
    "confusion": confusion,
    "power": power,
    "claim": claim,
    "false_claim": false_claim,
    "reliability": reliability,
}


def main() -> None:
    """Write two PNGs per Display, for light and dark pages."""
    parser = argparse.ArgumentParser(description="Draw the documentation's pictures.")
    parser.add_argument("--output", type=Path, default=IMAGES)
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    for theme, ending in (("default", ""), ("dark_background", "_dark")):
        for name, make in FIGURES.items():
            path = folder / f"{name}{ending}.png"
            with (
                mpl.style.context(theme),
                mpl.rc_context({"figure.facecolor": PAGES[theme], "axes.facecolor": PAGES[theme]}),
            ):
                figure = make().figure_
                figure.savefig(path, dpi=130, metadata={"Software": None})
            print(path)


if __name__ == "__main__":
    main()
