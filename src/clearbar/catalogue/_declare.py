"""How a measure of labels is written: a decorated formula becomes the entry.

An entry says where it differs from what nearly all measures have in common:

- its values run from 0 to 1, more is better, and one more TP or one FP fewer never make it worse;
- it is affine in TP at fixed margins, unless the change of its value stands in `_differences` or
  `_ratio_differences` under its name: then it is not, but smooth. What stands in `_gains` is its gain;
- its expectation runs as `shape` says, and is the same for every draw where `constant` gives it;
- its symbol is its abbreviation: its label or first alias, if that is in capitals.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

from clearbar.catalogue import _differences, _gains, _ratio_differences
from clearbar.catalogue._domain import all_of
from clearbar.catalogue._entry import Family, Range
from clearbar.catalogue._exactly import as_fraction
from clearbar.catalogue._measure import Formula, Measure
from clearbar.catalogue._naming import names_in

EVERYTHING_POSITIVE = "Predicting everything positive reaches the best value."
EVERYTHING_NEGATIVE = "Predicting everything negative reaches the best value."


def measure(**facts: Any) -> Callable[[Formula], Measure]:
    """Turn a formula into a catalogue measure named like the function."""

    def decorate(function: Formula) -> Measure:
        own = _completed(function.__name__, **facts)
        return Measure(function.__name__, function, in_catalogue=True, **_made(own))

    return decorate


def family(
    *,
    listed: Mapping[str, float],
    default: Mapping[str, float] | None = None,
    allowed: Mapping[str, Range] | None = None,
    short: str = "",
    named: Callable[..., str] | None = None,
    **facts: Any,
) -> Callable[[Formula], Family]:
    """Turn a formula with keyword parameters into a family of measures.

    A fact may be a function of the parameters, which it is given in exact rationals.
    """

    def decorate(function: Formula) -> Family:
        family = function.__name__
        shared = _completed(family, **facts)
        aliases, label = shared.pop("aliases"), shared.pop("label")

        @functools.lru_cache(maxsize=1024)
        def make(**given: float) -> Measure:
            exact = {name: as_fraction(value) for name, value in given.items()}
            own = {
                name: fact(**exact) if name in _DERIVED and callable(fact) else fact
                for name, fact in shared.items()
            }
            brackets = ", ".join(f"{name}={value:.12g}" for name, value in given.items())
            brackets = "" if given == default else f"({brackets})"
            return Measure(
                named(**given) if named else family + brackets,
                function,
                label=label(**given) if callable(label) else label + brackets,
                parameters=given,
                family=family,
                in_catalogue=True,
                **_made(own),
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


_DERIVED = {
    *("affine", "shape", "requires", "domain", "bounds", "symbol"),
    *("better_with_tp", "worse_with_fp", "concave_in_precision"),
}


def _completed(
    name: str, *, label: Any = "", aliases: str = "", formula: str, **facts: Any
) -> dict[str, Any]:
    """Add to the facts of an entry what it leaves unsaid."""
    label, known = label or name.replace("_", " "), names_in(aliases)
    difference = getattr(_differences, name, getattr(_ratio_differences, name, None))
    directed = facts.get("greater_is_better", True) is not None and not facts.get("convex_in_tp")
    unsaid = {
        "bounds": (0, 1),
        "greater_is_better": True,
        "affine": difference is None,
        "smooth": difference is not None,
        "difference": difference,
        "gain": getattr(_gains, name, None),
        "shape": "constant" if "constant" in facts else None,
        "better_with_tp": directed,
        "worse_with_fp": directed,
        "symbol": next((rf"\mathrm{{{word}}}" for word in (label, *known) if str(word).isupper()), ""),
    }
    # the names of cells and rates are set upright: TP is one letter, not T times P
    upright = re.sub(r"\b[A-Z]{2,}\b", r"\\mathrm{\g<0>}", formula)
    return unsaid | facts | {"label": label, "aliases": known, "formula": upright}


def _made(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts as a measure holds them: conditions for their names, a function for a constant."""
    own = facts | {name: all_of(facts[name]) for name in ("domain", "requires") if name in facts}
    constant = own.pop("constant", None)
    if own["shape"] == "constant":
        own["constant"] = constant if callable(constant) else lambda total, _positives: constant + 0.0 * total
    return own
