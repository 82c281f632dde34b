"""What a scorer gives for predictions: their skill, or the bar of their labels whatever they are."""

from __future__ import annotations

import functools
import math
import warnings
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue import Measure, door, get_measure
from clearbar.core._typing import Undefined
from clearbar.core.counts import Counts, Population
from clearbar.core.errors import ManyClassesError, UndefinedMeasureWarning
from clearbar.data.counting import count, read_truth
from clearbar.evaluation import evaluate_counts, evaluate_scores
from clearbar.problems.binary import baseline
from clearbar.problems.scores import ScoreMeasure
from clearbar.verdict import Verdict

ANOTHER = "choose a measure that has a value here"
ONE_CLASS = "these samples are of one class, which stratified folds avoid"


@dataclass(frozen=True)
class Scoring:
    """What all scorers share: a name that scikit-learn shows, and a warning where there is no value."""

    measure: Any  # what is evaluated

    made_by: ClassVar[str] = "skill_scorer"

    @property
    def __name__(self) -> str:
        """Name it as it was asked for; scikit-learn shows this."""
        return f"{self.made_by}({', '.join([repr(self.measure.name), *self._options])})"

    @property
    def _options(self) -> list[str]:
        return []

    def _warn(self, reason: str, remedy: str) -> None:
        why = str(reason).partition(";")[0]
        msg = f"{self.__name__} is nan here: {why}. A search ranks nan last; {remedy}."
        warnings.warn(msg, UndefinedMeasureWarning, stacklevel=3)

    def _refuse_weights(self, sample_weight: Any) -> None:
        if sample_weight is not None:
            raise ValueError(f"{self.__name__} takes no sample_weight; repeat the samples instead.")

    def of_verdict(self, verdict: Verdict) -> tuple[float, str]:
        """Return the score, and why there is none."""
        return float(verdict.skill), str(verdict.reason)


class OfBars(Scoring):
    """Scores labels by their bar, whatever was predicted."""

    made_by: ClassVar[str] = "baseline_scorer"

    def of_verdict(self, verdict: Verdict) -> tuple[float, str]:
        """Return the bar, negated for a loss, and why there is none."""
        sign = -1.0 if self.measure.greater_is_better is False else 1.0
        return sign * float(verdict.baseline.value), str(verdict.baseline.reason) or str(verdict.reason)


@dataclass(frozen=True)
class Skill(Scoring):
    """Scores predictions of two classes by their skill."""

    measure: Measure
    pos_label: Any  # the label of the positive class
    undefined: Undefined  # the policy for outcomes without a value

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the score of some predictions; of more than two classes by the measure of that name."""
        try:
            counts = counted(y_true, y_pred, self.pos_label, sample_weight)
        except ManyClassesError:
            many = BarOfOthers if isinstance(self, Bar) else SkillOfOthers
            return many(get_measure(self.measure.name, "multiclass"))(y_true, y_pred, sample_weight)
        value, reason = self.value(counts)
        if math.isnan(value):
            self._warn(reason, self.remedy(counts))
        return value

    def remedy(self, counts: Counts) -> str:
        """Say what gives a value here: only what truly does."""
        if not math.isnan(replace(self, undefined=0.0).value(counts)[0]):
            return "undefined=0.0 gives such outcomes a value, as scikit-learn's own scorers do"
        return ONE_CLASS if int(counts.positives) in {0, int(counts.total)} else ANOTHER

    def value(self, counts: Counts) -> tuple[float, str]:
        """Return the score, and why there is none."""
        return self.of_verdict(
            evaluate_counts(counts, self.measure, undefined=self.undefined, intervals=False)[0]
        )

    @property
    def _options(self) -> list[str]:
        options = [] if self.pos_label is None else [f"pos_label={self.pos_label!r}"]
        return options + ([] if self.undefined == "exclude" else [f"undefined={self.undefined!r}"])


class Bar(OfBars, Skill):
    """Scores labels of two classes by their bar, whatever was predicted."""

    def value(self, counts: Counts) -> tuple[float, str]:
        """Return the bar, found once for equal class sizes."""
        sign = -1.0 if self.measure.greater_is_better is False else 1.0
        population = counts.population
        value, reason = _bar(self.measure, int(population.total), int(population.positives), self.undefined)
        return sign * value, reason


@functools.lru_cache(maxsize=256)
def _bar(measure: Measure, total: int, positives: int, undefined: Undefined) -> tuple[float, str]:
    bar = baseline(Population(total, positives), measure, undefined=undefined)
    return float(bar.value), str(bar.reason)


@dataclass(frozen=True)
class SkillOfScores(Scoring):
    """Scores probabilities and other scores by their skill."""

    measure: ScoreMeasure
    pos_label: Any

    def __call__(self, y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None) -> float:
        """Return the score of some scores."""
        self._refuse_weights(sample_weight)
        lacking = pos_label is not None and _lacks(pos_label, y_true)
        truth = np.zeros(len(y_true), dtype=bool) if lacking else read_truth(y_true, pos_label)
        value, reason = self.of_verdict(evaluate_scores(truth, y_score, self.measure, intervals=False)[0])
        if math.isnan(value):
            self._warn(reason, ONE_CLASS if truth.all() or not truth.any() else ANOTHER)
        return value

    @property
    def _options(self) -> list[str]:
        return [] if self.pos_label is None else [f"pos_label={self.pos_label!r}"]


class BarOfScores(OfBars, SkillOfScores):
    """Scores labels by their bar, whatever the scores are."""


@dataclass(frozen=True)
class SkillOfOthers(Scoring):
    """Scores predictions of many classes, of sets of labels or of numbers by their skill."""

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the score of some predictions."""
        self._refuse_weights(sample_weight)
        judge: Any = door("evaluate", self.measure.kind)
        value, reason = self.of_verdict(judge(y_true, y_pred, self.measure, intervals=False)[0])
        if math.isnan(value):
            self._warn(reason, ANOTHER)
        return value


class BarOfOthers(OfBars, SkillOfOthers):
    """Scores labels of many classes, sets of them or targets by their bar, whatever was predicted."""


def counted(y_true: Any, y_pred: Any, pos_label: Any, sample_weight: Any = None) -> Counts:
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
