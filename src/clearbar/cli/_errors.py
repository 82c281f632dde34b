"""What is wrong, as the command line says it: options for arguments, what to type for code."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core.errors import ArgumentError, listed
from clearbar.problems.reasons import NoBar

if TYPE_CHECKING:
    from clearbar.scorecard import Scorecard

_RIGHT = {
    "labels": "Turn it into labels first.",
    "two classes": "Turn it into one class against the rest first, or leave out --pos-label and judge all "
    "classes.",
    "one class": "Turn it into one class against the rest first, and name the column of that class's scores.",
    "numbers": "Numbers are judged by a measure of them, such as --measure mae.",
    "threshold": "name their columns with --y-score, or if they are probabilities, add --threshold 0.5.",
    "nulls": "add --nulls drop to leave those rows out.",
    "filter": "name one with --filter.",
    "metric": "name one with --metric.",
    "allow_partial": "add --allow-partial to judge what is there.",
    "answers": "of a table of answers name the columns with --y-true, --y-pred and --by.",
}
"""What would be right, by the name under which an error has it."""

_COLUMNS = {
    "binary": "name columns of labels with --y-pred, or probabilities there and add --threshold 0.5",
    "scores": "name columns of scores with --y-score",
}
"""What measures of another kind judge, by that kind."""

_POLICIES = "--undefined worst or --undefined 0"
"""What gives outcomes without a value one."""


def in_options(error: BaseException) -> str:
    """Return what is wrong in a sentence."""
    if not isinstance(error, ArgumentError):
        return str(error)
    name = error.argument
    argument = f"--{name.replace('_', '-')}" if name.isidentifier() else name
    return f"{argument}{error.found}{_right(error)}"


def _right(error: ArgumentError) -> str:
    if error.mends == "pos_label":
        options = (f"--pos-label {shlex.quote(str(label))}" for label in error.values)
        return f"Pass {listed(options, last='or')}."
    if error.mends == "measure":
        return f"--measure {shlex.quote(str(error.values[0]))}."
    if error.mends == "kind" and error.values[0] in _COLUMNS:
        return f"{_COLUMNS[error.values[0]]}{error.values[1]}."
    if error.mends == "same labels":
        return str(error.values[0])
    if error.mends == "measures":
        return "`clearbar measures` lists all there are."
    return _RIGHT.get(error.mends, error.right)


def reason_in_options(reason: Any) -> Any:
    """Return why there is no value, with the policies that give one as options."""
    return reason.with_policies(_POLICIES) if isinstance(reason, NoBar) else reason


def card_in_options(card: Scorecard) -> Scorecard:
    """Return a scorecard whose reasons name options."""
    reasons, missing = card.columns["reason"].astype(object), np.isnan(card.columns["bar"])
    reasons[missing] = [reason_in_options(reason) for reason in reasons[missing]]
    return replace(card, columns={**card.columns, "reason": reasons})
