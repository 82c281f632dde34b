"""Models below each other, the bar as a row of its own, and slices or tasks beside or below the whole."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core._value import Value
from clearbar.core.documents import strict_json
from clearbar.core.reasons import Footnote
from clearbar.formatting import (
    Cell,
    Table,
    comma_separated,
    distinct,
    number,
    plural,
    visible,
    whole_percent,
)
from clearbar.scorecard._columns import View
from clearbar.scorecard._frames import strict
from clearbar.scorecard._headline import headline
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._ranking import Ranking, ranking
from clearbar.scorecard._rows import which_measure
from clearbar.scorecard._tables import IN_FULL, NAMES, BoardColumn, board, boards, score_column

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard

BAR, GUESS = "bar", "random guess"  # what the rows of bars, and of options chosen at random, are called

HEADS = ("Tasks", "Model", "Samples", "Metric", "", "Value", "", "Stderr", "Bar", "Guess", "Rescaled")
"""The columns of lm-evaluation-harness' table, and bar, guess and rescaled score beside them."""

BESIDE = 8  # columns of scores that fit beside each other in a comment on GitHub

_ALIGNS = ("left", "left", "right", "left", "left", "right", "left", *["right"] * 4)
_BETTER = {True: "↑", False: "↓", None: ""}


def leaderboard(card: Scorecard, measure: Any = None) -> Leaderboard:
    """Put the models below each other, the best first, with their scores on the whole and on each slice.

    Parameters
    ----------
    measure : str or Measure, optional
        Any name of the measure that orders them; the first by default.

    Returns
    -------
    Leaderboard
        The bars are a row of their own.

    Raises
    ------
    ValueError
        If nothing matches, or there are no slices.
    """
    if card.groups[0] is not None or len(card.groups) < 2:
        raise ValueError(
            "a leaderboard needs the whole and slices or tasks beside it; pass by=... to evaluate."
        )
    return Leaderboard(card, 0 if measure is None else which_measure(card, measure))


