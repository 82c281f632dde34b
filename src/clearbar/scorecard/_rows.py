"""Which rows are meant, in which order, and how each stands."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Mapping, Sequence
from types import EllipsisType
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from clearbar.catalogue import get_measure, name_key
from clearbar.core import Later
from clearbar.core._typing import BoolArray, IntArray
from clearbar.core._value import whole_number
from clearbar.core.counts import Counts
from clearbar.core.errors import listed, nearest
from clearbar.formatting import visible
from clearbar.verdict import UNJUDGED, checked_alpha, surely

if TYPE_CHECKING:
    from clearbar.core.classes import ConfusionMatrix
    from clearbar.scorecard._card import Scorecard
    from clearbar.scorecard._columns import Column
    from clearbar.verdict import Verdict

SHOWN = 10  # failing verdicts that are shown in words


class Failing(Sequence["Verdict"]):
    """The verdicts that fail.

    A verdict is made when it is looked at: of a million slices, counting those that fail costs little.

    Examples
    --------
    >>> import clearbar as cb
    >>> card = cb.evaluate_counts(cb.Counts(tp=3, fp=3, fn=15, tn=10), ["f1", "mcc"])
    >>> [verdict.measure.name for verdict in card.failing]
    ['f1', 'mcc']
    """

    _repr_html_ = Later("clearbar.notebook", "said_html")

    def __init__(self, card: Scorecard) -> None:
        self._card = card
        self._rows = np.flatnonzero(card.columns["outcome"] == "fails")

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Verdict: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Verdict, ...]: ...
    def __getitem__(self, index: int | slice) -> Verdict | tuple[Verdict, ...]:
        rows = self._rows[index]
        return (
            tuple(self._card[int(row)] for row in rows) if isinstance(index, slice) else self._card[int(rows)]
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Failing, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(map(operator.eq, self, other))

    def __hash__(self) -> int:
        return hash((Failing, self._card))

    def __repr__(self) -> str:
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
    return np.array([group is not None or len(card.groups) == 1 for group in card.groups])


def unbarred(card: Scorecard) -> bool:
    """Whether scores have intervals, and nothing has a bar."""
    of_scores = card.problem is not None and card.problem.intervals_without_bar and card.has_p_values
    return bool(of_scores and np.isnan(card.columns["bar"]).all())


def checked_most(most: Any) -> int | None:
    """Return how many rows to show, None for all, or say what can be asked for."""
    return None if most is None else whole_number("most", most, 1, ", or None for all")


def standing(card: Scorecard, alpha: float | None = None) -> Any:
    """Return each row's outcome, or "doubt" where it clears but not surely and that was asked."""
    outcome = card.columns["outcome"]
    sure = card.columns["sure"] if alpha is None else surely(card.columns, checked_alpha(alpha))
    return np.where((outcome == "clears") & card.has_p_values & ~sure, "doubt", outcome)


def best_first(card: Scorecard, measure: int = 0, group: int = 0) -> list[int]:
    """Return the models by their score on a group, the best first, then by the bars they clear.

    Skills of different measures are not comparable, so that no mean over measures orders models.
    """
    scores = card.columns["score"][:, group, measure]
    cleared = (standing(card)[:, group] == "clears").sum(axis=1)
    worst_first = scores if card.measures[measure].greater_is_better is False else -scores
    return [int(model) for model in np.lexsort((-cleared, worst_first))]  # nan sorts last


def within_measures(measure: Any, skill: Any, most: int | None = None) -> IntArray:
    """Return an order of rows: measure by measure, lowest skill first, those without skill last.

    Skills of different measures are not comparable. The first `most` rows are the worst of each measure:
    as many of each as far as there are so many.
    """
    order = np.lexsort((skill, measure))  # nan sorts last
    if most is None or len(order) <= most:
        return order.astype(np.int64)
    starts = np.searchsorted(np.asarray(measure)[order], np.asarray(measure)[order])
    rank = np.arange(len(order)) - starts
    shown = np.zeros(len(order), dtype=bool)
    shown[np.argsort(rank, kind="stable")[:most]] = True
    return np.concatenate((order[shown], order[~shown])).astype(np.int64)


def worst_rows(card: Scorecard, rows: BoolArray, most: int | None = None) -> IntArray:
    """Return flat indices of the rows selected, the worst of each measure first."""
    selected = np.flatnonzero(rows)
    measure, skill = selected % len(card.measures), card.columns["skill"].reshape(-1)[selected]
    return np.asarray(selected[within_measures(measure, skill, most)][:most], dtype=np.int64)


def matching(card: Scorecard, measure: Any, model: Any, group: Any) -> BoolArray:
    rows = np.zeros(card.columns["outcome"].shape, dtype=bool)
    axes = ((which_model, model), (which_group, group), (which_measure, measure))
    rows[tuple(slice(None) if name is None else which(card, name) for which, name in axes)] = True
    return rows


def which_model(card: Scorecard, model: Any) -> int:
    return _position("model", model, card.models)


def which_group(card: Scorecard, group: Any) -> int:
    if all(name is None for name in card.groups) and group is not None:
        raise ValueError(
            f"no slice {visible(repr(group)):.80}: this scorecard has none. Pass by=... to evaluate."
        )
    return _position("group", group, card.groups)


def which_measure(card: Scorecard, measure: Any = None) -> int:
    """Return the position of a measure under any of its names, the first if none is named."""
    if measure is None:
        return 0
    names = [judged.name for judged in card.measures]
    if isinstance(measure, str) and measure not in names:
        for position, judged in enumerate(card.measures):
            if name_key(measure) in map(name_key, (judged.label, *judged.aliases)):
                return position
        measure = get_measure(measure)
    if any(_is_same(judged, measure) for judged in card.measures):
        return _position("measure", measure, card.measures)
    return _position("measure", getattr(measure, "name", measure), names)


