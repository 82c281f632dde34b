"""JSON-lines: records that the engine would misread without a word, or that would end it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate

from clearbar.core.errors import brief
from clearbar.data.tables._files import Source
from clearbar.data.tables._polars import pl

_ESCAPED_KEY = r'\\u[0-9a-fA-F]{4}[^"]*"\s*:'
"""A key with an escape may stand for any other."""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')

DEEPEST = 1_000
"""Lists and records within one another up to which a record is read; some engines overflow their stack."""


def refuse_records(source: Source, names: Iterable[str]) -> None:
    """Raise if a record gives one of these columns two values, or is nested too deep."""
    wanted = set(names)
    text = pl.col("text")
    written = {json.dumps(name, ensure_ascii=plain) for name in wanted for plain in (True, False)}
    repeated = [text.str.count_matches(key, literal=True) > 1 for key in written]
    nested = text.str.count_matches("[", literal=True) + text.str.count_matches("{", literal=True) > DEEPEST
    lines = pl.scan_csv(
        source.path,
        has_header=False,
        separator="\x01",
        quote_char=None,
        infer_schema=False,
        new_columns=["text"],
        glob=False,
    ).with_row_index("line", offset=1)
    try:
        suspects = lines.filter(pl.any_horizontal(*repeated, nested, text.str.contains(_ESCAPED_KEY)))
        rows = suspects.collect(engine="streaming").rows()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return  # whatever is wrong is told when the records are read
    for line, record in rows:
        if _depth(record) > DEEPEST:
            raise ValueError(
                f"{source.path} is not JSON-lines, one record per line: line {line:,} is nested more than "
                f"{DEEPEST:,} deep."
            )
        for key in _repeated(record):
            if key in wanted:
                where = f"line {line:,} of {source.path}"
                raise ValueError(f"{where} has the key {brief(key)!r} more than once; give it one value.")


def _depth(record: str) -> int:
    """Return how many lists and records stand within one another."""
    opened = [1 if sign in "[{" else -1 for sign in re.findall(r"[\[\]{}]", _STRING.sub("", record))]
    return max(accumulate(opened), default=0)


def _repeated(record: str) -> list[str]:
    """Return the keys that occur twice in a record, not in what it holds."""
    try:
        pairs = json.loads(record, object_pairs_hook=list)
    except (ValueError, RecursionError):  # the engine says what is wrong, or reads what is nested that deep
        return []
    counts = Counter(pair[0] for pair in pairs if isinstance(pair, tuple))
    return [key for key, times in counts.items() if times > 1]
