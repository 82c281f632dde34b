"""The kinds of problem that measures judge: a new kind is a room and a line here."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """What the measures of one kind judge, and the room whose import registers them."""

    name: str
    judges: str  # what they judge, as a sentence says it
    instead: str  # what to do with such a measure where another kind is judged
    given: str = ""  # what stands before someone who judges this kind, where that is not what `judges` says
    room: str = ""  # empty as long as there are none
    default: tuple[str, ...] = ()  # what is judged by if no measure is named


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "binary",
            "labels",
            "use evaluate(y_true, y_score >= threshold, {name})",
            given="two columns of labels",
            room="clearbar.catalogue",
            default=("accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc"),
        ),
        Kind(
            "scores",
            "scores",
            "use clearbar.baseline_scores or clearbar.evaluate_scores, or y_score= of evaluate_frame",
            room="clearbar.problems.scores",
        ),
        Kind(
            "regression",
            "numbers",
            "use clearbar.baseline_regression or clearbar.evaluate_regression",
            room="clearbar.problems.numbers",
            default=("mae", "rmse", "r2"),
        ),
        Kind(
            "multiclass",
            "more than two classes",
            "use clearbar.baseline_multiclass or clearbar.evaluate_multiclass",
            room="clearbar.problems.multiclass",
            default=("accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "mcc"),
        ),
        Kind(
            "multilabel",
            "sets of labels",
            "use clearbar.baseline_multilabel or clearbar.evaluate_multilabel",
            room="clearbar.problems.multilabel",
            default=("subset_accuracy", "hamming_loss", "f1_micro", "f1_macro", "f1_samples"),
        ),
    )
}
"""In the order in which a name is looked up: the kind that knows it first is meant."""


def door(verb: str, kind: str) -> Callable[..., Any] | None:
    """Return the front door's function for another kind than the binary one, such as ``baseline_scores``."""
    if kind == "binary":
        return None
    rooms = {"evaluate": "clearbar.evaluation", "dummies": f"{KINDS[kind].room}.dummies"}
    for room in dict.fromkeys((rooms.get(verb, KINDS[kind].room), KINDS[kind].room)):
        function: Callable[..., Any] | None = getattr(importlib.import_module(room), f"{verb}_{kind}", None)
        if function is not None:
            return function
    raise ValueError(
        f"clearbar.{verb} has no answer for {KINDS[kind].judges}: {KINDS[kind].room} has no {verb}_{kind}."
    )