def _position(kind: str, name: Any, names: Sequence[Any]) -> int:
    """Return where a name stands, or list the names there are."""
    for position, candidate in enumerate(names):
        if _is_same(candidate, name):
            return position
    there_are = [candidate for candidate in names if candidate is not None]
    texts = [visible(candidate if isinstance(candidate, str) else repr(candidate)) for candidate in there_are]
    near = nearest(str(name), texts, most=1)
    hint = f" Did you mean {near[0]}?" if near else ""
    listing = listed([text if len(text) <= 80 else text[:79] + "…" for text in texts])
    raise ValueError(f"no row has {kind} {visible(repr(name)):.80}. This scorecard has: {listing}.{hint}")


def _is_same(candidate: Any, name: Any) -> bool:
    """Return whether two names cannot be told apart; what does not answer yes or no can be."""
    if candidate is name:
        return True
    answer = candidate == name
    return type(answer) in {bool, np.bool_} and bool(answer)


def refuse_repeated(names: Sequence[Any], what: str) -> None:
    """Refuse names of which two are the same: nobody could ask for the second."""
    try:
        if len(set(names)) == len(names):
            return
        first = {name: position for position, name in reversed(list(enumerate(names)))}
        repeated = ((names[first[name]], name) for n, name in enumerate(names) if first[name] != n)
    except TypeError:  # not all can be hashed, and such are few
        repeated = (pair for pair in itertools.combinations(names, 2) if _is_same(*pair))
    pair = next(repeated, None)
    if pair is not None:
        earlier, other = (visible(repr(name))[:80] for name in pair)
        clash = f"two are {earlier}" if earlier == other else f"{earlier} and {other} compare equal"
        raise ValueError(f"{what} must have different names; {clash}.")


def check_counts(counts: Counts, shape: tuple[int, int]) -> None:
    if counts.shape[:2] != shape or len(counts.shape) not in {2, 3}:
        raise ValueError(
            f"counts must have shape {shape}: models, groups, and maybe runs; found {counts.shape}."
        )
    for size in (np.asarray(counts.total), np.asarray(counts.positives)):
        per_model = size.reshape(*shape, -1)
        if (per_model != per_model[:1, :, :1]).any():
            raise ValueError("all models must be judged on the same samples; their class sizes differ.")


def read_only(columns: Mapping[str, Any], column: Column, shape: tuple[int, int, int]) -> Any:
    if column.name not in columns:
        raise ValueError(f"columns lacks {column.name!r}.")
    values = np.asarray(columns[column.name], dtype=np.float64 if column.kind is float else None)
    if values.shape != shape:
        raise ValueError(
            f"columns[{column.name!r}] must have shape {shape}: models, groups, measures; "
            f"found {values.shape}."
        )
    if values.flags.writeable:  # whoever gave it may write to it; what nobody can write to is not copied
        values = np.array(values)
        values.flags.writeable = False
    return values


def worst(card: Scorecard, n: int, min_support: int = 0, measure: Any = None) -> tuple[Verdict, ...]:
    """Return the verdicts of one measure with the lowest skill: those of two are not comparable.

    Parameters
    ----------
    n : int
        The number of rows at most.
    min_support : int
        Samples that a slice must have.
    measure : str or Measure, optional
        Any name of a measure; by default the first by which something can be judged.

    Returns
    -------
    tuple of Verdict
        Lowest skill first, those without skill last. Where there are slices, the whole is left
        out. Rows that cannot be judged, undefined or with a bar that cannot be beaten, are left
        out unless there are no others.

    Raises
    ------
    ValueError
        If `n` or `min_support` is no whole number from 0 up, or there is no such measure.
    """
    n, min_support = whole_number("n", n), whole_number("min_support", min_support)
    large = (np.asarray(card.population.total) >= min_support) & slices(card)
    rows = np.broadcast_to(large[None, :, None], card.columns["outcome"].shape)
    judged = rows & ~np.isin(card.columns["outcome"], UNJUDGED)
    index = int(np.argmax(judged.any(axis=(0, 1))))
    index = index if measure is None else which_measure(card, measure)
    of_measure = np.arange(len(card.measures)) == index
    order = worst_rows(card, (judged if (judged & of_measure).any() else rows) & of_measure)
    return tuple(card[int(row)] for row in order[:n])


def clears(
    card: Scorecard,
    measure: Any = None,
    model: str | None = None,
    group: Any = None,
    alpha: float | EllipsisType | None = ...,
) -> bool:
    """Whether every verdict that matches surely clears its bar.

    Parameters
    ----------
    measure : str or Measure, optional
        Any name of a measure; all by default.
    model : str, optional
        A model; all by default.
    group : object, optional
        A slice; by default the whole and every slice: the headline says "also in every slice", or "not".
        Of tasks it is their mean by default, of which the headline tells, and one task by its name.
    alpha : float or None, optional
        The level at which a score is sure, by default the scorecard's own: 0.05 at a confidence level of
        0.95. None for the score alone.

    Returns
    -------
    bool
        Ties, undefined cases and bars that cannot be beaten do not clear.

    Raises
    ------
    ValueError
        If nothing matches; the message lists what there is.
    """
    rows = matching(card, measure, model, group)
    if group is None and card.tasked:
        rows[:, 1:] = False
    if alpha is None:
        return bool((card.columns["outcome"][rows] == "clears").all())
    if not card.has_p_values:
        raise ValueError("intervals=False left out how surely; pass alpha=None to ask for the score alone.")
    level = card.alpha if alpha is ... else checked_alpha(alpha)
    return bool(surely(card.columns, level)[rows].all())
