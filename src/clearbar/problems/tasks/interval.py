"""Where a mean over tasks truly lies: the items of each task are drawn anew, or whole clusters of them.

One less is drawn than there are, so that the variance is that of the task (Rao and Wu, J. Amer. Statist.
Assoc. 83, 1988), and the interval is bias-corrected and accelerated (Efron 1987).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.data.tasks import Task
from clearbar.problems._protocol import Tail
from clearbar.problems._tested import Resampled, Test
from clearbar.problems.bootstrap import CELLS, RESAMPLES, Bootstrap, acceleration, portions
from clearbar.problems.groups import FEWEST, Groups
from clearbar.problems.multiclass.resampled import ClassBootstrap

SEED = 20_261_122

BOOTSTRAPPED = "p_value is from bootstrap resamples of the items of each task, which is approximate"
GROUPED = "p_value is from resamples of whole clusters of items, which is approximate"
UNSEEN = "p_value supposes clusters of items that were not seen, all wrong or all right, which is approximate"


@dataclass(frozen=True, eq=False)
class LessSure:
    """Two tests of the same score, of which the one that tells less counts."""

    one: Test
    other: Test

    def tail(self, bar: float) -> Tail:
        """Return the larger p-value."""
        return max(self.one.tail(bar), self.other.tail(bar), key=lambda tail: tail.upper)

    def interval(self, level: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Return what one of them does not refute."""
        lows, highs = zip(*(test.interval(level, bounds) for test in (self.one, self.other)), strict=True)
        return min(lows), max(highs)


def resampled(
    tasks: Sequence[Task], model: int, slopes: Sequence[FloatArray], seed: int = 0
) -> Sequence[Test]:
    """Resample the shares of one model in tasks, for sums that take each share so many times.

    Clusters that are right nearly equally often hardly vary, however few there are. So nothing is surer than
    that none was seen of those that are all wrong, or all right.
    """
    right = [task.right[model] for task in tasks]
    units = [_units(task, own) for task, own in zip(tasks, right, strict=True)]
    grouped = np.array([task.clusters is not None for task in tasks])
    clusters = (sizes for (_, sizes), own in zip(units, grouped, strict=True) if own)
    number = min([RESAMPLES, *(sum(portions(len(sizes))) for sizes in clusters)])
    generator = np.random.default_rng(SEED + seed)
    drawn = np.stack([_drawn(hits, sizes, number, generator) for hits, sizes in units])
    unknown = few_clusters(tasks)
    bootstraps = [_bootstrap(units, drawn, slope, unknown) for slope in slopes]
    if not grouped.any():
        return [Resampled(own, BOOTSTRAPPED) for own in bootstraps]
    return [
        LessSure(Resampled(_unseen(own, units, slope * grouped), UNSEEN), Resampled(own, GROUPED))
        for own, slope in zip(bootstraps, slopes, strict=True)
    ]


def few_clusters(tasks: Sequence[Task]) -> str:
    """Say which task has too few clusters to draw anew; empty if none has."""
    for task in tasks:
        if task.clusters is not None and len(np.unique(task.clusters)) < FEWEST:
            return f"task {task.name!r} has fewer than {FEWEST} clusters"
    return ""


Units = tuple[IntArray, IntArray]
"""What is drawn anew in a task: the right items of each unit, and its items."""


def _units(task: Task, right: FloatArray) -> Units:
    if task.clusters is None:
        return np.asarray(right, dtype=np.int64), np.ones(len(right), dtype=np.int64)
    groups = Groups.of(task.clusters)
    return groups.sums(right).astype(np.int64), groups.sizes


def _drawn(hits: IntArray, sizes: IntArray, number: int, generator: np.random.Generator) -> FloatArray:
    """Return shares of resamples; of units of one item, by how many of them are right."""
    units = len(sizes)
    draws = max(units - 1, 1)
    if (sizes == 1).all():
        return np.asarray(generator.binomial(draws, hits.sum() / units, size=number) / draws)
    shares = np.empty(number)
    step = max(1, CELLS // units)
    for first in range(0, number, step):
        rows = min(step, number - first)
        weights = generator.multinomial(draws, np.full(units, 1 / units), size=rows)
        shares[first : first + rows] = (weights @ hits) / (weights @ sizes)
    return shares


def _without_one(hits: IntArray, sizes: IntArray) -> tuple[FloatArray, IntArray]:
    """Return the shares without one unit, and how many units leave each of them."""
    pairs, counts = np.unique(np.stack([hits, sizes]), axis=1, return_counts=True)
    left = np.maximum(sizes.sum() - pairs[1], 1)
    return (hits.sum() - pairs[0]) / left, counts


def _bootstrap(units: Sequence[Units], drawn: FloatArray, slope: FloatArray, unknown: str) -> ClassBootstrap:
    shares = np.array([hits.sum() / sizes.sum() for hits, sizes in units])
    score = float(slope @ shares)

    def left_out() -> Iterator[tuple[FloatArray, IntArray]]:
        for at, (hits, sizes) in enumerate(units):
            without, counts = _without_one(hits, sizes)
            yield score + slope[at] * (without - shares[at]), counts

    sizes = np.array([len(own) for _, own in units], dtype=np.float64)
    resampled = Bootstrap(score, slope @ drawn, acceleration(left_out()), int(sizes.sum()), _never)
    # Where all units are right equally often nothing varies: others, unseen, may be all wrong, or all right.
    alike = np.array([bool((hits * own[0] == hits[0] * own).all()) for hits, own in units])
    lost, gained = (np.where(alike, slope * part, 0.0) for part in (shares, 1 - shares))
    return ClassBootstrap(resampled, lost, gained, sizes, unknown)


def _unseen(own: ClassBootstrap, units: Sequence[Units], slope: FloatArray) -> ClassBootstrap:
    """Return what is known if nothing varies but by clusters that are all wrong, or all right."""
    shares = np.array([hits.sum() / sizes.sum() for hits, sizes in units])
    constant = replace(own.drawn, values=np.full_like(own.drawn.values, own.drawn.score))
    return replace(own, drawn=constant, lost=slope * shares, gained=slope * (1 - shares))


def _never() -> tuple[FloatArray, FloatArray]:
    """Shares that never vary are looked at one by one."""
    nothing = np.zeros(1)
    return nothing, nothing
