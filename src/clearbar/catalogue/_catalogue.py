"""The catalogue and the ways to name an entry of it."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from clearbar.catalogue import (
    agreement,
    association,
    cells,
    cost,
    distance,
    f_scores,
    forecast,
    odds,
    overall,
    overlap,
    predictive,
    rates,
)
from clearbar.catalogue._elsewhere import CLUSTERINGS, INSTEAD, JUDGED, NAMES, elsewhere
from clearbar.catalogue._entry import Family
from clearbar.catalogue._measure import Measure
from clearbar.catalogue._naming import name_key
from clearbar.core.errors import brief, listed, nearest, shown

_MODULES = (
    cells,
    rates,
    predictive,
    overall,
    agreement,
    f_scores,
    overlap,
    forecast,
    odds,
    distance,
    association,
    cost,
)
"""Documentation order; within a module, the order of definition."""

_UNCLEAR = {
    "gini": "informedness (2 x balanced accuracy - 1, the Gini index of a single threshold) or roc_auc"
    " (the Gini of a ranking is 2 x roc_auc - 1)",
    "bias": "frequency_bias (predicted positives / positives) or predicted_positive_rate",
    "false alarm": "fp (their number), fpr (false alarm rate) or fdr (false alarm ratio)",
    "far": "fpr (false alarm rate) or fdr (false alarm ratio)",
    "pre": "prevalence or accuracy_skill (proportional reduction in error)",
    "g": "fowlkes_mallows (G1) or g_mean (G2)",
    "g measure": "fowlkes_mallows (G1) or g_mean (G2)",
    "lambda": "gk_lambda_true or gk_lambda_pred",
}
"""Names that mean different things to different people."""


@functools.cache
def entries() -> tuple[Measure | Family, ...]:
    """Return the catalogue's entries in documentation order."""
    found = (value for module in _MODULES for value in vars(module).values())
    return tuple(entry for entry in found if isinstance(entry, (Measure, Family)))


@functools.cache
def measures() -> tuple[Measure, ...]:
    """Return the catalogue, in documentation order.

    A family of measures is listed once, with the parameters its entry states.

    Returns
    -------
    tuple of Measure

    Examples
    --------
    >>> from clearbar.catalogue import measures
    >>> len(measures())
    81
    """
    return tuple(entry.entry if isinstance(entry, Family) else entry for entry in entries())


@functools.cache
def default_catalogue() -> tuple[Measure, ...]:
    """Return what ``measures="all"`` means: families without a natural parameter are left out."""
    return tuple(
        entry.entry if isinstance(entry, Family) else entry
        for entry in entries()
        if isinstance(entry, Measure) or entry.default is not None
    )


def get_measure(name: str | Measure, **parameters: float) -> Measure:
    """Look a measure up by its name or any of its aliases.

    Parameters
    ----------
    name : str or Measure
        Case, spaces, hyphens, underscores and apostrophes do not matter. ``"f2"`` and
        ``"tversky(alpha=0.3, beta=0.7)"`` carry their parameters. A `Measure` is returned as it is.
    **parameters : float
        Parameters of a family, such as ``beta=2``.

    Returns
    -------
    Measure

    Raises
    ------
    ValueError
        If the name is unknown (the nearest ones are offered) or means different things to
        different people, or a parameter is missing, unknown or out of range.

    Examples
    --------
    >>> from clearbar import get_measure
    >>> get_measure("Sensitivity").name, get_measure("fbeta", beta=2).name
    ('recall', 'f2')
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str):
        msg = f"measure must be a name or a Measure; found {shown(name)}."
        raise ValueError(msg)
    written = _WITH_PARAMETERS.fullmatch(name.strip())
    if written and not parameters:
        name, parameters = written["name"], _read_parameters(name, written["parameters"])
    entry = _find(name)
    if entry is None:
        raise ValueError(_unknown(name))
    if isinstance(entry, Family):
        return _member(entry, parameters)
    if parameters:
        family = " Its family is fbeta, as in fbeta(beta=2)." if entry.name == "f1" else ""
        msg = f"{entry.name} takes no parameters; found {listed(map(brief, parameters), most=6)}.{family}"
        raise ValueError(msg)
    return entry


def restore(name: str, parameters: Mapping[str, float]) -> Measure:
    """Return the catalogue measure that was pickled."""
    return get_measure(name, **parameters)


_WITH_PARAMETERS = re.compile(r"(?P<name>[^()]+)\((?P<parameters>[^()]*)\)")
_F_SCORE = re.compile(r"f(?P<beta>\d+(?:\.\d+)?|\.\d+)(?:score|measure)?")


def _read_parameters(name: str, text: str) -> dict[str, float]:
    pairs = [part.split("=") for part in text.split(",") if part.strip()]
    try:
        return {key.strip(): float(value) for key, value in pairs}
    except ValueError:
        msg = f"measure {shown(name)} could not be read; write it like 'tversky(alpha=0.3, beta=0.7)'."
        raise ValueError(msg) from None


@functools.cache
def _by_key() -> Mapping[str, Measure | Family]:
    found: dict[str, Measure | Family] = {}
    for entry, spelt in _spellings():
        if found.setdefault(name_key(spelt), entry) is not entry:
            msg = f"{spelt!r} names both {found[name_key(spelt)].name} and {entry.name}."
            raise AssertionError(msg)
    return MappingProxyType(found)


def _spellings() -> Iterator[tuple[Measure | Family, str]]:
    for entry in entries():
        for spelt in (entry.name, *entry.aliases):
            yield entry, spelt


def _find(name: str) -> Measure | Family | None:
    key = name_key(name)
    entry = _by_key().get(key)
    if entry is not None:
        return entry
    f_score = _F_SCORE.fullmatch(key)
    if f_score:
        family = _by_key()["fbeta"]
        beta = {"beta": float(f_score["beta"])}
        return _member(family, beta) if isinstance(family, Family) else family
    if key.startswith("neg"):  # a scorer's negated loss is the loss itself
        entry = _find(key.removeprefix("neg"))
        if isinstance(entry, Measure) and entry.greater_is_better is False:
            return entry
    return None


def is_known(name: str) -> bool:
    """Whether the catalogue has an entry of this name."""
    return _find(name) is not None


def _member(family: Family, parameters: Mapping[str, float]) -> Measure:
    member = family(**parameters)
    same = _by_key().get(name_key(member.name))  # fbeta(beta=1) is f1, an entry of its own
    return same if isinstance(same, Measure) else member


def _unknown(name: str) -> str:
    key = name_key(name)
    for unclear, choices in _UNCLEAR.items():
        if name_key(unclear) in {key, key.removesuffix("s")}:
            return f"measure {shown(name)} means different things to different people. Choose {choices}."
    kind = elsewhere(name)
    if kind is not None:
        return f"measure {shown(name)} judges {JUDGED[kind]}, not two columns of labels; {INSTEAD[kind]}."
    if key in CLUSTERINGS:
        return (
            f"measure {shown(name)} compares clusterings, which predict no labels; clearbar.measures() lists "
            "what judges predictions."
        )
    close = nearest(name, {*(spelt for _, spelt in _spellings()), *itertools.chain(*NAMES.values())})
    hint = f" Did you mean {listed(map(repr, close), last='or')}?" if close else ""
    return f"unknown measure {shown(name)}.{hint} clearbar.measures() lists all {len(measures())}."
