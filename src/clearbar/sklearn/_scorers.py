"""Scorers that know the bar of the labels they are given."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import get_scorer_names, make_scorer

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import Undefined
from clearbar.core.counts import Counts, Population
from clearbar.core.errors import ManyClassesError, UndefinedMeasureWarning
from clearbar.data.counting import count, read_truth
from clearbar.evaluation import (
    chosen_class_measures,
    evaluate_counts,
    evaluate_multiclass,
    evaluate_multilabel,
    evaluate_regression,
    evaluate_scores,
)
from clearbar.problems.binary import baseline, checked_policy
from clearbar.problems.multiclass import ClassMeasure
from clearbar.problems.numbers import NumberMeasure
from clearbar.problems.scores import ScoreMeasure
from clearbar.verdict import Verdict

SAME_FOR_TWO_CLASSES = {
    "f1_micro": "accuracy",
    "precision_micro": "accuracy",
    "recall_micro": "accuracy",
    "recall_weighted": "accuracy",
    "recall_macro": "balanced_accuracy",
}
"""Scorers of scikit-learn that are another measure where there are two classes."""


EVALUATE: dict[str, Callable[..., Any]] = {
    "multiclass": evaluate_multiclass,
    "multilabel": evaluate_multilabel,
    "regression": evaluate_regression,
}
"""Who judges predictions of more than two classes, by the kind of the measure."""


def skill_scorer(
    measure: str | Measure | ScoreMeasure, *, pos_label: Any = None, undefined: Undefined = "exclude"
) -> Callable[..., float]:
    """Return a scorer of how far predictions lie above the bar of their own labels.

    For `cross_validate`, `cross_val_score` or ``GridSearchCV(scoring=..., refit=...)``. 0 is the best
    that ignoring the features can expect, 1 is perfect; higher is better, for a loss too.

    **Averages over folds.** `GridSearchCV` and `cross_val_score` average the scores of folds. The
    average of F1 over folds is not F1 of anything, and its skill is only comparable within one
    search, on one set of folds. To say how good a model is, use `clearbar.sklearn.cross_evaluate`: it
    adds up the counts of the folds and judges the sum.

    Parameters
    ----------
    measure : str, Measure or ScoreMeasure
        A name that `clearbar.get_measure` knows, which includes scikit-learn's scorers of predicted
        labels, or a measure of your own; of more than two classes the measure of many classes of that
        name, such as ``"f1_macro"``, or one of numbers, such as ``"mae"``. Measures of scores, such as
        ``"roc_auc"``, read the positive column of ``predict_proba``, or ``decision_function`` where there is
        none.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `clearbar.baseline`. For measures of labels.

    Returns
    -------
    callable
        ``scorer(estimator, X, y, sample_weight=None)``; a scorer as scikit-learn's `make_scorer` makes
        them, with ``set_score_request``. Weights must be whole numbers, how often each sample occurs;
        measures of scores take none.
        Where a fold has no score or no bar, as MCC without a predicted positive, it is nan with an
        `UndefinedMeasureWarning`, and searches rank that last; ``undefined=0.0`` gives a value there.

    Raises
    ------
    ValueError
        If the measure is unknown, does not judge two classes or has no better end.

    References
    ----------
    van de Bijl et al., The Dutch Draw, J. Appl. Prob. 2024, section 5.1; Forman and Scholz,
    Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from clearbar.sklearn import skill_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> bool((cross_val_score(tree, X, y, scoring=skill_scorer("f1")) > 0.5).all())
    True
    """
    return _scorer(Skill, measure, pos_label, undefined)


def baseline_scorer(
    measure: str | Measure | ScoreMeasure, *, pos_label: Any = None, undefined: Undefined = "exclude"
) -> Callable[..., float]:
    """Return a scorer that ignores the predictions and gives the bar of the labels.

    Beside a scorer of the same measure it shows fold by fold what there was to beat:
    ``scoring={"f1": "f1", "bar": baseline_scorer("f1")}``.

    Parameters
    ----------
    measure, pos_label, undefined
        As for `skill_scorer`.

    Returns
    -------
    callable
        As for `skill_scorer`. Higher is better, as scikit-learn wants it: the bar of a loss is
        negated, like the scores of scikit-learn's ``neg_`` scorers.

    Raises
    ------
    ValueError
        As for `skill_scorer`.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from clearbar.sklearn import baseline_scorer
    >>> X, y = [[0]] * 4, [1, 0, 0, 0]
    >>> baseline_scorer("f1")(DummyClassifier().fit(X, y), X, y)
    0.4
    """
    return _scorer(Bar, measure, pos_label, undefined)


def _scorer(
    kind: type[Skill], measure: str | Measure | ScoreMeasure, pos_label: Any, undefined: Undefined
) -> Callable[..., float]:
    found = scorer_measure(measure)
    if found.kind == "scores":
        return _scorer_of_scores(kind, found, pos_label, undefined)
    if found.kind in EVALUATE:
        return _scorer_of_classes(kind, found, pos_label, undefined)
    if found.greater_is_better is None:
        raise ValueError(f"{found.label} has no better end, so that nothing can be scored by it.")
    made = kind(found, pos_label, checked_policy(undefined))
    scorer: Callable[..., float] = make_scorer(made, response_method="predict")
    return scorer


def _scorer_of_classes(
    kind: type[Skill], measure: ClassMeasure | NumberMeasure, pos_label: Any, undefined: Undefined
) -> Callable[..., float]:
    if checked_policy(undefined) != "exclude" or pos_label is not None:
        raise ValueError(f"pos_label and undefined are for two classes; leave them out for {measure.name}.")
    if isinstance(measure, ClassMeasure):
        chosen_class_measures(measure)
    made = (BarOfClasses if kind is Bar else SkillOfClasses)(measure)
    scorer: Callable[..., float] = make_scorer(made, response_method="predict")
    return scorer


def _scorer_of_scores(
    kind: type[Skill], measure: ScoreMeasure, pos_label: Any, undefined: Undefined
) -> Callable[..., float]:
    if checked_policy(undefined) != "exclude":
        raise ValueError(f"undefined is for measures of labels; leave it out for {measure.name}.")
    made = (BarOfScores if kind is Bar else SkillOfScores)(measure, pos_label)
    methods = "predict_proba" if measure.probabilities else ("predict_proba", "decision_function")
    named = (
        {} if pos_label is None else {"pos_label": pos_label}
    )  # scikit-learn takes the column of this label
    scorer: Callable[..., float] = make_scorer(made, response_method=methods, **named)
    return scorer


def scorer_measure(measure: Any) -> Any:
    """Return the measure that a name of clearbar or of a scorer stands for."""
    try:
        return get_measure(
            SAME_FOR_TWO_CLASSES.get(measure, measure) if isinstance(measure, str) else measure
        )
    except ValueError:
        if not isinstance(measure, str) or measure not in get_scorer_names():
            raise
    raise ValueError(
        f"the scorer {measure!r} is none of the catalogue's measures of two classes; choose one that is, "
        "such as 'f1', 'mcc' or 'roc_auc'."
    )


@dataclass(frozen=True)
class Skill:
    """Scores predictions by their skill."""

    measure: Measure  # what is evaluated
    pos_label: Any  # the label of the positive class
    undefined: Undefined  # the policy for outcomes without a value

    made_by: ClassVar[str] = "skill_scorer"

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the score of some predictions; of more than two classes by the measure of that name."""
        try:
            counts = counted(y_true, y_pred, self.pos_label, sample_weight)
        except ManyClassesError:
            many = BarOfClasses if isinstance(self, Bar) else SkillOfClasses
            return many(get_measure(self.measure.name, "multiclass"))(y_true, y_pred, sample_weight)
        value, reason = self.value(counts)
        if math.isnan(value):
            why = reason.partition(";")[0]
            msg = f"{self.__name__} is nan here: {why}. A search ranks nan last; {self.remedy(counts)}."
            warnings.warn(msg, UndefinedMeasureWarning, stacklevel=2)
        return value

    def remedy(self, counts: Counts) -> str:
        """Say what gives a value here: only what truly does."""
        if not math.isnan(replace(self, undefined=0.0).value(counts)[0]):
            return "undefined=0.0 gives such outcomes a value, as scikit-learn's own scorers do"
        if int(counts.positives) in {0, int(counts.total)}:
            return "these samples are of one class, which stratified folds avoid"
        return "choose a measure that has a value here"

    def value(self, counts: Counts) -> tuple[float, str]:
        """Return the score, and why there is none."""
        card = evaluate_counts(counts, self.measure, undefined=self.undefined, intervals=False)
        return float(card[0].skill), str(card[0].reason)

    @property
    def __name__(self) -> str:
        """Name it as it was asked for; scikit-learn shows this."""
        options = [repr(self.measure.name)]
        options += [] if self.pos_label is None else [f"pos_label={self.pos_label!r}"]
        options += [] if self.undefined == "exclude" else [f"undefined={self.undefined!r}"]
        return f"{self.made_by}({', '.join(options)})"


