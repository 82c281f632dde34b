"""Every column of a scorecard, declared once, and how a reader looks at them: marks, digits, headings."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from clearbar.core.errors import listed
from clearbar.core.reasons import worded
from clearbar.formatting import TELLS, Cell, decimals, number, p_value_text, percent, signed, whole_percent
from clearbar.scorecard._rows import standing
from clearbar.scorecard._sentences import remark, sides
from clearbar.verdict import FLOORED, checked_alpha, is_bound

if TYPE_CHECKING:
    from clearbar.catalogue import Entry
    from clearbar.formatting import Align, Style
    from clearbar.scorecard._card import Scorecard

MARKS = {"fails": "✗", "ties": "=", "doubt": "?"}
STYLES: dict[str, Style] = {
    "fails": "bad",
    "ties": "bad",
    "doubt": "doubt",
    "unbeatable": "muted",
    "undefined": "muted",
}
MEANING = {
    "doubt": "{better} the bar, but it could be chance",
    "ties": "exactly at the bar",
    "fails": "{worse} the bar",
}

SAME = 1e-12
"""Closer than this to the bar, relative to the scores there can be, a score is the bar but for rounding."""

MOST_DIGITS = 6  # digits that are added until a score differs from the bar in print

SCALE = ("score", "bar", "best_possible", "worst_draw")
"""A score, and the numbers that tell how large scores are."""

ALONE, BESIDE, WORST, PAGE = "alone", "beside", "worst", "page"
"""Tables: of one model, of models side by side, of the worst rows, and those of the report."""


def meaning(state: str, measures: Iterable[Entry]) -> str:
    """Say what a mark means, of a score by one of these measures; empty where there is none."""
    worse, better = sides(measures)
    return MEANING.get(state, "").format(worse=worse, better=better)


class Hints(NamedTuple):
    """What a reader can type next; the methods of a card unless a shell says otherwise."""

    more: str = ": card.worst(20), card.failing, card.to_frame()"
    """Stands after the number of rows that are left out."""
    reasons: str = ": card.to_frame() has the reasons"


@dataclass(frozen=True)
class View:
    """A scorecard as it is looked at: how each row stands at a level, and what can be typed next."""

    card: Scorecard
    alpha: float  # the p-value above which a score is doubtful
    state: Any  # how each row stands
    hints: Hints

    @classmethod
    def of(cls, card: Scorecard, alpha: float | None = None, hints: Hints | None = None) -> View:
        level = card.alpha if alpha is None else checked_alpha(alpha)
        return cls(card, level, standing(card, alpha), hints or Hints())

    def legend(self, states: Any) -> list[tuple[str, str, str]]:
        """Return of these states that have a mark: their name, the mark, and what it means."""
        shown = []
        for state in (state for state in MEANING if state in states):
            has_it = np.flatnonzero((self.state == state).any(axis=(0, 1))).tolist()
            shown.append((state, MARKS[state], meaning(state, [self.card.measures[m] for m in has_it])))
        return shown

    def samples(self, group: int) -> int:
        return int(np.asarray(self.card.population.total)[group])

    def interval(self, model: int, group: int, measure: int) -> str:
        low, high = self.card.interval(model, group, measure)
        ends = (number(end, self.samples(group)) for end in (low, high))
        return "–" if math.isnan(low) else " – ".join(ends)

    def cell(self, text: str, model: int, group: int, measure: int) -> Cell:
        """Return a score with the mark of how it stands."""
        state = str(self.state[model, group, measure])
        note = meaning(state, [self.card.measures[measure]])
        drawing = functools.partial(self._bullet, model, group, measure)
        return Cell(text, MARKS.get(state, ""), STYLES.get(state, ""), note=note, drawing=drawing)

    def _bullet(self, model: int, group: int, measure: int) -> str:
        from clearbar.scorecard._bullets import bullet_svg

        return bullet_svg(self, model, group, measure)

    def written(self, models: Sequence[int], group: int, measure: int) -> tuple[str, list[str]]:
        """Write a bar and scores; digits are added until what differs from the bar shows it."""
        row = {name: self.card.columns[name][models, group, measure] for name in SCALE}
        bar, scores = float(row["bar"][0]), row["score"]
        ends = np.abs([row[name][0] for name in SCALE[1:]])
        scale = float(ends[np.isfinite(ends)].max(initial=0.0))
        # What is the bar but for rounding is written as the bar: digits that told it apart would be noise.
        with np.errstate(invalid="ignore"):  # where both are infinite
            same = (self.state[models, group, measure] == "ties") | (np.abs(scores - bar) <= SAME * scale)
        places = decimals(self.samples(group))
        for more in range(MOST_DIGITS):
            bar_text = number(bar, scale=scale, places=places + more)
            texts = [number(score, scale=scale, places=places + more) for score in scores.tolist()]
            if math.isnan(bar) or all(same | [text != bar_text for text in texts]):
                break
        return bar_text, [bar_text if is_same else text for text, is_same in zip(texts, same, strict=True)]


@dataclass(frozen=True)
class Row:
    """One verdict, for those who write its cells."""

    view: View
    model: int
    group: int
    measure: int
    bar: str  # as it is written beside the scores of its line
    score: str  # told from the bar by its digits

    def __getitem__(self, name: str) -> float:
        return float(self.view.card.columns[name][self.model, self.group, self.measure])

    @property
    def state(self) -> str:
        return str(self.view.state[self.model, self.group, self.measure])

    @property
    def places(self) -> int:
        return decimals(self.view.samples(self.group))


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
        return self.kind is not None and self.values is None

    def title(self, card: Scorecard) -> str:
        return (self.heading or self.word).format(level=whole_percent(card.confidence_level))

    def of(self, card: Scorecard) -> Any:
        """Return its values, of shape (models, groups, measures)."""
        return card.columns[self.name] if self.values is None else self.values(card)


def _score(row: Row) -> Cell:
    """Write a score with its mark, and its spread over runs."""
    spread = row["score_sd"]
    several = row.view.card.several_runs and not math.isnan(spread)
    text = f"{row.score} ± {number(spread, places=row.places)}" if several else row.score
    return row.view.cell(text, row.model, row.group, row.measure)


def _skill(row: Row) -> Cell:
    fixed = {"unbeatable": math.nan, "undefined": math.nan, "ties": 0.0}
    return Cell(signed(fixed.get(row.state, row["skill"])))


def _p(row: Row) -> Cell:
    """Write how likely a score above its bar is by chance; of others p does not tell that."""
    if row.state not in {"clears", "doubt"} or math.isnan(row["p_sure"]):
        return Cell("–")
    bound = bool(is_bound(*map(row.__getitem__, FLOORED)))
    return Cell(p_value_text(row["p_corrected"], row.view.alpha, floor=TELLS, is_bound=bound))


_with_runs: Callable[[Scorecard], bool] = operator.attrgetter("several_runs")
_with_p_values: Callable[[Scorecard], bool] = operator.attrgetter("has_p_values")
_NOT_BESIDE = frozenset({ALONE, WORST, PAGE})

COLUMNS: tuple[Column, ...] = (
    Column("score", word="score", write=_score, shown=_NOT_BESIDE | {BESIDE}),
    Column("low", values=lambda card: card.intervals()[0]),
    Column("high", values=lambda card: card.intervals()[1]),
    Column("interval", None, word="interval", heading="{level} interval", shown=frozenset({ALONE}),
           align="right", write=lambda row: Cell(row.view.interval(row.model, row.group, row.measure)),
           where=_with_p_values),
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
    Column("reason", worded, word="remark", shown=frozenset({PAGE}), stands="end", align="left",
           write=lambda row: Cell(remark(row.view.card, [row.model], row.group, row.measure).text)),
    Column("p_method", str),
    Column("interval_method", str, values=lambda card: card.interval_methods()),
    Column("p_blind_method", str),
    Column("p_draws", int),
    Column("p_blind_draws", int),
    Column("p_is_bound", bool, values=lambda card: is_bound(*(card.columns[name] for name in FLOORED))),
    Column("runs", int, where=_with_runs,
           values=lambda card: np.full(card.columns["score"].shape, card.runs, dtype=np.int64)),
    Column("score_sd", where=_with_runs),
    Column("share_clearing", word="clearing", shown=frozenset({ALONE, PAGE}), where=_with_runs,
           write=lambda row: Cell(percent(row["share_clearing"]))),
)  # fmt: skip
"""In the order of data; of tables too, for each model."""


def shown_columns(card: Scorecard, table: str) -> list[Column]:
    """Return the columns that a table shows unasked."""
    return [column for column in COLUMNS if table in column.shown and column.where(card)]


def named_columns(card: Scorecard, words: Iterable[str]) -> list[Column]:
    """Return bar, score, and the columns beside it that were asked for, where the card has them."""
    names, columns = list(words), by_word()
    for word in names:
        if word not in columns:
            raise ValueError(f"columns must be among {listed(map(repr, columns))}; found {word!r:.60}.")
    always = [column for column in COLUMNS if BESIDE in column.shown]
    return [*always, *(columns[word] for word in names if columns[word].where(card))]


def by_word() -> dict[str, Column]:
    """Return the columns that can be asked for beside a score."""
    return {
        column.word: column
        for column in COLUMNS
        if column.write is not None and column.stands == "model" and BESIDE not in column.shown
    }
