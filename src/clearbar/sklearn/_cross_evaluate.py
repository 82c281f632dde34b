"""Cross-validation that keeps the predictions of every fold, combines the folds and judges that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._progress import tracked
from clearbar.core._typing import IntArray, Undefined
from clearbar.core._value import checked_flag, checked_policy
from clearbar.core.errors import ManyClassesError
from clearbar.data.arrays import factorise
from clearbar.data.counting import population_from_labels
from clearbar.data.labels import class_names, positive_samples, read_labels
from clearbar.data.scores import of_one_class, read_truth
from clearbar.evaluation.folds import checked_class_options, checked_fold_options, tests_of
from clearbar.evaluation.options import (
    InferenceOptions,
    all_judge,
    chosen_measures,
    clusters_note,
    judged,
    kind_named,
    names_of,
    read_clusters,
    record_call,
)
from clearbar.inference.units import Groups
from clearbar.problems.folds import column_way, score_way
from clearbar.problems.scores import ScoreMeasure
from clearbar.problems.validation import Validation
from clearbar.scorecard import Scorecard
from clearbar.sklearn._fits import (
    Fits,
    Kind,
    OfClasses,
    OfColumns,
    OfLabels,
    OfScores,
    Splits,
    Tested,
    argument_name,
    checked_lengths,
    checked_models,
    checked_splits,
    refuse_one_class,
)
from clearbar.sklearn._refits import Study, checked_permutations, orders

REFITTED = (
    "The blind p-values come from refits to at most {tries:,} shuffles of the labels, and hold for any "
    "learner, splitter and way of combining (Ojala and Garriga 2010)."
)

IN_GROUPS = "The labels of whole groups traded places, each with those of a group of its size."

TORN = (
    "In some splits a group has samples on both sides, so that a model may know it from training: no p-value "
    "but that of refits covers this. A splitter such as StratifiedGroupKFold keeps groups together."
)


@record_call
def cross_evaluate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    measures: str | Measure | ScoreMeasure | Iterable[str | Measure | ScoreMeasure] | None = None,
    aggregate: str | None = None,
    permutations: int = 0,
    groups: Any = None,
    clusters: Any = None,
    n_jobs: int | None = None,
    params: Mapping[str, Any] | None = None,
    fold_aware: bool = False,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    confidence_level: float = 0.95,
    intervals: bool = True,
    random_state: Any = 0,
) -> Scorecard:
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
        Labels, of two classes or more; most measures of scores are for two.
    cv : int, splitter or iterable of (train, test), optional
        As in scikit-learn: five stratified folds by default. Where samples are tested more than once,
        as by `RepeatedStratifiedKFold` and `ShuffleSplit`, all tests are combined, and `p_value` and
        intervals are those of the corrected resampled t-test (Nadeau and Bengio 2003). `p_value_blind`
        needs `permutations`; of measures of scores, without them, it takes the predictions as given and
        permutes the labels of samples.
    measures : str, Measure, ScoreMeasure, or list of them, optional
        The measures; six common measures of labels by default, ``"all"`` for the catalogue.
        Measures of scores, such as ``"roc_auc"``, read the positive column of ``predict_proba``, or
        ``decision_function`` where there is none; log loss and its kin need probabilities. Of more than two
        classes ``"log_loss"``, ``"roc_auc_ovr"`` and their kin read all columns.
    aggregate : str, optional
        The way in which folds are combined: for labels as in `clearbar.evaluate_folds`, ``"pooled"`` by
        default; for scores as in `clearbar.evaluate_scores`, ``"mean"`` by default.
    permutations : int
        The largest number of times that labels are shuffled and all models refitted for `p_value_blind`: the
        share of shuffles that score as well, (b + 1)/(B + 1). It then holds for any learner, splitter
        and way of combining. A row stops as soon as its p-value is above one minus the confidence level
        for sure. 0 leaves that out; otherwise at least 19. Every shuffle is split anew by `cv`; pairs
        that were given stay as they are. `params` stay with the features.
    groups : array_like of shape (n_samples,), optional
        Groups for splitters that keep them together.
    clusters : array_like of shape (n_samples,) or False, optional
        Which samples belong together, such as the patient of each: at least five groups; by default
        `groups`, where they are given, however few. Then whole groups are taken for independent: they are
        resampled for `p_value` and the interval, and their labels permuted for `p_value_blind`, refits or
        not. Where a split tears a group apart a note says so, and only refits give a p-value. False takes
        samples of one group for independent.
    n_jobs : int, optional
        Number of processes that fit; as in scikit-learn. No result depends on it.
    params : mapping, optional
        Parameters for ``fit``, such as ``{"sample_weight": ...}``, split like the samples. They
        weigh nothing in the evaluation.
    random_state : int, Generator, RandomState or None
        Where the shuffles, and whatever else is drawn at random, come from.

    Returns
    -------
    Scorecard
        For measures of labels with the counts and scores of every fold.

    Raises
    ------
    ValueError
        If an estimator cannot predict, the labels are of one class, there is one split
        only, or an option is unknown. All of this is found before anything is fitted.

    References
    ----------
    Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010;
    Ojala and Garriga, Permutation tests for studying classifier performance, JMLR 11, 2010; Besag and
    Clifford, Sequential Monte Carlo p-values, Biometrika 78(2), 1991; Nadeau and Bengio, Inference for
    the generalization error, Machine Learning 52, 2003.

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
    models = checked_models(estimator)
    X, y, groups = checked_lengths(X, y, groups)
    kind, truth, positive = _kind(measures, aggregate, fold_aware, undefined, y, pos_label)
    how = InferenceOptions.checked(confidence_level, intervals, random_state)
    tries = checked_permutations(permutations, intervals=intervals)
    codes, notes = _together(clusters, groups, y)
    together = None if codes is None else Groups.of(codes)
    order = orders(len(y), random_state, together)
    called = {name: argument_name(estimator, name) for name in models}
    methods = {name: kind.method(model, called[name]) for name, model in models.items()}
    splitter, splits = checked_splits(cv, X, y, groups)
    if params is not None and not isinstance(params, Mapping):
        raise ValueError(f"params must map names of parameters of fit to values; found {params!r:.60}.")
    fits = Fits(models, methods, called, X, positive, params, n_jobs)

    tasks = [(name, y, splits) for name in models]
    work = tracked(fits.of(tasks), len(tasks) * len(splits), lambda _: 1, "fits")
    predictions = {name: list(islice(work, len(splits))) for name in models}
    torn = codes is not None and any(np.intersect1d(codes[train], codes[test]).size for train, test in splits)
    tested = Tested(*tests_of(splits, len(y)))
    if codes is not None:
        tested = replace(tested, clusters=codes[tested.tests], torn=torn)
    validation = _validation(splits, tested, len(y))
    if validation.overlaps and codes is None and isinstance(kind, OfScores):
        validation = replace(validation, tests=tested.tests)
    not_permutable = together.too_few or together.not_permutable if tries and together is not None else ""
    if not_permutable:
        validation = replace(validation, unknown=f"p_value_blind is not known: {not_permutable}")
    elif tries:
        study = Study(kind, fits, splitter, y, truth, groups)
        observed = kind.scores(truth, predictions, tested)
        p_blind = study.p_blind(observed, order, tries, 1 - confidence_level)
        validation = replace(validation, refitted=p_blind[:, None], refits=tries)
    if not isinstance(estimator, Mapping):
        predictions = {"model": predictions[""]}
    notes = (*notes, *([TORN] if torn else []), *_notes(validation, len(y), tested, tries))
    problem = kind.problem(truth, predictions, tested, validation)
    return judged(kind.question(problem, tested.split, notes), how)


def _together(clusters: Any, groups: Any, y: Any) -> tuple[IntArray | None, tuple[str, ...]]:
    """Return the group of each sample, and notes on the groups: those of the splitter, by default."""
    if clusters is False or (clusters is None and groups is None):
        return None, ()
    if clusters is not None:
        return read_clusters(clusters, y, len(y))
    names, codes = factorise(groups, len(y), "groups")
    return codes, clusters_note(len(names), len(y))


def _kind(
    measures: Any, aggregate: Any, fold_aware: Any, undefined: Any, y: Any, pos_label: Any
) -> tuple[Kind, Any, Any]:
    """Return what is taken from models and how it is judged, the truth, and which label is positive."""
    if isinstance(measures, Iterable) and not isinstance(measures, str):
        measures = list(measures)
    wanted = kind_named(measures)
    pooled, mean = ("pooled", "mean") if aggregate is None else (aggregate, aggregate)
    of_many: Any = measures, pooled, mean, fold_aware, undefined, y, pos_label
    if wanted in {"multiclass", "probabilities"}:
        return _of_many_classes(wanted, *of_many)
    try:
        both = positive_samples(read_labels(y, "y"), pos_label)[0]
        positive = both.pos_label
    except ManyClassesError:
        if wanted == "scores" and not all_judge(measures, "probabilities"):
            with of_one_class():
                raise
        return _of_many_classes("probabilities" if wanted == "scores" else "multiclass", *of_many)
    refuse_one_class(population_from_labels(y, pos_label=pos_label))
    truth = read_truth(y, pos_label)
    if wanted != "scores":
        checked = checked_fold_options(measures, pooled, fold_aware, undefined)
        return OfLabels(*checked, positive, pos_label, y), truth, positive
    if checked_flag("fold_aware", fold_aware) or checked_policy(undefined) != "exclude":
        raise ValueError(
            "fold_aware and undefined are for measures of labels; leave them out for those of scores."
        )
    named = chosen_measures(measures, "scores")
    return OfScores(named, score_way(mean, named), class_names(both)), truth, positive


def _of_many_classes(
    kind: str,
    measures: Any,
    pooled: Any,
    mean: Any,
    fold_aware: Any,
    undefined: Any,
    y: Any,
    pos_label: Any,
) -> tuple[Kind, Any, Any]:
    """Return the same of more than two classes: of their labels, or of a column for each."""
    names, codes = factorise(y, len(y), "y")
    if len(names) < 2:
        raise ValueError(f"y must hold samples of two classes; found {names[0]!r} only.")
    labels = np.array(names)
    if kind == "multiclass":
        options = checked_class_options(measures, pooled, fold_aware, undefined, pos_label)
        return OfClasses(*options, labels), codes, None
    aware = checked_flag("fold_aware", fold_aware)
    if aware or checked_policy(undefined) != "exclude" or pos_label is not None:
        raise ValueError(
            "fold_aware, undefined and pos_label are not for probabilities of classes; leave them out."
        )
    order = np.argsort(labels, kind="stable")  # as estimators have their columns
    entries = chosen_measures(names_of(measures), "probabilities")
    in_order = OfColumns(entries, column_way(mean, entries), tuple(labels[order].tolist()))
    return in_order, np.argsort(order)[codes], labels[order]


def _validation(splits: Splits, tested: Tested, samples: int) -> Validation:
    """Return how many samples are tested for each one trained on, and whether some are tested twice."""
    positions = np.arange(samples)
    ratio = np.mean([len(positions[test]) / len(positions[train]) for train, test in splits])
    once = len(np.unique(tested.tests)) / len(tested.tests)
    return Validation(float(ratio), len(tested.rows) > samples, seen_once=once)


def _notes(validation: Validation, samples: int, tested: Tested, tries: int) -> list[str]:
    """Say what is counted more than once, and what the blind p-values of refits cover."""
    notes = []
    if validation.overlaps:
        number = len(tested.tests)
        notes.append(
            f"Some of the {samples:,} samples are tested more than once; all {number:,} tests count."
        )
    if validation.refitted is not None:
        notes += [REFITTED.format(tries=tries), *([] if tested.clusters is None else [IN_GROUPS])]
    return notes
