"""A bar in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clearbar.catalogue import Measure
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


def needs(measure: Measure) -> str:
    """Say what a measure needs to have a value, and a bar to be one."""
    condition = measure.domain if measure.requires is None else measure.requires & measure.domain
    texts = [part.text for part in condition.conjuncts]
    implied = {"P + k > 0": {"P > 0", "k > 0"}, "N + (M - k) > 0": {"N > 0", "k < M"}}
    texts = [text for text in texts if not implied.get(text, set()) & set(texts)]
    return f"{measure.label} needs {' and '.join(texts)}" if texts else f"{measure.label} is nan there"
