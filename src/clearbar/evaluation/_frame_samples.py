"""Tables of scores and of numbers: read into memory, judged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from clearbar.core._typing import Undefined
from clearbar.data.groups import rows_of
from clearbar.data.scores import of_one_class, read_scores
from clearbar.data.tables import Ask, sampled_scores, sampled_values
from clearbar.evaluation._frame_slices import Kept, noted, numbered
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._parts import read_clusters
from clearbar.evaluation._regression import numbers_of
from clearbar.evaluation._scores import chosen_score_measures, judged_folds, judged_scores, ranked
from clearbar.evaluation._splits import folds_of
from clearbar.scorecard import Scorecard


def judged_score_frame(
    frame: Any, ask: Ask, measures: Any, how: How, *, min_support: int, aggregate: str
) -> Scorecard:
    """Judge the columns of scores in a table; folds are averaged if nothing else is asked for."""
    with of_one_class():
        table = sampled_scores(frame, ask)
    samples = len(table.truth)
    scores = {name: read_scores(own, "y_score", samples) for name, own in table.predicted.items()}
    chosen = chosen_score_measures(measures, scores)
    if ask.fold is not None:
        way = "mean" if aggregate == "pooled" else aggregate
        card = judged_folds(table.truth, scores, chosen, folds_of(table.folds, table.truth), way, None, how)
        return replace(card, notes=(*card.notes, *noted(table.left_out)))
    together, notes = read_clusters(table.clusters, table.truth, samples)
    names, codes = numbered(table.slices, samples)
    rows = rows_of(codes, len(names) - 1)
    kept = Kept.of(names, [len(table.truth[part]) for part in rows], min_support)
    parts = tuple(rows[at] for at in kept.at)
    problem = ranked(table.truth, scores, None, kept.groups, parts, together)
    return judged_scores(problem, chosen, notes + kept.notes + noted(table.left_out), how)


def refuse_for_scores(
    *, y_pred: Any, kind: Any, threshold: Any, undefined: Undefined, fold_aware: Any, item: Any, options: Any
) -> None:
    """Raise if something is asked that goes with predicted labels alone."""
    given = {"y_pred": y_pred, "kind": kind, "threshold": threshold, "item": item, "options": options}
    given |= {"undefined": None if undefined == "exclude" else undefined, "fold_aware": fold_aware or None}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"y_score and {name} cannot be combined; leave out one of them.")


def judged_numbers(
    frame: Any, ask: Ask, measures: Any, how: How, *, undefined: Any, min_support: int
) -> Scorecard:
    """Judge the columns of a table by measures of numbers."""
    ask.refuse("measures of numbers take no {}", "model", "fold", "weight", "threshold", "pos_label")
    if undefined != "exclude":
        raise ValueError("undefined is for labels; leave it out for measures of numbers.")
    table = sampled_values(frame, ask)
    names, by = numbered(table.slices, len(table.truth))
    problem, chosen, notes = numbers_of(
        table.truth, table.predicted, measures, by=by, clusters=table.clusters
    )
    kept = Kept.of(names, [len(problem.truth[rows]) for rows in problem.rows], min_support)
    problem = replace(problem, groups=kept.groups, rows=tuple(problem.rows[at] for at in kept.at))
    return judged(problem, chosen, how, (*notes, *kept.notes, *noted(table.left_out)))
