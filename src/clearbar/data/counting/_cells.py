"""The cells of a confusion matrix from two columns, in one pass.

Three numbers are counted, the true positives and the two margins; the fourth cell and the rest
follow by subtraction. On an accelerator nothing but these sums leaves the device.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import IntArray
from clearbar.data.counting._workers import spans, together
from clearbar.data.labels import ArrayBlock, Block, Column, DeviceColumn, HostColumn, guarded, masked

_BLOCK = 2**17

_THREAD_BLOCK = 2**19
"""Samples that one of several threads works on at once: between blocks they wait for the interpreter's lock,
so that few long ones serve them better than what fits into the cache best."""

Pair: TypeAlias = tuple[Any, Any]
"""The positive and the negative label."""

BITS: Pair = (True, False)
"""The labels of truth values."""


@dataclass(frozen=True, eq=False)
class Slices:
    """What samples belong to, and how often each occurs."""

    codes: IntArray | None = None  # the number of each sample's slice; None if there is only one
    number: int = 1  # of slices
    weights: NDArray[Any] | None = None  # whole numbers of any type; None if each sample occurs once

    @property
    def plain(self) -> bool:
        """Whether every sample counts once, in the one and only slice."""
        return self.codes is None and self.weights is None


def cells(truth: Column, truth_pair: Pair, prediction: Column, pair: Pair, slices: Slices) -> IntArray:
    """Count tp, fp, fn and tn of every slice."""
    if isinstance(truth, DeviceColumn) or isinstance(prediction, DeviceColumn):
        return _on_device(truth, truth_pair, prediction, pair, slices)
    if slices.plain:
        return _whole(truth, truth_pair, prediction, pair)
    return _sliced(truth, truth_pair, prediction, pair, slices)


def _from_margins(total: Any, positives: Any, predicted: Any, both: Any) -> IntArray:
    tp, k, P, M = (np.atleast_1d(np.asarray(x, np.int64)) for x in (both, predicted, positives, total))
    return np.stack([tp, k - tp, P - tp, M - P - k + tp])


def _whole(truth: HostColumn, truth_pair: Pair, prediction: HostColumn, pair: Pair) -> IntArray:
    shares = spans((truth, prediction), _THREAD_BLOCK)
    block = _BLOCK if len(shares) == 1 else _THREAD_BLOCK

    def counted(share: tuple[int, int]) -> tuple[int, int, int]:
        first, end = share
        out = np.empty(min(block, end - first), dtype=bool)
        masks = None  # made when they are needed: bytes that are truth values are their own
        positives = predicted = both = 0
        for start in range(first, end, block):
            stop = min(start + block, end)
            true, guess = (
                _bits(truth.take(start, stop), truth_pair),
                _bits(prediction.take(start, stop), pair),
            )
            if true is not None and guess is not None:
                bits = true.view(bool), guess.view(bool)
                hits = np.logical_and(*bits, out=out[: stop - start])  # brings both into the cache
                if _are_bits(true) and _are_bits(guess):
                    both += int(np.count_nonzero(hits))
                    positives += int(np.count_nonzero(bits[0]))
                    predicted += int(np.count_nonzero(bits[1]))
                    continue
            if masks is None:
                masks = np.empty((3, len(out)), dtype=bool)
            left = truth.split(start, stop, truth_pair, masks[0], masks[2])
            right = prediction.split(start, stop, pair, masks[1], masks[2])
            hits = np.logical_and(left.mask, right.mask, out=out[: stop - start])
            positives += left.positives
            predicted += right.positives
            both += int(np.count_nonzero(hits))
        return positives, predicted, both

    wholes = together(counted, shares)
    return _from_margins(truth.length, *map(sum, zip(*wholes, strict=True)))


def _bits(block: Block, pair: Pair) -> NDArray[Any] | None:
    """Return labels of a byte each that are truth values, or may turn out to be; None for all others."""
    if not isinstance(block, ArrayBlock) or pair != (1, 0):
        return None
    values = block.values
    return values if values.itemsize == 1 and values.dtype.kind in "biu" else None


def _are_bits(values: NDArray[Any]) -> bool:
    """Tell whether bytes are zeros and ones, as NumPy's truth values are."""
    return values.dtype.kind == "b" or bool(np.maximum.reduce(values.view(np.uint8)) <= 1)


