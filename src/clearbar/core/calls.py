"""Which models call the same samples positive: all that a comparison of their labels needs to know."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core._value import Value

# Models up to which every pattern of calls is counted; of more, hardly two samples have the same.
MOST_COUNTED = 12
# Patterns up to which it is drawn how many positive samples have each; of more, labels are shuffled.
MOST_DRAWN = 2**12
BLOCK = 2**18  # samples that are looked at together, so that what is made on the way stays in cache


@dataclass(frozen=True, eq=False)
class PairCalls(Value):
    """On how many positive and negative samples both of two models say "positive": shape (models, models)."""

    positives: IntArray
    negatives: IntArray


@dataclass(frozen=True, eq=False)
class Calls(Value):
    """Patterns of calls, a bit per model, and how many positive and negative samples have each."""

    packed: NDArray[np.uint8]  # of shape (patterns, bytes)
    models: int
    positives: NDArray[Any]
    negatives: NDArray[Any]

    @classmethod
    def of(cls, truth: BoolArray, called: Iterable[BoolArray]) -> Calls:
        """Look at every sample once."""
        called = list(called)
        if len(called) <= MOST_COUNTED:
            return cls._counted(truth, called)
        packed = np.empty((len(truth), -(-len(called) // 8)), dtype=np.uint8)
        for start in range(0, len(truth), BLOCK):
            part = slice(start, start + BLOCK)
            packed[part] = np.packbits(np.array([column[part] for column in called]), axis=0).T
        return cls(packed, len(called), truth.astype(np.uint8), (~truth).astype(np.uint8))

    @classmethod
    def _counted(cls, truth: BoolArray, called: list[BoolArray]) -> Calls:
        columns = [truth, *called]
        counts = np.zeros(2 ** len(columns), dtype=np.int64)
        for start in range(0, len(truth), BLOCK):
            codes = np.zeros(len(truth[start : start + BLOCK]), dtype=np.uint16)
            for bit, column in enumerate(columns):
                codes |= column[start : start + BLOCK].astype(np.uint16) << np.uint16(bit)
            counts += np.bincount(codes, minlength=len(counts))
        negatives, positives = counts.reshape(-1, 2).T
        seen = np.flatnonzero(negatives + positives)
        bits = (seen[:, None] >> np.arange(len(called))) & 1
        return cls(np.packbits(bits.astype(bool), axis=1), len(called), positives[seen], negatives[seen])

    def bits(self, rows: Any = ...) -> NDArray[np.uint8]:
        """Return the calls of some patterns, of shape (patterns, models)."""
        return np.unpackbits(self.packed[rows], axis=1, count=self.models)

    @cached_property
    def pairs(self) -> PairCalls:
        """What each two models call alike."""
        return PairCalls(*(self._both(side) for side in (self.positives, self.negatives)))

    def _both(self, side: NDArray[Any]) -> IntArray:
        both = np.zeros((self.models, self.models))
        rows, step = np.flatnonzero(side), max(1, 2**21 // max(self.models, 1))
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            times = side[part]
            if times.max() == 1:  # float32 holds whole numbers up to 2**24
                bits = self.bits(part).astype(np.float32)
                both += bits.T @ bits
            else:
                wide = self.bits(part).astype(np.float64)
                both += (wide * times[:, None]).T @ wide
        return both.astype(np.int64)

    def permuted(self, rows: int, generator: np.random.Generator) -> FloatArray:
        """Return each model's true positives where labels are in random order, of shape (rows, models)."""
        both, positive = self.positives.astype(np.int64) + self.negatives, int(self.positives.sum())
        bits: Any = self.bits().astype(np.float32 if both.max() == 1 else np.float64)
        if len(both) <= MOST_DRAWN:
            drawn: Any = generator.multivariate_hypergeometric(both, positive, size=rows)
        else:
            bits = np.repeat(bits, both, axis=0)
            truth = np.repeat(np.arange(2) == 1, [len(bits) - positive, positive]).astype(bits.dtype)
            drawn = generator.permuted(np.broadcast_to(truth, (rows, len(truth))), axis=1)
        return np.asarray(drawn @ bits, dtype=np.float64)
