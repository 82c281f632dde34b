"""Two models' answers on the same samples, one multinomial per true class, and their likeliest shares.

A cell is a true class with both answers. A score depends on a few features, which are sums over cells: for
two classes its true and false positives, for more how often each class is named, and named rightly.

Of several independent multinomials sum n log p is largest, where p adds up to 1 in each and slope @ p is a
target, at p = n / (mu + lambda slope) (Lagrange), mu one number per multinomial. Where a function of shares
is not linear its slope is found again where that leads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clearbar.core._typing import BoolArray, FloatArray, IntArray

NEWTON, HALVINGS = 60, 40

ROUNDS, RETURNS, BACKTRACKS = 40, 20, 20
# How near the function comes to the value that is asked about, and how much likelier shares may yet be.
CLOSE, SETTLED = 1e-8, 1e-6
RAISED = 0.5  # part of what counts are raised by for a standard error: here a quarter of a sample each

DUAL_GAP = 1e-16  # by how much the dual may yet fall
KEPT_FROM_LIMIT = 0.05  # part of the way that is kept from the largest change that a slope allows


class Strata(NamedTuple):
    """Which multinomial each cell is of, 0, 1, … without gaps; and the first cell of each."""

    of_cell: IntArray
    starts: IntArray

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up within each, the last axis."""
        return np.add.reduceat(values, self.starts, axis=-1)


def likeliest(
    strata: Strata, counts: FloatArray, shares: FloatArray, slope: FloatArray, change: FloatArray
) -> FloatArray:
    """Return for rows of counts the likeliest shares that make the change from some shares, or most of it."""
    with np.errstate(invalid="ignore"):
        centred = slope - strata.sums(shares * slope)[:, strata.of_cell]
        lowest, highest = (
            of.reduceat(centred, strata.starts, axis=-1).sum(axis=-1) for of in (np.minimum, np.maximum)
        )
        target = np.clip(change, (1 - KEPT_FROM_LIMIT) * lowest, (1 - KEPT_FROM_LIMIT) * highest)
    scale = np.maximum(np.abs(centred).max(axis=-1), 1e-300)  # so that lambda is of the size of counts
    fitted = _on_slope(strata, counts, centred / scale[:, None], target / scale)
    return np.asarray(fitted / strata.sums(fitted)[:, strata.of_cell])  # 1 in each but for rounding


def _on_slope(strata: Strata, counts: FloatArray, slope: FloatArray, target: FloatArray) -> FloatArray:
    """Maximise by Newton's steps on the dual, sum mu + lambda target - sum n log(mu + lambda slope)."""
    # It is convex in mu and lambda.
    weight = strata.sums(counts)[:, strata.of_cell]  # mu + lambda slope
    for _ in range(NEWTON):
        shares = counts / weight
        square = shares / weight
        of_mu, of_lambda = 1 - strata.sums(shares), target - (slope * shares).sum(axis=-1)
        mu_mu, mu_lambda = strata.sums(square), strata.sums(slope * square)
        lambda_lambda = (slope**2 * square).sum(axis=-1)
        # The block of mu is diagonal: what is left of lambda when it is eliminated is one number.
        left = lambda_lambda - (mu_lambda**2 / mu_mu).sum(axis=-1)
        rest = of_lambda - (mu_lambda * of_mu / mu_mu).sum(axis=-1)
        by_lambda = -np.divide(rest, left, out=np.zeros_like(rest), where=left > 1e-14 * lambda_lambda)
        by_mu = -(of_mu + mu_lambda * by_lambda[:, None]) / mu_mu
        change = by_mu[:, strata.of_cell] + slope * by_lambda[:, None]
        falls = -((by_mu * of_mu).sum(axis=-1) + by_lambda * of_lambda)
        if not (falls > DUAL_GAP).any():
            return np.asarray(shares)
        linear = by_mu.sum(axis=-1) + by_lambda * target
        weight = weight + _step(counts, change / weight, linear, falls)[:, None] * change
    return np.asarray(counts / weight)


def _step(counts: FloatArray, ratio: FloatArray, linear: FloatArray, falls: FloatArray) -> FloatArray:
    """Return how much of a step keeps weights above 0 and makes the dual fall."""
    step = np.minimum(1.0, 0.95 / np.maximum(-ratio.min(axis=-1), 1e-300))
    for _ in range(HALVINGS):
        rise = step * linear - (counts * np.log1p(step[:, None] * ratio)).sum(axis=-1)
        high = rise > -0.1 * step * falls + 1e-12 * counts.sum(axis=-1)
        if not high.any():
            break
        step = np.where(high, step / 2, step)
    return np.asarray(step)


class Function(NamedTuple):
    """A function of shares, the last axis, and its slope in each of them: of rows of both."""

    value: Callable[[FloatArray], FloatArray]
    slope: Callable[[FloatArray], FloatArray]


