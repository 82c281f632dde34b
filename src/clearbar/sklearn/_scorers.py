"""Scorers that know the bar of the labels they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sklearn.metrics import get_scorer_names, make_scorer

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import Undefined
from clearbar.evaluation.options import chosen_class_measures
from clearbar.problems.binary import checked_policy
from clearbar.problems.multiclass import ClassMeasure
from clearbar.problems.scores import ScoreMeasure
from clearbar.sklearn._scoring import LabelScoring, OtherScoring, ScoreScoring, Scoring


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
    wanted = scorer_measure(measure)
    policy, named = checked_policy(undefined), {}
    methods: str | tuple[str, ...] = "predict"
    scoring: Scoring
    if wanted.kind == "binary":
        if wanted.greater_is_better is None:
            raise ValueError(f"{wanted.label} has no better end, so that nothing can be scored by it.")
        scoring = LabelScoring(gives, wanted, pos_label, policy)
    elif wanted.kind == "scores":
        if policy != "exclude":
            raise ValueError(f"undefined is for measures of labels; leave it out for {wanted.name}.")
        scoring = ScoreScoring(gives, wanted, pos_label)
        methods = "predict_proba" if wanted.probabilities else ("predict_proba", "decision_function")
        # scikit-learn takes the column of this label
        named = {} if pos_label is None else {"pos_label": pos_label}
    else:
        if policy != "exclude" or pos_label is not None:
            raise ValueError(
                f"pos_label and undefined are for two classes; leave them out for {wanted.name}."
            )
        if isinstance(wanted, ClassMeasure):
            chosen_class_measures(wanted)
        scoring = OtherScoring(gives, wanted)
    scorer: Callable[..., float] = make_scorer(scoring, response_method=methods, **named)
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
