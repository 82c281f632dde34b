"""Numbers that are checked, or read as they were printed; and bases of public values, which are frozen."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np

from clearbar.core._typing import FloatArray, IntArray, Undefined
from clearbar.core.errors import ArgumentError, shown

# Above twice this a float64 no longer tells whole numbers apart; the distribution of TP needs the factor.
LARGEST_TOTAL = 2**52
# What float() takes, or makes nan of, though it is no number.
_NO_NUMBERS = (str, bytes, bytearray, bool, np.bool_, type(np.ma.masked))


def numbers(name: str, value: Any) -> FloatArray:
    """Return a number or an array of them as float64, or say what was given instead; nan is let in."""
    try:
        array = np.asarray(value)
        if array.dtype.kind == "O":
            array = np.array([_number(item) for item in array.ravel()], dtype=np.float64).reshape(array.shape)
    except (TypeError, ValueError, OverflowError):
        array = np.asarray("")
    if array.dtype.kind not in "iuf" or is_masked(value):
        raise ValueError(f"{name} must be a number or an array of them; found {shown(value)}.")
    return array.astype(np.float64, copy=False)


def number_or_nan(value: Any) -> float:
    """Return one number as a float, and nan for whatever is not one."""
    try:
        array = numbers("", value)
    except ValueError:
        return math.nan
    return math.nan if array.ndim else float(array)


def shares(name: str, value: Any) -> FloatArray:
    """Return shares from 0 to 1, or one as it is printed, such as "45.9 %"; or say what they may be."""
    given, unit = _printed(value)
    try:
        share = numbers(name, given) / unit
    except ValueError:
        share = np.asarray(np.nan)
    if not ((share >= 0) & (share <= 1)).all():
        rule = f' must be a share from 0 to 1, such as 0.459 or "45.9 %"; found {shown(value)}.'
        raise ArgumentError(name, rule)
    return share


def share_or_nan(value: Any) -> float:
    """Return one share as a float, also as it is printed, and nan for whatever is no number."""
    given, unit = _printed(value)
    return number_or_nan(given) / unit


def _printed(value: Any) -> tuple[Any, int]:
    """Return the number that a text spells, whatever is none as it is, and 100 where it is per cent."""
    if not isinstance(value, str):
        return value, 1
    percent = value.rstrip().endswith("%")
    try:
        return float(value.rstrip(" %\u202f\u00a0") if percent else value), 100 if percent else 1
    except ValueError:
        return value, 1


def is_masked(value: Any) -> bool:
    """Tell whether values of an array are masked: NumPy drops the mask where it converts."""
    return isinstance(value, np.ma.MaskedArray) and bool(np.ma.getmaskarray(value).any())


def _number(item: Any) -> float:
    if isinstance(item, _NO_NUMBERS):
        raise TypeError
    return float(item)


def whole_number(name: str, value: Any, least: int = 0, instead: str = "") -> int:
    """Return one whole number from `least` up, or say what may be given, something else `instead` too."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise ValueError(f"{name} must be a whole number from {least} up{instead}; found {shown(value)}.")


