"""Answers of models to the items of tasks: a long table, read from logs of harnesses or given by columns."""

from __future__ import annotations

from clearbar.data.answers._coded import Best
from clearbar.data.answers._files import read_logs
from clearbar.data.answers._frame import read_answers
from clearbar.data.answers._kinds import Kind, checked_kinds
from clearbar.data.answers._tasks import Task, tasks_of
from clearbar.data.answers._values import Answer, right_or_wrong

__all__ = [
    "Answer",
    "Best",
    "Kind",
    "Task",
    "checked_kinds",
    "read_answers",
    "read_logs",
    "right_or_wrong",
    "tasks_of",
]
