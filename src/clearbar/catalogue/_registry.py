"""One registry of measures, whatever they judge: the key is (name, kind).

A room of measures calls `register`, or `register_later`, when it is imported; a look-up imports the rooms of
`KINDS`, and the modules of a room, one by one until a name is found.
"""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, overload

from clearbar.catalogue._entry import Entry, Family, Refused
from clearbar.core.errors import ArgumentError, brief, listed, nearest, shown

if TYPE_CHECKING:
    from clearbar.catalogue._measure import Measure


@dataclass(frozen=True)
class Kind:
    """What the measures of one kind judge, and the room whose import registers them."""

    name: str
    judges: str  # what they judge, as a sentence says it
    instead: str  # what to do with such a measure where another kind is judged
    given: str = ""  # what stands before someone who judges this kind, where that is not what `judges` says
    room: str = ""  # empty as long as there are none
    default: tuple[str, ...] = ()  # what is judged by if no measure is named
    door: str = ""  # the kind whose functions judge it, where it has none of its own


# In the order in which a name is looked up: the kind that knows it first is meant.
KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "binary",
            "labels",
            "use evaluate(y_true, y_score >= threshold, {name})",
            given="two columns of labels",
            room="clearbar.catalogue",
            default=("accuracy", "balanced_accuracy", "precision", "recall", "f1", "mcc"),
        ),
        Kind(
            "scores",
            "scores",
            "use clearbar.baseline_scores or clearbar.evaluate_scores, or y_score= of evaluate_frame",
            room="clearbar.problems.scores",
        ),
        Kind(
            "regression",
            "numbers",
            "use clearbar.baseline_regression or clearbar.evaluate_regression",
            room="clearbar.problems.numbers",
            default=("mae", "rmse", "r2"),
        ),
        Kind(
            "multiclass",
            "more than two classes",
            "use clearbar.baseline_multiclass or clearbar.evaluate_multiclass",
            room="clearbar.problems.multiclass",
            default=("accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "mcc"),
        ),
        Kind(
            "probabilities",
            "probabilities of classes",
            "use clearbar.baseline_multiclass, or clearbar.evaluate_multiclass with a column per class",
            room="clearbar.problems.multiclass",
            default=("log_loss", "brier_score", "roc_auc_ovr"),
            door="multiclass",
        ),
        Kind(
            "multilabel",
            "sets of labels",
            "use clearbar.baseline_multilabel or clearbar.evaluate_multilabel",
            room="clearbar.problems.multilabel",
            default=("subset_accuracy", "hamming_loss", "f1_micro", "f1_macro", "f1_samples"),
        ),
    )
}


def door(verb: str, kind: str) -> Callable[..., Any] | None:
    """Return the front door's function for another kind than the binary one, such as ``baseline_scores``."""
    if kind == "binary":
        return None
    rooms = {"evaluate": "clearbar", "dummies": f"{KINDS[kind].room}.dummies"}
    for room in dict.fromkeys((rooms.get(verb, KINDS[kind].room), KINDS[kind].room)):
        name = f"{verb}_{KINDS[kind].door or kind}"
        function: Callable[..., Any] | None = getattr(importlib.import_module(room), name, None)
        if function is not None:
            return function
    raise ValueError(
        f"clearbar.{verb} has no answer for {KINDS[kind].judges}: {KINDS[kind].room} has no {verb}_{kind}."
    )


def name_key(name: str) -> str:
    """Return what two spellings of one name have in common."""
    # Without case, spaces, hyphens, underscores and apostrophes; a minus sign stays.
    return re.sub(r"(?!(?<=[\s_@(=-])-[\d.])[\s\-_'\u2019`]", "", name).casefold()


def names_in(text: str) -> tuple[str, ...]:
    """Return names that are written one after the other, with commas between."""
    return tuple(text.split(", ")) if text else ()


# Names that mean different things to different people.
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

# scikit-learn's measures of clusterings, which judge no predictions.
_CLUSTERINGS = names_in(
    "adjusted_mutual_info_score, adjusted_rand_score, calinski_harabasz_score, completeness_score, "
    "davies_bouldin_score, fowlkes_mallows_score, homogeneity_score, mutual_info_score, "
    "normalized_mutual_info_score, rand_score, silhouette_score, v_measure_score"
)

