"""Bases of public values: frozen, and compared by what they hold; some hold whole numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Self

import numpy as np

from clearbar.core._numbers import whole_numbers
from clearbar.core._typing import IntArray


def _equal(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        left, right = np.asarray(left), np.asarray(right)
        if left.shape != right.shape:
            return False
        floats = left.dtype.kind == "f" and right.dtype.kind == "f"
        return bool(np.array_equal(left, right, equal_nan=floats))
    if isinstance(left, float) and isinstance(right, float) and left != left:  # noqa: PLR0124
        return right != right  # noqa: PLR0124
    return bool(left == right)


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, tuple(map(_hashable, value.ravel().tolist()))
    if isinstance(value, dict):
        return tuple(value.items())
    return "nan" if isinstance(value, float) and value != value else value  # noqa: PLR0124


class Value:
    """A frozen dataclass whose fields may be arrays: equal when all that it holds is equal.

    Two nans count as the same, since they stand for the same missing value.
    """

    __slots__ = ()

    def _identity(self) -> tuple[Any, ...]:
        return tuple(
            getattr(self, field.name)
            for field in dataclasses.fields(self)  # type: ignore[arg-type]
            if field.compare
        )

    def __eq__(self, other: object) -> bool:
        """Compare by value."""
        if type(other) is not type(self):
            return NotImplemented
        return all(map(_equal, self._identity(), other._identity()))

    def __hash__(self) -> int:
        """Hash by value."""
        return hash((type(self).__name__, *map(_hashable, self._identity())))


class WholeNumbers(Value):
    """A dataclass of whole numbers, or of read-only arrays of them that are indexed together as in NumPy."""

    _one: ClassVar[str]
    """What a message calls a single one of them."""

    @classmethod
    def _names(cls) -> tuple[str, ...]:
        return tuple(cls.__dataclass_fields__)  # type: ignore[attr-defined] # quicker than `fields`

    def _checked(self) -> list[IntArray]:
        """Return what was given as whole numbers of one shape, or say why it is not."""
        arrays = {name: whole_numbers(name, getattr(self, name)) for name in self._names()}
        try:
            return list(np.broadcast_arrays(*arrays.values()))
        except ValueError:
            shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
            raise ValueError(
                f"shapes must be equal, or broadcast against each other; found {shapes}."
            ) from None

    def _keep(self, arrays: Iterable[Any]) -> None:
        """Hold numbers that were checked, and that nobody else can write to."""
        for name, array in zip(self._names(), arrays, strict=True):
            several = isinstance(array, np.ndarray) and array.ndim > 0
            if several:
                array.flags.writeable = False
            object.__setattr__(self, name, array if several else int(array))

    @classmethod
    def _trusted(cls, arrays: Iterable[Any]) -> Self:
        """Make a value of numbers that were checked before, as when some of them are selected."""
        trusted = object.__new__(cls)
        trusted._keep(arrays)
        return trusted

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the arrays; ``()`` for single numbers."""
        return np.shape(getattr(self, self._names()[0]))

    def __getitem__(self, index: Any) -> Self:
        """Select some of them as NumPy would."""
        if not self.shape:
            raise TypeError(f"this is one {self._one}, not an array of them; there is nothing to index.")
        return self._trusted(np.asarray(getattr(self, name))[index] for name in self._names())

    def __bool__(self) -> bool:
        """Be true: this is not an empty collection, whether it has a length or not."""
        return True

    def __len__(self) -> int:
        """Length of the leading axis."""
        if not self.shape:
            raise TypeError(f"this is one {self._one}, not an array of them; it has no length.")
        return self.shape[0]

    def __iter__(self) -> Iterator[Self]:
        """Iterate over the leading axis."""
        return (self[index] for index in range(len(self)))
