"""Cross-validation: labels and folds, or the counts of folds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import IntArray, Undefined
from clearbar.core._value import checked_flag, checked_policy
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.counts import Counts, counts_of
from clearbar.core.errors import ManyClassesError, shown
from clearbar.data.arrays import factorise, read, refuse_other_rows
from clearbar.data.classes import confusion_matrices, read_classes
from clearbar.data.counting import by_argument, count_many, predictions_as_mapping, stacked_counts
from clearbar.data.labels import is_label_sets
from clearbar.evaluation.classes import refuse_two_classes
from clearbar.evaluation.options import (
    Inference,
    Question,
    chosen_class_measures,
    chosen_measures,
    class_order_note,
    door,
    kind_named,
)
from clearbar.problems.folds import FoldClasses, FoldLabels, Way, chosen_way, way_of
from clearbar.problems.multiclass import ClassMeasure
from clearbar.problems.validation import UNKNOWN, Validation

ONE_FOLD = "cross-validation has two or more. For one test set use evaluate(...)."


@door
def evaluate_folds(
    y_true: Any,
    y_pred: Any,
    folds: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    aggregate: str = "pooled",
    fold_aware: bool = False,
    pos_label: Any = None,
    undefined: Undefined = "exclude",
    **inference: Unpack[Inference],
) -> Question:
    """Judge cross-validated predictions, folds combined in one way, bar and p-value in the same.

    Parameters
    ----------
    y_true : array_like of shape (M,)
        True labels, of two classes or more.
    y_pred : array_like of shape (M,), mapping, or data frame
        Predicted labels, each made by the model that did not see the sample. A mapping or data frame
        holds a column per model.
    folds : array_like of shape (M,), or iterable of (train, test) pairs
        The fold in which each sample was tested, or what ``cv.split`` of scikit-learn yields.
    measures : str, Measure, or list of them, optional
        The measures; six common measures by default, ``"all"`` for the catalogue.
    aggregate : str
        ``"pooled"``: counts are added up over folds, then scored (F_tp,fp): scores the procedure.
        ``"mean"``: the mean of the folds' scores (F_avg): scores the models fitted; F scores count 0
        where they have no value. ``"mean_of_defined"``: the same over the folds in which what the
        measure requires holds. ``"precision_recall"``: the measure of mean precision and mean recall
        (F_pr,re), for functions of the two. ``"precision_recall_of_defined"``: the same over folds in
        which all have a value. More than two classes know the first two.

    Returns
    -------
    Scorecard
        `p_value_blind` of pooled counts is the exact conditional Cochran-Mantel-Haenszel test.

    Raises
    ------
    ValueError
        If labels cannot be counted, there are fewer than two folds, fold ids are not as many as
        samples, a fold has no samples or samples are tested twice, or an option is unknown.

    References
    ----------
    Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010.

    Examples
    --------
    >>> import clearbar as cb
    >>> y_true = [1, 0, 0, 1, 0, 0, 1, 0]
    >>> y_pred = [1, 0, 0, 1, 1, 0, 0, 0]
    >>> card = cb.evaluate_folds(y_true, y_pred, [1, 1, 1, 1, 2, 2, 2, 2], "f1", aggregate="mean")
    >>> card[0].score
    0.5
    """
    if is_label_sets(y_true):
        raise ValueError(
            "evaluate_folds is for one label of each sample; evaluate_multilabel(Y_true, Y_pred, by=folds) "
            "judges sets of labels, the tests of all folds together and each fold."
        )
    options = measures, aggregate, fold_aware, undefined
    split = None
    if kind_named(measures) != "multiclass":
        entries, way, policy = checked_fold_options(*options)
        split = folds_of(folds, y_true)
        try:
            problem = fold_labels(y_true, y_pred, split, way, policy, pos_label=pos_label)
        except ManyClassesError:
            pass
        else:
            return Question(problem, entries, split.notes)
    of_classes, class_way = checked_class_options(*options, pos_label)
    split = split or folds_of(folds, y_true)
    return fold_class_question(fold_classes(y_true, y_pred, split, class_way), of_classes, split.notes)


def fold_class_question(problem: FoldClasses, measures: tuple[Any, ...], notes: Any = ()) -> Question:
    order = class_order_note(measures, problem.sizes.labels)
    return Question(problem, measures, (*notes, *order))


@door
def evaluate_fold_counts(
    counts: Any,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    folds: Iterable[Any] | None = None,
    aggregate: str = "pooled",
    fold_aware: bool = False,
    undefined: Undefined = "exclude",
    **inference: Unpack[Inference],
) -> Question:
    """Judge the confusion matrices of folds; as `evaluate_folds`, from what was counted elsewhere.

    Parameters
    ----------
    counts : Counts, list of Counts or ConfusionMatrix, or mapping of str to them
        Arrays with a matrix per fold, or a list of one for each; a mapping holds those of each model, on the
        same folds.
    measures : str, Measure, or list of them, optional
        The measures, as for `evaluate_folds`.
    folds : iterable, optional
        Names of the folds; 1, 2, ... by default.
    aggregate : str
        The way in which folds are combined, as for `evaluate_folds`.

    Raises
    ------
    ValueError
        If there are fewer than two folds, one has no samples, models differ in their class sizes, or
        an option is unknown.

    References
    ----------
    Forman and Scholz, Apples-to-apples in cross-validation studies, SIGKDD Explorations 12(1), 2010.

    Examples
    --------
    The counts of their table 1:

    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[3, 4, 4, 3], fp=[0, 1, 13, 5], fn=[0, 0, 0, 1], tn=[373, 371, 359, 367])
    >>> round(cb.evaluate_fold_counts(counts, "f1")[0].score, 4)
    0.5833
    >>> round(cb.evaluate_fold_counts(counts, "f1", aggregate="mean")[0].score, 4)
    0.6925
    """
    models: Any = dict(counts) if isinstance(counts, Mapping) else {"model": counts}
    if any(map(_holds_matrices, models.values())):
        of_classes, class_way = checked_class_options(measures, aggregate, fold_aware, undefined)
        _refuse_other_folds(models)
        matrices = tuple(map(tuple, models.values()))
        facts = _fold_names(folds, len(matrices[0])), class_way, matrices
        return fold_class_question(FoldClasses(tuple(map(str, models)), *facts), of_classes)
    entries, way, policy = checked_fold_options(measures, aggregate, fold_aware, undefined)
    names, stacked = stacked_counts(
        {name: _in_an_array(of_folds) for name, of_folds in models.items()}, "folds", 2
    )
    fold_names = _fold_names(folds, stacked.shape[1])
    empty = np.flatnonzero(np.asarray(stacked.total)[0] == 0)
    if empty.size:
        raise ValueError(
            f"fold {fold_names[int(empty[0])]} has no samples, so nothing was tested there; leave it out."
        )
    return Question(FoldLabels(names, fold_names, way, stacked, policy), entries)


def _fold_names(folds: Iterable[Any] | None, length: int) -> tuple[Any, ...]:
    names = tuple(range(1, length + 1)) if folds is None else tuple(folds)
    if len(names) != length:
        raise ValueError(f"folds must name each of the {length:,} folds; found {len(names):,} names.")
    return names


def _in_an_array(counts: Any) -> Any:
    """Return a list of the Counts of each fold as one array of them, and anything else as it is."""
    listed_folds = isinstance(counts, (list, tuple)) and counts
    if not listed_folds or any(not isinstance(fold, Counts) or fold.shape for fold in counts):
        return counts
    return counts_of(zip(*(fold.cells for fold in counts), strict=True)).called(counts[0].labels)


def _holds_matrices(counts: Any) -> bool:
    several = counts if isinstance(counts, (list, tuple)) else [counts]
    return any(isinstance(matrix, ConfusionMatrix) for matrix in several)


def _refuse_other_folds(models: Mapping[Any, Any]) -> None:
    """Raise if models are not lists of matrices of the same folds."""
    first = next(iter(models.values()))
    for name, matrices in models.items():
        if not isinstance(matrices, (list, tuple)) or len(matrices) < 2:
            raise ValueError(
                f"counts of {name!r} must be a list of a ConfusionMatrix for each of two or more folds; "
                f"found {shown(matrices)}. For one table use evaluate_counts."
            )
        strange = next((item for item in matrices if not isinstance(item, ConfusionMatrix)), None)
        if strange is not None:
            raise ValueError(f"counts of {name!r} must hold ConfusionMatrix objects; found {shown(strange)}.")
        if len(matrices) != len(first) or any(
            matrix.labels != first[0].labels or not np.array_equal(matrix.true_counts, other.true_counts)
            for matrix, other in zip(matrices, first, strict=False)
        ):
            raise ValueError(
                "all models must be judged on the same folds of the same labels; the class sizes of "
                f"{name!r} differ. Name all labels in each ConfusionMatrix, or judge the models in separate "
                "calls."
            )


def checked_fold_options(
    measures: Any, aggregate: Any, fold_aware: Any, undefined: Any
) -> tuple[tuple[Measure, ...], Way, Undefined]:
    """Return the measures, the way and the policy, or say what can be asked for; nothing is computed."""
    entries, policy = chosen_measures(measures), checked_policy(undefined)
    way = chosen_way(aggregate, fold_aware)
    way.refuse(entries)
    return entries, way, policy


def checked_class_options(
    measures: Any, aggregate: Any, fold_aware: Any, undefined: Any, pos_label: Any = None
) -> tuple[tuple[ClassMeasure, ...], Way]:
    """Return the measures and the way, or say what can be asked of more than two classes."""
    refuse_two_classes(pos_label, checked_policy(undefined))
    if checked_flag("fold_aware", fold_aware):
        raise ValueError("fold_aware=True is for two classes; of more the bar of pooled folds is fold-blind.")
    way = way_of("multiclass", aggregate, "more than two classes")
    return chosen_class_measures(measures), way


@dataclass(frozen=True)
class Split:
    """The folds of some samples."""

    names: tuple[Any, ...]  # the folds' names
    codes: IntArray  # for each sample the position of its fold plus one where some are outside; those have 0
    outside: bool  # whether some samples are tested in no fold
    notes: tuple[str, ...]  # what a reader should know

    @property
    def rows(self) -> tuple[IntArray, ...]:
        """The samples of each fold."""
        first = int(self.outside)
        return tuple(np.flatnonzero(self.codes == code) for code in range(first, first + len(self.names)))


def folds_of(folds: Any, y_true: Any) -> Split:
    """Return the fold of each sample, from ids or the pairs that a splitter yields."""
    samples = read(y_true, "y_true").length
    if hasattr(folds, "split"):
        raise ValueError(
            "folds must be fold ids or what cv.split(X, y) yields; found a splitter: pass cv.split(X, y)."
        )
    given = list(folds) if isinstance(folds, (Iterator, zip, map)) else folds
    if isinstance(given, (list, tuple)) and given and all(map(_is_pair, given)):
        return _from_pairs(given, samples)
    names, codes = factorise(given, samples, "folds")
    refuse_other_rows(y_true, given, "folds")
    if len(names) < 2:
        raise ValueError(f"folds holds one fold; {ONE_FOLD}")
    return Split(tuple(names), codes, outside=False, notes=())


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2 and np.ndim(pair[1]) == 1


def _from_pairs(pairs: Iterable[tuple[Any, Any]], samples: int) -> Split:
    rows, split = tests_of(pairs, samples)
    times = np.bincount(rows[split.codes >= split.outside], minlength=samples)
    if times.max() > 1:
        first = int(np.argmax(times > 1))
        raise ValueError(
            f"folds test some samples more than once (sample {first:,} in {int(times[first])} test sets), as "
            "repeated and shuffled splits do; judge each repeat by itself, with its own predictions."
        )
    codes = np.empty(samples, dtype=np.int64)
    codes[rows] = split.codes
    return replace(split, codes=codes)


def tests_of(pairs: Iterable[tuple[Any, Any]], samples: int) -> tuple[IntArray, Split]:
    """Return the samples of all test sets one after the other, then those never tested; and their folds."""
    tests = [_test_set(test, number, samples) for number, (_, test) in enumerate(pairs, 1)]
    if len(tests) < 2:
        raise ValueError(f"folds holds one split; {ONE_FOLD}")
    names = tuple(range(1, len(tests) + 1))
    codes = np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    left = np.setdiff1d(np.arange(samples), np.concatenate(tests))
    rows = np.concatenate([*tests, left])
    if not left.size:
        return rows, Split(names, codes, outside=False, notes=())
    note = f"{len(left):,} of {samples:,} samples are tested in no fold and left out."
    return rows, Split(names, np.append(codes + 1, 0 * left), outside=True, notes=(note,))


def _test_set(test: Any, number: int, samples: int) -> IntArray:
    positions = np.asarray(test)
    if positions.dtype == bool and len(positions) == samples:
        positions = np.flatnonzero(positions)
    if not positions.size:
        raise ValueError(f"folds: the test set of split {number} has no samples; leave that split out.")
    if positions.dtype.kind not in "iu":
        raise ValueError(
            "folds must hold positions of samples as (train, test) pairs; "
            f"split {number} holds {positions.dtype} values."
        )
    wrong = (positions < 0) | (positions >= samples)
    if wrong.any():
        first, last = int(positions[wrong][0]), samples - 1
        raise ValueError(
            f"folds: split {number} tests sample {first:,}, but y_true has samples 0 to {last:,}."
        )
    return positions.astype(np.int64)


def fold_labels(
    y_true: Any,
    y_pred: Any,
    split: Split,
    way: Way,
    undefined: Undefined,
    *,
    pos_label: Any,
    validation: Validation = UNKNOWN,
) -> FoldLabels:
    """Count labels of two classes in each fold."""
    table = count_many(y_true, predictions_as_mapping(y_pred), pos_label=pos_label, by=split.codes)
    if len(table.counts.shape) == 3:
        raise ValueError(
            "y_pred must hold one prediction per sample and model; give repeated runs a name each, as models."
        )
    counts = table.counts[:, 1 + split.outside :]
    calls = None if split.outside or validation.overlaps else table.calls
    return FoldLabels(table.models, split.names, way, counts, undefined, calls, validation=validation)


def fold_classes(
    y_true: Any,
    y_pred: Any,
    split: Split,
    way: Way,
    validation: Validation = UNKNOWN,
    clusters: IntArray | None = None,
    *,
    torn: bool = False,
) -> FoldClasses:
    """Count labels of many classes in each fold; samples with `clusters` come fold after fold."""
    models = predictions_as_mapping(y_pred)
    classes, truth, codes = read_classes(y_true, by_argument(models, y_pred), None)
    first, number = 1 + split.outside, len(split.names) + split.outside
    predicted = tuple(codes.values())
    counted = tuple(
        confusion_matrices(classes, truth, column, split.codes, number)[first:] for column in predicted
    )
    samples: Any = {}
    if clusters is not None:
        tests = slice(len(clusters))
        samples = {"truth": truth[tests], "predicted": tuple(column[tests] for column in predicted)}
    elif not (split.outside or validation.overlaps):
        samples = {"truth": truth, "predicted": predicted}
    facts: Any = {"validation": validation, "clusters": clusters, "torn": torn, **samples}
    return FoldClasses(tuple(models), split.names, way, counted, **facts)
