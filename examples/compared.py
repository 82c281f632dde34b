"""Three models that deserve no praise, put to scikit-learn, pycm, DutchDraw and clearbar.

    python examples/compared.py

The first two ignore every feature; the third knows something, and would do better not to use it. What each
package is asked is its own test of "better than chance". A package that is not installed is left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.metrics import f1_score
from sklearn.model_selection import LeaveOneOut, cross_val_predict, permutation_test_score

import clearbar as cb
from clearbar.sklearn import cross_evaluate

Row = tuple[str, str, str]


class Minority(ClassifierMixin, BaseEstimator):
    """Answer the label that is rarer among the training labels."""

    def fit(self, _features: np.ndarray, y: np.ndarray) -> Minority:
        """Count the labels."""
        self.classes_, sizes = np.unique(y, return_counts=True)
        self.rarer_ = self.classes_[np.argmin(sizes)]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Give it to all."""
        return np.full(len(X), self.rarer_)


def always_positive() -> Iterator[Row]:
    """30 of 100 samples are positive, and the model calls all of them so. Is its F1 good?"""
    y_true, y_pred = np.repeat([1, 0], [30, 70]), np.ones(100, dtype=int)
    features = np.zeros((100, 1))
    score = f1_score(y_true, y_pred)
    for strategy in ("prior", "stratified", "uniform"):
        runs = 100 if strategy != "prior" else 1
        blind = (
            DummyClassifier(strategy=strategy, random_state=i).fit(features, y_true) for i in range(runs)
        )
        bar = np.mean([f1_score(y_true, guesser.predict(features), zero_division=0) for guesser in blind])
        yield (
            f"scikit-learn: DummyClassifier({strategy!r})",
            f"bar {bar:.2f}, F1 {score:.2f}",
            passes(score > bar),
        )
    model = DummyClassifier(strategy="constant", constant=1)
    p = permutation_test_score(model, features, y_true, scoring="f1", n_permutations=99, random_state=0)[2]
    yield "scikit-learn: permutation_test_score", f"p = {p:.2f}", passes(p <= 0.05)
    yield from pycm_says(y_true, y_pred)
    yield from dutchdraw_says(y_true, score)
    row = cb.evaluate(y_true, y_pred, "f1")[0]
    yield "clearbar", f"bar {row.baseline.value:.2f}, F1 {row.score:.2f}", passes(row.sure)


def worse_than_a_constant() -> Iterator[Row]:
    """700 of 1,000 samples are positive; the model finds 680 of them and 30 negatives. Is it accurate?"""
    y_true = np.repeat([1, 0], [700, 300])
    y_pred = np.repeat([1, 0, 1, 0], [680, 20, 270, 30])
    random = np.random.default_rng(0)
    right = np.sum(y_true == y_pred)
    shuffled = [np.sum(random.permutation(y_true) == y_pred) for _ in range(999)]
    p = (1 + np.sum(np.array(shuffled) >= right)) / 1000
    yield "labels shuffled 999 times", f"p = {p:.3f}", passes(p <= 0.05)
    yield from pycm_says(y_true, y_pred)
    row = cb.evaluate(y_true, y_pred, "accuracy")[0]
    said = f"p = {row.p_value:.2f}, that it knows anything {row.p_value_blind:.0e}"
    yield "clearbar", said, passes(row.sure)


def leave_one_out() -> Iterator[Row]:
    """10 of 20 samples are positive; each is answered by the label that is rarer among the other 19."""
    y_true, features = np.repeat([0, 1], 10), np.zeros((20, 1))
    y_pred = cross_val_predict(Minority(), features, y_true, cv=LeaveOneOut())
    constant = cross_val_predict(DummyClassifier(), features, y_true, cv=LeaveOneOut())
    score, bar = (np.mean(answers == y_true) for answers in (y_pred, constant))
    yield (
        "scikit-learn: DummyClassifier('prior')",
        f"bar {bar:.2f}, accuracy {score:.2f}",
        passes(score > bar),
    )
    p = permutation_test_score(
        Minority(), features, y_true, cv=LeaveOneOut(), n_permutations=19, random_state=0
    )[2]
    yield "scikit-learn: permutation_test_score", f"p = {p:.2f}", passes(p <= 0.05)
    yield from pycm_says(y_true, y_pred)
    row = cb.evaluate(y_true, y_pred, "accuracy")[0]
    yield "clearbar: predictions alone", f"p = {row.p_value:.0e}", passes(row.sure)
    row = cross_evaluate(
        Minority(), features, y_true, cv=LeaveOneOut(), measures="accuracy", permutations=19
    )[0]
    yield "clearbar: cross_evaluate(permutations=19)", f"p = {row.p_value_blind:.2f}", passes(row.sure)


def pycm_says(y_true: np.ndarray, y_pred: np.ndarray) -> Iterator[Row]:
    """Its accuracy against the largest class, as in caret: a binomial test."""
    try:
        from pycm import ConfusionMatrix
    except ImportError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = ConfusionMatrix(actual_vector=y_true.tolist(), predict_vector=y_pred.tolist())
    said = f"accuracy {table.Overall_ACC:.2f}, rate {table.NIR:.2f}, p = {table.PValue:.2g}"
    yield "pycm: no-information rate", said, passes(table.PValue <= 0.05)


def dutchdraw_says(y_true: np.ndarray, score: float) -> Iterator[Row]:
    """The older package's bar."""
    try:
        import DutchDraw
    except ImportError:
        return
    bar = DutchDraw.optimized_baseline_statistics(y_true.tolist(), "FBETA")["Max Expected Value"]
    yield "DutchDraw", f"bar {bar:.2f}, F1 {score:.2f}", passes(score > bar)


def passes(well: bool) -> str:  # noqa: FBT001 - what is asked is the name
    """Say whether the model is called better than chance."""
    return "lets it pass" if well else "does not"


QUESTIONS: tuple[Callable[[], Iterator[Row]], ...] = (always_positive, worse_than_a_constant, leave_one_out)


def table(question: Callable[[], Iterator[Row]]) -> str:
    """Return what all said to a question."""
    rows = list(question())
    wide = max(len(who) for who, _, _ in rows)
    lines = (f"{verdict:12}  {who:{wide}}  {said}" for who, said, verdict in rows)
    return "\n".join([question.__doc__ or "", *lines])


def main() -> None:
    """Print the three tables."""
    print("\n\n".join(map(table, QUESTIONS)))


if __name__ == "__main__":
    main()
