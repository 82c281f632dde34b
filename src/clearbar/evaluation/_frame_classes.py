"""Tables of more than two classes: counted where they are, judged as confusion matrices."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clearbar.data.tables import Ask, FrameClasses, count_classes, sampled_values
from clearbar.evaluation._fold_classes import checked_class_options
from clearbar.evaluation._frame_slices import Kept, noted, numbered, slice_names
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._multiclass import of_labels, refuse_two_classes
from clearbar.evaluation._options import chosen_class_measures
from clearbar.problems.combine import ClassWay, FoldClasses
from clearbar.problems.multiclass import ClassLabels
from clearbar.scorecard import Scorecard, class_fold_scorecard


def judged_classes(
    frame: Any,
    ask: Ask,
    measures: Any,
    how: How,
    *,
    undefined: Any,
    min_support: int,
    aggregate: Any,
    fold_aware: Any,
) -> Scorecard:
    """Count a table of more than two classes and judge its confusion matrices."""
    refuse_two_classes(ask.pos_label, undefined)
    if ask.threshold is not None:
        raise ValueError(
            f"threshold={ask.threshold:g} makes two classes of scores, and the labels are of more: name "
            "columns of predicted labels."
        )
    if ask.fold is not None:
        many, way = checked_class_options(measures, aggregate, fold_aware, undefined, None)
        return _of_folds(count_classes(frame, ask), many, way, how)
    chosen = chosen_class_measures(measures)
    problem, notes = _of_samples(frame, ask) if ask.clusters is not None else _of_table(frame, ask)
    kept = Kept.of(problem.groups, problem.sizes.total, min_support)
    return judged(problem.part(range(len(problem.models)), kept.at), chosen, how, (*notes, *kept.notes))


def _of_folds(table: FrameClasses, measures: Any, way: ClassWay, how: How) -> Scorecard:
    folds = tuple(key[-1] for key in table.keys)
    if len(folds) < 2:
        raise ValueError("fold holds one fold; cross-validation has two or more. Leave out fold.")
    problem = FoldClasses(table.models, tuple(own[1:] for own in table.matrices), folds, way)
    return class_fold_scorecard(problem, measures, noted(table.left_out), **how._asdict())


def _of_table(frame: Any, ask: Ask) -> tuple[ClassLabels, tuple[str, ...]]:
    table = count_classes(frame, ask)
    groups = (None, *(slice_names(table.keys) if ask.slices else ()))
    matrices = tuple(own[: len(groups)] for own in table.matrices)
    held = table.models, groups, matrices
    if table.together is None:
        return ClassLabels(*held), noted(table.left_out)
    truth, own, times = table.together
    return ClassLabels(*held, truth=truth, predicted=own, times=times), noted(table.left_out)


def _of_samples(frame: Any, ask: Ask) -> tuple[ClassLabels, tuple[str, ...]]:
    samples = sampled_values(frame, ask)
    groups, by = numbered(samples.slices, len(samples.truth))
    problem, notes = of_labels(samples.truth, samples.predicted, None, by, samples.clusters, 0.0)
    return replace(problem, groups=groups), (*notes, *noted(samples.left_out))
