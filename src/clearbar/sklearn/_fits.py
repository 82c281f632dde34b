"""Fits on splits: what models predict for samples that they did not see, and how that is judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.model_selection import check_cv, cross_validate
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.parallel import Parallel, delayed

from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.evaluation.folds import Split, fold_classes, fold_labels, tests_of
from clearbar.evaluation.options import Question
from clearbar.evaluation.scores import over_folds
from clearbar.formatting import plural
from clearbar.problems.folds import FoldClasses, FoldColumns, FoldLabels, FoldScores, Way
from clearbar.problems.validation import UNKNOWN

Splits = list[tuple[IntArray, IntArray]]

# What a method gives for each row.
PER_ROW = {"predict": "one label", "decision_function": "one score", "predict_proba": "two probabilities"}


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
    """Return scikit-learn's splitter and its splits, or say which cannot be fitted or tested on."""
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


Predictions = Mapping[str, Sequence[Any]]  # by each model for the test set of each split: labels, or scores


@dataclass(frozen=True)
class Tested:
    """The samples of all test sets one after the other, then those never tested; and their folds."""

    rows: IntArray
    split: Split
    clusters: IntArray | None = None  # the cluster of each test
    torn: bool = False  # whether a split has samples of one cluster on both sides

    @property
    def tests(self) -> IntArray:
        """The sample of each test, fold after fold."""
        return self.rows[: np.count_nonzero(self.split.codes >= self.split.outside)]


@dataclass(frozen=True)
class Kind:
    """What models are asked, and a problem made of what they predict.

    A kind brings `problem`. `truth` holds the labels as an array that is quick to shuffle and to count: of
    two classes whether each sample is positive, of more the position of its class. Refits have no
    `validation`.
    """

    measures: tuple[Any, ...]
    way: Way

    def method(self, model: Any, what: str) -> str:  # noqa: ARG002 - every classifier has it
        """Return the method that is asked."""
        return "predict"

    def problem(self, truth: Any, predictions: Predictions, tested: Tested, validation: Any = None) -> Any:
        raise NotImplementedError

    def question(self, problem: Any, split: Split, notes: Sequence[str]) -> Question:
        return Question(problem, self.measures, (*split.notes, *notes))

    def scores(self, truth: Any, predictions: Predictions, tested: Tested) -> FloatArray:
        """Return combined scores of shape (models, measures)."""
        scores: FloatArray = self.problem(truth, predictions, tested).scores(self.measures)[:, 0]
        return scores


@dataclass(frozen=True)
class OfLabels(Kind):
    """Predicted labels of two classes; `y` are the true ones as they are given."""

    undefined: Undefined
    positive: Any
    pos_label: Any
    y: Any

    def problem(
        self, truth: BoolArray, predictions: Predictions, tested: Tested, validation: Any = None
    ) -> FoldLabels:
        predicted = {name: _whole(values, tested) for name, values in predictions.items()}
        positive = {name: values == self.positive for name, values in predicted.items()}
        facts: Any = tested.split, self.way, self.undefined
        if validation is None:  # truth values, since refits count often and labels are slow to read
            return fold_labels(truth[tested.rows], positive, *facts, pos_label=True)
        labels = _safe_indexing(self.y, tested.rows)  # as they are given: messages call them by their names
        problem = fold_labels(labels, predicted, *facts, pos_label=self.pos_label, validation=validation)
        if tested.clusters is None:
            return problem
        tests = tested.tests
        called = np.stack([values[: len(tests)] for values in positive.values()])
        samples: Any = {"truth": truth[tests], "predicted": called, "calls": None}
        return replace(problem, clusters=tested.clusters, torn=tested.torn, **samples)


@dataclass(frozen=True)
class OfClasses(Kind):
    """Predicted labels of more than two classes; `labels` are the names of the classes."""

    labels: Any

    def problem(
        self, truth: IntArray, predictions: Predictions, tested: Tested, validation: Any = None
    ) -> FoldClasses:
        predicted = {name: _whole(values, tested) for name, values in predictions.items()}
        facts: Any = tested.split, self.way, validation or UNKNOWN, tested.clusters
        return fold_classes(self.labels[truth[tested.rows]], predicted, *facts, torn=tested.torn)


@dataclass(frozen=True)
class OfScores(Kind):
    """Probabilities, or other scores, of the positive class; `labels` are the names of both classes."""

    labels: tuple[Any, ...]
    kind_of_problem: ClassVar[Any] = FoldScores

    def method(self, model: Any, what: str) -> str:
        """Return the method that is asked: probabilities where there are any."""
        if hasattr(model, "predict_proba"):
            return "predict_proba"
        wanting = [measure.label for measure in self.measures if measure.probabilities]
        if not wanting and hasattr(model, "decision_function"):
            return "decision_function"
        methods = "predict_proba" if wanting else "predict_proba or decision_function"
        labels = listed(wanting or [measure.label for measure in self.measures], most=4)
        raise ValueError(
            f"{what} must have {methods} to be judged by {labels}; {type(model).__name__} has not."
        )

    def problem(self, truth: Any, predictions: Predictions, tested: Tested, validation: Any = None) -> Any:
        scores = tuple(np.concatenate(values).astype(np.float64) for values in predictions.values())
        ends = np.cumsum([len(values) for values in next(iter(predictions.values()))])
        folds = tuple(np.split(np.arange(ends[-1]), ends[:-1]))
        facts = tuple(predictions), tested.split.names, self.way, truth[tested.tests], scores, folds
        where: Any = {"clusters": tested.clusters, "torn": tested.torn, "validation": validation or UNKNOWN}
        return self.kind_of_problem(*facts, labels=self.labels, **where)

    def question(self, problem: Any, split: Split, notes: Sequence[str]) -> Question:
        return over_folds(problem, self.measures, split, notes)


@dataclass(frozen=True)
class OfColumns(OfScores):
    """A probability, or another score, of each of more than two classes; `labels` are their names."""

    kind_of_problem = FoldColumns

    def question(self, problem: Any, split: Split, notes: Sequence[str]) -> Question:
        return Question(
            problem,
            self.measures,
            (problem.way.notes["probabilities"].format(folds=len(problem.folds)), *split.notes, *notes),
            lambda card: problem.validation.caveats(intervals=card.has_p_values),
        )


def _whole(values: Sequence[Any], tested: Tested) -> Any:
    """Join the predictions of the folds; samples that are never tested get one that does not count."""
    joined = np.concatenate(values)
    return np.append(joined, np.repeat(joined[:1], len(tested.rows) - len(joined)))
