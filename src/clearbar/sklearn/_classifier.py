"""The best classifier that ignores its input, as an estimator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import FloatArray, Undefined
from clearbar.core.counts import Population
from clearbar.null import Draw
from clearbar.problems.binary import checked_policy
from clearbar.problems.multiclass import ClassMeasure
from clearbar.sklearn._optimum import (
    MANY_ROWS,
    Prevalence,
    checked_prevalence,
    checked_rows,
    checked_shares,
    checked_weight,
    classes_of,
    counts_for,
    draws_for,
    measure_of,
    measure_of_many,
    positive_of,
    refuse_not_two,
    refuse_unknown,
    share_of,
    source_of,
)


def _knows_prevalence(classifier: DutchDrawClassifier) -> bool:
    if classifier.prevalence is None:
        raise AttributeError("predict_proba needs a prevalence, and prevalence=None says it is not known.")
    return True


class DutchDrawClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The feature-blind classifier with the best expected score: the bar, as an estimator.

    ``predict`` labels exactly k of the n rows that it is given, drawn uniformly; k is the number with
    the best expected score for n rows of the known prevalence. Of more than two classes it calls as many
    rows each class as is best, at random. The features are never looked at, so
    that they may be missing, text or sparse.

    Parameters
    ----------
    measure : str or Measure
        What is to be optimised in expectation; any name that `clearbar.get_measure` knows. Of more than
        two classes a measure of many, such as ``"f1_macro"``.
    undefined : {"exclude", "worst"} or float
        What to do about outcomes without a value; see `clearbar.baseline`. For two classes.
    prevalence : "train", float, mapping or None
        What is known of the share of positives among the rows to predict: that it is the training
        labels', a number between 0 and 1 such as an expert's, or nothing. None works where the optimal
        draw does not depend on it, as for F1; for accuracy and others it is refused. Of more than two
        classes a mapping of each label to its share.
    pos_label : object, optional
        The label of the positive class; the second of the two in sorted order when not given, as
        everywhere in scikit-learn.
    random_state : int, RandomState, Generator or None
        Where the randomness comes from. With an int every call draws anew from the same seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    prevalence_ : float, ndarray of shape (n_classes,) or None
        Share of positives that predictions assume; of more than two classes that of each.
    pos_label_ : object
        The label of the positive class; None where there are more than two.
    n_features_in_ : int
        Number of features seen by ``fit``.
    feature_names_in_ : ndarray of shape (``n_features_in_``,)
        Their names, where they have any.

    Notes
    -----
    **Batches.** A prediction depends on how many rows come at once: k of n is not the sum of what the
    parts of n get. Predict the whole test set in one call. Row by row every call rounds on its own,
    k being 0 or 1, and what comes out is a constant. This is why the estimator carries the tag
    ``non_deterministic``, also with a fixed `random_state`; the tag ``poor_score`` says what it is for.

    The optimum is that of n rows of which ``floor(n * prevalence + 1/2)`` are positive. Where the
    measure has no bar on those sizes, such as F1 without a positive, the nearest with both classes are
    taken, and for too few rows the share that is optimal for many.

    References
    ----------
    van de Bijl et al., The Dutch Draw, J. Appl. Prob. 2024; Pries et al., The optimal
    input-independent baseline for binary classification, Statistica Neerlandica 2023, section 6 on
    what must be known of the class sizes.

    Examples
    --------
    >>> from clearbar.sklearn import DutchDrawClassifier
    >>> X, y = [[0.0]] * 10, [1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    >>> blind = DutchDrawClassifier("g_mean", random_state=0).fit(X, y)
    >>> int(blind.predict(X).sum()), blind.predicted_positives(1000)
    (6, 500)
    """

    classes_: Any
    pos_label_: Any
    prevalence_: Any

    def __init__(
        self,
        measure: str | Measure = "f1",
        *,
        undefined: Undefined = "exclude",
        prevalence: Prevalence = "train",
        pos_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.measure = measure
        self.undefined = undefined
        self.prevalence = prevalence
        self.pos_label = pos_label
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DutchDrawClassifier:
        """Learn the labels and, with ``prevalence="train"``, the share of positives.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Features, of which only the number is noted.
        y : array_like of shape (n_samples,)
            Labels of two classes, or of more for a measure of many.
        sample_weight : array_like of shape (n_samples,), optional
            Weights from 0 up, for the share of positives. They need not be whole numbers here: they
            estimate a prevalence, and take no part in an evaluation.

        Returns
        -------
        DutchDrawClassifier

        Raises
        ------
        ValueError
            If there is one class, or more than two for a measure of two, the measure has no best draw,
            what is known of the prevalence is not enough for it, or a parameter is none of the above.
        """
        policy = checked_policy(self.undefined)
        many = self._measure_of_many
        if many is None:
            get_measure(self.measure, "binary")
        X, y = validate_data(self, X, y, accept_sparse=True, dtype=None, ensure_all_finite=False)
        classes = classes_of(y)
        check_classification_targets(y)
        source_of(self.random_state)
        if len(classes) < 2 or (len(classes) == 2 and measure_of(self.measure, "binary") is not None):
            many = None
        if many is None:
            refuse_not_two(classes)
        weight = checked_weight(sample_weight, len(y))
        if many is not None:
            weights = np.array([weight[y == label].sum() for label in classes])
            shares = checked_shares(self.prevalence, classes, weights)
            counts_for(many, MANY_ROWS, tuple(shares.tolist()))
            self.classes_, self.pos_label_, self.prevalence_ = classes, None, shares
            return self
        known = checked_prevalence(self.prevalence)
        positive = positive_of(classes, self.pos_label)
        share = share_of(y == positive, weight) if known == "train" else known
        refuse_unknown(get_measure(self.measure, "binary"), share, policy)
        self.classes_, self.pos_label_, self.prevalence_ = classes, positive, share
        return self

    @property
    def _measure_of_many(self) -> ClassMeasure | None:
        """The measure of many classes, where all that was passed is for many and it has a bar."""
        known: Any = self.prevalence
        shares = isinstance(known, Mapping) or (isinstance(known, str) and known == "train")
        alone = self.pos_label is None and self.undefined == "exclude" and shares
        return measure_of_many(self.measure) if alone else None

    def predicted_positives(self, n_samples: int) -> int:
        """Return how many of so many rows ``predict`` labels positive.

        Parameters
        ----------
        n_samples : int
            Number of rows that are predicted at once.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If `n_samples` is no whole number from 1.
        """
        check_is_fitted(self)
        rows = checked_rows(n_samples)
        if self.pos_label_ is None:
            raise ValueError(
                "no class is the positive one; predicted_counts(n_samples) has those of each class."
            )
        return draws_for(
            get_measure(self.measure, "binary"), rows, self.prevalence_, checked_policy(self.undefined)
        )

    def predicted_counts(self, n_samples: int) -> dict[Any, int]:
        """Return how many of so many rows ``predict`` calls each class.

        Parameters
        ----------
        n_samples : int
            Number of rows that are predicted at once.

        Returns
        -------
        dict of label to int

        Raises
        ------
        ValueError
            If `n_samples` is no whole number from 1, or `measure` was changed after ``fit`` to one that these
            classes cannot have.

        Examples
        --------
        >>> from clearbar.sklearn import DutchDrawClassifier
        >>> blind = DutchDrawClassifier("f1_macro").fit([[0]] * 6, ["a", "a", "a", "b", "b", "c"])
        >>> blind.predicted_counts(60)
        {'a': 30, 'b': 20, 'c': 10}
        """
        check_is_fitted(self)
        rows = checked_rows(n_samples)
        if self.pos_label_ is None:
            many = measure_of_many(self.measure)
            if many is None:
                name = getattr(self.measure, "name", self.measure)
                raise ValueError(
                    f"measure must be one that fit can take for these {len(self.classes_)} classes; found "
                    f"{name!r:.60}, which was set after fit: call fit again."
                )
            numbers = counts_for(many, rows, tuple(self.prevalence_.tolist()))
        else:
            positive = self.predicted_positives(rows)
            numbers = (rows - positive, positive) if self._place else (positive, rows - positive)
        return dict(zip(self.classes_.tolist(), numbers, strict=True))

    def predict(self, X: Any) -> Any:
        """Label k of the rows positive, drawn uniformly; of many classes as many of each as is best.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            The rows, all of those that are to be evaluated together.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels from ``classes_``.
        """
        rows = self._rows(X)
        source = source_of(self.random_state)
        if self.pos_label_ is None:
            numbers = list(self.predicted_counts(rows).values())
            return source.permutation(np.repeat(self.classes_, numbers))
        chosen = Draw(Population(rows, 0), self.predicted_positives(rows)).predict(source)
        return self.classes_[np.where(chosen, self._place, 1 - self._place)]

    @available_if(_knows_prevalence)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> FloatArray:
        """Return the share of each class as its probability in every row.

        ``predict`` does what is best for the measure, not what is most probable: for F1 it labels all
        rows positive, however few are. Of two classes of one size the last bit favours the label
        that ``predict`` gives to more rows.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        rows = self._rows(X)
        if self.pos_label_ is None:
            return np.tile(self.prevalence_, (rows, 1))
        share = float(self.prevalence_)
        if share == 0.5:
            more = 2 * self.predicted_positives(rows) - rows
            share += np.sign(more) * np.finfo(np.float64).epsneg
        shares = np.full((rows, 2), 1.0 - share)
        shares[:, self._place] = share
        return shares

    def _rows(self, X: Any) -> int:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse=True, dtype=None, ensure_all_finite=False)
        return int(X.shape[0])

    @property
    def _place(self) -> int:
        return int(self.classes_[1] == self.pos_label_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.classifier_tags.poor_score = True
        tags.classifier_tags.multi_class = self._measure_of_many is not None
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.sparse = True
        return tags
