"""Tables of scores: read into memory, ranked, judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clearbar.core._typing import Undefined
from clearbar.data.counting import read_scores, rows_of
from clearbar.data.tables import Ask, sampled_scores
from clearbar.evaluation._frame_slices import large_enough, noted, noted_small, numbered, slice_names
from clearbar.evaluation._judged import How
from clearbar.evaluation._parts import read_clusters
from clearbar.evaluation._scores import chosen_score_measures, judged_folds, judged_scores, ranked
from clearbar.evaluation._splits import folds_of
from clearbar.scorecard import Scorecard


def judged_score_frame(
    frame: Any, ask: Ask, measures: Any, how: How, *, min_support: int, aggregate: str
) -> Scorecard:
    """Judge the columns of scores in a table; folds are averaged if nothing else is asked for."""
    table = sampled_scores(frame, ask)
    samples = len(table.truth)
    scores = {name: read_scores(own, "y_score", samples) for name, own in table.predicted.items()}
    chosen = chosen_score_measures(measures, scores)
    if ask.fold is not None:
        way = "mean" if aggregate == "pooled" else aggregate
        card = judged_folds(table.truth, scores, chosen, folds_of(table.folds, table.truth), way, None, how)
        return replace(card, notes=(*card.notes, *noted(table.left_out)))
    together, notes = read_clusters(table.clusters, table.truth, samples)
    keys, codes = numbered(table.slices, samples)
    names, rows = (None, *slice_names(keys)), rows_of(codes, len(keys))
    large = large_enough(np.array([len(table.truth[part]) for part in rows]), min_support).tolist()
    groups, parts = tuple(names[at] for at in large), tuple(rows[at] for at in large)
    notes += noted_small(len(rows) - len(large), min_support) + noted(table.left_out)
    return judged_scores(ranked(table.truth, scores, None, groups, parts, together), chosen, notes, how)


def refuse_for_scores(
    *, y_pred: Any, kind: Any, threshold: Any, undefined: Undefined, fold_aware: Any, item: Any, options: Any
) -> None:
    """Raise if something is asked that goes with predicted labels alone."""
    given = {"y_pred": y_pred, "kind": kind, "threshold": threshold, "item": item, "options": options}
    given |= {"undefined": None if undefined == "exclude" else undefined, "fold_aware": fold_aware or None}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"y_score and {name} cannot be combined; leave out one of them.")