def checked_flag(name: str, value: Any) -> bool:
    """Return a truth value, or say that an option takes nothing else."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} must be True or False; found {value!r:.60}.")


def checked_policy(undefined: Any) -> Undefined:
    """Return the policy, or say which ones there are."""
    if isinstance(undefined, str) and undefined in {"exclude", "worst"}:
        return undefined  # type: ignore[return-value]
    number = number_or_nan(undefined)
    if not math.isfinite(number):
        msg = f"undefined must be 'exclude', 'worst' or a finite number; found {shown(undefined)}."
        raise ValueError(msg)
    return number


def whole_numbers(name: str, value: Any) -> IntArray:
    """Return ``value`` as an int64 array, or say what in it is not a whole number from 0 up."""
    try:
        array, finding = np.asarray(value), ""
    except ValueError:
        rule = "must be a number, or numbers in rows of equal length"
        raise ValueError(f"{name} {rule}; found {shown(value)}.") from None
    except (TypeError, RuntimeError) as error:  # such as an array on a device
        kind, raised = type(value).__name__, type(error).__name__
        rule = f"could not be read: {kind} raised {raised}. Pass numbers, a list or a NumPy array"
        raise ValueError(f"{name} {rule}.") from error
    if array.dtype.kind == "O" and not any(isinstance(item, _NO_NUMBERS) for item in array.ravel()):
        with suppress(TypeError, ValueError, OverflowError):
            array = array.astype(np.float64) if _has_fractions(array) else array.astype(np.int64)
    if is_masked(value):
        finding = "masked values"
    elif array.dtype.kind in "iu" and array.size and array.min() >= 0 and array.max() <= LARGEST_TOTAL:
        return array.astype(np.int64, copy=False)  # most numbers; the rest takes twice as long
    elif array.dtype.kind in "iuf":
        wrong = (array < 0) | (array > LARGEST_TOTAL)
        if array.dtype.kind == "f":
            wrong |= ~(np.isfinite(array) & (array == np.floor(array)))
        if not wrong.any():
            return array.astype(np.int64)
        finding = str(array[wrong].ravel()[0] if array.ndim else array[()])
    elif array.ndim and array.dtype.kind != "O":
        finding = f"{array.dtype} values"
    raise ValueError(f"{name} must hold whole numbers from 0 to 2**52; found {finding or shown(value)}.")


def _has_fractions(array: Any) -> bool:
    return any(not isinstance(item, (int, np.integer)) for item in array.ravel())


def _equal(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        left, right = np.asarray(left), np.asarray(right)
        if left.shape != right.shape:
            return False
        floats = left.dtype.kind == "f" and right.dtype.kind == "f"
        return bool(np.array_equal(left, right, equal_nan=floats))
    if isinstance(left, float) and isinstance(right, float) and left != left:  # noqa: PLR0124
        return right != right  # noqa: PLR0124
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(_equal, left, right))
    return bool(left == right)


def _hashable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, tuple(map(_hashable, value.ravel().tolist()))
    if isinstance(value, dict):
        return tuple(value.items())
    if isinstance(value, tuple):
        return tuple(map(_hashable, value))
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

    labels: ClassVar[tuple[str, str]] = ("negative", "positive")
    """What the two classes are called; no part of what is compared."""

    def called(self, labels: tuple[str, str]) -> Self:
        """Return the same numbers, of classes with other names."""
        if labels == self.labels:
            return self
        named = self._trusted(getattr(self, name) for name in self._names())
        object.__setattr__(named, "labels", labels)
        return named

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
        selected = self._trusted(np.asarray(getattr(self, name))[index] for name in self._names())
        return selected.called(self.labels)

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


def generator(random_state: Any) -> np.random.Generator:
    """Return a Generator from what scikit-learn's users call ``random_state``."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.Generator(random_state._bit_generator)  # noqa: SLF001 - its only handle
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError):
        raise ValueError(
            f"random_state must be a seed, a numpy Generator or None; found {random_state!r}."
        ) from None


def checked_seed(random_state: Any) -> int:
    """Return a seed: the whole number that was given, or one drawn from a generator."""
    if isinstance(random_state, (bool, np.bool_)):
        raise ValueError(
            f"random_state must be a seed, a numpy Generator or None; found {random_state!r}: for other "
            "numbers each time pass None."
        )
    if isinstance(random_state, (int, np.integer)) and random_state >= 0:
        return int(random_state)
    return int(generator(random_state).integers(2**63))


# -- printed numbers -----------------------------------------------------------------------------------------
_PRINTED = re.compile(r"([+\-−]?)(?P<number>(?:\d+|(?=\.\d))(?:\.(?P<decimals>\d*))?)\s*(?P<percent>%?)")
MOST_DECIMALS = 40
# Error of a score of a few operations on floats; all of their digits are more than they know.
FLOAT = Fraction(1, 2**50)


@dataclass(frozen=True)
class Printed:
    """A printed number: its value, the decimals of that (two more than of a percentage), and its text."""

    value: Fraction
    decimals: int
    text: str

    @classmethod
    def read(cls, name: str, text: Any) -> Printed:
        """Read a text, or say that it is no printed number."""
        match = _PRINTED.fullmatch(text.strip()) if isinstance(text, str) else None
        decimals = len(match["decimals"] or "") if match else 0
        if match is None or decimals > MOST_DECIMALS:
            raise ValueError(f'{name} must be a number, or text such as "0.735"; found {shown(text)}.')
        value = Fraction(match["number"]) / (100 if match["percent"] else 1)
        sign = -1 if match[1] in {"-", "−"} else 1
        return cls(sign * value, decimals + (2 if match["percent"] else 0), text.strip())

    def ends(self, *, truncated: bool = False) -> tuple[Fraction, Fraction]:
        """Return the least and the largest number that is printed so, both included: rules of ties differ.

        One that was cut off after its decimals is at most a unit of the last one further from 0; the end
        counts too, as 0.29 is a float a little below it.
        """
        unit = Fraction(1, 10**self.decimals)
        if not truncated:
            half = max(unit / 2, FLOAT * max(abs(self.value), Fraction(1)))
            return self.value - half, self.value + half
        if self.value == 0:
            return -unit, unit
        return (self.value, self.value + unit) if self.value > 0 else (self.value - unit, self.value)


def read_score(name: str, score: Any) -> Printed:
    """Read a score that has to be a text: a number does not tell its decimals."""
    if isinstance(score, str):
        return Printed.read(name, score)
    raise ValueError(
        f'{name} must be text with the decimals that were printed, such as "0.90"; found {shown(score)}, '
        "which does not tell how it was rounded."
    )
