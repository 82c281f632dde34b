"""A scorecard as data for other programs: frames, dictionaries, JSON."""

from __future__ import annotations

import importlib
import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clearbar.core.counts import CELLS
from clearbar.core.documents import document, save, strict_json
from clearbar.formatting import comma_separated
from clearbar.scorecard import _columns

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

BACKENDS = ("pandas", "polars", "pyarrow")


def _flat_columns(card: Scorecard) -> dict[str, Any]:
    models, groups, measures = len(card.models), len(card.groups), len(card.measures)
    flat: dict[str, Any] = {
        "model": [name for name in card.models for _ in range(groups * measures)],
        "group": [as_python(group) for group in card.groups for _ in range(measures)] * models,
        "measure": [measure.name for measure in card.measures] * (models * groups),
    }
    sizes = {name: getattr(card.population, name, None) for name in ("total", "positives")}
    cells = {name: getattr(card.counts, name, None) for name in (*CELLS, "predicted_positives")}
    for name in (*CELLS, *sizes, "predicted_positives"):
        cell = sizes[name] if name in sizes else cells[name]
        if cell is not None:  # of labels that were predicted
            means = np.mean(cell, axis=-1) if name in cells and card.several_runs else np.asarray(cell)
            flat[name] = np.repeat(np.broadcast_to(means, (models, groups)).reshape(-1), measures)
    for column in _columns.COLUMNS:
        if column.kind is not None and column.where(card):
            flat[column.name] = column.of(card).reshape(-1)
    texts = {reason: str(reason) for reason in set(flat["reason"])}
    flat["reason"] = np.array([texts[reason] for reason in flat["reason"]], dtype=object)
    return flat


def as_python(group: Any) -> Any:
    return group.item() if isinstance(group, np.generic) else group


def frame_of(flat: Callable[[], dict[str, Any]], backend: str) -> Any:
    """Return a data frame of flat columns, which are made once there is a library to hold them."""
    if backend not in BACKENDS:
        raise ValueError(f"backend must be 'pandas', 'polars' or 'pyarrow'; found {backend!r}.")
    try:
        library: Any = importlib.import_module(backend)
    except ImportError as error:
        raise ImportError(
            f"to_frame(backend={backend!r}) needs {backend}, which is not installed: pip install {backend}"
        ) from error
    columns = flat()
    for name, values in columns.items():
        if isinstance(values, np.ndarray) and values.dtype == object:
            columns[name] = values.tolist()
    columns["model"] = [_text(name) for name in columns["model"]]
    for name in filter(_names_groups, columns):
        names = columns[name]
        columns[name] = library.Series(names, dtype=object) if backend == "pandas" else _one_kind(names)
    if backend == "pandas":
        return library.DataFrame(columns)
    return library.DataFrame(columns) if backend == "polars" else library.table(columns)


def _names_groups(column: str) -> bool:
    return column in {"group", "group_a", "group_b"}


def _one_kind(groups: list[Any]) -> list[Any]:
    """Return slices as they are if they are of one kind that every frame knows, else as text."""
    kinds = {type(group) for group in groups if group is not None}
    if len(kinds) <= 1 and kinds <= {int, float, bool}:
        return groups
    return [None if group is None else _text(str(group)) for group in groups]


def _text(text: str) -> str:
    """Return text that can be stored as UTF-8: a lone surrogate becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _lists(columns: dict[str, Any]) -> dict[str, list[Any]]:
    return {name: values.tolist() if isinstance(values, np.ndarray) else values
            for name, values in columns.items()}  # fmt: skip


def records(columns: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a dictionary per row of what JSON can hold: None where a number is nan or infinite."""
    lists = _lists(columns)
    for name in filter(_names_groups, lists):
        lists[name] = [
            group if isinstance(group, (str, bool, int, type(None))) or _is_finite(group) else str(group)
            for group in lists[name]
        ]
    return [strict(dict(zip(lists, row, strict=True))) for row in zip(*lists.values(), strict=True)]


def _is_finite(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def strict(row: dict[str, Any]) -> dict[str, Any]:
    """Replace what JSON has no number for; an infinity says so in the reason, where there is one."""
    strange = {name for name, value in row.items() if isinstance(value, float) and not math.isfinite(value)}
    plain = {name: None if name in strange else value for name, value in row.items()}
    if "reason" in plain:
        endless = (
            f"{name} is {'' if value > 0 else 'minus '}infinite"
            for name, value in row.items()
            if name in strange and not math.isnan(value)
        )
        plain["reason"] = "; ".join(filter(None, [row["reason"], *endless]))
    return plain


def to_frame(card: Scorecard, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
    """Return a data frame with a row per verdict.

    `low` and `high` are those of the whole; a slice's are found when ``card[row].low`` is read.
    With several runs, scores and the cells `tp`, `fp`, `fn`, `tn` are means over them.

    Parameters
    ----------
    backend : {"pandas", "polars", "pyarrow"}
        The library that makes it.

    Raises
    ------
    ValueError
        If the backend is none of these.
    ImportError
        If the library is not installed.
    """
    return frame_of(lambda: _flat_columns(card), backend)


def to_json(card: Scorecard, indent: int | None = None) -> str:
    """Return one strict JSON document: nan and infinity are null, the reason stands beside.

    Parameters
    ----------
    indent : int, optional
        Blanks per level; everything on one line by default.
    """
    return strict_json(to_dict(card), indent)


def to_dict(card: Scorecard) -> dict[str, Any]:
    """Return plain Python values, ready for JSON: None where a number is nan or infinite.

    Returns
    -------
    dict
        The versions of the package and of the document, what was asked, and a dictionary per row. The
        page "JSON for other programs" has the schema.
    """
    content = {
        "headline": card.headline(),
        "undefined": card.undefined,
        "confidence_level": card.confidence_level,
        "models": list(card.models),
        "measures": [measure.name for measure in card.measures],
        "notes": list(card.notes),
        "rows": records(_flat_columns(card)),
    }
    return document(content)


def to_csv(
    card: Scorecard, path: str | os.PathLike[str] | None = None, *, overwrite: bool = False
) -> str | None:
    """Return or write the rows of `to_frame` as comma-separated values.

    A number without a value is empty. A name that a spreadsheet would take for a formula is written
    behind an apostrophe, and control characters as their escapes.

    Parameters
    ----------
    path : str or path-like, optional
        The file to write; the text is returned when none is given.
    overwrite : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    FileExistsError
        If the file is there, and may not be replaced.
    """
    columns = _lists(_flat_columns(card))
    text = comma_separated(columns, zip(*columns.values(), strict=True))
    if path is None:
        return text
    save(text, path, overwrite=overwrite)
    return None
