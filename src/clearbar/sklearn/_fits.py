"""Fits on splits, and what the fitted models predict for the samples that they did not see."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv, cross_validate
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel, delayed

from clearbar.core._typing import IntArray
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.evaluation.folds import tests_of
from clearbar.formatting import plural

Splits = list[tuple[IntArray, IntArray]]

PER_ROW = {"predict": "one label", "decision_function": "one score", "predict_proba": "two probabilities"}
"""What a method gives for each row."""


@dataclass(frozen=True)
class Fits:
    """Models by name, which method of each is asked, how messages call it, and what it is fitted to."""

    models: Mapping[str, Any]
    methods: Mapping[str, str]
    called: Mapping[str, str]
    X: Any
    positive: Any  # the positive label; of a column per class, the array of all labels
    params: Any
    n_jobs: int | None

    def of(self, tasks: Sequence[tuple[str, Any, Splits]]) -> Iterator[Any]:
        """Fit models to labels, and yield, task by task and split by split, predictions for the test set."""
        work: Iterator[Any] = Parallel(n_jobs=self.n_jobs, return_as="generator")(
            delayed(_predicted)(
                self.models[name], self.X, y, split, self.params, self.methods[name], self.called[name],
                self.positive,
            )
            for name, y, splits in tasks
            for split in splits
        )  # fmt: skip
        return work


def _predicted(
    model: Any, X: Any, y: Any, split: tuple[IntArray, IntArray], params: Any, method: str, what: str,
    positive: Any,
) -> Any:  # fmt: skip
    """Fit a clone on one split and return what it predicts: labels, or scores of the positive class.

    scikit-learn's own cross-validation does it, so that weights, kernels, frames and metadata are split
    as its users expect; the scorer only takes the predictions with it.
    """
    kept = []

    def keep(fitted: Any, rows: Any, _: Any = None) -> float:
        kept.append((np.asarray(getattr(fitted, method)(rows)), getattr(fitted, "classes_", None)))
        return 0.0

    cross_validate(model, X, y, cv=[split], scoring=keep, params=params, error_score="raise")
    (predicted, classes), rows = kept[0], len(np.arange(len(y))[split[1]])
    if isinstance(positive, np.ndarray) and method != "predict":
        return _columns(predicted, classes, positive, rows, what)
    if method != "predict_proba" and predicted.shape == (rows, 1):  # a column, as some libraries return
        predicted = predicted[:, 0]
    if predicted.shape != ((rows, 2) if method == "predict_proba" else (rows,)):
        raise ValueError(
            f"{what} must predict {PER_ROW[method]} for each row; found predictions of shape "
            f"{predicted.shape} for {plural(rows, 'row')}."
        )
    if method == "predict":
        return predicted
    is_second = classes is None or bool(classes[1] == positive)
    if method == "predict_proba":
        return predicted[:, int(is_second)]
    return predicted if is_second else -predicted


def _columns(predicted: Any, classes: Any, labels: Any, rows: int, what: str) -> Any:
    """Return a column for each label, in their order; one that was not learnt has the least there is."""
    learnt = labels if classes is None else np.asarray(classes)
    if predicted.shape != (rows, len(learnt)):
        raise ValueError(
            f"{what} must predict a column per class for each row; found predictions of shape "
            f"{predicted.shape} for {plural(rows, 'row')} and {plural(len(learnt), 'class', 'classes')}."
        )
    matrix = np.full((rows, len(labels)), min(0.0, float(predicted.min())))
    places = {label: place for place, label in enumerate(labels.tolist())}
    matrix[:, [places[label] for label in learnt.tolist()]] = predicted
    return matrix


def checked_models(estimator: Any) -> dict[str, Any]:
    """Return the models by name; raise if there is none, or one that is no classifier."""
    models = dict(estimator) if isinstance(estimator, Mapping) else {"": estimator}
    if not models:
        raise ValueError("estimator holds no model; pass a classifier, or a mapping of names to classifiers.")
    for name, model in models.items():
        what = argument_name(estimator, name)
        if isinstance(model, type):
            raise ValueError(
                f"{what} must be an instance; found the class {model.__name__}: pass {model.__name__}()."
            )
        missing = [method for method in ("fit", "predict") if not hasattr(model, method)]
        if missing:
            raise ValueError(
                f"{what} must be a classifier with fit and predict; {type(model).__name__} has no "
                f"{' and no '.join(missing)}."
            )
    return models


def argument_name(estimator: Any, name: Any) -> str:
    """Return how an error calls a model: by the argument, and its name in a mapping."""
    return f"estimator[{name!r}]" if isinstance(estimator, Mapping) else "estimator"


def refuse_one_class(population: Population) -> None:
    """Raise if all samples are of one class."""
    total, positives = int(population.total), int(population.positives)
    if positives in {0, total}:
        which = "positive" if positives else "negative"
        raise ValueError(
            f"y must hold samples of two classes; found {total:,} samples, all {which}, of which nothing can "
            "be learnt."
        )


def checked_lengths(X: Any, y: Any, groups: Any) -> Any:
    """Return X, y and groups with rows that can be taken; raise if they differ in number."""
    if X is None:
        raise ValueError("X must hold one row for each sample; found None.")
    try:
        return indexable(X, y, groups)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X, y and groups must hold one row for each sample. {error}") from None


def checked_splits(cv: Any, X: Any, y: Any, groups: Any) -> tuple[Any, Splits]:
    """Return scikit-learn's splitter, and its splits.

    Raises if they are fewer than two, or one is no pair or cannot be fitted or tested on.
    """
    for position, given in enumerate(cv if isinstance(cv, (list, tuple)) else (), 1):
        if not isinstance(given, (list, tuple)) or len(given) != 2:
            raise ValueError(
                f"cv must hold (train, test) pairs of positions; split {position} is {given!r:.60}."
            )
    splitter = check_cv(cv, y, classifier=True)
    splits: Splits = list(splitter.split(X, y, groups))
    if len(splits) < 2:
        raise ValueError(
            f"cv gives {plural(len(splits), 'split')}, and cross-validation has two or more; to judge one "
            "test set fit the model and use clearbar.evaluate."
        )
    labels = np.asarray(y)
    for position, (train, test) in enumerate(splits, 1):
        if not len(test):
            raise ValueError(f"cv: the test set of split {position} has no samples; leave that split out.")
        learnt = np.unique(labels[train])
        if len(learnt) < 2:
            raise ValueError(
                f"cv: the training set of split {position} holds "
                f"{listed(map(repr, learnt.tolist())) or 'nothing'} only, so that both classes cannot be "
                "learnt there; use fewer, shuffled or stratified folds."
            )
    tests_of(splits, len(y))
    return splitter, splits
