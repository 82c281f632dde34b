"""Files whose columns have types of their own: Parquet and JSON-lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from clearbar.core.errors import brief
from clearbar.data.tables._files import Source

_ESCAPED_KEY = r'\\u[0-9a-fA-F]{4}[^"]*"\s*:'


def scan_typed(source: Source, *, whole: bool = True) -> Any:
    """Return a lazy frame of a file whose columns have types of their own."""
    import polars as pl

    if source.kind == "json":
        return pl.scan_ndjson(source.path, infer_schema_length=None if whole else 100)
    return pl.scan_parquet(source.path, glob="://" in source.path)


def refuse_repeated_keys(source: Source, names: Iterable[str]) -> None:
    """Raise if a record of JSON-lines gives one of some columns two values: the engine would keep one."""
    import polars as pl

    wanted = set(names)
    line = pl.col("line")
    written = {json.dumps(name, ensure_ascii=plain) for name in wanted for plain in (True, False)}
    repeated = [line.str.count_matches(key, literal=True) > 1 for key in written]
    escaped = line.str.contains(_ESCAPED_KEY)  # may stand for any key
    suspects = _lines_of(source).filter(pl.any_horizontal(*repeated, escaped))
    try:
        rows = suspects.collect(engine="streaming")
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return  # whatever is wrong is told when the records are read
    for at, text in rows.iter_rows():
        twice = _repeated(text, wanted)
        if twice:
            where = f"line {at + 1:,} of {source.path}"
            raise ValueError(f"{where} has the key {brief(twice)!r} more than once; give it one value.")


def _lines_of(source: Source) -> Any:
    """Return a lazy frame of a file's lines and their positions."""
    import polars as pl

    return pl.scan_csv(
        source.path,
        has_header=False,
        separator="\x01",
        quote_char=None,
        infer_schema=False,
        new_columns=["line"],
        glob=False,
    ).with_row_index("at")


def _repeated(text: str, wanted: set[str]) -> str | None:
    """Return a key that occurs twice in a record, if it is one of those wanted."""
    try:
        pairs = json.loads(text, object_pairs_hook=list)
    except ValueError:
        return None
    counts = Counter(pair[0] for pair in pairs if isinstance(pair, tuple))
    return next((key for key, times in counts.items() if times > 1 and key in wanted), None)


def damaged(source: Source, error: BaseException) -> str:
    """Return what is wrong with a file that the engine cannot read."""
    reason = str(error).partition("\n")[0].rstrip(". ")
    what = {"csv": "cannot be read as CSV", "json": "is not JSON-lines, one record per line"}
    sentence = what.get(source.kind, "is a damaged or truncated Parquet file")
    return f"{source.path} {sentence} ({reason})."


def schema_of(source: Source, lazy: Any) -> Any:
    """Return the names and types of a file's columns, or say that the file is damaged."""
    import polars as pl

    try:
        return lazy.collect_schema()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise ValueError(damaged(source, error)) from None
