"""Comma-separated values that a spreadsheet shows and does not obey."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any

from clearbar.core.errors import visible

_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]")
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:e[+-]?\d+)?", re.IGNORECASE)
_OTHER_SEPARATORS = re.compile("(;)")
"""What parts cells where a spreadsheet takes no comma, whatever quotes stand in the middle of a line."""

_QUOTED = re.compile('[,;"]')


def comma_separated(heads: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a line of headings and a line per row; a number without a value is empty."""
    return "".join(f"{','.join(map(_shown, line))}\n" for line in (list(heads), *rows))


def _shown(value: Any) -> str:
    """Return a value as a spreadsheet shows it and does not obey it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, (bool, int, float)):
        return str(value)
    text = "".join(map(_harmless, _OTHER_SEPARATORS.split(visible(value))))
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _harmless(text: str) -> str:
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
