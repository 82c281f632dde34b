"""Tables of predicted numbers: read into memory, judged as by `evaluate_regression`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from clearbar.data.tables import Ask, column_values
from clearbar.evaluation._frame_slices import large_enough, noted, noted_small, numbered, slice_names
from clearbar.evaluation._judged import How, judged
from clearbar.evaluation._regression import numbers_of
from clearbar.scorecard import Scorecard

REMEDIES = {
    "model": "give each model a column of its own",
    "fold": "judge the folds as slices, with by",
    "weight": "repeat the rows",
    "threshold": "leave it out",
    "pos_label": "leave it out",
}
"""What is for labels, and what to do instead."""


def judged_numbers(
    frame: Any, ask: Ask, measures: Any, how: How, *, undefined: Any, min_support: int
) -> Scorecard:
    """Judge the columns of a table by measures of numbers."""
    for option, remedy in REMEDIES.items():
        if getattr(ask, option) is not None:
            raise ValueError(f"measures of numbers take no {option}; {remedy}.")
    if undefined != "exclude":
        raise ValueError("undefined is for labels; leave it out for measures of numbers.")
    values, left_out = column_values(frame, ask, ())
    keys, by = numbered([values[name] for name in ask.slices], len(values["t"]))
    predicted = {name: values[f"p{at}"] for at, name in enumerate(ask.y_pred)}
    problem, chosen, notes = numbers_of(values["t"], predicted, measures, by=by, clusters=values.get("c"))
    groups = (None, *slice_names(keys))
    sizes = np.array([len(problem.truth[rows]) for rows in problem.rows])
    large = large_enough(sizes, min_support)
    small = noted_small(len(groups) - len(large), min_support)
    kept = replace(
        problem, groups=tuple(groups[at] for at in large), rows=tuple(problem.rows[at] for at in large)
    )
    return replace(judged(kept, chosen, how), notes=(*notes, *small, *noted(left_out)))
