"""Binomial laws at many rates: one law per row, tilted to each of its points."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.problems.binary.rates.binomial import LEAST, log_pmf, rate_deviance

_LOWEST, _HIGHEST = 1e-270, 1.0 - 2.0**-53
"""What rates of 0 and 1 are read as."""
_NOTHING = -700.0
"""Logarithm of what counts as no probability: smaller numbers are slow."""
_SLAB = 256
"""Rows times points from which adding node to node is faster than NumPy's running sum."""


class Law(NamedTuple):
    """Counts of shape (rows, nodes): how far from their mean, and the logarithm of their probability."""

    size: FloatArray
    rate: FloatArray
    moved: FloatArray
    log_base: FloatArray

    @classmethod
    def of(cls, count: FloatArray, size: FloatArray, rate: FloatArray, share: FloatArray) -> Law:
        """The law of counts of a size at one rate per row; each probability is taken `share` times."""
        size = size[:, None]
        least = 0.25 / np.maximum(size, 1.0)
        rate = np.clip(rate[:, None], least, 1.0 - least)
        log_base = log_pmf(count, size, rate) + np.log(np.maximum(share, LEAST))
        return cls(size, rate, count - size * rate, log_base)

    def at(self, rates: FloatArray) -> FloatArray:
        """Probabilities at rates of shape (rows, points), of shape (nodes, rows, points)."""
        rates = np.clip(rates, _LOWEST, _HIGHEST)
        tilt = np.log(rates / self.rate) - np.log((1.0 - rates) / (1.0 - self.rate))
        shift = rate_deviance(self.size * self.rate, self.size, rates)
        law = np.empty((self.moved.shape[1], *rates.shape))
        np.multiply(self.moved.T[:, :, None], tilt, out=law)  # a product of matrices rounds by their sizes
        law += self.log_base.T[:, :, None]
        law -= shift
        return np.exp(np.maximum(law, _NOTHING, out=law), out=law)


def running_sum(law: FloatArray) -> FloatArray:
    """Add up along the first axis, in place."""
    if law[0].size < _SLAB:
        return np.cumsum(law, axis=0, out=law)
    for before, node in itertools.pairwise(law):
        np.add(before, node, out=node)
    return law
