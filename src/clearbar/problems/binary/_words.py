"""A bar in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clearbar.formatting import number

if TYPE_CHECKING:
    from clearbar.problems.binary._baseline import Baseline


def bar_in_words(bar: Baseline) -> str:
    """Say what the bar is and which draw attains it."""
    label = bar.measure.label
    if math.isnan(float(bar.value)):
        return f"{label} has no bar: {bar.reason}"
    found = f"{label} bar {number(float(bar.value), int(bar.population.total))}: {bar.attained_by}"
    return found if bar.certified else f"{found} (searched, not certified)"