REFUSED = (
    *(
        Refused(name, f"means different things to different people. Choose {choices}.")
        for name, choices in _UNCLEAR.items()
    ),
    Refused(
        "clustering",
        "compares clusterings, which predict no labels; clearbar.measures() lists what judges predictions.",
        _CLUSTERINGS,
    ),
)


# Per kind, what each spelling of a name stands for, in documentation order.
_SPELT: dict[str, dict[str, Entry | Family | Refused]] = {}


def register(kind: str, entries: Iterable[Entry | Family | Refused]) -> None:
    """Let a kind's entries be found by their names, labels and aliases."""
    _spell(_SPELT.setdefault(kind, {}), entries)


def _spell(spelt: dict[str, Entry | Family | Refused], entries: Iterable[Entry | Family | Refused]) -> None:
    for entry in entries:
        for spelling in (entry.name, getattr(entry, "label", entry.name), *entry.aliases):
            if spelt.setdefault(name_key(spelling), entry) is not entry:
                raise ValueError(
                    f"{spelling!r} names both {spelt[name_key(spelling)].name} and {entry.name}."
                )


def defined_in(*modules: ModuleType) -> list[Entry | Family]:
    """Return the entries of modules, in the order of their definition."""
    values = (value for module in modules for value in vars(module).values())
    return list(dict.fromkeys(value for value in values if isinstance(value, (Entry, Family))))


# Per kind, modules that are read when a name asks for them: in documentation order, and those to come.
_LATER: dict[str, tuple[list[str], list[str]]] = {}

_READING = threading.RLock()


def register_later(kind: str, modules: Sequence[str], first: Sequence[str] = ()) -> None:
    """Let what modules define be registered when a name is looked for: one by one, the usual ones first."""
    _LATER[kind] = list(modules), sorted(modules, key=lambda module: module not in first)


def _spelt(kind: str, key: str | None = None) -> Mapping[str, Entry | Family | Refused]:
    """Return what spellings of a kind stand for: all, or those of so many modules that the key is there."""
    if KINDS[kind].room:
        importlib.import_module(KINDS[kind].room)
    modules, unread = _LATER.get(kind, ((), []))
    if unread and key not in _SPELT[kind]:
        with _READING:
            while unread and key not in _SPELT[kind]:
                register(kind, defined_in(importlib.import_module(unread[0])))
                if unread == unread[:1]:  # the last one: now all stand in documentation order
                    spelt: dict[str, Entry | Family | Refused] = {}
                    _spell(spelt, defined_in(*map(importlib.import_module, modules)))
                    _spell(spelt, _SPELT[kind].values())
                    _SPELT[kind] = spelt
                del unread[0]
    return _SPELT.get(kind, {})


def entries(kind: str = "binary") -> tuple[Entry | Family, ...]:
    """Return the entries of a kind in documentation order."""
    named = dict.fromkeys(_spelt(kind).values())
    return tuple(entry for entry in named if not isinstance(entry, Refused))


@overload
def measures(kind: Literal["binary"] = "binary") -> tuple[Measure, ...]: ...
@overload
def measures(kind: str) -> tuple[Any, ...]: ...
def measures(kind: str = "binary") -> tuple[Any, ...]:
    """Return the catalogue, in documentation order.

    A family of measures is listed once, with the parameters its entry states.

    Parameters
    ----------
    kind : str
        The kind of data: ``"binary"`` labels, or ``"scores"``.

    Returns
    -------
    tuple of Measure

    Examples
    --------
    >>> from clearbar import measures
    >>> [measure.name for measure in measures()[:6]]
    ['tp', 'tn', 'fp', 'fn', 'recall', 'specificity']
    """
    return tuple(dict.fromkeys(_listed(entry) for entry in entries(checked_kind(kind))))


def default_catalogue(kind: str = "binary") -> tuple[Any, ...]:
    """Return what ``measures="all"`` means: families without a natural parameter are left out."""
    return tuple(_listed(entry) for entry in entries(kind) if not isinstance(entry, Family) or entry.natural)


def _listed(entry: Entry | Family) -> Entry:
    return _member(entry, entry.listed) if isinstance(entry, Family) else entry


def checked_kind(kind: Any) -> str:
    """Return the name of a kind of problem, or list them."""
    if isinstance(kind, str) and kind in KINDS:
        return kind
    raise ValueError(f"kind must be one of {listed(map(repr, KINDS), last='or')}; found {shown(kind)}.")


