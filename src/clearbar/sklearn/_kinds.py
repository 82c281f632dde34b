"""What is taken from fitted models, labels or scores, and how that is judged across folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.errors import listed
from clearbar.evaluation.folds import Split, fold_classes, fold_labels
from clearbar.evaluation.options import Question
from clearbar.evaluation.scores import over_folds
from clearbar.problems.folds import FoldClasses, FoldColumns, FoldLabels, FoldScores, Way
from clearbar.problems.validation import UNKNOWN

Predictions = Mapping[str, Sequence[Any]]
"""What each model predicts for the test set of each split: labels, or scores."""


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

    labels: tuple[str, str]

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

    def problem(
        self, truth: BoolArray, predictions: Predictions, tested: Tested, validation: Any = None
    ) -> FoldScores:
        scores = {name: np.concatenate(values).astype(np.float64) for name, values in predictions.items()}
        ends = np.cumsum([len(values) for values in next(iter(predictions.values()))])
        folds = tuple(np.split(np.arange(ends[-1]), ends[:-1]))
        samples = truth[tested.tests], tuple(scores.values()), folds
        facts: Any = tuple(scores), tested.split.names, self.way, *samples
        where: Any = {"clusters": tested.clusters, "torn": tested.torn, "labels": self.labels}
        return FoldScores(*facts, validation=validation or UNKNOWN, **where)

    def question(self, problem: FoldScores, split: Split, notes: Sequence[str]) -> Question:
        return over_folds(problem, self.measures, split, notes)


@dataclass(frozen=True)
class OfColumns(OfScores):
    """A probability, or another score, of each of more than two classes; `labels` are their names."""

    labels: Any

    def problem(self, truth: Any, predictions: Predictions, tested: Tested, validation: Any = None) -> Any:
        matrices = tuple(np.concatenate(values).astype(np.float64) for values in predictions.values())
        ends = np.cumsum([len(values) for values in next(iter(predictions.values()))])
        folds = tuple(np.split(np.arange(ends[-1]), ends[:-1]))
        samples = truth[tested.tests], matrices, folds
        where: Any = {"clusters": tested.clusters, "torn": tested.torn, "validation": validation or UNKNOWN}
        facts: Any = tuple(predictions), tested.split.names, self.way, *samples
        return FoldColumns(*facts, labels=tuple(self.labels.tolist()), **where)

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