class Bar(Skill):
    """Scores labels by their bar, whatever was predicted."""

    made_by: ClassVar[str] = "baseline_scorer"

    def value(self, counts: Counts) -> tuple[float, str]:
        sign = -1.0 if self.measure.greater_is_better is False else 1.0
        population = counts.population
        value, reason = _bar(self.measure, int(population.total), int(population.positives), self.undefined)
        return sign * value, reason


@functools.lru_cache(maxsize=256)
def _bar(measure: Measure, total: int, positives: int, undefined: Undefined) -> tuple[float, str]:
    bar = baseline(Population(total, positives), measure, undefined=undefined)
    return float(bar.value), str(bar.reason)


@dataclass(frozen=True)
class SkillOfScores:
    """Scores probabilities and other scores by their skill."""

    measure: ScoreMeasure
    pos_label: Any

    made_by: ClassVar[str] = "skill_scorer"

    def __call__(self, y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None) -> float:
        """Return the score of some scores."""
        if sample_weight is not None:
            raise ValueError(f"{self.__name__} takes no sample_weight; repeat the samples instead.")
        lacking = pos_label is not None and _lacks(pos_label, y_true)
        truth = np.zeros(len(y_true), dtype=bool) if lacking else read_truth(y_true, pos_label)
        value, reason = self.value(evaluate_scores(truth, y_score, self.measure, intervals=False)[0])
        if math.isnan(value):
            remedy = "choose a measure that has a value here"
            if truth.all() or not truth.any():
                remedy = "these samples are of one class, which stratified folds avoid"
            why = reason.partition(";")[0]
            msg = f"{self.__name__} is nan here: {why}. A search ranks nan last; {remedy}."
            warnings.warn(msg, UndefinedMeasureWarning, stacklevel=2)
        return value

    def value(self, verdict: Verdict) -> tuple[float, str]:
        """Return the score, and why there is none."""
        return float(verdict.skill), verdict.reason

    @property
    def __name__(self) -> str:
        """Name it as it was asked for; scikit-learn shows this."""
        options = "" if self.pos_label is None else f", pos_label={self.pos_label!r}"
        return f"{self.made_by}({self.measure.name!r}{options})"


