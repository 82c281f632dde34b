"""Tables, wherever they are: counted by their own engine, or one sentence that says what is wrong.

The only room that knows data frames and the engine that reads files, polars, which is loaded on use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clearbar.core._later import late
from clearbar.data.tables._ask import MOST_COMPARED, Ask, MissingColumnError, checked_nulls
from clearbar.data.tables._files import errors_of_reading, files_of, inspect

if TYPE_CHECKING:
    from clearbar.data.tables._assembled import FrameCounts
    from clearbar.data.tables._classes import FrameClasses, count_classes
    from clearbar.data.tables._counted import count_frame
    from clearbar.data.tables._sampled import (
        FrameSamples,
        column_values,
        sampled_frame,
        sampled_scores,
        sampled_values,
    )
    from clearbar.data.tables._scan import column_names, first_values

__all__ = [
    "MOST_COMPARED",
    "Ask",
    "FrameClasses",
    "FrameCounts",
    "FrameSamples",
    "MissingColumnError",
    "checked_nulls",
    "column_names",
    "column_values",
    "count_classes",
    "count_frame",
    "errors_of_reading",
    "files_of",
    "first_values",
    "inspect",
    "sampled_frame",
    "sampled_scores",
    "sampled_values",
]

_SAMPLED = ("FrameSamples", "column_values", "sampled_frame", "sampled_scores", "sampled_values")

__getattr__ = late(
    __name__,
    {
        "._assembled": ("FrameCounts",),
        "._classes": ("FrameClasses", "count_classes"),
        "._counted": ("count_frame",),
        "._sampled": _SAMPLED,
        "._scan": ("column_names", "first_values"),
    },
)
