"""A bar in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from clearbar.catalogue import Measure
from clearbar.core.errors import listed
from clearbar.formatting import number

if TYPE_CHECKING:
    from clearbar.problems.binary._baseline import Baseline


def bar_in_words(bar: Baseline) -> str:
    """Say what the bar is and which draw attains it."""
    label = bar.measure.label
    if math.isnan(float(bar.value)):
        return f"{label} has no bar: {bar.reason}"
    found = f"{label} bar {number(float(bar.value), int(bar.population.total))}: {bar.recipe}"
    return found if bar.certified else f"{found} (searched, not certified)"


def needs(measure: Measure) -> str:
    """Say what a measure needs to have a value, and a bar to be one."""
    condition = measure.domain if measure.requires is None else measure.requires & measure.domain
    texts = [part.text for part in condition.conjuncts]
    implied = {"P + k > 0": {"P > 0", "k > 0"}, "N + (M - k) > 0": {"N > 0", "k < M"}}
    texts = [text for text in texts if not implied.get(text, set()) & set(texts)]
    return f"{measure.label} needs {' and '.join(texts)}" if texts else f"{measure.label} is nan there"


def recipe(bar: Baseline) -> str:
    """Say which predictions attain the bar."""
    total = int(bar.population.total)
    ranges = _ranges(bar)
    if len(ranges) == 1:
        return _one_range(int(ranges[0].start), int(ranges[0].stop) - 1, total)
    parts = [f"{r.start:,}" if len(r) == 1 else f"{r.start:,} to {r.stop - 1:,}" for r in ranges]
    return f"predict {listed(parts, last='or', most=6)} of {total:,} positive at random"


def is_certain(bar: Baseline) -> bool:
    """Whether the draws that attain the bar score the same every time."""
    ends = {0, int(bar.population.total)}
    return all(len(part) == 1 and int(part.start) in ends for part in _ranges(bar))


def _ranges(bar: Baseline) -> list[range]:
    return [] if bar.best is None else list(bar.best.predicted_positives)


def _one_range(first: int, last: int, total: int) -> str:
    if first == last:
        fixed = {0: "none positive", total: f"all {total:,} positive"}
        return f"predict {fixed.get(first, f'{first:,} of {total:,} positive at random')}"
    words = {
        (0, total): "any number of positives",
        (1, total): "any number of positives, at least one",
        (0, total - 1): "any number of positives, but not all",
        (1, total - 1): "any number of positives, at least one and not all",
    }
    found = words.get((first, last))
    return f"predict {found or f'{first:,} to {last:,} of {total:,} positive at random'}"
