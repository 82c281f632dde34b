"""Columns: whatever a person passes as one value per sample, as an array in this process's memory.

No data frame library is imported here: their columns are recognised by where their class comes from, and
asked for their data by their own methods, without a copy where they have none to make. Arrays on a device
are copied once.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from clearbar.core._typing import BoolArray, IntArray
from clearbar.core.errors import ArgumentError, listed, number_in_words, shown

# Samples that are compared at once: below 2**15 Python's overhead shows, above 2**18 the cache overflows.
BLOCK = 2**17
_MOST_ROOM = 2**20  # whole numbers within a range of this length are looked up rather than sorted

_REMEDIES_OF_MISSING = {
    "y_true": "Drop those rows or label them: a sample without a label has no place in the counts.",
    "by": "Drop those rows or give them a slice of their own, such as 'unknown'.",
    "clusters": "Drop those rows or give each a group of its own.",
    "given": "Drop those rows or give them a value of their own, such as 'unknown'.",
    "sample_weight": "Drop those rows or weigh them.",
}
_REMEDY_OF_PREDICTIONS = "Drop those rows or predict them: a missing prediction has no place in the counts."
_COLUMN_REMEDY = "Pass an array, a list, or a column of a data frame."


def blocks(length: int, step: int = BLOCK) -> Iterator[slice]:
    """Cut samples into blocks: whatever is made of one stays in the processor's cache."""
    return (slice(start, min(start + step, length)) for start in range(0, length, step))


def plain(label: Any) -> Any:
    """Return a label as the Python value that it equals: ``np.int8(1)`` and ``1.0`` are ``1``."""
    if isinstance(label, np.ndarray) and label.ndim == 0:
        label = label[()]
    if isinstance(label, np.floating):
        label = float(label)
    elif isinstance(label, np.bool_ | np.integer | np.str_ | np.bytes_):
        label = label.item()
    return int(label) if isinstance(label, float | Decimal) and is_whole(label) else label


def is_whole(label: Any) -> bool:
    """Tell whether a number can be a label; a fraction, nan or infinity cannot."""
    try:
        return isinstance(label, int) or bool(math.isfinite(label) and label == math.floor(label))
    except (ArithmeticError, TypeError, ValueError):  # a signalling nan, or a user-defined number
        return False


def is_missing(value: Any) -> bool:
    """Tell whether a single value stands for none, in any library."""
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    if isinstance(value, Decimal):  # one that signals refuses to be compared
        return value.is_nan()
    return isinstance(value, float | np.floating | np.datetime64 | np.timedelta64) and bool(np.isnan(value))


@dataclass(frozen=True)
class Column:
    """A value per sample; with `categories` a code of one of these, or of none where it is missing."""

    name: str
    values: NDArray[Any] = field(repr=False)
    categories: Mapping[int, Any] | None = field(default=None, repr=False)
    ordered: bool = False  # whether the categories have an order of their own

    @property
    def length(self) -> int:
        return len(self.values)

    def label(self, index: int) -> Any:
        value = self.values[index]
        return plain(value) if self.categories is None else self.categories.get(int(value))

    def equal(self, label: Any, rows: slice) -> BoolArray:
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
        values = self.values[rows]
        if self.categories is not None:
            present = [code for code, category in self.categories.items() if not is_missing(category)]
            return ~np.isin(values, np.array(present, dtype=np.int64))
        if values.dtype.kind in "fcmM":
            return np.asarray(np.isnan(values))
        if values.dtype.kind in "OT":
            return np.fromiter(map(is_missing, values), bool, count=len(values))
        return np.zeros(len(values), dtype=bool)


def read(value: Any, name: str) -> Column:
    if not isinstance(value, np.ndarray):
        _refuse_type(value, name)
        home = library(value)
        with guarded(value, name):
            if home is not None:
                return _READERS[home](value, name)
            if hasattr(value, "to_native"):
                return read(native(value), name)
            value = _array_of(value, name)
    _refuse_shape(value.shape, name)
    if isinstance(value, np.ma.MaskedArray):
        refuse_absent(name, np.ma.getmaskarray(value))
    return Column(name, np.asarray(value))


