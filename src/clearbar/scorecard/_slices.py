"""Slices of one measure, asked about together: how each stands, the furthest below its bar first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from clearbar.core._typing import FloatArray, IntArray
from clearbar.core._value import Value, whole_number
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

SHOWN = 20  # slices that are printed


class Words(NamedTuple):
    """How a slice stands, as it is printed."""

    of_loss: str  # of a measure of which less is better
    meaning: str
    style: Style = ""
    of_several: str = ""


WORDS = dict(
    zip(
        STANDINGS,
        (
            Words("surely worse", "the true score is {worse} the bar of its own {slice}", "bad"),
            Words(
                "worse, could be chance", "the score is {worse} the bar, the true score perhaps not", "bad"
            ),
            Words("at the bar", "the score is the bar", "bad"),
            Words(
                "better, could be chance",
                "{better} the bar, but of so many {slices} some get there by chance",
                "doubt",
            ),
            Words(
                "clears surely",
                "{better} the bar; of all that are called sure, at most {rate} are expected to be wrong",
                of_several="clear surely",
            ),
            Words(
                "no value",
                "the score or the bar has none, or nothing can be {better} the bar",
                "muted",
                of_several="have no value",
            ),
        ),
        strict=True,
    )
)


@dataclass(frozen=True, eq=False)
class Slices(Printed, Value):
    """How each slice of each model stands on one measure; made by `Scorecard.slices`.

    Attributes
    ----------
    measure : str
        The measure.
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
        sizes = {standing: int(np.count_nonzero(self.standing == standing)) for standing in STANDINGS}
        return {standing: size for standing, size in sizes.items() if size}

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
        arrays = {name: getattr(self, name)[rows] for name in ARRAYS}
        model, group = (tuple(names[row] for row in rows.tolist()) for names in (self.model, self.group))
        return replace(self, model=model, group=group, **arrays)

    def _columns(self) -> dict[str, Any]:
        return {
            "model": list(self.model),
            "group": list(map(as_python, self.group)),
            **{name: getattr(self, name) for name in ARRAYS},
        }

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return a data frame with a row per slice and model.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}
            The library that makes it.
        """
        return frame_of(self._columns, backend)

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold: numbers, text, and None for what has no value.

        Returns
        -------
        dict
            ``"measure"``, ``"alpha"``, and ``"rows"``: a dict per slice and model.
        """
        rows = [{"measure": self.measure, **row} for row in records(self._columns())]
        return {"measure": self.measure, "alpha": self.alpha, "rows": rows}

    def table(self, most: int | None = SHOWN, left_out: Sequence[str] = ()) -> Table:
        """Return the rows, furthest below the bar first.

        Parameters
        ----------
        most : int or None
            How many at the most.
        left_out : sequence of str
            The headings of columns that are not shown.
        """
        rows = range(len(self))[: checked_most(most)]
        names: dict[str, Any] = {self.part[0]: [str(self.group[row]) for row in rows]}
        if len(set(self.model)) > 1:
            names["model"] = [self.model[row] for row in rows]
        numbers = {
            "samples": [f"{self.samples[row]:,}" for row in rows],
            self.leading: [percent(self.positives[row] / self.samples[row]) for row in rows],
            "bar": [number(self.bar[row]) for row in rows],
            "score": [number(self.score[row]) for row in rows],
            "skill": [signed(self.skill[row]) for row in rows],
            "p": [p_value_text(self.p_adjusted[row], floor=TELLS) for row in rows],
        }
        numbers = {name: texts for name, texts in numbers.items() if name and name not in left_out}
        stands = [Cell(self._said(self.standing[row]), style=WORDS[self.standing[row]].style) for row in rows]
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
        return f"{where}{f': {standings}' if standings else ''}."

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
        worse, better = ("worse than", "better than") if self.loss else ("below", "above")
        left = 0 if most is None else max(0, len(self) - most)
        rest = ": .to_frame()" if hints is None else hints.more
        notes = [f"… furthest {worse} the bar first; {left:,} more{rest}."] if left else []
        words = {"worse": worse, "better": better, "rate": percent(self.alpha)}
        words |= dict(zip(("slice", "slices"), self.part, strict=True))
        notes += [f"{self._said(way)}: {WORDS[way].meaning.format(**words)}." for way in self.counts]
        notes.append(f"(p corrected for all {self.part[1]} of the scorecard)")
        left_out = (), sizes, (*sizes, "skill"), sizes
        (table,) = fitting(([self.table(most, names)] for names in left_out), wide)
        return Page(self.sentence, [Block(table, notes)])

    def __repr__(self) -> str:
        return f"<Slices: {self.sentence}>"


ARRAYS = "samples", "positives", "score", "bar", "skill", "p_value", "p_value_blind", "p_adjusted", "standing"


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
    index, level = which_measure(card, measure), card.alpha if alpha is None else checked_alpha(alpha)
    models = range(len(card.models)) if model is None else [which_model(card, model)]
    if len(card.groups) < 2:
        raise ValueError("this scorecard has no slices; pass by=... to evaluate.")
    if not card.has_p_values:
        raise ValueError(
            "slices are judged by their p-values, and there are none; leave intervals=False out."
        )
    total, (leading, positives) = np.asarray(card.population.total), card.population.leading
    selected = np.zeros(card.columns["outcome"].shape, dtype=bool)
    selected[list(models), :, index] = _rows.slices(card) & (total >= smallest)
    rows = worst_rows(card, selected)
    of_model, of_group, _ = np.unravel_index(rows, selected.shape)
    columns = {name: values.reshape(-1)[rows] for name, values in card.columns.items()}
    return Slices(
        measure=card.measures[index].label,
        alpha=level,
        model=tuple(card.models[position] for position in of_model.tolist()),
        group=tuple(card.groups[position] for position in of_group.tolist()),
        samples=total[of_group],
        positives=np.asarray(positives)[of_group],
        standing=stand_together(columns["outcome"], columns["p_corrected"], level),
        p_adjusted=columns["p_corrected"],
        **{name: columns[name] for name in ("score", "bar", "skill", "p_value", "p_value_blind")},
        leading=leading,
        part=card.group_words,
        loss=card.measures[index].greater_is_better is False,
    )
