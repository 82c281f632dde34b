"""A column of labels, in this process's memory or on an accelerator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from clearbar.core._typing import BoolArray
from clearbar.data.labels._blocks import BLOCK, ArrayBlock, Block, Split, split
from clearbar.data.labels._label import kind_of, plain

MOST_LABELS = 50
"""A tally of a column stops here: what has more labels needs no further count to be refused."""


class UnexpectedLabelError(Exception):
    """A column holds something beside the two labels that its first samples promised."""


class Tally(NamedTuple):
    """How often each label occurs, and what is missing: all that a refusal talks about."""

    counts: Mapping[Any, int]
    missing: int = 0  # number of samples without a label
    first_missing: int | None = None  # position of the first of them, where it is known
    complete: bool = True  # false if counting stopped because there were too many labels


@dataclass(frozen=True)
class HostColumn:
    """Labels in this process's memory, cut into blocks by ``take(start, stop)``."""

    name: str
    length: int
    take: Callable[[int, int], Block] = field(repr=False)
    boolean: bool = False
    ordered: bool = False

    def ranges(self, step: int = BLOCK) -> Iterator[tuple[int, int]]:
        """Iterate over the blocks' starts and stops."""
        return ((start, min(start + step, self.length)) for start in range(0, self.length, step))

    def first_labels(self) -> list[Any]:
        """Return the first label and the first one that differs from it; mostly at once."""
        if self.boolean:
            return [False, True]
        label = self.take(0, 1).item(0)
        if kind_of(label) is None:
            return [label]
        scratch = np.empty(min(BLOCK, self.length), dtype=bool)
        for start, stop in self.ranges():
            block = self.take(start, stop)
            same = block.equal(label, scratch[: stop - start])
            if not same.all():
                return [label, block.item(int(np.argmin(same)))]
        return [label]

    def split(
        self, start: int, stop: int, labels: tuple[Any, Any], out: BoolArray, spare: BoolArray
    ) -> Split:
        """Find the positive samples from ``start`` to ``stop``; raise if a label is neither."""
        halves = split(self.take(start, stop), *labels, out[: stop - start], spare[: stop - start])
        if not halves.valid:
            raise UnexpectedLabelError(self.name)
        return halves

    def mask(self, labels: tuple[Any, Any]) -> BoolArray:
        """Return which samples are positive, a byte each."""
        result = np.empty(self.length, dtype=bool)
        spare = np.empty(min(BLOCK, self.length), dtype=bool)
        for start, stop in self.ranges():
            part = result[start:stop]
            mask = self.split(start, stop, labels, part, spare).mask
            if mask is not part:
                part[:] = mask
        return result

    def positives(self, labels: tuple[Any, Any]) -> int:
        """Count the positive samples; raise if a label is neither of the two."""
        size = min(BLOCK, self.length)
        out, spare = np.empty(size, dtype=bool), np.empty(size, dtype=bool)
        parts = (self.split(start, stop, labels, out, spare) for start, stop in self.ranges())
        return sum(part.positives for part in parts)

    def tally(self) -> Tally:
        """Count every label; slow, for messages."""
        counts: Counter[Any] = Counter()
        missing, first, complete = 0, None, True
        for start, stop in self.ranges():
            block = self.take(start, stop)
            absent = block.missing()
            if absent.any():
                first = start + int(np.argmax(absent)) if first is None else first
                missing += int(np.count_nonzero(absent))
            if complete:
                counts.update(block.tally(~absent))
                complete = len(counts) <= MOST_LABELS or stop == self.length
        return Tally(counts, missing, first, complete)


@dataclass(frozen=True)
class DeviceColumn:
    """Labels in an array of another library, which never leave its device."""

    name: str
    array: Any = field(repr=False)
    xp: Any = field(repr=False)

    @property
    def length(self) -> int:
        """Number of samples."""
        return int(self.array.shape[0])

    @cached_property
    def boolean(self) -> bool:
        """Whether the labels are truth values."""
        return bool(self.xp.isdtype(self.array.dtype, "bool"))

    @cached_property
    def whole(self) -> Any:
        """The widest type of whole numbers: JAX cuts those of 64 bits, unless it is told otherwise."""
        kinds = self.xp.__array_namespace_info__().dtypes(kind="signed integer")
        return kinds.get("int64", kinds["int32"])

    def first_labels(self) -> list[Any]:
        """Return the first label and the first one that differs from it."""
        if self.boolean:
            return [False, True]
        label = self._plain(self.array[0])
        other = self._argmax(self.array != self.array[0])
        return [label] if other is None else [label, self._plain(self.array[other])]

    def equal(self, label: Any) -> Any:
        """Tell which samples have a label."""
        if self.boolean:
            return self.array if label else self.xp.logical_not(self.array)
        label = int(label)  # some libraries compare numbers with no truth value
        if self.xp.isdtype(self.array.dtype, "integral"):
            info = self.xp.iinfo(self.array.dtype)
            if not info.min <= label <= info.max:  # not every library can compare with these
                return self.xp.zeros_like(self.array, dtype=self.xp.bool)
        return self.array == label

    def sum(self, mask: Any) -> int:
        """Count the samples of a mask on the device."""
        return int(self.xp.sum(self.xp.astype(mask, self.xp.uint8), dtype=self.whole))

    def mask(self, labels: tuple[Any, Any]) -> Any:
        """Return which samples are positive, on the device; raise if a label is neither."""
        positive, negative = labels
        mask = self.equal(positive)
        if not self.boolean:
            known = mask if negative is None else self.xp.logical_or(mask, self.equal(negative))
            if not bool(self.xp.all(known)):
                raise UnexpectedLabelError(self.name)
        return mask

    def positives(self, labels: tuple[Any, Any]) -> int:
        """Count the positive samples; raise if a label is neither of the two."""
        return self.sum(self.mask(labels))

    def tally(self) -> Tally:
        """Count every label; slow, for messages."""
        xp, array = self.xp, self.array
        if not xp.isdtype(array.dtype, ("bool", "integral", "real floating")):
            return Tally({complex: self.length})
        absent = array != array  # noqa: PLR0124
        present = array[xp.logical_not(absent)]
        labels, counts = xp.unique_counts(present)
        shown = range(min(MOST_LABELS + 1, labels.shape[0]))
        sizes = {self._plain(labels[index]): int(counts[index]) for index in shown}
        complete = labels.shape[0] <= MOST_LABELS
        return Tally(sizes, self.sum(absent), self._argmax(absent), complete)

    def _plain(self, number: Any) -> Any:
        if self.boolean:
            return bool(number)
        if self.xp.isdtype(self.array.dtype, "integral"):
            return int(number)
        if self.xp.isdtype(self.array.dtype, "real floating"):
            return plain(float(number))
        return complex(number)

    def _argmax(self, mask: Any) -> int | None:
        index = int(self.xp.argmax(self.xp.astype(mask, self.xp.uint8)))
        return index if bool(mask[index]) else None


Column: TypeAlias = HostColumn | DeviceColumn


def masked(column: Column, labels: tuple[Any, Any]) -> Column:
    """Return a column's positive samples as truth values, so that they are found only once."""
    if column.boolean and labels[0]:
        return column
    if isinstance(column, DeviceColumn):
        return DeviceColumn(column.name, column.mask(labels), column.xp)
    mask = column.mask(labels)
    name = column.name
    return HostColumn(name, len(mask), lambda a, b: ArrayBlock(mask[a:b]), boolean=True)
