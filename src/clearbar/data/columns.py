"""From whatever a person passes as labels to a column in NumPy's memory, and what it holds.

No data frame library is imported here: their columns are recognised by where their class comes from, and
asked for their data by their own methods, without a copy where they have none to make. Arrays on a device
are copied once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import BoolArray
from clearbar.core.errors import shown
from clearbar.data.labels import (
    Labels,
    Tally,
    guarded,
    is_missing,
    kind_of,
    plain,
    refuse_empty,
    refuse_missing,
    refuse_shape,
    refuse_table,
    refuse_type,
    resolve,
)

BLOCK = 2**17
"""Samples that are compared at once: below 2**15 Python's overhead shows, above 2**18 the cache overflows."""

MOST_LABELS = 50
"""A tally of a column stops here: what has more labels needs no further count to be refused."""


class UnexpectedLabelError(Exception):
    """A column holds something beside the two labels that its first samples promised."""


def blocks(length: int, step: int = BLOCK) -> Iterator[slice]:
    """Cut samples into blocks: whatever is made of one stays in the processor's cache."""
    return (slice(start, min(start + step, length)) for start in range(0, length, step))


@dataclass(frozen=True)
class Column:
    """A value per sample; with `categories` a code of one of these, or of none where it is missing."""

    name: str
    values: NDArray[Any] = field(repr=False)
    categories: Mapping[int, Any] | None = field(default=None, repr=False)
    ordered: bool = False  # whether the categories have an order of their own

    @property
    def length(self) -> int:
        """Number of samples."""
        return len(self.values)

    def label(self, index: int) -> Any:
        value = self.values[index]
        return plain(value) if self.categories is None else self.categories.get(int(value))

    def equal(self, label: Any, rows: slice) -> BoolArray:
        """Tell which samples have a label."""
        values = self.values[rows]
        if self.categories is not None:  # an Arrow dictionary may hold a label twice
            codes = [code for code, category in self.categories.items() if category == label]
            return np.asarray(values == codes[0]) if len(codes) == 1 else np.isin(values, codes)
        if values.dtype.kind == "b":
            return values if label else ~values
        if values.dtype.kind in "OT":  # text by itself would lose the zeros at its end
            label = np.array(label, dtype=values.dtype)
        equal = np.empty(len(values), dtype=bool)
        np.equal(values, label, out=equal)  # objects compare to objects, unless they are told
        return equal

    def missing(self, rows: slice = slice(None)) -> BoolArray:
        """Tell which samples have no value."""
        values = self.values[rows]
        if self.categories is not None:
            known = [code for code, category in self.categories.items() if not is_missing(category)]
            return ~np.isin(values, np.array(known, dtype=np.int64))
        if values.dtype.kind in "fc":
            return np.asarray(np.isnan(values))
        if values.dtype.kind in "mM":
            return np.asarray(np.isnat(values))
        if values.dtype.kind in "OT":
            return np.fromiter(map(is_missing, values), bool, count=len(values))
        return np.zeros(len(values), dtype=bool)

    def mask(self, labels: Labels) -> BoolArray:
        """Return which samples are positive; raise if a label is neither. A view where bytes are 0 and 1."""
        values, (positive, negative) = self.values, labels
        if self.categories is None:
            if values.dtype.kind == "b":
                return values if positive else ~values
            bytes_of_bits = values.dtype.kind in "iu" and values.itemsize == 1 and labels == (1, 0)
            if bytes_of_bits and values.view(np.uint8).max() <= 1:
                return values.view(bool)
        mask = np.empty(self.length, dtype=bool)
        for rows in blocks(self.length):
            mask[rows] = self.equal(positive, rows)
            known = int(np.count_nonzero(mask[rows]))
            if negative is not None:
                known += int(np.count_nonzero(self.equal(negative, rows)))
            if known != rows.stop - rows.start:
                raise UnexpectedLabelError(self.name)
        return mask

    def first_labels(self) -> list[Any]:
        """Return the first label and the first one that differs from it; mostly at once."""
        if self.values.dtype.kind == "b" and self.categories is None:
            return [False, True]
        label = self.label(0)
        if kind_of(label) is not None:
            for rows in blocks(self.length):
                same = self.equal(label, rows)
                if not same.all():
                    return [label, self.label(rows.start + int(np.argmin(same)))]
        return [label]

    def tally(self) -> Tally:
        """Count every label; slow, for messages."""
        counts: Counter[Any] = Counter()
        missing, first, complete = 0, None, True
        for rows in blocks(self.length):
            absent = self.missing(rows)
            if absent.any():
                first = rows.start + int(np.argmax(absent)) if first is None else first
                missing += int(np.count_nonzero(absent))
            if complete:
                for label, number in self._counts(self.values[rows][~absent]):
                    # What cannot be a label may not even be hashable: its type says enough.
                    counts[label if kind_of(label) else type(label)] += number
                complete = len(counts) <= MOST_LABELS or rows.stop == self.length
        return Tally(counts, missing, first, complete)

    def _counts(self, values: NDArray[Any]) -> Iterator[tuple[Any, int]]:
        if values.dtype.kind == "O":
            return ((plain(value), 1) for value in values)
        distinct, counts = np.unique(values, return_counts=True)
        labels = (
            map(plain, distinct) if self.categories is None else map(self.categories.get, distinct.tolist())
        )
        return zip(labels, counts.tolist(), strict=True)


