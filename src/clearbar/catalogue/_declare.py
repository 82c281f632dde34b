"""How a measure of labels is written: a decorated formula becomes the entry.

Nothing is supposed of an entry that it does not say: what it leaves unsaid is not known, which costs time,
and makes p-values "estimated" that would be exact. A test holds each fact against brute force. An entry may
say

- in `facts`, which of `FACTS` are true of it; in `bounds` and `domain`, what values it has, and where;
- how its expectation runs, by `shape`, and what it is where every draw expects the same, by `constant`.

More is better unless it says otherwise, and its symbol is its label or first alias, if that is in capitals.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any

from clearbar.catalogue._arithmetic import as_fraction
from clearbar.catalogue._domain import all_of, anywhere
from clearbar.catalogue._entry import Family, Range
from clearbar.catalogue._measure import Formula, Measure
from clearbar.catalogue._registry import names_in

DUTCH_DRAW = (
    "van de Bijl, Klein, Pries, Bhulai, Hoogendoorn & van der Mei, The Dutch Draw: constructing a "
    "universal baseline for binary classification problems, Journal of Applied Probability, 2024"
)
POWERS = (
    "Powers, Evaluation: from precision, recall and F-measure to ROC, informedness, markedness and "
    "correlation, Journal of Machine Learning Technologies 2(1), 2011"
)
KUHN = "Kuhn, Building predictive models in R using the caret package, J. Stat. Software 28(5), 2008"
SOKOLOVA = (
    "Sokolova & Lapalme, A systematic analysis of performance measures for classification tasks, "
    "Information Processing & Management 45(4), 2009"
)
WILKS = "Wilks, Statistical Methods in the Atmospheric Sciences, 3rd ed., 2011, ch. 8"
RIJSBERGEN = "van Rijsbergen, Information Retrieval, 2nd ed., 1979, ch. 7"
GAINS = "Flach & Kull, Precision-Recall-Gain curves: PR analysis done right, NIPS 28, 2015"
EXTREMES = (
    "Ferro & Stephenson, Extremal dependence indices: improved verification measures for "
    "deterministic forecasts of rare binary events, Weather and Forecasting 26(5), 2011"
)


EVERYTHING_POSITIVE = "Predicting everything positive reaches the best value."
EVERYTHING_NEGATIVE = "Predicting everything negative reaches the best value."


def measure(**facts: Any) -> Callable[[Formula], Measure]:
    """Turn a formula into a catalogue measure named like the function."""

    def decorate(function: Formula) -> Measure:
        completed = _completed(function.__name__, **facts)
        return Measure(function.__name__, function, in_catalogue=True, **_made(completed))

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
    """Turn a formula with keyword parameters into a family of measures."""
    # A fact may be a function of the parameters, which it is given in exact rationals.

    def decorate(function: Formula) -> Family:
        family = function.__name__
        shared = _completed(family, **facts)
        aliases, label = shared.pop("aliases"), shared.pop("label")

        @functools.lru_cache(maxsize=1024)
        def make(**given: float) -> Measure:
            exact = {name: as_fraction(value) for name, value in given.items()}
            derived = {
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
                **_made(derived),
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


# What an entry may say to be true of it, as in ``facts="affine, better_with_tp"``.
FACTS = {
    *("affine", "smooth", "better_with_tp", "worse_with_fp"),
    *("convex_in_tp", "concave_in_precision"),
}

_DERIVED = {*FACTS, "shape", "requires", "domain", "bounds", "symbol"}


def _completed(
    name: str, *, label: Any = "", aliases: str = "", formula: str, facts: str = "", **given: Any
) -> dict[str, Any]:
    """Put the facts of an entry together."""
    label, other_names = label or name.replace("_", " "), names_in(aliases)
    if not FACTS.issuperset(names_in(facts)):
        raise ValueError(f"facts of {name} must be of {', '.join(sorted(FACTS))}; found {facts}.")
    unsaid = {
        "greater_is_better": True,
        "affine": False,
        "shape": "constant" if "constant" in given else None,
        "symbol": next((rf"\mathrm{{{word}}}" for word in (label, *other_names) if str(word).isupper()), ""),
    }
    stated = dict.fromkeys(names_in(facts), True)
    # the names of cells and rates are set upright: TP is one letter, not T times P
    upright = re.sub(r"\b[A-Z]{2,}\b", r"\\mathrm{\g<0>}", formula)
    return unsaid | stated | given | {"label": label, "aliases": other_names, "formula": upright}


def _made(facts: dict[str, Any]) -> dict[str, Any]:
    """Return facts as a measure holds them: conditions for their names, a function for a constant."""
    held = {"domain": anywhere} | facts
    held |= {name: all_of(facts[name]) for name in ("domain", "requires") if name in facts}
    constant = held.pop("constant", None)
    if held["shape"] == "constant":
        held["constant"] = (
            constant if callable(constant) else lambda total, _positives: constant + 0.0 * total
        )
    return held