def put_back(
    strata: Strata, units: FloatArray, shares: FloatArray, function: Function, values: FloatArray
) -> FloatArray:
    """Return the shares nearest to these, or nearly so, at which the function has the values."""
    shares = shares.copy()
    for _ in range(RETURNS):
        off = np.flatnonzero(~(np.abs(function.value(shares) - values) <= CLOSE))
        if not len(off):
            break
        there = shares[off]
        gap = function.value(there) - values[off]
        shares[off] = likeliest(strata, units[off] * there, there, function.slope(there), -gap)
    return shares


def constrained(
    strata: Strata, counts: FloatArray, shares: FloatArray, function: Function, values: FloatArray
) -> tuple[FloatArray, BoolArray]:
    """Return for rows of counts the likeliest shares at which the function has the values; and if any are."""
    # From shares at which it has them one goes towards those that would be likeliest if the slope stayed as
    # it is, as far as shares grow likelier when put back to where the function has the value: whole steps may
    # swing to and fro.
    units = strata.sums(counts)[:, strata.of_cell]
    shares, left = put_back(strata, units, shares, function, values), np.arange(len(values))
    for _ in range(ROUNDS):
        now, seen, targets = shares[left], counts[left], values[left]
        gap = function.value(now) - targets
        new = likeliest(strata, seen, now, function.slope(now), -gap)
        here, step, best = _log_likelihood(seen, now), np.ones(len(left)), now.copy()
        falls = np.ones(len(left), dtype=bool)
        for _ in range(BACKTRACKS):
            tried = np.flatnonzero(falls)
            moved = now[tried] + step[tried, None] * (new[tried] - now[tried])
            best[tried] = put_back(strata, units[left[tried]], moved, function, targets[tried])
            falls[tried] = ~(_log_likelihood(seen[tried], best[tried]) >= here[tried])
            if not falls.any():
                break
            step[falls] /= 2
        best[falls] = now[falls]
        shares[left] = best
        left = left[_log_likelihood(seen, best) > here + SETTLED]
        if not len(left):
            break
    return shares, np.abs(function.value(shares) - values) <= 10 * CLOSE


def _log_likelihood(counts: FloatArray, shares: FloatArray) -> FloatArray:
    return np.asarray((counts * np.log(shares)).sum(axis=-1))


# Part of a feature, or of what it lacks to its largest value, by which it is moved to find a slope.
STEP = 1e-4


class Contrast(NamedTuple):
    """A difference of two scores, and by how much it changes with the share of each cell; rows of both."""

    difference: FloatArray
    slope: FloatArray


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells in the order of their classes, and what a sample in them adds to the features of either model."""

    stratum: IntArray  # the class of each cell, 0, 1, … without gaps
    sizes: FloatArray  # samples of each class, or of each class in every row of counts
    first: FloatArray  # of shape (cells, features)
    second: FloatArray
    raises: FloatArray  # what is added to each cell where shares are estimated
    value_of: Callable[[FloatArray], FloatArray]  # scores of features, the last axis; nan where there is none

    @cached_property
    def strata(self) -> Strata:
        """The class of each cell, and the first cell of each class."""
        return Strata(self.stratum, np.searchsorted(self.stratum, np.arange(self.sizes.shape[-1])))

    @cached_property
    def units(self) -> FloatArray:
        """The class size of each cell."""
        return self.sizes[..., self.stratum]

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

    def constrained(self, counts: FloatArray, difference: float) -> tuple[FloatArray, BoolArray]:
        """Return the likeliest shares at which the scores differ so, for rows of counts, and if any do."""

        def apart(shares: FloatArray) -> FloatArray:
            first, second = self.scores(shares * self.units)
            return np.asarray(first - second)

        function = Function(apart, lambda shares: self.contrast(shares).slope)
        shares, _ = self.shares(counts, RAISED)
        values = np.full(len(shares), difference)
        return constrained(self.strata, counts + RAISED * self.raises, shares, function, values)

    def difference(self, counts: Any) -> tuple[FloatArray, FloatArray]:
        """Return differences of scores, and their standard errors by the delta method at raised counts."""
        first, other = self.scores(counts)
        shares, totals = self.shares(counts, 1.0)
        spread = self.sums(shares * self._around(shares) ** 2) / totals
        return first - other, np.sqrt(spread.sum(axis=-1))

    def carried_by(self, counts: Any) -> FloatArray:
        """Return (Σ d²)² / Σ d⁴ of the influences d of samples, raised ones among them."""
        # All samples if all count alike, one if one decides.
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
                generator.multinomial(int(size), rates / rates.sum(), size=rows)
                for size, rates in zip(self.sizes.tolist(), parts, strict=True)
            ],
            axis=1,
        )