def _array_of(value: Any, name: str) -> NDArray[Any]:
    if isinstance(value, Sequence) and not isinstance(value, memoryview):
        # NumPy makes text of everything if a single element is text: such lists stay objects.
        if len(value) and isinstance(value[0], str | bytes):
            return np.array(value, dtype=object)
        try:
            array = np.asarray(value)
        except (ValueError, OverflowError):  # rows of unequal lengths, and the like
            return np.fromiter(value, dtype=object, count=len(value))
        return np.array(value, dtype=object) if array.dtype.kind in "US" else array
    if is_foreign_array(value):
        _refuse_shape(tuple(value.shape), name)  # before anything is copied
        return to_host(value)
    numpy_reads = hasattr(value, "__array__") or hasattr(value, "__array_interface__")
    return np.asarray(value if numpy_reads else memoryview(value))


def is_foreign_array(value: Any) -> bool:
    """Tell whether this is an array of another library, perhaps on a device."""
    return hasattr(value, "__dlpack__") and hasattr(value, "shape") and not isinstance(value, np.ndarray)


def to_host(array: Any) -> NDArray[Any]:
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
    if hasattr(array, "categories"):
        categories = dict(enumerate(array.categories.tolist()))
        return Column(name, np.asarray(array.codes), categories, ordered=bool(array.ordered))
    if getattr(array.dtype, "storage", None) == "pyarrow" or hasattr(array.dtype, "pyarrow_dtype"):
        return _pyarrow(array.__arrow_array__(), name)
    if isinstance(getattr(value, "dtype", None), np.dtype):
        return read(value.to_numpy(), name)
    refuse_absent(name, np.asarray(array.isna()))
    return read(array.to_numpy(dtype=getattr(array.dtype, "numpy_dtype", None)), name)


def _polars(value: Any, name: str) -> Column:
    if not hasattr(value, "to_physical"):
        refuse_table(value, name)
    if value.null_count():
        refuse_absent(name, value.is_null().to_numpy())
    dtype = str(value.dtype)
    if dtype.startswith("Enum"):
        categories = dict(enumerate(value.dtype.categories))
        return Column(name, value.to_physical().to_numpy(), categories, ordered=True)
    if dtype == "String":
        value = value.cast(sys.modules["polars"].Categorical)
    if dtype == "String" or dtype.startswith("Categorical"):
        present = value.unique()
        categories = dict(zip(present.to_physical().to_list(), present.to_list(), strict=True))
        return Column(name, value.to_physical().to_numpy(), categories)
    return Column(name, value.to_numpy())


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


_READERS = {"pandas": _pandas, "polars": _polars, "pyarrow": _pyarrow}


def columns_of(frame: Any, argument: str) -> tuple[list[Any], list[Any]] | None:
    """Return the names and the columns of a data frame; None of a single column."""
    if is_lazy(frame):
        raise ValueError(
            f"{argument} is a lazy frame; pass {argument}.collect(), or use evaluate_frame on it."
        )
    names = getattr(frame, "column_names", getattr(frame, "columns", None))
    if names is None or getattr(frame, "ndim", 2) != 2:
        return None
    with guarded(frame, argument):
        if hasattr(frame, "iloc"):
            return list(names), [frame.iloc[:, index] for index in range(len(names))]
        column = frame.to_series if hasattr(frame, "to_series") else frame.column
        return list(names), list(map(column, range(len(names))))


def is_lazy(frame: Any) -> bool:
    return hasattr(frame, "collect_schema") and not hasattr(frame, "height")


@contextmanager
def guarded(value: Any, name: str) -> Iterator[None]:
    """Turn whatever a foreign object raises while it is read into one sentence."""
    try:
        yield
    except (ArgumentError, MemoryError):
        raise
    except BaseException as error:  # a panic of polars is no Exception
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        kind = type(value)
        culprit = "one of its values" if kind is Column else f"{kind.__module__}.{kind.__qualname__}"
        raise ArgumentError(
            name,
            f" could not be read: {culprit} raised {type(error).__name__}. ",
            "Pass a NumPy array, a list, or a column of a data frame.",
        ) from error