@overload
def get_measure(name: Any, kind: Literal["binary"], **parameters: float) -> Measure: ...
@overload
def get_measure(name: Any, kind: str | None = None, **parameters: float) -> Any: ...
def get_measure(name: Any, kind: str | None = None, **parameters: float) -> Any:
    """Look a measure up by its name or any of its aliases.

    Parameters
    ----------
    name : str or Measure
        Case, spaces, hyphens, underscores and apostrophes do not matter. ``"f2"``, ``"precision@7"`` and
        ``"tversky(alpha=0.3, beta=0.7)"`` carry their parameters. A `Measure` is returned as it is.
    kind : str, optional
        The kind of data, ``"binary"`` labels or ``"scores"``; without it, a name that several
        kinds share means the measure of binary labels.
    **parameters : float
        Parameters of a family, such as ``beta=2``.

    Returns
    -------
    Measure or ScoreMeasure

    Raises
    ------
    ValueError
        If the name is unknown (the nearest ones are offered), means different things to different people or
        judges something else, or a parameter is missing, unknown or out of range.

    Examples
    --------
    >>> from clearbar import get_measure
    >>> get_measure("Sensitivity").name, get_measure("fbeta", beta=2).name, get_measure("AUC").name
    ('recall', 'f2', 'roc_auc')
    """
    kinds = tuple(KINDS) if kind is None else (checked_kind(kind),)
    if isinstance(name, Entry):
        if name.kind in kinds:
            return name
        raise (_judges_other(name.name, name.kind, kinds[0]))
    if not isinstance(name, str):
        raise ValueError(f"measure must be a name or a Measure; found {shown(name)}.")
    for of_kind in kinds:
        entry = _named(name, of_kind, parameters)
        if isinstance(entry, Refused):
            raise ValueError(f"measure {shown(name)} {entry.why}")
        if entry is not None:
            return entry
    raise _unknown(name, kind or "binary", everywhere=kind is None)


def restore(kind: str, name: str, family: str, parameters: Mapping[str, float]) -> Any:
    """Return the catalogue measure that was pickled."""
    entry = _spelt(kind, name_key(name)).get(name_key(name))
    return entry if isinstance(entry, Entry) else get_measure(family or name, kind, **parameters)


def common_kind(measures: Iterable[Any]) -> str:
    """Return the kind of problem that all of these measures judge, or refuse two kinds in one call."""
    several = list(measures)
    entries = [get_measure(entry) for entry in several]
    kinds = dict.fromkeys(entry.kind for entry in entries)
    if len(kinds) < 2:
        return next(iter(kinds), "binary")
    for kind in KINDS:
        if all(judges(entry, kind) for entry in several):
            return kind
    parts = (
        f"of {KINDS[kind].judges} ({listed((entry for entry in entries if entry.kind == kind), most=4)})"
        for kind in kinds
    )
    found, right = f" mixes measures {listed(parts)}; ", "judge each kind in a call of its own"
    of_scores = [entry.name for entry in entries if entry.kind == "scores"]
    of_many = set(kinds) == {"multiclass", "scores"} and all(
        judges(name, "probabilities") for name in of_scores
    )
    if of_many or set(kinds) == {"binary", "scores"}:
        raise ArgumentError("measures", found, f"{right}, or give evaluate y_pred and y_score.", "one card")
    raise ArgumentError("measures", found, f"{right}.")


def judges(measure: Any, kind: str) -> bool:
    """Return whether a measure, or one of this name, is of a kind."""
    if isinstance(measure, Entry):
        return measure.kind == kind
    return isinstance(measure, str) and isinstance(_named(measure, kind, {}), Entry)


_LONGEST = 200  # letters of a name that is looked up: all names are shorter

_WITH_PARAMETERS = re.compile(r"(?P<name>[^()]+)\((?P<parameters>[^()]*)\)")


def _named(name: str, kind: str, parameters: Mapping[str, float]) -> Entry | Refused | None:
    """Return what a name means to one kind."""
    if len(name) > _LONGEST:
        return None
    entry = _found(name_key(name), kind)
    written = _WITH_PARAMETERS.fullmatch(name.strip())
    if entry is None and written and not parameters:
        entry = _found(name_key(written["name"]), kind)
        parameters = _read_parameters(name, written["parameters"]) if entry else {}
    if isinstance(entry, Family):
        return _member(entry, parameters)
    if parameters and isinstance(entry, Entry):
        families = (other for other in entries(kind) if isinstance(other, Family) and other.default)
        of_it = [other for other in families if _member(other, other.default or {}) is entry]
        hint = f" Its family is {of_it[0].name}, as in {of_it[0].name}({of_it[0].example})." if of_it else ""
        raise ValueError(
            f"{entry.name} takes no parameters; found {listed(map(brief, parameters), most=6)}.{hint}"
        )
    return entry


