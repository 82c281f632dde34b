"""A row of a long table of answers, and what the score of one in a log says: right, wrong, or nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from clearbar.core.errors import ArgumentError, listed, shown

_RIGHT = {"c": True, "i": False, "n": False, "yes": True, "no": False, "true": True, "false": False}
"""Words for right and wrong: those of Inspect, and truth values as text."""

_WORDS = {dict: "an object", list: "a list", str: "text", int: "a whole number", type(None): "null"}
"""What values of JSON are called."""


class Answer(NamedTuple):
    """What one model answered to one item.

    An answer that is not known is None, one that was not given is empty and wrong; `right` is None where
    there is nothing to judge. Of several right answers to an open question `gold` is a tuple; it is None
    where no right answer is known.
    """

    model: str
    task: str
    item: Any
    gold: Any
    answer: Any
    options: int | None  # None for an open question
    right: bool | None
    cluster: Any = None


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
    for name in wanted or usual:
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


def right_or_wrong(path: str, item: Any, score: str, value: Any) -> bool | None:
    """Return whether an answer is right; None where it was not scored."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, (bool, int, float)) and value in {0, 1}:
        return bool(value)
    if isinstance(value, str):
        word = value.casefold()
        if word in _RIGHT:
            return _RIGHT[word]
        if word in {"0", "1", "0.0", "1.0"}:
            return word[0] == "1"
    raise ArgumentError(
        "",
        f"{score!r} of item {shown(item)} of {path} is {shown(value)}; answers are judged as right (1) or "
        "wrong (0); ",
        "name another score with metric.",
        "metric",
        ["NAME"],
    )
