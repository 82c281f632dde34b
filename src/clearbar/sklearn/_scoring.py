"""What a scorer gives for predictions: their skill, or the bar of their labels whatever they are."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from clearbar.catalogue import Measure, door, get_measure
from clearbar.core._typing import Undefined
from clearbar.core.counts import Counts, Population
from clearbar.core.errors import ArgumentError, ManyClassesError, UndefinedMeasureWarning
from clearbar.data.counting import count
from clearbar.data.scores import read_truth
from clearbar.evaluation import evaluate_counts, evaluate_scores
from clearbar.problems.binary import baseline
from clearbar.verdict import Verdict

ANOTHER = "choose a measure that has a value here"
ONE_CLASS = "these samples are of one class, which stratified folds avoid"


class NotScorableError(BaseException):
    """True labels that a scorer does not judge, whatever the fold: too many classes, or none named positive.

    No `Exception`, because a search makes nan of those, warns with a traceback per fold, and then chooses the
    first candidate as the best.
    """


_OF_TRUE_LABELS = {"two classes", "one class", "pos_label", "numbers"}
"""What would be right, as an `ArgumentError` names it, where it lies in the true labels and not in a fold."""


@dataclass(frozen=True)
class Scoring:
    """What all scorers share: a name that scikit-learn shows, and a warning where there is no value."""

    gives: Literal["skill", "baseline"]
    measure: Any  # what is evaluated
    pos_label: Any = None  # the label of the positive class
    undefined: Undefined = "exclude"  # the policy for outcomes without a value

    @property
    def __name__(self) -> str:
        """Name it as it was asked for; scikit-learn shows this."""
        options = [repr(self.measure.name)]
        if self.pos_label is not None:
            options.append(f"pos_label={self.pos_label!r}")
        if self.undefined != "exclude":
            options.append(f"undefined={self.undefined!r}")
        return f"{self.gives}_scorer({', '.join(options)})"

    def _value(self, verdict: Verdict) -> tuple[float, str]:
        """Return the skill, or the bar, negated for a loss; and why there is none."""
        if self.gives == "skill":
            return float(verdict.skill), str(verdict.reason)
        bar = verdict.baseline
        return self._sign * float(bar.value), str(bar.reason) or str(verdict.reason)

    @property
    def _sign(self) -> float:
        return -1.0 if self.measure.greater_is_better is False else 1.0

    def _warn(self, reason: str, remedy: str) -> None:
        why = str(reason).partition(";")[0]
        msg = f"{self.__name__} is nan here: {why}. A search ranks nan last; {remedy}."
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=3)

    @contextmanager
    def _of_every_fold(self) -> Iterator[None]:
        """Raise what is wrong with the true labels as `NotScorableError`."""
        try:
            yield
        except ArgumentError as error:
            if error.mends not in _OF_TRUE_LABELS:
                raise
            raise NotScorableError(f"{self.__name__}: {error}") from None

    def _refuse_weights(self, sample_weight: Any) -> None:
        if sample_weight is not None:
            raise ValueError(f"{self.__name__} takes no sample_weight; repeat the samples instead.")


class LabelScoring(Scoring):
    """Scores predictions of two classes; of more by the measure of many classes of the same name."""

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the score of some predictions."""
        with self._of_every_fold():
            try:
                counts = _counted(y_true, y_pred, self.pos_label, sample_weight)
            except ManyClassesError:
                many = OtherScoring(self.gives, self._of_many_classes())
                return many(y_true, y_pred, sample_weight)
        value, reason = self._judged(counts, self.undefined)
        if math.isnan(value):
            self._warn(reason, self._remedy(counts))
        return value

    def _of_many_classes(self) -> Any:
        """Return the measure of this name that judges more than two classes."""
        try:
            return get_measure(self.measure.name, "multiclass")
        except ValueError as error:
            raise NotScorableError(f"{self.__name__}: {error}") from None

    def _judged(self, counts: Counts, undefined: Undefined) -> tuple[float, str]:
        if self.gives == "baseline":
            value, reason = _bar(self.measure, int(counts.total), int(counts.positives), undefined)
            return self._sign * value, reason
        return self._value(evaluate_counts(counts, self.measure, undefined=undefined, intervals=False)[0])

    def _remedy(self, counts: Counts) -> str:
        """Say what gives a value here: only what truly does."""
        if not math.isnan(self._judged(counts, 0.0)[0]):
            return "undefined=0.0 gives such outcomes a value, as scikit-learn's own scorers do"
        return ONE_CLASS if int(counts.positives) in {0, int(counts.total)} else ANOTHER


@functools.lru_cache(maxsize=256)
def _bar(measure: Measure, total: int, positives: int, undefined: Undefined) -> tuple[float, str]:
    """Return a bar and why there is none, found once for equal class sizes."""
    bar = baseline(Population(total, positives), measure, undefined=undefined)
    return float(bar.value), str(bar.reason)


class ScoreScoring(Scoring):
    """Scores probabilities and other scores."""

    def __call__(self, y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None) -> float:
        """Return the score of some scores."""
        self._refuse_weights(sample_weight)
        lacking = pos_label is not None and _lacks(pos_label, y_true)
        with self._of_every_fold():
            truth = np.zeros(len(y_true), dtype=bool) if lacking else read_truth(y_true, pos_label)
        value, reason = self._value(evaluate_scores(truth, y_score, self.measure, intervals=False)[0])
        if math.isnan(value):
            self._warn(reason, ONE_CLASS if truth.all() or not truth.any() else ANOTHER)
        return value


class OtherScoring(Scoring):
    """Scores predictions of many classes, of sets of labels or of numbers."""

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the score of some predictions."""
        self._refuse_weights(sample_weight)
        judge: Any = door("evaluate", self.measure.kind)
        value, reason = self._value(judge(y_true, y_pred, self.measure, intervals=False)[0])
        if math.isnan(value):
            self._warn(reason, ANOTHER)
        return value


def _counted(y_true: Any, y_pred: Any, pos_label: Any, sample_weight: Any) -> Counts:
    """Count the samples of a fold, which may lack one of the two classes."""
    if pos_label is not None and _lacks(pos_label, y_true, y_pred):
        y_true, y_pred, pos_label = np.asarray(y_true) == pos_label, np.asarray(y_pred) == pos_label, True
    return count(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)


def _lacks(pos_label: Any, y_true: Any, y_pred: Any = None) -> bool:
    """Whether samples of a fold are all of the other one of two labels, and predictions of one of the two."""
    columns = [np.asarray(column) for column in (y_true, y_pred) if column is not None]
    if np.ndim(pos_label) or any(column.ndim != 1 for column in columns) or not columns[0].size:
        return False
    others = {label for column in columns for label in column.tolist() if label != pos_label}
    return len(others) == 1 and not np.any(columns[0] == pos_label)