def read(value: Any, name: str) -> Column:
    """Return what was passed as a column."""
    if not isinstance(value, np.ndarray):
        refuse_type(value, name)
        home = library(value)
        with guarded(value, name):
            if home is not None:
                return _READERS[home](value, name)
            if hasattr(value, "to_native"):
                return read(native(value), name)
            value = _array_of(value, name)
    refuse_shape(value.shape, name)
    if isinstance(value, np.ma.MaskedArray):
        absent = np.flatnonzero(np.ma.getmaskarray(value))
        refuse_missing(name, len(absent), int(absent[0]) if len(absent) else None)
    return Column(name, np.asarray(value))


def _array_of(value: Any, name: str) -> NDArray[Any]:
    if isinstance(value, Sequence) and not isinstance(value, memoryview):
        return _from_sequence(value)
    if is_foreign_array(value):
        refuse_shape(tuple(value.shape), name)  # before anything is copied
        return to_host(value)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value)
    return np.asarray(memoryview(value))


def _from_sequence(values: Sequence[Any]) -> NDArray[Any]:
    # NumPy makes text of everything if a single element is text: such lists stay objects.
    if len(values) and isinstance(values[0], str | bytes):
        return np.array(values, dtype=object)
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):  # rows of unequal lengths, and the like
        return np.fromiter(values, dtype=object, count=len(values))
    return np.array(values, dtype=object) if array.dtype.kind in "US" else array


def is_foreign_array(value: Any) -> bool:
    """Tell whether this is an array of another library, perhaps on a device."""
    return hasattr(value, "__dlpack__") and hasattr(value, "shape") and not isinstance(value, np.ndarray)


def to_host(array: Any) -> NDArray[Any]:
    """Copy an array of another library into this process's memory."""
    if hasattr(array, "detach"):  # PyTorch
        tensor = array.detach().cpu()
        return np.asarray((tensor.float() if "bfloat16" in str(tensor.dtype) else tensor).numpy())
    if hasattr(array, "__cuda_array_interface__") and hasattr(array, "get"):  # CuPy
        return np.asarray(array.get())
    if hasattr(array, "__array_namespace__") and hasattr(array, "to_device"):
        namespace = array.__array_namespace__()
        if hasattr(namespace, "__array_namespace_info__"):
            array = array.to_device(namespace.__array_namespace_info__().default_device())
    try:
        return np.from_dlpack(array)
    except (TypeError, BufferError, RuntimeError, NotImplementedError):  # bits, bfloat16, or no host memory
        return np.asarray(array)


def library(value: Any) -> str | None:
    """Return ``"pandas"``, ``"polars"`` or ``"pyarrow"`` if the value, or its parent, is theirs."""
    homes = {kind.__module__.partition(".")[0] for kind in type(value).__mro__}
    return next((home for home in _READERS if home in homes), None)


def native(value: Any) -> Any:
    """Return what narwhals wraps; anything else as it is."""
    return value.to_native() if hasattr(value, "to_native") else value


def _pandas(value: Any, name: str) -> Column:
    if getattr(value, "ndim", 1) != 1:
        refuse_table(value, name)
    array = getattr(value, "array", value)  # a Series and an Index hold an extension array
    dtype = array.dtype
    if hasattr(array, "categories"):
        categories = dict(enumerate(array.categories.tolist()))
        return Column(name, np.asarray(array.codes), categories, ordered=bool(array.ordered))
    if getattr(dtype, "storage", None) == "pyarrow" or hasattr(dtype, "pyarrow_dtype"):
        return _pyarrow(array.__arrow_array__(), name)
    if isinstance(getattr(value, "dtype", None), np.dtype):
        return read(value.to_numpy(), name)
    numpy_dtype = getattr(dtype, "numpy_dtype", None)
    if numpy_dtype is None:
        return read(array.to_numpy(), name)
    absent = array.isna()
    refuse_missing(name, int(absent.sum()), int(absent.argmax()) if len(array) else 0)
    return read(array.to_numpy(dtype=numpy_dtype), name)


def _polars(value: Any, name: str) -> Column:
    if not hasattr(value, "to_physical"):
        refuse_table(value, name)
    if value.null_count():
        refuse_missing(name, value.null_count(), int(value.is_null().arg_max()))
    dtype = str(value.dtype)
    if dtype.startswith("Enum"):
        categories = dict(enumerate(value.dtype.categories))
        return Column(name, value.to_physical().to_numpy(), categories, ordered=True)
    if dtype == "String":
        value = value.cast(_categorical(value))
    if dtype == "String" or dtype.startswith("Categorical"):
        present = value.unique()
        categories = dict(zip(present.to_physical().to_list(), present.to_list(), strict=True))
        return Column(name, value.to_physical().to_numpy(), categories)
    return Column(name, (of_64_bits(value, name) if dtype.endswith("Int128") else value).to_numpy())


