"""Labels and numbers judged against the best that may look at one column, `given`."""

from __future__ import annotations

from typing import Any

from clearbar.data.counting import is_label_sets, predictions_as_mapping
from clearbar.evaluation._judged import How, judged_labels
from clearbar.evaluation._options import chosen_measures, kind_named
from clearbar.evaluation._regression import evaluate_regression
from clearbar.formatting import plural
from clearbar.problems.binary import checked_policy, refuse_column
from clearbar.problems.combine import column_labels
from clearbar.scorecard import Scorecard

REMEDIES = {
    "by": "given and by cannot be combined for labels; judge the samples of each slice in a call of its own.",
    "clusters": "given and clusters cannot be combined; leave out one of them. Where the column names the "
    "groups, given alone tells what is known beyond the group.",
}

SEES = "The bars see a column of {values}, and how many samples of each are positive."


def seeing_column(
    y_true: Any, y_pred: Any, measures: Any, given: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge against bars that see one column."""
    kind = "multilabel" if is_label_sets(y_true) else kind_named(measures)
    refuse_column(kind)
    if kind == "regression":
        return of_numbers(y_true, y_pred, measures, pos_label, undefined, rest | {"given": given})
    for name in ("by", "clusters"):
        if rest[name] is not None:
            raise ValueError(REMEDIES[name])
    chosen, how = (
        chosen_measures(measures),
        How.checked(*(rest[name] for name in ("confidence_level", "intervals", "random_state"))),
    )
    models = predictions_as_mapping(y_pred)
    problem = column_labels(y_true, models, given, pos_label, checked_policy(undefined))
    return judged_labels(problem, chosen, how, (SEES.format(values=plural(len(problem.names), "value")),))


def of_numbers(
    y_true: Any, y_pred: Any, measures: Any, pos_label: Any, undefined: Any, rest: dict[str, Any]
) -> Scorecard:
    """Judge predicted numbers."""
    if pos_label is not None or checked_policy(undefined) != "exclude":
        raise ValueError("undefined and pos_label are for labels; leave them out for measures of numbers.")
    return evaluate_regression(y_true, y_pred, measures, **rest)
