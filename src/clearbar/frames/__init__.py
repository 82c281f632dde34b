"""Tables, wherever they are: counted by their own engine, or one sentence that says what is wrong.

The only room that knows data frames and the engine that reads files, polars, which is loaded on use.
"""

from __future__ import annotations

from clearbar.frames._ask import Ask, asked
from clearbar.frames._assembled import FrameCounts
from clearbar.frames._count import count_frame
from clearbar.frames._files import MissingColumnError
from clearbar.frames._read import column_names, files_of
from clearbar.frames._sampled import FrameSamples, sampled_frame

__all__ = [
    "Ask",
    "FrameCounts",
    "FrameSamples",
    "MissingColumnError",
    "asked",
    "column_names",
    "count_frame",
    "files_of",
    "sampled_frame",
]
