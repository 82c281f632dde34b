"""What a page is asked to say, checked before the work."""

from __future__ import annotations

import datetime as dt
import math
import numbers
from collections.abc import Mapping
from typing import Any

from clearbar.core.errors import ArgumentError, shown


def refuse_other_words(**words: Any) -> None:
    """Raise if what the page shall say is no text."""
    for name, given in words.items():
        if not isinstance(given, str):
            raise ArgumentError(name, f" must be text; found {shown(given)}.")


def refuse_other_date(date: Any) -> None:
    """Raise if a date is neither one nor text."""
    if not isinstance(date, (str, dt.date)):
        raise ArgumentError("date", f" must be text or a datetime.date; found {shown(date)}.")


def refuse_other_thresholds(threshold: Any) -> None:
    """Raise if a threshold is no number, or one of several is none."""
    if threshold is None:
        return
    values = threshold.values() if isinstance(threshold, Mapping) else (threshold,)
    for value in values:
        number = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not number or math.isnan(value):
            raise ArgumentError(
                "threshold", f" must be a number, or one for each model by its name; found {shown(value)}."
            )
