"""What every public value shares: frozen, and compared by what it holds."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


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
