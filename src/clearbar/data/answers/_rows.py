"""A row of a long table of answers: the one thing that a reader gives."""

from __future__ import annotations

from typing import Any, NamedTuple


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