def refuse_missing(name: str, number: int, first: int | None) -> None:
    """Raise if a column has missing values, the first of them at a position."""
    if not number:
        return
    values = "1 missing value" if number == 1 else f"{number:,} missing values"
    where = "" if first is None else f" ({'' if number == 1 else 'first '}at position {first})"
    raise ArgumentError(
        name, f" has {values}{where}. ", _REMEDIES_OF_MISSING.get(name, _REMEDY_OF_PREDICTIONS)
    )


def refuse_absent(name: str, absent: BoolArray) -> None:
    refuse_missing(name, int(np.count_nonzero(absent)), int(np.argmax(absent)) if len(absent) else None)


def _refuse_type(value: Any, name: str) -> None:
    rule = " must hold one value per sample"
    if value is None or isinstance(value, (str, bytes, bool, int, float, complex, np.generic)):
        raise ArgumentError(name, f"{rule}; found the single value {shown(value)}. ", _COLUMN_REMEDY)
    if isinstance(value, Mapping):
        raise ArgumentError(
            name,
            f"{rule}; found a mapping with the keys {listed(map(shown, value), most=6)}. ",
            f"Pass one of its values, e.g. {name}[{shown(next(iter(value), 'label'))}].",
        )
    if isinstance(value, AbstractSet):
        finding, right = "a set, which has no order", "Pass a list in the samples' order."
    elif isinstance(value, Iterator):
        finding, right = "an iterator, which can be read only once", f"Pass list({name})."
    else:
        return
    raise ArgumentError(name, f"{rule}, in order; found {finding}. ", right)


def _refuse_shape(shape: tuple[int, ...], name: str) -> None:
    if len(shape) == 1:
        return
    remedy = f"Pass one column of it, e.g. {name}[:, 0]"
    if not shape:
        remedy = "Pass an array with a label for each sample"
    elif sum(length != 1 for length in shape) <= 1:
        remedy = f"Use {name}.ravel()"
    elif name.startswith("y_score"):
        remedy = "For several models pass a mapping with an array each; of many classes judge one at a time"
        if shape[1:] == (2,):
            remedy = (
                f"Two columns look like predict_proba: pass {name}[:, 1], the score of the positive class"
            )
    elif name == "y_true":
        remedy = "Judge one label at a time: pass one column of it, e.g. y_true[:, 0]"
    elif name == "y_pred":
        remedy += "; for several runs of one model use evaluate, with shape (runs, samples)"
    raise ArgumentError(
        name, f" must be one-dimensional, one value per sample; found shape {shape}. ", f"{remedy}."
    )


def refuse_table(value: Any, name: str) -> NoReturn:
    kind = type(value)
    problem = f" must be one column; found a {kind.__module__.partition('.')[0]} {kind.__name__}"
    if is_lazy(value):
        raise ArgumentError(
            name, f"{problem}. ", "Pass one of its columns after collect(), or use evaluate_frame."
        )
    columns: list[Any] = list(getattr(value, "column_names", getattr(value, "columns", ())))
    remedy = _COLUMN_REMEDY
    if columns:
        noun = "column" if len(columns) == 1 else "columns"
        problem += f" with the {noun} {listed(map(shown, columns), most=6)}"
        remedy = f"Pass one of them, e.g. {name}[{shown(columns[0])}]."
    raise ArgumentError(name, f"{problem}. ", remedy)


def refuse_several(value: Any, name: str, remedy: str) -> None:
    """Raise if a list or tuple holds arrays: whether they are models or runs it does not say."""
    if not isinstance(value, (list, tuple)) or not value or not all(map(_is_row, value)):
        return
    kind = type(value).__name__
    if len(value) == 1:
        raise ValueError(f"{name} is a {kind} of one array; pass the array itself.")
    if max(map(len, value)) > 1:  # else it is a column, which is told to be one-dimensional
        raise ValueError(f"{name} is a {kind} of {number_in_words(len(value))} arrays; {remedy}.")


def _is_row(value: Any) -> bool:
    array = len(getattr(value, "shape", ())) == 1 or hasattr(value, "null_count")  # pyarrow's have no shape
    return array or isinstance(value, list | tuple)


