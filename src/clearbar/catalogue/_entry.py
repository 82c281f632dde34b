"""How an entry of the catalogue is written: a decorated formula becomes the measure."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from clearbar.catalogue._exactly import as_fraction
from clearbar.catalogue._measure import Formula, Measure
from clearbar.core._numbers import number_or_nan
from clearbar.core.errors import brief, shown


def measure(
    *,
    question: str,
    symbol: str,
    formula: str,
    source: str,
    bounds: tuple[float, float] = (0, 1),
    greater_is_better: bool | None = True,
    affine: bool = True,
    label: str = "",
    **facts: Any,
) -> Callable[[Formula], Measure]:
    """Turn a formula into a catalogue measure named like the function."""

    def decorate(function: Formula) -> Measure:
        name = function.__name__.rstrip("_")
        return Measure(
            name,
            function,
            label=label or name.replace("_", " "),
            symbol=symbol,
            formula=_upright(formula),
            source=source,
            bounds=bounds,
            greater_is_better=greater_is_better,
            affine=affine,
            question=question,
            in_catalogue=True,
            **facts,
        )

    return decorate


@dataclass(frozen=True)
class Family:
    """A parametrised entry: call it with its parameters to get a `Measure`."""

    name: str  # canonical name
    function: Formula
    facts: Mapping[str, Any]
    aliases: tuple[str, ...]  # other names
    listed: Mapping[str, int | float]  # the parameters with which the catalogue lists the family
    default: Mapping[str, int | float] | None
    named: Callable[..., str] | None
    label: str | Callable[..., str]
    allowed: Mapping[str, tuple[float, float, bool]]

    def __call__(self, *values: float, **parameters: float) -> Measure:
        """Return the measure for these parameters."""
        given = self._checked(dict(zip(self.listed, values, strict=False)) | parameters, len(values))
        exact = {name: as_fraction(value) for name, value in given.items()}
        facts = {
            key: fact(**exact) if key in _DERIVED and callable(fact) else fact
            for key, fact in self.facts.items()
        }
        if facts.get("shape") != "constant":
            facts.pop("constant", None)
        name = self._name(given)
        return Measure(
            name,
            self.function,
            label=self.label(**given) if callable(self.label) else self.label + name.removeprefix(self.name),
            parameters=given,
            family=self.name,
            in_catalogue=True,
            **facts,
        )

    @property
    def entry(self) -> Measure:
        """The measure that the catalogue lists."""
        return self(**self.listed)

    def _name(self, given: Mapping[str, int | float]) -> str:
        if self.named is not None:
            return self.named(**given)
        if self.default is not None and given == dict(self.default):
            return self.name
        return f"{self.name}({', '.join(f'{name}={value:.12g}' for name, value in given.items())})"

    def _checked(self, parameters: Mapping[str, Any], positional: int) -> dict[str, int | float]:
        example = ", ".join(f"{name}={value:g}" for name, value in self.listed.items())
        unknown = [name for name in parameters if name not in self.listed]
        if unknown or positional > len(self.listed):
            what = brief(unknown[0]) if unknown else f"{positional} values"
            msg = (
                f"{self.name} takes {' and '.join(self.listed)}; found {what}. Write {self.name}({example})."
            )
            raise ValueError(msg)
        missing = [name for name in self.listed if name not in parameters]
        if missing and self.default is not None:
            parameters = {**self.default, **parameters}
        elif missing:
            msg = (
                f"{self.name} needs {' and '.join(missing)}: nothing is natural here. "
                f"For example get_measure({self.name!r}, {example})."
            )
            raise ValueError(msg)
        return {name: self._number(name, parameters[name]) for name in self.listed}

    def _number(self, name: str, value: Any) -> int | float:
        low, high, open_low = self.allowed[name]
        number = number_or_nan(value)
        if not (math.isfinite(number) and low <= number <= high and not (open_low and number == low)):
            left = f"greater than {low:g}" if open_low else f"at least {low:g}"
            right = "" if math.isinf(high) else f" and at most {high:g}"
            msg = f"{name} must be a number {left}{right}; found {shown(value)} for {self.name}."
            raise ValueError(msg)
        return int(number) if number.is_integer() else number


_DERIVED = {"affine", "shape", "requires", "domain", "bounds", "symbol", "better_with_tp", "worse_with_fp"}
"""Facts that may be written as functions of the parameters, given in exact rationals."""


def family(
    *,
    listed: Mapping[str, int | float],
    default: Mapping[str, int | float] | None = None,
    allowed: Mapping[str, tuple[float, float, bool]] | None = None,
    named: Callable[..., str] | None = None,
    label: str | Callable[..., str] = "",
    aliases: tuple[str, ...] = (),
    bounds: Any = (0, 1),
    greater_is_better: bool | None = True,
    affine: Any = True,
    **facts: Any,
) -> Callable[[Formula], Family]:
    """Turn a formula with keyword parameters into a family of measures."""

    def decorate(function: Formula) -> Family:
        ranges = dict.fromkeys(listed, (0.0, math.inf, False)) | dict(allowed or {})
        facts["formula"] = _upright(facts["formula"])
        every = {"bounds": bounds, "greater_is_better": greater_is_better, "affine": affine, **facts}
        name = function.__name__
        written = label or name.replace("_", " ")
        return Family(name, function, every, aliases, dict(listed), default, named, written, ranges)

    return decorate


def _upright(formula: str) -> str:
    """Set the names of cells and rates upright: TP is one letter, not T times P."""
    return re.sub(r"\b[A-Z]{2,}\b", r"\\mathrm{\g<0>}", formula)
