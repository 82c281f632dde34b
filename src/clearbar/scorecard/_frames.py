"""A scorecard as data for other programs: frames, dictionaries, JSON."""

from __future__ import annotations

import csv
import importlib
import io
import json
import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar._version import __version__
from clearbar.core.counts import CELLS
from clearbar.formatting import visible
from clearbar.verdict import surely

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

BACKENDS = ("pandas", "polars", "pyarrow")
MARGINS = ("total", "positives", "predicted_positives")
JUDGED = (
    "score",
    "low",
    "high",
    "bar",
    "best_possible",
    "worst_draw",
    "skill",
    "p_value",
    "p_value_blind",
    "p_corrected",
    "sure",
    "outcome",
    "reason",
)
OVER_RUNS = ("score_sd", "share_clearing")


def flat_columns(card: Scorecard) -> dict[str, Any]:
    """Return one flat column per name, a row per verdict."""
    models, groups, measures = len(card.models), len(card.groups), len(card.measures)
    found: dict[str, Any] = {
        "model": [name for name in card.models for _ in range(groups * measures)],
        "group": [as_python(group) for group in card.groups for _ in range(measures)] * models,
        "measure": [measure.name for measure in card.measures] * (models * groups),
    }
    for name in (*CELLS, *MARGINS):
        cell = _cell(card, name)
        if cell is not None:
            found[name] = np.repeat(np.broadcast_to(cell, (models, groups)).reshape(-1), measures)
    columns = {**card.columns, **_intervals(card), "sure": surely(card.columns, card.alpha)}
    for name in JUDGED:
        found[name] = columns[name].reshape(-1)
    words = {reason: str(reason) for reason in set(found["reason"])}
    found["reason"] = np.array([words[reason] for reason in found["reason"]], dtype=object)
    if card.several_runs:
        found["runs"] = np.full(models * groups * measures, card.runs, dtype=np.int64)
        for name in OVER_RUNS:
            found[name] = card.columns[name].reshape(-1)
    return found


def _intervals(card: Scorecard) -> dict[str, Any]:
    """Return both ends for the whole; slices, of which there may be a million, have theirs row by row."""
    ends = np.full((2, *card.columns["score"].shape), np.nan)
    if len(card.groups) == 1 or card.groups[0] is None:
        for model, measure in np.ndindex(len(card.models), len(card.measures)):
            ends[:, model, 0, measure] = card.interval(model, 0, measure)
    return {"low": ends[0], "high": ends[1]}


def _cell(card: Scorecard, name: str) -> Any:
    """Return a cell or margin per model and group; None where no labels were predicted."""
    if name in {"total", "positives"}:
        return np.asarray(getattr(card.population, name))
    if card.counts is None:
        return None
    cell = np.asarray(getattr(card.counts, name))
    return cell.mean(axis=-1) if card.several_runs else cell


def as_python(group: Any) -> Any:
    return group.item() if isinstance(group, np.generic) else group


def to_frame(card: Scorecard, backend: str) -> Any:
    """Return a data frame."""
    if backend not in BACKENDS:
        msg = f"backend must be 'pandas', 'polars' or 'pyarrow'; found {backend!r}."
        raise ValueError(msg)
    try:
        library: Any = importlib.import_module(backend)
    except ImportError as error:
        msg = f"to_frame(backend={backend!r}) needs {backend}, which is not installed: pip install {backend}"
        raise ImportError(msg) from error
    columns = flat_columns(card)
    columns["model"] = [_text(name) for name in columns["model"]]
    for name in ("outcome", "reason"):
        columns[name] = columns[name].tolist()
    if backend == "pandas":
        columns["group"] = library.Series(columns["group"], dtype=object)
        return library.DataFrame(columns)
    columns["group"] = one_kind(columns["group"])
    return library.DataFrame(columns) if backend == "polars" else library.table(columns)


def one_kind(groups: list[Any]) -> list[Any]:
    """Return slices as they are if they are of one kind that every frame knows, else as text."""
    kinds = {type(group) for group in groups if group is not None}
    if len(kinds) <= 1 and kinds <= {str, int, float, bool}:
        return [_text(group) if isinstance(group, str) else group for group in groups] or groups
    return [None if group is None else _text(str(group)) for group in groups]


def _text(text: str) -> str:
    """Return text that can be stored as UTF-8: a lone surrogate becomes its escape."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def to_dict(card: Scorecard) -> dict[str, Any]:
    """Return the document that `to_json` writes.

    Plain Python values; None where a number is nan or infinite.
    """
    columns = {
        name: values.tolist() if isinstance(values, np.ndarray) else values
        for name, values in flat_columns(card).items()
    }
    columns["group"] = [json_group(group) for group in columns["group"]]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return {
        "clearbar": __version__,
        "undefined": card.undefined,
        "models": list(card.models),
        "measures": [measure.name for measure in card.measures],
        "notes": list(card.notes),
        "rows": [_strict(row) for row in rows],
    }


_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?", re.IGNORECASE)


def to_csv(card: Scorecard) -> str:
    """Return comma-separated values that a spreadsheet shows and does not obey."""
    columns = {
        name: values.tolist() if isinstance(values, np.ndarray) else values
        for name, values in flat_columns(card).items()
    }
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_spreadsheet(value) for value in row] for row in zip(*columns.values(), strict=True))
    return file.getvalue()


def _spreadsheet(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (bool, int, float)):
        return value
    text = visible(value)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def json_group(group: Any) -> Any:
    if group is None or isinstance(group, (str, bool, int)):
        return group
    return group if isinstance(group, float) and math.isfinite(group) else str(group)


def _strict(row: dict[str, Any]) -> dict[str, Any]:
    """Replace what JSON has no number for; an infinity says so in the reason."""
    reasons = [row["reason"]] if row["reason"] else []
    for name, value in row.items():
        if isinstance(value, float) and not math.isfinite(value):
            if math.isinf(value):
                reasons.append(f"{name} is {'' if value > 0 else 'minus '}infinite")
            row[name] = None
    return {**row, "reason": "; ".join(reasons)}


def to_json(card: Scorecard, indent: int | None) -> str:
    """Return strict JSON: one document, nan and infinity as null."""
    return json.dumps(to_dict(card), indent=indent, allow_nan=False)
