"""What two models answer on the same samples: one multinomial per true class, and the scores that follow.

A cell is a true class with both answers. A score depends on a few features, which are sums over cells: for
two classes its true and false positives, for more how often each class is named, and named rightly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.inference.likeliest import Strata

STEP = 1e-4
"""Part of a feature, or of what it lacks to its largest value, by which it is moved to find a slope."""


class Contrast(NamedTuple):
    """A difference of two scores, and by how much it changes with the share of each cell; rows of both."""

    difference: FloatArray
    slope: FloatArray


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells in the order of their classes, and what a sample in them adds to the features of either model."""

    stratum: IntArray  # the class of each cell, 0, 1, … without gaps
    sizes: FloatArray  # samples of each class
    first: FloatArray  # of shape (cells, features)
    second: FloatArray
    raises: FloatArray  # what is added to each cell where shares are estimated
    value_of: Callable[[FloatArray], FloatArray]  # scores of features, the last axis; nan where there is none

    @cached_property
    def strata(self) -> Strata:
        """The class of each cell, and the first cell of each class."""
        return Strata(self.stratum, np.searchsorted(self.stratum, np.arange(len(self.sizes))))

    @cached_property
    def units(self) -> FloatArray:
        """The class size of each cell."""
        return self.sizes[self.stratum]

    @cached_property
    def most(self) -> FloatArray:
        """The largest value of each feature."""
        largest = np.maximum(
            *(np.maximum.reduceat(side, self.strata.starts) for side in (self.first, self.second))
        )
        return np.asarray(self.sizes @ largest)

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up within each class, the last axis."""
        return self.strata.sums(values)

    def shares(self, counts: Any, raised: float) -> tuple[FloatArray, FloatArray]:
        """Return the shares of cells raised so many times, and the totals of their classes."""
        cells = counts + raised * self.raises
        totals = self.sums(cells)
        return cells / totals[..., self.stratum], totals

    def scores(self, counts: Any) -> tuple[FloatArray, FloatArray]:
        """Return the scores of both models."""
        return self.value_of(counts @ self.first), self.value_of(counts @ self.second)

    def contrast(self, shares: FloatArray) -> Contrast:
        """Return difference and slopes at shares of every class, by central differences."""
        here = np.stack([shares * self.units @ side for side in (self.first, self.second)])
        values, slopes = self.value_of(here), np.zeros_like(here)
        steps = STEP * np.minimum(here, self.most - here)
        for feature in range(here.shape[-1]):
            step = np.maximum(steps[..., feature], 0.0)
            up, down = here.copy(), here.copy()
            up[..., feature] += step
            down[..., feature] -= step
            width = up[..., feature] - down[..., feature]  # as rounded, not as meant
            rise = self.value_of(up) - self.value_of(down)
            slopes[..., feature] = np.divide(rise, width, out=np.zeros_like(rise), where=width > 0)
        slope = (slopes[0] @ self.first.T - slopes[1] @ self.second.T) * self.units
        return Contrast(values[0] - values[1], slope)

    def difference(self, counts: Any) -> tuple[FloatArray, FloatArray]:
        """Return differences of scores, and their standard errors by the delta method at raised counts."""
        one, other = self.scores(counts)
        shares, totals = self.shares(counts, 1.0)
        spread = self.sums(shares * self._around(shares) ** 2) / totals
        return one - other, np.sqrt(spread.sum(axis=-1))

    def carried_by(self, counts: Any) -> FloatArray:
        """Return (Σ d²)² / Σ d⁴ of the influences d of samples, raised ones among them.

        All samples if all count alike, one if one decides.
        """
        shares, totals = self.shares(counts, 1.0)
        per_sample = self._around(shares) / totals[..., self.stratum]
        number, squares = shares * totals[..., self.stratum], per_sample**2
        second, fourth = (number * squares).sum(axis=-1), (number * squares**2).sum(axis=-1)
        return np.asarray(np.divide(second**2, fourth, out=np.zeros_like(second), where=fourth > 0))

    def _around(self, shares: FloatArray) -> FloatArray:
        """Return slopes less their mean in each class: nothing cancels where all have nearly the same one."""
        slope = self.contrast(shares).slope
        return np.asarray(slope - self.sums(shares * slope)[..., self.stratum])

    def drawn(self, shares: FloatArray, rows: int, generator: np.random.Generator) -> IntArray:
        """Draw so many tables, every class at its size."""
        parts = np.split(shares, self.strata.starts[1:])
        return np.concatenate(
            [
                generator.multinomial(int(size), own / own.sum(), size=rows)
                for size, own in zip(self.sizes.tolist(), parts, strict=True)
            ],
            axis=1,
        )
