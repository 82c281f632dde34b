"""Cross-validated labels of more than two classes: the confusion matrices of folds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import shown
from clearbar.data.classes import confusion_matrices, read_classes
from clearbar.data.predictions import by_argument, predictions_as_mapping
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._multiclass import refuse_two_classes
from clearbar.evaluation._options import checked_flag, chosen_class_measures, order_taken
from clearbar.evaluation._splits import Split
from clearbar.problems.binary import checked_policy
from clearbar.problems.combine import CLASS_WAYS, ClassWay, FoldClasses, GroupedFoldClasses, Together
from clearbar.problems.multiclass import ClassMeasure
from clearbar.problems.validation import UNKNOWN, Validation
from clearbar.scorecard import Scorecard


def checked_class_options(
    measures: Any, aggregate: Any, fold_aware: Any, undefined: Any, pos_label: Any
) -> tuple[tuple[ClassMeasure, ...], ClassWay]:
    """Return the measures and the way, or say what can be asked of more than two classes."""
    refuse_two_classes(pos_label, checked_policy(undefined))
    if checked_flag("fold_aware", fold_aware):
        raise ValueError("fold_aware=True is for two classes; of more the bar of pooled folds is fold-blind.")
    if not (isinstance(aggregate, str) and aggregate in CLASS_WAYS):
        names = " or ".join(map(repr, CLASS_WAYS))
        raise ValueError(f"aggregate must be {names} for more than two classes; found {aggregate!r:.60}.")
    return chosen_class_measures(measures), CLASS_WAYS[aggregate]


def judged_fold_classes(
    y_true: Any, y_pred: Any, split: Split, options: tuple[tuple[ClassMeasure, ...], ClassWay], how: How
) -> Scorecard:
    """Count what happened in each fold, and judge it."""
    chosen, way = options
    problem = fold_classes(y_true, y_pred, split, way)
    notes = (*split.notes, *order_taken(chosen, problem.sizes.labels))
    return judged(problem, chosen, how, notes)


def fold_classes(
    y_true: Any,
    y_pred: Any,
    split: Split,
    way: ClassWay,
    validation: Validation = UNKNOWN,
    together: Together | None = None,
) -> FoldClasses:
    """Count what happened in each fold.

    `together` are the groups of the samples that some fold tests, which then come fold after fold.
    """
    models = predictions_as_mapping(y_pred)
    known, truth, codes = read_classes(y_true, by_argument(models, y_pred), None)
    first, number = 1 + split.outside, len(split.names) + split.outside
    counted = tuple(
        confusion_matrices(known, truth, own, split.codes, number)[first:] for own in codes.values()
    )
    held = tuple(models), counted, split.names, way
    own = tuple(codes.values())
    if together is not None:
        tests = len(together.codes)
        samples: Any = {
            "truth": truth[:tests],
            "predicted": tuple(one[:tests] for one in own),
            "together": together,
        }
        return GroupedFoldClasses(*held, validation=validation, **samples)
    if split.outside or validation.overlaps:
        return FoldClasses(*held, validation=validation)
    return FoldClasses(*held, validation=validation, truth=truth, predicted=own)


def are_fold_matrices(counts: Any) -> bool:
    """Whether these are lists of confusion matrices of any number of classes."""
    several = counts.values() if isinstance(counts, Mapping) else [counts]
    return any(
        isinstance(own, ConfusionMatrix)
        or (isinstance(own, (list, tuple)) and any(isinstance(one, ConfusionMatrix) for one in own))
        for own in several
    )


def of_fold_matrices(counts: Any, folds: Iterable[Any] | None, way: ClassWay) -> FoldClasses:
    """Return the problem of matrices that were counted elsewhere, a list of them for each model."""
    models = dict(counts) if isinstance(counts, Mapping) else {"model": counts}
    first = next(iter(models.values()))
    for name, own in models.items():
        if not isinstance(own, (list, tuple)) or len(own) < 2:
            raise ValueError(
                f"counts of {name!r} must be a list of a ConfusionMatrix for each of two or more folds; "
                f"found {shown(own)}. For one table use evaluate_counts."
            )
        _refuse_other_folds(name, own, first)
    names = tuple(range(1, len(first) + 1)) if folds is None else tuple(folds)
    if len(names) != len(first):
        raise ValueError(f"folds must name each of the {len(first):,} folds; found {len(names):,} names.")
    return FoldClasses(tuple(map(str, models)), tuple(map(tuple, models.values())), names, way)


def _refuse_other_folds(name: Any, own: Sequence[Any], first: Sequence[Any]) -> None:
    strange = next((one for one in own if not isinstance(one, ConfusionMatrix)), None)
    if strange is not None:
        raise ValueError(f"counts of {name!r} must hold ConfusionMatrix objects; found {shown(strange)}.")
    if len(own) != len(first) or any(
        one.labels != first[0].labels or not np.array_equal(one.true_counts, other.true_counts)
        for one, other in zip(own, first, strict=False)
    ):
        raise ValueError(
            f"all models must be judged on the same folds of the same labels; the class sizes of {name!r} "
            "differ. Name all labels in each ConfusionMatrix, or judge the models in separate calls."
        )
