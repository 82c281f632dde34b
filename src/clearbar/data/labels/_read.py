"""From whatever a person passes as labels to a column.

No data frame library is imported here: their columns are recognised by where their class comes
from, and asked for their data by their own methods, without a copy where they have none to make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clearbar.core.errors import shown
from clearbar.data.labels._blocks import ArrayBlock, CodedBlock, PolarsTextBlock
from clearbar.data.labels._columns import Column, DeviceColumn, HostColumn
from clearbar.data.labels._label import plain
from clearbar.data.labels._refuse import refuse_missing, refuse_shape, refuse_table, refuse_type

_ARROW_TEXT = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")


def read(value: Any, name: str) -> Column:
    """Return what was passed as a column."""
    if isinstance(value, np.ndarray):
        return _array(value, name)
    refuse_type(value, name)
    home = library(value)
    if home is not None:
        return _READERS[home](value, name)
    with guarded(value, name):
        return _foreign(value, name)


def _foreign(value: Any, name: str) -> Column:
    if hasattr(value, "to_native"):
        return read(native(value), name)
    if isinstance(value, Sequence) and not isinstance(value, memoryview):
        return _array(_from_sequence(value), name)
    device = _device(value, name)
    if device is not None:
        return device
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return _array(np.asarray(value), name)
    return _array(np.asarray(memoryview(value)), name)


def library(value: Any) -> str | None:
    """Return ``"pandas"``, ``"polars"`` or ``"pyarrow"`` if the value, or its parent, is theirs."""
    homes = {kind.__module__.partition(".")[0] for kind in type(value).__mro__}
    return next((home for home in _READERS if home in homes), None)


def native(value: Any) -> Any:
    """Return what narwhals wraps; anything else as it is."""
    return value.to_native() if hasattr(value, "to_native") else value


def refuse_other_rows(y_true: Any, value: Any, name: str) -> None:
    """Raise if two pandas columns pair their rows otherwise by index than as they stand."""
    rows, others = _index(y_true), _index(value)
    if rows is None or others is None or len(rows) != len(others) or rows.equals(others):
        return
    at = int(np.argmax(np.asarray(rows.astype(object) != others.astype(object))))
    same = not len(rows.symmetric_difference(others, sort=False))
    differ = "is indexed in another order than y_true" if same else "has another index than y_true"
    by_index = f"pass {name}.loc[y_true.index]" if same else "give both the same index first"
    theirs, ours = (shown(plain(labels[at])) for labels in (others, rows))
    raise ValueError(
        f"{name} {differ}: {theirs} and {ours} at position {at:,}. To pair rows by index, {by_index}; "
        f"if they belong together as they stand, pass {name}.to_numpy()."
    )


def _index(value: Any) -> Any:
    """Return the index of a pandas column or table; None for whatever has none."""
    value = native(value)
    index = getattr(value, "index", None)
    return index if library(value) == "pandas" and not callable(index) else None


@contextmanager
def guarded(value: Any, name: str) -> Iterator[None]:
    """Turn whatever a foreign object raises while it is read into one sentence."""
    try:
        yield
    except Exception as error:
        if isinstance(error, MemoryError) or str(error).startswith(f"{name} "):
            raise
        kind = type(value)
        own = isinstance(value, HostColumn | DeviceColumn)
        culprit = "one of its values" if own else f"{kind.__module__}.{kind.__qualname__}"
        raise ValueError(
            f"{name} could not be read: {culprit} raised {type(error).__name__}. "
            "Pass a NumPy array, a list, or a column of a data frame."
        ) from error


def _array(array: NDArray[Any], name: str) -> HostColumn:
    refuse_shape(array.shape, name)
    if isinstance(array, np.ma.MaskedArray):
        absent = np.flatnonzero(np.ma.getmaskarray(array))
        refuse_missing(name, len(absent), int(absent[0]) if len(absent) else None)
    array = np.asarray(array)
    return HostColumn(
        name,
        len(array),
        lambda start, stop: ArrayBlock(array[start:stop]),
        boolean=array.dtype.kind == "b",
    )


def _from_sequence(values: Sequence[Any]) -> NDArray[Any]:
    # NumPy makes text of everything if a single element is text: such lists stay objects.
    if len(values) and isinstance(values[0], str | bytes):
        return np.array(values, dtype=object)
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):  # rows of unequal lengths, and the like
        return np.fromiter(values, dtype=object, count=len(values))
    return np.array(values, dtype=object) if array.dtype.kind in "US" else array


def _device(value: Any, name: str) -> DeviceColumn | None:
    import array_api_compat

    if not array_api_compat.is_array_api_obj(value):
        return None
    refuse_shape(tuple(value.shape), name)
    return DeviceColumn(name, value, array_api_compat.array_namespace(value))


def _pandas(value: Any, name: str) -> HostColumn:
    if getattr(value, "ndim", 1) != 1:
        refuse_table(value, name)
    with guarded(value, name):
        array = getattr(value, "array", value)  # a Series and an Index hold an extension array
        dtype = array.dtype
        if hasattr(array, "categories"):
            labels = dict(enumerate(array.categories.tolist()))
            return _coded(name, array.codes, labels, ordered=bool(array.ordered))
        if getattr(dtype, "storage", None) == "pyarrow" or hasattr(dtype, "pyarrow_dtype"):
            return _pyarrow(array.__arrow_array__(), name)
        if isinstance(getattr(value, "dtype", None), np.dtype):
            return _array(value.to_numpy(), name)
        numpy_dtype = getattr(dtype, "numpy_dtype", None)
        if numpy_dtype is None:
            return _array(array.to_numpy(), name)
        absent = array.isna()
        refuse_missing(name, int(absent.sum()), int(absent.argmax()) if len(array) else 0)
        return _array(array.to_numpy(dtype=numpy_dtype), name)


def _polars(value: Any, name: str) -> HostColumn:
    if not hasattr(value, "to_physical"):
        refuse_table(value, name)
    with guarded(value, name):
        missing = value.null_count()
        if missing:
            refuse_missing(name, missing, int(value.is_null().arg_max()))
        dtype = str(value.dtype)
        if dtype.startswith("Enum"):
            labels = dict(enumerate(value.dtype.categories))
            return _coded(name, value.to_physical().to_numpy(), labels, ordered=True)
        if dtype.endswith("Int128"):
            value = of_64_bits(value, name)
        if dtype == "String" or dtype.startswith("Categorical"):
            return HostColumn(name, len(value), lambda a, b: PolarsTextBlock(value.slice(a, b - a)))
        return HostColumn(
            name,
            len(value),
            lambda a, b: ArrayBlock(value.slice(a, b - a).to_numpy()),
            boolean=dtype == "Boolean",
        )


def of_64_bits(value: Any, name: str) -> Any:
    """Return whole numbers of 128 bits, which NumPy does not have, as such of 64."""
    try:
        return value.cast(int)
    except Exception:  # noqa: BLE001 - an error of polars, which is not imported here
        raise ValueError(
            f"{name} holds whole numbers beyond 64 bits, which NumPy does not have; pass ranks, or labels as "
            "text."
        ) from None


def _pyarrow(value: Any, name: str) -> HostColumn:
    if not hasattr(value, "null_count") or not hasattr(value, "dictionary_encode"):
        refuse_table(value, name)
    with guarded(value, name):
        if value.null_count:
            absent = value.is_null()
            refuse_missing(name, value.null_count, absent.index(True).as_py())
        dtype = str(value.type)
        if dtype.startswith("dictionary") and hasattr(value, "unify_dictionaries"):
            value = value.unify_dictionaries()
        elif dtype in {"string_view", "binary_view"}:  # few of Arrow's functions know these yet
            value = value.cast(f"large_{dtype.removesuffix('_view')}")
        return HostColumn(name, len(value), _arrow_blocks(value, dtype), boolean=dtype == "bool")


def _arrow_blocks(value: Any, dtype: str) -> Callable[[int, int], ArrayBlock | CodedBlock]:
    coded = dtype.startswith("dictionary")
    text = dtype in _ARROW_TEXT or dtype.startswith("fixed_size_binary")

    def take(start: int, stop: int) -> ArrayBlock | CodedBlock:
        part = value.slice(start, stop - start)
        if hasattr(part, "chunks"):
            part = part.chunk(0) if part.num_chunks == 1 else part.combine_chunks()
        if coded or text:
            part = part if coded else part.dictionary_encode()
            labels = dict(enumerate(part.dictionary.to_pylist()))
            return CodedBlock(part.indices.to_numpy(zero_copy_only=False), labels)
        return ArrayBlock(part.to_numpy(zero_copy_only=False))

    return take


def _coded(name: str, codes: NDArray[Any], labels: Mapping[int, Any], *, ordered: bool) -> HostColumn:
    return HostColumn(
        name,
        len(codes),
        lambda start, stop: CodedBlock(codes[start:stop], labels),
        ordered=ordered,
    )


_READERS: dict[str, Callable[[Any, str], HostColumn]] = {
    "pandas": _pandas,
    "polars": _polars,
    "pyarrow": _pyarrow,
}
