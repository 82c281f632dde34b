"""Slices of one measure, asked about together: how each stands, the furthest below its bar first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from clearbar.core._numbers import whole_number
from clearbar.core._typing import FloatArray, IntArray
from clearbar.core._value import Value
from clearbar.formatting import (
    TELLS,
    Cell,
    Screen,
    Table,
    number,
    p_value_text,
    percent,
    plural,
    signed,
    visible,
)
from clearbar.scorecard import _rows
from clearbar.scorecard._frames import as_python, frame_of, records
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._rows import checked_most, which_measure, which_model, worst_rows
from clearbar.scorecard._tables import fitting
from clearbar.verdict import STANDINGS, checked_alpha, stand_together

if TYPE_CHECKING:
    from clearbar.formatting import Style
    from clearbar.scorecard._card import Scorecard
    from clearbar.scorecard._columns import Hints

SHOWN = 20
"""Slices that are printed."""


class Words(NamedTuple):
    """How a slice stands, as it is printed."""

    of_loss: str  # of a measure of which less is better
    meaning: str
    style: Style = ""
    of_several: str = ""


WORDS = {
    "surely below": Words("surely worse", "the true score is {worse} the bar of its own {slice}", "bad"),
    "below, could be chance": Words(
        "worse, could be chance", "the score is {worse} the bar, the true score perhaps not", "bad"
    ),
    "at the bar": Words("at the bar", "the score is the bar", "bad"),
    "above, could be chance": Words(
        "better, could be chance",
        "{better} the bar, but of so many {slices} some get there by chance",
        "doubt",
    ),
    "clears surely": Words(
        "clears surely",
        "{better} the bar; of all that are called sure, at most {rate} are expected to be wrong",
        of_several="clear surely",
    ),
    "no value": Words(
        "no value",
        "the score or the bar has none, or nothing can be {better} the bar",
        "muted",
        of_several="have no value",
    ),
}


@dataclass(frozen=True, eq=False)
class Slices(Printed, Value):
    """How each slice of each model stands on one measure; made by `Scorecard.slices`.

    Attributes
    ----------
    measure : str
        What is judged by.
    alpha : float
        The false discovery rate among what "clears surely" and what is "surely below".
    model, group : tuple
        The model and the slice of each row.
    samples, positives : ndarray of int64
        The slice's class sizes; of many classes, the largest in place of the positive one.
    score, bar, skill : ndarray of float64
        How the model does there, and what a blind classifier can expect.
    p_value, p_value_blind, p_adjusted : ndarray of float64
        As in a verdict; the last is the one that decides: the scorecard's `p_corrected`, corrected for all of
        its slices and models.
    standing : ndarray of str
        ``"clears surely"``, ``"above, could be chance"``, ``"at the bar"``, ``"below, could be chance"``,
        ``"surely below"`` or ``"no value"``.
    leading : str
        What `positives` counts, as a table heads it.
    part : (str, str)
        What a group is called, and several of them.
    loss : bool
        Whether less is better: what stands "below" the bar is worse than it, and printed so.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[30, 4, 2], fp=[6, 9, 0], fn=[5, 9, 0], tn=[40, 4, 1])
    >>> slices = cb.evaluate_counts(counts, "mcc", groups=["nl", "de", "be"]).slices()
    >>> dict(zip(slices.group, slices.standing.tolist()))
    {'de': 'below, could be chance', 'nl': 'clears surely', 'be': 'above, could be chance'}
    >>> slices.where("below, could be chance").group
    ('de',)
    """

    measure: str
    alpha: float
    model: tuple[str, ...]
    group: tuple[Any, ...]
    samples: IntArray
    positives: IntArray
    score: FloatArray
    bar: FloatArray
    skill: FloatArray
    p_value: FloatArray
    p_value_blind: FloatArray
    p_adjusted: FloatArray
    standing: Any
    leading: str = "positive"
    part: tuple[str, str] = ("slice", "slices")
    loss: bool = False

    def __len__(self) -> int:
        return len(self.group)

    def __bool__(self) -> bool:
        return True

    @property
    def counts(self) -> Mapping[str, int]:
        """How many rows stand in each way."""
        kinds, sizes = np.unique(self.standing.astype(str), return_counts=True)
        sizes_by_kind = dict(zip(kinds.tolist(), sizes.tolist(), strict=True))
        return {standing: sizes_by_kind[standing] for standing in STANDINGS if standing in sizes_by_kind}

    def where(self, standing: str) -> Slices:
        """Return the rows that stand in one way.

        Parameters
        ----------
        standing : str
            Such as ``"surely below"``.

        Raises
        ------
        ValueError
            If there is no such way.
        """
        if standing not in STANDINGS:
            raise ValueError(
                f"standing must be one of {', '.join(map(repr, STANDINGS))}; found {standing!r}."
            )
        rows = np.flatnonzero(self.standing == standing)
        arrays: dict[str, Any] = {
            name: getattr(self, name)[rows]
            for name in self.__dataclass_fields__
            if isinstance(getattr(self, name), np.ndarray)
        }
        model, group = (tuple(names[at] for at in rows.tolist()) for names in (self.model, self.group))
        return replace(self, model=model, group=group, **arrays)

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return a data frame with a row per slice and model.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The library that makes it.
        """
        return frame_of(self._columns, backend)

    def _columns(self) -> dict[str, Any]:
        columns = {name: getattr(self, name) for name in list(self.__dataclass_fields__)[2:-3]}
        return {**columns, "model": list(self.model), "group": list(map(as_python, self.group))}

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold: numbers, text, and None for what has no value.

        Returns
        -------
        dict
            ``"measure"``, ``"alpha"``, and ``"rows"``: a dict per slice and model.
        """
        rows = [{"measure": self.measure, **row} for row in records(self._columns())]
        return {"measure": self.measure, "alpha": self.alpha, "rows": rows}

    def table(self, most: int | None = SHOWN) -> Table:
        """Return the rows, furthest below the bar first.

        Parameters
        ----------
        most : int or None
            How many at the most.
        """
        return self._table(most)

    def _table(self, most: int | None, left_out: Sequence[str] = ()) -> Table:
        rows = range(len(self))[: checked_most(most)]
        samples, leading = self.samples[: len(rows)].tolist(), self.positives[: len(rows)].tolist()
        standings = [str(standing) for standing in self.standing[: len(rows)]]
        names = {self.part[0]: [str(group) for group in self.group[: len(rows)]]}
        if len(set(self.model)) > 1:
            names["model"] = list(self.model[: len(rows)])
        numbers = {
            "samples": [f"{size:,}" for size in samples],
            self.leading: [percent(count / size) for count, size in zip(leading, samples, strict=True)],
            "bar": [number(float(self.bar[row])) for row in rows],
            "score": [number(float(self.score[row])) for row in rows],
            "skill": [signed(float(self.skill[row])) for row in rows],
            "p": [p_value_text(float(self.p_adjusted[row]), floor=TELLS) for row in rows],
        }
        numbers = {name: texts for name, texts in numbers.items() if name not in left_out}
        stands = [Cell(self._said(standing), style=WORDS[standing].style) for standing in standings]
        return Table.of(
            ["left"] * len(names) + ["decimal"] * len(numbers) + ["left"],
            [*names, *numbers, ""],
            zip(*names.values(), *numbers.values(), stands, strict=True),
            named=len(names),
        )

    def _said(self, standing: str) -> str:
        """Return how a slice stands, in words: of a loss, better and worse than the bar."""
        return WORDS[standing].of_loss if self.loss else standing

    @property
    def sentence(self) -> str:
        """How many stand in which way."""
        standings = "; ".join(
            f"{size:,} {(size > 1 and WORDS[standing].of_several) or self._said(standing)}"
            for standing, size in self.counts.items()
        )
        # Names of slices need no hash; the models of a scorecard share them.
        slices, models = len({id(group) for group in self.group}), len(set(self.model))
        of_models = f" of {models:,} models" if models > 1 else ""
        where = f"{plural(slices, *self.part)}{of_models} on {visible(self.measure)}"
        return f"{where}: {standings or 'none is large enough'}."

    def _notes(self, most: int | None, hints: Hints | None = None) -> list[str]:
        left = 0 if most is None else len(self) - most
        worse, better = ("worse than", "better than") if self.loss else ("below", "above")
        rest = ": .to_frame()" if hints is None else hints.more
        more = [f"… furthest {worse} the bar first; {left:,} more{rest}."] if left > 0 else []
        words = {"worse": worse, "better": better, "rate": percent(self.alpha)}
        words |= {"slice": self.part[0], "slices": self.part[1]}
        meanings = (f"{self._said(way)}: {WORDS[way].meaning.format(**words)}." for way in self.counts)
        return [*more, *meanings, f"(p corrected for all {self.part[1]} of the scorecard)"]

    def to_text(
        self,
        *,
        color: bool = False,
        encoding: str | None = None,
        most: int | None = SHOWN,
        width: int | None = None,
        hints: Hints | None = None,
    ) -> str:
        """Return how many stand in which way, the table, and what the words mean.

        Parameters
        ----------
        color, encoding, width, hints
            As for `Scorecard.to_text`.
        most : int or None
            Rows of the table; None for all.
        """
        screen = Screen.chosen(color, encoding, width)
        return self._page(screen.columns, most, hints).text(screen)

    def _page(self, wide: int | None, most: int | None = SHOWN, hints: Hints | None = None) -> Page:
        """Return the rows, without what a terminal has no room for."""
        most, sizes = checked_most(most), ("samples", self.leading)
        candidates = ([self._table(most, left_out)] for left_out in ((), sizes, (*sizes, "skill"), sizes))
        return Page(self.sentence, [Block(fitting(candidates, wide)[0], self._notes(most, hints))])

    def __repr__(self) -> str:
        return f"<Slices: {self.sentence}>"


def slices(
    card: Scorecard,
    measure: Any = None,
    model: str | None = None,
    *,
    alpha: float | None = None,
    min_support: int = 0,
) -> Slices:
    """Judge all slices on one measure together, corrected for asking about so many.

    p-values are corrected in both directions (Benjamini and Hochberg; where several models share
    the slices, Benjamini and Yekutieli) for all slices and models of the scorecard, whichever are
    shown. No slice is said to fail because its p-value is large.

    Parameters
    ----------
    measure : str or Measure, optional
        Any name of a measure in this scorecard; its first by default.
    model : str, optional
        A model; all by default.
    alpha : float
        The false discovery rate that is accepted among what is sure, above the bar or below.
    min_support : int
        Samples that a slice must have to be shown.

    Returns
    -------
    Slices
        Furthest below the bar first. Each clears surely or is surely below; is above or below, but
        that could be chance; is exactly at the bar; or has no value.

    Raises
    ------
    ValueError
        If nothing matches, there are no slices, or no p-values.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = cb.Counts(tp=[30, 12, 2], fp=[6, 9, 0], fn=[5, 10, 0], tn=[40, 8, 1])
    >>> card = cb.evaluate_counts(counts, "mcc", groups=["A", "B", "C"])
    >>> card.slices().counts
    {'above, could be chance': 2, 'clears surely': 1}
    """
    smallest = whole_number("min_support", min_support)
    measure = 0 if measure is None else which_measure(card, measure)
    models = range(len(card.models)) if model is None else [which_model(card, model)]
    level = card.alpha if alpha is None else checked_alpha(alpha)
    if len(card.groups) < 2:
        raise ValueError("this scorecard has no slices; pass by=... to evaluate.")
    if not card.has_p_values:
        raise ValueError(
            "slices are judged by their p-values, and there are none; leave intervals=False out."
        )
    total, (leading, positives) = np.asarray(card.population.total), card.population.leading
    selected = np.zeros(card.columns["outcome"].shape, dtype=bool)
    selected[list(models), :, measure] = _rows.slices(card) & (total >= smallest)
    rows = worst_rows(card, selected)
    of_model, of_group, _ = np.unravel_index(rows, selected.shape)
    names = ("outcome", "p_corrected", "score", "bar", "skill", "p_value", "p_value_blind")
    columns = {name: card.columns[name].reshape(-1)[rows] for name in names}
    p_adjusted = columns.pop("p_corrected")
    return Slices(
        measure=card.measures[measure].label,
        alpha=level,
        model=tuple(card.models[position] for position in of_model.tolist()),
        group=tuple(card.groups[position] for position in of_group.tolist()),
        samples=total[of_group],
        positives=np.asarray(positives)[of_group],
        standing=stand_together(columns.pop("outcome"), p_adjusted, level),
        p_adjusted=p_adjusted,
        **columns,
        leading=leading,
        part=card.group_words,
        loss=card.measures[measure].greater_is_better is False,
    )