def _categorical(value: Any) -> Any:
    """Return polars' type of categories without an import of polars."""
    import sys

    return sys.modules[type(value).__module__.partition(".")[0]].Categorical


def of_64_bits(value: Any, name: str) -> Any:
    """Return whole numbers of 128 bits, which NumPy does not have, as such of 64."""
    try:
        return value.cast(int)
    except Exception:  # noqa: BLE001 - an error of polars, which is not imported here
        raise ValueError(
            f"{name} holds whole numbers beyond 64 bits, which NumPy does not have; pass ranks, or labels as "
            "text."
        ) from None


def _pyarrow(value: Any, name: str) -> Column:
    if not hasattr(value, "null_count") or not hasattr(value, "dictionary_encode"):
        refuse_table(value, name)
    if value.null_count:
        refuse_missing(name, value.null_count, value.is_null().index(True).as_py())
    dtype = str(value.type)
    if dtype in {"string_view", "binary_view"}:  # few of Arrow's functions know these yet
        value, dtype = value.cast(f"large_{dtype.removesuffix('_view')}"), "string"
    coded = dtype.startswith("dictionary")
    if not coded and not dtype.endswith(("string", "binary")) and not dtype.startswith("fixed_size_binary"):
        return Column(name, value.to_numpy(**({} if hasattr(value, "chunks") else {"zero_copy_only": False})))
    value = value if coded else value.dictionary_encode()
    if hasattr(value, "chunks"):
        value = value.unify_dictionaries().combine_chunks()
    if hasattr(value, "chunks"):  # of no chunk at all
        return Column(name, np.empty(0, dtype=object))
    categories = dict(enumerate(value.dictionary.to_pylist()))
    return Column(name, value.indices.to_numpy(zero_copy_only=False), categories)


_READERS: dict[str, Callable[[Any, str], Column]] = {
    "pandas": _pandas,
    "polars": _polars,
    "pyarrow": _pyarrow,
}


def refuse_other_rows(y_true: Any, value: Any, name: str) -> None:
    """Raise if two pandas columns pair their rows otherwise by index than as they stand."""
    rows, others = _index(y_true), _index(value)
    if rows is None or others is None or len(rows) != len(others) or rows.equals(others):
        return
    position = int(np.argmax(np.asarray(rows.astype(object) != others.astype(object))))
    same = not len(rows.symmetric_difference(others, sort=False))
    differ = "is indexed in another order than y_true" if same else "has another index than y_true"
    by_index = f"pass {name}.loc[y_true.index]" if same else "give both the same index first"
    theirs, ours = (shown(plain(labels[position])) for labels in (others, rows))
    raise ValueError(
        f"{name} {differ}: {theirs} and {ours} at position {position:,}. To pair rows by index, {by_index}; "
        f"if they belong together as they stand, pass {name}.to_numpy()."
    )


def _index(value: Any) -> Any:
    """Return the index of a pandas column or table; None for whatever has none."""
    value = native(value)
    index = getattr(value, "index", None)
    return index if library(value) == "pandas" and not callable(index) else None


def resolve_columns(columns: Sequence[Column], pos_label: Any) -> Labels:
    """Resolve labels, mostly from the first samples; `explained` tells of others that occur further on."""
    for column in columns:
        refuse_empty(column.name, column.length)
    try:
        return _resolved(columns, [Tally(dict.fromkeys(one.first_labels(), 0)) for one in columns], pos_label)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong, the tallies have the counts to say it
        return _resolved(columns, _tallies(columns), pos_label)


@contextmanager
def explained(columns: Sequence[Column], pos_label: Any) -> Iterator[None]:
    """Turn what goes wrong while columns are counted into the error that explains it."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a foreign object may raise anything
        cause = None if isinstance(error, UnexpectedLabelError) else error
        try:
            _resolved(columns, _tallies(columns), pos_label)
        except ValueError as explanation:
            raise explanation from cause
        names = " and ".join(column.name for column in columns)
        raise ValueError(
            f"{names} could not be counted: values that look the same there do not compare as equal. "
            "Pass them as NumPy arrays of whole numbers, text or truth values."
        ) from cause


def _tallies(columns: Sequence[Column]) -> list[Tally]:
    tallies = []
    for column in columns:
        with guarded(column, column.name):
            tallies.append(column.tally())
    return tallies


def _resolved(columns: Sequence[Column], tallies: Sequence[Tally], pos_label: Any) -> Labels:
    return resolve(*tallies, pos_label=pos_label, names=[column.name for column in columns])


def positive_label(y_true: Any, pos_label: Any = None, name: str = "y_true") -> Labels:
    """Resolve which label is positive, from the true labels alone."""
    column = read(y_true, name)
    labels = resolve_columns([column], pos_label)
    with explained([column], pos_label):
        column.mask(labels)
    return labels
