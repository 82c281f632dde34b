"""Are these scores any good? Three classifiers of breast tumours, by their scores and across folds.

Needs scikit-learn, which ships the data. Run it with ``python examples/scores.py``.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import clearbar as cb


def predicted() -> tuple[np.ndarray, dict[str, np.ndarray], list[tuple[np.ndarray, np.ndarray]]]:
    """Return true labels (1 is malignant), each model's out-of-fold probabilities, and the folds."""
    data = load_breast_cancer()
    features, truth = data.data, 1 - data.target
    idle = np.random.default_rng(0).normal(size=(len(truth), 1))  # a feature that knows nothing
    folds = list(StratifiedKFold(5, shuffle=True, random_state=0).split(features, truth))
    models = {
        "logistic regression": (make_pipeline(StandardScaler(), LogisticRegression()), features),
        "nearest neighbours": (KNeighborsClassifier(5), features[:, [9, 14, 19]]),
        "idle feature": (LogisticRegression(), idle),
    }
    scores = {
        name: cross_val_predict(model, x, truth, cv=folds, method="predict_proba")[:, 1]
        for name, (model, x) in models.items()
    }
    return truth, scores, folds


def main() -> None:
    """Judge the scores in three ways."""
    truth, scores, folds = predicted()
    print("As one ranking:\n")
    names = ["roc_auc", "average_precision", "log_loss", "brier_score", "max_f1", "precision@50"]
    print(cb.evaluate_scores(truth, scores, names, train_prevalence=0.5))
    print("\nAveraged over folds:\n")
    print(cb.evaluate_scores(truth, scores, ["roc_auc", "average_precision"], folds=folds))
    print("\nFolds merged:\n")
    print(cb.evaluate_scores(truth, scores, "roc_auc", folds=folds, aggregate="merged"))
    print("\nA number from a paper: ROC AUC 0.62 on 60 positives among 500.\n")
    print(cb.baseline(cb.Population(total=500, positives=60), "roc_auc").judge(0.62))


if __name__ == "__main__":
    main()
