"""The cells of a confusion matrix from two columns, in one pass.

Three numbers are counted, the true positives and the two margins; the fourth cell and the rest
follow by subtraction. On an accelerator nothing but these sums leaves the device.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import IntArray
from clearbar.data.counting._host import to_host
from clearbar.data.counting._workers import spans, together
from clearbar.data.labels import BLOCK, Column, DeviceColumn, HostColumn, guarded, masked

_THREAD_BLOCK = 2**18
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
    if slices.weights is not None:  # whose sums may be beyond the whole numbers of a device
        truth, prediction = (it if isinstance(it, HostColumn) else to_host(it) for it in (truth, prediction))
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
    block = BLOCK if len(shares) == 1 else _THREAD_BLOCK

    def counted(share: tuple[int, int]) -> tuple[int, int, int]:
        first, end = share
        true_mask, predicted_mask, spare = np.empty((3, min(block, end - first)), dtype=bool)
        positives = predicted = both = 0
        for start in range(first, end, block):
            stop = min(start + block, end)
            left = truth.split(start, stop, truth_pair, true_mask, spare)
            right = prediction.split(start, stop, pair, predicted_mask, spare)
            hits = np.logical_and(left.mask, right.mask, out=spare[: stop - start])
            positives += left.positives
            predicted += right.positives
            both += int(np.count_nonzero(hits))
        return positives, predicted, both

    wholes = together(counted, shares)
    return _from_margins(truth.length, *map(sum, zip(*wholes, strict=True)))


def _sliced(
    truth: HostColumn, truth_pair: Pair, prediction: HostColumn, pair: Pair, slices: Slices
) -> IntArray:
    number = 4 * slices.number
    # Blocks as long as the table of counts keep the cost of adding up tables in bounds.
    step = max(BLOCK, number)
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
    both = home.xp.logical_and(true, guess)
    total = home.length if slices.codes is None else np.bincount(slices.codes, minlength=slices.number)
    return _from_margins(total, *_sums_on_device((true, guess, both), home, slices))


def _moved(column: Column, pair: Pair, home: DeviceColumn) -> Any:
    """Return which samples of a column are positive, on the device of another."""
    import array_api_compat

    target = array_api_compat.device(home.array)
    if isinstance(column, HostColumn):
        mask = masked(column, pair).mask(BITS)
        with guarded(home.array, home.name):
            return home.xp.asarray(mask, device=target)
    return column.mask(pair)


def _sums_on_device(masks: Iterable[Any], home: DeviceColumn, slices: Slices) -> Iterator[IntArray]:
    """Yield how many samples of each mask are in each slice; only these sums leave the device."""
    import array_api_compat

    xp, device = home.xp, array_api_compat.device(home.array)
    if slices.codes is not None:
        order = xp.asarray(np.argsort(slices.codes, kind="stable"), device=device)
        sizes = np.bincount(slices.codes, minlength=slices.number)
        ends = xp.asarray(np.cumsum(sizes) - 1, device=device)
    for mask in masks:
        if slices.plain:
            yield np.array([home.sum(mask)])
            continue
        # Without a bincount in the array API: differences of a running sum over sorted slices.
        sums = xp.take(xp.cumulative_sum(xp.take(xp.astype(mask, home.whole), order)), ends)
        sums = sums.tolist() if hasattr(sums, "tolist") else [int(sums[at]) for at in range(sums.shape[0])]
        upto = np.array([0, *sums], dtype=np.int64)
        yield upto[1:] - upto[:-1]
