"""Which values of a table's columns are positive and which negative."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from clearbar.core.errors import ArgumentError
from clearbar.data.labels import Tally, is_missing, kind_of, parse_label, plain, refuse_empty, settle, shown
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._labels import meanings
from clearbar.data.tables._query import MOST_COMBINATIONS, tallied
from clearbar.data.tables._tables import Table

FIRST, MOST_LABELS = 1000, 50
"""Rows in which a file's predictions show whether they are scores; labels beyond which they do."""

EVERY_ROW_LACKS = "every row lacks a value"

AT_ONCE = 3
"""Models whose labels are looked at together: few enough that their combinations are few."""

Pairs = dict[str, tuple[list[Any], list[Any]]]
"""For each column of labels, by our name, the values that are positive and those that are negative."""


def presumed(table: Table, ask: Ask) -> Pairs | None:
    """Return the pairs that columns of numbers or truth values have, unless something is unusual.

    Whether they do is found out while rows are counted.
    """
    positive = 1 if ask.pos_label is None else plain(ask.pos_label)
    if ask.spelt and ask.pos_label is not None:
        positive = {"0": 0, "1": 1}.get(ask.pos_label)
    if isinstance(positive, str) or positive not in {0, 1}:
        return None
    whole = {"boolean", "integer", "float"}
    labels = ask.labels if ask.threshold is None else ("t",)
    if any(name in table.texts or table.kinds[name] not in whole for name in labels):
        return None
    pair = [int(positive)], [1 - int(positive)]
    return {name: pair if name in labels else ([1], [0]) for name in ask.labels}


def settled(table: Table, ask: Ask) -> Pairs:
    """Return the pairs of values that occur, or say why these are no labels of two classes."""
    truth, *models = ask.labels
    if table.files is not None:
        refuse_scores(table, ask)
    pairs: Pairs = {truth: ([], [])}
    for start in range(0, len(models), AT_ONCE):
        together = (truth, *models[start : start + AT_ONCE])
        for name, pair in settled_rows(table, ask, tallied(table, ask, together), together).items():
            pairs[name] = tuple(  # type: ignore[assignment]
                list(dict.fromkeys([*known, *new]))
                for known, new in zip(pairs.get(name, ([], [])), pair, strict=True)
            )
    return pairs


def refuse_scores(table: Table, ask: Ask) -> None:
    """Raise if predictions look like scores from the first rows on: a file may hold millions of them."""
    truth, *models = ask.labels
    for name in models if ask.threshold is None else ():
        rows = tallied(table, ask, (truth, name), first=FIRST)
        few, many = (
            _tally(rows, one, _meaning(table, one, (row[one] for row in rows))) for one in (truth, name)
        )
        labels = list(many.counts)
        if len(labels) > MOST_LABELS and all(kind_of(label) == "numbers" for label in labels):
            names = [ask.argument(one) for one in (truth, name)]
            settle(few._replace(missing=0), many._replace(missing=0, complete=False), names=names)


def settled_rows(table: Table, ask: Ask, rows: list[dict[str, Any]], names: Sequence[str]) -> Pairs:
    """Return the pairs of values that occur in combinations of labels."""
    if not rows:
        refuse_rowless(table)
    meaning = {name: _meaning(table, name, (row[name] for row in rows)) for name in names}
    truth, *models = names
    pairs: Pairs = {name: ([], []) for name in names}
    for of_model in _by_model(rows, ask):
        tallies = {name: _tally(of_model, name, meaning[name]) for name in names}
        if ask.nulls == "drop":
            whole = [row for row in of_model if not any(_is_none(row, name, meaning) for name in names)]
            if of_model and not whole:
                refuse_nothing(_lacking(ask, of_model[0]))
            tallies = {name: _tally(whole, name, meaning[name]) for name in names}
        for name, tally in tallies.items():
            refuse_missing_in(ask, name, tally.missing)
        for name in models or [truth]:
            predicted = None if name == truth or ask.threshold is not None else tallies[name]
            names_read = (truth, name) if predicted is not None else (truth,)
            wanted = _wanted(ask, [tallies[one] for one in names_read])
            labels = settle(
                tallies[truth], predicted, pos_label=wanted, names=[ask.argument(one) for one in names_read]
            )
            for one in names_read:
                _add(pairs[one], meaning[one], labels.pos_label, positive=True)
                _add(pairs[one], meaning[one], labels.neg_label, positive=False)
            if predicted is None and name != truth:
                pairs[name] = ([1], [0])
    return pairs


