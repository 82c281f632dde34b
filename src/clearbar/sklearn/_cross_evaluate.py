"""Cross-validation that keeps the counts of the folds, combines them and judges the sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv, cross_validate
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel, delayed

from clearbar._progress import tracked
from clearbar._typing import IntArray, Undefined
from clearbar.evaluate import checked_p_values, evaluate_folds
from clearbar.labelling import positive_label
from clearbar.measures import Measure
from clearbar.problems.aggregate import Aggregate
from clearbar.scorecard import FoldScorecard
from clearbar.verdict import PValues

Splits = list[tuple[IntArray, IntArray]]


def cross_evaluate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    groups: Any = None,
    n_jobs: int | None = None,
    params: Mapping[str, Any] | None = None,
    aggregate: Aggregate = "pooled",
    fold_aware: bool = False,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    p_values: PValues | None = None,
) -> FoldScorecard:
    """Cross-validate classifiers and judge them: fits per fold, keeps the counts, combines them.

    Where `cross_val_score` averages scores of folds, this adds up their confusion matrices and scores
    the sum, and compares it with what a feature-blind classifier expects of the same sum.

    Parameters
    ----------
    estimator : estimator, or mapping of str to estimator
        A classifier with ``fit`` and ``predict``, or several by name, judged on the same folds. They
        are cloned; what is passed is not fitted.
    X : array_like, sparse matrix or data frame of shape (n_samples, n_features)
        Features, as the estimators take them.
    y : array_like of shape (n_samples,)
        Labels of two classes.
    cv : int, splitter or iterable of (train, test), optional
        As in scikit-learn: five stratified folds by default. Every sample may be tested once at most.
    measures : str, Measure, or list of them, optional
        What to judge by; twelve common measures by default, ``"all"`` for the catalogue.
    groups : array_like of shape (n_samples,), optional
        Groups for splitters that keep them together.
    n_jobs : int, optional
        Number of processes that fit; as in scikit-learn.
    params : mapping, optional
        Parameters for ``fit``, such as ``{"sample_weight": ...}``, split like the samples. They
        weigh nothing in the evaluation.
    aggregate, fold_aware, undefined, p_values
        As for `clearbar.evaluate_folds`.
    pos_label : object, optional
        The label of the positive class; 1 for labels within {0, 1}, {-1, 1} or booleans.

    Returns
    -------
    FoldScorecard
        With the counts and scores of every fold.

    Raises
    ------
    ValueError
        If an estimator cannot predict, the labels are not those of two classes, there is one split
        only, a sample is tested more than once, or an option is unknown. All of this is found before
        anything is fitted.

    References
    ----------
    Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from clearbar.sklearn import cross_evaluate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models = {"tree": DecisionTreeClassifier(max_depth=3, random_state=0), "dummy": DummyClassifier()}
    >>> card = cross_evaluate(models, X, y, measures="f1")
    >>> [(verdict.model, verdict.outcome) for verdict in card]
    [('tree', 'clears'), ('dummy', 'ties')]
    """
    models = _checked_models(estimator)
    X, y, groups = indexable(X, y, groups)
    positive_label(y, pos_label, name="y")
    splits = _checked_splits(cv, X, y, groups)
    options: dict[str, Any] = {
        "aggregate": aggregate,
        "fold_aware": fold_aware,
        "pos_label": pos_label,
        "undefined": undefined,
    }
    # What is wrong with folds or options is said of perfect predictions, before anything is fitted.
    checked_p_values(p_values)
    evaluate_folds(y, y, splits, measures, p_values="none", **options)
    tasks = [(model, split) for model in models.values() for split in splits]
    work = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_predictions)(model, X, y, split, params) for model, split in tasks
    )
    found = list(tracked(work, len(tasks), lambda _: 1, "fits"))
    folds = len(splits)
    predictions = {
        name: _together(found[at * folds : (at + 1) * folds], splits, len(y))
        for at, name in enumerate(models)
    }
    several = predictions if isinstance(estimator, Mapping) else predictions[""]
    return evaluate_folds(y, several, splits, measures, p_values=p_values, **options)


def _checked_models(estimator: Any) -> dict[str, Any]:
    models = dict(estimator) if isinstance(estimator, Mapping) else {"": estimator}
    if not models:
        raise ValueError("estimator holds no model; pass a classifier, or a mapping of names to classifiers.")
    for name, model in models.items():
        what = f"estimator[{name!r}]" if isinstance(estimator, Mapping) else "estimator"
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


def _checked_splits(cv: Any, X: Any, y: Any, groups: Any) -> Splits:
    splits: Splits = list(check_cv(cv, y, classifier=True).split(X, y, groups))
    if len(splits) < 2:
        raise ValueError(
            f"cv gives {len(splits)} split, and cross-validation has two or more; to judge one test set fit "
            "the model and use clearbar.evaluate."
        )
    return splits


def _predictions(
    model: Any, X: Any, y: Any, split: tuple[IntArray, IntArray], params: Mapping[str, Any] | None
) -> Any:
    """Fit a clone on one split and return its predictions.

    scikit-learn's own cross-validation does it, so that weights, kernels, frames and metadata are split
    as its users expect; the scorer only takes the predictions with it.
    """
    kept = []

    def keep(fitted: Any, rows: Any, _: Any = None) -> float:
        kept.append(np.asarray(fitted.predict(rows)))
        return 0.0

    cross_validate(model, X, y, cv=[split], scoring=keep, params=params, error_score="raise")
    return kept[0]


def _together(predictions: list[Any], splits: Splits, samples: int) -> Any:
    """Put the predictions of the folds where their samples stand; others are not looked at."""
    values = np.concatenate(predictions)
    found = np.full(samples, values[0], dtype=values.dtype)
    found[np.concatenate([test for _, test in splits])] = values
    return found
