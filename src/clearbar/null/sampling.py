"""Random numbers of true positives, and random sets of predicted positives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from clearbar.core._typing import BoolArray, IntArray
from clearbar.null.hypergeometric import quantile, window
from clearbar.null.nodes import WIDEST, node_blocks

_NUMPY_BELOW = 10**9
"""`numpy.random.Generator.hypergeometric` refuses as many or more samples of a class."""

_BLOCK = 2**18
_BYTE = 256


def generator(random_state: Any) -> np.random.Generator:
    """Return a Generator from what scikit-learn's users call ``random_state``."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.Generator(random_state._bit_generator)  # noqa: SLF001 - its only handle
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be a seed, a numpy Generator or None; found {random_state!r}."
        ) from None


def checked_seed(random_state: Any) -> int:
    """Return a seed: the whole number that was given, or one drawn from a generator."""
    if isinstance(random_state, (bool, np.bool_)):
        raise ValueError(
            f"random_state must be a seed, a numpy Generator or None; found {random_state!r}: for other "
            "numbers each time pass None."
        )
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(generator(random_state).integers(2**63))


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
    """Mark `draws` of `total` items, every subset of that size being equally likely.

    Items are marked independently, byte by byte, and then as many of the larger kind are flipped, uniformly,
    as there are too many or too few: 30 times faster than a choice without replacement.
    """
    marked = min(draws, total - draws)
    mask = np.zeros(total, dtype=np.bool_)
    # 256*marked/total rounded to the side that takes fewer random indices to mend
    threshold, rest = divmod(_BYTE * marked, max(total, 1))
    threshold += rest * marked > (total - rest) * (total - marked)
    for start in range(0, total if threshold else 0, _BLOCK):
        block = mask[start : start + _BLOCK]
        words = rng.integers(0, 2**64, -(-block.size // 8), dtype=np.uint64)
        np.less(words.view(np.uint8)[: block.size], threshold, out=block)
    _flip(mask, marked, rng)
    return mask if marked == draws else np.logical_not(mask, out=mask)


def _flip(mask: BoolArray, marked: int, rng: np.random.Generator) -> None:
    """Mark further items, or unmark some, until so many are, uniformly at random.

    Random indices are taken in the order they come, until enough different ones were of the kind to be
    flipped. When to stop depends on how many those are, never on which, so all subsets stay equally likely.
    """
    count = int(np.count_nonzero(mask))
    value, left = marked > count, abs(marked - count)
    kind = mask.size - count if value else count
    while left:
        index = rng.integers(0, mask.size, math.ceil(left * (mask.size / kind)))
        index = index[mask[index] != value][:left]
        mask[index] = value
        index.sort()  # far faster than np.unique
        flipped = index.size - int(np.count_nonzero(index[1:] == index[:-1]))
        left -= flipped
        kind -= flipped