def settled_truth(table: Table, ask: Ask) -> Pairs:
    """Return the pair of true labels alone, where predictions are none."""
    truth = ask.labels[:1]
    return settled_rows(table, ask, tallied(table, ask, truth), truth)


def _add(
    pair: tuple[list[Any], list[Any]], meaning: Mapping[Any, Any], label: Any, *, positive: bool
) -> None:
    known = pair[0 if positive else 1]
    values = [value for value, meant in meaning.items() if meant is not None and meant == label]
    known += [value for value in values if not any(value == one for one in known)]


def _by_model(rows: list[dict[str, Any]], ask: Ask) -> list[list[dict[str, Any]]]:
    if ask.model is None:
        return [rows]
    parts: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        parts.setdefault(row["m"], []).append(row)
    return list(parts.values())


def _meaning(table: Table, name: str, values: Iterable[Any]) -> dict[Any, Any]:
    """Return what each value stands for: a label, or None where it stands for none."""
    distinct = list(dict.fromkeys(None if is_missing(value) else value for value in values))
    if name in table.texts:
        return meanings(distinct)
    return {value: None if value is None else plain(value) for value in distinct}


def _tally(rows: list[dict[str, Any]], name: str, meaning: Mapping[Any, Any]) -> Tally:
    counts: Counter[Any] = Counter()
    missing = 0
    for row in rows:
        value = row[name]
        label = None if is_missing(value) else meaning[value]
        if label is None:
            missing += row["n"]
        else:
            counts[label if kind_of(label) else type(label)] += row["n"]
    # Engines give groups in any order; messages and what they propose must not depend on it.
    in_order = sorted(counts.items(), key=lambda pair: (str(kind_of(pair[0])), _sortable(pair[0])))
    return Tally(dict(in_order), missing, complete=len(rows) < MOST_COMBINATIONS)


def _sortable(label: Any) -> Any:
    return label if kind_of(label) else label.__name__


def _is_none(row: Mapping[str, Any], name: str, meaning: Mapping[str, Mapping[Any, Any]]) -> bool:
    return is_missing(row[name]) or meaning[name][row[name]] is None


def refuse_rowless(table: Table) -> NoReturn:
    """Raise because a table has no rows; of files it is said which."""
    sources = () if table.files is None else table.files.sources
    if not sources:
        refuse_empty("y_true", 0)
    if len(sources) > 1:
        raise ValueError(f"none of {len(sources):,} files has a row.")
    raise ValueError(f"{sources[0].path} has columns but no rows.")


def _lacking(ask: Ask, row: Mapping[str, Any]) -> str:
    return EVERY_ROW_LACKS if ask.model is None else f"every row of {shown(row['m'])} lacks a value"


def refuse_nothing(why: str) -> NoReturn:
    """Raise because no row is left to judge by."""
    raise ValueError(f"{why}, so that there are no samples; at least one is needed to have a bar.")


def refuse_missing_in(ask: Ask, name: str, number: int) -> None:
    """Raise if a column has missing values."""
    if number:
        values = "1 missing value" if number == 1 else f"{number:,} missing values"
        raise ArgumentError(
            ask.called(name),
            f" has {values}. Fill them in, or ",
            "pass nulls='drop' to leave those rows out.",
            "nulls",
        )


def _wanted(ask: Ask, tallies: Sequence[Tally]) -> Any:
    if not ask.spelt or ask.pos_label is None:
        return ask.pos_label
    known = list(dict.fromkeys(label for tally in tallies for label in tally.counts))
    return parse_label(ask.pos_label, sorted(known, key=str))