def _found(key: str, kind: str) -> Entry | Family | Refused | None:
    spelt = _spelt(kind, key)
    if key in spelt:
        return spelt[key]
    for family in dict.fromkeys(entry for entry in spelt.values() if isinstance(entry, Family)):
        carried = re.fullmatch(family.short, key) if family.short else None
        member: Entry | None = _same(family.spelt(carried.groupdict()), kind) if carried else None
        if member is not None:
            return member
    if key.startswith("neg"):  # a scorer's negated loss is the loss itself
        loss = _found(key.removeprefix("neg"), kind)
        means: Any = loss.entry if isinstance(loss, Family) else loss
        if isinstance(means, Refused) or getattr(means, "greater_is_better", None) is False:
            return loss
    return None


def _read_parameters(name: str, text: str) -> dict[str, float]:
    pairs = [part.split("=") for part in text.split(",") if part.strip()]
    try:
        return {key.strip(): float(value) for key, value in pairs}
    except ValueError:
        raise ValueError(
            f"measure {shown(name)} could not be read; write it like 'tversky(alpha=0.3, beta=0.7)'."
        ) from None


def _member(family: Family, parameters: Mapping[str, float]) -> Entry:
    member: Entry = _same(family(**parameters), family.kind)
    return member


def _same(member: Any, kind: str) -> Any:
    """Return the entry of the same name if there is one: fbeta(beta=1) is f1."""
    entry = None if member is None else _spelt(kind).get(name_key(member.name))
    return entry if isinstance(entry, Entry) else member


# What would be right where a measure of one kind is asked of another, if it is not what the kind says.
_INSTEAD = {
    ("binary", "multiclass"): "judge one class at a time: evaluate(y_true == label, y_pred == label, {name})",
    (
        "scores",
        "multiclass",
    ): "judge one class at a time: evaluate_scores(y_true == label, its scores, {name})",
    ("binary", "multilabel"): "judge one label at a time: evaluate(Y_true[:, i], Y_pred[:, i], {name})",
    ("binary", "regression"): "use evaluate(y_true >= threshold, y_pred >= threshold, {name})",
}


def _judges_other(name: str, kind: str, wanted: str) -> ValueError:
    instead = _INSTEAD.get((kind, wanted), KINDS[kind].instead).format(name=shown(name))
    judged = KINDS[wanted].given or KINDS[wanted].judges
    better = getattr(_named(name, kind, {}), "greater_is_better", None)
    also = _named(f"max_{name}", wanted, {}) if better else None
    best = f", or {also.name} for the best threshold" if isinstance(also, Entry) else ""
    judges = f" judges {KINDS[kind].judges}, not {judged}; "
    return ArgumentError(f"measure {shown(name)}", judges, f"{instead}{best}.", "kind", [kind, best])


def _unknown(name: str, kind: str, *, everywhere: bool) -> ValueError:
    for other in KINDS:
        entry = None if other == kind else _named(name, other, {})
        if isinstance(entry, Refused):
            return ValueError(f"measure {shown(name)} {entry.why}")
        if entry is not None:
            return _judges_other(name, other, kind)
    kinds = tuple(KINDS) if everywhere else (kind,)
    names = {
        spelling: entry
        for of_kind in kinds
        for entry in entries(of_kind)
        for spelling in (entry.name, *entry.aliases)
    }
    by_entry = {names[spelling]: spelling for spelling in reversed(nearest(name[:_LONGEST], names))}
    close = list(reversed(by_entry.values()))  # the nearest spelling of each
    hint = f" Did you mean {listed(map(repr, close), last='or')}?" if close else ""
    of = "" if kind == "binary" else f" of {KINDS[kind].judges}"
    lists, number = f"measures({'' if kind == 'binary' else repr(kind)})", len(measures(kind))
    right = f"clearbar.{lists} lists all {number}."
    return ArgumentError(f"unknown measure{of} {shown(name)}", f".{hint} ", right, "measures", [number])
