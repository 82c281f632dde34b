"""The question that is put to a table: which columns, and what to do with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from clearbar.core._value import checked_flag
from clearbar.core.errors import brief, in_given_order, listed, nearest, shown

MOST_COMPARED = 6  # models up to which each pair of them is compared on all samples
ROLES = {
    "t": "y_true",
    "m": "model",
    "f": "fold",
    "w": "weight",
    "c": "clusters",
    "v": "given",
    "i": "item",
    "o": "options",
}
"""Columns get names of our own before anything is computed: those of a table may be anything."""

_REMEDIES = {
    "model": "give each model a column of its own",
    "fold": "judge the folds as slices, with {}",
    "weight": "repeat the rows",
}
"""What a message proposes in place of a column that cannot be used with clusters or with scores."""


class MissingColumnError(ValueError):
    def __init__(self, column: str, path: str, columns: Sequence[str]) -> None:
        self.column, self.path, self.columns = column, path, tuple(columns)
        near = nearest(column, self.columns)
        ordered = [*near, *(name for name in self.columns if name not in near)]
        super().__init__(f"no column {brief(column)!r} in {path}. It has: {listed(map(brief, ordered))}.")

    def __reduce__(self) -> Any:
        return type(self), (self.column, self.path, self.columns)


@dataclass(frozen=True)
class TableQuery:
    y_true: str | None  # true labels; None where items of tasks are scored
    y_pred: tuple[str, ...]  # predictions: a column per model, or one column if `model` tells them apart
    model: str | None = None  # the column that names the model of each row
    by: tuple[str, ...] = ()  # columns whose values together are a slice
    fold: str | None = None  # the column of folds
    weight: str | None = None  # how often each row occurs
    threshold: float | None = None
    pos_label: Any = None  # the positive label
    spelt: bool = False  # whether `pos_label` is text that spells a label of any kind, as on a command line
    nulls: Literal["raise", "drop"] = "raise"  # what is done about rows with a missing value
    by_file: bool = False  # whether each file is a slice
    clusters: str | None = None  # the column that says which samples belong together
    given: str | None = None  # the column that bars may see
    item: str | None = None  # the column that says which item of a task a row answers
    options: str | None = None  # the column of the item's number of options
    of_scores: bool = False  # whether predictions are scores, which stay numbers
    y_score: tuple[str, ...] = ()  # scores beside predicted labels

    @classmethod
    def checked(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        by: Any = None,
        threshold: Any = None,
        nulls: Any = "raise",
        by_file: Any = False,
        of_tasks: bool = False,
        of_scores: bool = False,
        y_score: Any = (),
        **fields: Any,
    ) -> TableQuery:
        """Make a query of arguments that are checked as far as that can be said without the table."""
        number = isinstance(threshold, (int, float, np.integer, np.floating)) and not isinstance(
            threshold, bool
        )
        if threshold is not None and not (number and np.isfinite(threshold)):
            raise ValueError(f"threshold must be a number; found {shown(threshold)}.")
        of_items = y_true is None and of_scores and of_tasks  # scores of items of tasks
        query = cls(
            y_true,
            _names("y_score" if of_scores else "y_pred", y_pred),
            by=_names("by", () if by is None else by),
            threshold=None if threshold is None else float(threshold),
            nulls=checked_nulls(nulls),
            by_file=checked_flag("by_file", by_file),
            of_scores=of_scores,
            y_score=_names("y_score", y_score),
            **fields,
        )
        _refuse_columns(query, of_items=of_items)
        if of_items:
            query.refuse("scores of items take no {}", "fold", "weight", "threshold", "given", "options")
            return query
        if query.fold is not None and query.slices:
            raise ValueError(
                "fold and slices cannot be combined; judge the folds of each slice in a call of its own."
            )
        if query.clusters is not None and not of_tasks:
            query.refuse("clusters and {} cannot be combined", "model", "fold", "weight")
        if query.given is not None:
            query.refuse("given and {} cannot be combined", "model", "fold", "clusters")
        if query.of_scores:
            query.refuse("scores take no {}", "given")
            query.refuse(
                f"{query.option('y_score')} and {{}} cannot be combined", "model", "weight", "threshold"
            )
        if query.y_score:
            columns = "model", "fold", "weight", "given", "threshold"
            query.refuse("labels and scores on one card take no {}", *columns)
        return query

    @property
    def columns(self) -> dict[str, str]:
        """Our name of each column, and the table's."""
        single = {ours: getattr(self, role) for ours, role in ROLES.items()}
        names = {} if self.y_true is None else {"t": self.y_true}
        names |= dict(zip(self.models, (*self.y_pred, *self.y_score), strict=True))
        names |= {f"g{index}": name for index, name in enumerate(self.by)}
        return names | {ours: name for ours, name in single.items() if name is not None}

    @property
    def labels(self) -> tuple[str, ...]:
        """Our names of the columns of labels, the truth first."""
        return (*(() if self.y_true is None else ("t",)), *self.models)

    @property
    def models(self) -> tuple[str, ...]:
        """Our names of the columns of predictions, the scores beside labels last."""
        return tuple(f"p{index}" for index in range(len(self.y_pred) + len(self.y_score)))

    @property
    def scores(self) -> tuple[str, ...]:
        """Our names of the columns that a threshold turns into predictions."""
        return () if self.threshold is None else self.models

    @property
    def numbers(self) -> tuple[str, ...]:
        """Our names of the columns of predictions that must hold numbers."""
        every = self.of_scores or self.threshold is not None
        return self.models if every else self.models[len(self.y_pred) :]

    @property
    def predictions(self) -> str:
        return "y_score" if self.of_scores else "y_pred"

    @property
    def slices(self) -> tuple[str, ...]:
        """Our names of the columns that part the rows into slices."""
        return (*(f"g{index}" for index in range(len(self.by))), *(("file",) if self.by_file else ()))

    @property
    def keys(self) -> tuple[str, ...]:
        """Our names of the columns that part the rows: model, slices, fold."""
        model = () if self.model is None else ("m",)
        return (*model, *self.slices, *(() if self.fold is None else ("f",)))

    @property
    def compared(self) -> bool:
        return not self.keys and self.weight is None and 1 < len(self.y_pred) <= MOST_COMPARED

    def argument(self, ours: str) -> str:
        """Return what the caller names a column with: ``y_true``, ``y_pred['tree']``, or typed, its name."""
        if self.spelt:
            return f"column {brief(self.columns[ours])!r}"
        if ours in ROLES:
            return ROLES[ours]
        if ours.startswith("g"):
            return "by"
        beside = ours in self.models[len(self.y_pred) :]
        several = len(self.y_score if beside else self.y_pred) > 1
        column = f"[{brief(self.columns[ours])!r}]" if several else ""
        return f"{'y_score' if beside else self.predictions}{column}"

    def called(self, ours: str) -> str:
        """Return how a message calls a column: by its argument and its name, or typed, by its name."""
        return (
            self.argument(ours)
            if self.spelt
            else f"{self.argument(ours)} (column {brief(self.columns[ours])!r})"
        )

    def option(self, argument: str) -> str:
        """Return an argument's name, or the option that is typed for it."""
        return f"--{argument.replace('_', '-')}" if self.spelt else argument

    def refuse(self, sentence: str, *options: str) -> None:
        """Raise if one of these options is given; the sentence has a place for its name."""
        for option in options:
            if getattr(self, option) is not None:
                remedy = _REMEDIES.get(option, "leave it out").format(self.option("by"))
                raise ValueError(f"{sentence.format(self.option(option))}; {remedy}.")


