"""What a page is asked to say besides its verdicts, checked before the work."""

from __future__ import annotations

import datetime as dt
import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clearbar.core.errors import ArgumentError, shown

Threshold = float | Mapping[str, float] | None
"""What made labels of probabilities, for all models or for each."""


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What may be said of a page besides its verdicts; wrong ones are refused."""

    title: str = ""
    subtitle: str = ""
    data: str = ""  # the name of the data
    date: str | dt.date = ""  # of the data
    threshold: Threshold = None
    call: str = ""
    pictures: bool = True

    def __post_init__(self) -> None:
        """Check them."""
        for name in ("title", "subtitle", "data", "call"):
            if not isinstance(getattr(self, name), str):
                raise ArgumentError(name, f" must be text; found {shown(getattr(self, name))}.")
        if not isinstance(self.date, (str, dt.date)):
            raise ArgumentError("date", f" must be text or a datetime.date; found {shown(self.date)}.")
        if self.threshold is not None:
            several = isinstance(self.threshold, Mapping)
            values: Any = self.threshold
            for value in values.values() if several else (values,):
                _refuse_no_number(value)


def _refuse_no_number(threshold: Any) -> None:
    number = isinstance(threshold, numbers.Real) and not isinstance(threshold, bool)
    if not number or math.isnan(threshold):
        raise ArgumentError(
            "threshold", f" must be a number, or one for each model by its name; found {shown(threshold)}."
        )
