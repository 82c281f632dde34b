"""A scorecard as data for other programs: frames, dictionaries, JSON, trackers, model cards."""

from __future__ import annotations

import importlib.util
import itertools
import math
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clearbar.core.counts import CELLS
from clearbar.core.documents import document, save, strict_json
from clearbar.core.errors import shown
from clearbar.formatting import comma_separated
from clearbar.scorecard import _columns
from clearbar.scorecard._tables import INTERVALS

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard
    from clearbar.verdict import Verdict

BACKENDS = ("pandas", "polars", "pyarrow")

UNASKED = {"p_corrected": math.nan, "sure": None}  # how surely, where nobody asked: neither yes nor no


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
        if column.name in UNASKED and not card.has_p_values:
            flat[column.name] = np.full(len(card), UNASKED[column.name])
        elif column.kind is not None and column.where(card):
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
        here = [name for name in BACKENDS if name != backend and importlib.util.find_spec(name)]
        remedy = f"pip install {backend}" + (f", or pass backend={here[0]!r}" if here else "")
        raise ImportError(
            f"to_frame(backend={backend!r}) needs {backend}, which is not installed: {remedy}"
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
        lists[name] = [group if _is_plain(group) else str(group) for group in lists[name]]
    return [strict(dict(zip(lists, row, strict=True))) for row in zip(*lists.values(), strict=True)]


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, type(None))) or (isinstance(value, float) and math.isfinite(value))


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

    `low` and `high` of slices are missing on cards of more than 40 rows, since they take time: there they are
    found when ``card[row].low`` is read.
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


_ELSEWHERE = {"mcc": "matthews_correlation", "average_precision": "average_precision", "r2": "r_squared"}
"""What Hugging Face calls measures that it knows by another name."""

_NUMBERS = ("score", "bar", "low", "high", "skill", "p_value", "p_value_blind", "p_corrected", "sure")


def _numbers(verdict: Verdict, *left_out: str) -> dict[str, float]:
    """Return the numbers of a verdict that there are."""
    unasked = {} if verdict.has_p_values else UNASKED
    names = [name for name in _NUMBERS if name not in left_out and name not in unasked]
    bar = verdict.baseline.value
    values = {name: float(bar if name == "bar" else getattr(verdict, name)) for name in names}
    return {name: value for name, value in values.items() if math.isfinite(value)}


def to_flat_dict(card: Scorecard) -> dict[str, float]:
    """Return every number under one key, as DVC, Weights & Biases and MLflow log them.

    Returns
    -------
    dict of str to float
        ``"model/measure/score"``, and the same of `bar`, `low`, `high`, `skill`, the p-values and `sure`, 0
        or 1; of a slice ``"model/slice/measure/score"``, with its interval as in `to_frame`. Numbers that do
        not exist are left out. In names, what MLflow does not allow becomes an underscore; of names that are
        the same then, the second gets a 2, and so on.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), "f1")
    >>> card.to_flat_dict()["model/f1/score"]
    0.8
    """
    flat: dict[str, float] = {}
    places: dict[str, list[str]] = {}
    with_intervals = len(card) <= INTERVALS
    for verdict in card:
        parts = [verdict.model, *([] if verdict.group is None else [str(as_python(verdict.group))])]
        plain = "/".join(re.sub(r"[^\w. -]", "_", part) for part in parts)
        numbered = itertools.chain([plain], (f"{plain}_{number}" for number in itertools.count(2)))
        path = next(path for path in numbered if places.setdefault(path, parts) == parts)
        place = f"{path}/{verdict.measure.name}"
        left_out = () if verdict.group is None or with_intervals else ("low", "high")
        numbers = _numbers(verdict, *left_out)
        flat |= {f"{place}/{name}": value for name, value in numbers.items()}
    return flat


def to_model_index(
    card: Scorecard, dataset: str | Mapping[str, Any], *, task: str = "tabular-classification"
) -> list[dict[str, Any]]:
    """Return the ``model-index`` of a Hugging Face model card: each score with its bar, interval and p-value.

    Parameters
    ----------
    dataset : str or mapping
        The name of the test set; or a mapping with ``"name"`` and ``"type"`` (its identifier on the Hub), and
        ``"config"``, ``"split"``, ``"revision"`` where they apply.
    task : str
        The task's identifier on the Hub, such as ``"text-classification"``.

    Returns
    -------
    list of dict
        One entry for each model, for the key ``model-index`` of the card's metadata. Scores of all samples;
        what is beyond the score stands in ``args``. Scores without a value are left out.

    Raises
    ------
    ValueError
        If `dataset` has no name.

    References
    ----------
    https://huggingface.co/docs/hub/model-cards#evaluation-results

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), "f1")
    >>> card.to_model_index("wards")[0]["results"][0]["metrics"][0]["value"]
    0.8
    """
    given = {"name": dataset, "type": dataset} if isinstance(dataset, str) else dataset
    if not hasattr(given, "get") or not given.get("name"):
        raise ValueError(
            f'dataset must be a name, or a mapping with "name" and "type"; found {shown(dataset)}.'
        )
    described = {"type": given["name"], **given}
    entries = []
    for model in card.models:
        rows = [verdict for verdict in card if verdict.model == model and verdict.group == card.groups[0]]
        metrics = [
            {
                "type": _ELSEWHERE.get(verdict.measure.name, verdict.measure.name),
                "name": verdict.measure.label,
                "value": verdict.score,
                "args": {
                    **_numbers(verdict, "score", "sure"),
                    "confidence_level": verdict.confidence_level,
                    "outcome": verdict.outcome,
                    "sure": verdict.sure if verdict.has_p_values else None,
                },
            }
            for verdict in rows
            if math.isfinite(verdict.score)
        ]
        result = {"task": {"type": task}, "dataset": dict(described), "metrics": metrics}
        entries.append({"name": model, "results": [result]})
    return entries
