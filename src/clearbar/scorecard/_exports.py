"""A scorecard as trackers of experiments and model cards take it."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clearbar.core.errors import shown
from clearbar.scorecard._frames import as_python

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard
    from clearbar.verdict import Verdict

_ELSEWHERE = {"mcc": "matthews_correlation", "average_precision": "average_precision", "r2": "r_squared"}
"""What Hugging Face calls measures that it knows by another name."""

_NUMBERS = ("score", "bar", "low", "high", "skill", "p_value", "p_value_blind", "p_corrected", "sure")


def _numbers(verdict: Verdict, *left_out: str) -> dict[str, float]:
    """Return the numbers of a verdict that there are."""
    names = [name for name in _NUMBERS if name not in left_out]
    bar = verdict.baseline.value
    values = {name: float(bar if name == "bar" else getattr(verdict, name)) for name in names}
    return {name: value for name, value in values.items() if math.isfinite(value)}


def to_flat_dict(card: Scorecard) -> dict[str, float]:
    """Return every number under one key, as DVC, Weights & Biases and MLflow log them.

    Returns
    -------
    dict of str to float
        ``"model/measure/score"``, and the same of `bar`, `low`, `high`, `skill`, the p-values and `sure`, 0
        or 1; of a slice ``"model/slice/measure/score"``, without its interval. Numbers that do not exist are
        left out. In names, what MLflow does not allow becomes an underscore; of names that are the same
        then, the second gets a 2, and so on.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=14, fp=3, fn=4, tn=10), "f1")
    >>> card.to_flat_dict()["model/f1/score"]
    0.8
    """
    flat: dict[str, float] = {}
    places: dict[str, list[str]] = {}
    for verdict in card:
        parts = [verdict.model, *([] if verdict.group is None else [str(as_python(verdict.group))])]
        plain = "/".join(re.sub(r"[^\w. -]", "_", part) for part in parts)
        numbered = itertools.chain([plain], (f"{plain}_{number}" for number in itertools.count(2)))
        path = next(path for path in numbered if places.setdefault(path, parts) == parts)
        place = f"{path}/{verdict.measure.name}"
        numbers = _numbers(verdict, *(() if verdict.group is None else ("low", "high")))
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
                    "sure": verdict.sure,
                },
            }
            for verdict in rows
            if math.isfinite(verdict.score)
        ]
        result = {"task": {"type": task}, "dataset": dict(described), "metrics": metrics}
        entries.append({"name": model, "results": [result]})
    return entries
