"""Figures 1 to 3 of Forman and Scholz, and the example of their section 3.2: what differs between folds.

    python -m examples.papers.forman_scholz_folds [--output FOLDER]

Figure 1: F1 over precision and recall. Figure 2: how many positives random folds have. Figure 3: true and
false positive rate of each of ten folds against the threshold. They differ, so that the AUC of merged scores
is not the mean of the folds' AUC. Their text collections were not at hand; the classifier here is a linear
support vector machine on the breast tumours that scikit-learn ships.

George Forman and Martin Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1),
2010.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from examples.papers._beside import Row, shown

import clearbar as cb

FOLDS = 10
TITLE = "ROC AUC of folds"


@cache
def predicted() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return true labels (1 is malignant), out-of-fold scores and the fold of each."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.model_selection import StratifiedKFold
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    data = load_breast_cancer()
    truth, scores, folds = 1 - data.target, np.empty(data.target.size), np.empty(data.target.size, dtype=int)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(splitter.split(data.data, truth)):
        model = make_pipeline(StandardScaler(), SVC(kernel="linear")).fit(data.data[train], truth[train])
        scores[test], folds[test] = model.decision_function(data.data[test]), fold
    return truth, scores, folds


def both_areas(truth: Any, scores: Any, folds: Any) -> tuple[float, float]:
    """Return the mean of the folds' AUC, and that of the merged scores."""
    mean, merged = (
        cb.evaluate_scores(truth, scores, "roc_auc", folds=folds, aggregate=way)[0]
        for way in ("mean", "merged")
    )
    return float(mean.score), float(merged.score)


def rows() -> Iterator[Row]:
    """Compare both ways: on perfect folds that are shifted, scores that know the fold, and real ones."""
    shifted = [0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], [0, 0, 1, 1]
    blind = [1, 0, 0, 0, 1, 1, 0], [0.25] * 4 + [0.67] * 3, [0] * 4 + [1] * 3
    for what, data in (
        ("two perfect folds, one with higher scores", shifted),
        ("scores that know the fold alone: 1 of 4, 2 of 3 positive", blind),
        ("breast tumours, ten folds", predicted()),
    ):
        mean, merged = both_areas(*data)
        yield Row(what, f"{mean:.4f}", f"{merged:.4f}", " ")


def table() -> str:
    """Return the table as it is shown."""
    return shown(TITLE, rows(), ("", "AUC_avg", "AUC_merge"))


def figure_1() -> Any:
    """Lines of equal F1 over precision and recall."""
    recall, precision = np.meshgrid(np.linspace(0.01, 1, 100), np.linspace(0.01, 1, 100))
    figure, axes = plt.subplots(figsize=(4.4, 4), layout="constrained")
    lines = axes.contour(
        recall, precision, 2 * precision * recall / (precision + recall), np.arange(0.1, 1, 0.1)
    )
    axes.clabel(lines)
    axes.set(xlabel="recall", ylabel="precision", title="F1", aspect="equal")
    return figure


def figure_2() -> Any:
    """Probability of each number of positives in one of ten random folds of 1,000 cases."""
    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for percent in (1, 2, 5, 10):
        fold = cb.Draw(cb.Population(1000, 10 * percent), 1000 // FOLDS).distribution("tp")
        numbers, chances = fold.atoms()
        axes.plot(numbers, chances, "o-", markersize=3, label=f"{percent} % positive; stratified: {percent}")
    axes.set(
        xlabel="positive cases in a fold of 100",
        ylabel="probability",
        xlim=(-0.5, 20.5),
        xticks=range(0, 21, 5),
    )
    axes.legend(frameon=False)
    return figure


def figure_3() -> Any:
    """Rates of each fold against the threshold."""
    truth, scores, folds = predicted()
    thresholds = np.linspace(-3, 3, 241)
    figure, axes = plt.subplots(1, 2, figsize=(7.4, 3.4), sharex=True, layout="constrained")
    for ax, positive, name in ((axes[0], 1, "true positive rate"), (axes[1], 0, "false positive rate")):
        for fold in range(FOLDS):
            among = np.sort(scores[(folds == fold) & (truth == positive)])
            ax.plot(thresholds, 1 - np.searchsorted(among, thresholds) / among.size, linewidth=1)
        ax.set(xlabel="threshold", ylabel=name)
    return figure


FIGURES = {
    f"forman_scholz_figure_{n}": make for n, make in enumerate((figure_1, figure_2, figure_3), start=1)
}


if __name__ == "__main__":
    from examples.papers.dutch_draw_figures import save

    parser = argparse.ArgumentParser(description="Redraw what differs between folds.")
    parser.add_argument("--output", type=Path, default=Path("demo_output"), help="folder for the figures")
    save(FIGURES, parser.parse_args().output)
    print(table())