@dataclass(frozen=True, eq=False)
class Leaderboard(Printed, Value):
    """Models by their score on the whole, and on each slice beside it; made by `Scorecard.leaderboard`.

    Attributes
    ----------
    card : Scorecard
        What it shows.
    measure : int
        The position of the measure that orders the models.

    Examples
    --------
    >>> import clearbar as cb
    >>> counts = {"old": cb.Counts(tp=[30, 12], fp=[6, 9], fn=[5, 10], tn=[40, 8]),
    ...           "new": cb.Counts(tp=[33, 20], fp=[4, 3], fn=[2, 2], tn=[42, 14])}
    >>> card = cb.evaluate_counts(counts, "mcc", groups=[None, "nl"], intervals=False)
    >>> card.leaderboard().models
    ('new', 'old')
    """

    card: Scorecard
    measure: int = 0

    @property
    def models(self) -> tuple[str, ...]:
        """The models, the best first."""
        return tuple(self.card.models[model] for model in self._order)

    @functools.cached_property
    def ranking(self) -> Ranking | None:
        """Which models can be told apart; None where they cannot be compared, or without p-values."""
        if not self.card.has_p_values:
            return None
        try:
            return ranking(self.card, self.card.measures[self.measure])
        except ValueError:  # one model, or counts that do not say who was right where
            return None

    @functools.cached_property
    def _order(self) -> list[int]:
        score = self.card.columns["score"][:, 0, self.measure]
        sign = 1 if self.card.measures[self.measure].greater_is_better is False else -1
        return [int(model) for model in np.argsort(sign * score, kind="stable")]

    @property
    def _above(self) -> int:
        """How many models stand above the row of bars: those that do not score below it."""
        outcome = self.card.columns["outcome"][self._order, 0, self.measure]
        return int(np.count_nonzero(outcome != "fails"))

    @functools.cached_property
    def _guesses(self) -> FloatArray | None:
        """What a random guess of each group's options expects; None where there are no options."""
        guesses = None if self.card.problem is None else self.card.problem.random_guesses()
        return None if guesses is None or np.isnan(guesses).all() else guesses

    def _guess(self, group: int, measure: int) -> float:
        """Return what a random guess scores: known of the share that is right alone."""
        if self._guesses is None or self.card.measures[measure].name != "accuracy":
            return math.nan
        return float(self._guesses[group])

    @property
    def _below(self) -> tuple[str, ...]:
        return (BAR,) if self._guesses is None else (BAR, GUESS)

    @functools.cached_property
    def _view(self) -> View:
        return View.of(self.card)

    def tables(self, most: int, *, name: int = NAMES[0]) -> list[Table]:
        """Return the whole and slices side by side, in as many tables as hold so many columns of scores."""
        columns, models = self._columns(name), distinct(self.models, name)
        parts = [columns]
        if len(columns) > most:
            first = len(columns) - (len(self.card.groups) - 1)
            count = math.ceil((len(columns) - first) / most)
            starts = [first + (len(columns) - first) * part // count for part in range(count + 1)]
            parts = [columns[:first], *(columns[a:b] for a, b in itertools.pairwise(starts))]
        return [board(models, part, self._below, self._above) for part in parts]

    def _columns(self, name: int) -> list[BoardColumn]:
        """Return the scores on the whole, their intervals, and the scores on each slice."""
        measures, below = self.card.measures, [Cell("")] * len(self._below)
        columns = [self._scores(visible(measures[self.measure].label), 0, self.measure)]
        if self.card.has_p_values:
            heading = f"{whole_percent(self.card.confidence_level)} interval"
            intervals = [Cell(self._view.interval(model, 0, self.measure)) for model in self._order]
            columns.append(BoardColumn(heading, "right", [*intervals, *below]))
        if self.ranking is not None and self.ranking.groups:
            letters = [*map(Cell, self.ranking.letters)]
            unknown = [Cell("")] * (len(self._order) - len(letters))
            columns.append(BoardColumn("alike", "left", [*letters, *unknown, *below]))
        for position, measure in enumerate(measures):
            if position != self.measure:
                columns.append(self._scores(visible(measure.label), 0, position))
        titles = distinct([visible(group) for group in self.card.groups[1:]], name)
        return columns + [self._scores(title, group, self.measure) for group, title in enumerate(titles, 1)]

    def _scores(self, heading: str, group: int, measure: int) -> BoardColumn:
        """Return the scores of the models, then the bar and a guess."""
        column = score_column(self._view, self._order, heading, group, measure)
        if self._guesses is not None:
            of_share = self.card.measures[measure].name == "accuracy"
            guess = number(self._guess(group, measure), self._view.samples(group)) if of_share else ""
            column.cells.append(Cell(guess))
        return column

    def _page(self, wide: int | None) -> Page:
        rows: Any = {"bars": self._below, "above": self._above}
        columns = self._columns(IN_FULL if wide is None else NAMES[2])
        tables = boards(self.models, columns, wide, **rows)
        if len(tables) > 1 or (wide is None and len(columns) > BESIDE):  # then slices stand below each other
            total, sliced = columns[: 1 - len(self.card.groups)], columns[1 - len(self.card.groups) :]
            tables = boards(self.models, total, wide, wrapped=True, **rows) + self._slices_below(sliced, wide)
        marks = [f"{mark} {words}" for _, mark, words in self._view.legend(self._view.state)]
        blocks = [*map(Block, tables[:-1]), Block(tables[-1], legend=marks)]
        said = headline(self.card, measure=self.card.measures[self.measure])
        notes = [note for note in self.card.notes if wide is None or not isinstance(note, Footnote)]
        return Page(said, blocks, [*self._about_ranking(), *notes])

    def _slices_below(self, columns: Sequence[BoardColumn], wide: int | None) -> list[Table]:
        """Return the slices below each other, and beside each its bar and the models."""
        count, titles = len(self.models), [column.heading for column in columns]
        order = [*range(count, count + len(self._below)), *range(count)]
        tables: list[Table] = []
        for name in NAMES if wide is not None else (IN_FULL,):
            heads = [*self._below, *distinct(self.models, name)]
            beside = [
                BoardColumn(head, "decimal", [column.cells[row] for column in columns])
                for head, row in zip(heads, order, strict=True)
            ]
            tables = boards(titles, beside, wide, wrapped=True, bars=())
            if len(tables) == 1:
                break
        return tables

    def _about_ranking(self) -> list[str]:
        if self.ranking is None:
            return []
        pairs = plural(len(self.ranking.models) * (len(self.ranking.models) - 1) // 2, "pair")
        who = "Same letter: no difference shown" if self.ranking.groups else "Every two models differ"
        return [f"{who} on the same items (p corrected for {pairs})."]

    def to_task_markdown(self) -> str:
        """Return a line per slice and model in Markdown, as lm-evaluation-harness prints its tasks.

        Beside value and standard error stand the bar, what one option of each item at random expects, and the
        rescaled score, (score − bar)/(best − bar).
        The standard error is the harness': that of a mean of independent samples, or where these belong to
        clusters, such as passages, that of clusters. Last come the models on the whole; the error of a mean
        over tasks is the root of the sum of the squared errors of the tasks, divided by their number.
        """
        groups = [*range(1, len(self.card.groups)), 0]
        rows = [row for group in groups for row in self._task_rows(group)]
        return Table.of(_ALIGNS, HEADS, rows).to_markdown() + "\n"

    def _task_rows(self, group: int) -> Iterator[Sequence[str]]:
        card, judged = self.card, self.card.measures[self.measure]
        names = [measure.name for measure in card.measures]
        errors = None if card.problem is None else card.problem.standard_errors()
        samples = self._view.samples(group)
        guess = math.nan if self._guesses is None else float(self._guesses[group])
        label = "all" if card.groups[group] is None else visible(card.groups[group])
        for model in self._order:
            score, bar, best = (
                float(card.columns[name][model, group, self.measure])
                for name in ("score", "bar", "best_possible")
            )
            error = rescaled = math.nan
            if judged.name in {"accuracy", "mean_score"} and errors is not None:
                error = float(errors[model, group])
            elif (
                group and judged.name == "accuracy" and samples > 1
            ):  # right or wrong: it follows from the mean
                error = math.sqrt(score * (1 - score) / (samples - 1))
            if not group and "accuracy_rescaled" in names:  # the mean over tasks of what each task rescales
                rescaled = float(card.columns["score"][model, 0, names.index("accuracy_rescaled")])
            if math.isnan(rescaled) and best != bar:
                rescaled = (score - bar) / (best - bar)
            facts = (label, visible(card.models[model]), f"{samples}", judged.name)
            written = ["N/A" if math.isnan(x) else f"{x:.4f}" for x in (score, error, bar, guess, rescaled)]
            yield (*facts, _BETTER[judged.greater_is_better], written[0], "±", *written[1:])
            label = ""

    def to_csv(self) -> str:
        """Return a line per model, one of the bars and one of a random guess, as comma-separated values.

        Returns
        -------
        str
            Scores as they are; a name that a spreadsheet would take for a formula is behind an apostrophe.
        """
        rows = self.to_dict()["rows"]
        plain = [name for name in rows[0] if name not in {"slices", "intervals"}]
        values = ([*(row[name] for name in plain), *row["slices"].values()] for row in rows)
        return comma_separated([*plain, *rows[0]["slices"]], values)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON: None where a number is nan or infinite.

        Returns
        -------
        dict
            The measure, a dictionary per model, one of the bars and, where items have options, one of a
            random guess, in the order of the table, and groups of models of which none can be told from
            another.
        """
        card, nothing = self.card, [(math.nan, math.nan)] * len(self.card.groups)
        score, bar = card.columns["score"], card.columns["bar"][self._order[0]]
        rows = []
        for model in self._order:
            ends = [card.interval(model, group, self.measure) for group in range(len(card.groups))]
            rows.append(self._row(card.models[model], score[model], ends))
        others = [self._row(BAR, bar, nothing)]
        if self._guesses is not None:
            measures = range(len(card.measures))
            guesses = [[self._guess(group, measure) for measure in measures] for group in range(len(bar))]
            others.append(self._row(GUESS, np.array(guesses), nothing))
        rows[self._above : self._above] = others
        alike = None if self.ranking is None else self.ranking.to_dict()["groups"]
        name = card.measures[self.measure].name
        return {"measure": name, "rows": rows, "alike": alike, "notes": list(card.notes)}

    def _row(self, name: str, values: FloatArray, ends: Sequence[tuple[float, float]]) -> dict[str, Any]:
        """Return a row of numbers, which are of shape (groups, measures)."""
        names, groups = [measure.name for measure in self.card.measures], list(map(str, self.card.groups[1:]))
        of_whole, *of_slices = (strict({"low": low, "high": high}) for low, high in ends)
        scores = dict(zip(groups, values[1:, self.measure].tolist(), strict=True))
        return {
            "model": name,
            **strict(dict(zip(names, values[0].tolist(), strict=True))),
            **of_whole,
            "slices": strict(scores),
            "intervals": {group: [*of.values()] for group, of in zip(groups, of_slices, strict=True)},
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict` as one strict JSON document.

        Parameters
        ----------
        indent : int, optional
            Blanks per level; everything on one line by default.
        """
        return strict_json(self.to_dict(), indent)

    def __repr__(self) -> str:
        return f"<Leaderboard: {len(self.card.models)} models x {len(self.card.groups) - 1} slices>"
