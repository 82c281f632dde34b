"""What is registered: a measure of any kind, a family of measures, a name that is refused."""

from __future__ import annotations

import functools
import math
import pickle
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType, NoneType, UnionType
from typing import Any, ClassVar, NoReturn

import numpy as np

from clearbar.catalogue._domain import Condition
from clearbar.core import Later
from clearbar.core._typing import FloatArray
from clearbar.core._value import Value, number_or_nan, numbers
from clearbar.core.counts import CELLS
from clearbar.core.errors import ArgumentError, brief, listed, shown, visible


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


_WORDS: dict[Any, tuple[str, ...]] = {
    bool: ("True", "False"),
    str: ("a text",),
    float: ("a number",),
    Condition: ("a Condition",),
    NoneType: ("None",),
    tuple[str, ...]: ("a tuple of texts",),
    Mapping[str, float]: ("a mapping of names to numbers",),
}
_MEANING = {
    "function": "callable on arrays, as function(tp, fp, fn, tn) is",
    "greater_is_better": "True for a score, False for a loss or None where neither end is better",
}


LARGEST = 1e100  # largest size of a value or of a parameter: what is made of its square is a number, too


def check_facts(entry: Any) -> None:
    """Check that the facts of a measure are of the types that its class declares."""
    _check_name(entry.name)
    for fact in fields(entry):
        hint, value = _hints(entry.__class__)[fact.name], getattr(entry, fact.name)
        if fact.name != "bounds" and not _fits(value, hint):
            _refuse(entry, fact.name, _MEANING.get(fact.name) or listed(_words(hint), last="or"))


def _fits(value: Any, hint: Any) -> bool:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (UnionType, typing.Union):
        return any(_fits(value, part) for part in parts)
    if origin is typing.Literal:
        return any(type(value) is type(choice) and value == choice for choice in parts)
    if origin is tuple:
        return isinstance(value, (tuple, list)) and all(_fits(item, parts[0]) for item in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(item, parts[1]) for item in value.values())
    if hint is float:
        return bool(number_or_nan(value) == value)  # what float() reads as itself
    return hint is Any or (callable(value) if origin is Callable else isinstance(value, hint))


def _words(hint: Any) -> list[str]:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (UnionType, typing.Union):
        return [word for part in parts for word in _words(part)]
    if origin is typing.Literal:
        return [repr(choice) for choice in parts]
    if origin is Callable:
        return ["a function"]
    return list(_WORDS.get(hint, (f"a {getattr(hint, '__name__', hint)}",)))


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"name must be a non-empty text; found {shown(name)}.")
    if not name.isprintable():
        raise ValueError(f"name must be one line of printable characters; found {shown(name)}.")


