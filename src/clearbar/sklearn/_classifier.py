"""The best classifier that ignores its input, as an estimator."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core._value import checked_policy, number_or_nan
from clearbar.core.counts import Population
from clearbar.core.errors import listed
from clearbar.null import Draw, predicted_from_theta
from clearbar.problems.binary import baseline, draw_without_sizes, in_words, needed_knowledge
from clearbar.problems.multiclass import ClassMeasure

Prevalence = float | Literal["train"] | None

MANY_ROWS = 1000  # rows that stand for many, where too few are given to hold both classes
TOLERANCE = 1e-9  # how far from 1 shares of many classes may add up to
MOST_ROWS = 2**52


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
        The policy for outcomes without a value; see `clearbar.baseline`. For two classes.
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
        try:
            classes = np.unique(y)
        except TypeError:
            kinds = sorted({type(label).__name__ for label in y})
            raise ValueError(f"y must hold labels of one kind; found {listed(kinds)}.") from None
        check_classification_targets(y)
        self._generator()
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        if many is None or len(classes) < 2 or (len(classes) == 2 and _of_kind(self.measure, "binary")):
            positive, share = self._two_classes(classes, y, weight)
            _refuse_unknown(get_measure(self.measure, "binary"), share, policy)
            self.classes_, self.pos_label_, self.prevalence_ = classes, positive, share
        else:
            shares = _checked_shares(
                self.prevalence, classes, [weight[y == label].sum() for label in classes]
            )
            best_counts(many, MANY_ROWS, tuple(shares.tolist()))
            self.classes_, self.pos_label_, self.prevalence_ = classes, None, shares
        return self

    def _two_classes(self, classes: Any, y: Any, weight: FloatArray) -> tuple[Any, float | None]:
        """Return the positive label of two classes, and what is known of its share."""
        labels = listed(map(repr, classes.tolist()), most=6)
        if len(classes) > 2:
            raise ValueError(
                "Only binary classification is supported. The type of the target is multiclass: y holds "
                f"{len(classes)} classes ({labels}). For one class against the rest fit on y == label; for "
                "all name a measure of many, such as 'f1_macro', and neither pos_label, undefined nor a "
                "single prevalence."
            )
        if len(classes) < 2:
            raise ValueError(f"y holds one class ({labels}) and two are needed, of which one is positive.")
        given: Any = self.prevalence
        is_train = isinstance(given, str) and given == "train"
        share = given if given is None or is_train else number_or_nan(given)
        if not (share is given or 0 < share < 1):
            raise ValueError(
                f"prevalence must be 'train', a share between 0 and 1, or None; found {given!r:.60}."
            )
        wanted = classes[1] if self.pos_label is None else self.pos_label
        matching = [label for label in classes if np.ndim(wanted) == 0 and label == wanted]
        if not matching:
            raise ValueError(f"pos_label={wanted!r} is not among the classes of y, which are {labels}.")
        if is_train:
            share = float(weight[y == matching[0]].sum() / weight.sum())
            if not 0 < share < 1:
                raise ValueError(
                    "sample_weight leaves one class of y, so that there is no share of positives to learn; "
                    "give both classes some weight, or pass the share as prevalence."
                )
        return matching[0], share

    def _generator(self) -> Any:
        is_generator = isinstance(self.random_state, np.random.Generator)
        return self.random_state if is_generator else check_random_state(self.random_state)

    @property
    def _measure_of_many(self) -> ClassMeasure | None:
        """The measure of many classes, where all that was passed is for many and it has a bar."""
        given: Any = self.prevalence
        shares = isinstance(given, Mapping) or (isinstance(given, str) and given == "train")
        alone = self.pos_label is None and self.undefined == "exclude" and shares
        return _of_many_classes(self.measure) if alone else None

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
        rows = _checked_rows(n_samples)
        if self.pos_label_ is None:
            raise ValueError(
                "no class is the positive one; predicted_counts(n_samples) has those of each class."
            )
        measure = get_measure(self.measure, "binary")
        return best_positives(measure, rows, self.prevalence_, checked_policy(self.undefined))

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
        rows = _checked_rows(n_samples)
        if self.pos_label_ is None:
            many = _of_many_classes(self.measure)
            if many is None:
                name = getattr(self.measure, "name", self.measure)
                raise ValueError(
                    f"measure must be one that fit can take for these {len(self.classes_)} classes; found "
                    f"{name!r:.60}, which was set after fit: call fit again."
                )
            numbers = best_counts(many, rows, tuple(self.prevalence_.tolist()))
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
        source = self._generator()
        if self.pos_label_ is None:
            numbers = list(self.predicted_counts(rows).values())
            return source.permutation(np.repeat(self.classes_, numbers))
        positive = Draw(Population(rows, 0), self.predicted_positives(rows)).predict(source)
        return self.classes_[np.where(positive, self._place, 1 - self._place)]

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


def _of_kind(measure: Any, kind: str) -> Any:
    """Return the measure of a kind that is named so; None where there is none."""
    try:
        return get_measure(measure, kind)
    except (TypeError, ValueError):
        return None


def _of_many_classes(measure: Any) -> ClassMeasure | None:
    """Return the measure of many classes of that name; None where there is none."""
    entry: ClassMeasure | None = _of_kind(getattr(measure, "name", measure), "multiclass")
    # g_mean has no bar for more than a hundred rows
    return None if entry is None or entry.name == "g_mean" else entry


def _checked_rows(n_samples: Any) -> int:
    is_whole = isinstance(n_samples, (int, np.integer)) and not isinstance(n_samples, bool)
    if not is_whole or not 1 <= n_samples <= MOST_ROWS:
        raise ValueError(f"n_samples must be a whole number from 1 to 2**52; found {n_samples!r:.60}.")
    return int(n_samples)


def _refuse_unknown(measure: Measure, prevalence: float | None, undefined: Undefined) -> None:
    """Say at once if no number of rows has an optimum that can be known."""
    if prevalence is not None:
        best_positives(measure, MANY_ROWS, prevalence, undefined)
        return
    if measure.greater_is_better is None:
        raise ValueError(f"{measure.label} has no better end, so that no draw is the best one.")
    need = needed_knowledge(measure, undefined=undefined)
    if need not in {"nothing", "number of samples"}:
        raise ValueError(
            f"prevalence=None is not enough for {measure.name}: its optimal draw depends on "
            f"{in_words(need)}. Pass prevalence='train', or the share of positives as a number."
        )


def _checked_shares(prevalence: Any, classes: Any, weights: Any) -> FloatArray:
    """Return the share of each class: those of weighted training labels, or what is known."""
    if isinstance(prevalence, str):
        return np.asarray(np.array(weights) / np.sum(weights))
    labels = classes.tolist()
    if set(prevalence) != set(labels):
        raise ValueError(
            "prevalence must be 'train' or map each class to its share, where there are more than two; the "
            f"classes are {listed(map(repr, labels), most=6)}, and found {prevalence!r:.60}."
        )
    shares = np.array([number_or_nan(prevalence[label]) for label in labels])
    if not (shares >= 0).all() or abs(float(shares.sum()) - 1) > TOLERANCE:
        raise ValueError(f"prevalence must hold shares from 0 up that add up to 1; found {prevalence!r:.60}.")
    return np.asarray(shares / shares.sum())


@functools.lru_cache(maxsize=256)
def best_positives(measure: Measure, rows: int, prevalence: float | None, undefined: Undefined) -> int:
    """Return how many of these rows to label positive: the smallest optimal number.

    Where the measure has no bar on the rounded class sizes, such as F1 without a positive row, those nearest
    to them with both classes are taken, and for too few rows the share which is optimal for a thousand.
    """
    if prevalence is None:
        return draw_without_sizes(measure, rows, undefined=undefined)
    positives = predicted_from_theta(rows, prevalence)
    nearest = min(max(positives, 1), rows - 1)
    for size in (positives, nearest)[: 2 if rows > 1 else 1]:
        bar = baseline(Population(rows, size), measure, undefined=undefined)
        if bar.best is not None and bar.best.smallest >= 0:
            return int(bar.best.smallest)
    if rows == MANY_ROWS:
        raise ValueError(f"there is no best draw for {measure.name}: {bar.reason}.")
    return predicted_from_theta(rows, best_positives(measure, MANY_ROWS, prevalence, undefined) / MANY_ROWS)


@functools.lru_cache(maxsize=256)
def best_counts(measure: ClassMeasure, rows: int, shares: tuple[float, ...]) -> tuple[int, ...]:
    """Return how many of these rows to call each class: the best numbers for class sizes in these shares.

    Where the measure has no bar on those, such as MCC on one class, those that are best for a thousand rows
    are scaled down.
    """
    optimum = measure.optimum(_apportioned(rows, shares), 0.0)
    if optimum.counts is not None:
        return tuple(optimum.counts.tolist())
    if rows == MANY_ROWS:
        raise ValueError(f"there is no best draw for {measure.name}: {optimum.reason}.")
    many = best_counts(measure, MANY_ROWS, shares)
    return tuple(_apportioned(rows, [number / MANY_ROWS for number in many]).tolist())


def _apportioned(rows: int, shares: Sequence[float]) -> IntArray:
    """Return whole numbers in about these shares that add up: the largest remainders are rounded up."""
    exact = rows * np.asarray(shares)
    counts = np.floor(exact).astype(np.int64)
    counts[np.argsort(counts - exact, kind="stable")[: rows - int(counts.sum())]] += 1
    return np.asarray(counts)
