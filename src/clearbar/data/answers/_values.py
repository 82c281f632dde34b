"""A row of a long table of answers, and what the score of one in a log says: right, wrong, or nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from clearbar.core.errors import ArgumentError, listed, shown

_WORTH = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
"""Words for right, wrong and partial credit: those of Inspect, and truth values as text."""

_DECIMAL = re.compile(r"[01]|0?\.\d{1,17}|[01]\.\d{0,17}")

_WORDS = {dict: "an object", list: "a list", str: "text", int: "a whole number", type(None): "null"}
"""What values of JSON are called."""


class Answer(NamedTuple):
    """What one model answered to one item.

    An answer that is not known is None, one that was not given is empty and wrong; `right` is None where
    there is nothing to judge, and a share where there is partial credit. Of several right answers to an open
    question `gold` is a tuple; it is None where no right answer is known.
    """

    model: str
    task: str
    item: Any
    gold: Any
    answer: Any
    options: int | None  # None for an open question
    right: float | None
    cluster: Any = None
    offered: tuple[str, ...] | None = None  # the texts whose likelihoods were compared
    tied: bool = False  # whether several options share the largest likelihood
    score: str = ""  # the metric or scorer; empty where an answer is right if it equals `gold`


def refuse_other_fields(
    where: str, record: Any, types: Mapping[str, tuple[type, ...]], needed: Sequence[str] = ()
) -> None:
    """Raise if a field is missing, or holds what no harness writes there."""
    if not isinstance(record, dict):
        raise ValueError(f"{where} is {shown(record)}, where an object with fields belongs.")
    lacking = [name for name in needed if name not in record]
    if lacking:
        raise ValueError(f"{where} lacks {listed(map(repr, lacking))}.")
    for name, kinds in types.items():
        if name in record and not isinstance(record[name], kinds):
            wanted = " or ".join(_WORDS[kind] for kind in kinds)
            raise ValueError(f"{name!r} of {where} is {shown(record[name])}; {wanted} belongs there.")


def chosen_score(path: str, names: Sequence[str], wanted: Sequence[str], usual: Sequence[str] = ()) -> str:
    """Return the score to read: the first that is wanted, or else usual, or the only one."""
    for name in (*wanted, *usual):
        if name in names:
            return name
    if len(names) == 1:
        return names[0]
    if not names:
        raise ValueError(f"{path} holds answers without a score.")
    others = f", not {listed(map(shown, wanted), last='or')}" if wanted else ""
    raise ArgumentError(
        "",
        f"{path} scores each answer by {listed(map(repr, names))}{others}, of which one must say whether it "
        "is right; ",
        f"name it, such as metric={names[0]!r}.",
        "metric",
        names[:1],
    )


def refuse_unknown(argument: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    """Raise if a name was given that none of the logs has."""
    for name in wanted:
        if name not in known:
            has = f"which have {listed(map(repr, known))}" if known else "which name none"
            raise ArgumentError(argument, f" {shown(name)} is in none of the logs, {has}.")


def right_or_wrong(path: str, item: Any, score: str, value: Any) -> float | None:
    """Return 1 for a right answer, 0 for a wrong one, a share for partial credit; None if not scored."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        word = value.casefold()
        value = _WORTH.get(word, float(word) if _DECIMAL.fullmatch(word) else value)
    if isinstance(value, (bool, int, float)) and 0 <= value <= 1:
        return float(value)
    raise ArgumentError(
        "",
        f"{score!r} of item {shown(item)} of {path} is {shown(value)}; answers are judged as right (1), "
        "wrong (0) or a share between them; ",
        "name another score with metric.",
        "metric",
        ["NAME"],
    )
