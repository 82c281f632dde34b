"""What is taken from fitted models, labels or scores, and how that is judged across folds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from clearbar.catalogue import Measure
from clearbar.core._typing import BoolArray, FloatArray, IntArray, Undefined
from clearbar.core.errors import listed
from clearbar.evaluation.folds import Split, fold_classes, fold_labels
from clearbar.evaluation.options import InferenceOptions, Question, judged
from clearbar.evaluation.scores import over_folds
from clearbar.problems.folds import FoldClasses, FoldLabels, FoldScores, Way
from clearbar.problems.multiclass import ClassMeasure
from clearbar.problems.scores import ScoreMeasure
from clearbar.problems.validation import UNKNOWN, Validation
from clearbar.scorecard import Scorecard

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


class Kind:
    """What models are asked, and a problem made of what they predict.

    A kind brings `_problem`, and `_card` or `judged`. `truth` holds the labels as an array that is quick to
    shuffle and to count: of two classes whether each sample is positive, of more the position of its class.
    """

    measures: tuple[Any, ...]
    _problem: Callable[..., Any]
    _card: Callable[..., Scorecard]

    def method(self, model: Any, what: str) -> str:  # noqa: ARG002 - every classifier has it
        """Return the method that is asked."""
        return "predict"

    def scores(self, truth: Any, predictions: Predictions, tested: Tested) -> FloatArray:
        """Return combined scores of shape (models, measures)."""
        scores: FloatArray = self._problem(truth, predictions, tested).scores(self.measures)[:, 0]
        return scores

    def judged(
        self,
        truth: Any,
        predictions: Predictions,
        tested: Tested,
        validation: Validation,
        notes: Any,
        how: InferenceOptions,
    ) -> Scorecard:
        """Return the scorecard."""
        return self._card(self._problem(truth, predictions, tested, validation), tested, notes, how)


@dataclass(frozen=True)
class OfLabels(Kind):
    """Predicted labels; `y` are the true ones as they are given, which `judged` alone reads."""

    measures: tuple[Measure, ...]
    way: Way
    undefined: Undefined
    positive: Any
    pos_label: Any
    y: Any

    def _problem(self, truth: BoolArray, predictions: Predictions, tested: Tested) -> FoldLabels:
        """Count truth values, since refits count often and labels are slow to read."""
        positive = {name: _whole(values, tested) == self.positive for name, values in predictions.items()}
        return fold_labels(
            truth[tested.rows], positive, tested.split, self.way, self.undefined, pos_label=True
        )

    def judged(
        self,
        truth: BoolArray,
        predictions: Predictions,
        tested: Tested,
        validation: Validation,
        notes: Any,
        how: InferenceOptions,
    ) -> Scorecard:
        """Return the scorecard of the labels as they are given, so that messages call them by their names."""
        predicted = {name: _whole(values, tested) for name, values in predictions.items()}
        labels = _safe_indexing(self.y, tested.rows)
        facts = tested.split, self.way, self.undefined
        problem = fold_labels(labels, predicted, *facts, pos_label=self.pos_label, validation=validation)
        if tested.clusters is not None:
            tests = tested.tests
            called = np.stack([values[: len(tests)] == self.positive for values in predicted.values()])
            samples: Any = {"truth": truth[tests], "predicted": called, "calls": None}
            problem = replace(problem, clusters=tested.clusters, torn=tested.torn, **samples)
        return judged(Question(problem, self.measures, (*tested.split.notes, *notes)), how)


@dataclass(frozen=True)
class OfClasses(Kind):
    """Predicted labels of more than two classes; `labels` are the names of the classes."""

    measures: tuple[ClassMeasure, ...]
    way: Way
    labels: Any

    def _card(self, problem: FoldClasses, tested: Tested, notes: Any, how: InferenceOptions) -> Scorecard:
        return judged(Question(problem, self.measures, (*tested.split.notes, *notes)), how)

    def _problem(
        self, truth: IntArray, predictions: Predictions, tested: Tested, validation: Validation = UNKNOWN
    ) -> FoldClasses:
        predicted = {name: _whole(values, tested) for name, values in predictions.items()}
        labels = self.labels[truth[tested.rows]]
        return fold_classes(
            labels, predicted, tested.split, self.way, validation, tested.clusters, torn=tested.torn
        )


@dataclass(frozen=True)
class OfScores(Kind):
    """Probabilities, or other scores, of the positive class."""

    measures: tuple[ScoreMeasure, ...]
    way: Way

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

    def _card(self, problem: FoldScores, tested: Tested, notes: Any, how: InferenceOptions) -> Scorecard:
        return judged(over_folds(problem, self.measures, tested.split, notes), how)

    def _problem(
        self, truth: BoolArray, predictions: Predictions, tested: Tested, validation: Validation = UNKNOWN
    ) -> FoldScores:
        scores = {name: np.concatenate(values).astype(np.float64) for name, values in predictions.items()}
        sizes = [len(values) for values in next(iter(predictions.values()))]
        folds = tuple(np.split(np.arange(sum(sizes)), np.cumsum(sizes)[:-1]))
        facts: Any = (
            tuple(scores),
            tested.split.names,
            self.way,
            truth[tested.tests],
            tuple(scores.values()),
            folds,
        )
        return FoldScores(*facts, validation=validation, clusters=tested.clusters, torn=tested.torn)


def _whole(values: Sequence[Any], tested: Tested) -> Any:
    """Join the predictions of the folds; samples that are never tested get one that does not count."""
    joined = np.concatenate(values)
    return np.append(joined, np.repeat(joined[:1], len(tested.rows) - len(joined)))
