"""Comma-separated values that a spreadsheet shows and does not obey."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from clearbar.core.errors import visible

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?", re.IGNORECASE)


def comma_separated(heads: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a line of headings and a line per row; a number without a value is empty."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([_shown(value) for value in line] for line in (list(heads), *rows))
    return file.getvalue()


def _shown(value: Any) -> Any:
    """Return a value as a spreadsheet shows it and does not obey it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (bool, int, float)):
        return value
    text = visible(value)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
