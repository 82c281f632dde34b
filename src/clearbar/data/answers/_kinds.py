"""What kind of task some answers belong to: whose bar it has follows from what a blind model is shown.

*Lettered* options stand in the prompt, and an answer names a position. Of *classes* the same texts are
offered for every item. *Unlettered* options are scored by the likelihood of their own texts, so that a model
that sees neither texts nor order has nothing to choose by. *Free* answers are texts. *None* of these are
programs that are run, instructions that are followed, a rubric, partial credit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from clearbar.core.errors import listed, shown
from clearbar.data.answers._positions import positions_of
from clearbar.data.answers._values import Answer

Kind = Literal["lettered", "classes", "unlettered", "free", "none"]
KINDS: tuple[Kind, ...] = ("lettered", "classes", "unlettered", "free", "none")

NO_CHOICE = re.compile(
    r"pass[@^_].*|(?:prompt|inst)_level_.*|model_graded_.*|.*rubric.*|bleu.*|rouge.*|bert_?score.*|chrf.*|ter",
    re.IGNORECASE,
)
"""Scores that do not say which answer is the right one: programs are run, texts are graded or compared."""

_POSITION = re.compile(r"\(?([A-Za-z]|\d{1,2})[).:]?")
_FIRST = ("A", "a", "0", "1")


def checked_kinds(kind: Any) -> dict[str, Kind]:
    """Return the kinds that were named for tasks."""
    if kind is None:
        return {}
    if not isinstance(kind, Mapping):
        raise ValueError(
            f"kind must name the kind of each task, such as {{'gsm8k': 'free'}}; found {shown(kind)}."
        )
    for task, name in kind.items():
        if name not in KINDS:
            raise ValueError(
                f"the kind of task {shown(task)} is {shown(name)}; it can be {listed(KINDS, last='or')}."
            )
    return dict(kind)


def refuse_unknown_tasks(kinds: Mapping[str, Kind], tasks: Iterable[str]) -> None:
    """Raise if the kind of a task was named that is in none of the logs."""
    known = list(tasks)
    for name in kinds:
        if name not in known:
            raise ValueError(
                f"kind names the task {shown(name)}, which is not there; found {listed(map(shown, known))}."
            )


def kind_of(items: Sequence[Answer], rows: Sequence[Sequence[Answer]]) -> tuple[Kind, str]:
    """Return the kind of a task, by its items and the answers of all models; of none also why."""
    graded = _why_no_choice(items, rows)
    if graded:
        return "none", graded
    if items[0].options is None:
        return "free", ""
    if items[0].offered is not None:
        return _of_texts([item.offered or () for item in items]), ""
    gold = [item.gold for item in items]
    said = [row.answer for own in rows for row in own]
    if positions_of(gold, said, np.array([item.options for item in items])) is not None:
        return "lettered", ""
    # Called by texts: no more different ones than an item has options, so that all items share them.
    texts = {value for value in (*gold, *said) if value not in {None, ""}}
    few = len(gold) > len(texts) and len(texts) <= min(int(item.options or 0) for item in items)
    return ("classes" if few and None not in gold else "unlettered"), ""


def _of_texts(offered: Sequence[tuple[str, ...]]) -> Kind:
    """Return the kind of options by the texts whose likelihoods were compared."""
    if all(_are_positions(texts) for texts in offered):
        return "lettered"
    if len(offered) > 1 and len({frozenset(texts) for texts in offered}) == 1:
        return "classes"
    longest = max(offered, key=len)
    shared = all(texts == longest[: len(texts)] for texts in offered)
    return "lettered" if shared and len(offered) > 1 else "unlettered"


def _are_positions(texts: Sequence[str]) -> bool:
    """Whether texts are A, B, C … or 1, 2, 3 …, in this order."""
    names = [match[1] if (match := _POSITION.fullmatch(text)) else "" for text in texts]
    if len(names) < 2 or names[0] not in _FIRST:
        return False
    first = names[0]
    wanted = [str(int(first) + at) if first.isdigit() else chr(ord(first) + at) for at in range(len(names))]
    return names == wanted


def _why_no_choice(items: Sequence[Answer], rows: Sequence[Sequence[Answer]]) -> str:
    """Say why no answer is the right one; empty where one may be."""
    score = items[0].score
    if any(row.right not in {0.0, 1.0} for own in rows for row in own):
        return f"{score or 'its score'} gives partial credit"
    if NO_CHOICE.fullmatch(score):
        targets = {item.gold for item in items}
        same = (
            f"; that is {shown(items[0].gold)} for every item" if len(items) > 1 and len(targets) == 1 else ""
        )
        return f"{score} does not compare an answer with its target{same}"
    if items[0].options is not None or not score:
        return ""
    targets = {item.gold for item in items}
    right = {row.answer for own in rows for row in own if row.right}
    if len(items) > 1 and len(targets) == 1 and len(right) > 1 and not right & _accepted(items[0].gold):
        return f"its target is {shown(items[0].gold)} for every item, while the answers scored right differ"
    return ""


def _accepted(gold: Any) -> set[Any]:
    return set(gold) if isinstance(gold, tuple) else {gold}
