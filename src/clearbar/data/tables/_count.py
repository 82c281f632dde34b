"""From a table, or the paths of files, to counts."""

from __future__ import annotations

from typing import Any

from clearbar.data.tables._ask import Ask
from clearbar.data.tables._assembled import FrameCounts
from clearbar.data.tables._counted import counted
from clearbar.data.tables._paths import paths_of
from clearbar.data.tables._scan import Files
from clearbar.data.tables._tables import table_of


def count_frame(frame: Any, ask: Ask) -> FrameCounts:
    """Count the confusion matrices of a table's models and slices."""
    paths = paths_of(frame)
    if paths is not None:
        return counted(Files.of(paths, ask).table(), ask)
    if ask.by_file:
        raise ValueError("by_file needs files; found a data frame. Name a column with by.")
    return counted(table_of(frame, ask), ask)
