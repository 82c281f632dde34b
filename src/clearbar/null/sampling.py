"""Random numbers of true positives, and random sets of predicted positives."""

from __future__ import annotations

import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.null.expectation import WIDEST, node_blocks
from clearbar.null.hypergeometric import quantile, window

_NUMPY_BELOW = 10**9  # `numpy.random.Generator.hypergeometric` refuses as many or more samples of a class


def sample(total: int, positives: int, draws: int, size: int, rng: np.random.Generator) -> IntArray:
    """Return random numbers of true positives."""
    if max(positives, total - positives) < _NUMPY_BELOW:
        return np.asarray(rng.hypergeometric(positives, total - positives, draws, size), dtype=np.int64)
    low, high = window(total, positives, draws)
    if high - low >= WIDEST:
        return quantile(rng.random(size), total, positives, draws)
    (_, tp, weight), *_ = node_blocks(
        tuple(np.array([size]) for size in (total, positives, draws)), smooth=False
    )
    edges = np.cumsum(weight[0])
    # The last edge is 1 up to rounding: a uniform number beyond it belongs to the last value.
    place = np.minimum(np.searchsorted(edges, rng.random(size), side="right"), edges.size - 1)
    return np.asarray(tp[0, place], dtype=np.int64)


def subset_mask(total: int, draws: int, rng: np.random.Generator) -> BoolArray:
    """Mark `draws` of `total` items, every subset of that size being equally likely."""
    fewer = min(draws, total - draws)
    mask = np.zeros(total, dtype=np.bool_)
    mask[rng.choice(total, fewer, replace=False, shuffle=False)] = True
    return mask if fewer == draws else np.logical_not(mask, out=mask)
