"""Scores across folds: each fold's labels dealt out within it, averaged or merged."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from clearbar._typing import BoolArray, FloatArray, IntArray
from clearbar.display import visible
from clearbar.errors import listed
from clearbar.evaluate._score_rows import notes_on, said
from clearbar.evaluate._splits import Split
from clearbar.problems.scores import CALIBRATED, ScoreAggregate, ScoreMeasure, combined, fold_score_bar
from clearbar.scorecard import Scorecard
from clearbar.verdict import FLOATS, PValues, stand


def across_folds(
    truth: BoolArray,
    scores: Mapping[str, FloatArray],
    measures: tuple[ScoreMeasure, ...],
    split: Split,
    aggregate: ScoreAggregate,
    p_values: PValues | None,
    prevalence: float | None,
) -> Scorecard:
    """Judge scores across folds; labels are dealt out within each.

    Parameters
    ----------
    truth : ndarray of bool
        Which samples are positive.
    scores : mapping of str to ndarray
        Every model's scores.
    measures : tuple of ScoreMeasure
        What is evaluated.
    split : Split
        The folds.
    aggregate : {"mean", "merged"}
        How they are combined.
    p_values : {"both", "matched", "none"} or None
        Which to compute.
    prevalence : float or None
        The share of positives in training.

    Returns
    -------
    Scorecard
    """
    first = int(split.outside)
    folds = [np.flatnonzero(split.codes == at) for at in range(first, first + len(split.names))]
    total = np.array([len(fold) for fold in folds])
    positives = np.array([int(np.count_nonzero(truth[fold])) for fold in folds])
    bars = tuple(fold_score_bar(measure, total, positives, aggregate) for measure in measures)
    shape = len(scores), 1, len(measures)
    columns: dict[str, Any] = {name: np.full(shape, math.nan) for name in FLOATS}
    columns["reason"] = np.full(shape, "", dtype=object)
    columns["outcome"] = np.full(shape, "undefined", dtype=object)
    for (row, one), (at, bar) in itertools.product(enumerate(scores.values()), enumerate(bars)):
        quick = p_values is not None or total.sum() <= bar.measure.chance.quick
        ask = quick and p_values != "none"
        found = combined(bar.measure, truth, one, folds, aggregate, p_values=ask)
        for name, column in stand(np.array([[found[0]]]), bar).items():
            columns[name][row, :, at] = column[0]
        if columns["outcome"][row, 0, at] == "undefined":
            columns["reason"][row, 0, at] = bar.reason or f"{bar.measure.label} has no value for these scores"
        elif ask:
            cell = row, 0, at
            columns["p_value"][cell], columns["p_value_matched"][cell], columns["reason"][cell] = said(
                *found[1:], p_values
            )
    notes = (*_on_folds(measures, split, total, positives, aggregate, prevalence), *split.notes)
    notes = (*notes, *notes_on(bars, columns))
    return Scorecard(tuple(scores), (None,), measures, None, bars, columns, "exclude", notes=notes)


def _on_folds(
    measures: tuple[ScoreMeasure, ...],
    split: Split,
    total: IntArray,
    positives: IntArray,
    aggregate: ScoreAggregate,
    prevalence: float | None,
) -> list[str]:
    """Say how folds are combined, and name those without a value."""
    if aggregate == "merged":
        notes = [CALIBRATED]
        if (positives * total.sum() != total * positives.sum()).any():
            notes.append("The folds differ in their share of positives, and the bars know it.")
    else:
        notes = [f"Scores and bars are means over {len(split.names):,} folds."]
        lacking: dict[str, list[str]] = {}
        for measure in measures:
            without = [
                visible(name)
                for name, m, p in zip(split.names, total.tolist(), positives.tolist(), strict=True)
                if measure.needs(m, p)
            ]
            if without:
                lacking.setdefault(listed(without, most=6), []).append(measure.label)
        notes += [
            f"{listed(labels)} {'has' if len(labels) == 1 else 'have'} no value in fold {names} and "
            f"{'is' if len(labels) == 1 else 'are'} averaged over the others."
            for names, labels in lacking.items()
        ]
    if prevalence is not None:
        notes.append("The constant at the training prevalence is compared without folds only.")
    return notes
