"""Tables in files: the columns that are asked for, or one sentence that says what is wrong.

The only room that knows data frames and the engine that reads files, polars, which is loaded on use.
"""

from __future__ import annotations

from clearbar.frames._files import MissingColumnError
from clearbar.frames._read import column_names, read_table

__all__ = ["MissingColumnError", "column_names", "read_table"]
