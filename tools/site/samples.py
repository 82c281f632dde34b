"""What the home page shows, made when the site is: a report to click through."""

from __future__ import annotations

from pathlib import Path

from tools.figures import shipped

import clearbar as cb

MEASURES = ["f1", "accuracy", "mcc", "precision", "recall"]
MODELS = ("decision_tree", "random_forest", "naive_bayes")


def report(folder: Path) -> Path:
    """Write the sample report."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "sample_report.html"
    y_true, models, split = shipped()
    chosen = {name: models[name] for name in MODELS}
    by = [f"split {one}" for one in split]
    cb.evaluate(y_true, chosen, MEASURES, by=by).to_html(path, overwrite=True)
    return path
