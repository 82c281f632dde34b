"""What must be known of M and P to draw optimally, or to state the bar.

A draw that scores best need not know the class sizes. "Predict everything positive" is optimal for
F1 in every population; for accuracy it is optimal wherever P exceeds M/2; a single predicted positive
is where the Fowlkes-Mallows index is smallest, and turning that into a share takes M (Pries et al.,
The optimal input-independent baseline for binary classification, Statistica Neerlandica 2023,
section 6, asks this question).

Nothing is listed by name. What is looked at is the complete set of optimal draws that `baseline`
finds from the measure's facts (shape, domain, requirements, constant), in populations from very
unbalanced to balanced, small and larger:

* if some share θ is optimal in all of them, **nothing** need be known;
* if some share is optimal in all that agree on whether P is smaller than, equal to or larger than N,
  it is enough to know **which class is larger**;
* if some k is optimal in all that agree on M, the **number of samples** is enough;
* otherwise the **sizes** of both classes must be known.

That something is *not* enough is then proved by example. That it is enough holds in every population
looked at, and follows for all others where the measure declares its shape: a constant or monotone
expectation is best at an end of the admissible draws, and the ends are the same function of k and M
in all populations.

Populations with one class only are left aside: there most measures have no value, and which one it is
would be the knowledge in question. So are those where the measure has no bar.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Iterable
from typing import Literal

from clearbar.catalogue import Measure, get_measure
from clearbar.core._typing import Undefined
from clearbar.core.counts import Population
from clearbar.distributions.null import predicted_from_theta
from clearbar.problems.binary._baseline import Baseline, baseline
from clearbar.problems.binary._optimum import Optimum

Knowledge = Literal["nothing", "which class is larger", "number of samples", "sizes"]
Comparison = Literal["<", "=", ">"]
"""How the number of positives compares with the number of negatives."""

_Interval = tuple[float, float]
"""Shares [low, high); the right end belongs to it only where it is 1."""

EVERY_TOTAL = 8
"""Samples up to which every population is looked at."""

LARGER = ((30, (1, 7, 15, 22, 29)), (61, (1, 2, 12, 30, 31, 49, 59, 60)))
"""Larger populations: total, and the numbers of positives."""

PROBES = (1, 2, 3)
"""At the M in question, the optimum is compared for P from both ends, thirds and halves."""


def needed_knowledge(
    measure: str | Measure,
    *,
    of: Literal["draw", "bar"] = "draw",
    largest: bool | None = None,
    undefined: Undefined = "exclude",
) -> Knowledge:
    """Return what must be known to draw optimally, or to say what the bar is."""
    found = get_measure(measure, "binary")
    if of not in {"draw", "bar"}:
        msg = f"of must be 'draw' or 'bar'; found {of!r}."
        raise ValueError(msg)
    return _needed(found, of, largest=_side(found, largest=largest), undefined=undefined)


def draw_without_sizes(
    measure: str | Measure,
    total: int,
    *,
    largest: bool | None = None,
    total_known: bool = True,
    positives_against_negatives: Comparison | None = None,
    undefined: Undefined = "exclude",
) -> int:
    """Return how many of these samples to predict positive, by a rule that does not look at P.

    The number of predicted positives, optimal in every population that fits what is known.
    """
    found = get_measure(measure, "binary")
    side = _side(found, largest=largest)
    need = _needed(found, "draw", largest=side, undefined=undefined)
    comparison = "" if need == "nothing" else positives_against_negatives
    if need == "nothing" or (need == "which class is larger" and comparison is not None):
        shares = _shares(found, str(comparison), largest=side, undefined=undefined)
        return predicted_from_theta(total, _preferred(shares))
    if need == "number of samples":
        several = _same_total(total) if total_known and total > 1 else _populations()
        number = _common_number(_bars(found, several, undefined), largest=side)
        if number is not None:
            return min(number, total)
    raise ValueError(_refusal(found, need, largest=side))


def _refusal(measure: Measure, need: Knowledge, *, largest: bool) -> str:
    end = "largest" if largest else "smallest"
    return f"the draw with the {end} expected {measure.name} depends on {in_words(need)}, which is not known"


def in_words(need: Knowledge) -> str:
    """Say what must be known, as in "depends on ..."."""
    words = {"number of samples": "the number of samples", "sizes": "the sizes of both classes"}
    return words.get(need, need)


def _side(measure: Measure, *, largest: bool | None) -> bool:
    return measure.greater_is_better is not False if largest is None else largest


@functools.lru_cache(maxsize=256)
def _needed(measure: Measure, of: str, *, largest: bool, undefined: Undefined) -> Knowledge:
    bars = _bars(measure, _populations(), undefined)
    if not bars:
        msg = f"{measure.name} has no bar: at every draw some outcome has no value."
        raise ValueError(msg)
    enough = _share_is_common if of == "draw" else _value_is_common
    groups: tuple[tuple[Knowledge, Callable[[Population], Hashable]], ...] = (
        ("nothing", lambda _: ""),
        ("which class is larger", _comparison),
        ("number of samples", lambda population: int(population.total)),
    )
    for need, key in groups:
        if all(enough(group, largest=largest) for group in _grouped(bars, key)):
            return need
    return "sizes"


def _populations() -> tuple[Population, ...]:
    small = [(m, p) for m in range(2, EVERY_TOTAL + 1) for p in range(1, m)]
    larger = [(m, p) for m, several in LARGER for p in several]
    return tuple(Population(m, p) for m, p in small + larger)


def _same_total(total: int) -> tuple[Population, ...]:
    ends = [p for k in PROBES for p in (k, total - k, total // k, total - total // k)]
    return tuple(Population(total, p) for p in sorted({p for p in ends if 0 < p < total}))


@functools.lru_cache(maxsize=256)
def _bars(
    measure: Measure, populations: tuple[Population, ...], undefined: Undefined
) -> tuple[Baseline, ...]:
    bars = (baseline(population, measure, undefined=undefined) for population in populations)
    return tuple(bar for bar in bars if not math.isnan(float(bar.max.value)))


def _comparison(population: Population) -> Comparison:
    p, n = int(population.positives), int(population.negatives)
    return "<" if p < n else ">" if p > n else "="


def _grouped(
    bars: Iterable[Baseline], key: Callable[[Population], Hashable]
) -> Iterable[tuple[Baseline, ...]]:
    groups: dict[Hashable, list[Baseline]] = {}
    for bar in bars:
        groups.setdefault(key(bar.population), []).append(bar)
    return map(tuple, groups.values())


def _side_of(bar: Baseline, *, largest: bool) -> Optimum:
    return bar.max if largest else bar.min


def _value_is_common(bars: tuple[Baseline, ...], *, largest: bool) -> bool:
    values = [float(_side_of(bar, largest=largest).value) for bar in bars]
    return all(math.isclose(value, values[0], rel_tol=1e-12, abs_tol=1e-12) for value in values)


def _share_is_common(bars: tuple[Baseline, ...], *, largest: bool) -> bool:
    return bool(_common(_side_of(bar, largest=largest).theta for bar in bars))


@functools.lru_cache(maxsize=256)
def _shares(
    measure: Measure, comparison: str, *, largest: bool, undefined: Undefined
) -> tuple[_Interval, ...]:
    bars = _bars(measure, _populations(), undefined)
    fitting = [bar for bar in bars if not comparison or _comparison(bar.population) == comparison]
    return _common(_side_of(bar, largest=largest).theta for bar in fitting)


def _common_number(bars: tuple[Baseline, ...], *, largest: bool) -> int | None:
    """Return the smallest k that is optimal in all these populations."""
    optima = (_side_of(bar, largest=largest) for bar in bars)
    sets = [{k for part in optimum.predicted_positives for k in part} for optimum in optima]
    return min(set.intersection(*sets), default=None)


def _common(several: Iterable[tuple[_Interval, ...]]) -> tuple[_Interval, ...]:
    """Return the shares that are in all of several unions of intervals."""
    common: tuple[_Interval, ...] = ((0.0, 1.0),)
    for intervals in several:
        pairs = ((max(a, c), min(b, d)) for a, b in common for c, d in intervals)
        common = tuple((low, high) for low, high in pairs if low < high)
    return common


def _preferred(intervals: tuple[_Interval, ...]) -> float:
    """Return the plainest of the optimal shares: nothing, everything, one half, or a middle."""
    for share in (0.0, 1.0, 0.5):
        if any(low <= share < high or share == high == 1.0 for low, high in intervals):
            return share
    low, high = intervals[0] if intervals else (0.0, 1.0)
    return (low + high) / 2