def refuse_unequal(name: str, length: int, other: str, other_length: int) -> None:
    if length != other_length:
        raise ValueError(
            f"{other} and {name} must have the same length; found {other_length:,} and {length:,} samples."
        )


def refuse_empty(name: str, length: int) -> None:
    if length == 0:
        raise ArgumentError(name, " holds no samples; at least one is needed to have a bar.")


def refuse_other_rows(y_true: Any, value: Any, name: str) -> None:
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


class Factor(NamedTuple):
    """The distinct values of a column, and the position of each sample's among them."""

    values: tuple[Any, ...]
    codes: IntArray


def factorise(by: Any, length: int, name: str = "by") -> Factor:
    """Number the distinct values of a column, sorted unless a categorical type has an order of its own."""
    _refuse_truth_among_numbers(by, name)
    column = read(by, name)
    refuse_unequal("y_true", length, name, column.length)
    values = column.values
    with guarded(by, name):
        refuse_absent(name, column.missing())
        if column.categories is not None:
            present, codes = _present(values.astype(np.int64, copy=False))
            labels = [column.categories[code] for code in present.tolist()]
            # Codes are in the order of an ordered type only, and an Arrow dictionary may hold a label twice.
            factor = _of_objects(labels, None if column.ordered else in_order)
            return Factor(factor.values, factor.codes[codes])
        if values.dtype.kind in "OUST":  # a dictionary is several times faster than sorting
            return _of_objects(values.tolist(), in_order)
        if values.dtype.kind in "iu" and len(values):
            low, wide = int(values.min()), np.uint64 if values.dtype.kind == "u" else np.int64
            if int(values.max()) - low < _MOST_ROOM:
                present, codes = _present(np.subtract(values, low, dtype=wide).astype(np.int64))
                return Factor(tuple(code + low for code in present.tolist()), codes)
        distinct, codes = np.unique(values, return_inverse=True)
        # Dates stay NumPy's: as Python values, those with nanoseconds would become bare numbers.
        return Factor(
            tuple(distinct if values.dtype.kind in "mM" else distinct.tolist()), codes.astype(np.int64)
        )


def _refuse_truth_among_numbers(by: Any, name: str) -> None:
    """Refuse 1 beside True: they compare equal, so that two slices would be one."""
    dtype = getattr(by, "dtype", None)
    if getattr(dtype, "kind", "") == "O" or isinstance(by, (list, tuple)):
        kinds = set(map(type, getattr(dtype, "categories", by)))
        others = kinds - {bool, np.bool_}
        if len(others) < len(kinds) and any(issubclass(kind, (int, float, np.number)) for kind in others):
            raise ValueError(
                f"{name} must not hold True or False beside numbers: 1 and True compare equal, so that two "
                "slices would be one. Write all of them as text, or all as numbers."
            )


def _of_objects(labels: Sequence[Any], order: Any) -> Factor:
    distinct = list(dict.fromkeys(labels))
    distinct = distinct if order is None else order(distinct)
    position = {label: index for index, label in enumerate(distinct)}
    codes = np.fromiter(map(position.__getitem__, labels), dtype=np.int64, count=len(labels))
    return Factor(tuple(distinct), codes)


def _present(codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the codes that occur, ascending, and each one's position among them: `unique` by counting."""
    if len(codes) and int(codes.max()) >= max(_MOST_ROOM, len(codes)):  # polars numbers categories globally
        present, inverse = np.unique(codes, return_inverse=True)
        return present, inverse.astype(np.int64, copy=False)
    counts = np.bincount(codes)
    present = np.flatnonzero(counts)
    position = np.zeros(len(counts), dtype=np.int64)
    position[present] = np.arange(len(present))
    return present, position[codes]


def in_order(labels: Iterable[Any]) -> list[Any]:
    """Return labels sorted, those of several types by the name of their type first."""
    try:
        return sorted(labels)
    except TypeError:  # values of several types
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def rows_of(codes: IntArray | None, groups: int) -> tuple[Any, ...]:
    """Return the samples of each slice, all of them first."""
    if codes is None:
        return (slice(None),)
    order = np.argsort(codes, kind="stable")
    return slice(None), *np.split(order, np.searchsorted(codes[order], np.arange(1, groups)))
