"""Random numbers of true positives, and which samples are predicted positive."""

from __future__ import annotations

import math

import numpy as np

from clearbar.null.hypergeometric._arrays import BoolArray, FloatArray, IntArray, margins
from clearbar.null.hypergeometric.nodes import node_chunks
from clearbar.null.hypergeometric.pmf import log_pmf
from clearbar.null.hypergeometric.support import mode, support, tp_mean, tp_variance

# numpy.random.Generator.hypergeometric refuses more of either class than this.
_NUMPY_BELOW = 10**9
# Up to this standard deviation the window (some 7000 values) is tabulated.
_TABLE_SIGMA = 300.0
_BATCH = 2**16
_BLOCK = 2**18
_BYTE = 256
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


def subset_mask(total: int, draws: int, rng: np.random.Generator) -> BoolArray:
    """Mark `draws` of `total` items, every subset of that size being equally likely."""
    margins(total, total, draws)
    marked = min(draws, total - draws)
    mask = np.zeros(total, dtype=np.bool_)
    threshold = _threshold(total, marked)
    count = 0
    for start in range(0, total if threshold else 0, _BLOCK):
        block = mask[start : start + _BLOCK]
        words = rng.integers(0, 2**64, -(-block.size // 8), dtype=np.uint64)
        np.less(words.view(np.uint8)[: block.size], threshold, out=block)
        count += int(np.count_nonzero(block))
    _flip(mask, marked - count, count, rng)
    if marked != draws:
        np.logical_not(mask, out=mask)
    return mask


def _threshold(total: int, marked: int) -> int:
    """256*marked/total, rounded to the side that takes fewer random indices to mend.

    `low` leaves rest/256 too few, found among all but `marked` items; low + 1 leaves too many, found
    among those marked.
    """
    low, rest = divmod(_BYTE * marked, max(total, 1))
    return low + 1 if rest * marked > (total - rest) * (total - marked) else low


def _flip(mask: BoolArray, missing: int, count: int, rng: np.random.Generator) -> None:
    """Mark `missing` further items, or unmark -missing of the `count` marked ones, uniformly at random.

    Random indices are taken in the order they come, until enough different ones were of the kind to be
    flipped. When to stop depends on how many those are, never on which, so all subsets stay equal.
    """
    value = missing > 0
    kind = mask.size - count if value else count
    left = abs(missing)
    while left:
        index = rng.integers(0, mask.size, math.ceil(left * (mask.size / kind)))
        index = index[mask[index] != value][:left]
        mask[index] = value
        index.sort()  # far faster than np.unique
        flipped = index.size - int(np.count_nonzero(index[1:] == index[:-1]))
        left -= flipped
        kind -= flipped
