"""Models below each other and slices side by side, with the bar as a row of its own."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clearbar.core._typing import FloatArray
from clearbar.core._value import Value
from clearbar.core.documents import strict_json
from clearbar.formatting import Table, comma_separated, plural
from clearbar.scorecard._board import BAR, GUESS, IN_FULL, NAMES, Board
from clearbar.scorecard._frames import strict
from clearbar.scorecard._page import Block, Page, Printed
from clearbar.scorecard._ranking import Ranking, ranking
from clearbar.scorecard._rows import which_measure
from clearbar.scorecard._sentences import headline
from clearbar.scorecard._task_table import task_table

if TYPE_CHECKING:
    from clearbar.scorecard._card import Scorecard


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
        return tuple(self.card.models[at] for at in self._order)

    @functools.cached_property
    def ranking(self) -> Ranking | None:
        """Which models can be told apart; None where they cannot be compared, or without p-values."""
        if not self.card.has_p_values:
            return None
        try:
            return ranking(self.card, self.card.measures[self.measure])
        except ValueError:  # one model, or counts that do not say who was right where
            return None

    @property
    def _order(self) -> list[int]:
        score = self.card.columns["score"][:, 0, self.measure]
        sign = 1 if self.card.measures[self.measure].greater_is_better is False else -1
        return [int(at) for at in np.argsort(sign * score, kind="stable")]

    @functools.cached_property
    def _board(self) -> Board:
        letters = self.ranking.letters if self.ranking is not None and self.ranking.groups else ()
        return Board(self.card, self.measure, self._order, letters)

    def table(self, slices: Sequence[int] | None = None, *, name: int = NAMES[0]) -> Table:
        """Return the table; of some slices, by their positions, if they are given."""
        return self._board.table(slices, name=name)

    def _page(self, wide: int | None) -> Page:
        view = self._board.view
        tables = [self.table(name=IN_FULL)] if wide is None else self._board.tables(wide)
        marks = [f"{mark} {words}" for _, mark, words in view.legend(view.state)]
        blocks = [*map(Block, tables[:-1]), Block(tables[-1], legend=marks)]
        return Page(headline(self.card, None), blocks, [*self._about_ranking(), *self.card.notes])

    def _about_ranking(self) -> list[str]:
        """Say which models cannot be told apart."""
        if self.ranking is None:
            return []
        pairs = plural(len(self.ranking.models) * (len(self.ranking.models) - 1) // 2, "pair")
        who = "Models that share a letter cannot" if self.ranking.groups else "All models can"
        return [f"{who} be told apart on the same items (p corrected for {pairs})."]

    def to_markdown(self) -> str:
        """Return the table in GitHub-flavoured Markdown, and the reasons below it.

        Returns
        -------
        str
        """
        return self._page(None).markdown()

    def to_task_markdown(self) -> str:
        """Return a line per slice and model in Markdown, as lm-evaluation-harness prints its tasks.

        Beside value and standard error stand the bar, what one option of each item at random expects, and the
        rescaled score, (score − bar)/(best − bar).
        The standard error is the harness': that of a mean of independent samples. Last come the models on
        the whole.

        Returns
        -------
        str
        """
        return task_table(self.card, self._order, self.measure, self._board.guesses).to_markdown() + "\n"

    def to_latex(self) -> str:
        """Return the table in LaTeX, with booktabs rules, and the reasons below it.

        Returns
        -------
        str
        """
        return self._page(None).latex()

    def to_csv(self) -> str:
        """Return a line per model, one of the bars and one of a random guess, as comma-separated values.

        Returns
        -------
        str
            Scores as they are; a name that a spreadsheet would take for a formula is behind an apostrophe.
        """
        rows = self.to_dict()["rows"]
        plain = [name for name in rows[0] if name not in {"slices", "intervals"}]
        heads = [*plain, *rows[0]["slices"]]
        values = ([*(row[name] for name in plain), *row["slices"].values()] for row in rows)
        return comma_separated(heads, values)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON: None where a number is nan or infinite.

        Returns
        -------
        dict
            The measure, a dictionary per model, one of the bars and, where items have options, one of a
            random guess, in the order of the table, and groups of models of which none can be told from
            another.
        """
        card, order = self.card, self._order
        rows = [self._row(card.models[at], "score", at) for at in order]
        others = [self._row(BAR, "bar", order[0])]
        if self._board.guesses is not None:
            others.append(self._guess_row(self._board.guesses))
        rows[self._board.bar_at : self._board.bar_at] = others
        alike = None if self.ranking is None else self.ranking.to_dict()["groups"]
        measure = card.measures[self.measure].name
        return {"measure": measure, "rows": rows, "alike": alike, "notes": list(card.notes)}

    def _row(self, name: str, column: str, model: int) -> dict[str, Any]:
        card, values = self.card, self.card.columns[column][model]
        slices = {str(group): at for at, group in enumerate(card.groups) if at}
        if column == "score":
            ends = [card.interval(model, at, self.measure) for at in range(len(card.groups))]
        else:
            ends = [(math.nan, math.nan)] * len(card.groups)
        known = [strict({"low": low, "high": high}) for low, high in ends]
        whole = {measure.name: float(values[0, at]) for at, measure in enumerate(card.measures)}
        return {
            "model": name,
            **strict(whole),
            **known[0],
            "slices": strict({group: float(values[at, self.measure]) for group, at in slices.items()}),
            "intervals": {group: list(known[at].values()) for group, at in slices.items()},
        }

    def _guess_row(self, guesses: FloatArray) -> dict[str, Any]:
        """Return what one option of each item at random expects, by the share that is right."""
        card = self.card
        of_share = self.measure if card.measures[self.measure].name == "accuracy" else None
        slices = {str(group): at for at, group in enumerate(card.groups) if at}
        whole = {
            measure.name: float(guesses[0]) if measure.name == "accuracy" else math.nan
            for measure in card.measures
        }
        own = {group: math.nan if of_share is None else float(guesses[at]) for group, at in slices.items()}
        nothing = {"low": None, "high": None}
        return {
            "model": GUESS,
            **strict(whole),
            **nothing,
            "slices": strict(own),
            "intervals": {group: [None, None] for group in slices},
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return `to_dict` as one strict JSON document.

        Parameters
        ----------
        indent : int, optional
            Blanks per level; everything on one line by default.

        Returns
        -------
        str
        """
        return strict_json(self.to_dict(), indent)

    def __repr__(self) -> str:
        """Return how much there is."""
        return f"<Leaderboard: {len(self.card.models)} models x {len(self.card.groups) - 1} slices>"


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
