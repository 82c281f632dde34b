"""Which samples are predicted positive: a uniformly random subset of given size."""

from __future__ import annotations

import math

import numpy as np

from clearbar.hypergeometric._arrays import BoolArray, margins

_BLOCK = 2**18
_BYTE = 256


def subset_mask(total: int, draws: int, rng: np.random.Generator) -> BoolArray:
    """Mark `draws` of `total` items, every subset of that size being equally likely.

    Parameters
    ----------
    total, draws : int
        Number of items, and how many of them to mark.
    rng : numpy.random.Generator
        Where the randomness comes from.

    Returns
    -------
    array of bool, shape (total,)

    Notes
    -----
    Each item is marked when a random byte lies below 256*draws/total; then as many as are too many or
    too few, again chosen uniformly, are flipped. Both steps treat all items alike, and the size is right
    in the end: the subset is exactly uniform, in a fraction of a shuffle's time.
    """
    margins(total, total, draws)
    marked = min(draws, total - draws)
    mask = np.zeros(total, dtype=np.bool_)
    threshold = (_BYTE * marked + total // 2) // max(total, 1)
    count = 0
    if threshold:
        for start in range(0, total, _BLOCK):
            block = mask[start : start + _BLOCK]
            np.less(rng.integers(0, _BYTE, block.size, dtype=np.uint8), threshold, out=block)
            count += int(np.count_nonzero(block))
    _flip(mask, marked - count, count, rng)
    if marked != draws:
        np.logical_not(mask, out=mask)
    return mask


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
        flipped = np.unique(index).size
        left -= flipped
        kind -= flipped
