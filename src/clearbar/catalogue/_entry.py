"""What is registered: a measure of any kind, a family of measures, a name that is refused."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from clearbar.catalogue._check import LARGEST, check_facts, checked_bounds
from clearbar.core._later import Later
from clearbar.core._numbers import number_or_nan
from clearbar.core._typing import FloatArray
from clearbar.core._value import Value
from clearbar.core.errors import ArgumentError, brief, shown


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
        given = {part.name: getattr(self, part.name) for part in fields(self)}
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
        whole = {**(self.default or {}), **parameters}
        return {name: self.value(name, whole[name]) for name in self.listed}


@dataclass(frozen=True)
class Refused:
    """A name that many know and that is refused, with the reason."""

    name: str
    why: str  # what follows "measure 'gini' "
    aliases: tuple[str, ...] = ()
