"""A stretch of samples in NumPy's memory, and which of them are positive.

Columns are worked through block by block, so that whatever is made on the way stays in the
processor's cache and nothing of the data's size is ever allocated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import BoolArray
from clearbar.data.labels._label import is_missing, kind_of, plain

BLOCK = 2**17
"""Samples per block: below 2**15 Python's overhead shows, above 2**18 the cache overflows."""


class Split(NamedTuple):
    """Which samples of a block are positive; ``valid`` if all the others are negative."""

    mask: BoolArray
    positives: int
    valid: bool


class ArrayBlock:
    """Samples whose labels are the elements of a NumPy array of any type."""

    __slots__ = ("values",)

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values

    def equal(self, label: Any, out: BoolArray) -> BoolArray:
        """Tell which samples have a label; ``out`` may be used for it."""
        if self.values.dtype.kind == "b":
            return self.values if label else np.logical_not(self.values, out=out)
        if self.values.dtype.kind in "OT":  # text by itself would lose the zeros at its end
            label = np.array(label, dtype=self.values.dtype)
        np.equal(self.values, label, out=out)
        return out

    def item(self, index: int) -> Any:
        return plain(self.values[index])

    def missing(self) -> BoolArray:
        values = self.values
        if values.dtype.kind in "fc":
            return np.asarray(np.isnan(values))
        if values.dtype.kind in "mM":
            return np.asarray(np.isnat(values))
        if values.dtype.kind in "OT":
            return np.fromiter(map(is_missing, values), bool, count=len(values))
        return np.zeros(len(values), dtype=bool)

    def tally(self, present: BoolArray) -> Mapping[Any, int]:
        values = self.values[present]
        if values.dtype.kind == "O":
            # What cannot be a label may not even be hashable: its type says enough.
            return Counter(plain(v) if kind_of(v) else type(v) for v in values)
        labels, counts = np.unique(values, return_counts=True)
        return _added(zip(map(plain, labels), counts.tolist(), strict=True))


class CodedBlock:
    """Samples that are numbers into a short list of labels; any other number is no label."""

    __slots__ = ("codes", "labels")

    def __init__(self, codes: NDArray[Any], labels: Mapping[int, Any]) -> None:
        self.codes = codes
        self.labels = labels

    def equal(self, label: Any, out: BoolArray) -> BoolArray:
        codes = [code for code, known in self.labels.items() if known == label]
        if not codes:
            out[...] = False
            return out
        np.equal(self.codes, codes[0], out=out)
        for code in codes[1:]:  # an Arrow dictionary may hold a label twice
            out |= self.codes == code
        return out

    def item(self, index: int) -> Any:
        return self.labels.get(int(self.codes[index]))

    def missing(self) -> BoolArray:
        known = [code for code, label in self.labels.items() if not is_missing(label)]
        return ~np.isin(self.codes, np.array(known, dtype=np.int64))

    def tally(self, present: BoolArray) -> Mapping[Any, int]:
        codes, counts = np.unique(self.codes[present], return_counts=True)
        return _added(
            (self.labels[code], count) for code, count in zip(codes.tolist(), counts.tolist(), strict=True)
        )


class PolarsTextBlock:
    """Samples that are text or categories in polars, which compares them faster than NumPy."""

    __slots__ = ("series",)

    def __init__(self, series: Any) -> None:
        self.series = series

    def equal(self, label: Any, out: BoolArray) -> BoolArray:  # noqa: ARG002
        same: BoolArray = (self.series == label).to_numpy()
        return same

    def item(self, index: int) -> Any:
        return self.series[index]

    def missing(self) -> BoolArray:
        null: BoolArray = self.series.is_null().to_numpy()
        return null

    def tally(self, present: BoolArray) -> Mapping[Any, int]:
        return Counter(self.series.filter(present).to_list())

    def coded(self) -> CodedBlock | ArrayBlock:
        """Return the same samples as codes where polars has them."""
        if not str(self.series.dtype).startswith("Categorical"):
            return ArrayBlock(self.series.to_numpy())
        present = self.series.unique()
        labels = zip(present.to_physical().to_list(), present.to_list(), strict=True)
        return CodedBlock(self.series.to_physical().to_numpy(), dict(labels))


Block: TypeAlias = ArrayBlock | CodedBlock | PolarsTextBlock
"""What the columns of every library can be cut into."""


def _added(pairs: Iterable[tuple[Any, int]]) -> Mapping[Any, int]:
    total: Counter[Any] = Counter()
    for label, count in pairs:
        total[label if kind_of(label) else type(label)] += count
    return total


def split(block: Block, positive: Any, negative: Any, out: BoolArray, spare: BoolArray) -> Split:
    """Find the positive samples of a block and check that the others are negative."""
    values = getattr(block, "values", None)
    if values is not None and values.dtype.kind == "b":
        mask = block.equal(positive, out)
        return Split(mask, int(np.count_nonzero(mask)), valid=True)
    if values is not None and values.dtype.kind in "iu" and {positive, negative} == {0, 1}:
        # Seen as unsigned, zeros and ones are what is at most one: half the work of two
        # comparisons, and a byte of this kind already is a NumPy bool.
        valid = bool(values.view(values.dtype.str.replace("i", "u")).max() <= 1)
        if valid and positive and values.itemsize == 1:
            mask = values.view(bool)
        else:
            mask = np.equal(values, positive, out=out)
        return Split(mask, int(np.count_nonzero(mask)), valid)
    size = len(out)
    mask = block.equal(positive, out)
    positives = int(np.count_nonzero(mask))
    if negative is None:
        return Split(mask, positives, positives == size)
    negatives = int(np.count_nonzero(block.equal(negative, spare)))
    return Split(mask, positives, positives + negatives == size)
