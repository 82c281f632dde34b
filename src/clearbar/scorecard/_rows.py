"""Which rows are meant, in which order, and how each stands."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from clearbar.catalogue import get_measure, name_key
from clearbar.core._numbers import whole_number
from clearbar.core._typing import BoolArray, FloatArray, IntArray
from clearbar.core.classes import ConfusionMatrix
from clearbar.core.errors import listed, nearest
from clearbar.formatting import visible
from clearbar.verdict import Verdict, checked_alpha, surely

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

SHOWN = 10
"""Failing verdicts that are shown in words."""


class Failing(Sequence[Verdict]):
    """The verdicts that fail.

    A verdict is made when it is looked at: of a million slices, counting those that fail costs little.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=3, fp=3, fn=15, tn=10), ["f1", "mcc"])
    >>> [verdict.measure.name for verdict in card.failing]
    ['f1', 'mcc']
    """

    def __init__(self, card: Scorecard) -> None:
        self._card = card
        self._rows = np.flatnonzero(card.columns["outcome"] == "fails")

    def __len__(self) -> int:
        """Return how many fail."""
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Verdict, ...]: ...
    def __getitem__(self, index: int | slice) -> Verdict | tuple[Verdict, ...]:
        """Return the verdict at a position, or those of a range."""
        if isinstance(index, slice):
            return tuple(self._card[int(row)] for row in self._rows[index])
        return self._card[int(self._rows[index])]

    def __eq__(self, other: object) -> bool:
        """Compare with the failing verdicts of another scorecard, or with a tuple of verdicts."""
        if not isinstance(other, (Failing, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(map(operator.eq, self, other))

    def __hash__(self) -> int:
        """Hash as the scorecard does."""
        return hash((Failing, self._card))

    def __repr__(self) -> str:
        """Return the first of them in words, a line each."""
        if not len(self):
            return "no verdict fails"
        left = len(self) - SHOWN
        more = [f"… {left:,} more: card.worst(20), card.to_frame()"] if left > 0 else []
        return "\n".join([*map(str, self[:SHOWN]), *more])


def class_matrix(card: Scorecard, model: int, group: int) -> ConfusionMatrix | None:
    """Return what a model called the samples of each class; None where they are not of many classes."""
    return None if card.problem is None else card.problem.matrix(model, group)


def slices(card: Scorecard) -> BoolArray:
    """Return which groups are slices: all but the whole, or the whole where there is nothing else."""
    if len(card.groups) == 1:
        return np.ones(1, dtype=bool)
    return np.array([group is not None for group in card.groups])


def checked_most(most: Any) -> int | None:
    """Return how many rows to show, None for all, or say what can be asked for."""
    return None if most is None else whole_number("most", most, 1, ", or None for all")


def standing(card: Scorecard, alpha: float | None = None) -> Any:
    """Return each row's outcome, or "doubt" where it clears but not surely and that was asked."""
    outcome = card.columns["outcome"]
    sure = card.columns["sure"] if alpha is None else surely(card.columns, checked_alpha(alpha))
    return np.where((outcome == "clears") & card.has_p_values & ~sure, "doubt", outcome)


def known_p(card: Scorecard) -> BoolArray:
    """Return in which rows the p-values that a sure clear needs are known."""
    known: BoolArray = ~np.isnan(card.columns["p_sure"])
    return known


def mean_skill(card: Scorecard, group: int = 0) -> FloatArray:
    """Return each model's mean skill over measures; nan where it has none."""
    skill = card.columns["skill"][:, group]
    known = np.isfinite(skill)
    mean = np.where(known, skill, 0.0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where(known.any(axis=1), mean, np.nan)


def best_first(card: Scorecard) -> list[int]:
    """Return the models by their mean skill on the first group, the best first."""
    return [int(at) for at in np.argsort(-mean_skill(card), kind="stable")]  # nan sorts last


def worst_rows(card: Scorecard, rows: BoolArray) -> IntArray:
    """Return flat indices of the rows selected, lowest skill first, those without skill last."""
    chosen = np.flatnonzero(rows)
    order = np.argsort(card.columns["skill"].reshape(-1)[chosen], kind="stable")  # nan sorts last
    return chosen[order].astype(np.int64)


def matching(card: Scorecard, measure: Any, model: Any, group: Any) -> BoolArray:
    """Return which rows a filter selects."""
    rows = np.zeros(card.columns["outcome"].shape, dtype=bool)
    axes = ((which_model, model), (which_group, group), (which_measure, measure))
    rows[tuple(slice(None) if name is None else which(card, name) for which, name in axes)] = True
    return rows


def which_model(card: Scorecard, model: Any) -> int:
    """Return the position of a model, or list the models."""
    for at, known in enumerate(card.models):
        if is_same(known, model):
            return at
    raise ValueError(_nothing("model", model, card.models))


def which_group(card: Scorecard, group: Any) -> int:
    """Return the position of a slice, or list the slices."""
    for at, known in enumerate(card.groups):
        if is_same(known, group):
            return at
    known_groups = [known for known in card.groups if known is not None]
    if not known_groups:
        raise ValueError(
            f"no slice {visible(repr(group)):.80}: this scorecard has none. Pass by=... to evaluate."
        )
    raise ValueError(_nothing("group", group, known_groups))


def which_measure(card: Scorecard, measure: Any) -> int:
    """Return the position of a measure under any of its names, or list the measures."""
    names = [known.name for known in card.measures]
    if isinstance(measure, str) and measure in names:
        return names.index(measure)
    if isinstance(measure, str):
        for at, known in enumerate(card.measures):
            if name_key(measure) in {name_key(name) for name in (known.label, *known.aliases)}:
                return at
        measure = get_measure(measure)
    for at, known in enumerate(card.measures):
        if is_same(known, measure):
            return at
    raise ValueError(_nothing("measure", getattr(measure, "name", measure), names))


def _nothing(kind: str, name: Any, known: Iterable[Any]) -> str:
    names = [visible(name if isinstance(name, str) else repr(name)) for name in known]
    near = nearest(str(name), names, most=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    listing = listed([name if len(name) <= 80 else name[:79] + "…" for name in names])
    return f"no row has {kind} {visible(repr(name)):.80}. This scorecard has: {listing}.{hint}"


def is_same(known: Any, name: Any) -> bool:
    """Return whether two names cannot be told apart; what does not answer yes or no can be."""
    if known is name:
        return True
    answer = known == name
    return type(answer) in {bool, np.bool_} and bool(answer)


def refuse_repeated(names: Sequence[Any], what: str) -> None:
    """Refuse names of which two are the same: nobody could ask for the second."""
    pair = _repeated(names)
    if pair is not None:
        first, second = (visible(repr(name))[:80] for name in pair)
        clash = f"two are {first}" if first == second else f"{first} and {second} compare equal"
        raise ValueError(f"{what} must have different names; {clash}.")


def _repeated(names: Sequence[Any]) -> tuple[Any, Any] | None:
    try:
        if len(set(names)) == len(names):
            return None
    except TypeError:  # not all can be hashed, and such are few
        pairs: Iterable[tuple[Any, Any]] = itertools.combinations(names, 2)
        return next((pair for pair in pairs if is_same(*pair)), None)
    known: dict[Any, Any] = {}
    for name in names:
        if name in known:
            return known[name], name
        known[name] = name
    return None
