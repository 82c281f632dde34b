"""Three data sets of more than two classes, judged end to end: iris, wine and handwritten digits.

Run with ``python examples/classes.py``; it needs scikit-learn, which brings the data.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import clearbar as cb
from clearbar.sklearn import cross_evaluate


def iris() -> None:
    """Cross-validate a tree and scikit-learn's dummy."""
    data = load_iris()
    names = data.target_names[data.target]
    models = {
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
        "dummy": DummyClassifier(strategy="stratified", random_state=0),
    }
    print(cross_evaluate(models, data.data, names, measures=["accuracy", "f1_macro", "mcc"]))


def wine() -> None:
    """Judge each class against the rest, by two of the thirteen features."""
    features, truth = load_wine(return_X_y=True)
    model = make_pipeline(StandardScaler(), GaussianNB())
    called = cross_val_predict(model, features[:, [1, 2]], truth)
    card = cb.evaluate(truth, {"two features": called}, ["accuracy", "f1_macro", "f1_of_averages", "kappa"])
    print(card)
    print()
    print(card.per_class("f1"))


def digits() -> None:
    """Judge labels and the first three guesses of ten digits, from the upper half of the pictures."""
    features, truth = load_digits(return_X_y=True)
    parts = train_test_split(features[:, :32], truth, test_size=0.5, random_state=0, stratify=truth)
    train, test, known, hidden = parts
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)).fit(train, known)
    print(cb.evaluate(hidden, {"upper half": model.predict(test)}))
    print()
    guesses = {"upper half": model.predict_proba(test), "chance": np.random.default_rng(0).random((899, 10))}
    print(cb.evaluate(hidden, guesses, ["top_1_accuracy", "top_3_accuracy"]))


def main() -> None:
    """Judge all three."""
    for judge in (iris, wine, digits):
        print(f"{judge.__name__.capitalize()}\n")
        judge()
        print()


if __name__ == "__main__":
    main()
