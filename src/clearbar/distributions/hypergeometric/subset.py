"""Which samples are predicted positive: a uniformly random subset of given size."""

from __future__ import annotations

import math

import numpy as np

from clearbar.distributions.hypergeometric._arrays import BoolArray, margins

_BLOCK = 2**18
_BYTE = 256


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