def _refuse_columns(query: TableQuery, *, of_items: bool = False) -> None:
    for argument in ROLES.values():
        name = getattr(query, argument)
        if not isinstance(name, str) and (name is not None or (argument == "y_true" and not of_items)):
            several = argument == "y_true" and isinstance(name, (list, tuple))
            sets = " Of sets of labels pass frames of the columns to evaluate_multilabel." if several else ""
            raise ValueError(f"{argument} must be the name of a column; found {shown(name)}.{sets}")
    models = query.predictions
    if not query.y_pred:
        raise ValueError(f"{models} must name at least one column.")
    if query.model is not None and len(query.y_pred) > 1:
        raise ValueError(
            f"{models} must name one column where model={query.model!r} tells the models apart; found "
            f"{listed(map(repr, map(brief, query.y_pred)))}. Leave out model for one column per model."
        )
    if query.y_true in query.y_pred:
        twice = f"{brief(query.y_true)!r} is named by {query.option('y_true')} and by {query.option(models)}"
        raise ValueError(f"column {twice}: labels that judge themselves.")
    for name in query.y_score:
        if name in {query.y_true, *query.y_pred}:
            other = query.option("y_true" if name == query.y_true else "y_pred")
            raise ValueError(
                f"column {brief(name)!r} is named by {other} and by {query.option('y_score')}; name it once."
            )


def checked_nulls(nulls: Any) -> Any:
    if not isinstance(nulls, str) or nulls not in {"raise", "drop"}:
        raise ValueError(f"nulls must be 'raise' or 'drop'; found {shown(nulls)}.")
    return nulls


def _names(argument: str, given: Any) -> tuple[str, ...]:
    several: Sequence[Any] = (
        [given]
        if isinstance(given, str) or not isinstance(given, Iterable)
        else [*in_given_order(argument, given)]
    )
    for name in several:
        if not isinstance(name, str):
            raise ValueError(
                f"{argument} must be the name of a column, or a list of them; found {shown(name)}."
            )
    twice = [name for name in dict.fromkeys(several) if several.count(name) > 1]
    if twice:
        raise ValueError(f"{argument} names the column {brief(twice[0])!r} more than once.")
    return tuple(several)