class BarOfScores(SkillOfScores):
    """Scores labels by their bar, whatever the scores are."""

    made_by: ClassVar[str] = "baseline_scorer"

    def value(self, verdict: Verdict) -> tuple[float, str]:
        sign = 1.0 if self.measure.greater_is_better else -1.0
        return sign * float(verdict.baseline.value), str(verdict.baseline.reason) or verdict.reason


@dataclass(frozen=True)
class SkillOfClasses:
    """Scores predictions of many classes, of sets of labels or of numbers by their skill."""

    measure: ClassMeasure | NumberMeasure

    made_by: ClassVar[str] = "skill_scorer"

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
        """Return the score of some predictions."""
        if sample_weight is not None:
            raise ValueError(f"{self.__name__} takes no sample_weight; repeat the samples instead.")
        verdict = EVALUATE[self.measure.kind](y_true, y_pred, self.measure, intervals=False)[0]
        value = self.value(verdict)
        if math.isnan(value):
            why = str(verdict.reason).partition(";")[0]
            remedy = "choose a measure that has a value here"
            msg = f"{self.__name__} is nan here: {why}. A search ranks nan last; {remedy}."
            warnings.warn(msg, UndefinedMeasureWarning, stacklevel=2)
        return value

    def value(self, verdict: Verdict) -> float:
        """Return the score."""
        return float(verdict.skill)

    @property
    def __name__(self) -> str:
        """Name it as it was asked for; scikit-learn shows this."""
        return f"{self.made_by}({self.measure.name!r})"


class BarOfClasses(SkillOfClasses):
    """Scores labels of many classes, or targets, by their bar, whatever was predicted."""

    made_by: ClassVar[str] = "baseline_scorer"

    def value(self, verdict: Verdict) -> float:
        return (1.0 if self.measure.greater_is_better else -1.0) * float(verdict.baseline.value)


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
