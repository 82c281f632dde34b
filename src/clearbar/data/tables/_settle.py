"""Which values of a table's columns are positive and which negative."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from clearbar.core.errors import ArgumentError, shown
from clearbar.data.labels import Tally, is_missing, kind_of, parse_label, plain, resolve
from clearbar.data.refusals import refuse_empty
from clearbar.data.tables._ask import Ask
from clearbar.data.tables._labels import meanings
from clearbar.data.tables._query import MOST_COMBINATIONS, Sides, tallied
from clearbar.data.tables._tables import Table

FIRST, MOST_LABELS = 1000, 50
"""Rows in which a file's predictions show whether they are scores; labels beyond which they do."""

EVERY_ROW_LACKS = "every row lacks a value"

CALLED = Sides([1], [0])
"""Values of the predictions that a threshold makes of scores: 1 is positive, 0 negative."""

AT_ONCE = 3
"""Models whose labels are looked at together: few enough that their combinations are few."""


def presumed(table: Table, ask: Ask) -> dict[str, Sides] | None:
    """Return which values are positive in columns of numbers or truth values, unless something is unusual.

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
    named = Sides([int(positive)], [1 - int(positive)])
    return {name: named if name in labels else CALLED for name in ask.labels}


def settled(table: Table, ask: Ask) -> dict[str, Sides]:
    """Return which values that occur are positive, or say why these are no labels of two classes."""
    truth, *models = ask.labels
    refuse_scores(table, ask)
    sides = {truth: Sides([], [])}
    for start in range(0, len(models), AT_ONCE):
        together = (truth, *models[start : start + AT_ONCE])
        own = settled_rows(table, ask, tallied(table, ask, together), together)
        for known, new in zip(sides[truth], own[truth], strict=True):
            known += [value for value in new if value not in known]
        sides |= {name: own[name] for name in together[1:]}
    return sides


def refuse_scores(table: Table, ask: Ask) -> None:
    """Raise if predictions in files look like scores from the first rows on: there may be millions."""
    truth, *models = ask.labels
    for model in models if ask.threshold is None and table.files is not None else ():
        pair = (truth, model)
        rows = tallied(table, ask, pair, first=FIRST)
        tallies = [
            _tally(rows, name, _meaning(table, name, (row[name] for row in rows)))._replace(missing=0)
            for name in pair
        ]
        labels = list(tallies[1].counts)
        if len(labels) > MOST_LABELS and all(kind_of(label) == "numbers" for label in labels):
            tallies[1] = tallies[1]._replace(complete=False)
            resolve(*tallies, names=[ask.argument(name) for name in pair])


def settled_rows(
    table: Table, ask: Ask, rows: list[dict[str, Any]], names: Sequence[str]
) -> dict[str, Sides]:
    """Return which values are positive in combinations of labels; of a long table model by model."""
    if not rows:
        refuse_rowless(table)
    meaning = {name: _meaning(table, name, (row[name] for row in rows)) for name in names}
    truth, *models = names
    sides = {name: Sides([], []) for name in names}
    pairs: list[tuple[str, ...]] = [(truth, name) for name in models]
    if ask.threshold is not None or not models:
        sides |= dict.fromkeys(models, CALLED)
        pairs = [(truth,)]
    for model, own in _by_model(rows, ask).items():
        kept = own
        if ask.nulls == "drop":
            kept = [row for row in own if all(meaning[name].get(row[name]) is not None for name in names)]
        if not kept:
            refuse_nothing(
                EVERY_ROW_LACKS if ask.model is None else f"every row of {shown(model)} lacks a value"
            )
        tallies = {name: _tally(kept, name, meaning[name]) for name in names}
        for name, tally in tallies.items():
            refuse_missing_in(ask, name, tally.missing)
        for pair in pairs:
            read = [tallies[name] for name in pair]
            labels = resolve(*read, pos_label=_wanted(ask, read), names=[ask.argument(name) for name in pair])
            for name in pair:
                for known, label in zip(sides[name], labels, strict=True):
                    _add(known, meaning[name], label)
    return sides


def _add(known: list[Any], meaning: Mapping[Any, Any], label: Any) -> None:
    """Add the values that stand for a label, if there is one."""
    values = [value for value, meant in meaning.items() if meant is not None and meant == label]
    known += [value for value in values if value not in known]


def _by_model(rows: list[dict[str, Any]], ask: Ask) -> dict[Any, list[dict[str, Any]]]:
    if ask.model is None:
        return {None: rows}
    parts: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        parts.setdefault(row["m"], []).append(row)
    return parts


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
        label = meaning.get(row[name])
        if label is None:
            missing += row["n"]
        else:
            counts[label if kind_of(label) else type(label)] += row["n"]
    # Engines give groups in any order; messages and what they propose must not depend on it.
    order = {label: (str(kind_of(label)), label if kind_of(label) else label.__name__) for label in counts}
    in_order = {label: counts[label] for label in sorted(counts, key=order.__getitem__)}
    return Tally(in_order, missing, complete=len(rows) < MOST_COMBINATIONS)


def refuse_rowless(table: Table) -> NoReturn:
    """Raise because a table has no rows; of files it is said which."""
    sources = () if table.files is None else table.files.sources
    if not sources:
        refuse_empty("y_true", 0)
    if len(sources) > 1:
        raise ValueError(f"none of {len(sources):,} files has a row.")
    raise ValueError(f"{sources[0].path} has columns but no rows.")


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
