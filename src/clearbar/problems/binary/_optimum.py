"""An optimum over the number of predicted positives, with every draw that attains it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core._value import Value


@dataclass(frozen=True, eq=False)
class Optimum(Value):
    """The best (or worst) expected score of any draw.

    Attributes
    ----------
    value : float or ndarray
        The expected score; nan where no draw is admissible.
    predicted_positives : tuple of range, or ndarray of int64
        The complete set of optimal k as maximal, disjoint, ascending ranges, empty where `value` is
        nan. For an array of populations the smallest optimal k of each, -1 where there is none.
    total : int or ndarray
        Number of samples M.
    certified : bool or ndarray
        Whether no other draw can be better: proved from the measure's shape, or all k were tried.
    """

    value: float | FloatArray
    predicted_positives: tuple[range, ...] | IntArray
    total: Any
    certified: bool | Any = True

    def __post_init__(self) -> None:
        for name in ("value", "predicted_positives", "total", "certified"):
            array = getattr(self, name)
            if isinstance(array, np.ndarray):
                array = array.view()
                array.flags.writeable = False
                object.__setattr__(self, name, array)

    @property
    def theta_star(self) -> tuple[tuple[float, float], ...]:
        """The optimal shares k / M as closed (low, high) pairs."""
        return tuple((r.start / self.total, (r.stop - 1) / self.total) for r in self._ranges)

    @property
    def theta(self) -> tuple[tuple[float, float], ...]:
        """The shares that round to an optimal k.

        Intervals ``[low, high)`` cut to [0, 1]; the right end belongs to it only where it is 1.
        """
        halves = ((r.start - 0.5, r.stop - 0.5) for r in self._ranges)
        return tuple((max(low / self.total, 0.0), min(high / self.total, 1.0)) for low, high in halves)

    @property
    def smallest(self) -> int | IntArray:
        """The smallest optimal k, -1 where there is none."""
        if isinstance(self.predicted_positives, tuple):
            return self.predicted_positives[0].start if self.predicted_positives else -1
        return self.predicted_positives

    @property
    def _ranges(self) -> Any:
        if isinstance(self.predicted_positives, tuple):
            return self.predicted_positives
        msg = "an array of populations keeps only the smallest optimal k of each; index the baseline first."
        raise ValueError(msg)


def merged(ranges: Iterable[range]) -> tuple[range, ...]:
    """Return ranges as maximal, disjoint, ascending ones."""
    joined: list[range] = []
    for part in sorted((r for r in ranges if len(r)), key=lambda r: r.start):
        if joined and part.start <= joined[-1].stop:
            joined[-1] = range(joined[-1].start, max(joined[-1].stop, part.stop))
        else:
            joined.append(part)
    return tuple(joined)


def runs(numbers: IntArray) -> tuple[range, ...]:
    """Return ascending distinct integers as ranges."""
    if not numbers.size:
        return ()
    breaks = np.flatnonzero(np.diff(numbers) != 1)
    first = numbers[np.concatenate(([0], breaks + 1))]
    last = numbers[np.concatenate((breaks, [len(numbers) - 1]))]
    return tuple(range(int(a), int(b) + 1) for a, b in zip(first, last, strict=True))
