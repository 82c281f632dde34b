"""Tables of two classes: counted where they are; read, where some samples belong together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clearbar.catalogue import Measure
from clearbar.core._typing import Undefined
from clearbar.core.counts import Counts, counts_of
from clearbar.data.counting import count_many
from clearbar.data.tables import Ask, FrameCounts, FrameSamples, count_frame, sampled_frame
from clearbar.evaluation._counts import evaluate_counts
from clearbar.evaluation._folds import evaluate_fold_counts
from clearbar.evaluation._frame_slices import large_enough, noted, noted_small, numbered, slice_names
from clearbar.evaluation._judged import How, judged_labels
from clearbar.evaluation._options import chosen_measures
from clearbar.evaluation._parts import read_clusters
from clearbar.problems.binary import SampledLabels
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
        groups, counts, small = _sliced(table, min_support)
        notes += noted_small(small, min_support)
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
    keys, by = numbered(samples.slices, len(samples.truth))
    table = count_many(samples.truth, samples.predicted, pos_label=True, by=by, keep=True)
    rows, counts = table.samples.rows, table.counts  # type: ignore[union-attr]
    groups = (None, *slice_names(keys))
    large = large_enough(np.asarray(counts.total)[0], min_support)
    notes += noted_small(len(groups) - len(large), min_support) + noted(samples.left_out)
    problem = SampledLabels(
        table.models,
        tuple(groups[at] for at in large),
        counts[:, large],
        undefined,
        truth=samples.truth,
        predicted=table.samples.predicted,  # type: ignore[union-attr]
        rows=tuple(rows[at] for at in large),
        clusters=codes,
    )
    return judged_labels(problem, measures, how, notes)


def _sliced(table: FrameCounts, min_support: int) -> tuple[tuple[Any, ...], Counts, int]:
    """Return the whole, then the slices that are large enough, and how many are not."""
    whole = [np.asarray(cell).sum(axis=1, keepdims=True) for cell in table.counts.cells]
    large = np.asarray(table.counts.total)[0] >= min_support
    cells = [np.asarray(cell)[:, large] for cell in table.counts.cells]
    together = counts_of(np.concatenate(pair, axis=1) for pair in zip(whole, cells, strict=True))
    kept = [table.keys[at] for at in np.flatnonzero(large).tolist()]
    return (None, *slice_names(kept)), together, int((~large).sum())
