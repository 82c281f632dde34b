"""Random numbers of true positives, for one population and one number of draws."""

from __future__ import annotations

import numpy as np

from clearbar.distributions.hypergeometric._arrays import FloatArray, IntArray, margins
from clearbar.distributions.hypergeometric.nodes import node_chunks
from clearbar.distributions.hypergeometric.pmf import log_pmf
from clearbar.distributions.hypergeometric.support import mode, support, tp_mean, tp_variance

# numpy.random.Generator.hypergeometric refuses more of either class than this.
_NUMPY_BELOW = 10**9
# Up to this standard deviation the window (some 7000 values) is tabulated.
_TABLE_SIGMA = 300.0
_BATCH = 2**16
# Stadlober's table-mountain hat: 2 sqrt(2/e) and 3 - 2 sqrt(3/e).
_HAT_SLOPE = 1.7155277699214135
_HAT_SHIFT = 0.8989161620588988


def sample(total: int, positives: int, draws: int, size: int, rng: np.random.Generator) -> IntArray:
    """Random numbers of true positives."""
    low, high = (int(end) for end in support(total, positives, draws))
    if low == high:
        return np.full(size, low, dtype=np.int64)
    if max(positives, total - positives) < _NUMPY_BELOW:
        return np.asarray(rng.hypergeometric(positives, total - positives, draws, size), dtype=np.int64)
    if float(tp_variance(total, positives, draws)) <= _TABLE_SIGMA**2:
        return _inverted(total, positives, draws, size, rng)
    return _ratio_of_uniforms(total, positives, draws, size, rng)


def _inverted(total: int, positives: int, draws: int, size: int, rng: np.random.Generator) -> IntArray:
    row = (margin.reshape(1) for margin in margins(total, positives, draws))
    _, nodes = next(node_chunks(*row, strided=False))
    edges = np.cumsum(nodes.weight)
    # The last edge is 1 up to rounding: a uniform number beyond it belongs to the last value.
    return nodes.x[np.minimum(np.searchsorted(edges, rng.random(size), side="right"), nodes.x.size - 1)]


def _ratio_of_uniforms(
    total: int, positives: int, draws: int, size: int, rng: np.random.Generator
) -> IntArray:
    margin = (total, positives, draws)
    low, high = (int(end) for end in support(*margin))
    centre = float(tp_mean(*margin)) + 0.5
    width = _HAT_SLOPE * np.sqrt(float(tp_variance(*margin)) + 0.5) + _HAT_SHIFT
    top = float(log_pmf(mode(*margin), *margin))
    out = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size:
        batch = min(int((size - filled) * 1.4) + 16, _BATCH)
        u = 1.0 - rng.random(batch)
        x: FloatArray = np.floor(centre + width * (rng.random(batch) - 0.5) / u)
        inside = (x >= low) & (x <= high)
        u, points = u[inside], x[inside].astype(np.int64)
        accepted = points[2.0 * np.log(u) <= log_pmf(points, *margin) - top][: size - filled]
        out[filled : filled + accepted.size] = accepted
        filled += accepted.size
    return out
