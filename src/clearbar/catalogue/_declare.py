"""How a measure of labels is written: a decorated formula becomes the entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from clearbar.catalogue._entry import Family, Range
from clearbar.catalogue._exactly import as_fraction
from clearbar.catalogue._measure import Formula, Measure


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
        name = function.__name__
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


_DERIVED = ("affine", "shape", "requires", "domain", "bounds", "symbol", "better_with_tp", "worse_with_fp")
"""Facts that may be written as functions of the parameters, given in exact rationals."""


def family(
    *,
    listed: Mapping[str, int | float],
    default: Mapping[str, int | float] | None = None,
    allowed: Mapping[str, Range] | None = None,
    short: str = "",
    named: Callable[..., str] | None = None,
    label: str | Callable[..., str] = "",
    aliases: tuple[str, ...] = (),
    formula: str,
    **facts: Any,
) -> Callable[[Formula], Family]:
    """Turn a formula with keyword parameters into a family of measures."""
    shared: dict[str, Any] = {
        "bounds": (0, 1),
        "greater_is_better": True,
        "affine": True,
        "formula": _upright(formula),
    } | facts

    def decorate(function: Formula) -> Family:
        family = function.__name__
        words = label or family.replace("_", " ")

        def make(**given: float) -> Measure:
            exact = {name: as_fraction(value) for name, value in given.items()}
            own = shared | {fact: shared[fact](**exact) for fact in _DERIVED if callable(shared.get(fact))}
            if own.get("shape") != "constant":
                own.pop("constant", None)
            brackets = ", ".join(f"{name}={value:.12g}" for name, value in given.items())
            brackets = "" if given == default else f"({brackets})"
            return Measure(
                named(**given) if named else family + brackets,
                function,
                label=words(**given) if callable(words) else words + brackets,
                parameters=given,
                family=family,
                in_catalogue=True,
                **own,
            )

        return Family(
            family,
            make,
            listed,
            aliases=aliases,
            default=default,
            allowed=allowed or {},
            short=short,
            natural=default is not None,
        )

    return decorate


def _upright(formula: str) -> str:
    """Set the names of cells and rates upright: TP is one letter, not T times P."""
    return re.sub(r"\b[A-Z]{2,}\b", r"\\mathrm{\g<0>}", formula)
