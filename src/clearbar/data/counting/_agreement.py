"""On how many samples one model is right and another wrong."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from clearbar.core._typing import BoolArray

MOST_MODELS = 12
"""Models up to which each sample's pattern of right and wrong is counted."""

MOST_SAMPLES = 20_000_000
"""Samples up to which that is done without being asked for."""


def agreements(
    truth: BoolArray, predictions: Mapping[str, BoolArray]
) -> dict[tuple[str, str], tuple[int, int]]:
    """Count the samples on which exactly one of two models is right, for every ordered pair.

    Each sample's pattern, one bit per model, is counted once; the pairs are sums over patterns.
    """
    codes = np.zeros(truth.shape, dtype=np.uint16)
    for bit, mask in enumerate(predictions.values()):
        codes |= (mask == truth).astype(np.uint16) << np.uint16(bit)
    patterns = np.bincount(codes, minlength=2 ** len(predictions))
    bits = np.arange(len(patterns))
    right = {name: (bits >> bit) & 1 == 1 for bit, name in enumerate(predictions)}
    return {
        (a, b): (int(patterns[right[a] & ~right[b]].sum()), int(patterns[right[b] & ~right[a]].sum()))
        for a, b in itertools.permutations(predictions, 2)
    }
