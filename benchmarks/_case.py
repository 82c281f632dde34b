"""What one row of a table compares: the same question, put to two programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Work = Callable[[Any], Any]
"""Takes the inputs of a case and returns what a program makes of them."""


@dataclass(frozen=True)
class Case:
    """One question at one size.

    Parameters
    ----------
    title : str
        What is asked.
    size : str
        How large the question is.
    inputs : callable
        Makes the inputs; never timed.
    ours, theirs : callable
        Answer it. Without ``theirs`` the row has no ratio.
    peer : str
        Who the other one is.
    agree : callable, optional
        ``agree(inputs, a, b)`` asserts that both answers are the same, and may return a remark.
    target : str
        What was aimed at, shown beside the figure.
    per : int
        Divides the times shown: so many populations were handled at once.
    patience : float
        Seconds after which the other program is stopped; its row then says so. None waits.
    remark : str
        A note on the row.
    repeats : int, optional
        Samples of each side; as many as fit into a few seconds by default.
    x : float
        The size as a number, for a plot.
    """

    title: str
    size: str
    inputs: Callable[[], Any]
    ours: Work
    theirs: Work | None = None
    peer: str = ""
    agree: Callable[[Any, Any, Any], str | None] | None = None
    target: str = ""
    per: int = 1
    patience: float | None = None
    remark: str = ""
    repeats: int | None = None
    x: float = 0.0


@dataclass(frozen=True)
class Section:
    """A table.

    Parameters
    ----------
    name : str
        How the command line calls it.
    title, text : str
        What stands above the table.
    cases : callable
        ``cases(quick=...)`` lists the rows, small ones if so asked.
    packages : sequence of str
        Modules that the other programs need, imported before anything is measured.
    commands : bool
        Whether each side is a whole process: it then returns the arguments of a command.
    """

    name: str
    title: str
    text: str
    cases: Callable[..., Sequence[Case]]
    packages: tuple[str, ...] = ()
    commands: bool = False


@dataclass
class Times:
    """Seconds of one side of a case, and the memory of a process of its own."""

    seconds: list[float] = field(default_factory=list)
    peak: int | None = None
    grown: int | None = None


@dataclass
class Result:
    """What was measured for a case."""

    ours: Times
    theirs: Times | None
    ratios: list[float]
    remark: str = ""
    gave_up: str = ""
