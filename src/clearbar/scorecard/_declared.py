"""Every column of a scorecard, declared once: its name and type, how it is written, and where it is shown."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clearbar.core.errors import listed
from clearbar.formatting import TELLS, Cell, decimals, number, p_value_text, percent, signed, whole_percent
from clearbar.scorecard._remarks import remark
from clearbar.scorecard._rows import known_p
from clearbar.scorecard._view import MARKS, STYLES, meaning
from clearbar.verdict import FLOORED, is_bound

if TYPE_CHECKING:
    from clearbar.formatting import Align
    from clearbar.scorecard._card import Scorecard
    from clearbar.scorecard._view import View

ALONE, BESIDE, WORST, PAGE = "alone", "beside", "worst", "page"
"""Tables: of one model, of models side by side, of the worst rows, and those of the report."""


@dataclass(frozen=True)
class Row:
    """One verdict, for those who write its cells."""

    view: View
    at: tuple[int, int, int]  # model, group, measure
    bar: str  # as it is written beside the scores of its line
    score: str  # told from the bar by its digits

    def __getitem__(self, name: str) -> float:
        """Return a number of the row."""
        return float(self.view.card.columns[name][self.at])

    @property
    def state(self) -> str:
        """How the score stands to its bar."""
        return str(self.view.state[self.at])

    @property
    def places(self) -> int:
        """Decimals that the size of the slice supports."""
        return decimals(self.view.samples(self.at[1]))


@dataclass(frozen=True)
class Column:
    """A column of every scorecard."""

    name: str  # in frames, JSON and comma-separated values; a field of `Verdict` has the same
    kind: Callable[[Any], Any] | None = float  # of its values; None where it is no data
    word: str = ""  # its heading in tables, by which `to_text(columns=…)` asks for it
    heading: str = ""  # what stands over it instead of the word; knows the confidence {level}
    write: Callable[[Row], Cell] | None = None  # its cells; in no table without
    shown: frozenset[str] = frozenset()  # the tables that show it unasked
    stands: Literal["row", "model", "end"] = "model"  # before the models, for each of them, or last
    align: Align = "decimal"
    blank: str = ""  # at the end, a column of nothing but this is left out
    values: Callable[[Scorecard], Any] | None = None  # an array like the score's, where the judge brings none
    where: Callable[[Scorecard], bool] = lambda _: True  # the cards that have it

    @property
    def stored(self) -> bool:
        """Whether the judge brings it."""
        return self.kind is not None and self.values is None

    def title(self, card: Scorecard) -> str:
        """Return its heading."""
        level = whole_percent(card.confidence_level)
        return (self.heading or self.word).format(level=level)

    def of(self, card: Scorecard) -> Any:
        """Return its values, of shape (models, groups, measures)."""
        return card.columns[self.name] if self.values is None else self.values(card)


def _score(row: Row) -> Cell:
    """Write a score with its mark, and its spread over runs."""
    spread = row["score_sd"]
    several = row.view.card.several_runs and not math.isnan(spread)
    text = f"{row.score} ± {number(spread, places=row.places)}" if several else row.score
    note = meaning(row.state, [row.view.card.measures[row.at[2]]])
    return Cell(text, MARKS.get(row.state, ""), STYLES.get(row.state, ""), note=note)


def _skill(row: Row) -> Cell:
    known = {"unbeatable": math.nan, "undefined": math.nan, "ties": 0.0}
    return Cell(signed(known.get(row.state, row["skill"])))


def _p(row: Row) -> Cell:
    """Write how likely a score above its bar is by chance; of others p does not tell that."""
    if row.state not in {"clears", "doubt"} or not known_p(row.view.card)[row.at]:
        return Cell("–")
    bound = bool(_is_bound(row.view.card)[row.at])
    return Cell(p_value_text(row["p_corrected"], row.view.alpha, floor=TELLS, is_bound=bound))


def _is_bound(card: Scorecard) -> Any:
    return is_bound(*(card.columns[name] for name in FLOORED))


def _runs(card: Scorecard) -> Any:
    return np.full(card.columns["score"].shape, card.runs, dtype=np.int64)


_with_runs: Callable[[Scorecard], bool] = operator.attrgetter("several_runs")
_with_p_values: Callable[[Scorecard], bool] = operator.attrgetter("has_p_values")
_NOT_BESIDE = frozenset({ALONE, WORST, PAGE})

COLUMNS: tuple[Column, ...] = (
    Column("score", word="score", write=_score, shown=_NOT_BESIDE | {BESIDE}),
    Column("low", values=lambda card: card.intervals()[0]),
    Column("high", values=lambda card: card.intervals()[1]),
    Column("interval", None, word="interval", heading="{level} interval", shown=frozenset({ALONE}),
           align="right", write=lambda row: Cell(row.view.interval(*row.at)), where=_with_p_values),
    Column("bar", word="bar", write=lambda row: Cell(row.bar), shown=_NOT_BESIDE | {BESIDE}, stands="row"),
    Column("best_possible", word="perfect", shown=frozenset({PAGE}), stands="end", blank="1",
           write=lambda row: Cell(number(row["best_possible"], places=row.places))),
    Column("worst_draw"),
    Column("skill", word="skill", write=_skill, shown=_NOT_BESIDE),
    Column("p_value"),
    Column("p_value_blind"),
    Column("p_sure"),
    Column("p_corrected", word="p", write=_p, shown=_NOT_BESIDE, where=_with_p_values),
    Column("sure", bool),
    Column("outcome", str),
    Column("reason", str, word="remark", shown=frozenset({PAGE}), stands="end", align="left",
           write=lambda row: Cell(remark(row.view, [row.at[0]], *row.at[1:]).text)),
    Column("p_method", str),
    Column("interval_method", str, values=lambda card: card.columns["p_method"]),
    Column("p_blind_method", str),
    Column("p_draws", int),
    Column("p_blind_draws", int),
    Column("p_is_bound", bool, values=_is_bound),
    Column("runs", int, values=_runs, where=_with_runs),
    Column("score_sd", where=_with_runs),
    Column("share_clearing", word="clearing", shown=frozenset({ALONE, PAGE}), where=_with_runs,
           write=lambda row: Cell(percent(row["share_clearing"]))),
)  # fmt: skip
"""In the order of data; of tables too, for each model."""


def data_columns(card: Scorecard) -> list[Column]:
    """Return the columns that frames, JSON and comma-separated values have."""
    return [column for column in COLUMNS if column.kind is not None and column.where(card)]


def shown_columns(card: Scorecard, table: str) -> list[Column]:
    """Return the columns that a table shows unasked."""
    return [column for column in COLUMNS if table in column.shown and column.where(card)]


def named_columns(card: Scorecard, words: Iterable[str]) -> list[Column]:
    """Return bar, score, and the columns beside it that were asked for, where the card has them."""
    known = by_word()
    words_given = list(words)
    for word in words_given:
        if word not in known:
            raise ValueError(f"columns must be among {listed(map(repr, known))}; found {word!r:.60}.")
    always = [column for column in COLUMNS if BESIDE in column.shown]
    return [*always, *(known[word] for word in words_given if known[word].where(card))]


def by_word() -> dict[str, Column]:
    """Return the columns that can be asked for beside a score."""
    return {
        column.word: column
        for column in COLUMNS
        if column.write is not None and column.stands == "model" and BESIDE not in column.shown
    }
