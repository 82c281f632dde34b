"""Tables of labels, of two classes or more: counted where they are; read, where samples belong together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import Undefined
from clearbar.core.counts import Counts, counts_of
from clearbar.data.counting import count_many
from clearbar.data.tables import (
    Ask,
    FrameClasses,
    FrameCounts,
    FrameSamples,
    count_classes,
    count_frame,
    sampled_frame,
    sampled_values,
)
from clearbar.evaluation._counts import evaluate_counts
from clearbar.evaluation._fold_classes import checked_class_options
from clearbar.evaluation._folds import evaluate_fold_counts
from clearbar.evaluation._frame_slices import Kept, noted, numbered, slice_names
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._multiclass import of_labels, refuse_two_classes
from clearbar.evaluation._options import chosen_class_measures, chosen_measures, order_taken
from clearbar.evaluation._parts import read_clusters
from clearbar.problems.binary import SampledLabels
from clearbar.problems.combine import ClassWay, FoldClasses
from clearbar.problems.multiclass import ClassLabels
from clearbar.scorecard import Scorecard


def judged_two_classes(
    frame: Any,
    ask: Ask,
    measures: Any,
    how: How,
    *,
    undefined: Undefined,
    min_support: int,
    aggregate: str,
    fold_aware: bool,
) -> Scorecard:
    """Count a table and judge the counts; raises `ManyClassesError` where there are more classes."""
    chosen = chosen_measures(measures)
    if ask.clusters is not None:
        return _of_samples(sampled_frame(frame, ask), chosen, undefined, min_support, how)
    table = count_frame(frame, ask)
    notes = noted(table.left_out)
    groups: tuple[Any, ...] = (None,)
    counts = table.counts
    if ask.slices:
        counts, kept = _sliced(table, min_support)
        groups, notes = kept.groups, notes + kept.notes
    models = {name: counts[at] for at, name in enumerate(table.models)}
    if ask.fold is not None:
        folds = evaluate_fold_counts(
            models,
            chosen,
            folds=[key[-1] for key in table.keys],
            aggregate=aggregate,
            fold_aware=fold_aware,
            undefined=undefined,
            **how._asdict(),
        )
        return replace(folds, notes=(*folds.notes, *notes))
    card = evaluate_counts(models, chosen, groups=groups, undefined=undefined, **how._asdict())
    problem: Any = card.problem
    return replace(card, problem=replace(problem, calls=table.calls), notes=(*card.notes, *notes))


def _of_samples(
    samples: FrameSamples,
    measures: tuple[Measure, ...],
    undefined: Undefined,
    min_support: int,
    how: How,
) -> Scorecard:
    """Judge samples of which some belong together."""
    codes, notes = read_clusters(samples.clusters, samples.truth, len(samples.truth))
    names, by = numbered(samples.slices, len(samples.truth))
    table = count_many(samples.truth, samples.predicted, pos_label=True, by=by, keep=True)
    rows, counts = table.samples.rows, table.counts  # type: ignore[union-attr]
    kept = Kept.of(names, np.asarray(counts.total)[0], min_support)
    problem = SampledLabels(
        table.models,
        kept.groups,
        counts[:, kept.at],
        undefined,
        truth=samples.truth,
        predicted=table.samples.predicted,  # type: ignore[union-attr]
        rows=tuple(rows[at] for at in kept.at),
        clusters=codes,
    )
    return judged(problem, measures, how, (*notes, *kept.notes, *noted(samples.left_out)))


def _sliced(table: FrameCounts, min_support: int) -> tuple[Counts, Kept]:
    """Return the counts of the whole and of large slices, and which these are."""
    cells = [np.asarray(cell) for cell in table.counts.cells]
    counts = counts_of(np.concatenate([cell.sum(axis=1, keepdims=True), cell], axis=1) for cell in cells)
    kept = Kept.of((None, *slice_names(table.keys)), np.asarray(counts.total)[0], min_support)
    return counts[:, kept.at] if kept.notes else counts, kept


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
        return _of_class_folds(count_classes(frame, ask), many, way, how)
    chosen = chosen_class_measures(measures)
    read = _of_class_table if ask.clusters is None else _of_class_samples
    problem, notes = read(frame, ask)
    kept = Kept.of(problem.groups, problem.sizes.total, min_support)
    problem = problem.part(range(len(problem.models)), kept.at.tolist())
    order = order_taken(chosen, problem.sizes.labels)
    return judged(problem, chosen, how, (*notes, *kept.notes, *order))


def _of_class_folds(table: FrameClasses, measures: Any, way: ClassWay, how: How) -> Scorecard:
    folds = tuple(key[-1] for key in table.keys)
    if len(folds) < 2:
        raise ValueError("fold holds one fold; cross-validation has two or more. Leave out fold.")
    problem = FoldClasses(table.models, tuple(own[1:] for own in table.matrices), folds, way)
    notes = (*noted(table.left_out), *order_taken(measures, problem.sizes.labels))
    return judged(problem, measures, how, notes)


def _of_class_table(frame: Any, ask: Ask) -> tuple[ClassLabels, tuple[str, ...]]:
    table = count_classes(frame, ask)
    groups = (None, *(slice_names(table.keys) if ask.slices else ()))
    matrices = tuple(own[: len(groups)] for own in table.matrices)
    problem = ClassLabels(table.models, groups, matrices, **table.together._asdict())
    return problem, noted(table.left_out)


def _of_class_samples(frame: Any, ask: Ask) -> tuple[ClassLabels, tuple[str, ...]]:
    samples = sampled_values(frame, ask)
    groups, by = numbered(samples.slices, len(samples.truth))
    problem, notes = of_labels(samples.truth, samples.predicted, None, by, samples.clusters, 0.0)
    return replace(problem, groups=groups), (*notes, *noted(samples.left_out))