def _sliced(
    truth: HostColumn, truth_pair: Pair, prediction: HostColumn, pair: Pair, slices: Slices
) -> IntArray:
    number = 4 * slices.number
    # Blocks as long as the table of counts keep the cost of adding up tables in bounds.
    step = max(_BLOCK, number)
    size = min(step, truth.length)
    out = np.empty((3, size), dtype=bool)
    bins = np.empty(size, dtype=np.int64)
    table = np.zeros(number, dtype=np.int64 if slices.weights is None else np.float64)
    for start, stop in truth.ranges(step):
        part = bins[: stop - start]
        part[:] = truth.split(start, stop, truth_pair, out[0], out[2]).mask
        part += part
        part += prediction.split(start, stop, pair, out[1], out[2]).mask
        if slices.codes is not None:
            part += slices.codes[start:stop] * 4
        weights = None if slices.weights is None else slices.weights[start:stop]
        table += np.bincount(part, weights, minlength=number)
    tn, fp, fn, tp = table.astype(np.int64).reshape(slices.number, 4).T
    return np.stack([tp, fp, fn, tn])


def _on_device(truth: Column, truth_pair: Pair, prediction: Column, pair: Pair, slices: Slices) -> IntArray:
    home = truth if isinstance(truth, DeviceColumn) else prediction
    assert isinstance(home, DeviceColumn)  # noqa: S101 - for the type checker
    true, guess = _moved(truth, truth_pair, home), _moved(prediction, pair, home)
    sums = _DeviceSums(home, slices)
    both = home.xp.logical_and(true, guess)
    total = np.bincount(
        np.zeros(home.length, np.int64) if slices.codes is None else slices.codes,
        slices.weights,
        slices.number,
    )
    return _from_margins(total, sums(true), sums(guess), sums(both))


def _moved(column: Column, pair: Pair, home: DeviceColumn) -> Any:
    """Return which samples of a column are positive, on the device of another."""
    import array_api_compat

    target = array_api_compat.device(home.array)
    if isinstance(column, HostColumn):
        mask = masked(column, pair).mask(BITS)
        with guarded(home.array, home.name):
            return home.xp.asarray(mask, device=target)
    return column.mask(pair)


class _DeviceSums:
    """Sums over slices that take place on a device; only the sums leave it."""

    def __init__(self, home: DeviceColumn, slices: Slices) -> None:
        import array_api_compat

        self.home, self.slices, xp = home, slices, home.xp
        device = array_api_compat.device(home.array)
        if slices.weights is not None:
            self.weights = xp.asarray(slices.weights.astype(np.int64), device=device)
        if slices.codes is not None:
            order = np.argsort(slices.codes, kind="stable")
            ends = np.cumsum(np.bincount(slices.codes, minlength=slices.number)) - 1
            self.order = xp.asarray(order, device=device)
            self.ends = xp.asarray(ends, device=device)

    def __call__(self, mask: Any) -> IntArray:
        xp = self.home.xp
        if self.slices.plain:
            return np.array([self.home.sum(mask)])
        values = xp.astype(mask, xp.int64)
        if self.slices.weights is not None:
            values = values * self.weights
        if self.slices.codes is None:
            return np.array([int(xp.sum(values))])
        # Without a bincount in the array API: differences of a running sum over sorted slices.
        running = xp.cumulative_sum(xp.take(values, self.order))
        ends = xp.take(running, self.ends)
        listed = ends.tolist() if hasattr(ends, "tolist") else [int(ends[i]) for i in range(ends.shape[0])]
        upto = np.array([0, *listed], dtype=np.int64)
        return upto[1:] - upto[:-1]
