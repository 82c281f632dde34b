"""Scorers that know the bar of the labels they are given."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.metrics import get_scorer_names, make_scorer

from clearbar.catalogue import Measure, door, get_measure, judges
from clearbar.core._typing import Undefined
from clearbar.core._value import checked_policy
from clearbar.core.counts import Counts, Population
from clearbar.core.errors import ArgumentError, ManyClassesError, UndefinedMeasureWarning
from clearbar.core.reasons import NoBar
from clearbar.data.counting import count
from clearbar.data.scores import read_truth
from clearbar.evaluation.labels import evaluate_counts
from clearbar.evaluation.options import chosen_class_measures
from clearbar.evaluation.scores import evaluate_scores
from clearbar.problems.binary import baseline
from clearbar.problems.multiclass import ClassMeasure
from clearbar.problems.scores import ScoreMeasure
from clearbar.verdict import Verdict

ANOTHER = "choose a measure that has a value here"

ONE_CLASS = "these samples are of one class, which stratified folds avoid"

_OF_TRUE_LABELS = {"two classes", "one class", "pos_label", "numbers"}
"""What would be right, as an `ArgumentError` names it, where it lies in the true labels and not in a fold."""


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
        none; of more than two classes ``"log_loss"`` or ``"roc_auc_ovr"`` read all columns.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.
    undefined : {"exclude", "worst"} or float
        The policy for outcomes without a value; see `clearbar.baseline`. For measures of labels.

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
    NotScorableError
        From the scorer, if it does not judge the true labels in any fold: there are more than two classes and
        no measure of many classes of that name, or two without `pos_label` and none of them is known as
        positive. It is a `BaseException`: a search makes nan of whatever else a scorer raises, fold by fold,
        and chooses a candidate all the same.

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
    return _scorer("skill", measure, pos_label, undefined)


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
    return _scorer("baseline", measure, pos_label, undefined)


def _scorer(
    gives: Literal["skill", "baseline"], measure: Any, pos_label: Any, undefined: Undefined
) -> Callable[..., float]:
    wanted, policy = scorer_measure(measure), checked_policy(undefined)
    options: dict[str, Any] = {"response_method": "predict"}
    if wanted.greater_is_better is None:
        raise ValueError(f"{wanted.label} has no better end, so that nothing can be scored by it.")
    if wanted.kind == "scores":
        if policy != "exclude":
            raise ValueError(f"undefined is for measures of labels; leave it out for {wanted.name}.")
        methods = "predict_proba", *(() if wanted.probabilities else ("decision_function",))
        options["response_method"] = methods
        if pos_label is not None:
            options["pos_label"] = pos_label  # scikit-learn takes the column of this label
    elif wanted.kind == "probabilities":
        options["response_method"] = "predict_proba", *(("decision_function",) if wanted.pairs else ())
    elif wanted.kind != "binary" and (policy != "exclude" or pos_label is not None):
        raise ValueError(f"pos_label and undefined are for two classes; leave them out for {wanted.name}.")
    elif isinstance(wanted, ClassMeasure):
        chosen_class_measures(wanted)
    scorer: Callable[..., float] = make_scorer(Scoring(gives, wanted, pos_label, policy), **options)
    return scorer


def scorer_measure(measure: Any) -> Any:
    """Return the measure that a name of clearbar or of a scorer stands for."""
    try:
        return get_measure(measure)
    except ValueError:
        if not isinstance(measure, str) or measure not in get_scorer_names():
            raise
    raise ValueError(
        f"the scorer {measure!r} is none of the catalogue's measures of two classes; choose one that is, "
        "such as 'f1', 'mcc' or 'roc_auc'."
    )


class NotScorableError(BaseException):
    """True labels that a scorer does not judge, whatever the fold: too many classes, or none named positive.

    No `Exception`, because a search makes nan of those, warns with a traceback per fold, and then chooses the
    first candidate as the best.
    """


@dataclass(frozen=True)
class Scoring:
    """What scikit-learn calls with the labels of a fold and what a model says of them."""

    gives: Literal["skill", "baseline"]
    measure: Any
    pos_label: Any
    undefined: Undefined

    @property
    def __name__(self) -> str:
        """Name it as it was asked for; scikit-learn shows this."""
        options = [repr(self.measure.name)]
        if self.pos_label is not None:
            options.append(f"pos_label={self.pos_label!r}")
        if self.undefined != "exclude":
            options.append(f"undefined={self.undefined!r}")
        return f"{self.gives}_scorer({', '.join(options)})"

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None, **_: Any) -> float:
        """Return the skill, or the bar, negated for a loss; nan with a warning where there is none."""
        judge = {"binary": self._of_labels, "scores": self._of_scores}.get(self.measure.kind, self._of_others)
        value, reason, remedy = judge(y_true, y_pred, sample_weight)
        if math.isnan(value):
            why = reason.why if isinstance(reason, NoBar) else reason  # NoBar's remedy is none for a search
            msg = f"{self.__name__} is nan here: {why}. A search ranks nan last; {remedy}."
            warnings.warn(msg, UndefinedMeasureWarning, stacklevel=2)
        return value

    def _of_labels(self, y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[float, Any, str]:
        """Judge predictions of two classes; of more by the measure of many classes of the same name."""
        with self._of_every_fold():
            try:
                counts = _counted(y_true, y_pred, self.pos_label, sample_weight)
            except ManyClassesError:
                try:
                    many = replace(self, measure=get_measure(self.measure.name, "multiclass"))
                except ValueError as error:
                    raise NotScorableError(f"{self.__name__}: {error}") from None
                return many._of_others(y_true, y_pred, sample_weight)  # noqa: SLF001 - a scorer as this one
        value, reason = self._of_counts(counts, self.undefined)
        remedy = ONE_CLASS if int(counts.positives) in {0, int(counts.total)} else ANOTHER
        if math.isnan(value) and not math.isnan(self._of_counts(counts, 0.0)[0]):
            remedy = "undefined=0.0 gives such outcomes a value, as scikit-learn's own scorers do"
        return value, reason, remedy

    def _of_counts(self, counts: Counts, undefined: Undefined) -> tuple[float, Any]:
        if self.gives == "baseline":
            value, reason = _bar(self.measure, int(counts.total), int(counts.positives), undefined)
            return self._sign * value, reason
        return self._value(evaluate_counts(counts, self.measure, undefined=undefined, intervals=False)[0])

    def _of_scores(self, y_true: Any, y_score: Any, sample_weight: Any) -> tuple[float, Any, str]:
        self._refuse_weights(sample_weight)
        lacking = self.pos_label is not None and _lacks(self.pos_label, y_true)
        with self._of_every_fold():
            try:
                truth = np.zeros(len(y_true), dtype=bool) if lacking else read_truth(y_true, self.pos_label)
            except ManyClassesError:
                if self.pos_label is not None or not judges(self.measure.name, "probabilities"):
                    raise
                truth = None
        if truth is None:
            judge: Any = door("evaluate", "probabilities")
            return *self._value(judge(y_true, y_score, self.measure.name, intervals=False)[0]), ANOTHER
        verdict = evaluate_scores(truth, y_score, self.measure, intervals=False)[0]
        return *self._value(verdict), ONE_CLASS if truth.all() or not truth.any() else ANOTHER

    def _of_others(self, y_true: Any, y_pred: Any, sample_weight: Any) -> tuple[float, Any, str]:
        self._refuse_weights(sample_weight)
        judge: Any = door("evaluate", self.measure.kind)
        return *self._value(judge(y_true, y_pred, self.measure, intervals=False)[0]), ANOTHER

    def _value(self, verdict: Verdict) -> tuple[float, Any]:
        """Return the value, and why there is none."""
        bar = verdict.baseline
        value = float(verdict.skill) if self.gives == "skill" else self._sign * float(bar.value)
        return value, bar.reason or verdict.reason

    @property
    def _sign(self) -> float:
        return -1.0 if self.measure.greater_is_better is False else 1.0

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


@functools.lru_cache(maxsize=256)
def _bar(measure: Measure, total: int, positives: int, undefined: Undefined) -> tuple[float, Any]:
    """Return a bar and why there is none, found once for equal class sizes."""
    bar = baseline(Population(total, positives), measure, undefined=undefined)
    return float(bar.value), bar.reason


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