def checked_bounds(entry: Any) -> tuple[float, float]:
    """Return the bounds of a measure as two floats."""
    if entry.bounds is None:
        return -math.inf, math.inf
    try:
        low, high = map(number_or_nan, entry.bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        _refuse(entry, "bounds", "(low, high) with low < high")
    return low, high


def _refuse(entry: Any, fact: str, words: str) -> NoReturn:
    wrong = f"{shown(getattr(entry, fact))} for the measure {shown(entry.name)}"
    raise ValueError(f"{fact} must be {words}; found {wrong}.")


def returned_values(measure: Any, cells: list[FloatArray]) -> FloatArray:
    """Call a measure's function, and check that it returned one number per table."""
    try:
        with np.errstate(all="ignore"):
            returned = measure.function(*cells, **measure.float_parameters())
            returned = (
                _unmasked(returned, cells[0].shape) if isinstance(returned, np.ma.MaskedArray) else returned
            )
            values = np.asarray(_real(np.asarray(returned)), dtype=np.float64)
    except Exception as error:
        if measure.in_catalogue:
            raise
        raise ValueError(
            f"the function of the measure {shown(measure.name)} failed on arrays of tp, fp, fn, "
            f"tn: {type(error).__name__}: {brief(visible(error), most=200)}. It must be vectorised: take "
            "float64 arrays, return one array of their shape."
        ) from error
    if values.shape != cells[0].shape:
        raise ValueError(
            f"the function of the measure {shown(measure.name)} must return one value per table: "
            f"given arrays of shape {cells[0].shape}, it returned shape {values.shape}."
        )
    if not measure.in_catalogue:
        _refuse_vast(measure, cells, values)
    return values


def _refuse_vast(measure: Any, cells: list[FloatArray], values: FloatArray) -> None:
    """Refuse finite values of tables whose squares, or those of sums of them, may not be numbers."""
    # At rates next to 0 or 1, where cells are no whole numbers, x / FP may be as large as it likes.
    vast = np.isfinite(values) & (np.abs(values) > LARGEST)
    if vast.any():
        for cell in cells:
            vast &= cell == np.rint(cell)
    if vast.any():
        raise ValueError(
            f"the function of the measure {shown(measure.name)} must return values from -{LARGEST:g} to "
            f"{LARGEST:g}, or infinity where it has none; found {values[vast][0]:g}. Take a larger unit, "
            "or the logarithm."
        )


def _unmasked(returned: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return nan, which is no value, for what is masked: NumPy would return what lies below the mask."""
    if returned is np.ma.masked:
        return np.full(shape, np.nan)
    return np.asarray(np.ma.filled(returned.astype(np.float64), np.nan))


def _real(returned: Any) -> Any:
    if returned.dtype.kind == "c":
        raise TypeError("complex numbers are not scores")
    return returned


def checked_cells(cells: tuple[Any, ...]) -> tuple[FloatArray, ...]:
    """Return the cells of tables, which may be fractional, or say what is wrong with them."""
    arrays = []
    for name, cell in zip(CELLS, cells, strict=True):
        array = numbers(name, cell)
        wrong = ~(array >= 0) | np.isinf(array)
        if wrong.any():
            raise ValueError(f"{name} must be finite and not negative; found {array[wrong].ravel()[0]:g}.")
        arrays.append(array)
    try:
        return tuple(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ValueError(f"tp, fp, fn and tn must have shapes that fit; found {shapes}.") from None


def refuse_false_affine(measure: Any) -> None:
    """Look at a few tables of one draw before a closed form is trusted."""
    tp = np.arange(1.0, 6.0)
    values = returned_values(measure, [tp, 7.0 - tp, 6.0 - tp, tp + 4.0])
    bend = np.abs(np.diff(values, 2))
    if np.isfinite(values).all() and (bend > 1e-9 * np.abs(values).max()).any():
        raise ValueError(
            f"affine=True is not so for {shown(measure.name)}: at M=17, P=6, k=7 its values at TP=1..5 are "
            f"{', '.join(f'{value:g}' for value in values)}. Leave affine out and it is summed instead."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Entry(Value):
    """What every measure says of itself, whatever it judges; its key is (name, kind)."""

    kind: ClassVar[str]

    name: str
    function: Callable[..., Any]
    greater_is_better: bool | None = field(default=True, kw_only=True)
    bounds: tuple[float, float] = field(default=(0.0, 1.0), kw_only=True)
    label: str = field(default="", kw_only=True)
    aliases: tuple[str, ...] = field(default=(), kw_only=True)
    formula: str = field(default="", kw_only=True)
    question: str = field(default="", kw_only=True)
    caution: str = field(default="", kw_only=True)
    source: str = field(default="", kw_only=True)
    parameters: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}), kw_only=True)
    family: str = field(default="", kw_only=True)
    in_catalogue: bool = field(default=False, kw_only=True)

    _repr_html_ = Later("clearbar.notebook", "measure_html")

    def __post_init__(self) -> None:
        check_facts(self)
        object.__setattr__(self, "bounds", checked_bounds(self))
        object.__setattr__(self, "label", self.label or self.name)
        object.__setattr__(self, "aliases", tuple(self.aliases))
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __repr__(self) -> str:
        """Name the measure; its facts are attributes."""
        return f"<{type(self).__name__} {self.name}>"

    def __str__(self) -> str:
        """Return the canonical name."""
        return self.name

    def finite(self, *given: Any) -> FloatArray:
        """Return the value of the formula; nan where it has none."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            value = np.asarray(self.function(*given), dtype=np.float64)
        return np.where(np.isfinite(value), value, np.nan)

    def _identity(self) -> tuple[Any, ...]:
        if self.in_catalogue:
            return self.name, tuple(self.parameters.items())
        return super()._identity()

    def __hash__(self) -> int:
        """Hash by name; equal measures have equal names."""
        return hash(self.name)

    __eq__ = Value.__eq__

    def __reduce__(self) -> Any:
        """Pickle a measure of the catalogue by name, another one by its fields."""
        if self.in_catalogue:
            from clearbar.catalogue._registry import restore

            return restore, (self.kind, self.name, self.family, dict(self.parameters))
        given = {fact.name: getattr(self, fact.name) for fact in fields(self)}
        for fact, value in given.items():
            if "<" in getattr(value, "__qualname__", ""):
                raise pickle.PicklingError(
                    f"the measure {shown(self.name)} cannot be pickled: its {fact} is a lambda or defined "
                    "inside another one. Define it with def at the top of a module."
                )
        given["parameters"] = dict(self.parameters)
        return _remake, (type(self), given)

    def __copy__(self) -> Any:
        """Return the same object: it cannot change."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Return the same object: it cannot change."""
        return self


def _remake(kind: type[Entry], given: dict[str, Any]) -> Entry:
    return kind(**given)


@dataclass(frozen=True)
class Range:
    """The numbers that a parameter may be."""

    low: float = 0
    high: float = math.inf
    above: bool = False  # without `low` itself
    whole: bool = False

    def checked(self, name: str, value: Any, of: str) -> int | float:
        """Return a number of the range, whole ones as int, or say what would be one."""
        number = number_or_nan(value)
        inside = math.isfinite(number) and self.low <= number <= self.high
        if not inside or (self.above and number == self.low) or (self.whole and not number.is_integer()):
            left = f"greater than {self.low:g}" if self.above else f"at least {self.low:g}"
            right = "" if math.isinf(self.high) else f" and at most {self.high:g}"
            words = f"a {'whole ' * self.whole}number {left}{right}"
            raise ValueError(f"{name} must be {words}; found {shown(value)} for {of}.")
        if number and not 1 / LARGEST <= abs(number) <= LARGEST:  # its square may be no number, or 0
            least = f"{'' if self.above else '0 or '}from {1 / LARGEST:g} to {LARGEST:g}"
            raise ValueError(f"{name} must be {least}; found {shown(value)} for {of}.")
        return int(number) if number.is_integer() else number


@dataclass(frozen=True, eq=False)
class Family:
    """Measures that differ in parameters: call it with them to get one."""

    name: str
    make: Callable[..., Any]  # given the checked parameters
    listed: Mapping[str, Any]  # the parameters with which the catalogue lists it
    kind: str = "binary"
    aliases: tuple[str, ...] = ()
    default: Mapping[str, int | float] | None = None  # what the name alone means
    allowed: Mapping[str, Range] = field(default_factory=dict)
    short: str = ""  # a pattern of names that carry the parameters, such as f2
    natural: bool = True  # whether it belongs to "all"

    def __call__(self, *values: float, **parameters: float) -> Any:
        """Return the measure for these parameters."""
        given = dict(zip(self.listed, values, strict=False)) | parameters
        return self.make(**self._checked(given, len(values)))

    def spelt(self, parameters: Mapping[str, str]) -> Any:
        """Return the measure whose parameters a short name carries; None if it names none."""
        numbers = {name: float(text) for name, text in parameters.items()}
        return self(**{name: int(x) if x.is_integer() else x for name, x in numbers.items()})

    def value(self, name: str, given: Any) -> Any:
        """Return a parameter as `make` takes it, or say what it must be."""
        return self.allowed.get(name, Range()).checked(name, given, self.name)

    @property
    def entry(self) -> Any:
        """The measure that the catalogue lists."""
        return self(**self.listed)

    @property
    def example(self) -> str:
        """How its parameters are written."""
        return ", ".join(f"{name}={value!r}" for name, value in self.listed.items())

    def _checked(self, parameters: Mapping[str, Any], positional: int) -> dict[str, Any]:
        unknown = [name for name in parameters if name not in self.listed]
        if unknown or positional > len(self.listed):
            what = brief(unknown[0]) if unknown else f"{positional} values"
            takes = " and ".join(self.listed)
            raise ValueError(f"{self.name} takes {takes}; found {what}. Write {self.name}({self.example}).")
        missing = [name for name in self.listed if name not in parameters]
        if missing and self.default is None:
            raise ArgumentError(
                "",
                f"{self.name} needs {' and '.join(missing)}: nothing is natural here. For example ",
                f"get_measure({self.name!r}, {self.example}).",
                "measure",
                [f"{self.name}({self.example})"],
            )
        given = {**(self.default or {}), **parameters}
        return {name: self.value(name, given[name]) for name in self.listed}


@dataclass(frozen=True)
class Refused:
    """A name that many know and that is refused, with the reason."""

    name: str
    why: str  # what follows "measure 'gini' "
    aliases: tuple[str, ...] = ()
