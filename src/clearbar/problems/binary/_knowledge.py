"""What must be known of M and P to draw optimally (Pries et al., Statistica Neerlandica 2023, section 6).

"Predict everything positive" is optimal for F1 in every population, for accuracy wherever P exceeds M/2.
Nothing is listed by name: compared are the complete sets of optimal draws in populations of both classes,
from very unbalanced to balanced. That something is not enough is thereby proved by example; that it is
enough holds in all of them, and follows for the others where the measure declares its shape: the best is
then at an end of the admissible draws, and the ends are the same function of k and M in all populations.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Iterable
from typing import Literal

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import Undefined
from clearbar.core.counts import Population
from clearbar.null import predicted_from_theta
from clearbar.problems.binary._baseline import baseline
from clearbar.problems.binary._search import Optimum

Knowledge = Literal["nothing", "which class is larger", "number of samples", "sizes"]
Comparison = Literal["<", "=", ">"]  # how the number of positives compares with the number of negatives

# Intervals [low, high) of shares; the right end belongs to one only where it is 1.
Shares = tuple[tuple[float, float], ...]

Sizes = tuple[tuple[int, int], ...]

# The populations that are looked at: M and P.
POPULATIONS: Sizes = (
    *((m, p) for m in range(2, 9) for p in range(1, m)),
    *((30, p) for p in (1, 7, 15, 22, 29)),
    *((61, p) for p in (1, 2, 12, 30, 31, 49, 59, 60)),
)


def needed_knowledge(
    measure: str | Measure, *, largest: bool | None = None, undefined: Undefined = "exclude"
) -> Knowledge:
    """Return what must be known to draw with the largest or smallest expectation, by default the bar's."""
    entry = get_measure(measure)
    return _needed(entry, largest=_side(entry, largest=largest), undefined=undefined)


def draw_without_sizes(
    measure: str | Measure,
    total: int,
    *,
    largest: bool | None = None,
    total_known: bool = True,
    positives_against_negatives: Comparison | None = None,
    undefined: Undefined = "exclude",
) -> int:
    """Return how many samples to predict positive, optimal in every population that fits what is known."""
    entry = get_measure(measure)
    side = _side(entry, largest=largest)
    need = _needed(entry, largest=side, undefined=undefined)
    if need == "nothing" or (need == "which class is larger" and positives_against_negatives is not None):
        bars = _optima(entry, POPULATIONS, undefined, largest=side)
        alike = [
            bar
            for sizes, bar in bars.items()
            if need == "nothing" or _comparison(*sizes) == positives_against_negatives
        ]
        return predicted_from_theta(total, _preferred(_common(alike)))
    if need == "number of samples":
        sizes = POPULATIONS
        if total_known and total > 1:  # populations of M samples, with P from both ends, thirds and halves
            ends = {p for k in (1, 2, 3) for p in (k, total - k, total // k, total - total // k)}
            sizes = tuple((total, p) for p in sorted(ends) if 0 < p < total)
        bars = _optima(entry, sizes, undefined, largest=side)
        optimal = [{k for draws in bar.predicted_positives for k in draws} for bar in bars.values()]
        if common := set.intersection(*optimal):
            return min(*common, total)
    end = "largest" if side else "smallest"
    msg = f"the draw with the {end} expected {entry.name} depends on {in_words(need)}, which is not known."
    raise ValueError(msg)


def in_words(need: Knowledge) -> str:
    """Say what must be known, as in "depends on ..."."""
    words = {"number of samples": "the number of samples", "sizes": "the sizes of both classes"}
    return words.get(need, need)


def _side(measure: Measure, *, largest: bool | None) -> bool:
    return measure.greater_is_better is not False if largest is None else largest


def _comparison(total: int, positives: int) -> Comparison:
    negatives = total - positives
    return "<" if positives < negatives else ">" if positives > negatives else "="


# What populations have in common whose optimal draws must agree, for so much to be enough.
ALIKE: dict[Knowledge, Callable[[int, int], Hashable]] = {
    "nothing": lambda _total, _positives: "",
    "which class is larger": _comparison,
    "number of samples": lambda total, _positives: total,
}


@functools.lru_cache(maxsize=256)
def _needed(measure: Measure, *, largest: bool, undefined: Undefined) -> Knowledge:
    bars = _optima(measure, POPULATIONS, undefined, largest=largest)
    if not bars:
        raise ValueError(f"{measure.name} has no bar: at every draw some outcome has no value.")
    for need, key in ALIKE.items():
        groups: dict[Hashable, list[Optimum]] = {}
        for sizes, bar in bars.items():
            groups.setdefault(key(*sizes), []).append(bar)
        if all(map(_common, groups.values())):
            return need
    return "sizes"


@functools.lru_cache(maxsize=256)
def _optima(
    measure: Measure, sizes: Sizes, undefined: Undefined, *, largest: bool
) -> dict[tuple[int, int], Optimum]:
    """Return the optimum at each (M, P) that has one."""
    bars = {size: baseline(Population(*size), measure, undefined=undefined) for size in sizes}
    sides = {size: bar.max if largest else bar.min for size, bar in bars.items()}
    return {size: side for size, side in sides.items() if not math.isnan(float(side.value))}


def _common(bars: Iterable[Optimum]) -> Shares:
    """Return the shares that are optimal in all of several populations."""
    common: Shares = ((0.0, 1.0),)
    for bar in bars:
        pairs = ((max(a, c), min(b, d)) for a, b in common for c, d in bar.theta)
        common = tuple((low, high) for low, high in pairs if low < high)
    return common


def _preferred(intervals: Shares) -> float:
    """Return the plainest of the optimal shares: nothing, everything, one half, or a middle."""
    for share in (0.0, 1.0, 0.5):
        if any(low <= share < high or share == high == 1.0 for low, high in intervals):
            return share
    low, high = intervals[0] if intervals else (0.0, 1.0)
    return (low + high) / 2
