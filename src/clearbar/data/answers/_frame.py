"""A table of answers as rows: long, with a column that names the model, or with a column per model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clearbar.data.answers._positions import same
from clearbar.data.answers._values import Answer
from clearbar.data.query import TableQuery
from clearbar.data.table_samples import column_values


def read_answers(frame: Any, query: TableQuery) -> tuple[list[Answer], int]:
    """Return the answers in a table, and how many rows were left out because they say too little."""
    columns, left_out = column_values(frame, query, (*query.labels[1:], "o"))
    return list(_rows(columns, query)), left_out


def _rows(columns: Mapping[str, Sequence[Any]], query: TableQuery) -> Iterator[Answer]:
    seen: dict[tuple[str, str], int] = {}
    nothing = [None] * len(columns["t"])
    options, clusters = columns.get("o", nothing), columns.get("c", nothing)
    _refuse_other_kinds(columns, query, options)
    for said, model in zip(query.labels[1:], query.y_pred, strict=True):
        for at in range(len(nothing)):
            name = model if query.model is None else str(columns["m"][at])
            task = ", ".join(str(columns[slice_][at]) for slice_ in query.slices)
            place = seen[name, task] = seen.get((name, task), 0) + 1
            item = columns["i"][at] if "i" in columns else place
            gold, answer = columns["t"][at], columns[said][at]
            number = _whole(options[at])
            right = None if answer is None else same(gold, answer) if number is not None else gold == answer
            yield Answer(name, task, item, gold, answer, number, right, clusters[at])


def _refuse_other_kinds(
    columns: Mapping[str, Sequence[Any]], query: TableQuery, options: Sequence[Any]
) -> None:
    """Raise if right answers to open questions are numbers and those given texts, or the other way round."""

    def kinds(name: str) -> set[str]:
        values = (value for value, number in zip(columns[name], options, strict=True) if number is None)
        return {_kind(value) for value in values if value is not None and value != ""}

    right = kinds("t")
    for said, name in zip(query.labels[1:], query.y_pred, strict=True):
        given = kinds(said)
        if right and given and right.isdisjoint(given):
            raise ValueError(
                f"y_true (column {query.y_true!r}) holds {min(right)} but y_pred (column {name!r}) holds "
                f"{min(given)}, so that no answer would be right; make both text."
            )


def _kind(value: Any) -> str:
    return "text" if isinstance(value, str) else "numbers"


def _whole(number: Any) -> Any:
    """Return a whole number as one, whatever the table holds it as."""
    return int(number) if isinstance(number, float) and number.is_integer() else number
