"""Cross-validation that keeps the counts of the folds, combines them and judges the sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv, cross_validate
from sklearn.utils import indexable
from sklearn.utils.parallel import Parallel, delayed

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import IntArray, Undefined
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.data.counting import population_from_labels
from clearbar.data.labels import positive_label
from clearbar.evaluation import checked_fold_options, evaluate_folds, folds_of
from clearbar.formatting import plural
from clearbar.problems.combine import Aggregate
from clearbar.scorecard import FoldScorecard

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
    confidence_level: float = 0.95,
    intervals: bool = True,
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
        What to judge by; six common measures by default, ``"all"`` for the catalogue.
    groups : array_like of shape (n_samples,), optional
        Groups for splitters that keep them together.
    n_jobs : int, optional
        Number of processes that fit; as in scikit-learn.
    params : mapping, optional
        Parameters for ``fit``, such as ``{"sample_weight": ...}``, split like the samples. They
        weigh nothing in the evaluation.
    aggregate, fold_aware, undefined, confidence_level, intervals
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
    positive_label(y, pos_label, name="y")
    _refuse_one_class(population_from_labels(y, pos_label=pos_label))
    X, y, groups = _of_one_length(X, y, groups)
    checked_fold_options(measures, aggregate, fold_aware, undefined, confidence_level, intervals)
    splits = _checked_splits(cv, X, y, groups)
    options: dict[str, Any] = {
        "aggregate": aggregate,
        "fold_aware": fold_aware,
        "pos_label": pos_label,
        "undefined": undefined,
    }
    fitting = _checked_params(params)
    tasks = [(name, split) for name in models for split in splits]
    work = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_predictions)(models[name], X, y, split, fitting, _named(estimator, name))
        for name, split in tasks
    )
    found = list(tracked(work, len(tasks), lambda _: 1, "fits"))
    folds = len(splits)
    predictions = {
        name: _together(found[at * folds : (at + 1) * folds], splits, len(y))
        for at, name in enumerate(models)
    }
    several = predictions if isinstance(estimator, Mapping) else predictions[""]
    return evaluate_folds(
        y, several, splits, measures, confidence_level=confidence_level, intervals=intervals, **options
    )


def _checked_models(estimator: Any) -> dict[str, Any]:
    models = dict(estimator) if isinstance(estimator, Mapping) else {"": estimator}
    if not models:
        raise ValueError("estimator holds no model; pass a classifier, or a mapping of names to classifiers.")
    for name, model in models.items():
        what = _named(estimator, name)
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


def _named(estimator: Any, name: Any) -> str:
    return f"estimator[{name!r}]" if isinstance(estimator, Mapping) else "estimator"


def _refuse_one_class(population: Population) -> None:
    total, positives = int(population.total), int(population.positives)
    if positives in {0, total}:
        which = "positive" if positives else "negative"
        raise ValueError(
            f"y must hold samples of two classes; found {total:,} samples, all {which}, of which nothing can "
            "be learnt."
        )


def _of_one_length(X: Any, y: Any, groups: Any) -> Any:
    if X is None:
        raise ValueError("X must hold one row for each sample; found None.")
    try:
        return indexable(X, y, groups)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X, y and groups must hold one row for each sample. {error}") from None


def _checked_params(params: Any) -> dict[str, Any] | None:
    if params is not None and not isinstance(params, Mapping):
        raise ValueError(f"params must map names of parameters of fit to values; found {params!r:.60}.")
    return None if params is None else dict(params)


def _checked_splits(cv: Any, X: Any, y: Any, groups: Any) -> Splits:
    for at, given in enumerate(cv if isinstance(cv, (list, tuple)) else (), 1):
        if not isinstance(given, (list, tuple)) or len(given) != 2:
            raise ValueError(f"cv must hold (train, test) pairs of positions; split {at} is {given!r:.60}.")
    splits: Splits = list(check_cv(cv, y, classifier=True).split(X, y, groups))
    if len(splits) < 2:
        raise ValueError(
            f"cv gives {plural(len(splits), 'split')}, and cross-validation has two or more; to judge one "
            "test set fit the model and use clearbar.evaluate."
        )
    labels = np.asarray(y)
    for at, split in enumerate(splits, 1):
        train, test = split
        if not len(test):
            raise ValueError(f"cv: the test set of split {at} has no samples; leave that split out.")
        learnt = np.unique(labels[train])
        if len(learnt) < 2:
            raise ValueError(
                f"cv: the training set of split {at} holds {listed(map(repr, learnt.tolist())) or 'nothing'} "
                "only, so that both classes cannot be learnt there; use fewer, shuffled or stratified folds."
            )
    folds_of(splits, y)
    return splits


def _predictions(
    model: Any, X: Any, y: Any, split: tuple[IntArray, IntArray], params: dict[str, Any] | None, what: str
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
    found, rows = kept[0], len(np.arange(len(y))[split[1]])
    if found.shape == (rows, 1):  # a column, as some libraries return
        found = found[:, 0]
    if found.shape != (rows,):
        raise ValueError(
            f"{what} must predict one label for each row; found predictions of shape {found.shape} for "
            f"{plural(rows, 'row')}."
        )
    return found


def _together(predictions: list[Any], splits: Splits, samples: int) -> Any:
    """Put the predictions of the folds where their samples stand; others are not looked at."""
    values = np.concatenate(predictions)
    found = np.full(samples, values[0], dtype=values.dtype)
    found[np.concatenate([test for _, test in splits])] = values
    return found
